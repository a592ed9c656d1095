"""The characters of a PDF page as segments: pieces of lines with their place, size and direction.

pdfium gives characters in the order in which the file draws them. The box of each is asked for once (a microsecond); all else is
done on whole arrays. Two characters that follow each other belong to one segment when they stand side by side on one line, less
than `_WIDEST_GAP` apart. Where they follow each other in another direction than most of the page does (a stamp along the edge, a
watermark), they make segments of their own, which are no part of the layout.
"""

from __future__ import annotations

import ctypes
import math
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

from ragd.formats.pdf.page.blanks import blanks
from ragd.formats.pdf.page.glyphs import Glyphs
from ragd.formats.pdf.page.page import Box, Boxes, Direction, Page, Rule, Segment
from ragd.language.scripts import CJK, EAST_ASIAN, code_ranges

HYPHEN: Final = "\x02"
"""What stands at the end of a line for a hyphen that pdfium took for a division mark, which it may not be."""
SOFT_HYPHEN: Final = "\xad"

_WIDEST_GAP: Final = 1.0
"""Gap, in heights of the smaller character, from which two characters are in different segments. Word gaps are 0.2 to 0.9."""
_LIGATURES: Final = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_REPLACED: Final = {**_LIGATURES, 0xFFFE: HYPHEN, 0xA0: " ", 0x3000: " ", 0x2028: " ", 0x2029: " ", 0: None}
_INVISIBLE: Final = re.compile("[\x00\x01\x03-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_BLANK_RUN: Final = re.compile(r"[ \u1680\u2000-\u200a\u202f\u205f]+")
_INNER_SOFT_HYPHEN: Final = re.compile(f"{SOFT_HYPHEN}(?!$)")
_CJK: Final = code_ranges(CJK)
_NEEDS_CARE: Final = re.compile(f"[^\x20-\x7e\xa1-\xac\xae-\xff\u0370-\u04ff\u2010-\u2027{EAST_ASIAN}\r\n]|  ")
_BOLD: Final = 600
_MAX_FONT_NAME: Final = 128


def read_segments(
    glyphs: Glyphs,
    page: Page,
    rules: Sequence[Rule],
    links: Sequence[tuple[Sequence[float], str]],
    levels: Mapping[int, int],
    *,
    with_words: bool = False,
) -> list[tuple[Sequence[float], str]]:
    """Puts the page's segments into `page`, whose reading direction is decided here.

    `rules` (shown space) cut segments that they run through, as between the cells of a table. `links` are boxes in shown space
    and their targets; those that no text stands for are returned. `levels` are those of headings by their marked content.
    `with_words`: each segment has its words, too.
    """
    if not len(glyphs):
        return list(links)
    page.frame = replace(page.frame, reads=_direction(glyphs.boxes, glyphs.line))
    boxes = page.frame.turned(glyphs.boxes)
    kinds = _joined(boxes, glyphs.line)
    for rule in rules:
        kinds[_cut_by(rule, glyphs.boxes)] = 0
    missing, inner = blanks(glyphs, boxes, kinds, _in_ranges(glyphs.codes[glyphs.at]), partial(_font_size, glyphs))
    kinds[np.setdiff1d(glyphs.seams(kinds), inner).astype(np.intp)] = 0
    width, height = page.frame.size
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    seen = (centres[:, 0] > -1) & (centres[:, 0] < width + 1) & (centres[:, 1] > -1) & (centres[:, 1] < height + 1)
    kinds[seen[1:] != seen[:-1]] = 0
    page.hidden = int((~seen).sum())
    turns = np.append(False, (kinds[1:] != kinds[:-1]) & (kinds[:-1] != 0))
    starts = np.append(0, np.flatnonzero((kinds == 0) | turns) + 1)
    targets, unplaced = _linked(glyphs.boxes, links)
    builder = _Builder(glyphs, boxes, starts, targets, levels, missing, inner)
    ends = [*starts[1:].tolist(), len(boxes)]
    for number, (start, end) in enumerate(zip(starts.tolist(), ends, strict=True)):
        if seen[start] and (segment := builder.segment(number, start, end)):
            if with_words:
                segment.words = builder.words(start, end)
            across = end - start > 1 and kinds[start] == 2
            (page.aside if across else page.segments).append(segment)
    return unplaced


class _Builder:
    """Makes the segments of one page, which begin at `starts` (places among the visible characters)."""

    def __init__(
        self,
        glyphs: Glyphs,
        boxes: Boxes,
        starts: NDArray[np.intp],
        targets: dict[int, tuple[int, str]],
        levels: Mapping[int, int],
        missing: NDArray[np.intp],
        inner: NDArray[np.intp],
    ) -> None:
        self.glyphs = glyphs
        self.targets = targets
        self.levels = levels
        self.at: list[int] = glyphs.at.tolist()
        self.boxes = np.concatenate(
            (np.minimum.reduceat(boxes[:, :2], starts), np.maximum.reduceat(boxes[:, 2:], starts)), axis=1
        ).tolist()
        self.glyph_boxes = boxes
        codes = glyphs.codes[glyphs.at]
        self.even = _even(codes, boxes[:, 2] - boxes[:, 0], starts)
        self.needless = self._needless_blanks(codes, boxes)
        self.needless[glyphs.at[inner] + 1] = True
        shown = np.insert(np.where(self.needless, 0, glyphs.codes), glyphs.at[missing] + 1, 0x20)
        self.place: list[int] = (glyphs.at + np.searchsorted(missing, np.arange(len(glyphs.at)))).tolist()
        self.text = shown.astype("<u4").tobytes().decode("utf-32-le", "replace")
        self.plain = _NEEDS_CARE.search(self.text) is None
        self.name = ctypes.create_string_buffer(_MAX_FONT_NAME)
        self.flags = ctypes.c_int()

    def segment(self, number: int, start: int, end: int) -> Segment | None:
        text = self._linked_text(start, end) if self.targets else self._text(start, end)
        if not text:
            return None
        x0, y0, x1, y1 = self.boxes[number]
        middle = self.at[(start + end - 1) // 2]
        size = _font_size(self.glyphs, middle) or y1 - y0
        bold = pdfium_c.FPDFText_GetFontWeight(self.glyphs.raw, middle) >= _BOLD
        level = self.levels.get(self.glyphs.content_id(middle), 0) if self.levels else 0
        spaced = start == 0 or (self.at[start] - self.at[start - 1] > 1 and not self.needless[self.at[start] - 1])
        return Segment(text, x0, y0, x1, y1, size, bold, self._font(middle), self.even[number], False, spaced, level)

    def words(self, start: int, end: int) -> tuple[tuple[str, Box], ...]:
        """The words of these visible characters, cut at the blanks between them, each with its place in reading space."""
        cuts = [index for index in range(start + 1, end) if self.text[self.place[index - 1] + 1 : self.place[index]].strip("\0")]
        found = []
        for first, last in pairwise([start, *cuts, end]):
            if text := self._text(first, last):
                here = self.glyph_boxes[first:last]
                x0, y0 = here[:, :2].min(axis=0).tolist()
                x1, y1 = here[:, 2:].max(axis=0).tolist()
                found.append((text, (x0, y0, x1, y1)))
        return tuple(found)

    def _linked_text(self, start: int, end: int) -> str:
        parts: list[str] = []
        done = start
        for index in sorted(index for index in self.targets if start <= index < end):
            if index < done:
                continue
            until, target = self.targets[index]
            parts += [self._text(done, index), self._blank(index)] if done < index else []
            parts.append(_link_text(self._text(index, min(until, end)), target))
            done = min(until, end)
            parts.append(self._blank(done) if done < end else "")
        return "".join([*parts, self._text(done, end)])

    def _blank(self, index: int) -> str:
        """The blank before a visible character that isn't the first, if there is one."""
        return " " if self.place[index] - self.place[index - 1] > 1 else ""

    def _text(self, start: int, end: int) -> str:
        """The text of these visible characters, with the blanks between them."""
        if start >= end:
            return ""
        text = self.text[self.place[start] : self.place[end - 1] + 1]
        if self.plain:
            return text
        text = _INVISIBLE.sub("", text.translate(_REPLACED))
        return _BLANK_RUN.sub(" ", _INNER_SOFT_HYPHEN.sub("", text)).strip(" ")

    def _needless_blanks(self, codes: NDArray[np.uint32], boxes: Boxes) -> NDArray[np.bool_]:
        """Blanks that stand for a small gap between Japanese or Chinese characters, or (made by pdfium) beside one of them."""
        at = self.glyphs.at
        found = np.zeros(len(self.glyphs.codes), dtype=bool)
        spread = np.flatnonzero(np.diff(at) > 1)
        gap = boxes[spread + 1, 0] - boxes[spread, 2]
        height = boxes[spread, 3] - boxes[spread, 1]
        wide = _in_ranges(codes)
        both = wide[spread] & wide[spread + 1] & (gap < 0.15 * height)
        beside = (wide[spread] | wide[spread + 1]) & (gap < 0.4 * height)
        for index, certain in zip(spread[beside].tolist(), both[beside].tolist(), strict=True):
            if certain or self.glyphs.is_generated(index):
                found[at[index] + 1 : at[index + 1]] = True
        return found

    def _font(self, index: int) -> str:
        length = pdfium_c.FPDFText_GetFontInfo(self.glyphs.raw, index, self.name, _MAX_FONT_NAME, self.flags)
        return sys.intern(self.name.value.decode("latin-1")) if 0 < length <= _MAX_FONT_NAME else ""


def _font_size(glyphs: Glyphs, index: int) -> float:
    """The size in points at which a character of the text is shown."""
    size = float(pdfium_c.FPDFText_GetFontSize(glyphs.raw, index))
    matrix = pdfium_c.FS_MATRIX()
    if not pdfium_c.FPDFText_GetMatrix(glyphs.raw, index, matrix):
        return size
    return size * math.hypot(matrix.c, matrix.d)


def _even(codes: NDArray[np.uint32], widths: NDArray[np.float64], starts: NDArray[np.intp]) -> list[bool]:
    """For each segment, whether its Latin letters and digits have one width."""
    letters = ((codes >= 0x61) & (codes <= 0x7A)) | ((codes >= 0x41) & (codes <= 0x5A)) | ((codes >= 0x30) & (codes <= 0x39))
    widest = np.maximum.reduceat(np.where(letters, widths, 0.0), starts)
    narrowest = np.minimum.reduceat(np.where(letters, widths, np.inf), starts)
    return [bool(value) for value in (narrowest > 0.98 * widest)]


def _link_text(text: str, target: str) -> str:
    """Markdown for a link, or the text alone when it shows its target."""
    bare = re.sub(r"^(?:https?://|mailto:)|/$", "", target)
    if not text or re.sub(r"^(?:https?://|mailto:)|/$", "", text) == bare:
        return text
    label = text.replace("[", "(").replace("]", ")")
    return f"[{label}]({target.replace(' ', '%20').replace('(', '%28').replace(')', '%29')})"


def is_cjk(char: str) -> bool:
    """Whether a character is written without blanks around it."""
    return any(low <= ord(char) <= high for low, high in _CJK)


def _direction(boxes: Boxes, line: NDArray[Any]) -> Direction:
    """Where most of the next characters stand, as seen from the one before."""
    directions: tuple[Direction, ...] = ("right", "down", "up", "left")
    if len(boxes) < 3:
        return "right"
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    step = np.diff(centres, axis=0)
    extent = np.minimum(boxes[1:, 2:] - boxes[1:, :2], boxes[:-1, 2:] - boxes[:-1, :2])
    same = line[1:] == line[:-1]
    level = same & (np.abs(step[:, 1]) < 0.4 * extent[:, 1]) & (np.abs(step[:, 0]) < 3 * np.maximum(extent[:, 1], 1))
    upright = same & (np.abs(step[:, 0]) < 0.4 * extent[:, 0]) & (np.abs(step[:, 1]) < 3 * np.maximum(extent[:, 0], 1))
    counts = [
        int((level & (step[:, 0] > 0)).sum()),
        int((upright & (step[:, 1] > 0) & ~level).sum()),
        int((upright & (step[:, 1] < 0) & ~level).sum()),
        int((level & (step[:, 0] < 0)).sum()),
    ]
    return directions[int(np.argmax(counts))]


def _joined(boxes: Boxes, line: NDArray[Any]) -> NDArray[np.int8]:
    """For each character but the first: 1 when it goes on a line, 2 when it goes on in another direction, else 0."""
    before, after = boxes[:-1], boxes[1:]
    heights = boxes[:, 3] - boxes[:, 1]
    height = np.minimum(heights[:-1], heights[1:])
    gap = after[:, 0] - before[:, 2]
    overlap = np.minimum(before[:, 3], after[:, 3]) - np.maximum(before[:, 1], after[:, 1])
    step = (after[:, :2] + after[:, 2:] - before[:, :2] - before[:, 2:]) / 2
    slanted = (np.abs(step[:, 1]) > 0.3 * height) & (height > 0.8 * np.maximum(heights[:-1], heights[1:]))
    level = (overlap > 0.25 * height) & ~slanted
    # The letters of one ligature may all have its box, and accents stand above what they follow.
    onward = after[:, 0] > before[:, 0] - 0.2 * height
    same = line[1:] == line[:-1]
    extent = np.maximum(before[:, 2:] - before[:, :2], after[:, 2:] - after[:, :2]).max(axis=1)
    near = np.hypot(step[:, 0], step[:, 1]) < 1.3 * extent
    along = level & onward & (gap < _WIDEST_GAP * height)
    return np.where(same & along, 1, np.where(same & ~level & near, 2, 0)).astype(np.int8)


def _cut_by(rule: Rule, boxes: Boxes) -> NDArray[np.bool_]:
    """Which characters (but the first) have the rule between them and the one before."""
    near, far, low, high = (0, 2, 1, 3) if rule.upright else (1, 3, 0, 2)
    before, after = boxes[:-1], boxes[1:]
    beside = (np.minimum(before[:, far], after[:, far]) <= rule.at + 1.5) & (
        np.maximum(before[:, near], after[:, near]) >= rule.at - 1.5
    )
    middle = (after[:, low] + after[:, high]) / 2
    return np.asarray(beside & (middle > rule.start) & (middle < rule.end))


def _linked(
    boxes: Boxes, links: Sequence[tuple[Sequence[float], str]]
) -> tuple[dict[int, tuple[int, str]], list[tuple[Sequence[float], str]]]:
    """Links by the first of their characters, with the end of them; and those without characters."""
    found: dict[int, tuple[int, str]] = {}
    unplaced = []
    middle = (boxes[:, :2] + boxes[:, 2:]) / 2
    for box, target in links:
        inside = np.flatnonzero(
            (middle[:, 0] > box[0]) & (middle[:, 0] < box[2]) & (middle[:, 1] > box[1]) & (middle[:, 1] < box[3])
        )
        if not len(inside):
            unplaced.append((box, target))
            continue
        for run in np.split(inside, np.flatnonzero(np.diff(inside) > 1) + 1):
            found[int(run[0])] = (int(run[-1]) + 1, target)
    return found, unplaced


def _in_ranges(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    found = np.zeros(len(codes), dtype=bool)
    for low, high in _CJK:
        found |= (codes >= low) & (codes <= high)
    return found
