"""Cells of a table in a picture: from its ruled grid and the words in it, or from words that stand in columns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from ragd.core.documents import OcrLine
from ragd.vision.frames import grid_of
from ragd.vision.lines import drawing_of
from ragd.vision.tables_by_words import Rows, aligned, text_of, trimmed
from ragd.vision.words import middle

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HEADED: Final = 0.6
"""Share of the columns that have a word above the grid, from which those words are their headings."""
_FILLED: Final = 0.3
"""Share of the cells of a table that hold words at least; with fewer its lines are something else's."""


def table_in(pixels: NDArray[np.uint8], words: Sequence[OcrLine]) -> Rows:
    """The cells of the table that a picture shows, row by row; empty when there is none. Pixels are red, green, blue."""
    drawing = drawing_of(pixels)
    width, tall = drawing.size
    grid = grid_of(drawing)
    ruled = _ruled(words, [at / tall for at in grid[0]], [at / width for at in grid[1]]) if grid else ()
    return ruled or aligned(words)


def _ruled(words: Sequence[OcrLine], down: Sequence[float], across: Sequence[float]) -> Rows:
    """Words by the cells that rules make. A word that reaches over a rule belongs to the cell of its middle."""
    cells: dict[tuple[int, int], list[OcrLine]] = {}
    for line in words:
        x, y = middle(line)
        row, column = _between(down, y), _between(across, x)
        if row is not None and column is not None:
            cells.setdefault((row, column), []).append(line)
    count = (len(down) - 1) * (len(across) - 1)
    if len(cells) < _FILLED * count:
        return ()
    headings = _above(words, down, across)
    rows = headings + [
        [text_of(cells.get((row, column), ())) for column in range(len(across) - 1)] for row in range(len(down) - 1)
    ]
    return trimmed(rows)


def _above(words: Sequence[OcrLine], down: Sequence[float], across: Sequence[float]) -> list[list[str]]:
    """Headings that stand above the grid instead of in it: one row of words over most of its columns."""
    reach = min(second - first for first, second in pairwise(down))
    cells: dict[int, list[OcrLine]] = {}
    for line in words:
        x, y = middle(line)
        if down[0] - reach <= y < down[0] and (column := _between(across, x)) is not None:
            cells.setdefault(column, []).append(line)
    columns = len(across) - 1
    return [[text_of(cells.get(column, ())) for column in range(columns)]] if len(cells) >= _HEADED * columns else []


def _between(edges: Sequence[float], value: float) -> int | None:
    for index, (low, high) in enumerate(pairwise(edges)):
        if low <= value <= high:
            return index
    return None
