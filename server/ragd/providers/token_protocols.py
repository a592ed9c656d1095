"""What a token index does, and the embedder that its codes come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ragd.providers.protocols import EntryStore, TokenEmbedder, Vectors

TokenCodes: TypeAlias = NDArray[np.uint8]
"""Compressed token vectors `[vectors, 32]`: 256 signs each."""


@runtime_checkable
class JointEmbedder(TokenEmbedder, Protocol):
    """An embedder that gives vectors of texts and of their tokens out of the same runs of the model."""

    def embed_queries_and_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        """As `embed_queries`, and what `query_tokens` gives of each text, out of the same runs."""
        ...

    def embed_passages_and_tokens(
        self, texts: Sequence[str], on_tokens: Callable[[int, Vectors], None], on_batch: Callable[[int], None] | None = None
    ) -> Vectors:
        """As `embed_passages`; `on_tokens(index, vectors)` gets what `passage_tokens` gives of each text, out of the same runs.

        It is called once for each text, in any order, one after the other, maybe in another thread; it may not keep the vectors,
        which are large.
        """
        ...


@runtime_checkable
class TokenIndex(EntryStore, Protocol):
    """Compressed token vectors of passages, scored by late interaction. It finds nothing: it scores what others found."""

    def upsert(self, kb_id: str, entries: Mapping[str, TokenCodes]) -> None:
        """Add or replace the codes of entries; repeating a call changes nothing. Durable when it returns."""
        ...

    def score(self, kb_id: str, query: Vectors, ids: Sequence[str]) -> Vectors:
        """float32 `[len(ids)]`: MaxSim of each entry with `query` `[tokens, 256]`, rows of norm 1; NaN for an unknown entry."""
        ...

    def damaged(self, kb_id: str) -> list[str]:
        """The entries whose codes are not those that were written. Reads all of them."""
        ...
