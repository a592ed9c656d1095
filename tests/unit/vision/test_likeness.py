"""The same picture is known again in another size or format, and two tables of one form are not taken for one another."""

from __future__ import annotations

import io
import random

import numpy as np
import pytest
from PIL import Image, ImageDraw

from ragd.core.documents import OcrLine
from ragd.vision.likeness import SAME, distances, phash_of, same_shape, same_words


def drawn(seed: int) -> Image.Image:
    """A chart of its own for each seed."""
    rng, image = random.Random(seed), Image.new("RGB", (640, 400), "white")
    pen = ImageDraw.Draw(image)
    pen.line((60, 30, 60, 350, 600, 350), fill="black", width=2)
    for place in range(6):
        pen.rectangle((80 + 85 * place, 350 - rng.randint(20, 300), 140 + 85 * place, 349), fill="#1f77b4")
    return image


def phash(image: Image.Image) -> str:
    return phash_of(np.asarray(image))


def saved_again(image: Image.Image) -> Image.Image:
    target = io.BytesIO()
    image.save(target, "JPEG", quality=50)
    return Image.open(target).convert("RGB")


@pytest.mark.parametrize("change", [saved_again, lambda image: image.resize((320, 200)), lambda image: image.resize((900, 562))])
def test_a_picture_saved_again_or_in_another_size_is_the_same(change) -> None:
    image = drawn(1)
    other = change(image)
    assert distances(phash(image), [phash(other)])[0] <= SAME
    assert same_shape(image.size, other.size)


def test_charts_with_other_bars_are_not_the_same() -> None:
    hashes = [phash(drawn(seed)) for seed in range(12)]
    for place, one in enumerate(hashes):
        assert min(distances(one, hashes[:place] + hashes[place + 1 :])) > SAME


def test_a_hash_has_64_hex_digits_and_no_distance_to_itself() -> None:
    found = phash(drawn(2))
    assert len(bytes.fromhex(found)) == 32
    assert distances(found, [found]).tolist() == [0]
    assert distances(found, []).tolist() == []


def read(*texts: str) -> list[OcrLine]:
    return [OcrLine(text, 0.9, (0.0, 0.0, 1.0, 0.1)) for text in texts]


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (read("Orders by region", "Osaka 1240"), True),
        (read("Orders by region", "Osaka 1250"), False),
        (read("Leases by owner", "Osaka 1240"), False),
        (read(), False),
    ],
)
def test_pictures_that_read_otherwise_are_not_the_same(other: list[OcrLine], same: bool) -> None:
    assert same_words(read("Orders by region", "Osaka 1240"), other) is same


def test_a_wide_and_a_high_picture_are_not_of_one_shape() -> None:
    assert not same_shape((640, 400), (400, 640))
    assert same_shape((641, 400), (320, 200))
