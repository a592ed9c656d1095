"""Sections into chunks. Recursive splitting by tokens: a section is tokenised once, every cut is a bisection of token offsets.

From where a chunk begins, the token limit gives the furthest possible end. The cut is the last boundary of the highest level
(paragraph, line, sentence, clause, blank) in the second half of that stretch, and if it has none, the limit itself. A fenced
block or a table that fits a chunk is not cut. The next chunk begins at a boundary at most `chunk_overlap` tokens earlier. A part
of a text may have a token more than it had inside the whole, so each range is counted again and cut shorter when it is too long.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from ragd.core.documents import Document, Piece, Section
from ragd.core.ids import canonical, hash32
from ragd.core.sections import ANCESTORS
from ragd.formats.common.naming import FROM_FILE_NAME, TITLE_SOURCE
from ragd.ingest.chunking.places import Places
from ragd.ingest.chunking.views import PATH_SEPARATOR, Drawn, Shown, dense_view, shortened
from ragd.language.boundaries import LEVELS, LINE, OVERLAP_LEVELS, PARAGRAPH, Unbreakable, ends, grapheme_start, whole_blocks
from ragd.providers.protocols import Splitter, Tokenizer

_CHARACTERS_OF_A_TOKEN: Final = 8
"""No text of more characters than so many a token is counted in the hope that it fits."""

_LONGEST_STRETCH: Final = 200_000
"""Characters that are tokenised at once: each token takes some hundred bytes while its text is being cut."""

_HEADING_SHARE: Final = 4
"""The heading path may take one part in so many of a chunk's tokens."""


