"""What stands in a graphic frame of a slide: a table, a chart, SmartArt, an embedded object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ragd.core.documents import MergedCell
from ragd.formats.common.opc import VML, VML_OFFICE, A, R, alt_of
from ragd.formats.powerpoint.charts import CX, C, chart, extended_chart
from ragd.formats.powerpoint.diagrams import DGM, DSP, diagram, drawn_diagram
from ragd.formats.powerpoint.layout import P
from ragd.formats.powerpoint.parts import PartReader, related_parts, root_of
from ragd.formats.powerpoint.text import branches, paragraphs, to_markdown
from ragd.formats.tables.merged import Span
from ragd.formats.tables.pipes import merged_table

_CHART: Final = f"{C}chart"
_EXTENDED_CHART: Final = f"{CX}chart"
_DIAGRAM: Final = f"{DGM}relIds"
_TABLE: Final = f"{A}tbl"
_OBJECT: Final = f"{P}oleObj"
_KINDS: Final = frozenset((_CHART, _EXTENDED_CHART, _DIAGRAM, _TABLE, _OBJECT))
_LONGEST_NAME: Final = 60
_SPAN_DIGITS: Final = 5
"""Of the rows or columns that a cell extends over: a longer number is damage."""
_LONGEST_REPEATED: Final = 200
"""Characters of a merged cell that are said again in the rows and columns that it spans; longer texts are said once."""


def is_readable(frame: Any) -> bool:
    """Whether a graphic frame holds something that can be read."""
    return _content(frame) is not None


def graphic(frame: Any, reader: PartReader) -> tuple[str, list[MergedCell]]:
    """The Markdown of a graphic frame, with what its author wrote as its alternative text; of a table, what is merged in it."""
    content = _content(frame)
    if content is not None and content.tag == _TABLE:
        return _table(content, lambda body: to_markdown(paragraphs(body, reader.link)))
    return _untabled(frame, content, reader), []


def _untabled(frame: Any, content: Any, reader: PartReader) -> str:
    alt = alt_of(frame.find(f"./*/{P}cNvPr"))
    if content is None:
        reader.miss("an object of an unknown kind was left out")
        return alt
    if content.tag == _OBJECT:
        name = content.get("progId") or content.get("name") or "of an unknown kind"
        text = _object_picture(frame, content, alt, reader)
        reader.miss(f"an embedded object ({name[:_LONGEST_NAME]}) was left out{', but for its picture' if text else ''}")
        return text or alt
    text = _diagram(content, reader) if content.tag == _DIAGRAM else _chart(content, reader)
    return "\n\n".join(part for part in (text, alt) if part)


def _content(frame: Any) -> Any:
    data = frame.find(f"{A}graphic/{A}graphicData")
    nodes = () if data is None else branches(data, lambda node: node.tag in _KINDS)
    return next((node for node in nodes if node.tag in _KINDS), None)


def _table(table: Any, text_of: Callable[[Any], str]) -> tuple[str, list[MergedCell]]:
    """A table (an `a:tbl` element) and what is merged in it. What merged cells say is said in each row and column that they
    span, so that every row can be read alone; only a cell as wide as the table says it once. `text_of` gives the Markdown of a
    cell's text body."""
    rows: list[list[str]] = []
    spans: list[list[Span]] = []
    for row in table.iterchildren(f"{A}tr"):
        cells: list[str] = []
        elements = list(row.iterchildren(f"{A}tc"))
        whole = len(elements) > 1 and (elements[0].get("gridSpan") or "1") == str(len(elements))
        for column, cell in enumerate(elements):
            if _is_true(cell.get("vMerge")) and rows:
                above = rows[-1]
                cells.append(_again(above[column]) if column < len(above) else "")
            elif _is_true(cell.get("hMerge")) and cells:
                cells.append("" if whole else _again(cells[-1]))
            else:
                body = cell.find(f"{A}txBody")
                cells.append("" if body is None else text_of(body))
        rows.append(cells)
        begun = {column: _span(cell) for column, cell in enumerate(elements)}
        reached = [span._replace(rows=span.rows - 1) for span in (spans[-1] if spans else ()) if span.rows > 1]
        spans.append(
            [Span(column, *span) for column, span in begun.items() if span != (1, 1) and not _is_covered(elements[column])]
            + [span for span in reached if span.column < len(elements) and _is_true(elements[span.column].get("vMerge"))]
        )
    return merged_table(rows, spans)


def _span(cell: Any) -> tuple[int, int]:
    """Over how many rows and columns a cell extends."""
    return _number(cell.get("rowSpan")), _number(cell.get("gridSpan"))


def _number(value: str | None) -> int:
    return max(int(value), 1) if value and value.isdecimal() and len(value) < _SPAN_DIGITS else 1


def _is_covered(cell: Any) -> bool:
    return _is_true(cell.get("vMerge")) or _is_true(cell.get("hMerge"))


def _again(text: str) -> str:
    return text if len(text) <= _LONGEST_REPEATED else ""


def _is_true(value: str | None) -> bool:
    return value in ("1", "true")


def _object_picture(frame: Any, content: Any, alt: str, reader: PartReader) -> str:
    """How an embedded object looks. PowerPoint 2007 keeps that in a drawing of its own (VML), by the number of a shape."""
    if blips := list(frame.iter(f"{A}blip")):
        return reader.picture(blips, alt)
    for drawing in related_parts(reader.part, "/vmlDrawing"):
        root = root_of(drawing)
        for shape in () if root is None else root.iter(f"{VML}shape"):
            if content.get("spid") in (shape.get("id"), shape.get(f"{VML_OFFICE}spid")):
                keys = [image.get(f"{VML_OFFICE}relid") for image in shape.iter(f"{VML}imagedata")]
                return next((text for key in keys if (text := reader.of(drawing).picture_of(key, alt)) is not None), "")
    return ""


def _chart(content: Any, reader: PartReader) -> str:
    part = reader.related(content.get(f"{R}id"))
    root = None if part is None else root_of(part)
    if part is None or root is None:
        reader.miss("a chart is missing or damaged in the file")
        return ""
    read = extended_chart(root) if content.tag == _EXTENDED_CHART else chart(root)
    if read.cut:
        reader.miss("a chart has more points than are read")
    drawn = [root for part in related_parts(part, "/chartUserShapes") if (root := root_of(part)) is not None]
    lines = ("".join(text.text or "" for text in line.iter(f"{A}t")).strip() for root in drawn for line in root.iter(f"{A}p"))
    return "\n\n".join([read.text, *(line for line in lines if line)])


def _diagram(content: Any, reader: PartReader) -> str:
    part = reader.related(content.get(f"{R}dm"))
    model = None if part is None else root_of(part)
    if part is None or model is None:
        reader.miss("a diagram (SmartArt) is missing or damaged in the file")
        return ""
    own = reader.of(part)
    found = diagram(model, own.link)
    if not found:
        kept = next(model.iter(f"{DSP}dataModelExt"), None)
        drawing = None if kept is None else reader.related(kept.get("relId"))
        root = None if drawing is None else root_of(drawing)
        found = [] if root is None else drawn_diagram(root, reader.of(drawing).link)
    pictures = [reference for blip in model.iter(f"{A}blip") if (reference := own.picture([blip], ""))]
    if not found and not pictures:
        reader.miss("a diagram (SmartArt) without text was left out")
    return "\n\n".join(text for text in (to_markdown(found), *pictures) if text)
