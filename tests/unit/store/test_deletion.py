"""How documents and collections go, what a crash in between leaves, and how they come back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Engine
from sqlalchemy.exc import IntegrityError

from ragd.core.errors import DocumentDeleted, DocumentNotFound
from ragd.core.jobs import Failure
from ragd.core.storage import Entries, Version
from ragd.store.collections import Collections
from ragd.store.document_reader import DocumentReader
from ragd.store.documents import DocumentWriter
from ragd.store.jobs import Jobs
from ragd.store.sources import Sources

Make = Callable[..., Version]
Ingest = Callable[[Version], dict[str, Entries]]
Served = Callable[[Version], list[str]]

_REFUSING_PURGES = {
    "sqlite": (
        "CREATE TRIGGER refused BEFORE INSERT ON jobs BEGIN SELECT RAISE(ABORT, 'refused by the test'); END",
        "DROP TRIGGER refused",
    ),
    "postgresql": (
        "ALTER TABLE jobs ADD CONSTRAINT refused CHECK (kind != 'purge')",
        "ALTER TABLE jobs DROP CONSTRAINT refused",
    ),
}


def test_a_deleted_document_is_gone_at_once_and_its_facts_after(
    writer: DocumentWriter, reader: DocumentReader, served: Served, make_version: Make, ingest: Ingest, rows: Any, kb_id: str
) -> None:
    version, other = make_version("a.md", "one", "two"), make_version("b.md", "one")
    ingest(version)
    ingest(other)
    writer.tombstone([version.doc_id])
    assert served(version) == []
    assert writer.live_entries(kb_id) == [
        (other.doc_id, other.chunks[0].dense_id, other.chunks[0].dense_key, other.chunks[0].sparse_id)
    ]
    assert writer.deleted_with_content() == {kb_id: [version.doc_id]}
    assert writer.contents([version.doc_id]) == []
    stale = writer.entries([version.doc_id])
    assert {*stale.dense} == {chunk.dense_id for chunk in version.chunks}
    writer.purge([version.doc_id])
    assert writer.deleted_with_content() == {}
    assert rows() == {"documents": 2, "versions": 1, "sections": 1, "chunks": 1, "chunk_occurrences": 1}
    with pytest.raises(DocumentDeleted):
        reader.get(version.doc_id)
    assert [found["source"] for found in reader.page()[0]] == ["b.md"]
    assert [found["source"] for found in reader.page(status="deleted")[0]] == ["a.md"]


def test_a_failure_does_not_bring_a_deleted_document_back(
    writer: DocumentWriter, served: Served, make_version: Make, ingest: Ingest, kb_id: str
) -> None:
    version = make_version("a.md", "one")
    ingest(version)
    writer.tombstone([version.doc_id])
    writer.fail(kb_id, version.doc_id, version.source_uri, "markdown", 0, Failure("a.md", "VANISHED", "gone"))
    assert served(version) == []
    assert writer.deleted_with_content() == {kb_id: [version.doc_id]}


@pytest.mark.parametrize("purged", [True, False])
def test_a_deleted_document_that_is_ingested_again_comes_back(
    writer: DocumentWriter, served: Served, make_version: Make, ingest: Ingest, purged: bool
) -> None:
    old, new = make_version("a.md", "one"), make_version("a.md", "two")
    ingest(old)
    writer.tombstone([old.doc_id])
    if purged:
        writer.purge([old.doc_id])
    writer.begin([new])
    assert served(old) == served(new) == []
    stale = writer.flip([new])
    assert stale == ({} if purged else {new.kb_id: Entries((old.chunks[0].dense_id,), (old.chunks[0].sparse_id,))})
    assert (served(old), served(new)) == ([], ["two"])


@pytest.mark.parametrize("purged", [True, False])
def test_a_crash_while_a_deleted_document_comes_back_leaves_it_deleted(
    writer: DocumentWriter, make_version: Make, ingest: Ingest, rows: Any, kb_id: str, purged: bool
) -> None:
    old, new = make_version("a.md", "one"), make_version("a.md", "two")
    ingest(old)
    writer.tombstone([old.doc_id])
    if purged:
        writer.purge([old.doc_id])
    writer.begin([new])
    writer.sweep()
    assert writer.live_documents(kb_id) == []
    assert writer.deleted_with_content() == ({} if purged else {kb_id: [old.doc_id]})
    assert rows()["chunks"] == (0 if purged else 1)


def test_a_sweep_removes_what_was_begun_and_nothing_else(
    writer: DocumentWriter, served: Served, make_version: Make, ingest: Ingest, rows: Any
) -> None:
    ready = make_version("a.md", "one", "two")
    ingest(ready)
    before = rows()
    writer.begin([make_version("a.md", "two", "three"), make_version("new.md", "four")])
    assert rows() != before
    assert writer.sweep() > 0
    assert rows() == before
    assert served(ready) == ["one", "two"]
    assert writer.sweep() == 0


def test_a_sweep_keeps_the_rows_that_tell_of_failures_and_deletions(
    writer: DocumentWriter, reader: DocumentReader, make_version: Make, ingest: Ingest, kb_id: str
) -> None:
    gone, bad = make_version("gone.md", "one"), make_version("bad.md", "two")
    ingest(gone)
    writer.tombstone([gone.doc_id])
    writer.purge([gone.doc_id])
    writer.fail(kb_id, bad.doc_id, bad.source_uri, "markdown", 0, Failure("bad.md", "EMPTY", "no text"))
    assert writer.sweep() == 0
    with pytest.raises(DocumentDeleted):
        reader.get(gone.doc_id)
    assert reader.get(bad.doc_id)["status"] == "failed"


def test_an_erased_collection_leaves_ids_alone_and_others_as_they_are(
    writer: DocumentWriter,
    collections: Collections,
    make_version: Make,
    ingest: Ingest,
    rows: Any,
    reader: DocumentReader,
    delete_collection: Callable[[str], str],
) -> None:
    other = collections.create("other")
    kept, gone = make_version("a.md", "one"), make_version("a.md", "one", kb=other.kb_id)
    assert kept.doc_id != gone.doc_id
    ingest(kept)
    before = rows()
    ingest(gone)
    writer.begin([make_version("b.md", "pending", kb=other.kb_id)])
    delete_collection("other")
    with pytest.raises(DocumentNotFound):
        reader.get(gone.doc_id)
    doc_ids = writer.named(other.kb_id)
    assert len(doc_ids) == 2
    writer.erase(doc_ids)
    assert writer.named(other.kb_id) == []
    left = {table: count - before[table] for table, count in rows().items() if count != before[table]}
    assert left == {"documents": 2}


def test_what_was_deleted_meanwhile_is_told_apart_from_what_comes_back(
    writer: DocumentWriter,
    collections: Collections,
    make_version: Make,
    ingest: Ingest,
    delete_collection: Callable[[str], str],
) -> None:
    gone, back, kept = (make_version(name, "one") for name in ("gone.md", "back.md", "kept.md"))
    doomed = make_version("x.md", "one", kb=collections.create("doomed").kb_id)
    for version in (gone, back, kept, doomed):
        ingest(version)
    writer.tombstone([gone.doc_id, back.doc_id])
    delete_collection("doomed")
    assert writer.withdrawn([gone, back, kept, doomed], {back.doc_id}) == {gone.doc_id, doomed.doc_id}


def test_a_collection_its_sources_and_its_jobs_go_together_or_not_at_all(
    engine: Engine, collections: Collections, delete_collection: Callable[[str], str]
) -> None:
    kb_id = collections.create("tenders").kb_id
    sources, jobs = Sources(engine), Jobs(engine, 100, 100)
    others = sources.add("folder", "others", collections.get("default").kb_id, {})
    sources.add("folder", "tenders", kb_id, {})
    running, queued = (
        jobs.add("ingest", collection="tenders", kb_id=kb_id, payload={}, request_id=None).job_id for _ in range(2)
    )
    jobs.take()
    refuse, allow = _REFUSING_PURGES[engine.name]
    with engine.begin() as connection:
        connection.exec_driver_sql(refuse)
    with pytest.raises(IntegrityError):
        delete_collection("tenders")
    assert collections.get("tenders").kb_id == kb_id
    assert [source.name for source in sources.all()] == ["others", "tenders"]
    assert (jobs.get(running).cancel_requested, jobs.get(queued).status) == (False, "queued")
    with engine.begin() as connection:
        connection.exec_driver_sql(allow)
    delete_collection("tenders")
    assert collections.by_id(kb_id).status == "deleted"
    assert sources.all() == [others]
    assert (jobs.get(running).cancel_requested, jobs.get(queued).status) == (True, "cancelled")
    assert [job.kind for job in jobs.waiting("purge", kb_id)] == ["purge"]
