"""What a sheet is made of: blocks of cells that blank rows and columns divide, each a table, a form, or lines of text.

A table's header is found by what says so outright (an Excel table, a filter, frozen rows), by its looks (bold or filled cells
above others that aren't), by its kinds (words above figures), and at last by its words alone. Merged header cells make headers
of several rows. A block without a header that goes on below a gap of one or two rows, in the columns of the table above, is
part of that table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from ragd.formats.excel.areas import MAX_COLUMN, Area
from ragd.formats.excel.grid import Grid, GridRow
from ragd.formats.excel.merges import Cells
from ragd.formats.tables.blocks import SEPARATOR
from ragd.formats.tables.headers import NONE, STRONG, header_strength, joined_header, repeats_in_groups

_MAX_GAP: Final = 2
_MAX_PREFACE: Final = 10
_MAX_HEADER_ROWS: Final = 5
_SAMPLE: Final = 20
_MAX_PAIRS: Final = 4
_MAX_SIDE_BY_SIDE: Final = 12
_MAX_LABEL_CHARS: Final = 40


_Stated: TypeAlias = Mapping[int, list[Area]]
"""By row: areas of which the sheet says that this is the last row of their header."""


@dataclass(slots=True)
class Block:
    """Rows of a sheet that belong together: `preface`, the lines above a table; `head`, its header; and `rows`.

    `header` has a text for each of the columns, all blank when there is none. It is `strong` when more than words speak for it.
    """

    kind: Literal["table", "pairs", "lines"]
    columns: tuple[int, ...]
    rows: list[GridRow]
    preface: list[GridRow] = field(default_factory=list)
    head: list[GridRow] = field(default_factory=list)
    header: list[str] = field(default_factory=list)
    strong: bool = False

    @property
    def top(self) -> int:
        return next(part[0].number for part in (self.preface, self.head, self.rows) if part)

    @property
    def bottom(self) -> int:
        return next(part[-1].number for part in (self.rows, self.head, self.preface) if part)


def find_blocks(grid: Grid, cells: Cells, tables: Sequence[Area]) -> list[Block]:
    """The blocks of a sheet in reading order. `tables` are its Excel tables that have a header row."""
    stated: dict[int, list[Area]] = defaultdict(list)
    for area in (*tables, *grid.filters):
        stated[area.top].append(area)
    if 0 < grid.frozen_rows <= _MAX_PREFACE:
        stated[grid.frozen_rows].append(Area(grid.frozen_rows, 1, grid.frozen_rows, MAX_COLUMN))
    blocks: list[Block] = []
    for band in _bands(grid.rows, cells):
        for rows in _side_by_side(band, cells):
            block = _block(rows, cells, stated)
            if blocks and _continues(blocks[-1], block):
                blocks[-1].rows += block.head + block.rows
            else:
                blocks.append(block)
    return blocks


def _bands(rows: Sequence[GridRow], cells: Cells) -> Iterator[list[GridRow]]:
    """Rows without a blank one between them. A row that merged cells cover isn't blank."""
    band: list[GridRow] = []
    reach = 0
    for row in rows:
        if band and row.number > reach + 1:
            yield band
            band = []
        band.append(row)
        reach = max([reach, row.number, *(span.bottom for span in cells.spans(row))])
    if band:
        yield band


def _side_by_side(rows: list[GridRow], cells: Cells) -> Iterator[list[GridRow]]:
    """Blocks next to each other, where blank columns and more than these say that they are different ones."""
    areas = _occupied(rows, cells)
    if not 1 < len(areas) <= _MAX_SIDE_BY_SIDE:
        yield rows
        return
    groups = [[areas[0]]]
    for area in areas[1:]:
        left = _within(rows, groups[-1][0].left, groups[-1][-1].right)
        if _are_apart(left, _within(rows, area.left, area.right), cells):
            groups.append([area])
        else:
            groups[-1].append(area)
    for group in groups:
        part = rows if len(groups) == 1 else _within(rows, group[0].left, group[-1].right)
        yield from _bands(part, cells) if len(groups) > 1 else [part]


