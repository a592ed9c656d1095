"""The contract of text recognition. Its pictures are drawn in the font that Pillow carries, so no other is needed."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from ragd.providers.protocols import OcrEngine, Pixels

LINES = ("Kestrel keeps every job", "until its lease ends", "or it is acknowledged")


def picture_of(lines: tuple[str, ...], *, size: int = 28) -> Pixels:
    """Black letters on white, one line below the other."""
    image = Image.new("RGB", (size * 16, int(size * 2 * (len(lines) + 1))), "white")
    draw = ImageDraw.Draw(image)
    for number, line in enumerate(lines):
        draw.text((size, size + number * size * 2), line, font=ImageFont.load_default(size), fill="black")
    return np.asarray(image)


class OcrEngineContract:
    """A picture into lines of text with their places."""

    @pytest.fixture
    def engine(self) -> OcrEngine:
        raise NotImplementedError("override the fixture engine")

    def test_lines_are_read_in_order_with_scores_and_places(self, engine: OcrEngine) -> None:
        lines = engine.recognize(picture_of(LINES))
        assert [line.text for line in lines] == list(LINES)
        for line in lines:
            left, top, right, bottom = line.box
            assert 0 <= left < right <= 1
            assert 0 <= top < bottom <= 1
            assert 0 < line.score <= 1
        assert [line.box[1] for line in lines] == sorted(line.box[1] for line in lines)

    def test_the_place_of_a_line_is_where_it_stands(self, engine: OcrEngine) -> None:
        pixels = np.full((400, 800, 3), 255, np.uint8)
        word = picture_of(("lease",))
        pixels[300 : 300 + 100, 400:800] = word[:100, :400]
        ((left, top, right, bottom),) = [line.box for line in engine.recognize(pixels)]
        assert (left, top) == pytest.approx((428 / 800, 330 / 400), abs=0.03)
        assert right < 0.75
        assert bottom < 0.95

    def test_a_picture_without_text_has_no_lines(self, engine: OcrEngine) -> None:
        assert engine.recognize(np.full((300, 400, 3), 255, np.uint8)) == []

    def test_the_same_picture_is_read_the_same_and_left_as_it_is(self, engine: OcrEngine) -> None:
        pixels = np.ascontiguousarray(picture_of(LINES[:1])[:, ::-1][:, ::-1])
        before = pixels.copy()
        assert engine.recognize(pixels) == engine.recognize(pixels)
        assert np.array_equal(pixels, before)

    @pytest.mark.parametrize("shape", [(1, 1), (1, 900), (900, 1), (20, 20)])
    def test_a_picture_of_a_strange_shape_is_read_or_refused(self, engine: OcrEngine, shape: tuple[int, int]) -> None:
        pixels = np.zeros((*shape, 3), np.uint8)
        assert engine.recognize(pixels) == []

    def test_name_and_profile_say_what_reads(self, engine: OcrEngine) -> None:
        assert engine.name
        assert engine.profile
        assert engine.profile == "".join(engine.profile.split())
