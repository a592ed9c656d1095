"""Pipe tables (GitHub Flavored Markdown), and the cells that extend over several rows or columns of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from ragd.core.documents import MergedCell
from ragd.formats.tables.blocks import PART_TOKENS, cell_text, estimated_tokens
from ragd.formats.tables.merged import Span, merged_cells, shown

_MAX_REPEATED: Final = 200
"""Characters of a cell over several rows that is repeated in each."""
_BLANK_LINES: Final = re.compile(r"\n\s*\n")

Reach: TypeAlias = dict[int, tuple[int, str]]
"""What reaches down from a row, by column: the number of rows that are left, and the text."""


def pipe_lines(rows: Iterable[Iterable[str]]) -> list[str]:
    """The lines of a table whose cells are escaped already. The first row is the header, with the rule below it."""
    lines: list[str] = []
    for row in rows:
        cells = list(row)
        lines.append(f"| {' | '.join(cells)} |" + ("" if lines else "\n|" + " --- |" * len(cells)))
    return lines


def pipe_table(rows: Sequence[Sequence[str]]) -> str:
    """As `merged_table`, of cells of which none is merged."""
    return merged_table(rows, [()] * len(rows))[0]


def merged_table(rows: Sequence[Sequence[str]], spans: Sequence[Sequence[Span]]) -> tuple[str, list[MergedCell]]:
    """A table of cells that are not escaped, without its blank rows, and the cells of it that are merged, of which `spans` has
    those of each row.

    One that is too long for one chunk is written in parts, each a paragraph with the header of its own.
    """
    numbers = [number for number, row in enumerate(rows) if any(cell.strip() for cell in row)]
    filled = [[_BLANK_LINES.sub("\n", cell.strip()) for cell in rows[number]] for number in numbers]
    if not filled:
        return "", []
    reached = shown({number: spans[number] for number in numbers}, range(max(len(row) for row in rows)))
    width = max(len(row) for row in filled)
    head, *body = pipe_lines(map(cell_text, row + [""] * (width - len(row))) for row in filled)
    room = PART_TOKENS - estimated_tokens(head)
    parts: list[list[str]] = [[head]]
    merged = list(merged_cells(0, reached[0]))
    start = len(head) + 1
    tokens = 0
    for line, own in zip(body, reached[1:], strict=True):
        cost = estimated_tokens(line)
        if tokens and tokens + cost > room > PART_TOKENS // 2:  # else the header would fill the parts
            parts.append([head])
            merged += merged_cells(start + 1, reached[0])
            start += 1 + len(head) + 1
            tokens = 0
        parts[-1].append(line)
        merged += merged_cells(start, own)
        start += len(line) + 1
        tokens += cost
    return "\n\n".join("\n".join(part) for part in parts), merged


def spread(cells: Iterable[tuple[str, str, int, int]], above: Reach, most: int = 1 << 30) -> tuple[dict[int, str], Reach]:
    """The texts of a row by column, where cells of the rows above reach into it; and what reaches down from it.

    A cell is its text, what it says in its further columns, and over how many rows and columns it extends. One over several rows
    is repeated in each, so that every row can be read alone. Beyond `most` columns, texts are put into the last.
    """
    texts = {column: text for column, (_, text) in above.items()}
    below = {column: (left - 1, text) for column, (left, text) in above.items() if left > 1}
    rest: list[str] = []
    column = 0
    for text, again, rows, columns in cells:
        while column in above:
            column += 1
        if column >= most:
            rest.append(text)
            continue
        for index in range(column, min(column + columns, most)):
            texts[index] = text if index == column else again
            if rows > 1:
                below[index] = (rows - 1, texts[index] if len(texts[index]) <= _MAX_REPEATED else "")
        column += columns
    if rest:
        texts[most - 1] = " ".join([texts.get(most - 1, ""), *rest]).strip()
    return texts, below
