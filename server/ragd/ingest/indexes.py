"""The indexes as one: how versions get into them, how they go, and how drift from the content is found.

Everything here can be done again at any time: upserts are idempotent by entry id, and an entry that nothing live needs is
only waste until it is removed, since answers go through the store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ragd.core.storage import Entries, Version
from ragd.providers.protocols import DenseStore, SparseStore, Vectors
from ragd.providers.token_protocols import TokenCodes
from ragd.providers.token_view import TokenView


@dataclass(frozen=True, slots=True)
class Indexes:
    """The indexes, kept together. `model_changed` says that the dense one is new, since the embedding model is another one.

    The token index has the ids of the dense one. Unlike the others it may lack some: those are made later, and until then their
    passages are ranked without it.
    """

    dense: DenseStore
    sparse: SparseStore
    model_changed: bool = False
    tokens: TokenView | None = None

    def upsert(self, versions: Sequence[Version], vectors: Mapping[str, Vectors], codes: Mapping[str, TokenCodes]) -> None:
        """Add the entries of these versions; `vectors` maps `dense_key` to a vector, `codes` some of them to token codes."""
        for kb_id in dict.fromkeys(version.kb_id for version in versions):
            chunks = [chunk for version in versions if version.kb_id == kb_id for chunk in version.chunks]
            if chunks:
                dense = {chunk.dense_id: vectors[chunk.dense_key] for chunk in chunks}
                self.dense.upsert(kb_id, list(dense), np.stack(list(dense.values())))
                self.sparse.upsert(kb_id, list({chunk.sparse_id: chunk.sparse_tokens for chunk in chunks}.items()))
                if self.tokens is not None:
                    coded = {chunk.dense_id: codes[chunk.dense_key] for chunk in chunks if chunk.dense_key in codes}
                    self.tokens.index.upsert(kb_id, coded)

    def remove(self, stale: Mapping[str, Entries]) -> None:
        """Remove entries that no live version needs."""
        for kb_id, entries in stale.items():
            if entries.dense:
                self.dense.delete(kb_id, entries.dense)
            if entries.sparse:
                self.sparse.delete(kb_id, entries.sparse)
            if self.tokens is not None and (entries.dense or entries.tokens):
                self.tokens.index.delete(kb_id, (*entries.dense, *entries.tokens))

    def drop(self, kb_id: str) -> None:
        """Remove everything of a collection."""
        self.dense.drop(kb_id)
        self.sparse.drop(kb_id)
        if self.tokens is not None:
            self.tokens.index.drop(kb_id)

    def close(self) -> None:
        self.dense.close()
        self.sparse.close()
        if self.tokens is not None:
            self.tokens.index.close()


@dataclass(frozen=True, slots=True)
class _Drift:
    """How the indexes of a collection differ from the content."""

    surplus: Entries
    incomplete_documents: tuple[str, ...]
    without_tokens: tuple[str, ...]
    """Documents with passages whose token codes are yet to be made."""


def find_drift(indexes: Indexes, kb_id: str, live: Sequence[tuple[str, str, str, str]]) -> _Drift:
    """Hold the ids in the indexes against the live `(doc_id, dense_id, dense_key, sparse_id)` of the store."""
    dense_ids, sparse_ids = indexes.dense.ids(kb_id), indexes.sparse.ids(kb_id)
    incomplete = {doc_id for doc_id, dense_id, _, sparse_id in live if dense_id not in dense_ids or sparse_id not in sparse_ids}
    live_dense = {row[1] for row in live}
    coded = live_dense if indexes.tokens is None else indexes.tokens.index.ids(kb_id)
    surplus = Entries(
        tuple(dense_ids - live_dense), tuple(sparse_ids - {row[3] for row in live}), tuple(coded - dense_ids - live_dense)
    )
    without_tokens = {doc_id for doc_id, dense_id, _, _ in live if dense_id not in coded}
    return _Drift(surplus, tuple(sorted(incomplete)), tuple(sorted(without_tokens)))
