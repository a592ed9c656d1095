"""How large the database is, and the indexes that are in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from sqlalchemy import Engine, text

# A table with its indexes and its long values; of one that is being dropped it is null.
_SCHEMAS: Final = (
    "SELECT n.nspname, sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE c.relkind = 'r' AND starts_with(n.nspname::text, 'rag_') GROUP BY n.nspname"
)


class DatabaseSizes:
    """In bytes, looked up anew at each call."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def database(self) -> float:
        """SQLite's file with those beside it; all of a database of PostgreSQL, its indexes included."""
        if self._engine.dialect.name == "postgresql":
            with self._engine.connect() as connection:
                return float(connection.scalar(text("SELECT pg_database_size(current_database())")) or 0)
        file = Path(str(self._engine.url.database))
        return bytes_of(file.parent.glob(f"{file.name}*"))

    def indexes(self) -> Mapping[str, float]:
        """By the kind that begins a schema's name: `rag_dense_…`, `rag_sparse_…`, `rag_tokens_…`."""
        found: dict[str, float] = {}
        if self._engine.dialect.name == "postgresql":
            with self._engine.connect() as connection:
                for schema, size in connection.execute(text(_SCHEMAS)):
                    kind = schema.split("_")[1]
                    found[kind] = found.get(kind, 0) + float(size or 0)
        return found


def bytes_of(files: Iterable[Path]) -> float:
    """Of those that are files."""
    total = 0
    for file in files:
        try:
            total += file.stat().st_size if file.is_file() else 0
        except FileNotFoundError:
            continue  # it was replaced while it was counted
    return total
