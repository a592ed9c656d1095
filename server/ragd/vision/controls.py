"""Controls of a window: buttons and fields by the frames around words, check boxes and radio buttons by the signs beside them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np

from ragd.core.documents import OcrLine
from ragd.vision.lines import Drawing
from ragd.vision.windows import has_title_bar
from ragd.vision.words import is_label, is_number, middle, rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Edges = NDArray[np.uint8]

_LONGEST_BUTTON: Final = 24
_REACH: Final = 0.9
"""How far above and below a word its frame may be, in heights of the word."""
_FAR: Final = 12
"""How far beside a word its frame may be, in heights of the word."""
_CLOSED: Final = 0.85
_SIGN: Final = re.compile(r"^\s*(?:[✓✔☑☐□■口回○●◯◉⊙]\s*|[vVOo0]\s+)(?=\S)")
"""What text recognition makes of a check box."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A check box or a radio button, with the words beside it."""

    text: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Controls:
    """What people can press, fill in and choose; `fields` are labels with their values."""

    buttons: tuple[OcrLine, ...] = ()
    fields: tuple[tuple[str, str], ...] = ()
    choices: tuple[Choice, ...] = ()
    has_buttons_below: bool = False
    has_title_bar: bool = False

    @property
    def are_of_window(self) -> bool:
        """Whether a picture that was taken for no kind is one of a window."""
        return self.has_buttons_below or len(self.choices) >= 2 or self.has_title_bar

    @property
    def are_of_dialog(self) -> bool:
        """Whether it is a window even though it was taken for a drawing: something is filled in or chosen, and then pressed."""
        return self.has_buttons_below and len(self.fields) + len(self.choices) >= 2


@dataclass(frozen=True, slots=True)
class _Frame:
    """The frame around a word, in pixels: how much room is left of the word and right of it."""

    left: int
    right: int
    height: int

    @property
    def is_field(self) -> bool:
        """What is filled in begins at the left edge; what is pressed stands in the middle."""
        return self.left <= self.height and self.right > 2 * self.left + 2


def controls_in(drawing: Drawing, words: Sequence[OcrLine]) -> Controls:
    """The controls of a window whose words these are."""
    edges = np.asarray(cv2.Canny(drawing.grey, 30, 90), np.uint8)
    framed = [(line, frame) for line in words if (frame := _frame(edges, _pixels(line, drawing)))]
    fields = _fields(words, {id(line) for line, frame in framed if frame.is_field})
    filled = {value for _, value in fields}
    pressed = [line for line, frame in framed if not frame.is_field and _is_caption(line.text) and line.text not in filled]
    buttons = tuple(line for line in pressed if not _is_cell(line, pressed))
    return Controls(buttons, fields, _choices(drawing, words), _are_below(buttons, words), has_title_bar(drawing))


def _are_below(buttons: Sequence[OcrLine], words: Sequence[OcrLine]) -> bool:
    """Whether two buttons or more stand in the lowest row of words, as in dialogs."""
    rows = rows_of(words)
    pressed = {id(line) for line in buttons}
    return bool(rows) and sum(id(line) in pressed for line in rows[-1]) >= 2


def _is_caption(text: str) -> bool:
    """Whether a button may say this: some letters, no sentence."""
    return len(text) <= _LONGEST_BUTTON and not is_number(text) and sum(letter.isalpha() for letter in text) >= 2


def _is_cell(line: OcrLine, framed: Sequence[OcrLine]) -> bool:
    """Whether three framed words or more begin below each other: then they stand in a ruled list."""
    return sum(abs(other.box[0] - line.box[0]) <= 0.01 for other in framed) >= 3


def _pixels(line: OcrLine, drawing: Drawing) -> tuple[int, int, int, int]:
    width, tall = drawing.size
    left, top, right, bottom = line.box
    return int(left * width), int(top * tall), int(right * width), int(bottom * tall)


def _frame(edges: Edges, box: tuple[int, int, int, int]) -> _Frame | None:
    """The frame of a word alone: an edge all along above it and below it, and one on each side."""
    left, top, right, bottom = box
    reach = max(4, int(_REACH * (bottom - top)))
    first_row = max(0, top - reach)
    above = _rule(edges[first_row : top + 1, left:right], last=True)
    below = _rule(edges[bottom - 1 : bottom + reach, left:right], last=False)
    if above is None or below is None:
        return None
    upper, lower = first_row + above, bottom - 1 + below
    # Sides reach from one to the other but for round corners, as the strokes of letters do not.
    trim = (lower - upper) // 6
    inner = edges[upper + trim : max(upper + trim + 1, lower - trim)] > 0
    first = max(0, left - _FAR * reach)
    before = np.flatnonzero(inner[:, first : left + 1].mean(axis=0) > _CLOSED)
    behind = np.flatnonzero(inner[:, right - 1 : right + _FAR * reach].mean(axis=0) > _CLOSED)
    if not before.size or not behind.size:
        return None
    return _Frame(left - first - int(before[-1]), int(behind[0]), bottom - top)


