"""Tables of a PDF page that are drawn with lines. What is no table for certain stays text.

Level and upright rules that meet make a net; each field of the net is a cell, and fields without a line between them are one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Final

import numpy as np

from ragd.formats.pdf.layout.columns import Row, pitch_of, rows_of
from ragd.formats.pdf.layout.joins import join_lines, row_text
from ragd.formats.pdf.page.page import Box, Grid, Rule, Segment

_NEAR: Final = 2.5
"""Points within which two lines meet, or are one."""
_MAX_RULES: Final = 1_000
_MAX_FRAME_LINES: Final = 12
_LIST_STEP: Final = 1.4
_LONG_LINE: Final = 8.0
_MIN_FILLED: Final = 0.35


def ruled_tables(rules: Sequence[Rule], segments: Sequence[Segment]) -> tuple[list[Grid], list[Segment]]:
    """Tables that are drawn with lines, all in reading space, and the segments that are in none of them."""
    level = _merged([rule for rule in rules if not rule.upright])
    upright = _merged([rule for rule in rules if rule.upright])
    grids: list[Grid] = []
    rest = list(segments)
    for across, down in _nets(level, upright):
        xs = _positions([rule.at for rule in down], [rule.start for rule in across], [rule.end for rule in across])
        ys = _positions([rule.at for rule in across], [rule.start for rule in down], [rule.end for rule in down])
        if len(xs) < 3 or len(ys) < 2:
            continue
        inside = [segment for segment in rest if _within(segment, xs, ys)]
        if inside and (grid := _grid(xs, ys, across, down, inside)):
            grids.append(grid)
            taken = set(map(id, inside))
            rest = [segment for segment in rest if id(segment) not in taken]
    return grids, rest


def _merged(rules: Sequence[Rule]) -> list[Rule]:
    """Rules on one line that meet or overlap, as one."""
    lines: list[list[Rule]] = []
    for rule in sorted(rules, key=lambda rule: rule.at):
        if lines and rule.at - lines[-1][0].at <= _NEAR / 2:
            lines[-1].append(rule)
        else:
            lines.append([rule])
    found: list[Rule] = []
    for line in lines:
        begin = len(found)
        for rule in sorted(line, key=lambda rule: rule.start):
            if len(found) > begin and rule.start <= found[-1].end + _NEAR:
                found[-1] = Rule(rule.upright, line[0].at, found[-1].start, max(found[-1].end, rule.end))
            else:
                found.append(rule)
    return found


def _nets(level: Sequence[Rule], upright: Sequence[Rule]) -> list[tuple[list[Rule], list[Rule]]]:
    """Level and upright rules that hang together."""
    if not level or not upright or max(len(level), len(upright)) > _MAX_RULES:
        return []
    h = np.array([(rule.at, rule.start, rule.end) for rule in level])
    v = np.array([(rule.at, rule.start, rule.end) for rule in upright])
    meet = (
        (v[None, :, 0] >= h[:, None, 1] - _NEAR)
        & (v[None, :, 0] <= h[:, None, 2] + _NEAR)
        & (h[:, None, 0] >= v[None, :, 1] - _NEAR)
        & (h[:, None, 0] <= v[None, :, 2] + _NEAR)
    )
    free = set(range(len(level)))
    nets = []
    while free:
        rows: set[int] = set()
        columns: set[int] = set()
        fresh = {free.pop()}
        while fresh:
            rows |= fresh
            reached = set(np.flatnonzero(meet[sorted(fresh)].any(axis=0)).tolist()) - columns
            columns |= reached
            fresh = (set(np.flatnonzero(meet[:, sorted(reached)].any(axis=1)).tolist()) if reached else set()) - rows
        free -= rows
        if columns:
            nets.append(([level[index] for index in sorted(rows)], [upright[index] for index in sorted(columns)]))
    return nets


def _positions(at: Sequence[float], starts: Sequence[float], ends: Sequence[float]) -> list[float]:
    """Where the lines stand, those close together once, and the ends of the crossing ones where no line closes the table."""
    found: list[float] = []
    for value in sorted([*at, min(starts), max(ends)]):
        if not found or value - found[-1] > 2 * _NEAR:
            found.append(value)
    return found


def _within(segment: Segment, xs: Sequence[float], ys: Sequence[float]) -> bool:
    return xs[0] <= (segment.x0 + segment.x1) / 2 <= xs[-1] and ys[0] <= (segment.y0 + segment.y1) / 2 <= ys[-1]


def _grid(
    xs: Sequence[float], ys: Sequence[float], across: Sequence[Rule], down: Sequence[Rule], inside: Sequence[Segment]
) -> Grid | None:
    columns, rows = len(xs) - 1, len(ys) - 1
    cells: dict[tuple[int, int], list[Segment]] = {}
    for segment in inside:
        column = min(int(np.searchsorted(xs, (segment.x0 + segment.x1) / 2)) - 1, columns - 1)
        row = min(int(np.searchsorted(ys, (segment.y0 + segment.y1) / 2)) - 1, rows - 1)
        column, row = max(column, 0), max(row, 0)
        while column > 0 and not _between(down, xs[column], (ys[row] + ys[row + 1]) / 2):
            column -= 1
        while row > 0 and not _between(across, ys[row], (xs[column] + xs[column + 1]) / 2):
            row -= 1
        cells.setdefault((row, column), []).append(segment)
    used = sorted({column for _, column in cells})
    texts: list[list[str]] = []
    boxes: list[Box] = []
    for row in range(rows):
        lines = [rows_of(cells.get((row, column), [])) for column in used]
        if not any(lines):
            continue
        if rows <= 3 and max(map(len, lines)) > _MAX_FRAME_LINES and not _is_list(lines, xs, used):
            return None
        for part in _parts(lines, xs, used):
            texts.append([join_lines(row_text(line.items) for line in cell) for cell in part])
            y0 = min((line.y0 for cell in part for line in cell), default=ys[row])
            y1 = max((line.y1 for cell in part for line in cell), default=ys[row + 1])
            boxes.append((xs[0], y0, xs[-1], y1))
    filled = sum(bool(cell) for row in texts for cell in row)
    pairs = sum(sum(map(bool, row)) > 1 for row in texts)
    if len(texts) < 2 or len(used) < 2 or pairs < 1 or filled < _MIN_FILLED * len(texts) * len(used):
        return None
    return Grid(texts, boxes, median(segment.size for segment in inside))


def _between(rules: Sequence[Rule], at: float, crossing: float) -> bool:
    return any(abs(rule.at - at) <= 2 * _NEAR and rule.start - _NEAR <= crossing <= rule.end + _NEAR for rule in rules)


def _parts(lines: list[list[Row]], xs: Sequence[float], used: Sequence[int]) -> list[list[list[Row]]]:
    """The rows that a field of the net holds: several when only its columns are ruled and the cells' lines stand level."""
    if not _is_list(lines, xs, used):
        return [lines]
    found: list[list[list[Row]]] = []
    tops = sorted((line.y0 + line.y1) / 2 for cell in lines for line in cell)
    levels: list[float] = []
    for top in tops:
        if not levels or top - levels[-1] > 3:
            levels.append(top)
    for level in levels:
        found.append([[line for line in cell if abs((line.y0 + line.y1) / 2 - level) <= 3] for cell in lines])
    return found


