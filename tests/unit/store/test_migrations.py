"""The schema: what the migrations make, and what is said when a store can't be used."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine

from ragd.core.errors import ServiceUnavailable
from ragd.store.database.engine import batches, open_engine
from ragd.store.database.migrate import migrate
from ragd.store.database.migrations import MIGRATIONS
from ragd.store.database.schema import metadata
from ragd.store.document_reader import DocumentReader
from ragd.store.documents import DocumentWriter
from ragd.store.jobs import Jobs
from ragd.store.passages import Passages


@pytest.fixture
def engine(sqlite_engine: Engine) -> Engine:
    """What PostgreSQL makes of the migrations is compared with this in test_dialects.py."""
    return sqlite_engine


def test_the_migrations_make_exactly_the_tables_that_the_queries_use(engine: Engine) -> None:
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection,
            opts={"compare_type": True, "include_name": lambda name, kind, _parents: (kind, name) != ("table", "schema_version")},
        )
        assert compare_metadata(context, metadata) == []


def test_the_comparison_of_schemas_sees_a_missing_column(engine: Engine) -> None:
    changed = sa.MetaData()
    for table in metadata.sorted_tables:
        table.to_metadata(changed)
    changed.tables["documents"].append_column(sa.Column("extra", sa.Text))
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), changed)


def test_migrating_twice_changes_nothing(engine: Engine) -> None:
    with engine.connect() as connection:
        before = connection.execute(sa.text("SELECT type, name, sql FROM sqlite_master")).all()
    assert migrate(engine) == migrate(engine) == len(MIGRATIONS)
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT type, name, sql FROM sqlite_master")).all() == before
        assert connection.scalars(sa.text("SELECT version FROM schema_version")).all() == list(range(1, len(MIGRATIONS) + 1))


def test_a_store_of_the_first_release_keeps_its_documents(tmp_path: Path) -> None:
    """Rows as the first release wrote them, read by the code of this one."""
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'rag.db'}")
    migrate(engine, MIGRATIONS[:1])
    places = '{"verbatim": true, "marks": [], "headings": [[0, 3, 1, "A"]]}'
    with engine.begin() as connection:
        for statement in (
            "INSERT INTO collections VALUES ('k', 'default', '', 'enabled', 't', 't')",
            "INSERT INTO documents VALUES ('d', 'k', 'a.md', 'file:///a.md', 'ready', NULL, NULL, 'v', 'A', 'markdown', 'en', "
            "9, '', '[]', 't', 't')",
            "INSERT INTO versions VALUES ('v', 'd', 'ready', 'h', 'p', 'markdown', '1', 'A', 'markdown', 'en', '# A\n\ntext', "
            f"'m', '{places}', '{{}}', '[]', 9, 1, 1, 't', 't')",
            "INSERT INTO chunks VALUES ('c', 'd', 's', '[\"A\"]', 'text')",
            "INSERT INTO chunk_occurrences VALUES ('v', 0, 'c', '{\"line_range\": [3, 3]}', 4, 'dk', 'di', 'si')",
            "INSERT INTO jobs VALUES ('j', 'ingest', 'queued', 'default', 'k', '{}', '{}', NULL, NULL, 0, NULL, 1, 't', "
            "NULL, NULL)",
        ):
            connection.exec_driver_sql(statement)
    engine.dispose()
    engine = open_engine("", tmp_path)
    try:
        (stored,) = DocumentWriter(engine, keep_versions=0).contents(["d"])
        assert (stored.document.markdown, stored.document.headings[0].title) == ("# A\n\ntext", "A")
        assert Passages(engine).passages(["c"])["c"].content == "text"
        assert DocumentReader(engine).get("d")["versions"][0]["parser"] == ""
        job = Jobs(engine, max_queued=5, keep=5).take()
        assert job is not None
        assert (job.job_id, job.attempts) == ("j", 1)
    finally:
        engine.dispose()


def test_a_store_of_a_newer_release_is_refused_and_left_alone(engine: Engine, tmp_path: Path) -> None:
    with engine.begin() as connection:
        connection.execute(sa.text(f"INSERT INTO schema_version VALUES ({len(MIGRATIONS) + 1})"))
    with pytest.raises(ServiceUnavailable, match=rf"newer release \(schema {len(MIGRATIONS) + 1}, .*Update RAG Assistant"):
        open_engine("", tmp_path)
    with engine.connect() as connection:
        assert connection.scalar(sa.text("SELECT max(version) FROM schema_version")) == len(MIGRATIONS) + 1


def test_a_migration_that_fails_leaves_nothing_of_itself_or_of_those_before(tmp_path: Path) -> None:
    def breaks(op: Operations) -> None:
        op.create_table("half", sa.Column("id", sa.Integer))
        op.execute("INSERT INTO half VALUES (1)")
        raise RuntimeError("no")

    engine = open_engine("", tmp_path)
    try:
        with pytest.raises(RuntimeError, match="no"):
            migrate(engine, [*MIGRATIONS, lambda op: op.create_table("whole", sa.Column("id", sa.Integer)), breaks])
        tables = set(sa.inspect(engine).get_table_names())
        assert not tables & {"half", "whole"}
        assert migrate(engine) == len(MIGRATIONS)
    finally:
        engine.dispose()


@pytest.mark.parametrize("content", [b"this is no database" * 500, b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_damaged_file_is_told_with_its_name_and_what_to_do(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "rag.db").write_bytes(content)
    with pytest.raises(ServiceUnavailable, match=re.escape("rag.db") + ".*can't be opened: .*Put back a copy"):
        open_engine("", tmp_path)
    assert (tmp_path / "rag.db").read_bytes() == content


def test_a_folder_in_the_place_of_the_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "rag.db").mkdir()
    with pytest.raises(ServiceUnavailable, match="can't be opened"):
        open_engine("", tmp_path)


def test_sqlite_runs_in_wal_mode_with_foreign_keys_and_full_durability(engine: Engine) -> None:
    with engine.connect() as connection:
        pragmas = {name: connection.scalar(sa.text(f"PRAGMA {name}")) for name in ("journal_mode", "foreign_keys", "synchronous")}
    assert pragmas == {"journal_mode": "wal", "foreign_keys": 1, "synchronous": 2}
    with pytest.raises(sa.exc.IntegrityError), engine.begin() as connection:
        connection.execute(sa.text("INSERT INTO chunks VALUES ('c', 'no such document', 's', '[]', 'text')"))


def test_a_reader_is_not_held_up_by_a_writer(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(sa.text("INSERT INTO vectors VALUES ('key', 'model', 'revision', 'profile', x'00')"))
        with engine.execution_options(reading=True).connect() as reader:
            assert reader.scalar(sa.text("SELECT count(*) FROM vectors")) == 0


def test_the_file_is_where_the_data_is(tmp_path: Path) -> None:
    open_engine("", tmp_path).dispose()
    with sqlite3.connect(tmp_path / "rag.db") as connection:
        assert connection.execute("SELECT count(*) FROM documents").fetchone() == (0,)
    connection.close()


@pytest.mark.parametrize(("count", "sizes"), [(0, []), (499, [499]), (500, [500]), (1001, [500, 500, 1])])
def test_batches_hold_everything_once(count: int, sizes: list[int]) -> None:
    found = list(batches(list(range(count))))
    assert [len(batch) for batch in found] == sizes
    assert [item for batch in found for item in batch] == list(range(count))
