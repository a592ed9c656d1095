"""SmartArt: the texts of a diagram in its own order and nesting (ECMA-376 part 1, 21.4), or as PowerPoint drew them."""

from __future__ import annotations

from typing import Any, Final

from ragd.formats.powerpoint.text import LinkOf, Paragraph, one_line, paragraphs

DGM: Final = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
DSP: Final = "{http://schemas.microsoft.com/office/drawing/2008/diagram}"
_DEEPEST: Final = 8


def diagram(model: Any, link_of: LinkOf) -> list[Paragraph]:
    """A data part (`dgm:dataModel`) as list items: its points from the root down, those that hang on nothing at the end."""
    points = {point.get("modelId"): point for point in model.iterfind(f"{DGM}ptLst/{DGM}pt")}
    children: dict[str | None, list[tuple[int, str | None]]] = {}
    for link in model.iterfind(f"{DGM}cxnLst/{DGM}cxn"):
        if (link.get("type") or "parOf") == "parOf":
            order = link.get("srcOrd") or ""
            children.setdefault(link.get("srcId"), []).append(
                (int(order) if order.isdecimal() and len(order) < 10 else 0, link.get("destId"))
            )
    roots = [key for key, point in points.items() if point.get("type") == "doc"]
    pending = [(key, -1) for key in [*roots, *(key for key in points if key not in roots)]][::-1]
    found: list[Paragraph] = []
    seen: set[str | None] = set()
    while pending:
        key, level = pending.pop()
        if key in seen or key not in points:
            continue
        seen.add(key)
        if (body := points[key].find(f"{DGM}t")) is not None:
            depth = min(max(level, 0), _DEEPEST)
            found.extend(_items(body, depth, link_of))
        linked = sorted(children.get(key, []), key=lambda child: child[0], reverse=True)
        pending.extend((child, level + 1) for _, child in linked)
    return found


def drawn_diagram(drawing: Any, link_of: LinkOf) -> list[Paragraph]:
    """The drawing part (`dsp:drawing`) that PowerPoint keeps beside the data: its texts in drawing order."""
    bodies = (body for shape in drawing.iter(f"{DSP}sp") for body in shape.iterchildren(f"{DSP}txBody"))
    return [item for body in bodies for item in _items(body, 0, link_of)]


def _items(body: Any, level: int, link_of: LinkOf) -> list[Paragraph]:
    """The text of one box of a diagram as a list item: its paragraphs are mostly lines that were broken to fit."""
    found = paragraphs(body, link_of)
    text, plain = one_line(found)
    return [Paragraph(text, plain, level, bullet=True)] if plain else []
