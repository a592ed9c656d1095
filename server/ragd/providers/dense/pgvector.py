"""Dense search in PostgreSQL by pgvector (https://github.com/pgvector/pgvector): a table for each collection, with an HNSW graph.

The table keeps the vectors in full. The graph has them in half precision, which makes it half as large and finds the same; the
scores of what it finds come from the table. A collection too small to need a graph has none, and is searched exactly.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Literal, LiteralString

import numpy as np

from ragd.core.errors import IndexDamaged
from ragd.core.results import Scored
from ragd.providers.dense.vector_matrix import normalised
from ragd.providers.index_schema import IndexSchema
from ragd.providers.protocols import Vectors

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.sql import Composed

# What pgvector allows: `hnsw.ef_search`, and numbers of a vector in a graph.
_MOST_EF_SEARCH: Final = 1000
_MOST_IN_GRAPH: Final = {"vector": 2000, "halfvec": 4000}
# Bytes before the numbers of a vector that is sent: how many there are, and two for later use.
_SENT_HEAD: Final = 4
# Numbers of a vector that fit into a page.
_MOST_IN_ROW: Final = 2000
_LOOK_AGAIN_S: Final = 5.0

_TABLES: Final[tuple[LiteralString, ...]] = (
    "CREATE TABLE {entries} (id text PRIMARY KEY, embedding vector({dimension}) NOT NULL)",
    # A vector of more than 500 numbers would be kept apart from its row, where an exact search had to fetch each of them.
    "ALTER TABLE {entries} ALTER COLUMN embedding SET STORAGE {storage}",
)
_UPSERT: Final = (
    "INSERT INTO {entries} AS old (id, embedding) VALUES (%s, %s::vector) ON CONFLICT (id) DO UPDATE "
    "SET embedding = excluded.embedding WHERE old.embedding <> excluded.embedding"
)
_GRAPH: Final = (
    "CREATE INDEX {graph} ON {entries} USING hnsw ((embedding::{kind}({dimension})) {operators}) "
    "WITH (m = 16, ef_construction = 64)"
)
_EXACT: Final = (
    "SELECT id, -(embedding <#> %(vector)s::vector) AS score FROM {entries} {among} ORDER BY score DESC, id LIMIT %(k)s"
)
# The graph gives the nearest by rounded vectors, and only nearly in order (`relaxed_order`).
_NEAR: Final = (
    "WITH near AS MATERIALIZED (SELECT id, embedding FROM {entries} {among} "
    "ORDER BY embedding::{kind}({dimension}) <=> %(vector)s::vector::{kind}({dimension}) LIMIT %(k)s) "
    "SELECT id, -(embedding <#> %(vector)s::vector) AS score FROM near ORDER BY score DESC, id"
)


class PgvectorStore:
    """From `graph_least` entries on a collection has a graph, whose search is `ef_search` wide.

    A filter of at most `exact_filter_max` entries is answered exactly; for a larger one the graph goes on until it has enough
    that are allowed (`hnsw.iterative_scan`). `precision` is that of the vectors in the graph.
    """

    name = "pgvector"
    in_database = True
    has_precision = True

    def __init__(
        self,
        url: str,
        index: str,
        *,
        password: str = "",
        exact_filter_max: int = 20_000,
        ef_search: int = 200,
        graph_least: int = 10_000,
        precision: Literal["halfvec", "vector"] = "halfvec",
    ) -> None:
        self._exact_filter_max = exact_filter_max
        self._graph_least = graph_least
        self._precision = precision
        self._with_graph: set[str] = set()
        self._without_graph: dict[str, float] = {}
        """Until when nobody looks again, by collection: another process may make a graph."""
        self._schema = IndexSchema(
            url,
            index,
            password=password,
            provider=f"dense.backend '{self.name}'",
            tables=_TABLES,
            extension="vector",
            session=(
                f"SET hnsw.ef_search = {min(ef_search, _MOST_EF_SEARCH)}",
                "SET hnsw.iterative_scan = relaxed_order",
                # Each statement says itself what is to be read; the planner knows nothing of new tables.
                "SET enable_seqscan = off",
            ),
        )

    def upsert(self, kb_id: str, ids: Sequence[str], vectors: Vectors) -> None:
        if not len(ids):
            return
        dimension = vectors.shape[1]
        rows = dict(zip(ids, normalised(vectors, dimension), strict=True))

        def change(connection: Connection[Any]) -> None:
            # In one order, so that no two writers wait for each other.
            values = [(entry_id, _bound(rows[entry_id])) for entry_id in sorted(rows)]
            with _of_one_model(), connection.cursor() as cursor:
                cursor.executemany(self._schema.sql(_UPSERT, kb_id), values)

        storage = "PLAIN" if dimension <= _MOST_IN_ROW else "EXTERNAL"
        self._schema.write(kb_id, change, create=True, dimension=dimension, storage=storage)
        self._build_graph_if_worth_it(kb_id, dimension)

    def delete(self, kb_id: str, ids: Sequence[str]) -> None:
        def change(connection: Connection[Any]) -> None:
            connection.execute(self._schema.sql("DELETE FROM {entries} WHERE id = ANY(%s)", kb_id), [list(ids)])

        self._schema.write(kb_id, change, create=False)

    def search(self, kb_id: str, vector: Vectors, k: int, allowed: Collection[str] | None = None) -> list[Scored]:
        if k <= 0 or (allowed is not None and not allowed):
            return []
        dimension = len(vector)
        values = {"vector": _bound(normalised(vector[None], dimension)[0]), "k": k, "allowed": list(allowed or ())}

        def look(connection: Connection[Any]) -> list[Scored]:
            with _of_one_model():
                if (allowed is None or len(allowed) > self._exact_filter_max) and self._has_graph(connection, kb_id):
                    # Written so that the table's own index can't be taken for the filter instead of the graph.
                    among = "" if allowed is None else "WHERE id || '' = ANY(%(allowed)s)"
                    found = connection.execute(self._near(kb_id, dimension, among), values).fetchall()
                    # The graph gives up after `hnsw.max_scan_tuples`: too few of those are allowed.
                    if allowed is None or len(found) == k:
                        return [Scored(*row) for row in found]
                among = "" if allowed is None else "WHERE id = ANY(%(allowed)s)"
                statement = self._schema.sql(_EXACT.replace("{among}", among), kb_id)
                return [Scored(*row) for row in connection.execute(statement, values)]

        return self._schema.read(look, [])

    def vectors(self, kb_id: str, ids: Sequence[str]) -> dict[str, Vectors]:
        def look(connection: Connection[Any]) -> dict[str, Vectors]:
            # As pgvector sends them: a list of numbers would be made and taken apart again on either side.
            statement = self._schema.sql("SELECT id, vector_send(embedding) FROM {entries} WHERE id = ANY(%s)", kb_id)
            with connection.cursor(binary=True) as cursor:
                found = cursor.execute(statement, [list(ids)])
                return {entry_id: np.frombuffer(sent, ">f4", offset=_SENT_HEAD).astype(np.float32) for entry_id, sent in found}

        return self._schema.read(look, {}) if len(ids) else {}

    def ids(self, kb_id: str) -> set[str]:
        def look(connection: Connection[Any]) -> set[str]:
            return {row[0] for row in connection.execute(self._schema.sql("SELECT id FROM {entries}", kb_id))}

        return self._schema.read(look, set())

    def drop(self, kb_id: str) -> None:
        self._schema.drop(kb_id)
        self._with_graph.discard(kb_id)
        self._without_graph.pop(kb_id, None)

    def close(self) -> None:
        self._schema.close()

    def _near(self, kb_id: str, dimension: int, among: LiteralString) -> Composed:
        return self._schema.sql(_NEAR.replace("{among}", among), kb_id, kind=self._precision, dimension=dimension)

    def _has_graph(self, connection: Connection[Any], kb_id: str) -> bool:
        if kb_id not in self._with_graph:
            if time.monotonic() < self._without_graph.get(kb_id, 0.0):
                return False
            # A search that asks by another precision than the graph's would read the whole table.
            statement = "SELECT 1 FROM pg_indexes WHERE schemaname = %s AND indexname = %s AND strpos(indexdef, %s) > 0"
            wanted = [self._schema.name, self._schema.table("graph", kb_id), f" {self._precision}_cosine_ops)"]
            if connection.execute(statement, wanted).fetchone() is None:
                self._without_graph[kb_id] = time.monotonic() + _LOOK_AGAIN_S
                return False
            self._with_graph.add(kb_id)
        return True

    def _build_graph_if_worth_it(self, kb_id: str, dimension: int) -> None:
        """Searches go on meanwhile; writers wait."""
        if kb_id in self._with_graph or dimension > _MOST_IN_GRAPH[self._precision]:
            return
        some = self._schema.sql("SELECT count(*) FROM (SELECT 1 FROM {entries} LIMIT %s) AS sample", kb_id)

        def enough(connection: Connection[Any]) -> bool:
            row = connection.execute(some, [self._graph_least]).fetchone()
            return row is not None and row[0] >= self._graph_least

        if self._schema.read(enough, False):
            self._without_graph.pop(kb_id, None)
            with self._schema.making() as connection:
                if not self._has_graph(connection, kb_id):
                    operators = f"{self._precision}_cosine_ops"
                    names = {"kind": self._precision, "operators": operators, "dimension": dimension}
                    connection.execute(self._schema.sql("DROP INDEX IF EXISTS {schema}.{graph}", kb_id))
                    connection.execute(self._schema.sql(_GRAPH, kb_id, **names))
            self._with_graph.add(kb_id)


def _bound(vector: Vectors) -> Any:
    """A vector as a parameter: pgvector's own form of text."""
    return "[" + ",".join(map(repr, vector.tolist())) + "]"


@contextmanager
def _of_one_model() -> Iterator[None]:
    """What the database says of a vector with another number of dimensions, in our tree."""
    from psycopg.errors import DataException

    try:
        yield
    except DataException as error:
        raise IndexDamaged(
            f"The dense index holds vectors of another length: {error}. "
            "The embedding model was changed: rebuild the index with 'rag reindex'."
        ) from error
