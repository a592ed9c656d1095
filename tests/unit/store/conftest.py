"""A database on a temporary disk, and versions made by hand."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select

from ragd.core.documents import Chunk, Document, Enrichment, Place, Section
from ragd.core.ids import hash32
from ragd.core.query import Filters
from ragd.core.storage import Version
from ragd.store.collections import Collections
from ragd.store.contract.cleanup_tasks import CleanupTasks
from ragd.store.database import schema
from ragd.store.database.engine import open_engine
from ragd.store.database.schema import metadata
from ragd.store.document_reader import DocumentReader
from ragd.store.documents import DocumentWriter
from ragd.store.jobs import Jobs
from ragd.store.live.entry_table import Side
from ragd.store.passages import Passages
from ragd.store.sources import Sources

from ...postgres_server.server import PostgresServer

SIDES: tuple[Side, ...] = ("dense", "sparse")


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Of a store without rows, on each database."""
    found: Engine = request.getfixturevalue(f"{request.param}_engine")
    return found


@pytest.fixture
def sqlite_engine(migrated: Path, tmp_path: Path) -> Iterator[Engine]:
    shutil.copy(migrated, tmp_path)
    engine = open_engine("", tmp_path)
    yield engine
    engine.dispose()


@pytest.fixture(scope="session")
def _one_postgres_engine(postgres_server: PostgresServer, migrated_postgres: str) -> Iterator[Engine]:
    engine = open_engine(postgres_server.url(postgres_server.create(migrated_postgres)), Path())
    yield engine
    engine.dispose()


@pytest.fixture
def postgres_engine(_one_postgres_engine: Engine) -> Iterator[Engine]:
    """One for all tests, whose rows go after each: a database for each would take twenty times as long."""
    yield _one_postgres_engine
    with _one_postgres_engine.begin() as connection:
        connection.exec_driver_sql(";".join(f"DELETE FROM {table.name}" for table in reversed(metadata.sorted_tables)))


@pytest.fixture
def collections(engine: Engine) -> Collections:
    found = Collections(engine)
    found.ensure_default()
    return found


@pytest.fixture
def delete_collection(engine: Engine, collections: Collections) -> Callable[[str], str]:
    """Deletes a collection by name, gives its id. What it held is removed by a job that nothing here takes."""
    tasks = CleanupTasks(engine, collections, Sources(engine), Jobs(engine, 100, 100))
    return lambda name: tasks.begin(collections.get(name).kb_id, None)[0].kb_id


@pytest.fixture
def kb_id(collections: Collections) -> str:
    return collections.get("default").kb_id


@pytest.fixture
def writer(engine: Engine) -> DocumentWriter:
    return DocumentWriter(engine, keep_versions=2)


def _chunks(doc_id: str, section_id: str, texts: Sequence[str], view: str) -> Iterator[Chunk]:
    for ordinal, text in enumerate(texts):
        chunk_id = hash32(section_id, text.strip(), str(texts[:ordinal].count(text)))
        yield Chunk(
            chunk_id=chunk_id,
            section_id=section_id,
            section_path=("Guide",),
            ordinal=ordinal,
            text=text,
            tokens=len(text.split()),
            place=Place(line_range=(ordinal + 1, ordinal + 1)),
            dense_view=text,
            sparse_tokens=tuple(text.split()),
            dense_key=hash32(text),
            dense_id=hash32(chunk_id, "dense", text),
            sparse_id=hash32(chunk_id, "sparse", text, view),
        )


@pytest.fixture
def make_version(kb_id: str) -> Callable[..., Version]:
    """`make_version("a.md", "one", "two")`: the version that a file with these passages has. `view` stands for the profile."""

    def make(name: str, *texts: str, view: str = "1", kb: str = kb_id) -> Version:
        doc_id = hash32(kb, name)
        markdown = "\n".join(texts)
        section = Section(hash32(doc_id, "Guide", "0"), ("Guide",), 0, len(markdown), hash32(markdown))
        return Version(
            kb_id=kb,
            doc_id=doc_id,
            version_id=hash32(doc_id, hash32(markdown), "text 1"),
            profile_id=hash32("profile", view),
            source=name,
            source_uri=f"file:///docs/{name}",
            content_hash=hash32(markdown),
            size=len(markdown.encode()),
            document=Document("markdown", f"Title of {name}", markdown, "markdown", "1", verbatim=True, language="en"),
            sections=(section,),
            chunks=tuple(_chunks(doc_id, section.section_id, texts, view)),
            enrichment=Enrichment("rules", tags=("ops",)),
        )

    return make


@pytest.fixture
def ingest(writer: DocumentWriter) -> Callable[[Version], object]:
    """Write a version and make it the live one; returns what went stale."""

    def run(version: Version) -> object:
        writer.begin([version])
        return writer.flip([version])

    return run


@pytest.fixture
def passages(engine: Engine) -> Passages:
    return Passages(engine)


@pytest.fixture
def reader(engine: Engine) -> DocumentReader:
    return DocumentReader(engine)


@pytest.fixture
def rows(engine: Engine) -> Callable[[], dict[str, int]]:
    def count() -> dict[str, int]:
        tables = (schema.documents, schema.versions, schema.sections, schema.chunks, schema.occurrences)
        with engine.connect() as connection:
            return {table.name: connection.scalar(select(func.count()).select_from(table)) or 0 for table in tables}

    return count


@pytest.fixture
def served(passages: Passages) -> Callable[[Version], list[str]]:
    """The texts of a version that an answer could hold, by way of either index."""

    def find(version: Version) -> list[str]:
        found: set[str] = set()
        for side in SIDES:
            ids = [getattr(chunk, f"{side}_id") for chunk in version.chunks]
            found |= {chunk.chunk_id for chunk in passages.resolve(side, ids, Filters()).values()}
        known = passages.passages([chunk.chunk_id for chunk in version.chunks])
        assert found <= known.keys()
        return sorted(known[chunk_id].content for chunk_id in found)

    return find
