"""A sheet's blocks and what is attached to its cells, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from ragd.core.documents import Picture, Place
from ragd.formats.common.naming import MAX_LINE_AS_TITLE
from ragd.formats.excel.areas import Area
from ragd.formats.excel.drawings import Attached
from ragd.formats.excel.grid import GridRow
from ragd.formats.excel.layout import Block
from ragd.formats.excel.merges import Cells
from ragd.formats.tables.blocks import TableContent, TableRow, cell_text
from ragd.formats.tables.merged import header_cells, merged_cells

_MAX_GAP: Final = 3
"""Rows from a title down to its table, of which two may be blank."""
_MAX_LINES: Final = 5
_NOTE_SIGNS: Final = ("※", "*", "＊", "(", "（", "注", "出典", "Note", "Source")
_MOST_NAMES: Final = 10
_SENTENCE_ENDS: Final = ("。", ".", "．", "、", ",", ";", ":", "：")


def write_sheet(
    out: TableContent, name: str, cells: Cells, blocks: Sequence[Block], attached: Iterable[Attached]
) -> list[Picture]:
    """Write a sheet under a heading with its name, in reading order; what is attached to cells follows their block.

    The title of a table is a heading below that of the sheet when all tables of the sheet have one; otherwise what follows
    the next table would seem to belong to it. Returns the pictures.
    """
    out.heading(name, 1, Place(sheet=name))
    writer = _Writer(out, name, cells)
    titles = _titles(blocks, cells)
    waiting = sorted(attached, key=lambda item: (item.row, item.column))
    at = 0
    for block in blocks:
        after = at
        while after < len(waiting) and waiting[after].row < block.top:
            after += 1
        writer.attached(waiting[at:after])
        at = after
        writer.block(block, titles)
    writer.attached(waiting[at:])
    return [item.picture for item in waiting if item.picture]


def sheets_left_out(names_by_kind: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """A warning for each kind of sheets that were left out."""
    for kind, names in names_by_kind.items():
        more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        which = "hidden" if kind == "hidden" else f"of the kind '{kind}'"
        yield f"sheets left out, {which}: {len(names)} ({', '.join(names[:_MOST_NAMES])}{more})"


class _Writer:
    def __init__(self, out: TableContent, sheet: str, cells: Cells) -> None:
        self._out = out
        self._sheet = sheet
        self._cells = cells

    def block(self, block: Block, titles: set[int]) -> None:
        self._lines(block.preface, titles)
        if block.kind == "lines":
            self._lines(block.rows, titles)
        elif block.kind == "pairs":
            self._out.pairs(self._pairs(block))
        else:
            left, right = block.columns[0], block.columns[-1]
            numbers, heads = ([row.number for row in rows] for rows in (block.rows, block.head))
            spans = [self._cells.shown(row, block.columns, heads) for row in block.head]
            texts = [list(map(cell_text, self._cells.texts(row, block.columns))) for row in block.head]
            self._out.table(
                block.header,
                (self._row(row, block.columns, numbers) for row in block.rows),
                lambda first, last: Place(sheet=self._sheet, cell_range=str(Area(first, left, last, right))),
                (heads[0], heads[-1]) if heads else None,
                header_cells(texts, spans) or [cell for row in spans for cell in merged_cells(0, row)],
            )

    def _row(self, row: GridRow, columns: tuple[int, ...], numbers: Sequence[int]) -> TableRow:
        return TableRow(self._cells.texts(row, columns), row.number, row.number, self._cells.shown(row, columns, numbers))

    def _pairs(self, block: Block) -> Iterator[tuple[str, str, Place]]:
        for row in block.rows:
            texts = self._cells.texts(row, block.columns)
            for index in range(0, len(texts), 2):
                if texts[index] or texts[index + 1]:
                    area = Area(row.number, block.columns[index], row.number, block.columns[index + 1])
                    yield texts[index], texts[index + 1], Place(sheet=self._sheet, cell_range=str(area))

    def attached(self, items: Sequence[Attached]) -> None:
        """Comments below each other are one list; everything else is a paragraph of its own."""
        comments: list[tuple[str, Place]] = []
        for item in items:
            if item.text.startswith("- "):
                comments.append((item.text, item.place(self._sheet)))
                continue
            self._out.block(comments)
            comments = []
            self._out.block([(item.text, item.place(self._sheet))])
        self._out.block(comments)

    def _lines(self, rows: Sequence[GridRow], titles: set[int]) -> None:
        lines: list[tuple[str, Place]] = []
        for row in rows:
            text = _line(self._cells.texts(row, row.columns))
            if row.number in titles and text != self._sheet:
                self._out.block(lines)
                lines = []
                self._out.heading(text, 2, self._place(row))
            else:
                lines.append((text, self._place(row)))
        self._out.block(lines)

    def _place(self, row: GridRow) -> Place:
        area = Area(row.number, row.columns[0], row.number, row.columns[-1])
        return Place(sheet=self._sheet, cell_range=str(area))


def _titles(blocks: Sequence[Block], cells: Cells) -> set[int]:
    """Rows of the tables' titles; empty when a table has none."""
    found: set[int] = set()
    above: Block | None = None
    for block in blocks:
        if block.kind == "table":
            row = None
            if block.preface:
                row = block.preface[0]
            elif above and above.kind == "lines" and len(above.rows) <= _MAX_LINES and block.top - above.bottom <= _MAX_GAP:
                row = above.rows[0]
            if row is None or not _is_title(row, cells):
                return set()
            found.add(row.number)
        above = block
    return found


def _is_title(row: GridRow, cells: Cells) -> bool:
    text = cells.texts(row, row.columns)[0]
    return (
        len(row.columns) == 1
        and row.kinds in "tT"
        and "\n" not in text
        and len(text) <= MAX_LINE_AS_TITLE
        and not text.endswith(_SENTENCE_ENDS)
        and not text.startswith(_NOTE_SIGNS)
    )


def _line(texts: Sequence[str]) -> str:
    """The cells of a row that is no table's: a label with its value, or all of them in a row."""
    shown = ["\n".join(line.strip() for line in text.splitlines() if line.strip()) for text in texts]
    first, rest = shown[0], ", ".join(text for text in shown[1:] if text)
    return f"{first} {rest}" if first.endswith((":", "：")) else ", ".join(part for part in (first, rest) if part)
