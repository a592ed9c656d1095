"""What a chart says in words: title, axes, legend, marks of the axes; and the heights of its bars by the marks beside them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from ragd.core.documents import OcrLine
from ragd.vision.description import Series
from ragd.vision.frames import axes_of
from ragd.vision.lines import Drawing, drawing_of
from ragd.vision.marks import bars_of, curves_of
from ragd.vision.words import is_number, middle, rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEAST_MARKS: Final = 3
_STRAIGHT: Final = 0.02
"""How far marks may lie off a straight scale, as a share of its range."""
_VALUE: Final = re.compile(r"[-+−–]?\d[\d.,]*")
_MOST_LABELS: Final = 60


@dataclass(frozen=True, slots=True)
class Chart:
    """`series` holds values that were measured against the axis, or printed beside their names."""

    kind: str = "chart"
    title: str = ""
    x_axis: str = ""
    y_axis: str = ""
    legend: tuple[str, ...] = ()
    x_labels: tuple[str, ...] = ()
    y_labels: tuple[str, ...] = ()
    series: tuple[Series, ...] = ()
    doubts: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Scale:
    """From a place along an axis (a fraction of the picture) to a value."""

    factor: float
    offset: float

    def at(self, place: float) -> float:
        return self.factor * place + self.offset


def chart_in(pixels: NDArray[np.uint8], words: Sequence[OcrLine]) -> Chart:
    """What can be read of the chart in a picture (red, green, blue)."""
    drawing = drawing_of(pixels)
    width, tall = drawing.size
    axes = axes_of(drawing)
    if axes is None:
        return _without_axes(words)
    area = (axes[0] / width, axes[1] / tall, axes[2] / width, axes[3] / tall)
    left, top, _right, bottom = area
    marks = [
        line
        for line in words
        if is_number(line.text) and line.box[2] <= left + 0.02 and top - 0.05 <= middle(line)[1] <= bottom + 0.05
    ]
    below = [line for line in words if line.box[1] >= bottom - 0.015]
    rows = rows_of(below)
    labels = rows[0] if rows else []
    x_axis = " ".join(line.text for line in rows[1]) if len(rows) > 1 and len(rows[1]) <= 2 else ""
    beside = [line for line in words if line.box[2] <= left + 0.01 and line not in marks]
    y_axis = " ".join(line.text for line in beside if _is_upright(line, width, tall) or len(beside) == 1)
    above = [line for line in words if line.box[3] <= top + 0.02 and line not in marks]
    title = " ".join(line.text for line in max(rows_of(above), key=_weight, default=[]))
    inside = [line for line in words if left <= middle(line)[0] and top <= middle(line)[1] <= bottom]
    legend = tuple(line.text for line in inside if not is_number(line.text) and line not in labels)
    scale = scale_of(marks)
    kind, series, doubts = _measured(drawing, area, scale, labels, legend)
    return Chart(
        kind=kind,
        title=title,
        x_axis=x_axis,
        y_axis=y_axis,
        legend=legend,
        x_labels=tuple(line.text for line in labels)[:_MOST_LABELS],
        y_labels=tuple(line.text for line in marks),
        series=series,
        doubts=doubts,
    )


def _without_axes(words: Sequence[OcrLine]) -> Chart:
    """A pie, or a chart whose axes are not drawn: its words, with the numbers that stand beside names."""
    rows = rows_of(words)
    title = " ".join(line.text for line in rows[0]) if rows and not any(is_number(line.text) for line in rows[0]) else ""
    names = [line for line in words if not is_number(line.text) and line.text not in title]
    points = []
    for number in (line for line in words if is_number(line.text)):
        near = min(names, key=lambda line: _distance(line, number), default=None)
        if near is not None:
            points.append((near.text, number.text))
    series = (Series("", tuple(points)),) if points and len({name for name, _ in points}) == len(points) else ()
    doubts = () if series else ("values",)
    return Chart(title=title, legend=tuple(line.text for line in names), series=series, doubts=doubts)


def scale_of(marks: Sequence[OcrLine]) -> Scale | None:
    """The scale of an upright axis by the numbers beside it; None when they don't lie on a straight one."""
    found = [(middle(line)[1], value) for line in marks if (value := value_of(line.text)) is not None]
    if len(found) < _LEAST_MARKS:
        return None
    places, values = (np.array(column) for column in zip(*found, strict=True))
    if np.ptp(places) < 0.05 or np.ptp(values) == 0:
        return None
    factor, offset = np.polyfit(places, values, 1)
    off = np.abs(factor * places + offset - values)
    if off.max() <= _STRAIGHT * np.ptp(values):
        return Scale(float(factor), float(offset))
    # One number that was misread spoils the line: without it the others may lie on one.
    kept = np.arange(len(places)) != int(off.argmax())
    if kept.sum() < _LEAST_MARKS:
        return None
    factor, offset = np.polyfit(places[kept], values[kept], 1)
    straight = np.abs(factor * places[kept] + offset - values[kept]).max() <= _STRAIGHT * np.ptp(values[kept])
    return Scale(float(factor), float(offset)) if straight else None


def value_of(text: str) -> float | None:
    """The number in a text; "1,200" and "1.200,5" are read as they are meant."""
    found = _VALUE.search(text.replace(" ", ""))
    if found is None:
        return None
    plain = found[0].translate(str.maketrans("−–", "--"))
    if re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?", plain):
        plain = plain.replace(",", "")
    elif re.fullmatch(r"[-+]?\d{1,3}(\.\d{3})+,\d+", plain):
        plain = plain.replace(".", "").replace(",", ".")
    else:
        plain = plain.replace(",", ".")
    try:
        value = float(plain)
    except ValueError:
        return None
    return value * {"k": 1e3, "K": 1e3, "M": 1e6}.get(text.strip()[-1:], 1.0)


def _measured(
    drawing: Drawing,
    area: tuple[float, float, float, float],
    scale: Scale | None,
    labels: Sequence[OcrLine],
    legend: Sequence[str],
) -> tuple[str, tuple[Series, ...], tuple[str, ...]]:
    """The kind of chart, its values where they can be read, and what is in doubt."""
    bars = bars_of(drawing, area)
    curves = [] if bars else curves_of(drawing, area, [middle(line)[0] for line in labels])
    kind = "bars" if bars else "lines" if curves else "chart"
    if scale is None or not labels:
        return kind, (), ("values",)
    found: list[Series] = []
    for number, points in enumerate(bars or curves):
        named = [(_label_at(labels, x), _shown(scale, y)) for x, y in points]
        name = legend[number] if len(legend) == len(bars or curves) else ""
        if len(dict(named)) == len(named):
            found.append(Series(name, tuple(named)))
    return kind, tuple(found), () if found else ("values",)


def _label_at(labels: Sequence[OcrLine], x: float) -> str:
    return min(labels, key=lambda line: abs(middle(line)[0] - x)).text


def _shown(scale: Scale, y: float) -> str:
    value = scale.at(y)
    size = abs(scale.factor)
    places = 0 if size >= 50 else 1 if size >= 5 else 2
    return f"{value:.{places}f}"


def _is_upright(line: OcrLine, width: int, tall: int) -> bool:
    left, top, right, bottom = line.box
    return (bottom - top) * tall > 1.5 * (right - left) * width


def _weight(row: Sequence[OcrLine]) -> float:
    return max(line.box[3] - line.box[1] for line in row) + 0.001 * sum(len(line.text) for line in row)


def _distance(one: OcrLine, other: OcrLine) -> float:
    (x, y), (other_x, other_y) = middle(one), middle(other)
    return abs(x - other_x) + 1.5 * abs(y - other_y)
