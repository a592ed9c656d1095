"""Charts of slides: titles, axes and series, as the chart keeps them for showing, in words and a pipe table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ragd.formats.common.opc import A
from ragd.formats.excel.formats import GENERAL, display_of
from ragd.formats.tables.pipes import pipe_table

C: Final = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
CX: Final = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
MAX_POINTS: Final = 500
"""Points of a chart's series that are read; nobody can see more on a slide."""

_LONGEST_LABEL: Final = 500
_AXES: Final = ("catAx", "dateAx", "serAx", "valAx")


@dataclass(frozen=True, slots=True)
class _Chart:
    """A chart in Markdown. `cut` is set when it has more points than are read."""

    text: str
    cut: bool


@dataclass(frozen=True, slots=True)
class _Series:
    name: str
    categories: tuple[str, ...]
    values: tuple[str, ...]


def chart(root: Any) -> _Chart:
    """A chart part (`c:chartSpace`): title, axis titles, and the series that it keeps for showing as a table."""
    area = root.find(f"{C}chart/{C}plotArea")
    axes = [] if area is None else [axis for name in _AXES for axis in area.iterchildren(f"{C}{name}")]
    keys = {_value(axis, "axId"): axis for axis in axes}
    from_1904 = _value(root, "date1904") in ("1", "true")
    series = []
    for plot in () if area is None else area.iterchildren(tag=f"{C}*"):
        own = [keys[key] for element in plot.iterchildren(f"{C}axId") if (key := element.get("val")) in keys]
        codes = [_format_code(axis) for axis in own] or [""]
        for element in plot.iterchildren(f"{C}ser"):
            name = " ".join(text.text or "" for text in _descendants(element.find(f"{C}tx"), f"{C}v"))
            categories = _values(_first(element, "cat", "xVal"), codes[0], from_1904)
            series.append(_Series(name.strip(), categories, _values(_first(element, "val", "yVal"), codes[-1], from_1904)))
    corner = next((_title(axis.find(f"{C}title")) for axis in axes if axis.tag != f"{C}valAx"), "")
    title = _title(root.find(f"{C}chart/{C}title")) or (series[0].name if len(series) == 1 else "")
    labels = [text for label in root.iter(f"{C}dLbl") if (text := _rich_text(label.find(f"{C}tx")))]
    return _chart(title, [_title(axis.find(f"{C}title")) for axis in axes], series, corner, labels)


def extended_chart(root: Any) -> _Chart:
    """A chart of the kinds that came with Office 2016 (`cx:chartSpace`): waterfall, treemap, funnel and others."""
    data: dict[str | None, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    for block in root.iterfind(f"{CX}chartData/{CX}data"):
        texts = [_points(level) for level in block.iterfind(f"{CX}strDim/{CX}lvl")]
        numbers = [_points(level, _display(level.get("formatCode") or "")) for level in block.iterfind(f"{CX}numDim/{CX}lvl")]
        data[block.get("id")] = (_levels(texts), _levels(numbers[:1]))
    series = []
    for element in root.iterfind(f"{CX}chart/{CX}plotArea/{CX}plotAreaRegion/{CX}series"):
        reference = element.find(f"{CX}dataId")
        categories, values = data.get(None if reference is None else reference.get("val"), ((), ()))
        series.append(_Series((element.findtext(f"{CX}tx/{CX}txData/{CX}v") or "").strip(), categories, values))
    axes = [_title(axis.find(f"{CX}title")) for axis in root.iter(f"{CX}axis")]
    return _chart(_title(root.find(f"{CX}chart/{CX}title")), axes, series, "", [])


def _chart(title: str, axes: Sequence[str], series: Sequence[_Series], corner: str, labels: Sequence[str]) -> _Chart:
    parts = [f"Chart: {title}" if title else "Chart"]
    if any(axes):
        parts.append(f"Axes: {', '.join(axis for axis in axes if axis)}")
    groups: dict[tuple[str, ...], list[_Series]] = {}
    for item in series:
        groups.setdefault(item.categories, []).append(item)
    cut = False
    for categories, members in groups.items():
        length = max(len(categories), *(len(item.values) for item in members))
        cut = cut or length > MAX_POINTS
        rows = [[corner, *(item.name or f"Series {number}" for number, item in enumerate(members, 1))]]
        for index in range(min(length, MAX_POINTS)):
            values = [item.values[index] if index < len(item.values) else "" for item in members]
            rows.append([categories[index] if index < len(categories) else str(index + 1), *values])
        parts.append(pipe_table(rows))
    if labels:
        parts.append(f"Labels: {', '.join(labels)}")
    return _Chart("\n\n".join(part for part in parts if part), cut)


def _first(element: Any, *names: str) -> Any:
    return next(element.iterchildren(*(f"{C}{name}" for name in names)), None)


def _value(element: Any, name: str, attribute: str = "val") -> str:
    found = element.find(f"{C}{name}")
    return "" if found is None else found.get(attribute) or ""


def _format_code(axis: Any) -> str:
    """The number format that an axis has of its own, not taken from its data."""
    return _value(axis, "numFmt", "formatCode") if _value(axis, "numFmt", "sourceLinked") in ("0", "false") else ""


def _descendants(element: Any, tag: str) -> Iterator[Any]:
    return iter(()) if element is None else element.iter(tag)


def _values(source: Any, code_of_axis: str, from_1904: bool) -> tuple[str, ...]:
    """The values that a chart keeps for showing (its cache), one for each point, blank where there is none."""
    if source is None:
        return ()
    if levels := [_points(level) for level in source.iter(f"{C}lvl")]:
        return _levels(levels)
    for cache in source.iter(f"{C}strCache", f"{C}strLit"):
        return _levels([_points(cache)])
    for cache in source.iter(f"{C}numCache", f"{C}numLit"):
        code = cache.findtext(f"{C}formatCode") or GENERAL
        return _levels([_points(cache, _display(code_of_axis if code == GENERAL else code, from_1904=from_1904))])
    return ()


def _points(cache: Any, display: Callable[[str], str] = str.strip) -> dict[int, str]:
    found = {}
    for point in cache.iterchildren("{*}pt"):
        index = point.get("idx") or ""
        if index.isdecimal() and len(index) < 9 and int(index) <= MAX_POINTS:
            text = point.text if point.tag.startswith(CX) else point.findtext(f"{C}v")
            found[int(index)] = display(text or "")[:_LONGEST_LABEL]
    return found


def _levels(levels: list[dict[int, str]]) -> tuple[str, ...]:
    """Categories of one or more levels, the innermost first; an outer one holds for all points up to the next."""
    if not levels:
        return ()
    length = 1 + max((index for level in levels for index in level), default=-1)
    for outer in levels[1:]:
        for index in range(1, length):
            outer.setdefault(index, outer.get(index - 1, ""))
    return tuple(" / ".join(part for level in reversed(levels) if (part := level.get(index, ""))) for index in range(length))


def _display(code: str, *, from_1904: bool = False) -> Callable[[str], str]:
    """The function that shows a cached number as the chart does."""
    show = display_of(code, from_1904=from_1904)

    def shown(text: str) -> str:
        try:
            number = float(text)
        except ValueError:
            return text.strip()  # such as #N/A
        return show(number) if math.isfinite(number) else ""

    return shown


def _title(title: Any) -> str:
    if title is None:
        return ""
    cached = " ".join(value.text or "" for value in title.iter(f"{C}v", f"{CX}v"))
    return _rich_text(title) or " ".join(cached.split())


def _rich_text(element: Any) -> str:
    return " ".join("".join(text.text or "" for text in _descendants(element, f"{A}t")).split())
