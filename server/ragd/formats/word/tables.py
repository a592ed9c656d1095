"""The blocks of a Word document in reading order, whatever they are wrapped in, and the grids of its tables.

What cells merged over rows say is said in each of them, so that every row can be read alone, and headers over several columns
in each of those. Several header rows become one, their texts joined for each column. Rows of one cell over the whole width
before the header are captions. A cell's text may have several lines; a small table in a cell becomes such lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from ragd.core.documents import MergedCell
from ragd.formats.common.opc import MC, Element
from ragd.formats.tables.blocks import cell_text
from ragd.formats.tables.merged import Span, header_cells, merged_cells, moved
from ragd.formats.word.content import Pages
from ragd.formats.word.package import W, child_value, chosen, is_prompt, toggled, whole

MAX_COLUMNS: Final = 64
"""Word's own limit is 63. Spans are cut there, so that a number in a file can't ask for memory."""
_MAX_HEADER_ROWS: Final = 4
_MAX_HEADER: Final = 1_000
"""Characters of a first row from which it is text and no header."""
_MAX_CELL_WITH_TABLE: Final = 500
"""Characters up to which a table in a cell, with what else is there, is put into lines of the cell."""
_MIN_FORM_ROWS: Final = 4
_TRANSPARENT: Final = frozenset(W + tag for tag in ("sdtContent", "customXml", "ins", "moveTo", "smartTag"))

ReadCell: TypeAlias = Callable[[Element, bool], str]
"""Gives a cell's text, for a header without emphasis. Called once for each cell, in order."""
_BLOCKS: Final = (W + "p", W + "altChunk")
_CONTENTS: Final = "Table of Contents"


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows with the page on which each begins. Captions come before the header, which is empty when the table has no rows.

    `spans` says for each of the rows what is merged in it, `header_cells` for the header, with starts of 0.
    """

    captions: tuple[tuple[str, int], ...]
    header: tuple[Sequence[str], int]
    rows: tuple[tuple[Sequence[str], int], ...]
    spans: tuple[Sequence[Span], ...] = ()
    header_cells: Sequence[MergedCell] = ()


@dataclass(frozen=True, slots=True)
class _Cell:
    element: Element
    column: int
    span: int
    restarted: bool
    continued: bool


@dataclass(slots=True)
class _Row:
    header: bool
    width: int = 0
    cells: list[_Cell] = field(default_factory=list)


def _framed_cells(table: Element) -> list[Element] | None:
    """The cells, in order, of a table that only places text on the page; None for a table of data.

    Such are tables of one column, with a whole text as their first row, with much text beside or in tables inside, and forms,
    whose rows are all divided differently.
    """
    rows = [_row(element) for element in _inner(table, W + "tr") if not _is_deleted(element)]
    cells = [cell.element for row in rows for cell in row.cells]
    if all(len(row.cells) < 2 for row in rows):
        return cells
    first = sum(_length(cell.element) for cell in rows[0].cells)
    nested = any(next(cell.iter(W + "tbl"), None) is not None and _length(cell) > _MAX_CELL_WITH_TABLE for cell in cells)
    return cells if first > _MAX_HEADER or nested or _is_irregular(rows) else None


def read_grid(table: Element, read_cell: ReadCell, pages: Pages, repeat: Callable[[str], str]) -> Grid:
    """`repeat` gives what of a merged cell's text is said again."""
    rows = [_row(element) for element in _inner(table, W + "tr") if not _is_deleted(element)]
    width = min(max((row.width for row in rows), default=0), MAX_COLUMNS)
    captions: list[tuple[str, int]] = []
    while len(rows) > len(captions) + 1 and _is_caption(rows[len(captions)], width):
        start = pages.now
        captions.append((read_cell(rows[len(captions)].cells[0].element, False), start))
    rows = rows[len(captions) :]
    merged: dict[int, str] = {}
    shown: list[tuple[Sequence[str], int]] = []
    shown_rows: list[_Row] = []
    heads = header_rows = _header_rows(rows)
    for row in rows[:header_rows]:
        row.header = True
    for number, row in enumerate(rows):
        start = pages.now
        texts = _texts(row, _on_the_same_page(row, read_cell, pages), merged, repeat, width)
        if any(texts):
            shown.append((texts, start))
            shown_rows.append(row)
        elif number < header_rows:
            heads -= 1
    if not shown:
        return Grid(tuple(captions), ((), pages.now), ())
    heads = min(max(heads, 1), len(shown))
    # Columns without any text are there for the looks.
    used = [column for column in range(width) if any(texts[column] for texts, _ in shown)]
    shown = [([texts[column] for column in used], start) for texts, start in shown]
    columns = zip(*(texts for texts, _ in shown[:heads]), strict=True)
    names = tuple(" / ".join(dict.fromkeys(filter(None, column))) for column in columns)
    spans = [moved(row, used) for row in _spans(shown_rows)]
    header = header_cells([[cell_text(text) for text in texts] for texts, _ in shown[:heads]], spans)
    header = header or list(merged_cells(0, spans[0]))
    return Grid(tuple(captions), (names, shown[0][1]), tuple(shown[heads:]), tuple(spans[heads:]), header)


def _spans(rows: Sequence[_Row]) -> list[list[Span]]:
    """What is merged in each of the rows: a cell goes on below where the next row has one in the same columns that says so."""
    found: list[list[Span]] = []
    below: dict[tuple[int, int], int] = {}
    for row in reversed(rows):
        spans = [Span(cell.column, 1 + below.get((cell.column, cell.span), 0), cell.span) for cell in row.cells]
        below = {(cell.column, cell.span): span.rows for cell, span in zip(row.cells, spans, strict=True) if cell.continued}
        found.append(
            [span for cell, span in zip(row.cells, spans, strict=True) if cell.restarted or cell.continued or cell.span > 1]
        )
    return found[::-1]


