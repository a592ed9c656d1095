"""The extension's icons, as scripts/make_icon.py draws them."""

from __future__ import annotations

import io
from pathlib import Path
from xml.etree import ElementTree

from PIL import Image

from .loading import ROOT, load

icons = load("make_icon")


def test_the_committed_icons_are_what_the_script_draws() -> None:
    assert icons.is_current(ROOT / "extension" / "media" / "icon.png", icons.icon_png())
    assert icons.is_current(ROOT / "extension" / "media" / "view.svg", icons.view_svg())


def test_the_png_is_large_enough_for_the_marketplace() -> None:
    with Image.open(io.BytesIO(icons.icon_png())) as picture:
        assert min(picture.size) >= 128


def test_the_mark_is_still_seen_at_16_pixels() -> None:
    with Image.open(io.BytesIO(icons.icon_png())) as picture:
        small = picture.convert("RGB").resize((16, 16), Image.Resampling.BOX)
    colours = {small.getpixel((x, y)) for x in range(16) for y in range(16)}
    assert any(red > 220 and green > 140 and blue < 90 for red, green, blue in colours)


def test_the_view_icon_has_one_colour_that_the_theme_gives() -> None:
    drawing = ElementTree.fromstring(icons.view_svg())
    assert drawing.get("stroke") == "currentColor"
    assert not [
        element for element in drawing.iter() if element is not drawing and (element.get("stroke") or element.get("fill"))
    ]


def test_a_file_that_is_missing_or_shows_something_else_is_not_current(tmp_path: Path) -> None:
    file = tmp_path / "icon.png"
    assert not icons.is_current(file, icons.icon_png())
    Image.new("RGBA", (256, 256)).save(file)
    assert not icons.is_current(file, icons.icon_png())


def test_another_compression_of_the_same_picture_is_current(tmp_path: Path) -> None:
    icons.icon().save(tmp_path / "icon.png", "PNG", compress_level=1)
    assert icons.is_current(tmp_path / "icon.png", icons.icon_png())
