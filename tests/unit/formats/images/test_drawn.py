"""What is drawn on transparency, or in other units than pixels, is seen."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw

from ragd.formats.images.drawings import read_drawing
from ragd.formats.images.rasters import on_paper


def clear() -> tuple[Image.Image, ImageDraw.ImageDraw]:
    image = Image.new("RGBA", (300, 200), (0, 0, 0, 0))
    return image, ImageDraw.Draw(image)


def test_black_lines_between_white_boxes_on_transparency_are_seen() -> None:
    image, draw = clear()
    for left in (10, 190):
        draw.rectangle((left, 20, left + 100, 180), fill="white")
        draw.text((left + 20, 90), "step", fill="black")
    draw.line((110, 100, 190, 100), fill="black", width=1)
    pixels = on_paper(image)
    assert pixels[0, 0].tolist() == [255, 255, 255]
    assert pixels[100, 150].tolist() == [0, 0, 0]


def test_white_letters_on_transparency_are_seen() -> None:
    image, draw = clear()
    draw.text((40, 80), "all systems run", fill="white")
    pixels = on_paper(image)
    assert pixels[0, 0].tolist() == [0, 0, 0]
    assert pixels.max() > 250


def test_a_picture_without_transparency_is_as_it_is() -> None:
    image = Image.new("RGBA", (40, 30), (250, 250, 250, 255))
    assert np.array_equal(on_paper(image), np.full((30, 40, 3), 250, np.uint8))


@pytest.mark.parametrize("unit", ["pt", "mm", "in", "px", ""])
def test_a_drawing_in_any_unit_is_drawn(unit: str) -> None:
    size = f'width="3{unit}" height="2{unit}" viewBox="0 0 30 20"'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" {size}><rect width="30" height="20"/></svg>'
    drawn = read_drawing(svg.encode(), 1_000_000)
    assert drawn.image.width / drawn.image.height == pytest.approx(1.5, rel=0.4)
    assert on_paper(drawn.image).min() == 0
