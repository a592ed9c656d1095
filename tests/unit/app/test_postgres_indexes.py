"""A whole application on PostgreSQL: content and all three indexes in one database, the indexes lost and made again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragd.app.container import Application
from ragd.testing.token_index import write_basis

from .conftest import ask, finish

pytestmark = pytest.mark.slow

START = Callable[..., Application]


@pytest.fixture
def database(postgres_server: Any, migrated_postgres: str) -> Iterator[str]:
    name = postgres_server.create(migrated_postgres)
    yield name
    postgres_server.drop(name)


@pytest.fixture
def start(database: str, open_app: START, postgres_server: Any, tmp_path: Path) -> START:
    def start(**explicit: Any) -> Application:
        basis = tmp_path / "fake.npz"
        return open_app(
            **{"store__url": postgres_server.url(database), "dense__backend": "auto", "sparse__backend": "auto"}
            | {"token_index__provider": "auto", "token_index__basis": str(basis if basis.exists() else write_basis(basis))}
            | explicit
        )

    return start


def schemas(postgres_server: Any, database: str) -> dict[str, str]:
    """The schemas of the indexes, by the side."""
    found = postgres_server.run(database, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'rag\\_%' ORDER BY 1")
    return {name.split("_")[1]: name for (name,) in found}


def wait_for_jobs(app: Application) -> None:
    for job in app.jobs.page(page_size=100)[0]:
        finish(app, job)


def agrees(app: Application) -> bool:
    report = app.reconciler.verify()
    return report["ok"] and all(not kb["missing_tokens"]["count"] for kb in report["collections"])


def test_auto_keeps_all_indexes_in_the_database_of_the_content(
    start: START, docs: Path, postgres_server: Any, database: str
) -> None:
    app = start()
    assert finish(app, app.documents.ingest([str(docs)])).status == "completed"
    assert app.maintenance.status()["stores"] == {"facts": "postgresql", "dense": "pgvector", "sparse": "postgres"}
    assert schemas(postgres_server, database).keys() == {"dense", "sparse", "tokens"}
    assert agrees(app)
    assert ask(app, "E1045").hits[0].passage.source.endswith("guide.md")
    assert not [path for path in (app.directories.data / "index").rglob("*") if path.is_file()]
    shown = app.metrics.text().decode()
    sizes = {name: float(size) for name, size in re.findall(r'^index_bytes{index="(\w+)"} (\S+)$', shown, re.MULTILINE)}
    measured = (
        "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c WHERE relkind = 'r' AND relnamespace = '{}'::regnamespace"
    )
    of_schemas = {
        side: float(postgres_server.run(database, measured.format(schema))[0][0])
        for side, schema in schemas(postgres_server, database).items()
    }
    assert sizes == of_schemas
    assert min(sizes.values()) > 0
    [whole] = re.findall(r"^database_bytes (\S+)$", shown, re.MULTILINE)
    assert float(whole) > sum(sizes.values())

    app = start()
    assert ask(app, "証明書").hits[0].passage.source.endswith("手順.md")
    assert app.maintenance.notices() == []


@pytest.mark.parametrize("side", ["dense", "sparse", "tokens"])
def test_an_index_that_is_lost_is_made_again_from_the_content(
    start: START, docs: Path, postgres_server: Any, database: str, side: str
) -> None:
    app = start()
    finish(app, app.documents.ingest([str(docs)]))
    before = [hit.passage.chunk_id for hit in ask(app, "port 8443").hits]
    postgres_server.run(database, f"DROP SCHEMA {schemas(postgres_server, database)[side]} CASCADE")
    assert not agrees(app)
    app = start()
    wait_for_jobs(app)
    assert agrees(app)
    assert [hit.passage.chunk_id for hit in ask(app, "port 8443").hits] == before


def test_what_was_written_for_a_document_that_never_came_is_removed(
    start: START, docs: Path, postgres_server: Any, database: str
) -> None:
    """As a process leaves it that was killed between the indexes and the commit of the content."""
    app = start()
    finish(app, app.documents.ingest([str(docs)]))
    kb_id = app.collections.get("default").kb_id
    app.indexes().sparse.upsert(kb_id, [("f" * 32, ["lost"])])
    app.indexes().dense.upsert(kb_id, ["f" * 32], app.models.embedder().embed_passages(["lost"]))
    app = start()
    assert "f" * 32 not in app.indexes().sparse.ids(kb_id) | app.indexes().dense.ids(kb_id)
    assert agrees(app)


def test_a_deleted_collection_takes_its_tables_along(start: START, docs: Path, postgres_server: Any, database: str) -> None:
    app = start()
    app.collections.create("other")
    finish(app, app.documents.ingest([str(docs)], collection="other"))
    kb_id = app.collections.get("other").kb_id
    tables = f"SELECT count(*) FROM pg_tables WHERE tablename LIKE '%{kb_id}'"
    assert postgres_server.run(database, tables)[0][0] == 5
    app.documents.delete_collection("other")
    wait_for_jobs(app)
    assert postgres_server.run(database, tables)[0][0] == 0


def test_codes_of_another_basis_are_removed(
    start: START, docs: Path, postgres_server: Any, database: str, tmp_path: Path
) -> None:
    app = start()
    finish(app, app.documents.ingest([str(docs)]))
    first = schemas(postgres_server, database)["tokens"]
    app = start(token_index__basis=str(write_basis(tmp_path / "other.npz", seed=1)))
    wait_for_jobs(app)
    assert schemas(postgres_server, database)["tokens"] != first
    assert agrees(app)
    start(token_index__provider="none", token_index__basis="")
    assert "tokens" not in schemas(postgres_server, database)