def _is_list(lines: Sequence[Sequence[Row]], xs: Sequence[float], used: Sequence[int]) -> bool:
    """Whether the lines in a row of fields are rows of their own: level with each other, and no text that is only broken.

    Text is broken where the next word has no room, closely, and its lines end at about the same place.
    """
    several = [(cell, xs[column + 1]) for cell, column in zip(lines, used, strict=True) if len(cell) > 1]
    if len(several) < 2 or min(len(cell) for cell, _ in several) < 0.6 * max(len(cell) for cell, _ in several):
        return False
    if sum(_broken_early(cell, right) for cell, right in several) >= max(2, len(several) / 2):
        return True
    long = [cell for cell, _ in several if len(cell) > 2]
    spread = [pitch_of(cell) >= _LIST_STEP * cell[0].size and not _ends_level(cell) for cell in long]
    return len(long) > 1 and all(spread)


def _ends_level(cell: Sequence[Row]) -> bool:
    ends = [row.x1 for row in cell[:-1]]
    long = min(row.x1 - row.x0 for row in cell[:-1]) >= _LONG_LINE * cell[0].size
    return long and max(ends) - min(ends) <= cell[0].size


def _broken_early(cell: Sequence[Row], right: float) -> bool:
    early = 0
    for line, after in pairwise(cell):
        text = after.items[0].text
        first = len(text.split(" ", 1)[0]) / max(1, len(text)) * (after.items[0].box[2] - after.items[0].box[0])
        early += right - line.x1 > min(first, 3 * line.size) + 0.8 * line.size
    return early >= 0.7 * (len(cell) - 1)
