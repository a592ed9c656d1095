"""What is sent of a picture keeps to the limits of pixels and bytes."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from ragd.core.errors import ParseFailed
from ragd.ingest.pictures.looking import encode, smaller


def noise(width: int, height: int) -> Image.Image:
    """A picture that no format makes small."""
    return Image.fromarray(np.random.default_rng(3).integers(0, 256, (height, width, 3), np.uint8))


def opened(data: bytes | None) -> Image.Image:
    assert data is not None
    return Image.open(io.BytesIO(data))


def test_a_drawing_within_the_limits_is_sent_as_png_in_its_own_size() -> None:
    sent = opened(encode(Image.new("RGB", (300, 200), "white"), 1568, 100_000))
    assert (sent.format, sent.size) == ("PNG", (300, 200))


def test_the_longer_side_is_cut_to_the_limit_of_pixels() -> None:
    assert opened(encode(Image.new("RGB", (3000, 1500), "white"), 1000, 100_000)).size == (1000, 500)


@pytest.mark.parametrize("limit", [200_000, 20_000])
def test_a_picture_with_too_many_bytes_becomes_a_jpeg_and_then_smaller_until_it_fits(limit: int) -> None:
    image = noise(600, 400)
    sent = encode(image, 1568, limit)
    assert sent is not None
    assert len(sent) <= limit
    made = opened(sent)
    assert made.format == "JPEG"
    assert made.width / made.height == pytest.approx(1.5, rel=0.02)


def test_a_picture_of_which_nothing_would_be_left_is_not_sent() -> None:
    assert encode(noise(600, 400), 1568, 300) is None
    target = io.BytesIO()
    noise(600, 400).save(target, "PNG")
    with pytest.raises(ParseFailed, match=r"'n\.png' can't be made small enough: at most 300 bytes"):
        smaller(target.getvalue(), "n.png", 1_000_000, 1568, 300)


def test_what_is_no_picture_can_not_be_made_smaller() -> None:
    with pytest.raises(ParseFailed, match="can't be looked at"):
        smaller(b"no picture", "n.png", 1_000_000, 1568, 300)
