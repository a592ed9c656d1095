"""The token index as a column of a table in PostgreSQL: the codes of a question's candidates are read by one statement."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, LiteralString

import numpy as np

from ragd.providers.index_schema import IndexSchema
from ragd.providers.protocols import Vectors
from ragd.providers.token_index.codec import CODE_BYTES, max_sim
from ragd.providers.token_protocols import TokenCodes

if TYPE_CHECKING:
    from psycopg import Connection

_TABLES: Final[tuple[LiteralString, ...]] = (
    "CREATE TABLE {entries} (id text PRIMARY KEY, checksum bigint NOT NULL, codes bytea NOT NULL)",
    # Signs can't be compressed; and codes of more than 2 kB would be kept apart from their row, where each took several reads.
    "ALTER TABLE {entries} ALTER COLUMN codes SET STORAGE EXTERNAL, SET (toast_tuple_target = 8160)",
)
_UPSERT: Final = (
    "INSERT INTO {entries} AS old (id, checksum, codes) VALUES (%s, %s, %s) ON CONFLICT (id) DO UPDATE "
    "SET checksum = excluded.checksum, codes = excluded.codes WHERE old.codes <> excluded.codes"
)


class PostgresTokenIndex:
    """A table for each `kb_id`. `checksum` is the CRC-32 of the codes as they were written."""

    name = "postgres"
    in_database = True

    def __init__(self, url: str, index: str, *, password: str = "") -> None:
        self._schema = IndexSchema(url, index, password=password, provider=f"token_index.provider '{self.name}'", tables=_TABLES)

    def upsert(self, kb_id: str, entries: Mapping[str, TokenCodes]) -> None:
        def change(connection: Connection[Any]) -> None:
            # In one order, so that no two writers wait for each other.
            written = [(entry_id, entries[entry_id].tobytes()) for entry_id in sorted(entries)]
            with connection.cursor() as cursor:
                values = [(entry_id, zlib.crc32(codes), codes) for entry_id, codes in written]
                cursor.executemany(self._schema.sql(_UPSERT, kb_id), values)

        if entries:
            self._schema.write(kb_id, change, create=True)

    def score(self, kb_id: str, query: Vectors, ids: Sequence[str]) -> Vectors:
        def look(connection: Connection[Any]) -> dict[str, bytes]:
            with connection.cursor(binary=True) as cursor:
                statement = self._schema.sql("SELECT id, codes FROM {entries} WHERE id = ANY(%s)", kb_id)
                return dict(cursor.execute(statement, [list(ids)]).fetchall())

        nothing: dict[str, bytes] = {}
        held = self._schema.read(look, nothing) if ids else nothing
        scores = np.full(len(ids), np.nan, np.float32)
        known = [row for row, entry_id in enumerate(ids) if entry_id in held]
        found = [held[ids[row]] for row in known]
        codes = np.frombuffer(b"".join(found), np.uint8).reshape(-1, CODE_BYTES)
        scores[known] = max_sim(query, codes, np.array([len(one) // CODE_BYTES for one in found], np.intp))
        return scores

    def delete(self, kb_id: str, ids: Sequence[str]) -> None:
        def change(connection: Connection[Any]) -> None:
            connection.execute(self._schema.sql("DELETE FROM {entries} WHERE id = ANY(%s)", kb_id), [list(ids)])

        self._schema.write(kb_id, change, create=False)

    def ids(self, kb_id: str) -> set[str]:
        def look(connection: Connection[Any]) -> set[str]:
            return {row[0] for row in connection.execute(self._schema.sql("SELECT id FROM {entries}", kb_id))}

        return self._schema.read(look, set())

    def damaged(self, kb_id: str) -> list[str]:
        def look(connection: Connection[Any]) -> list[str]:
            # A cursor of the server: all codes of a collection are more than memory should hold at once.
            with connection.transaction(), connection.cursor("codes", binary=True) as cursor:
                cursor.execute(self._schema.sql("SELECT id, checksum, codes FROM {entries}", kb_id))
                return [
                    entry_id for entry_id, checksum, codes in cursor if len(codes) % CODE_BYTES or zlib.crc32(codes) != checksum
                ]

        return self._schema.read(look, [])

    def drop(self, kb_id: str) -> None:
        self._schema.drop(kb_id)

    def close(self) -> None:
        self._schema.close()
