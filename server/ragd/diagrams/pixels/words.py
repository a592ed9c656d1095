"""The recognised words of a drawing, laid on its ink: how high they are, how they are tilted, and how far they really reach.

Text recognition gives upright rectangles around its lines, with a margin, and wider still where a line is tilted. Taken as they
are, they cut through the outlines that stand close to the words. So the letters are looked up: pieces of ink that lie in a
rectangle and leave it nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from ragd.core.documents import OcrLine
from ragd.diagrams.model import Box

Mask = NDArray[np.uint8]

TEXT_HEIGHT: Final = 12.0
"""Pixels from the top of the letters of a line to their bottom, to which a picture is scaled: strokes and arrow heads then have
the sizes that are looked for."""
MAX_SIDE: Final = 3_000
_ROUGH_HEIGHT: Final = 40.0
"""Pixels of a recognised line above which a picture is made smaller before anything is looked up in it."""
_KERNEL: Final = 17
_DARKER: Final = 28
_MARGIN: Final = 2
"""Pixels around a word's box in which its letters may reach."""
_FILLED: Final = 0.5
"""Share of a word's recognised width from which its letters tell what margin text recognition leaves."""
_COVERED: Final = 0.9
"""Share of its width without that margin that its letters must cover for their extent to be taken for the word's."""
_USUAL_MARGINS: Final = (0.15, 0.15, 0.15, 0.15)
"""Left, top, right and bottom, in heights of a line."""
_STEEPEST: Final = 8.0
"""Degrees of tilt that are looked for."""
_LEVEL: Final = 0.4
"""Degrees of tilt that are left as they are."""
_LONG: Final = 2.0
"""How many times wider than high a line must be for its tilt to be told."""


@dataclass(slots=True)
class Word:
    """A recognised line. `box` is in pixels."""

    text: str
    box: Box

    @property
    def centre(self) -> tuple[float, float]:
        return (self.box[0] + self.box[2]) / 2, (self.box[1] + self.box[3]) / 2


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


def upright(image: NDArray[np.uint8], lines: Sequence[OcrLine]) -> tuple[Mask, list[Word]]:
    """The strokes of a picture (`[height, width, 3]`, blue first), letters among them, and the words where their letters stand.

    Both in a picture that is turned and resized until its text is level and `TEXT_HEIGHT` high.
    """
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image, np.uint8)
    if float(np.median(grey)) < 110:
        grey = 255 - grey
    high = max(4.0, float(np.median([(line.box[3] - line.box[1]) * grey.shape[0] for line in lines])))
    grey = _resized(grey, min(1.0, _ROUGH_HEIGHT / high, MAX_SIDE / max(grey.shape)))
    height, width = grey.shape[:2]
    words = [
        Word(line.text, (line.box[0] * width, line.box[1] * height, line.box[2] * width, line.box[3] * height)) for line in lines
    ]
    ink = strokes(grey)
    pieces = [_letters(ink, word.box) for word in words]
    degrees = _tilt(words, pieces)
    factor = _factor(words, pieces, degrees, max(grey.shape))
    if factor == 1.0 and degrees == 0.0:
        return ink, _fitted(words, pieces)
    grey = _resized(grey, factor)
    grey, turn = _turned(grey, degrees)
    words = [Word(word.text, _moved(tuple(side * factor for side in word.box), degrees, turn)) for word in words]
    ink = strokes(grey)
    return ink, _fitted(words, [_letters(ink, word.box) for word in words])


def strokes(grey: NDArray[np.uint8]) -> Mask:
    """What is darker than its surroundings: lines, borders, arrow heads and letters."""
    kernel = cv2.getStructuringElement(cv2.MORPH_RECT, (_KERNEL, _KERNEL))
    dark = cv2.morphologyEx(grey, cv2.MORPH_BLACKHAT, kernel)
    return (dark > _DARKER).astype(np.uint8) * 255


def without_words(ink: Mask, words: Sequence[Word]) -> Mask:
    """The strokes alone."""
    left_over = ink.copy()
    for word in words:
        left, top, right, bottom = (round(value) for value in word.box)
        left_over[max(0, top - 1) : bottom + 2, max(0, left - 1) : right + 2] = 0
    return left_over


def _resized(grey: NDArray[np.uint8], factor: float) -> NDArray[np.uint8]:
    if factor == 1.0:
        return grey
    size = (max(1, round(grey.shape[1] * factor)), max(1, round(grey.shape[0] * factor)))
    return np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC), np.uint8)


def _letters(ink: Mask, box: Box) -> NDArray[np.int32]:
    """`[n, 2]`: the points x, y of the pieces of ink that lie in a box as a whole; none where everything goes on outside."""
    left, top = max(0, round(box[0]) - _MARGIN), max(0, round(box[1]) - _MARGIN)
    crop = ink[top : round(box[3]) + _MARGIN + 1, left : round(box[2]) + _MARGIN + 1]
    if crop.size == 0:
        return np.zeros((0, 2), np.int32)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(crop, connectivity=8)
    ends_x, ends_y = stats[:, 0] + stats[:, 2], stats[:, 1] + stats[:, 3]
    inner = (stats[:, 0] > 0) & (stats[:, 1] > 0) & (ends_x < crop.shape[1]) & (ends_y < crop.shape[0])
    inner[0] = False
    rows, columns = np.nonzero(inner[labels])
    return np.stack((columns + left, rows + top), axis=1).astype(np.int32)


