"""The order in which lines of text on a page are read, by their boxes alone.

Rows from top to bottom, each from left to right; columns one after the other where a gutter parts lines that fill both of its
sides, as in running text: cells of a table do not. A line that crosses the gutter parts what is above it from what is below. A
page without a gutter may have one between two large gaps. Where most text stands in tall boxes it is vertical, from the right.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Final

from ragd.core.documents import OcrLine

_TALL: Final = 1.5
"""A box so many times as high as it is wide holds vertical text."""
_MIN_COLUMN_LINES: Final = 3
_MIN_FILL: Final = 0.6
"""Part of a column's width that the median line of running text fills; cells of a table fill less."""
_MIN_COLUMN_EMS: Final = 8.0
"""Width of the median line of a column in line heights; narrower ones are cells, labels or numbers."""
_MAX_CROSSING: Final = 0.25
"""Share of the lines that may cross a gutter."""
MAX_COLUMNS: Final = 4
_MAX_GAPS: Final = 8
"""Gaps that are looked at, the widest ones."""
_BAND_GAP: Final = 1.5
"""Blank height, in heights of a line, that parts a page into bands."""


def in_reading_order(lines: Sequence[OcrLine], width: int, height: int) -> list[OcrLine]:
    """The lines of a picture of `width` x `height` pixels as they are read."""
    sized = [(line, _scaled(line.box, width, height)) for line in lines]
    tall = sum(len(line.text) for line, box in sized if box[3] - box[1] >= _TALL * (box[2] - box[0]) and len(line.text) > 1)
    if 2 * tall > sum(len(line.text) for line in lines):
        # Turned by a quarter, columns from the right to the left are rows from the top to the bottom.
        turned = [(line, (box[1], width - box[2], box[3], width - box[0])) for line, box in sized]
        return [line for line, _ in _by_rows(turned)]
    if _gutter(sized, MAX_COLUMNS) is not None:
        return [line for line, _ in _by_columns(sized, MAX_COLUMNS)]
    return [line for band in _bands(sized) for line, _ in _by_columns(band, MAX_COLUMNS)]


Box = tuple[float, float, float, float]
_Sized = tuple[OcrLine, Box]


def _scaled(box: Box, width: int, height: int) -> Box:
    return (box[0] * width, box[1] * height, box[2] * width, box[3] * height)


def _bands(lines: list[_Sized]) -> list[list[_Sized]]:
    """The lines between large gaps, from top to bottom."""
    bands: list[list[_Sized]] = []
    usual = median(box[3] - box[1] for _, box in lines) if lines else 0.0
    bottom = 0.0
    for item in sorted(lines, key=_top):
        if not bands or item[1][1] - bottom > _BAND_GAP * usual:
            bands.append([])
            bottom = item[1][3]
        bands[-1].append(item)
        bottom = max(bottom, item[1][3])
    return bands


def _by_columns(lines: list[_Sized], columns: int) -> list[_Sized]:
    gutter = _gutter(lines, columns)
    if gutter is None:
        return _by_rows(lines)
    found: list[_Sized] = []
    band: list[_Sized] = []

    def read_band() -> None:
        left, right = _sides(band, gutter)
        if _are_columns(left, right, columns):
            found.extend(_by_rows(left) + _by_columns(right, columns - 1))
        else:
            found.extend(_by_rows(band))
        band.clear()

    for item in sorted(lines, key=_middle):
        if _crosses(item, gutter):
            read_band()
            found.append(item)
        else:
            band.append(item)
    read_band()
    return found


def _gutter(lines: list[_Sized], columns: int) -> float | None:
    """The middle of the gap that fewest lines cross (of these, the leftmost) between columns; None without one."""
    if columns < 2 or len(lines) < 2 * _MIN_COLUMN_LINES:
        return None
    least = median(box[3] - box[1] for _, box in lines) / 2
    # Going to the right, a gap lies where few lines are open, between an end and the next beginning.
    edges = sorted([(box[0], 1) for _, box in lines] + [(box[2], -1) for _, box in lines])
    gaps: list[tuple[float, int, float]] = []
    opened = 0
    for (edge, change), (following, _) in pairwise(edges):
        opened += change
        if opened <= _MAX_CROSSING * len(lines) and following - edge >= least:
            gaps.append((following - edge, opened, (edge + following) / 2))
    for _, middle in sorted((crossing, middle) for _, crossing, middle in sorted(gaps)[-_MAX_GAPS:]):
        left, right = _sides([item for item in lines if not _crosses(item, middle)], middle)
        if _are_columns(left, right, columns):
            return middle
    return None


def _are_columns(left: list[_Sized], right: list[_Sized], columns: int) -> bool:
    return _is_column(left) and (_is_column(right) or _gutter(right, columns - 1) is not None)


def _sides(lines: list[_Sized], gutter: float) -> tuple[list[_Sized], list[_Sized]]:
    left = [item for item in lines if item[1][2] <= gutter]
    return left, [item for item in lines if item[1][2] > gutter]


def _crosses(item: _Sized, gutter: float) -> bool:
    return item[1][0] < gutter < item[1][2]


def _is_column(lines: list[_Sized]) -> bool:
    if len(lines) < _MIN_COLUMN_LINES:
        return False
    whole = max(box[2] for _, box in lines) - min(box[0] for _, box in lines)
    line = median(box[2] - box[0] for _, box in lines)
    return line >= _MIN_FILL * whole and line >= _MIN_COLUMN_EMS * median(box[3] - box[1] for _, box in lines)


def _by_rows(lines: list[_Sized]) -> list[_Sized]:
    """Lines whose middles lie in one another's height are one row."""
    rows: list[list[_Sized]] = []
    for item in sorted(lines, key=_middle):
        if rows and _same_row(rows[-1], item):
            rows[-1].append(item)
        else:
            rows.append([item])
    return [item for row in rows for item in sorted(row, key=_left)]


def _same_row(row: list[_Sized], item: _Sized) -> bool:
    _, (_, top, _, bottom) = row[0]
    return _middle(item) < bottom and _middle(row[0]) > item[1][1] and _middle(item) - _middle(row[0]) < (bottom - top) / 2


def _left(item: _Sized) -> float:
    return item[1][0]


def _top(item: _Sized) -> float:
    return item[1][1]


def _middle(item: _Sized) -> float:
    return (item[1][1] + item[1][3]) / 2
