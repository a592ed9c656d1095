"""SVG: its text from its XML, its picture by resvg, and nothing from outside of it.

resvg follows references to files, and its parser is recursive: a drawing of some hundred nested groups ends the process. So
what is handed to it holds no reference but to its own parts and to pictures inside it, is not nested deeply, and is drawn on a
thread with a large stack.
"""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from xml.etree.ElementTree import Element, ParseError, tostring

import resvg_py
from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring
from PIL import Image

from ragd.core.errors import TooComplex, WrongType
from ragd.formats.common.pictures import embedded, is_data_uri
from ragd.formats.images.rasters import DAMAGED, PictureRefused, read_raster

_MAX_BYTES: Final = 10 * 1024 * 1024
_MAX_ELEMENTS: Final = 100_000
_MAX_DEPTH: Final = 200
_MAX_CHAINED: Final = 300
"""Patterns and markers of one drawing: each may use another, and resvg goes down such a chain by recursion."""
_MAX_SIDE: Final = 1600
"""Pixels of the longer side of the drawn picture."""
_STACK: Final = 64 * 1024 * 1024
"""Bytes of stack for resvg. In the usual 8 MB, 300 nested groups or 150 nested `use` end the process; in 64 MB, 1,000 don't."""

_HEAD: Final = 16_384
_DEFAULT_SIDE: Final = 300.0
_LENGTH: Final = re.compile(r"\s*+([0-9]{1,9}(?:\.[0-9]{0,9})?)\s*+(px|pt|pc|mm|cm|in|)\s*+\Z")
_DPI: Final = 96
_UNITS: Final = {"px": 1.0, "": 1.0, "pt": 4 / 3, "pc": 16.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0}
_NOT_DRAWN: Final = frozenset(("script", "foreignobject", "iframe", "audio", "video", "metadata"))
_NOT_TEXT: Final = frozenset(("script", "style", "metadata", "defs"))
_BREAKS: Final = frozenset(
    ("text", "title", "desc", "div", "p", "br", "li", "tr", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6")
)


@dataclass(frozen=True, slots=True)
class _Drawing:
    """A drawing: its picture (RGBA), the size it states, its text line by line, and its title."""

    image: Image.Image
    width: int
    height: int
    text: str
    title: str


def is_drawing(data: bytes) -> bool:
    """Whether these bytes are an SVG file."""
    head = data[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = data[:_HEAD].replace(b"\0", b"")[2:].lstrip()
    return head.startswith(b"<") and re.search(rb"<(?:\w{1,20}:)?svg[\s>/]", head) is not None


def read_drawing(data: bytes, max_pixels: int) -> _Drawing:
    """Draw an SVG file. `max_pixels` is for pictures inside it. Raises `PictureRefused`."""
    if len(data) > _MAX_BYTES:
        raise PictureRefused(
            f"SVG of more than {_MAX_BYTES // 2**20} MiB", f"it is an SVG of more than {_MAX_BYTES // 2**20} MiB", TooComplex
        )
    try:
        root = fromstring(data, forbid_dtd=False, forbid_entities=True, forbid_external=True)
    except DefusedXmlException as error:
        raise PictureRefused(
            "SVG with entities of its own", "it is an SVG that defines entities, which is not allowed"
        ) from error
    except (ParseError, ValueError, LookupError) as error:
        raise PictureRefused(DAMAGED, "it is not well-formed SVG") from error
    _check(root)
    title = next((_plain("".join(child.itertext())) for child in root if _name(child) == "title"), "")
    text = _text(root)
    width, height = _size(root)
    _clean(root, max_pixels)
    image = _drawn(tostring(root, encoding="unicode"), min(_MAX_SIDE, max(1, round(2 * max(width, height)))))
    return _Drawing(image, max(1, round(width)), max(1, round(height)), text, title)


def _name(element: Element) -> str:
    tag = element.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def _check(root: Element) -> None:
    """Refuses what resvg can't be trusted with, without recursion."""
    if _name(root) != "svg":
        raise PictureRefused(DAMAGED, "it is XML, but no SVG", WrongType)
    elements = chained = 0
    stack = [(root, 1)]
    while stack:
        element, depth = stack.pop()
        elements += 1
        chained += _name(element) in ("pattern", "marker")
        if elements > _MAX_ELEMENTS or depth > _MAX_DEPTH or chained > _MAX_CHAINED:
            raise PictureRefused("SVG with too many parts", "it is an SVG with too many, or too deeply nested, parts", TooComplex)
        stack.extend((child, depth + 1) for child in element)


def _size(root: Element) -> tuple[float, float]:
    """Width and height in pixels as the drawing states them, by its view box where it doesn't."""
    box = [float(number) for number in re.findall(r"-?[0-9]{1,9}(?:\.[0-9]{0,9})?", root.get("viewBox", "")[:100])]
    width, height = _pixels(root.get("width")), _pixels(root.get("height"))
    if len(box) == 4 and box[2] > 0 and box[3] > 0:
        ratio = box[2] / box[3]
        if width and not height:
            height = width / ratio
        elif height and not width:
            width = height * ratio
        elif not width:
            width, height = box[2], box[3]
    return width or _DEFAULT_SIDE, height or _DEFAULT_SIDE


def _pixels(stated: str | None) -> float:
    found = _LENGTH.match(stated[:40]) if stated else None
    return float(found[1]) * _UNITS[found[2]] if found else 0.0


def _clean(root: Element, max_pixels: int) -> None:
    """Takes out what is not drawn or comes from elsewhere: scripts, foreign content, references to files and addresses."""
    stack = [root]
    while stack:
        element = stack.pop()
        for name in [name for name in element.attrib if name.rpartition("}")[2].lower() == "href"]:
            if not _is_inside(element.attrib[name].strip(), max_pixels):
                del element.attrib[name]
        for child in list(element):
            if _name(child) in _NOT_DRAWN:
                element.remove(child)
            else:
                stack.append(child)


def _is_inside(reference: str, max_pixels: int) -> bool:
    """Whether a reference is to a part of the drawing, or holds a picture that may be decoded (no drawing within a drawing)."""
    if reference.startswith("#"):
        return True
    data = embedded(reference) if is_data_uri(reference) else None
    if data is None or is_drawing(data):
        return False
    try:
        read_raster(data, max_pixels)
    except PictureRefused:
        return False
    return True


def _drawn(svg: str, side: int) -> Image.Image:
    """The drawing in a square of `side` pixels, its proportions kept."""
    made: list[bytes] = []

    def draw() -> None:
        with suppress(ValueError, OSError):  # what it says of a drawing is for programmers
            # Without the dots of an inch, drawings in points (Graphviz's) and other such units have no size.
            made.append(resvg_py.svg_to_bytes(svg_string=svg, width=side, height=side, dpi=_DPI))

    usual = threading.stack_size(_STACK)
    try:
        thread = threading.Thread(target=draw, name="rag-svg")
        thread.start()
    finally:
        threading.stack_size(usual)
    thread.join()
    if not made:
        raise PictureRefused(DAMAGED, "it can't be drawn")
    image = Image.open(io.BytesIO(made[0]), formats=("PNG",))
    return image.convert("RGBA")


def _text(root: Element) -> str:
    """All text, in the order of the file; each `text`, and each `tspan` that is placed by itself, is a line."""
    lines = (_plain(line) for line in "".join(_pieces(root)).split("\n"))
    return "\n".join(line for line in lines if line)


def _pieces(element: Element) -> Iterator[str]:
    name = _name(element)
    if name in _NOT_TEXT:
        return
    is_line = name in _BREAKS or (name == "tspan" and any(key in element.attrib for key in ("x", "y", "dy")))
    if is_line:
        yield "\n"
    yield element.text or ""
    for child in element:
        if name == "switch":
            # One alternative is shown: the first one that has text, such as HTML before plain text.
            pieces = list(_pieces(child))
            yield from pieces
            if "".join(pieces).strip():
                break
        else:
            yield from _pieces(child)
            yield child.tail or ""
    if is_line:
        yield "\n"


def _plain(text: str) -> str:
    return " ".join(text.split())