def _tilt(words: Sequence[Word], pieces: Sequence[NDArray[np.int32]]) -> float:
    """By how many degrees the lines of text fall to the right: where they lie in the fewest rows of pixels."""
    long = [
        points
        for word, points in zip(words, pieces, strict=True)
        if len(points) and word.box[2] - word.box[0] > _LONG * (word.box[3] - word.box[1])
    ]
    if not long:
        return 0.0
    xs = np.concatenate([points[:, 0] - points[0, 0] for points in long]).astype(np.float64)
    ys = np.concatenate([points[:, 1] - points[0, 1] for points in long]).astype(np.float64)
    room = float(np.abs(ys).max() + np.abs(xs).max()) + 2
    base = np.concatenate([np.full(len(points), (2 * number + 1) * room) for number, points in enumerate(long)])

    def dense(degrees: float) -> float:
        rows = np.rint(base + ys - xs * np.tan(np.deg2rad(degrees))).astype(np.int64)
        counts = np.bincount(rows).astype(np.float64)
        return float((counts * counts).sum())

    coarse = max(np.arange(-_STEEPEST, _STEEPEST + 0.1, 0.5), key=lambda one: (dense(float(one)), -abs(one)))
    fine = max(np.arange(coarse - 0.4, coarse + 0.41, 0.1), key=lambda one: (dense(float(one)), -abs(one)))
    return float(fine) if abs(fine) >= _LEVEL else 0.0


def _factor(words: Sequence[Word], pieces: Sequence[NDArray[np.int32]], degrees: float, side: int) -> float:
    """By how much to resize the picture."""
    slope = float(np.tan(np.deg2rad(degrees)))
    heights = []
    for word, points in zip(words, pieces, strict=True):
        if len(points):
            level = points[:, 1] - points[:, 0] * slope
            heights.append(float(level.max() - level.min()) + 1)
        else:
            heights.append(0.7 * (word.box[3] - word.box[1]))
    factor = TEXT_HEIGHT / max(4.0, float(np.median(heights)))
    factor = min(max(factor, 0.2), 3.0, MAX_SIDE / side)
    return factor if abs(factor - 1) > 0.15 else 1.0


def _turned(grey: NDArray[np.uint8], degrees: float) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """The picture turned back by its tilt, larger so that nothing is lost; and how: `[2, 3]`."""
    height, width = grey.shape[:2]
    turn = np.asarray(cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1), np.float64)
    if degrees == 0.0:
        return grey, turn
    sine, cosine = abs(float(turn[0, 1])), abs(float(turn[0, 0]))
    size = (round(width * cosine + height * sine), round(height * cosine + width * sine))
    turn[:, 2] += (size[0] - width) / 2, (size[1] - height) / 2
    edges = np.concatenate((grey[0], grey[-1], grey[:, 0], grey[:, -1]))
    made = cv2.warpAffine(grey, turn, size, flags=cv2.INTER_CUBIC, borderValue=float(np.median(edges)))
    return np.asarray(made, np.uint8), turn


def _moved(box: tuple[float, ...], degrees: float, turn: NDArray[np.float64]) -> Box:
    """Where the level line is whose tilted rectangle fills a box."""
    sine, cosine = abs(float(np.sin(np.deg2rad(degrees)))), float(np.cos(np.deg2rad(degrees)))
    wide, high = box[2] - box[0], box[3] - box[1]
    level_high = max(0.3 * high, (high * cosine - wide * sine) / (cosine * cosine - sine * sine))
    level_wide = max(0.3 * wide, (wide - level_high * sine) / cosine)
    x, y = turn @ np.array([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2, 1.0])
    return (x - level_wide / 2, y - level_high / 2, x + level_wide / 2, y + level_high / 2)


def _fitted(words: Sequence[Word], pieces: Sequence[NDArray[np.int32]]) -> list[Word]:
    """Each word in the box that its letters fill, or that the margins of the others let expect, where its own touch a stroke.

    A single sign whose ink goes on outside is left out: an arrow head that was read as a V.
    """
    extents = [(*points.min(axis=0), *points.max(axis=0)) if len(points) else None for points in pieces]
    margins = [
        (np.array(extent) - word.box) * (1, 1, -1, -1) / max(1.0, word.box[3] - word.box[1])
        for word, extent in zip(words, extents, strict=True)
        if extent and extent[2] - extent[0] > _FILLED * (word.box[2] - word.box[0])
    ]
    left, top, right, bottom = np.median(margins, axis=0).clip(0, 0.3) if margins else _USUAL_MARGINS
    found = []
    for word, extent in zip(words, extents, strict=True):
        high = word.box[3] - word.box[1]
        box = (word.box[0] + left * high, word.box[1] + top * high, word.box[2] - right * high, word.box[3] - bottom * high)
        if extent and extent[2] - extent[0] > _COVERED * (box[2] - box[0]):
            box = (float(extent[0]), float(extent[1]), float(extent[2]), float(extent[3]))
        elif not extent and len(word.text.strip()) < 2:
            continue
        found.append(Word(word.text, box))
    return found
