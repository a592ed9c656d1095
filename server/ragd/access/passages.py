"""A passage in the newer version of its document: where what it said stands now, and what stands there.

Unchanged text is found again as it was. Else it is what stands under the same headings, and else the stretch that has most in
common with the old passage and the question, by the analyzer's terms. Where too little of the old passage is left, it is gone.
"""

from __future__ import annotations

import heapq
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ragd.core.documents import Document, Place, Section
from ragd.core.ids import canonical
from ragd.core.results import Passage
from ragd.core.sections import split_sections

_COMMENT: Final = "focusedCommentId"
"""What the anchor of a comment's passage holds."""

# A stretch of at least so many characters is taken, and at most so many times the old passage's length.
_LEAST_CHARS: Final = 800
_MOST_TIMES: Final = 1.5
# Share of the old passage's terms that a stretch under other headings must have, to be taken for what became of it.
_LEAST_SHARED: Final = 0.25
# Stretches that are held against the terms.
_LOOKED_AT: Final = 8

_PARAGRAPH = re.compile(r"\n[ \t]*\n+")

Terms = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Body:
    """An item as a token reads it now. `pictures` are the asset ids that its content shows."""

    version: str
    title: str
    source: str
    uri: str
    document: Document
    pictures: frozenset[str] = frozenset()


def is_comment(passage: Passage) -> bool:
    """Whether the passage is a comment, which a body that is fetched at a hit does not hold."""
    return _COMMENT in (passage.place.anchor or "")


def taken_from(body: Body, passage: Passage, question: str, terms: Terms, count_tokens: Callable[[str], int]) -> Passage | None:
    """The passage with the text of the new body; None when what it said is gone."""
    document = body.document
    if _squeezed(passage.content) in _squeezed(document.markdown):
        return _renewed(body, passage, passage.content, passage.section_path, passage.place, passage.tokens)
    sections = split_sections(document, passage.doc_id)
    most = max(_LEAST_CHARS, int(len(passage.content) * _MOST_TIMES))
    wanted = _Wanted(passage.content, question, terms)
    section = _same_headings(sections, document, passage.section_path)
    if section is not None:
        found = wanted.best(list(_stretches(section, document.markdown, most)))
    else:
        found = wanted.best([one for section in sections for one in _stretches(section, document.markdown, most)])
        if found is None or wanted.shared(found) < _LEAST_SHARED:
            return None
    if found is None:
        return None
    place = _place_at(document, found.start)
    return _renewed(body, passage, found.text, found.section.path, place, count_tokens(found.text))


@dataclass(frozen=True, slots=True)
class _Stretch:
    section: Section
    start: int
    text: str


class _Wanted:
    """What is looked for. Terms cost time, so only the stretches that look most alike by their letters are held against them."""

    def __init__(self, old: str, question: str, terms: Terms) -> None:
        self._terms = terms
        self._old = set(terms(old))
        self._asked = set(terms(question))
        self._letters = _pairs(f"{old} {question}")

    def best(self, stretches: Sequence[_Stretch]) -> _Stretch | None:
        likely = heapq.nlargest(_LOOKED_AT, stretches, key=lambda stretch: len(self._letters & _pairs(stretch.text)))
        return max(likely, key=self._worth, default=None)

    def shared(self, stretch: _Stretch) -> float:
        """Share of the old passage's terms that a stretch has, 0..1."""
        return len(self._old & set(self._terms(stretch.text))) / len(self._old) if self._old else 0.0

    def _worth(self, stretch: _Stretch) -> tuple[int, int]:
        own = set(self._terms(stretch.text))
        return len(own & self._old) + len(own & self._asked), len(own & self._old)


def _pairs(text: str) -> set[str]:
    folded = text.casefold()
    return {folded[at : at + 2] for at in range(len(folded) - 1)}


def _renewed(body: Body, passage: Passage, content: str, path: tuple[str, ...], place: Place, tokens: int) -> Passage:
    return replace(
        passage,
        content=content,
        title=body.title or passage.title,
        source=body.source,
        source_uri=body.uri,
        section_path=path,
        place=place,
        tokens=tokens,
        images=tuple(image for image in passage.images if image.asset_id in body.pictures),
        diagrams=(),
        # What was derived from the old text may say what the new one no longer does.
        enrichment={},
        as_of=None,
        live_version=body.version,
    )


def _same_headings(sections: Sequence[Section], document: Document, path: Sequence[str]) -> Section | None:
    wanted = [_squeezed(heading) for heading in path]
    with_text = [section for section in sections if document.markdown[section.start : section.end].strip()]
    return next((section for section in with_text if [_squeezed(heading) for heading in section.path] == wanted), None)


def _stretches(section: Section, markdown: str, most: int) -> Iterator[_Stretch]:
    """A section in parts of whole paragraphs, none longer than `most` characters; one long paragraph is cut."""
    start = section.start
    ends = [match.end() for match in _PARAGRAPH.finditer(markdown, section.start, section.end)] + [section.end]
    last = start
    for end in ends:
        if end - start > most and last > start:
            yield from _cut(section, markdown, start, last, most)
            start = last
        last = end
    yield from _cut(section, markdown, start, section.end, most)


def _cut(section: Section, markdown: str, start: int, end: int, most: int) -> Iterator[_Stretch]:
    for at in range(start, end, most):
        if text := markdown[at : min(at + most, end)].strip():
            yield _Stretch(section, at, text)


def _place_at(document: Document, offset: int) -> Place:
    marks = document.marks
    index = bisect_right(marks, offset, key=lambda mark: mark.offset) - 1
    return marks[index].place if index >= 0 else Place()


def _squeezed(text: str) -> str:
    return " ".join(canonical(text).split())
