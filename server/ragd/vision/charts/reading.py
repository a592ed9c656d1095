"""What a chart says in words: title, axes, legend, marks of the axes; and the heights of its bars by the marks beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ragd.core.documents import OcrLine
from ragd.vision.charts.legends import names_of, parted
from ragd.vision.charts.marks import Area, bars_of, curves_of, swatches_of
from ragd.vision.charts.scales import Scale, on_ticks, scale_of
from ragd.vision.description import Series
from ragd.vision.frames import axes_of, frames_of
from ragd.vision.lines import Drawing, drawing_of
from ragd.vision.words import is_number, middle, rows_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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


def chart_in(pixels: NDArray[np.uint8], words: Sequence[OcrLine]) -> Chart:
    """What can be read of the chart in a picture (red, green, blue), or in the window that it shows."""
    drawing = drawing_of(pixels)
    width, tall = drawing.size
    area = _area_of(drawing, words)
    if area is None:
        return _without_axes(words)
    left, top, _right, bottom = area
    marks = [line for line in words if is_number(line.text) and _is_mark(line, area)]
    below = [line for line in words if line.box[1] >= bottom - 0.015 and line not in marks]
    rows = rows_of(below)
    labels = parted(rows[0], area) if rows else []
    beside = [line for line in words if line.box[2] <= left + 0.01 and line not in marks]
    y_axis = " ".join(line.text for line in beside if _is_upright(line, width, tall) or len(beside) == 1)
    above = [line for line in words if line.box[3] <= top + 0.02 and line not in marks]
    title = " ".join(line.text for line in max(rows_of(above), key=_weight, default=[]))
    inside = [line for line in words if left <= middle(line)[0] and top <= middle(line)[1] <= bottom]
    legend = tuple(line.text for line in inside if not is_number(line.text) and line not in labels)
    ticks = [line for line in drawing.across if line.length >= 0.3 * (area[2] - left) * width]
    scale = scale_of(on_ticks(marks, ticks, tall))
    others = [line for line in words if line not in (*marks, *(rows[0] if rows else ()))]
    found = _measured(drawing, area, scale or scale_of(marks), labels, legend, others)
    named = {one.name for one in found.series if one.name}
    x_axis = " ".join(line.text for line in rows[1]) if len(rows) > 1 and len(rows[1]) <= 2 else ""
    return Chart(
        kind=found.kind,
        title=title,
        x_axis="" if any(name in x_axis for name in named) else x_axis,
        y_axis=y_axis,
        legend=found.legend or legend,
        x_labels=tuple(line.text for line in labels)[:_MOST_LABELS],
        y_labels=tuple(line.text for line in marks),
        series=found.series,
        doubts=found.doubts,
    )


def _is_mark(line: OcrLine, area: Area) -> bool:
    """Whether a number stands left of an area; what stands below its corner is a label of the other axis."""
    y = middle(line)[1]
    near = 0.02 if y <= area[3] + 0.02 else 0.0
    return line.box[2] <= area[0] + near and area[1] - 0.05 <= y <= area[3] + 0.05


def _area_of(drawing: Drawing, words: Sequence[OcrLine]) -> Area | None:
    """What the axes span: of all areas the one with most numbers beside it, since a window has a frame, too."""
    width, tall = drawing.size
    axes = axes_of(drawing)
    numbers = [line for line in words if is_number(line.text)]
    areas = [
        (one[0] / width, one[1] / tall, one[2] / width, one[3] / tall) for one in (*([axes] if axes else []), *frames_of(drawing))
    ]
    counted = [(len(_beside_axis(area, numbers)), -index) for index, area in enumerate(areas)]
    return areas[-max(counted)[1]] if counted else None


def _beside_axis(area: Area, marks: Sequence[OcrLine]) -> list[OcrLine]:
    """Marks that stand left of an area, near to its edge and between its ends."""
    return [
        line for line in marks if -0.08 <= line.box[2] - area[0] <= 0.02 and area[1] - 0.05 <= middle(line)[1] <= area[3] + 0.05
    ]


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


@dataclass(frozen=True, slots=True)
class _Measured:
    kind: str
    series: tuple[Series, ...] = ()
    doubts: tuple[str, ...] = ()
    legend: tuple[str, ...] = ()


def _measured(
    drawing: Drawing,
    area: Area,
    scale: Scale | None,
    labels: Sequence[OcrLine],
    legend: Sequence[str],
    others: Sequence[OcrLine],
) -> _Measured:
    """The kind of chart, its values where they can be read, what is in doubt, and the legend where its colours name series."""
    base = scale.place_of_zero() if scale else None
    within = base is not None and area[1] < base < area[3] - 0.03
    bars = bars_of(drawing, area, base if within else None)
    curves = [] if bars else curves_of(drawing, area, [middle(line)[0] for line in labels])
    kind = "bars" if bars else "lines" if curves else "chart"
    if scale is None or not labels:
        return _Measured(kind, doubts=("values",))
    marked = bars or curves
    names = names_of([swatches_of(one, drawing, area) for one in marked], others)
    told = names or (tuple(legend) if len(legend) == len(marked) else ())
    found: list[Series] = []
    for number, one in enumerate(marked):
        named = [(_label_at(labels, x), scale.shown(y, 1 / drawing.size[1])) for x, y in one.points]
        if len(dict(named)) == len(named):
            found.append(Series(told[number] if told else "", tuple(named)))
    return _Measured(kind, tuple(found), () if found else ("values",), names)


def _label_at(labels: Sequence[OcrLine], x: float) -> str:
    return min(labels, key=lambda line: abs(middle(line)[0] - x)).text


def _is_upright(line: OcrLine, width: int, tall: int) -> bool:
    left, top, right, bottom = line.box
    return (bottom - top) * tall > 1.5 * (right - left) * width


def _weight(row: Sequence[OcrLine]) -> float:
    return max(line.box[3] - line.box[1] for line in row) + 0.001 * sum(len(line.text) for line in row)


def _distance(one: OcrLine, other: OcrLine) -> float:
    (x, y), (other_x, other_y) = middle(one), middle(other)
    return abs(x - other_x) + 1.5 * abs(y - other_y)
