"""Splitters other than the recursive one: by a fixed number of tokens, and by where the meaning changes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import numpy as np

from ragd.ingest.chunking.recursive import RecursiveSplitter, stretch, trim
from ragd.language.boundaries import PARAGRAPH, SENTENCE, Unbreakable, ends, fenced_blocks, grapheme_start
from ragd.providers.protocols import PassageEmbedder, Tokenizer

_WINDOW: Final = 2
"""Sentences on each side of a possible cut that are compared, so that a short one isn't compared alone."""
_TINY_SHARE: Final = 8
"""A stretch of less than one part in so many of a chunk's tokens is joined to a neighbour."""
_DISTANCE_DECIMALS: Final = 5
"""Distances are rounded, since the last digits of a vector depend on what was embedded with it."""

_EMBEDDED_AT_ONCE: Final = 512
_TABLE: Final = re.compile(r"^(?:[ \t]{0,3}\|[^\n]*(?:\n|\Z))+", re.MULTILINE)


class FixedSplitter:
    """Cuts a text after every so many tokens, wherever that is, but never inside a grapheme."""

    name = "fixed"

    def __init__(self, tokenizer: Tokenizer, chunk_overlap: int) -> None:
        self.profile = f"fixed-1/overlap={chunk_overlap}"
        self._tokenizer = tokenizer
        self._overlap = chunk_overlap

    def split(self, text: str, max_tokens: int) -> list[tuple[int, int]]:
        """Ranges in order that together hold every character but blanks at their edges; none is blank.

        Neighbours share at most `chunk_overlap` tokens, and at most a third of `max_tokens`. A single grapheme of more than
        `max_tokens` tokens is cut between its characters, and a single character of more is the one thing that may exceed them.
        """
        start, end, fits = stretch(text, max_tokens, self._tokenizer)
        if fits:
            return [(start, end)] if start < end else []
        tokens = [start + first for first in self._tokenizer.starts(text[start:end])]
        overlap = min(self._overlap, max_tokens // 3)
        found: list[tuple[int, int]] = []
        done = start
        while done < end:
            cut = self._cut(text, tokens, start, done, end, max_tokens)
            if cut <= done:  # with the overlap in front, nothing new fits
                start = done
                continue
            found.append(trim(text, start, cut))
            done = trim(text, cut, end)[0]
            start = _next_start(text, tokens, start, cut, done, overlap)
        return found

    def _cut(self, text: str, tokens: list[int], start: int, done: int, end: int, max_tokens: int) -> int:
        """Where the chunk from `start` ends. A part may have more tokens than it had inside the whole, so it is counted again."""
        first = bisect_left(tokens, start)
        limit = max_tokens
        cut = end if first + limit >= len(tokens) else max(tokens[first + limit], start + 1)
        while True:
            cut = cut if cut == end else grapheme_start(text, cut, start)
            low, high = trim(text, start, cut)
            excess = self._tokenizer.count(text[low:high]) - max_tokens
            if excess <= 0 or cut - start == 1 or cut <= done:
                return cut
            limit = min(limit, bisect_left(tokens, cut) - first) - excess
            shorter = max(tokens[first + limit], start + 1) if limit >= 1 else cut
            # The tokens of the part may have little to do with those of the whole; then only characters are left to go by.
            cut = shorter if shorter < cut else start + max(1, (cut - start) // 2)


class SemanticSplitter:
    """Cuts a text that is too long for one chunk where neighbouring sentences differ most, by the embedding model.

    The percentile method of Greg Kamradt ("5 Levels of Text Splitting", 2023, level 4): the text is cut where the cosine distance
    of neighbours is above the given percentile of all such distances of the text. His windows share sentences across the cut,
    which blurs it; compared are therefore the sentences before and those after it, as in M. Hearst, "TextTiling", Computational
    Linguistics 23(1), 1997. Fenced blocks and tables are one sentence each. Then, what is tiny is joined to the neighbour that
    it differs from least, and what is still too long is cut at its natural boundaries, with overlap; elsewhere nothing
    overlaps, since what a cut parts has little in common.
    """

    name = "semantic"

    def __init__(self, tokenizer: Tokenizer, chunk_overlap: int, embedder: PassageEmbedder, percentile: float) -> None:
        self._recursive = RecursiveSplitter(tokenizer, chunk_overlap)
        self._tokenizer = tokenizer
        self._embedder = embedder
        self._percentile = percentile
        self.profile = (
            f"semantic-1/percentile={percentile:g}/window={_WINDOW}/tiny={_TINY_SHARE}/{embedder.model_id}@{embedder.revision}"
            f"/{self._recursive.profile}"
        )

    def split(self, text: str, max_tokens: int) -> list[tuple[int, int]]:
        """Ranges as those of `RecursiveSplitter`; a text that fits is one range, and then nothing is embedded."""
        start, end, fits = stretch(text, max_tokens, self._tokenizer)
        if fits:
            return [(start, end)] if start < end else []
        part = text[start:end]
        edges = [0, *self._cuts(part, max_tokens), len(part)]
        return [
            (start + low + first, start + low + last)
            for low, high in pairwise(edges)
            for first, last in self._recursive.split(part[low:high], max_tokens)
        ]

    def _cuts(self, text: str, max_tokens: int) -> list[int]:
        """Characters before which the text is cut, in order."""
        edges = [0, *_sentence_starts(text), len(text)]
        if len(edges) < 4:  # one pair of sentences has no percentile
            return []
        count = len(edges) - 1
        windows = [text[edges[max(0, first)] : edges[min(count, first + _WINDOW)]] for first in range(1 - _WINDOW, count)]
        distances = np.round(np.concatenate(list(self._distances(windows))), _DISTANCE_DECIMALS)
        threshold = np.percentile(distances, self._percentile)
        chosen = {edges[index + 1]: float(distances[index]) for index in np.flatnonzero(distances > threshold)}
        return self._without_tiny(text, chosen, max_tokens)

    def _distances(self, windows: list[str]) -> Iterator[np.ndarray]:
        """Cosine distances of the windows before and after each place between two sentences, a stretch at a time."""
        last = np.zeros((0, self._embedder.dimension), dtype=np.float32)
        for begin in range(0, len(windows), _EMBEDDED_AT_ONCE):
            vectors = np.concatenate([last, self._embedder.embed_passages(windows[begin : begin + _EMBEDDED_AT_ONCE])])
            yield 1 - np.einsum("ij,ij->i", vectors[:-_WINDOW], vectors[_WINDOW:])  # rows are unit vectors
            last = vectors[-_WINDOW:]

    def _without_tiny(self, text: str, distances: dict[int, float], max_tokens: int) -> list[int]:
        """The cuts but those beside a tiny stretch, the least first, where what becomes one is not too long."""
        tokens = self._tokenizer.starts(text)
        edges = [0, *sorted(distances), len(text)]

        def count(low: int, high: int) -> int:
            return bisect_left(tokens, high) - bisect_left(tokens, low)

        for cut in sorted(distances, key=lambda place: (distances[place], place)):
            index = bisect_left(edges, cut)
            before, after = count(edges[index - 1], cut), count(cut, edges[index + 1])
            if min(before, after) * _TINY_SHARE < max_tokens and before + after <= max_tokens:
                del edges[index]
        return edges[1:-1]


def _sentence_starts(text: str) -> list[int]:
    """Where sentences, paragraphs, fenced blocks and tables begin, but the first, in order; no place is inside the latter two."""
    blocks = fenced_blocks(text)
    inside_blocks = Unbreakable(blocks)
    tables = [match.span() for match in _TABLE.finditer(text) if inside_blocks.around(match.start()) is None]
    inside_tables = Unbreakable(tables)
    places = {edge for span in (*blocks, *tables) for edge in span}
    places.update(place for level in (PARAGRAPH, SENTENCE) for place in ends(level, text, 0, len(text)))
    return sorted(
        place
        for place in places
        if 0 < place < len(text) and inside_blocks.around(place) is None and inside_tables.around(place) is None
    )


def _next_start(text: str, tokens: list[int], start: int, cut: int, done: int, overlap: int) -> int:
    """Where the next chunk begins: at the first token within the overlap at which no grapheme is cut, else at `done`."""
    last = bisect_left(tokens, cut)
    for index in range(max(0, last - overlap), last):
        place = tokens[index]
        starts_token = index == 0 or tokens[index - 1] < place  # of several tokens of one character, all or none are shared
        if starts_token and start < place and not text[place].isspace() and grapheme_start(text, place, start) == place:
            return place
    return done
