"""SQLite and PostgreSQL after the same migrations: the same tables, from nothing and from what each release left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine

from ragd.core.errors import ServiceUnavailable
from ragd.store.database.engine import open_engine
from ragd.store.database.migrate import migrate
from ragd.store.database.migrations import MIGRATIONS
from ragd.store.database.schema import metadata
from ragd.store.passages import _PASSAGES

from ...postgres_server.server import PostgresServer

pytestmark = pytest.mark.slow

OpenPostgres = Callable[[str], Engine]


@pytest.fixture
def open_postgres(postgres_server: PostgresServer, tmp_path: Path) -> OpenPostgres:
    return lambda database: open_engine(postgres_server.url(database), tmp_path)


def _kind(column: Any) -> str:
    """What a column holds, by the names that both databases share."""
    kinds = (sa.JSON, sa.Boolean, sa.LargeBinary, sa.Float, sa.Integer, sa.String)
    return next(kind.__name__ for kind in kinds if isinstance(column["type"], kind))


def _shape(engine: Engine) -> dict[str, Any]:
    """Tables, columns, keys and indexes, without the names that a database gives by itself."""
    look = sa.inspect(engine)
    return {
        table: {
            "columns": [(column["name"], _kind(column), column["nullable"]) for column in look.get_columns(table)],
            "defaults": {column["name"] for column in look.get_columns(table) if column["default"] is not None},
            "key": look.get_pk_constraint(table)["constrained_columns"],
            "foreign": sorted(
                (key["constrained_columns"], key["referred_table"], key["referred_columns"])
                for key in look.get_foreign_keys(table)
            ),
            "indexes": sorted(
                (str(index["name"]), index["column_names"], bool(index["unique"]), "where" in str(index["dialect_options"]))
                for index in look.get_indexes(table)
            ),
        }
        for table in sorted(look.get_table_names())
    }


def test_both_databases_have_the_same_tables(sqlite_engine: Engine, open_postgres: OpenPostgres, postgres_database: str) -> None:
    other = open_postgres(postgres_database)
    shape = _shape(sqlite_engine)
    assert _shape(other) == shape
    assert ("uq_collections_name", ["name"], True, True) in shape["collections"]["indexes"]
    with other.connect() as connection:
        options = {"compare_type": True, "include_name": lambda name, kind, _: (kind, name) != ("table", "schema_version")}
        assert compare_metadata(MigrationContext.configure(connection, opts=options), metadata) == []
    # Else pages would be ordered, and moments compared, by the rules of a language.
    unlike = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' AND data_type "
    with other.connect() as connection:
        assert connection.exec_driver_sql(f"{unlike} IN ('text', 'character varying') AND collation_name != 'C'").all() == []
        assert connection.exec_driver_sql(f"{unlike} = 'text' AND collation_name = 'C'").rowcount > 100
    other.dispose()


def test_each_former_version_becomes_the_same(
    postgres_server: PostgresServer, open_postgres: OpenPostgres, migrated_postgres: str, postgres_database: str
) -> None:
    whole = sa.create_engine(postgres_server.url(migrated_postgres))
    shape = _shape(whole)
    whole.dispose()  # a template is nobody's
    growing = sa.create_engine(postgres_server.url(postgres_database))
    for version in range(1, len(MIGRATIONS)):
        migrate(growing, MIGRATIONS[:version])
        growing.dispose()
        former = postgres_server.create(postgres_database)
        engine = open_postgres(former)
        assert _shape(engine) == shape
        engine.dispose()
        postgres_server.drop(former)


def test_a_newer_release_s_database_is_refused(
    postgres_server: PostgresServer, open_postgres: OpenPostgres, migrated_postgres: str
) -> None:
    database = postgres_server.create(migrated_postgres)
    postgres_server.run(database, f"INSERT INTO schema_version VALUES ({len(MIGRATIONS) + 1})")
    with pytest.raises(ServiceUnavailable, match=r"newer release \(schema"):
        open_postgres(database)
    postgres_server.drop(database)


@pytest.mark.parametrize(
    ("made", "refused"),
    [
        ("TEMPLATE template0 ENCODING 'SQL_ASCII'", "is encoded in SQL_ASCII. Make one with ENCODING 'UTF8'"),
        (None, 'database "missing" does not exist. Start it, .* or correct store.url and store.password'),
    ],
)
def test_a_database_that_can_not_be_used_is_said_to_be_so(
    postgres_server: PostgresServer, tmp_path: Path, made: str | None, refused: str
) -> None:
    if made:
        postgres_server.run("postgres", f"CREATE DATABASE odd {made}")
    url = postgres_server.url("odd" if made else "missing")
    with pytest.raises(ServiceUnavailable, match=refused) as refusal:
        open_engine(url, tmp_path, "the-password")
    assert "the-password" not in refusal.value.message
    postgres_server.drop("odd")


def test_passages_are_looked_for_by_their_ids_and_not_by_way_of_every_document(
    open_postgres: OpenPostgres, postgres_database: str
) -> None:
    """With one collection, of which the database has no statistics, it began with each document of that."""
    engine = open_postgres(postgres_database)
    statement = _PASSAGES.params(ids=["c7", "c8"]).compile(engine, compile_kwargs={"literal_binds": True})
    with engine.begin() as connection:
        connection.exec_driver_sql("SET LOCAL session_replication_role = replica")  # rows that they refer to are not there
        for rows in (
            "collections (kb_id, name, description, status, created_at, updated_at) VALUES ('k', 'k', '', 'enabled', '', '')",
            "documents (doc_id, kb_id, source, source_uri, status, version_id, title, doc_type, size, summary, tags, created_at, "
            "updated_at) SELECT 'd' || n, 'k', '', '', 'ready', 'v' || n, '', '', 0, '', '[]', '', '' "
            "FROM generate_series(1, 250) n",
            "chunk_occurrences (version_id, ordinal, chunk_id, place, tokens, dense_key, dense_id, sparse_id) "
            "SELECT 'v' || 1 + n / 40, mod(n, 40), 'c' || n, '{}', 0, '', '', '' FROM generate_series(0, 9999) n",
        ):
            connection.exec_driver_sql(f"INSERT INTO {rows}")
        connection.exec_driver_sql("ANALYZE documents, chunk_occurrences")
        plan = "\n".join(row[0] for row in connection.exec_driver_sql(f"EXPLAIN {statement}"))
    assert "ix_occurrences_chunk" in plan
    assert "chunk_occurrences_pkey" not in plan
    engine.dispose()