def flat_rows(table: Element, read_cell: ReadCell, pages: Pages) -> Iterator[str]:
    """The rows of a table in a cell: the texts of their cells, set off by slashes."""
    for element in _inner(table, W + "tr"):
        if not _is_deleted(element):
            texts = [" ".join(text.split("\n")) for text in _on_the_same_page(_row(element), read_cell, pages)]
            if line := " / ".join(text for text in texts if text):
                yield line


def _is_deleted(row: Element) -> bool:
    return row.find(f"{W}trPr/{W}del") is not None


def _length(cell: Element) -> int:
    return sum(len(text.text or "") for text in cell.iter(W + "t"))


def _is_irregular(rows: list[_Row]) -> bool:
    """Whether most rows are divided differently from the others, those of one cell aside."""
    divided = Counter(tuple((cell.column, cell.span) for cell in row.cells) for row in rows if len(row.cells) > 1)
    return divided.total() >= _MIN_FORM_ROWS and max(divided.values()) * 2 < divided.total()


def _row(element: Element) -> _Row:
    properties = element.find(W + "trPr")
    row = _Row(bool(toggled(properties, "tblHeader")), _bounded(child_value(properties, "gridBefore"), 0))
    for cell in _inner(element, W + "tc"):
        stated = cell.find(W + "tcPr")
        span = _bounded(child_value(stated, "gridSpan"), 1)
        merge = None if stated is None else stated.find(W + "vMerge")
        restarted = merge is not None and merge.get(W + "val") == "restart"
        if stated is None or stated.find(W + "cellDel") is None:
            row.cells.append(_Cell(cell, row.width, span, restarted, merge is not None and not restarted))
        row.width += span
    return row


def _inner(parent: Element, tag: str) -> Iterator[Element]:
    """Rows or cells, which may stand in content controls and the like."""
    stack = list(reversed(parent))
    while stack:
        element = stack.pop()
        if element.tag == tag:
            yield element
        elif element.tag in _TRANSPARENT or element.tag == W + "sdt":
            stack += reversed(element)
        elif element.tag == MC + "AlternateContent":
            stack += chosen(element)


def _bounded(value: str | None, least: int) -> int:
    return min(max(whole(value) or least, least), MAX_COLUMNS)


def _is_caption(row: _Row, width: int) -> bool:
    return not row.header and len(row.cells) == 1 and width > 1 and row.width >= width


def _header_rows(rows: list[_Row]) -> int:
    """How many rows make the header: those that say so, else the first and, where cells of it are merged both over columns and
    over rows, as many as they are merged over."""
    stated = 0
    while stated < min(len(rows), _MAX_HEADER_ROWS) and rows[stated].header:
        stated += 1
    if stated or not rows:
        return stated
    if not (any(cell.span > 1 for cell in rows[0].cells) and any(cell.restarted for cell in rows[0].cells)):
        return 1
    depth = 1
    while depth < min(len(rows) - 1, _MAX_HEADER_ROWS) and any(cell.continued for cell in rows[depth].cells):
        depth += 1
    return depth


def _on_the_same_page(row: _Row, read_cell: ReadCell, pages: Pages) -> list[str]:
    """The texts of a row's cells. They begin on one page; the row ends where the longest of them does."""
    start = furthest = pages.now
    found = []
    for cell in row.cells:
        pages.now = start
        found.append(read_cell(cell.element, row.header))
        furthest = max(furthest, pages.now)
    pages.now = furthest
    return found


def _texts(row: _Row, found: list[str], merged: dict[int, str], repeat: Callable[[str], str], width: int) -> list[str]:
    """A text for each column. `merged` holds, by its column, what cells that go on below show."""
    texts: list[list[str]] = [[] for _ in range(width)]
    for cell, own in zip(row.cells, found, strict=True):
        text = own
        if cell.continued:
            text = text or repeat(merged.get(cell.column, ""))
        else:
            merged[cell.column] = text if cell.restarted else ""
        column = min(cell.column, width - 1)  # what lies beyond the columns that count is put into the last
        texts[column].append(text)
        if row.header and cell.span < width:
            for spanned in range(column + 1, min(column + cell.span, width)):
                texts[spanned].append(repeat(text))
    return [" ".join(parts) for parts in texts]


def blocks_of(container: Element, leave_contents: Callable[[Element], None]) -> Iterator[Element]:
    """Paragraphs, tables of data and imported documents. What a table only places on the page counts as outside of it.

    Tables of contents that the editor made are left out; `leave_contents` is called with each. Works without recursion.
    """
    stack = list(reversed(container))
    while stack:
        element = stack.pop()
        tag = element.tag
        if tag in _BLOCKS:
            yield element
        elif tag == W + "tbl":
            cells = _framed_cells(element)
            if cells is None:
                yield element
            else:
                stack += [block for cell in reversed(cells) for block in reversed(cell)]
        elif tag in _TRANSPARENT:
            stack += reversed(element)
        elif tag == W + "sdt":
            stack += _controlled(element, leave_contents)
        elif tag == MC + "AlternateContent":
            stack += chosen(element)


def _controlled(control: Element, leave_contents: Callable[[Element], None]) -> list[Element]:
    """What a content control holds that is to be read."""
    properties = control.find(W + "sdtPr")
    content = control.find(W + "sdtContent")
    if properties is None or content is None:
        return [] if content is None else [content]
    if child_value(properties.find(W + "docPartObj"), "docPartGallery") == _CONTENTS:
        leave_contents(content)
        return []
    return [] if is_prompt(properties, content) else [content]
