"""Providers without a model, for tests and for trying things out. They are real: deterministic, and rankings mean something."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence

import numpy as np

from ragd.config.indexing import EmbeddingSettings
from ragd.core.ids import TEXT_NORM_PROFILE, canonical
from ragd.language.scripts import HAN_BLOCKS, HANGUL_SYLLABLES, KANA_BLOCKS
from ragd.providers.protocols import Vectors

_UNSPACED = f"{KANA_BLOCKS}{HAN_BLOCKS}{HANGUL_SYLLABLES}"
# A word of letters and digits, or one character of a script without blanks, or one sign.
_TOKENS = re.compile(f"[{_UNSPACED}]|[^\\W{_UNSPACED}]+|[^\\w\\s]")
_SPECIALS = 2
_PREFIX = 1
_BATCH = 16


class WordTokenizer:
    """Words, characters of Chinese, Japanese and Korean, and signs are one token each."""

    def count(self, text: str) -> int:
        return sum(1 for _ in _TOKENS.finditer(text))

    def starts(self, text: str) -> Sequence[int]:
        return [match.start() for match in _TOKENS.finditer(text)]


class FakeEmbedder:
    """A bag of words by feature hashing (Weinberger et al. 2009): each token adds +1 or -1 at a place that its hash names.

    Texts that share tokens are near each other. Of the settings the dimension alone means something here.
    """

    needs_files = False

    def __init__(
        self,
        options: EmbeddingSettings | None = None,
        *,
        dimension: int = 256,
        max_tokens: int = 512,
        **ignored: object,  # noqa: ARG002
    ) -> None:
        dimension = (options.dimension if options else 0) or dimension
        self.model_id = "fake"
        self.revision = f"hash-1-{dimension}-{TEXT_NORM_PROFILE}"
        self.dimension = dimension
        self.max_tokens = max_tokens
        self.device = "cpu"
        self.gives_tokens = True
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

    def embed_queries_and_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        return self.embed_queries(texts), self.passage_tokens(texts)

    def query_tokens(self, text: str) -> Vectors:
        return self.passage_tokens([text])[0]

    def passage_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        """Each token is its own vector of one number that is not 0."""
        found = []
        for text in texts:
            places = [_place(token, self.dimension) for token in self._tokens(text)]
            vectors = np.zeros((len(places), self.dimension), dtype=np.float32)
            for row, (place, sign) in enumerate(places):
                vectors[row, place] = sign
            found.append(vectors)
        return found

    def embed_passages_and_tokens(
        self, texts: Sequence[str], on_tokens: Callable[[int, Vectors], None], on_batch: Callable[[int], None] | None = None
    ) -> Vectors:
        for index, tokens in enumerate(self.passage_tokens(texts)):
            on_tokens(index, tokens)
        return self.embed_passages(texts, on_batch)

    def close(self) -> None:
        """Nothing is held."""

    def _tokens(self, text: str) -> list[str]:
        tokens = [match.group() for match in _TOKENS.finditer(canonical(text).lower())]
        return tokens[: self.max_tokens - self.passage_overhead]

    def _embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for token in self._tokens(text) or [""]:
                place, sign = _place(token, self.dimension)
                vectors[row, place] += sign
            if not vectors[row].any():  # every +1 met its -1
                vectors[row, 0] = 1
        unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def _place(token: str, dimension: int) -> tuple[int, int]:
    digest = hashlib.sha256(token.encode()).digest()
    return int.from_bytes(digest[:4], "big") % dimension, 1 if digest[4] & 1 else -1
