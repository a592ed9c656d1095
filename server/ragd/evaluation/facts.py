"""Whether an answer says a fact that is expected of it: its figures by what they mean, its other words as they are written.

"EUR 1,200" is said by "1200 euros", "2026-03-31" by "the 31st of March 2026". One of several wordings is enough. This looks for
the parts of a fact, not for how they hang together: it finds what is missing rather than what is wrong.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from ragd.answer.figures import Figures, figures_of, is_same_moment

_WORD: Final = re.compile(r"[^\W\d_]{2,}")
# Written beside a number, they name its unit, which is compared already.
_UNIT_SIGNS: Final = re.compile(r"[€$¥£%°]")
# Characters of an answer that are read at a time: as much as `figures_of` takes.
_PART: Final = 20_000


def says(answer: str, wordings: Sequence[str]) -> bool:
    """Whether an answer says a fact, which can be worded so or so."""
    folded = _folded(answer)
    known = [figures_of(answer[start : start + _PART]) for start in range(0, len(answer), _PART)]
    return any(_folded(wording) in folded or _by_parts(figures_of(wording), folded, known) for wording in wordings)


def _by_parts(wanted: Figures, folded: str, known: Sequence[Figures]) -> bool:
    """Whether every figure of a wording is in the answer, and every other word. One without figures is not taken apart."""
    if not wanted.quantities and not wanted.moments:
        return False
    quantities = [quantity for one in known for quantity in one.quantities]
    moments = [moment for one in known for moment in one.moments]
    if not all(any(quantity.equals(other) for other in quantities) for quantity in wanted.quantities):
        return False
    if not all(any(is_same_moment(moment, other) for other in moments) for moment in wanted.moments):
        return False
    text = wanted.text
    for quantity in reversed(wanted.quantities):
        text = f"{text[: quantity.start]} {text[quantity.end :]}"
    return all(word in folded for word in _WORD.findall(_UNIT_SIGNS.sub(" ", text)))


def _folded(text: str) -> str:
    """The text without differences of case, width and blanks."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
