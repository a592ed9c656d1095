"""Boxes of a drawing: closed outlines with words in their middle.

Strokes are what is darker than its surroundings within a few pixels (a black-hat transform), so that a box may have any light
colour. The inner side of a closed stroke is an outline; that of a loop of arrows has its words, if any, beside its middle, or is
hollow, which a box is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from ragd.core.documents import OcrLine
from ragd.diagrams.model import Shape

Mask = NDArray[np.uint8]

TEXT_HEIGHT: Final = 18.0
"""Pixels of a line of text to which a picture is scaled: strokes and arrow heads then have the sizes that are looked for."""
MAX_SIDE: Final = 3_000
MAX_BOXES: Final = 300
_KERNEL: Final = 17
_DARKER: Final = 28
_SOLID: Final = 0.86
"""Least share of its hull that an outline fills."""
_MOST_EMPTY: Final = 60.0
"""How many times larger than its words a box may be."""
_OFF_CENTRE: Final = 0.3


@dataclass(slots=True)
class Word:
    """A recognised line. `box` is in pixels."""

    text: str
    box: tuple[float, float, float, float]

    @property
    def centre(self) -> tuple[float, float]:
        return (self.box[0] + self.box[2]) / 2, (self.box[1] + self.box[3]) / 2


@dataclass(slots=True)
class Outline:
    """A box: its outline, its mask's number, and the words in it."""

    contour: Any
    box: tuple[int, int, int, int]
    shape: Shape
    words: list[Word] = field(default_factory=list)

    @property
    def label(self) -> str:
        return joined(self.words)


def joined(words: Sequence[Word]) -> str:
    """Words line by line, each line from the left."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda one: one.centre[1]):
        height = word.box[3] - word.box[1]
        if rows and abs(rows[-1][0].centre[1] - word.centre[1]) < height / 2:
            rows[-1].append(word)
        else:
            rows.append([word])
    return " ".join(word.text for row in rows for word in sorted(row, key=lambda one: one.box[0]))


def scaled(image: NDArray[np.uint8], lines: Sequence[OcrLine]) -> tuple[NDArray[np.uint8], list[Word]]:
    """The picture in grey, dark on light, at the size at which its text is `TEXT_HEIGHT` high; and the words in it."""
    height, width = image.shape[:2]
    heights = [(line.box[3] - line.box[1]) * height for line in lines]
    factor = TEXT_HEIGHT / max(4.0, float(np.median(heights)))
    factor = min(max(factor, 0.2), 3.0, MAX_SIDE / max(height, width))
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image
    if abs(factor - 1) > 0.15:
        size = (max(1, round(width * factor)), max(1, round(height * factor)))
        grey = cv2.resize(grey, size, interpolation=cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC)
    if float(np.median(grey)) < 110:
        grey = 255 - grey
    high, wide = grey.shape[:2]
    words = [Word(line.text, (line.box[0] * wide, line.box[1] * high, line.box[2] * wide, line.box[3] * high)) for line in lines]
    return np.asarray(grey, np.uint8), words


def strokes(grey: NDArray[np.uint8], words: Sequence[Word]) -> Mask:
    """Lines, borders and arrow heads, without the text."""
    kernel = cv2.getStructuringElement(cv2.MORPH_RECT, (_KERNEL, _KERNEL))
    dark = cv2.morphologyEx(grey, cv2.MORPH_BLACKHAT, kernel)
    found: Mask = (dark > _DARKER).astype(np.uint8) * 255
    for word in words:
        left, top, right, bottom = (round(value) for value in word.box)
        found[max(0, top - 1) : bottom + 2, max(0, left - 1) : right + 2] = 0
    return found


def outlines(ink: Mask, words: Sequence[Word]) -> list[Outline]:
    """The boxes, from the smallest; of one within another the inner, where both hold the same words."""
    closed = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    contours, tree = cv2.findContours(closed, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    rows = [] if len(contours) == 0 else tree[0]
    holes = [contour for contour, row in zip(contours, rows, strict=True) if row[3] >= 0 and len(contour) > 30]
    holes.sort(key=cv2.contourArea)
    found: list[Outline] = []
    taken: set[int] = set()
    for contour in holes:
        outline = _outline(contour, words, taken)
        if outline and len(found) < MAX_BOXES:
            found.append(outline)
            taken |= {id(word) for word in outline.words}
    return found


def _outline(contour: Any, words: Sequence[Word], taken: set[int]) -> Outline | None:
    area = cv2.contourArea(contour)
    left, top, width, height = cv2.boundingRect(contour)
    if width < 12 or height < 12:
        return None
    inside = [
        word
        for word in words
        if id(word) not in taken
        and left <= word.centre[0] <= left + width
        and top <= word.centre[1] <= top + height
        and cv2.pointPolygonTest(contour, word.centre, measureDist=False) >= 0
    ]
    if not inside or any(id(word) in taken for word in words if _within(word, (left, top, left + width, top + height))):
        return None
    hull = cv2.contourArea(cv2.convexHull(contour))
    if not hull or area / hull < _SOLID or area > _MOST_EMPTY * sum(_area(word.box) for word in inside):
        return None
    x = (min(word.box[0] for word in inside) + max(word.box[2] for word in inside)) / 2
    y = (min(word.box[1] for word in inside) + max(word.box[3] for word in inside)) / 2
    if abs(x - left - width / 2) > _OFF_CENTRE * width or abs(y - top - height / 2) > _OFF_CENTRE * height:
        return None
    return Outline(contour, (left, top, left + width, top + height), _shape(contour, area, width, height), inside)


def _within(word: Word, box: tuple[int, int, int, int]) -> bool:
    return box[0] <= word.centre[0] <= box[2] and box[1] <= word.centre[1] <= box[3]


def _area(box: tuple[float, float, float, float]) -> float:
    return max(1.0, (box[2] - box[0]) * (box[3] - box[1]))


def _shape(contour: Any, area: float, width: int, height: int) -> Shape:
    """By how much of the rectangle around it a shape fills: a rhombus one half, an ellipse π/4."""
    upright = area / (width * height)
    if upright < 0.62:
        return "diamond"
    (_, (first, second), _) = cv2.minAreaRect(contour)
    filled = area / max(1.0, first * second)
    if filled > 0.93:
        return "box"
    if 0.74 < filled < 0.83:
        return "circle" if 0.85 < width / height < 1.18 else "ellipse"
    return "round"