def _occupied(rows: Sequence[GridRow], cells: Cells) -> list[Area]:
    """The stretches of neighbouring columns that these rows use, merged cells included, as areas of their full height."""
    used = {column for columns in {row.columns for row in rows} for column in columns}
    last = max(used)
    crossed = {(span.left, min(span.right, last)) for row in rows for span in cells.spans(row)}
    areas: list[Area] = []
    for left, right in sorted(crossed | {(column, column) for column in used}):
        if areas and left <= areas[-1].right + 1:
            areas[-1] = areas[-1]._replace(right=max(areas[-1].right, right))
        else:
            areas.append(Area(rows[0].number, left, rows[-1].number, right))
    return areas


def _within(rows: Sequence[GridRow], left: int, right: int) -> list[GridRow]:
    """The rows with only those of their cells that stand in these columns; rows without any are left out."""
    found = []
    kept: dict[tuple[int, ...], list[int]] = {}
    for row in rows:
        if row.columns not in kept:
            kept[row.columns] = [index for index, column in enumerate(row.columns) if left <= column <= right]
        indexes = kept[row.columns]
        if len(indexes) == len(row.columns):
            found.append(row)
        elif indexes:
            texts = row.texts
            columns, kinds = tuple(row.columns[index] for index in indexes), "".join(row.kinds[index] for index in indexes)
            found.append(GridRow(row.number, columns, kinds, SEPARATOR.join(texts[index] for index in indexes)))
    return found


def _are_apart(left: list[GridRow], right: list[GridRow], cells: Cells) -> bool:
    """Two tables with a header each that begin or end in other rows, or have the same header; or a note beside a table."""
    if min(len(left), len(right)) <= 2:
        return max(len(left), len(right)) >= 5 and left[0].number != right[0].number
    columns = [_columns(left), _columns(right)]
    if min(map(len, columns)) < 2:
        return False
    headers = [cells.texts(rows[0], kept) for rows, kept in zip((left, right), columns, strict=True)]
    if any(_strength(rows, kept, cells) == NONE for rows, kept in zip((left, right), columns, strict=True)):
        return False
    ends = (left[0].number, left[-1].number) != (right[0].number, right[-1].number)
    return ends or headers[0] == headers[1]


def _columns(rows: Sequence[GridRow]) -> tuple[int, ...]:
    """The columns in which a cell holds something; those that merged cells merely cover are none of their own."""
    return tuple(sorted({column for columns in {row.columns for row in rows} for column in columns}))


def _strength(rows: Sequence[GridRow], columns: tuple[int, ...], cells: Cells, depth: int = 1) -> int:
    """How plainly the first `depth` rows are the header of the others."""
    kinds = [cells.kinds(row, columns) for row in rows[: depth + _SAMPLE]]
    return header_strength(kinds[:depth], cells.texts(rows[depth - 1], columns), kinds[depth:])


def _block(rows: list[GridRow], cells: Cells, stated: _Stated) -> Block:
    columns = _columns(rows)
    said = _stated_row(rows, columns, stated)
    preface = _preface(rows, columns, cells, said)
    rest = rows[preface:]
    columns = _columns(rest)
    if len(columns) == 1 and said is None:
        return Block("lines", columns, rest, preface=rows[:preface])
    depth = said - preface + 1 if said is not None else _depth(rest, columns, cells)
    strength = STRONG if said is not None else _strength(rest, columns, cells, depth)
    if strength == NONE:
        depth = 0
    if strength < STRONG and _is_form(rest, columns, cells, certain=strength == NONE):
        return Block("pairs", columns, rest, preface=rows[:preface])
    if strength == NONE and (len(rest) == 1 or 2 * sum(len(row.columns) for row in rest) < len(rest) * len(columns)):
        return Block("lines", columns, rest, preface=rows[:preface])
    header = joined_header([cells.texts(row, columns) for row in rest[:depth]], len(columns))
    return Block("table", columns, rest[depth:], rows[:preface], rest[:depth], header, strong=strength == STRONG)


