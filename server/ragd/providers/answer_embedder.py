"""The embedder as answers use it: what was embedded for one is kept for the next, and none waits behind ingestion."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np

from ragd.core.ids import hash32
from ragd.providers.protocols import Embedder, Vectors
from ragd.providers.queued_embedder import QueuedEmbedder

_MOST_KEPT = 4_096
"""Vectors that are kept: 6 MB of 384 numbers. Questions come back to the same passages, and so to the same sentences."""


class AnswerEmbedder:
    """Wraps an embedder; the `most` texts that were used last keep their vectors. Safe to use from several threads."""

    def __init__(self, embedder: Embedder, most: int = _MOST_KEPT) -> None:
        self.needs_files = embedder.needs_files
        self.model_id = embedder.model_id
        self.revision = embedder.revision
        self.dimension = embedder.dimension
        self.max_tokens = embedder.max_tokens
        self.device = embedder.device
        self.tokenizer = embedder.tokenizer
        self._embedder = embedder
        self._most = most
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def passage_overhead(self) -> int:
        return self._embedder.passage_overhead

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._embedder.embed_queries(texts)

    def embed_passages(self, texts: Sequence[str], on_batch: Callable[[int], None] | None = None) -> Vectors:
        """In turns of answers, where the embedder knows turns; each text is read once, and none that is known."""
        keys = [hash32(text) for text in texts]
        with self._lock:
            found = {key: self._kept[key] for key in keys if key in self._kept}
        if missing := {key: text for key, text in zip(keys, texts, strict=True) if key not in found}:
            # Copies: a view would keep the whole batch.
            found |= {key: row.copy() for key, row in zip(missing, self._embed(list(missing.values())), strict=True)}
        with self._lock:
            for key in keys:
                self._kept[key] = found[key]
                self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        if on_batch is not None:
            on_batch(len(texts))
        return np.array([found[key] for key in keys], np.float32).reshape(len(texts), self.dimension)

    def close(self) -> None:
        """The model is not its own."""

    def _embed(self, texts: Sequence[str]) -> Vectors:
        embedder = self._embedder
        return embedder.embed_for_answer(texts) if isinstance(embedder, QueuedEmbedder) else embedder.embed_passages(texts)
