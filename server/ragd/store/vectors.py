"""Vectors by content: a text that was embedded once is never embedded again, whatever file it stands in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from sqlalchemy import Connection, Engine, delete, exists, select

from ragd.core.ids import TEXT_NORM_PROFILE
from ragd.providers.protocols import Vectors
from ragd.store.database.engine import batches
from ragd.store.database.repository import Repository, insert_rows, rows_in
from ragd.store.database.schema import occurrences, vectors


class VectorCache(Repository):
    """Vectors of one model, by `dense_key`: the hash of the canonical dense view."""

    def __init__(self, engine: Engine, model_id: str, revision: str) -> None:
        super().__init__(engine)
        identity = {"model_id": model_id, "model_revision": revision, "text_norm_profile": TEXT_NORM_PROFILE}
        self._identity = identity
        self._of_model = [vectors.c[name] == value for name, value in identity.items()]

    def get(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """The cached ones among `keys`, each a float32 array `[dimension]`."""
        query = select(vectors.c.dense_key, vectors.c.vector).where(*self._of_model)
        rows = self._rows_in(query, vectors.c.dense_key, dict.fromkeys(keys))
        return {row.dense_key: np.frombuffer(row.vector, dtype="<f4") for row in rows}

    def put(self, new: Mapping[str, Vectors]) -> None:
        """Keep vectors; those that are kept already stay as they are."""
        with self._engine.begin() as connection:
            for batch in batches(list(new)):
                known = self._known(connection, batch)
                rows = [
                    {"dense_key": key, **self._identity, "vector": np.ascontiguousarray(new[key], dtype="<f4").tobytes()}
                    for key in batch
                    if key not in known
                ]
                insert_rows(connection, vectors, rows)

    def missing(self, keys: Sequence[str]) -> list[str]:
        """Those of `keys` that have no vector."""
        wanted = list(dict.fromkeys(keys))
        with self._reader.connect() as connection:
            known = self._known(connection, wanted)
        return [key for key in wanted if key not in known]

    def prune(self) -> int:
        """Remove vectors, of any model, of texts that no live document holds. Returns how many."""
        held = exists().where(occurrences.c.dense_key == vectors.c.dense_key)
        return self._write(delete(vectors).where(~held))

    def _known(self, connection: Connection, keys: Sequence[str]) -> set[str]:
        query = select(vectors.c.dense_key).where(*self._of_model)
        return {row.dense_key for row in rows_in(connection, query, vectors.c.dense_key, keys)}