def _stated_row(rows: Sequence[GridRow], columns: tuple[int, ...], stated: _Stated) -> int | None:
    """Index of the last header row, where the sheet says which it is."""
    for index, row in enumerate(rows[: _MAX_PREFACE + _MAX_HEADER_ROWS]):
        for area in stated.get(row.number, ()):
            if area.left <= columns[-1] and area.right >= columns[0] and len(row.columns) > (area.left != area.right):
                return index
    return None


def _preface(rows: Sequence[GridRow], columns: tuple[int, ...], cells: Cells, said: int | None) -> int:
    """How many rows stand above the table: titles, units, dates, which fill few of its columns."""
    if said is None:
        counts = [len(row.columns) for row in rows[: _MAX_PREFACE + 1]]
        wide = max(2, round(0.6 * len(columns)))
        table = next((index for index, count in enumerate(counts) if count >= wide), 0)
        if any(2 * count > len(columns) for count in counts[:table] if count > 1):
            return 0
    else:
        table = said
    while table and _is_group_row(rows[table - 1], rows[table], columns, cells):
        table -= 1
    return table


def _is_group_row(row: GridRow, below: GridRow, columns: tuple[int, ...], cells: Cells) -> bool:
    """Whether a row has the groups of a header of several rows: merged cells that don't run across all of the table."""
    spans = [span for span in cells.spans(row) if span.left > columns[0] or span.right < columns[-1]]
    if any(span.right > span.left or span.bottom >= below.number for span in spans):
        return True
    return len(row.columns) > 1 and repeats_in_groups(cells.texts(row, columns), cells.texts(below, columns))


def _depth(rows: Sequence[GridRow], columns: tuple[int, ...], cells: Cells) -> int:
    """Header rows by merged cells: down to where one ends, and below one that has columns under it."""
    depth = 1
    while depth < min(len(rows) - 1, _MAX_HEADER_ROWS):
        last, below = rows[depth - 1], rows[depth]
        spans = [span for span in cells.spans(last) if span.left > columns[0] or span.right < columns[-1]]
        goes_down = any(span.bottom >= below.number for span in spans)
        words = all(kind in "tT " for kind in cells.kinds(below, columns))
        groups = any(span.right > span.left for span in spans) or repeats_in_groups(
            cells.texts(last, columns), cells.texts(below, columns)
        )
        if not goes_down and not (groups and words):
            break
        depth += 1
    return depth


def _is_form(rows: Sequence[GridRow], columns: tuple[int, ...], cells: Cells, *, certain: bool) -> bool:
    """Labels and values: labels end in colons or stand out, or the values are of many kinds. Several pairs in a row are
    no table only where it is `certain` that there is no header."""
    if len(columns) % 2 or len(columns) > (_MAX_PAIRS * 2 if certain else 2) or len(columns) > 2 * len(rows):
        return False
    sample = rows[:_SAMPLE]
    kinds = [(kind[0::2], kind[1::2]) for kind in (cells.kinds(row, columns) for row in sample)]
    labels = [label for row in sample for label in cells.texts(row, columns)[0::2] if label]
    if not all(label[0] in "tT" and label.replace(" ", "").lower().strip("t") == "" for label, _ in kinds):
        return False
    if any(len(label) > _MAX_LABEL_CHARS or "\n" in label.strip() for label in labels) or len(set(labels)) < len(labels):
        return False
    if len(columns) > 2 or 2 * sum(label.endswith((":", "：")) for label in labels) >= len(labels):
        return True
    stand_out = all(label == "T" and value != "T" for label, value in kinds)
    return stand_out or len({value.lower() for _, value in kinds}) > 1


def _continues(above: Block, block: Block) -> bool:
    """Whether a block is more of the table above it. A header by words alone, below one that is plain, is a row of it."""
    return (
        above.kind == "table"
        and (block.kind == "table" or (len(block.rows) == 1 and len(block.columns) > 1))
        and bool(above.head)
        and not block.preface
        and (not block.head or (above.strong and not block.strong))
        and 0 < block.top - above.bottom <= _MAX_GAP + 1
        and set(block.columns) <= set(above.columns)
    )
