"""Tables as pipe tables (GitHub Flavored Markdown)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from ragd.formats.powerpoint.text import A
from ragd.formats.tables.blocks import PART_TOKENS, cell_text, estimated_tokens

_LONGEST_REPEATED: Final = 200
"""Characters of a merged cell that are said again in the rows and columns that it spans; longer texts are said once."""

_BLANK_LINES: Final = re.compile(r"\n\s*\n")


def pipe_table(rows: Sequence[Sequence[str]]) -> str:
    """GFM of rows of cells, the first row as the header. Blank rows are left out.

    A table that is too long for one chunk is written in parts, each a paragraph with the header of its own.
    """
    filled = [[_BLANK_LINES.sub("\n", cell.strip()) for cell in row] for row in rows if any(cell.strip() for cell in row)]
    if not filled:
        return ""
    width = max(len(row) for row in filled)
    header, *body = [f"| {' | '.join(map(cell_text, row + [''] * (width - len(row))))} |" for row in filled]
    head = f"{header}\n|{' --- |' * width}"
    room = PART_TOKENS - estimated_tokens(head)
    parts: list[list[str]] = [[head]]
    tokens = 0
    for line in body:
        cost = estimated_tokens(line)
        if tokens and tokens + cost > room > PART_TOKENS // 2:  # else the header would fill the parts
            parts.append([head])
            tokens = 0
        parts[-1].append(line)
        tokens += cost
    return "\n\n".join("\n".join(part) for part in parts)


def slide_table(table: Any, text_of: Callable[[Any], str]) -> str:
    """A table (an `a:tbl` element). What merged cells say is said in each row and column that they span, so that every row can
    be read alone; only a cell as wide as the table says it once. `text_of` gives the Markdown of a cell's text body."""
    rows: list[list[str]] = []
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
    return pipe_table(rows)


def _again(text: str) -> str:
    return text if len(text) <= _LONGEST_REPEATED else ""


def _is_true(value: str | None) -> bool:
    return value in ("1", "true")
