"""Vectors by content: a text that was embedded once is never embedded again, whatever file it stands in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from sqlalchemy import Connection, Engine, delete, exists, select

from ragd.core.ids import TEXT_NORM_PROFILE
from ragd.providers.protocols import Vectors
from ragd.store.database.engine import batches, reading
from ragd.store.database.schema import occurrences, vectors


class VectorCache:
    """Vectors of one model, by `dense_key`: the hash of the canonical dense view."""

    def __init__(self, engine: Engine, model_id: str, revision: str) -> None:
        self._engine = engine
        self._reader = reading(engine)
        self._identity = {"model_id": model_id, "model_revision": revision, "text_norm_profile": TEXT_NORM_PROFILE}

    def get(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """The cached ones among `keys`, each a float32 array `[dimension]`."""
        found: dict[str, Vectors] = {}
        with self._reader.connect() as connection:
            for batch in batches(list(dict.fromkeys(keys))):
                found.update(self._select(connection, batch))
        return found

    def put(self, new: Mapping[str, Vectors]) -> None:
        """Keep vectors; those that are kept already stay as they are."""
        with self._engine.begin() as connection:
            for batch in batches(list(new)):
                known = self._select(connection, batch)
                rows = [
                    {"dense_key": key, **self._identity, "vector": np.ascontiguousarray(new[key], dtype="<f4").tobytes()}
                    for key in batch
                    if key not in known
                ]
                if rows:
                    connection.execute(vectors.insert(), rows)

    def missing(self, keys: Sequence[str]) -> list[str]:
        """Those of `keys` that have no vector."""
        wanted = list(dict.fromkeys(keys))
        with self._reader.connect() as connection:
            known: set[str] = set()
            for batch in batches(wanted):
                identity = (vectors.c[name] == value for name, value in self._identity.items())
                known.update(connection.scalars(select(vectors.c.dense_key).where(vectors.c.dense_key.in_(batch), *identity)))
        return [key for key in wanted if key not in known]

    def prune(self) -> int:
        """Remove vectors, of any model, of texts that no live document holds. Returns how many."""
        held = exists().where(occurrences.c.dense_key == vectors.c.dense_key)
        with self._engine.begin() as connection:
            return connection.execute(delete(vectors).where(~held)).rowcount

    def _select(self, connection: Connection, keys: Sequence[str]) -> dict[str, Vectors]:
        rows = connection.execute(
            select(vectors.c.dense_key, vectors.c.vector).where(
                vectors.c.dense_key.in_(keys),
                *(vectors.c[name] == value for name, value in self._identity.items()),
            )
        )
        return {key: np.frombuffer(blob, dtype="<f4") for key, blob in rows}
