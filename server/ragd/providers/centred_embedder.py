"""An embedder whose vectors have lost a share of their language's mean, so that texts of two languages can be compared.

Half of it, from questions and from passages, each by its own language, did best on the development set with E5: macro nDCG@10 of
the dense side alone rises from .415 to .443, of questions in another language from .35 to .47. Why is in `calibration`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ragd.core.errors import ModelUnavailable
from ragd.providers.calibration.measure import language_row, unit
from ragd.providers.calibration_cache import CalibrationCache
from ragd.providers.protocols import Embedder, TokenEmbedder, Vectors
from ragd.providers.token_protocols import JointEmbedder


class CentredEmbedder:
    """Wraps an embedder; `calibration_cache` is of the same one and has the share as `weight`. Token vectors stay as they are."""

    def __init__(self, embedder: Embedder, calibration_cache: CalibrationCache) -> None:
        self.needs_files = embedder.needs_files
        self.model_id = embedder.model_id
        self.revision = f"{embedder.revision}+centred-{calibration_cache.weight:g}-{calibration_cache.identity[:8]}"
        self.dimension = embedder.dimension
        self.max_tokens = embedder.max_tokens
        self.device = embedder.device
        self.tokenizer = embedder.tokenizer
        self.gives_tokens = isinstance(embedder, TokenEmbedder) and embedder.gives_tokens
        self.warnings: Sequence[str] = getattr(embedder, "warnings", ())
        self._embedder = embedder
        self._calibration_cache = calibration_cache

    @property
    def passage_overhead(self) -> int:
        return self._embedder.passage_overhead

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        # The texts before the calibration: when a service is down, that is found out within the time for a question.
        vectors = self._embedder.embed_queries(texts)
        return self._centred(vectors, texts, self._calibration_cache.get().queries) if texts else vectors

    def embed_passages(self, texts: Sequence[str], on_batch: Callable[[int], None] | None = None) -> Vectors:
        vectors = self._embedder.embed_passages(texts, on_batch)
        return self._centred(vectors, texts, self._calibration_cache.get().passages) if texts else vectors

    def embed_queries_and_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        vectors, tokens = self._joint_embedder().embed_queries_and_tokens(texts)
        return self._centred(vectors, texts, self._calibration_cache.get().queries) if texts else vectors, tokens

    def query_tokens(self, text: str) -> Vectors:
        return self._token_embedder().query_tokens(text)

    def passage_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        return self._token_embedder().passage_tokens(texts)

    def embed_passages_and_tokens(
        self, texts: Sequence[str], on_tokens: Callable[[int, Vectors], None], on_batch: Callable[[int], None] | None = None
    ) -> Vectors:
        vectors = self._joint_embedder().embed_passages_and_tokens(texts, on_tokens, on_batch)
        return self._centred(vectors, texts, self._calibration_cache.get().passages) if texts else vectors

    def close(self) -> None:
        self._embedder.close()

    def _centred(self, vectors: Vectors, texts: Sequence[str], means: Vectors) -> Vectors:
        rows = np.array([language_row(text) for text in texts])
        return unit(vectors - np.float32(self._calibration_cache.weight) * means[rows])

    def _token_embedder(self) -> TokenEmbedder:
        if not isinstance(self._embedder, TokenEmbedder):
            raise ModelUnavailable(f"{self.model_id} gives no token vectors.")
        return self._embedder

    def _joint_embedder(self) -> JointEmbedder:
        if not isinstance(self._embedder, JointEmbedder):
            raise ModelUnavailable(f"{self.model_id} gives no token vectors beside those of texts.")
        return self._embedder
