"""Reranking by late interaction over the embedding model's own token vectors: no further model is needed.

Each token vector loses its language's mean (see `calibration`); the mean of what a question's tokens find nearest in the passage
is the similarity, which a logistic makes 0..1. Passages whose vectors are in memory are scored at once, the others while the
time lasts.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragd.config.answering import RerankSettings
from ragd.core.errors import ModelUnavailable
from ragd.core.ids import canonical, hash32
from ragd.core.results import Passage
from ragd.providers.calibration.measure import TokenCalibration, language_row, max_sim, unit
from ragd.providers.calibration_cache import CalibrationCache
from ragd.providers.protocols import TokenEmbedder, Vectors

_HEADING_MARK = " > "
_NO_TOKENS = "The embedding model gives no token vectors, which the reranker 'maxsim' needs."
# Before anything is measured: half as fast as two cores of 2020 run a small model.
_FIRST_PACE = 2e-4
# A pace that let nothing be scored is believed a little less each time: the machine may only have been busy.
_DOUBT = 0.8
# Prefix and special tokens, which the model reads and a passage's count leaves out.
_FRAME = 4
_LEVELS = 127
# What an entry of the cache takes beside its numbers: its key, the objects around them, the place in the table. Measured.
_FRAME_BYTES = 512


@dataclass(frozen=True, slots=True)
class PackedTokens:
    """Unit vectors of one passage: int8 `[tokens, dimension]` and the scale of each row, float32 `[tokens]`."""

    levels: NDArray[np.int8]
    scales: Vectors

    @classmethod
    def of(cls, vectors: Vectors) -> PackedTokens:
        """Pack `[tokens, dimension]`, rows of norm 1 (or 0)."""
        scales = np.maximum(np.abs(vectors).max(axis=1), np.finfo(np.float32).tiny) / _LEVELS
        return cls(np.rint(vectors / scales[:, None]).astype(np.int8), scales.astype(np.float32))

    @property
    def vectors(self) -> Vectors:
        """The vectors again, each number within half a level."""
        unpacked: Vectors = self.levels * self.scales[:, None]
        return unpacked

    @property
    def size(self) -> int:
        """Bytes."""
        return self.levels.nbytes + self.scales.nbytes + _FRAME_BYTES


class TokenCache:
    """At most `max_bytes` of packed vectors by key, the longest unused leaving first. Safe to use from several threads."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._entries: OrderedDict[str, PackedTokens] = OrderedDict()
        self._lock = threading.Lock()
        self.size = 0

    def get(self, key: str) -> PackedTokens | None:
        with self._lock:
            found = self._entries.get(key)
            if found is not None:
                self._entries.move_to_end(key)
            return found

    def put(self, key: str, packed: PackedTokens) -> None:
        """Keep an entry; one that is larger than the whole cache is not kept."""
        if packed.size > self._max_bytes:
            return
        with self._lock:
            replaced = self._entries.pop(key, None)
            self.size += packed.size - (replaced.size if replaced else 0)
            self._entries[key] = packed
            while self.size > self._max_bytes:
                self.size -= self._entries.popitem(last=False)[1].size

    def __len__(self) -> int:
        return len(self._entries)


@dataclass(frozen=True, slots=True)
class _Unread:
    """A text whose token vectors are not in memory; `tokens` is what the model will read, as far as is known before."""

    key: str
    text: str
    tokens: int


