"""Words of a picture with their places, as tables, charts and windows need them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median
from typing import Final

from ragd.core.documents import OcrLine

NUMBER: Final = re.compile(
    r"^[(+\-−–±~≈<>]?\s*+(?:[$€£¥￥]\s*+)?\d[\d.,\s]*+(?:%|％|[a-zA-Zµμ°]{1,4}|億|万|千|円|元|年|月|日|時|时|分|秒|件|人|台|個|个)?\)?$"
)
_SAME_ROW: Final = 0.5


def is_label(text: str) -> bool:
    """Whether words end in a colon, as what names a field does."""
    return text.rstrip().endswith((":", "："))


def is_number(text: str) -> bool:
    """Whether a text is one number, with its sign and unit."""
    return bool(NUMBER.match(text.strip()))


def middle(line: OcrLine) -> tuple[float, float]:
    """The centre of a line, as fractions of the picture."""
    left, top, right, bottom = line.box
    return (left + right) / 2, (top + bottom) / 2


def height(words: Sequence[OcrLine]) -> float:
    """The usual height of a line, as a fraction of the picture; 0 without words."""
    return median(line.box[3] - line.box[1] for line in words) if words else 0.0


def rows_of(words: Sequence[OcrLine]) -> list[list[OcrLine]]:
    """Lines that stand side by side, from left to right; the rows from top to bottom."""
    rows: list[list[OcrLine]] = []
    for line in sorted(words, key=lambda line: middle(line)[1]):
        row = next((row for row in rows[-3:] if _side_by_side(row[0], line)), None)
        if row is None:
            rows.append([line])
        else:
            row.append(line)
    return [sorted(row, key=lambda line: line.box[0]) for row in rows]


def _side_by_side(first: OcrLine, second: OcrLine) -> bool:
    shared = min(first.box[3], second.box[3]) - max(first.box[1], second.box[1])
    return shared > _SAME_ROW * min(first.box[3] - first.box[1], second.box[3] - second.box[1])


def within(words: Sequence[OcrLine], box: tuple[float, float, float, float]) -> list[OcrLine]:
    """The lines whose centres lie in a box."""
    left, top, right, bottom = box
    return [line for line in words if left <= middle(line)[0] <= right and top <= middle(line)[1] <= bottom]
