"""Straight lines of a picture by OpenCV: rules of tables, axes of charts, frames of boxes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Mask = NDArray[np.uint8]

WORKING_SIDE: Final = 1000
"""Pixels of the longer side at which pictures are looked at; larger ones are made smaller, small ones stay as they are."""
_SHORTEST: Final = 24
_PART: Final = 14
"""A line is as long as one part in so many of the picture at least."""
_GAP: Final = 3


@dataclass(frozen=True, slots=True)
class Line:
    """A line along one axis: `at` across it, from `start` to `end` along it, in pixels."""

    at: int
    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture made ready: smaller, in grey, what is drawn on its background, and its long straight lines."""

    colours: NDArray[np.uint8]
    grey: NDArray[np.uint8]
    ink: Mask
    background: tuple[int, int, int]
    across: tuple[Line, ...]
    down: tuple[Line, ...]
    across_mask: Mask
    down_mask: Mask

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.grey.shape[1], self.grey.shape[0]


def drawing_of(pixels: NDArray[np.uint8]) -> Drawing:
    """Look at a picture `[height, width, 3]`."""
    longest = max(pixels.shape[:2])
    colours = np.ascontiguousarray(pixels)
    if longest > WORKING_SIDE:
        scale = WORKING_SIDE / longest
        colours = np.asarray(cv2.resize(colours, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    grey = np.asarray(cv2.cvtColor(colours, cv2.COLOR_RGB2GRAY), np.uint8)
    background = background_of(colours)
    ink = _ink(colours, background)
    strokes = _strokes(grey)
    width, height = grey.shape[1], grey.shape[0]
    across_mask = _opened(strokes, max(_SHORTEST, width // _PART), 1)
    down_mask = _opened(strokes, 1, max(_SHORTEST, height // _PART))
    return Drawing(
        colours, grey, ink, background, _lines(across_mask, along=0), _lines(down_mask, along=1), across_mask, down_mask
    )


def background_of(colours: NDArray[np.uint8]) -> tuple[int, int, int]:
    """The colour that most of the picture has, in steps of eight."""
    coarse = (colours[::2, ::2] >> 3).astype(np.int32)
    keys = (coarse[..., 0] << 10) | (coarse[..., 1] << 5) | coarse[..., 2]
    most = int(np.bincount(keys.ravel(), minlength=1 << 15).argmax())
    return tuple(min(255, ((most >> shift) & 31) * 8 + 4) for shift in (10, 5, 0))  # type: ignore[return-value]


def _ink(colours: NDArray[np.uint8], background: tuple[int, int, int]) -> Mask:
    """Where something is drawn that is not the background."""
    # By channel, in bytes: numpy is slow at the largest of three along the last axis.
    far = np.zeros(colours.shape[:2], np.uint8)
    for channel, of in zip(cv2.split(colours), background, strict=True):
        apart = np.maximum(channel, np.uint8(of)) - np.minimum(channel, np.uint8(of))
        np.maximum(far, apart, out=far)
    return (far > 36).view(np.uint8) * np.uint8(255)


def _strokes(grey: NDArray[np.uint8]) -> Mask:
    """Thin strokes, lighter or darker than what is around them, and edges of areas."""
    edges = cv2.Canny(grey, 40, 110)
    black = cv2.morphologyEx(grey, cv2.MORPH_BLACKHAT, np.ones((7, 7), np.uint8))
    white = cv2.morphologyEx(grey, cv2.MORPH_TOPHAT, np.ones((7, 7), np.uint8))
    thin = np.asarray((np.maximum(black, white) > 18) * 255, np.uint8)
    return np.asarray(
        cv2.morphologyEx(thin | np.asarray(edges, np.uint8), cv2.MORPH_CLOSE, np.ones((_GAP, _GAP), np.uint8)), np.uint8
    )


def _opened(mask: Mask, width: int, height: int) -> Mask:
    kernel = cv2.getStructuringElement(cv2.MORPH_RECT, (width, height))
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, kernel), np.uint8)


def _lines(mask: Mask, *, along: int) -> tuple[Line, ...]:
    """The components of a mask as lines; thick ones are areas and left out."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    found: list[Line] = []
    for left, top, width, height, _ in np.asarray(stats)[1:].tolist():
        length, thick, start, at = (width, height, left, top) if along == 0 else (height, width, top, left)
        if thick * 4 <= length or thick <= 12:
            found.append(Line(at + thick // 2, start, start + length))
    return tuple(sorted(found, key=lambda line: line.at))


def positions(lines: Any, apart: int) -> list[int]:
    """Where lines stand, those nearer to each other than `apart` counted as one."""
    found: list[int] = []
    for line in lines:
        if not found or line.at - found[-1] > apart:
            found.append(line.at)
    return found
