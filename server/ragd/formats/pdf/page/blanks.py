"""Blanks between words, where the file does not draw them: by the gaps between the characters of a line.

pdfium makes a blank where a gap is wide for the letters beside it. In tightly set text that joins words ("twowinters"), and where
letters stand apart, as in justified text, it parts them ("hav e"). Gaps are measured here in font sizes (em) over the line's own
distance of letters: between words of real documents they are 0.27 to 0.44 where pdfium saw none, within words 0.08 at most in 99
of 100 cases.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ragd.formats.pdf.page.glyphs import Glyphs
from ragd.formats.pdf.page.page import Boxes

_BLANK: Final = 0.2
"""Gap (em) that is a blank, whatever stands beside it."""
_OF_OTHERS: Final = 0.6
"""Share of the line's usual blank below which a smaller gap is none."""
_NO_BLANK: Final = 0.08
"""Gap (em) that is none, whatever stands beside it."""
_SPACED: Final = 0.05
"""Distance of letters (em) from which a line is letter-spaced; in others pdfium parts no words."""
_FEW: Final = 0.3
"""Share of a line's characters that touch the next one, below which it is letter-spaced."""
_LEAST_HEIGHT: Final = 0.7
"""The boxes of characters are at least so high (em), and at most a half more."""

Places = NDArray[np.intp]


def blanks(
    glyphs: Glyphs, boxes: Boxes, kinds: NDArray[np.int8], is_wide: NDArray[np.bool_], size: Callable[[int], float]
) -> tuple[Places, Places]:
    """Where blanks are missing and where pdfium made one within a word: visible characters (but the last) before the gap.

    `boxes` are in reading space, `kinds` says which characters go on a line (1), `is_wide` which are written without blanks
    around them; `size` gives the font size of a character of the text.
    """
    gaps = boxes[1:, 0] - boxes[:-1, 2]
    heights = np.minimum(boxes[1:, 3] - boxes[1:, 1], boxes[:-1, 3] - boxes[:-1, 1])
    codes = glyphs.codes[glyphs.at]
    is_word = _is_alphanumeric(codes)
    step = np.diff(glyphs.at)
    considered = (kinds == 1) & ~is_wide[1:] & ~is_wide[:-1]
    touching = considered & (step == 1)
    wide = touching & (is_word[1:] | is_word[:-1]) & (gaps >= _BLANK * _LEAST_HEIGHT * heights)
    narrow = considered & (step == 2) & (is_word[1:] | is_word[:-1]) & (gaps < _BLANK * 2 * heights)
    missing: list[int] = []
    needless: list[int] = []
    lines = np.cumsum(kinds != 1)
    for line in np.unique(lines[wide | narrow]).tolist():
        first, end = np.searchsorted(lines, (line, line + 1)).tolist()
        first += int(kinds[first] != 1)  # the gap before the line
        here = slice(first, end)
        em = size(int(glyphs.at[first])) or float(heights[first])
        letters = gaps[here][touching[here]]
        if len(letters) < _FEW * (end - first):  # letter-spaced, so that there is a blank after nearly every one
            letters = gaps[here]
        if not em or not len(letters):
            continue
        own = float(np.quantile(letters, 0.25)) / em
        over = gaps[here] / em - own
        found = (np.flatnonzero(wide[here] & (over >= _BLANK)) + first).tolist()
        missing += found
        if own < _SPACED:
            continue
        words = over[(step[here] > 1) | (wide[here] & (over >= _BLANK))]
        usual = float(np.quantile(words, 0.8)) if len(words) else 0.0
        for place in np.flatnonzero(narrow[here] & (over < _BLANK) & (over < max(_NO_BLANK, _OF_OTHERS * usual))).tolist():
            if glyphs.is_generated(first + place):
                needless.append(first + place)
    return np.array(missing, dtype=np.intp), np.array(needless, dtype=np.intp)


def _is_alphanumeric(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    digits_and_letters = ((codes >= 0x30) & (codes <= 0x39)) | ((codes | 0x20) >= 0x61) & ((codes | 0x20) <= 0x7A)
    return np.asarray(digits_and_letters | ((codes >= 0xC0) & (codes < 0x2000) & (codes != 0xD7) & (codes != 0xF7)))
