"""Where in a passage the sentences stand that bear out a question or an answer.

Units are joined and cleaned of what Markdown adds (`units.py`). They are found again in the passage by their letters and digits
alone. Linear in the passage.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Final

from ragd.answer.support import word_shares
from ragd.answer.units import Unit, units_of
from ragd.core.results import Citation, Span, Support
from ragd.language.stop_words import NOT_CONTENT
from ragd.providers.protocols import Analyzer

_MOST_UNITS: Final = 60
"""Units of a passage that are looked at for a question."""
_MOST_CHARS: Final = 20_000
_MOST_SPANS: Final = 8
_LEAST_LETTERS: Final = 6
_TELLING: Final = 0.3
"""The share of the question's words that a unit must hold, of those that stand in any."""
_OPENERS: Final = "*_`~“\"'(（「『"
_CLOSERS: Final = "*_`~”\"')）」』.。!?！？…"


def for_question(question: str, citations: Sequence[Citation], analyzer: Analyzer) -> tuple[Citation, ...]:
    """Each passage with the unit that holds most of the question's words; without one where none holds enough of them."""
    read = [_units(citation) for citation in citations]
    terms = [[frozenset(analyzer.tokens(f"{unit.about} {unit.said}")) for unit in units] for units in read]
    every = [held for own in terms for held in own]
    spread = Counter(term for held in every for term in held)
    # Neither what no unit holds nor "how" and "the" tell which of them to mark.
    asked = [term for term in analyzer.tokens(question) if spread[term] and term not in NOT_CONTENT]
    marked = []
    for citation, units, own in zip(citations, read, terms, strict=True):
        shares = word_shares(asked, own, spread, len(every))
        best = max(range(len(shares)), key=lambda at: (shares[at], -at), default=None)
        if best is None or shares[best] < _TELLING:
            marked.append(citation)
        else:
            marked.append(replace(citation, highlights=spans_of(citation.passage.content, units[best].parts)))
    return tuple(marked)


def for_answer(citations: Sequence[Citation], support: Iterable[Support]) -> tuple[Citation, ...]:
    """Each passage with what bears out sentences of the answer, as their check found it."""
    quotes: dict[int, list[str]] = {}
    for sentence in support:
        for number, quote in sentence.quotes.items():
            quotes.setdefault(number, []).append(quote)
    return tuple(
        replace(citation, highlights=spans_of(citation.passage.content, quotes[citation.id]))
        if citation.id in quotes
        else citation
        for citation in citations
    )


def spans_of(content: str, texts: Iterable[str]) -> tuple[Span, ...]:
    """Where these texts stand in the content, in order and without overlap; those that are not found are left out."""
    held = _Letters(content[:_MOST_CHARS])
    found = sorted({span for text in texts if (span := held.find(text)) is not None})
    spans: list[Span] = []
    for start, end in found:
        if spans and start < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return tuple(spans[:_MOST_SPANS])


class _Letters:
    """A text by its letters and digits, and where each of them stands."""

    def __init__(self, content: str) -> None:
        self._content = content
        kept = [(at, character.casefold()) for at, character in enumerate(content) if character.isalnum()]
        self._places = [at for at, _ in kept]
        # One character may fold to several.
        self._starts = list(accumulate((len(folded) for _, folded in kept), initial=0))
        self._text = "".join(folded for _, folded in kept)

    def find(self, text: str) -> Span | None:
        """The whole text; else what follows its term or lead-in; else the cells of a row whose heads stand elsewhere."""
        _, _, behind = text.partition(": ")
        cells = "".join(part.partition(": ")[2] or part for part in text.split("; "))
        for wanted in (text, behind, cells):
            letters = _folded(wanted)
            if len(letters) < _LEAST_LETTERS and wanted is not text:
                continue
            at = self._text.find(letters) if letters else -1
            if at >= 0:
                return self._span(at, at + len(letters))
        return None

    def _span(self, first: int, end: int) -> Span:
        start = self._places[bisect_right(self._starts, first) - 1]
        stop = self._places[bisect_right(self._starts, end - 1) - 1] + 1
        while start and self._content[start - 1] in _OPENERS:
            start -= 1
        while stop < len(self._content) and self._content[stop] in _CLOSERS:
            stop += 1
        return start, stop


def _units(citation: Citation) -> Sequence[Unit]:
    passage = citation.passage
    return units_of(passage.content, passage.doc_type, is_cut=passage.ordinal > 0)[:_MOST_UNITS]


def _folded(text: str) -> str:
    return "".join(character.casefold() for character in text if character.isalnum())
