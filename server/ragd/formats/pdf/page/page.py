"""What is known of a PDF page before its text is put in order, and the three coordinate systems in which it stands.

*Page space* is the PDF's own: points, y upward, before the page's rotation. *Shown space* is the page as a reader sees it: points
from the upper left corner of the crop box, y downward. *Reading space* is shown space turned so that the lines of the page run
from left to right and follow each other downward; it differs only where most of a page is written from top to bottom (Japanese)
or is printed sideways. The layout works in reading space alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ragd.core.documents import Picture, Place

Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, right and bottom, y downward."""
Boxes: TypeAlias = NDArray[np.float64]
"""`[n, 4]`: left, top, right and bottom, y downward."""
Direction: TypeAlias = Literal["right", "down", "up", "left"]

_DIGITS: Final = 4


@dataclass(slots=True)
class Segment:
    """Characters that stand in one line without a wide gap.

    `size` is the font's size in points; `font` its name. `even` says that its letters all have one width, and `fixed` that those
    of its font have, as in program text. `spaced`: a blank stands before it. `level` is that of a tagged heading, else 0. `words`
    are its words with their places in reading space, where they were asked for.
    """

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    bold: bool = False
    font: str = ""
    even: bool = False
    fixed: bool = False
    spaced: bool = True
    level: int = 0
    words: tuple[tuple[str, Box], ...] = ()

    @property
    def box(self) -> Box:
        return (self.x0, self.y0, self.x1, self.y1)


@dataclass(slots=True)
class Grid:
    """A table: the texts of its cells, row by row, and where each row stands."""

    rows: list[list[str]]
    boxes: list[Box]
    size: float

    @property
    def box(self) -> Box:
        return union(self.boxes)

    @property
    def text(self) -> str:
        return " ".join(" ".join(row) for row in self.rows)


Item: TypeAlias = Segment | Grid


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line that is drawn: `at` is its y (or x, when it is upright), from `start` to `end`."""

    upright: bool
    at: float
    start: float
    end: float


@dataclass(slots=True)
class Page:
    """A page as it was read. Segments, tables and pictures are in reading space; `aside` runs across the reading direction.

    `hidden` counts characters outside the part of the page that is shown.
    """

    index: int
    frame: Frame
    segments: list[Segment] = field(default_factory=list)
    grids: list[Grid] = field(default_factory=list)
    aside: list[Segment] = field(default_factory=list)
    pictures: list[tuple[Picture, Box]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    head: list[tuple[str, Box]] = field(default_factory=list)
    foot: list[tuple[str, Box]] = field(default_factory=list)
    recognised: bool = False
    hidden: int = 0

    @property
    def items(self) -> list[Item]:
        return [*self.segments, *self.grids]


@dataclass(frozen=True, slots=True)
class Frame:
    """The way between the spaces of one page: its box in page space, its rotation in quarter turns and its reading direction."""

    left: float
    bottom: float
    right: float
    top: float
    turns: int = 0
    reads: Direction = "right"

    @property
    def shown_size(self) -> tuple[float, float]:
        """Width and height of the page as shown."""
        width, height = self.right - self.left, self.top - self.bottom
        return (height, width) if self.turns % 2 else (width, height)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in reading space."""
        width, height = self.shown_size
        return (height, width) if self.reads in ("down", "up") else (width, height)

    def shown(self, boxes: Any) -> Boxes:
        """Boxes `[n, 4]` of page space (left, bottom, right, top) in shown space."""
        x0, y0, x1, y1 = np.asarray(boxes, dtype=np.float64).reshape(-1, 4).T
        match self.turns:
            case 1:
                columns = (y0 - self.bottom, x0 - self.left, y1 - self.bottom, x1 - self.left)
            case 2:
                columns = (self.right - x1, y0 - self.bottom, self.right - x0, y1 - self.bottom)
            case 3:
                columns = (self.top - y1, self.right - x1, self.top - y0, self.right - x0)
            case _:
                columns = (x0 - self.left, self.top - y1, x1 - self.left, self.top - y0)
        return np.stack(columns, axis=1)

    def turned(self, boxes: Boxes) -> Boxes:
        """Boxes `[n, 4]` of shown space in reading space."""
        width, height = self.shown_size
        x0, y0, x1, y1 = boxes.T
        match self.reads:
            case "down":
                return np.stack((y0, width - x1, y1, width - x0), axis=1)
            case "up":
                return np.stack((height - y1, x0, height - y0, x1), axis=1)
            case "left":
                return np.stack((width - x1, height - y1, width - x0, height - y0), axis=1)
            case _:
                return boxes

    def turned_box(self, box: Sequence[float]) -> Box:
        """The same of one box."""
        x0, y0, x1, y1 = self.turned(np.array([box], dtype=np.float64))[0].tolist()
        return (x0, y0, x1, y1)

    def covered_area(self, boxes: Sequence[Box]) -> float:
        """The area, in square points, that boxes of shown space cover of the page; overlaps count twice, up to the whole page."""
        width, height = self.shown_size
        area = sum(max(0.0, min(x1, width) - max(x0, 0.0)) * max(0.0, min(y1, height) - max(y0, 0.0)) for x0, y0, x1, y1 in boxes)
        return min(area, width * height)

    def place(self, index: int, box: Box) -> Place:
        """The place on page `index` (from 0) of a box of reading space."""
        width, height = self.shown_size
        x0, y0, x1, y1 = box
        match self.reads:
            case "down":
                x0, y0, x1, y1 = width - y1, x0, width - y0, x1
            case "up":
                x0, y0, x1, y1 = y0, height - x1, y1, height - x0
            case "left":
                x0, y0, x1, y1 = width - x1, height - y1, width - x0, height - y0
        return Place(page=index + 1, bbox=(_share(x0, width), _share(y0, height), _share(x1, width), _share(y1, height)))


def union(boxes: list[Box]) -> Box:
    """The smallest box around these, of which there is at least one."""
    return (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))


def _share(value: float, of: float) -> float:
    return round(min(max(value / of, 0.0), 1.0), _DIGITS) if of > 0 else 0.0