def _rule(rows: Edges, *, last: bool) -> int | None:
    """The last or the first row of edges that runs along nearly all of the width, with the one below it; None without one."""
    along = rows > 0
    if len(along) < 2 or not along.shape[1]:
        return None
    found = np.flatnonzero((along[:-1] | along[1:]).mean(axis=1) > _CLOSED)
    return int(found[-1 if last else 0]) if found.size else None


def _fields(words: Sequence[OcrLine], values: set[int]) -> tuple[tuple[str, str], ...]:
    """Labels that end in a colon, or stand alone before a framed value, with what stands right of them."""
    found: list[tuple[str, str]] = []
    for row in rows_of(words):
        is_pair = len(row) == 2
        for label, value in pairwise(row):
            if id(label) in values or is_label(value.text):
                continue
            if is_label(label.text) or (is_pair and id(value) in values):
                found.append((label.text.rstrip(" :："), value.text.strip()))
    return tuple(dict.fromkeys(found))


def _choices(drawing: Drawing, words: Sequence[OcrLine]) -> tuple[Choice, ...]:
    """Words with a small square or circle before them, where two such stand below each other."""
    holes = _holes(drawing)
    found: list[tuple[int, OcrLine, Choice]] = []
    for line in words:
        left, top, right, bottom = _pixels(line, drawing)
        tall = bottom - top
        beside = [
            one
            for one in holes
            if left - 2.5 * tall <= one[0]
            and one[0] + one[2] <= min(left + 1.3 * tall, right)
            and top - 0.25 * tall <= one[1]
            and one[1] + one[3] <= bottom + 0.25 * tall
            and 0.45 * tall <= one[3] <= 1.2 * tall
            and abs(one[1] + one[3] / 2 - (top + bottom) / 2) <= 0.25 * tall
        ]
        if beside:
            x, y, wide, high = max(beside, key=lambda one: one[2] * one[3])
            is_read = x + wide / 2 > left
            text = _SIGN.sub("", line.text).strip() if is_read else line.text.strip()
            # A square in a sign of the text itself is none.
            if len(text) > 1 and not (is_read and text == line.text.strip()):
                found.append((x, line, Choice(text, _is_marked(drawing, (x, y, wide, high)))))
    return tuple(
        choice
        for x, line, choice in found
        if any(other is not line and abs(x - at) <= 3 and middle(other)[1] != middle(line)[1] for at, other, _ in found)
    )


def _holes(drawing: Drawing) -> list[tuple[int, int, int, int]]:
    """Small squares and circles: outlines that are closed, and areas lighter than what is around them, as in a chosen row."""
    found: list[tuple[int, int, int, int]] = []
    for grey, is_outline in ((drawing.grey, True), (255 - drawing.grey, False)):
        ink = np.asarray(
            cv2.adaptiveThreshold(grey, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, 15 if is_outline else 31, 12)
        )
        contours, tree = cv2.findContours(ink, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
        rows: Any = [] if tree is None else tree[0]
        for contour, row in zip(contours, rows, strict=True):
            if row[3] >= 0 or (is_outline and row[2] < 0):
                continue
            x, y, wide, high = cv2.boundingRect(contour)
            is_square = 7 <= wide <= 40 and abs(wide - high) <= 2
            if is_square and cv2.contourArea(contour) >= 0.7 * (wide - 1) * (high - 1):
                found.append((x, y, wide, high))
    return found


def _is_marked(drawing: Drawing, box: tuple[int, int, int, int]) -> bool:
    """Whether something is drawn inside of a box, beside its frame."""
    x, y, wide, high = box
    inset = max(2, round(0.2 * wide))
    inner = drawing.grey[y + inset : y + high - inset, x + inset : x + wide - inset].astype(np.int16)
    if not inner.size:
        return False
    usual = int(np.percentile(inner, 80))
    return bool((np.abs(inner - usual) > 60).mean() > 0.1)
