"""Small plots as SVG: bars with intervals and bounds, in the colours of the reader's theme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape

from ragd.evaluation.reports.text import legible

_LABEL, _BARS, _VALUES = 170, 360, 110
"""Widths of the columns, in pixels."""
_BAR, _GAP, _ROW_GAP, _TOP = 12, 4, 10, 28
_COLOURS: Final = ("#0969da", "#bf8700", "#1a7f37", "#8250df", "#cf222e")
_STYLE: Final = (
    "text{font:12px system-ui,sans-serif;fill:#1f2328}.axis{stroke:#d1d9e0}.whisker{stroke:#1f2328}.bound{stroke:#cf222e;"
    "stroke-width:2}@media(prefers-color-scheme:dark){text{fill:#e6edf3}.axis{stroke:#3d444d}.whisker{stroke:#e6edf3}"
    ".bound{stroke:#ff7b72}}"
)


@dataclass(frozen=True, slots=True)
class Bar:
    """A value (0..1) with the ends of its interval."""

    value: float
    low: float
    high: float


def bars(title: str, series: Sequence[str], rows: Mapping[str, Sequence[Bar | None]], bounds: Mapping[str, float]) -> str:
    """An SVG: for each row a bar of each series, None where one has none; a line across where the row has a bound."""
    width, y = _LABEL + _BARS + _VALUES, _TOP + (18 if len(series) > 1 else 0)
    parts = [f'<text x="0" y="16" font-weight="bold">{escape(title)}</text>']
    if len(series) > 1:
        parts += _legend(series)
    top = y
    for label, values in rows.items():
        height = len(values) * (_BAR + _GAP) - _GAP
        parts.append(f'<text x="0" y="{y + height / 2 + 4:g}">{escape(legible(label))}</text>')
        for index, bar in enumerate(values):
            if bar is not None:
                parts += _bar(bar, y + index * (_BAR + _GAP), _COLOURS[index % len(_COLOURS)])
        if label in bounds:
            x = _x(bounds[label])
            parts.append(f'<line class="bound" x1="{x:.1f}" x2="{x:.1f}" y1="{y - 3}" y2="{y + height + 3}"/>')
        y += height + _ROW_GAP
    axis = [f'<line class="axis" x1="{_x(at):.1f}" x2="{_x(at):.1f}" y1="{top - 4}" y2="{y - 6}"/>' for at in (0, 0.5, 1)]
    ticks = [f'<text x="{_x(at):.1f}" y="{y + 8}" text-anchor="middle">{at:g}</text>' for at in (0, 0.5, 1)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y + 14}" width="{width}" height="{y + 14}" role="img" '
        f'aria-label="{escape(title, {chr(34): "&quot;"})}"><style>{_STYLE}</style>{"".join([*axis, *parts, *ticks])}</svg>\n'
    )


def _legend(series: Sequence[str]) -> list[str]:
    parts, x = [], _LABEL
    for index, name in enumerate(series):
        parts.append(f'<rect x="{x}" y="24" width="10" height="10" fill="{_COLOURS[index % len(_COLOURS)]}"/>')
        parts.append(f'<text x="{x + 14}" y="33">{escape(legible(name))}</text>')
        x += 30 + 8 * len(name)
    return parts


def _bar(bar: Bar, y: float, colour: str) -> list[str]:
    low, high, middle = _x(bar.low), _x(bar.high), y + _BAR / 2
    said = f"{bar.value:.3f} [{bar.low:.3f}, {bar.high:.3f}]"
    return [
        f'<rect x="{_LABEL}" y="{y:g}" width="{_x(bar.value) - _LABEL:.1f}" height="{_BAR}" fill="{colour}"/>',
        f'<line class="whisker" x1="{low:.1f}" x2="{high:.1f}" y1="{middle:g}" y2="{middle:g}"/>',
        f'<text x="{_LABEL + _BARS + 6}" y="{y + _BAR - 2:g}" font-size="10">{said}</text>',
    ]


def _x(value: float) -> float:
    return _LABEL + _BARS * min(1.0, max(0.0, value))
