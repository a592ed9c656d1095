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

from ragd.diagrams.model import Shape
from ragd.diagrams.pixels.words import Mask, Word, joined

MAX_BOXES: Final = 300
_SOLID: Final = 0.86
"""Least share of its hull that an outline fills."""
_MOST_EMPTY: Final = 60.0
"""How many times larger than its words a box may be."""
_OFF_CENTRE: Final = 0.3
_CAP: Final = 6
"""Pixels by which the sides of a box and of its cap may differ."""


@dataclass(slots=True)
class Outline:
    """A box: its outline, the words in it, and outlines without words that belong to it."""

    contour: Any
    box: tuple[int, int, int, int]
    shape: Shape
    words: list[Word] = field(default_factory=list)
    caps: list[Any] = field(default_factory=list)

    @property
    def label(self) -> str:
        return joined(self.words)


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
    own = {id(outline.contour) for outline in found}
    for contour in holes:
        if id(contour) not in own:
            rectangle = cv2.boundingRect(contour)
            for outline in found:
                if _is_cap(rectangle, outline.box):
                    outline.caps.append(contour)
    return found


def _is_cap(rectangle: Sequence[int], box: tuple[int, int, int, int]) -> bool:
    """Whether it ends the box above or below, as wide as that, such as the top of a cylinder."""
    left, top, width, height = rectangle
    wide, high = box[2] - box[0], box[3] - box[1]
    near = min(abs(top + height - box[1]), abs(box[3] - top)) <= max(_CAP, 0.4 * high)
    return abs(left - box[0]) <= _CAP and abs(width - wide) <= 2 * _CAP and height < 0.6 * high and near


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
