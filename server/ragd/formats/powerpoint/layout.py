"""What a slide's shapes take from their layout and master: positions and bullets (ECMA-376 part 1, 19.3.1.36).

Text of layouts and masters is no content; only its places and styles are looked at.
"""

from __future__ import annotations

from typing import Any, Final

from pptx.opc.constants import RELATIONSHIP_TYPE as RT

from ragd.formats.common.opc import A
from ragd.formats.powerpoint.order import Box
from ragd.formats.powerpoint.text import BULLETS

P: Final = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
TITLES: Final = frozenset(("title", "ctrTitle"))
BOILERPLATE: Final = frozenset(("dt", "ftr", "hdr", "sldNum", "sldImg"))
"""Placeholders of dates, footers, headers, slide numbers and, on notes pages, the picture of the slide."""

_LEVEL: Final = 9
_MOST_EMU: Final = 12
"""Digits of a coordinate; sizes beyond 2^31 are in no presentation."""


def _placeholder(shape: Any) -> Any:
    """The `p:ph` element of a shape; None when it is no placeholder."""
    return shape.find(f"./*/{P}nvPr/{P}ph")


def kind_of(shape: Any) -> str | None:
    """The type of a placeholder, `obj` when it says none; None of a shape that is no placeholder."""
    found = _placeholder(shape)
    return None if found is None else found.get("type") or "obj"


def _box_of(shape: Any) -> Box | None:
    """Where a shape says that it stands, in the units of what it is in; None when it says nothing."""
    transform = shape.find(f"{P}xfrm")
    if transform is None:
        transform = shape.find(f"{P}spPr/{A}xfrm")
    if transform is None:
        transform = shape.find(f"{P}grpSpPr/{A}xfrm")
    offset, extent = (None, None) if transform is None else (transform.find(f"{A}off"), transform.find(f"{A}ext"))
    if offset is None or extent is None:
        return None
    values = [offset.get("x"), offset.get("y"), extent.get("cx"), extent.get("cy")]
    if not all(value and len(value) <= _MOST_EMU and value.removeprefix("-").isdecimal() for value in values):
        return None
    x, y, width, height = (float(value) for value in values)
    return Box(x, y, x + max(width, 0.0), y + max(height, 0.0))


def slide_box(presentation: Any) -> Box | None:
    """The slides of a presentation, from their upper left corner; None where it does not say, or they are beyond all reason."""
    size = None if presentation is None else presentation.find(f"{P}sldSz")
    stated = () if size is None else (size.get("cx") or "", size.get("cy") or "")
    values = [float(value) for value in stated if len(value) <= _MOST_EMU and value.isdecimal()]
    if len(values) < 2:
        return None
    width, height = values
    return Box(0.0, 0.0, width, height) if 0.1 < width / max(height, 1.0) < 10 else None


class Inheritance:
    """The layout and master of one slide. Without them nothing is inherited."""

    def __init__(self, slide_part: Any) -> None:
        layout = _related(slide_part, RT.SLIDE_LAYOUT)
        master = None if layout is None else _related(layout, RT.SLIDE_MASTER)
        self._layout = _Placeholders(layout)
        self._master = _Placeholders(master)
        styles = None if master is None else master._element.find(f"{P}txStyles/{P}bodyStyle")
        self._body_style = styles

    def box(self, shape: Any) -> Box | None:
        """Where a shape stands, by itself or as the placeholder that it fills."""
        return next((box for source in (shape, *self._sources(shape)) if (box := _box_of(source)) is not None), None)

    def bullet(self, body: Any, level: int) -> Any:
        """The bullet element for paragraphs of this level of a text body, when they have none of their own; or None."""
        shape = body.getparent()
        styles = [source.find(f"{P}txBody/{A}lstStyle") for source in self._sources(shape)]
        if (kind := kind_of(shape)) is not None and kind not in TITLES:
            styles.append(self._body_style)
        for style in (body.find(f"{A}lstStyle"), *styles):
            properties = None if style is None else style.find(f"{A}lvl{min(level + 1, _LEVEL)}pPr")
            bullet = None if properties is None else next(properties.iterchildren(*BULLETS), None)
            if bullet is not None:
                return bullet
        return None

    def _sources(self, shape: Any) -> list[Any]:
        own = _placeholder(shape)
        if own is None:
            return []
        inherited = self._layout.matching(own)
        kind = own.get("type") or (inherited is not None and kind_of(inherited)) or "obj"
        of_master = self._master.of_kind("title" if kind in TITLES else kind if kind in BOILERPLATE else "body")
        return [source for source in (inherited, of_master) if source is not None]


class _Placeholders:
    """The placeholders of a layout or master, by index and by type."""

    def __init__(self, part: Any) -> None:
        self._by_index: dict[str, Any] = {}
        self._by_kind: dict[str, Any] = {}
        tree = None if part is None else part._element.find(f"{P}cSld/{P}spTree")
        for shape in () if tree is None else tree.iterchildren(f"{P}sp", f"{P}pic", f"{P}graphicFrame"):
            if (found := _placeholder(shape)) is not None:
                self._by_index.setdefault(found.get("idx") or "0", shape)
                self._by_kind.setdefault(_family(found.get("type") or "obj"), shape)

    def matching(self, wanted: Any) -> Any:
        """The placeholder that a slide's placeholder fills: titles by their type, others by their index."""
        kind = wanted.get("type") or "obj"
        return self.of_kind(kind) if kind in TITLES else self._by_index.get(wanted.get("idx") or "0")

    def of_kind(self, kind: str) -> Any:
        return self._by_kind.get(_family(kind))


def _family(kind: str) -> str:
    return "title" if kind in TITLES else kind


def _related(part: Any, kind: str) -> Any:
    try:
        return part.part_related_by(kind)
    except (KeyError, ValueError):  # none, or several
        return None