def build_pieces(
    document: Document,
    sections: Sequence[Section],
    *,
    shown: Shown,
    splitter: Splitter,
    tokenizer: Tokenizer,
    room: int,
) -> list[Piece]:
    """The pieces of a document in order: chunks before their views are made.

    A dense view is at most `room` tokens, the model's prefix and special tokens not among them. A section without text of its
    own gives no piece; only when that would leave none at all, the headings themselves are the text. `shown` puts what pictures
    say in the place of references to them.
    """
    if room < _HEADING_SHARE:
        raise ValueError(f"room for {room} tokens is too little for a chunk")
    places = Places(document)
    drawn = Drawn(document.diagrams, tokenizer, room)
    pieces: list[Piece] = []
    for section, begin, until in _own_ranges(document, sections):
        path = _context_path(document, section.path)
        heading = _heading_line(path, tokenizer, room // _HEADING_SHARE)
        equal_texts: Counter[str] = Counter()
        cutter = _Cutter(document.markdown, heading, room, splitter, tokenizer, shown, drawn)
        ranges = (found for part in places.stretches(begin, until) for found in cutter.ranges(*part))
        for start, end, tokens in ranges:
            text = document.markdown[start:end]
            normal = canonical(text)
            if not normal:
                continue
            heading_path = _without_repetition(path, normal)
            digest = hashlib.sha256(normal.encode()).hexdigest()
            diagrams = drawn.within(start, end)
            pieces.append(
                Piece(
                    chunk_id=hash32(section.section_id, digest, str(equal_texts[digest])),
                    section_id=section.section_id,
                    section_path=section.path,
                    ordinal=len(pieces),
                    text=text,
                    tokens=tokens,
                    place=places.of(start, end),
                    heading=heading if heading_path == path else _heading_line(heading_path, tokenizer, room // _HEADING_SHARE),
                    heading_path=heading_path,
                    image_refs=shown.image_refs(text),
                    shown_text=drawn.below(shown.text(text), diagrams),
                    diagrams=diagrams,
                )
            )
            equal_texts[digest] += 1
    return pieces


def foreseen(document: Document, sections: Sequence[Section], shown: Shown, room: int) -> Iterator[str]:
    """Most of the texts whose tokens `build_pieces` counts: who has to ask for each count can ask for these at once."""
    places = Places(document)
    for section, begin, until in _own_ranges(document, sections):
        heading = PATH_SEPARATOR.join(_context_path(document, section.path))
        yield heading
        for low, high in places.stretches(begin, until):
            start, end = trim(document.markdown, low, high)
            if start < end <= start + room * _CHARACTERS_OF_A_TOKEN:
                text = document.markdown[start:end]
                yield text
                yield dense_view(heading, shown.text(text))


def _own_ranges(document: Document, sections: Sequence[Section]) -> list[tuple[Section, int, int]]:
    """Each section with the range of its text; with its heading's, too, where no section has any text."""
    if any(canonical(document.markdown[section.start : section.end]) for section in sections):
        return [(section, section.start, section.end) for section in sections]
    headings = {heading.end: heading.start for heading in document.headings}
    return [(section, headings.get(section.start, section.start), section.end) for section in sections]


def _context_path(document: Document, section_path: Sequence[str]) -> tuple[str, ...]:
    """The section path, with the document's title before its headings unless they begin with it or the title is a file name."""
    path = tuple(section_path)
    if document.metadata.get(TITLE_SOURCE) == FROM_FILE_NAME:
        return path
    above = len(document.metadata.get(ANCESTORS, ()))
    if len(path) > above and canonical(path[above]) == canonical(document.title):
        return path
    return (*path[:above], document.title, *path[above:])


def _without_repetition(path: tuple[str, ...], normal: str) -> tuple[str, ...]:
    """The path without its first heading where the canonical text begins with it: a title taken from the first line."""
    return path[1:] if path and normal.startswith(canonical(path[0])) else path


def _heading_line(path: Sequence[str], tokenizer: Tokenizer, max_tokens: int) -> str:
    """The path as one line of at most `max_tokens` tokens. What is too long loses its outer headings, then its own end."""
    for first in range(len(path)):
        line = PATH_SEPARATOR.join(path[first:])
        if tokenizer.count(line) <= max_tokens:
            return line
    return shortened(path[-1], tokenizer, max_tokens) if path else ""


class _Cutter:
    """Cuts the sections of one heading so that the dense view of every part fits."""

    def __init__(
        self, markdown: str, heading: str, room: int, splitter: Splitter, tokenizer: Tokenizer, shown: Shown, drawn: Drawn
    ) -> None:
        self._markdown = markdown
        self._heading = heading
        self._room = room
        self._splitter = splitter
        self._tokenizer = tokenizer
        self._shown = shown
        self._drawn = drawn

    def ranges(self, start: int, end: int, limit: int | None = None) -> Iterator[tuple[int, int, int]]:
        """The splitter's ranges of at most `limit` tokens, as positions in the content, with the tokens of their views.

        Heading and text may have a token more together than apart, and pictures and diagrams have text of their own: a range
        whose view is too long is split again, smaller.
        """
        if limit is None:
            limit = self._room - (self._tokenizer.count(self._heading) if self._heading else 0)
        for low, high in self._splitter.split(self._markdown[start:end], limit):
            first, last = start + low, start + high
            text = self._drawn.below(self._shown.text(self._markdown[first:last]), self._drawn.within(first, last))
            view = dense_view(self._heading, text)
            tokens = self._tokenizer.count(view)
            excess = tokens - self._room
            if excess <= 0 or limit - excess < 1 or last - first == 1:
                yield first, last, tokens
            else:
                yield from self.ranges(first, last, limit - excess)


class RecursiveSplitter:
    """Cuts a text at its natural boundaries into ranges of at most so many tokens."""

    name = "recursive"

    def __init__(self, tokenizer: Tokenizer, chunk_overlap: int) -> None:
        self.profile = f"recursive-2/overlap={chunk_overlap}"
        self._tokenizer = tokenizer
        self._overlap = chunk_overlap

    def split(self, text: str, max_tokens: int) -> list[tuple[int, int]]:
        """Ranges in order that together hold every character but blanks at their edges; none is blank.

        A single character that is more than `max_tokens` tokens is the one thing that may exceed them.
        """
        start, end, fits = stretch(text, max_tokens, self._tokenizer)
        if fits:
            return [(start, end)] if start < end else []
        overlap = min(self._overlap, max_tokens // 3)
        found: list[tuple[int, int]] = []
        for first, last in _stretches(text, start, end):
            cuts = _Cuts(text[first:last], self._tokenizer, max_tokens, overlap)
            found.extend((first + low, first + high) for low, high in cuts.ranges())
        return found


def _stretches(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A long text in parts that are tokenised one by one, cut at the end of a paragraph, else of a line, where there is one."""
    while end - start > _LONGEST_STRETCH:
        low, high = start + _LONGEST_STRETCH // 2, start + _LONGEST_STRETCH
        places = (max(ends(level, text, low, high), default=None) for level in (PARAGRAPH, LINE))
        cut = next((place for place in places if place), None) or grapheme_start(text, high, low)
        yield trim(text, start, cut)
        start = _skip_blanks(text, cut)
    if start < end:
        yield start, end


class _Cuts:
    """The cuts of one text, which neither begins nor ends with a blank."""

    def __init__(self, text: str, tokenizer: Tokenizer, max_tokens: int, overlap: int) -> None:
        self.text = text
        self.tokenizer = tokenizer
        self.max_tokens = max_tokens
        self.overlap = overlap
        self.tokens = tokenizer.starts(text)
        fits = (block for block in whole_blocks(text) if self._count(*block) < max_tokens)
        self.whole = Unbreakable(list(fits))

    def ranges(self) -> list[tuple[int, int]]:
        if len(self.tokens) <= self.max_tokens:
            return [(0, len(self.text))]
        found: list[tuple[int, int]] = []
        start = done = 0
        while done < len(self.text):
            cut = self._checked_cut(start, done)
            if cut <= done:  # with the overlap in front, nothing new fits
                start = done
                continue
            found.append(trim(self.text, start, cut))
            done = _skip_blanks(self.text, cut)
            start = self._next_start(start, cut) if done < len(self.text) else done
        return found

    def _count(self, start: int, end: int) -> int:
        return bisect_left(self.tokens, end) - bisect_left(self.tokens, start)

    def _checked_cut(self, start: int, done: int) -> int:
        """Where the chunk from `start` ends; at or before `done` when it would hold nothing that the last one lacks."""
        limit = self.max_tokens
        cut = self._cut(start, done, limit)
        while cut > done:
            excess = self.tokenizer.count(self.text[slice(*trim(self.text, start, cut))]) - self.max_tokens
            if excess <= 0 or cut - start == 1:
                break
            limit = min(limit, self._count(start, cut)) - excess
            # Below 1 the tokens of the part have little to do with those of the whole, and only characters are left to go by.
            cut = self._cut(start, done, limit) if limit >= 1 else start + (cut - start) // 2
        return cut

    def _cut(self, start: int, done: int, limit: int) -> int:
        first = bisect_left(self.tokens, start)
        if first + limit >= len(self.tokens):
            return len(self.text)
        high = max(self.tokens[first + limit], start + 1)
        if (block := self.whole.around(high)) and block[0] > start:
            return block[0]
        low = max(self.tokens[first + limit // 2], start, done)
        for level in LEVELS:
            places = [place for place in ends(level, self.text, low, high) if not self._inside(place, start, high)]
            if level is LEVELS[0]:
                places.extend(self.whole.edges(low, high))
            if places:
                return max(places)
        return grapheme_start(self.text, high, max(start, done))

    def _inside(self, place: int, start: int, high: int) -> bool:
        block = self.whole.around(place)
        return block is not None and (block[0] > start or block[1] <= high)

    def _next_start(self, start: int, cut: int) -> int:
        """The earliest boundary, of the highest level that has one, within the overlap before `cut`; else what follows it."""
        after = _skip_blanks(self.text, cut)
        last = bisect_left(self.tokens, cut)
        if not self.overlap:
            return after
        low = max(self.tokens[max(0, last - self.overlap)] - 1, _skip_blanks(self.text, start))
        for level in OVERLAP_LEVELS:
            for place in ends(level, self.text, low, cut - 1):
                if not self.whole.around(place) and self._count(place, cut) <= self.overlap:
                    return place
        return after


def _skip_blanks(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def stretch(text: str, max_tokens: int, tokenizer: Tokenizer) -> tuple[int, int, bool]:
    """The text without blanks at its ends, and whether it fits: counting it costs a fraction of what cutting does."""
    if max_tokens < 1:
        raise ValueError(f"max_tokens must be at least 1, not {max_tokens}")
    start, end = trim(text, 0, len(text))
    fits = end - start <= max_tokens * _CHARACTERS_OF_A_TOKEN and tokenizer.count(text[start:end]) <= max_tokens
    return start, end, fits


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without blanks at its ends."""
    start = _skip_blanks(text, start)
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
