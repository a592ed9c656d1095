"""The scale of a chart's axis by the numbers beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ragd.core.documents import OcrLine
from ragd.vision.lines import Line
from ragd.vision.words import middle

_LEAST_MARKS: Final = 3
_LEAST_POWERS: Final = 4
"""Marks of a logarithmic scale at least: any three may lie on one by chance."""
_STRAIGHT: Final = 0.02
"""How far marks may lie off a straight scale, as a share of its range."""
_VALUE: Final = re.compile(r"[-+−–]?\d[\d.,]*")


@dataclass(frozen=True, slots=True)
class Scale:
    """From a place along an axis (a fraction of the picture) to a value, or to its logarithm."""

    factor: float
    offset: float
    is_logarithmic: bool = False

    def at(self, place: float) -> float:
        value = self.factor * place + self.offset
        return float(np.exp(value)) if self.is_logarithmic else value

    def place_of_zero(self) -> float | None:
        """Where the value is 0; None where it never is."""
        return None if self.is_logarithmic or not self.factor else -self.offset / self.factor

    def shown(self, place: float, pixel: float) -> str:
        """The value at a place, in as many digits as can be measured where a pixel is so large a fraction of the picture."""
        value = self.at(place)
        if self.is_logarithmic:
            return f"{float(f'{value:.2g}'):g}" if value < 1e6 else f"{value:.1e}"
        size = abs(self.factor)
        places = 0 if size >= 50 else 1 if size >= 5 else 2
        least = 2 * size * pixel
        step = next((one for one in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if one >= least), 1.0)
        shown = f"{round(value / step) * step:.{places}f}"
        return shown if float(shown) else shown.lstrip("-")


def scale_of(marks: Sequence[OcrLine]) -> Scale | None:
    """The scale of an upright axis by the numbers beside it, straight or logarithmic; None when they lie on neither."""
    found = [(middle(line)[1], value) for line in marks if (value := value_of(line.text)) is not None]
    if len(found) < _LEAST_MARKS:
        return None
    places, values = (np.array(column) for column in zip(*found, strict=True))
    if np.ptp(places) < 0.05 or np.ptp(values) == 0:
        return None
    straight, worst = _fitted(places, values)
    if straight is None and len(values) >= _LEAST_POWERS and values.min() > 0:
        powers, _ = _fitted(places, np.log(values))
        if powers is not None:
            return replace(powers, is_logarithmic=True)
    # One number that was misread spoils the line: without it the others may lie on one.
    kept = np.arange(len(places)) != worst
    if straight is None and kept.sum() >= _LEAST_MARKS:
        return _fitted(places[kept], values[kept])[0]
    return straight


def _fitted(places: np.ndarray, values: np.ndarray) -> tuple[Scale | None, int]:
    """The straight scale through marks, None where they lie off it; and which lies off it most."""
    factor, offset = np.polyfit(places, values, 1)
    off = np.abs(factor * places + offset - values)
    is_straight = off.max() <= _STRAIGHT * np.ptp(values)
    return (Scale(float(factor), float(offset)) if is_straight else None), int(off.argmax())


def on_ticks(marks: Sequence[OcrLine], lines: Sequence[Line], tall: int) -> list[OcrLine]:
    """Marks moved to the level lines of the grid next to their middles: boxes of words are exact to some pixels only."""
    moved: list[OcrLine] = []
    for mark in marks:
        shift = min((line.at / tall - middle(mark)[1] for line in lines), key=abs, default=0.0)
        if abs(shift) > 4 / tall:
            shift = 0.0
        left, top, right, bottom = mark.box
        moved.append(replace(mark, box=(left, top + shift, right, bottom + shift)))
    return moved


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
