"""Providers without a model, for tests and for trying things out. They are real: deterministic, and rankings mean something."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence

import numpy as np

from rag_assistant.providers.base import Vectors
from rag_assistant.text import TEXT_NORM_PROFILE, canonical

# A word of letters and digits, or one character of a script without blanks, or one sign.
_TOKENS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[^\\w\\s]")
_SPECIALS = 2
_PREFIX = 1
_BATCH = 16


class WordTokenizer:
    """Words, characters of Chinese, Japanese and Korean, and signs are one token each."""

    def count(self, text: str) -> int:
        return sum(1 for _ in _TOKENS.finditer(text))

    def offsets(self, text: str) -> Sequence[tuple[int, int]]:
        return [match.span() for match in _TOKENS.finditer(text)]


class FakeEmbedder:
    """A bag of words by feature hashing (Weinberger et al. 2009): each token adds +1 or -1 at a place that its hash tells.

    Texts that share tokens are near each other. Tokens beyond `max_tokens` are cut off, as with a real model. `files` and what
    else an embedder is built with (threads, device, batch size) mean nothing here.
    """

    needs_files = False

    def __init__(
        self,
        files: object = None,  # noqa: ARG002
        *,
        dimension: int = 256,
        max_tokens: int = 512,
        **ignored: object,  # noqa: ARG002
    ) -> None:
        self.model_id = "fake"
        self.revision = f"hash-1-{dimension}-{TEXT_NORM_PROFILE}"
        self.dimension = dimension
        self.max_tokens = max_tokens
        self.device = "cpu"
        self.tokenizer = WordTokenizer()

    @property
    def passage_overhead(self) -> int:
        return _SPECIALS + _PREFIX

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._embed(texts)

    def embed_passages(self, texts: Sequence[str], on_batch: Callable[[int], None] | None = None) -> Vectors:
        vectors = self._embed(texts)
        if on_batch is not None:
            for start in range(0, len(texts), _BATCH):
                on_batch(min(_BATCH, len(texts) - start))
        return vectors

    def close(self) -> None:
        """Nothing is held."""

    def _embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            tokens = [match.group() for match in _TOKENS.finditer(canonical(text).lower())]
            for token in tokens[: self.max_tokens - self.passage_overhead] or [""]:
                digest = hashlib.sha256(token.encode()).digest()
                vectors[row, int.from_bytes(digest[:4], "big") % self.dimension] += 1 if digest[4] & 1 else -1
            if not vectors[row].any():  # every +1 met its -1
                vectors[row, 0] = 1
        unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit
