"""The contract of captioners: what is said of a picture, in its language, within its profile, and never more than is told."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageDraw, ImageFont

from ragd.core.documents import OcrLine
from ragd.providers.caption_checks import checked
from ragd.providers.caption_protocol import Captioner
from ragd.vision.description import IMAGE_TYPES, Description, ImageType, PictureContext, profile_of

CELLS = (("Region", "Orders"), ("Osaka", "1240"), ("Lisbon", "870"), ("Nairobi", "455"))
CONTEXT = PictureContext(text="Orders have grown.", heading="Sales", caption="Table 1: orders by region", language="en")


def picture_and_words() -> tuple[bytes, list[OcrLine]]:
    """A ruled table as PNG, and the lines that text recognition reads in it."""
    image = Image.new("RGB", (520, 240), "white")
    draw, words = ImageDraw.Draw(image), []
    for row, cells in enumerate(CELLS):
        for column, cell in enumerate(cells):
            left, top = 10 + column * 250, 10 + row * 55
            draw.rectangle((left, top, left + 250, top + 55), outline="black", width=2)
            draw.text((left + 20, top + 14), cell, font=ImageFont.load_default(24), fill="black")
            words.append(OcrLine(cell, 0.99, ((left + 20) / 520, (top + 14) / 240, (left + 120) / 520, (top + 42) / 240)))
    target = io.BytesIO()
    image.save(target, "PNG")
    return target.getvalue(), words


class CaptionerContract:
    """A picture into a description."""

    @pytest.fixture
    def captioner(self) -> Captioner:
        raise NotImplementedError("override the fixture captioner")

    @pytest.fixture
    def said(self, captioner: Captioner) -> Description:
        picture, words = picture_and_words()
        return checked(captioner.describe(picture, CONTEXT, "table", words), words)

    def test_a_description_says_who_made_it_and_what_it_is_of(self, captioner: Captioner, said: Description) -> None:
        assert isinstance(captioner, Captioner)
        assert (said.provider, said.model, said.prompt_id) == (captioner.name, captioner.model, captioner.prompt_id)
        assert said.profile == profile_of(said.image_type)
        assert captioner.max_side >= 1

    def test_a_picture_that_can_be_read_is_summed_up(self, said: Description) -> None:
        assert said.summary.strip()
        assert not said.low_quality
        assert len(said.key_points) <= 12

    def test_numbers_say_where_they_are_read_and_were_seen(self, said: Description) -> None:
        shown = {cell for row in CELLS for cell in row}
        assert all(number.context and number.value in shown for number in said.numbers)

    def test_a_description_outlasts_being_kept(self, said: Description) -> None:
        assert Description.from_dict(said.as_dict()) == said

    @pytest.mark.parametrize("image_type", IMAGE_TYPES)
    @pytest.mark.parametrize("language", ["en", "ja", "zh", "de"])
    def test_every_type_is_described_without_a_word_to_go_by(
        self, captioner: Captioner, image_type: ImageType, language: str
    ) -> None:
        picture, _ = picture_and_words()
        said = captioner.describe(picture, PictureContext(language=language), image_type, ())
        assert said.image_type in IMAGE_TYPES
        assert Description.from_dict(said.as_dict()) == said

    def test_what_stands_around_a_picture_is_no_fact_of_it(self, captioner: Captioner) -> None:
        picture, words = picture_and_words()
        context = PictureContext(text="In 1987 the plant at Zurich made 4711 units.", language="en")
        said = checked(captioner.describe(picture, context, "table", words), words)
        stated = " ".join((said.summary, *said.key_points, *(number.value for number in said.numbers)))
        assert "4711" not in stated
        assert "Zurich" not in stated