class MaxSimReranker:
    """Late interaction with the token vectors of `embedder`; `calibration` is of the same model.

    A batch has at most `batch_tokens` padded tokens. `clock` is what deadlines are of. Safe to use from several threads.
    """

    name = "maxsim"
    judges = False

    def __init__(
        self,
        embedder: TokenEmbedder,
        calibration: CalibrationCache,
        options: RerankSettings,
        *,
        batch_tokens: int = 512,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Raises `ModelUnavailable` when the model gives no token vectors."""
        if not embedder.gives_tokens:
            raise ModelUnavailable(_NO_TOKENS)
        self.profile = f"maxsim-1/{calibration.identity}/{options.cache_dimensions}"
        self._embedder = embedder
        self._calibration_cache = calibration
        self._compact = options.cache_dimensions > 0
        self._batch_tokens = batch_tokens
        self._clock = clock
        self._cache = TokenCache(options.cache_mb * 1024 * 1024)
        self._pace_lock = threading.Lock()
        self._seconds_per_token = _FIRST_PACE
        self._measured = False

    def score(self, question: str, passages: Sequence[Passage], deadline: float) -> list[float | None]:
        """Relevance 0..1 of each passage, read with its headings in front; None where the `deadline` came first."""
        scores: list[float | None] = [None] * len(passages)
        if not passages or self._clock() >= deadline:
            return scores
        calibration = self._calibration()
        query = self._space(self._embedder.query_tokens(question), calibration.queries[language_row(question)], calibration)
        if not len(query):
            return scores
        related = calibration.related_compact if self._compact else calibration.related
        texts = [shown(passage) for passage in passages]
        # A text that stands several times in the list is read once.
        places: dict[str, list[int]] = {}
        for place, text in enumerate(texts):
            places.setdefault(hash32(text), []).append(place)

        def give(key: str, packed: PackedTokens) -> None:
            score = related(max_sim(query, packed.vectors)) if len(packed.levels) else 0.0
            for place in places[key]:
                scores[place] = score

        unread: list[_Unread] = []
        for key, (first, *_) in places.items():
            if (packed := self._cache.get(key)) is not None:
                give(key, packed)
            else:
                unread.append(_Unread(key, texts[first], passages[first].tokens + _FRAME))
        for batch in self._batches(unread, deadline):
            for item, packed in zip(batch, self._read(batch, calibration), strict=True):
                self._cache.put(item.key, packed)
                give(item.key, packed)
        return scores

    def close(self) -> None:
        """The model is not the reranker's own."""

    def _calibration(self) -> TokenCalibration:
        tokens = self._calibration_cache.get().tokens
        if tokens is None:
            raise ModelUnavailable(_NO_TOKENS)
        return tokens

    def _space(self, vectors: Vectors, mean: Vectors, calibration: TokenCalibration) -> Vectors:
        moved: Vectors = vectors - mean
        if self._compact:
            moved = moved @ calibration.basis
        return unit(moved)

    def _batches(self, unread: Sequence[_Unread], deadline: float) -> Iterator[Sequence[_Unread]]:
        """In the order given, each as large as `batch_tokens` and the time that is left allow; ends when it does not suffice."""
        start = 0
        while start < len(unread):
            with self._pace_lock:
                affordable = (deadline - self._clock()) / self._seconds_per_token
            end, longest = start, 0
            for item in unread[start:]:
                longest = max(longest, item.tokens)
                padded = longest * (end - start + 1)
                # One passage may be longer than a batch, but not than the time.
                if padded > affordable or (end > start and padded > self._batch_tokens):
                    break
                end += 1
            if end == start:
                break
            yield unread[start:end]
            start = end
        if unread and start == 0:
            with self._pace_lock:
                self._seconds_per_token *= _DOUBT

    def _read(self, batch: Sequence[_Unread], calibration: TokenCalibration) -> list[PackedTokens]:
        texts = [item.text for item in batch]
        began = self._clock()
        found = self._embedder.passage_tokens(texts)
        self._learn((self._clock() - began) / (len(texts) * (max(map(len, found)) + _FRAME)))
        means = (calibration.passages[language_row(text)] for text in texts)
        # Scored as they are kept, so that a passage has the same score from memory.
        return [PackedTokens.of(self._space(vectors, mean, calibration)) for vectors, mean in zip(found, means, strict=True)]

    def _learn(self, pace: float) -> None:
        with self._pace_lock:
            # The first figure replaces the guess; later ones, waiting for other people's turns included, move the mean.
            self._seconds_per_token = (pace + self._seconds_per_token) / 2 if self._measured else max(pace, 1e-9)
            self._measured = True


def shown(passage: Passage) -> str:
    """What is read of a passage: the line of its headings, without the first where the text begins with that, and the text."""
    path, text = passage.section_path, passage.content
    if path and canonical(text).startswith(canonical(path[0])):
        path = path[1:]
    heading = _HEADING_MARK.join(path)
    return f"{heading}\n{text}" if heading else text
