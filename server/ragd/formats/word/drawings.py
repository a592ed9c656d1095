"""What drawings of a Word document hold: pictures, text boxes, diagrams and charts, in DrawingML and in the older VML."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from ragd.formats.common.opc import MC, VML, VML_OFFICE, A, Element, R, alt_of
from ragd.formats.powerpoint.charts import CX, C, chart, extended_chart
from ragd.formats.powerpoint.diagrams import DGM, diagram
from ragd.formats.powerpoint.text import to_markdown
from ragd.formats.word.package import Package, W, chosen

_PIC: Final = "{http://schemas.openxmlformats.org/drawingml/2006/picture}"
_WP: Final = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"


@dataclass(frozen=True, slots=True)
class _Drawn:
    """One thing in a drawing: a `picture` (the id of its relationship, with its description; whether it `floats` beside the
    text), a `box` (the element that holds a text box's blocks, or Markdown), `text` of the line itself, or an `embedded` object.
    """

    picture: str | None = None
    alt: str = ""
    floats: bool = False
    box: Element | str | None = None
    text: str = ""
    embedded: bool = False


def drawn(drawing: Element, package: Package, part: str) -> Iterator[_Drawn]:
    """What a `w:drawing`, `w:pict` or `w:object` of `part` holds, in order. Text boxes aren't looked into."""
    floats = drawing.find(_WP + "anchor") is not None
    description = alt_of(drawing.find(f"*/{_WP}docPr"))
    stack = [drawing]
    while stack:
        element = stack.pop()
        tag = element.tag
        if tag == W + "txbxContent":
            yield _Drawn(box=element)
        elif tag == A + "blip":
            if (rel_id := element.get(R + "embed") or element.get(R + "link")) is not None:
                yield _Drawn(picture=rel_id, alt=_own_description(element) or description, floats=floats)
        elif tag == VML + "imagedata":
            if (rel_id := element.get(R + "id") or element.get(R + "pict")) is not None:
                shape = element.getparent()
                apart = "position:absolute" in (shape.get("style") or "").replace(" ", "")
                yield _Drawn(picture=rel_id, alt=shape.get("alt") or "", floats=apart)
        elif tag == VML + "textpath":
            yield _Drawn(text=element.get("string") or "")
        elif tag == VML_OFFICE + "OLEObject":
            yield _Drawn(embedded=True)
        elif tag == A + "p":  # text of a drawing without a text box of Word's
            yield _Drawn(text="".join(text.text or "" for text in element.iter(A + "t")) + "\n")
        elif tag in _MARKDOWN_OF:
            yield _Drawn(box=_referred(element, package, part))
        elif tag == MC + "AlternateContent":
            stack += chosen(element)
        else:
            stack += reversed(element)


def _own_description(blip: Element) -> str:
    """The description of one picture of a group."""
    holder = next(blip.iterancestors(_PIC + "pic"), None)
    return alt_of(None if holder is None else holder.find(f"{_PIC}nvPicPr/{_PIC}cNvPr"))


def _referred(element: Element, package: Package, part: str) -> str:
    """The Markdown of a diagram or chart. Each has a part of its own and stands once; else small files could ask for much."""
    attribute, write = _MARKDOWN_OF[element.tag]
    found = package.target(part, element.get(R + attribute))
    return write(package.parse(found)) if found and package.is_new(found) else ""


# Tag that refers to a part -> (attribute with the relationship's id, what writes that part as Markdown).
_MARKDOWN_OF: Final[dict[str, tuple[str, Callable[[Element], str]]]] = {
    DGM + "relIds": ("dm", lambda model: to_markdown(diagram(model, lambda _link: None))),
    C + "chart": ("id", lambda root: chart(root).text),
    CX + "chart": ("id", lambda root: extended_chart(root).text),
}
