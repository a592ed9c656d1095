from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from ragd.app.container import Application
from ragd.core.errors import (
    CollectionNotFound,
    CollectionUnavailable,
    DocumentDeleted,
    ForbiddenPath,
    ServiceUnavailable,
    ValidationFailed,
)
from ragd.store.jobs import Job

from .conftest import ask, finish

pytestmark = pytest.mark.slow

Open = Callable[..., Application]


def sources(app: Application, text: str, **options: object) -> list[str]:
    return [hit.passage.source for hit in ask(app, text, **options).hits]  # type: ignore[arg-type]


def ingest(app: Application, *paths: Path, **options: object) -> dict[str, object]:
    job = finish(app, app.documents.ingest([str(path) for path in paths], **options))  # type: ignore[arg-type]
    assert job.status == "completed", job.error
    assert job.result is not None
    return dict(job.result)


def test_a_document_is_found_with_its_place(open_app: Open, docs: Path) -> None:
    app = open_app()
    assert ingest(app, docs)["added"] == 3
    hit = ask(app, "what does E1045 mean").hits[0]
    assert hit.passage.source == "guide.md"
    assert hit.passage.section_path == ("Guide", "Errors")
    assert hit.passage.place.line_range == (11, 11)
    assert hit.score > 0.9  # it holds what the question names to the letter
    assert set(hit.scores) == {"dense", "sparse", "fused", "rerank"}


def test_sources_are_relative_to_the_folder_that_was_added(open_app: Open, docs: Path) -> None:
    app = open_app()
    ingest(app, docs)
    items, total = app.document_reader.page()
    assert (total, [item["source"] for item in items]) == (3, ["api/auth.txt", "guide.md", "手順.md"])


@pytest.mark.parametrize(("mode", "side"), [("dense_only", "dense"), ("sparse_only", "sparse")])
def test_a_mode_asks_only_its_index(open_app: Open, docs: Path, mode: str, side: str) -> None:
    app = open_app()
    ingest(app, docs)
    result = ask(app, "lease", strategy=mode)
    assert set(result.hits[0].scores) == {side, "fused", "rerank"}
    assert result.mode == mode


def test_a_named_strategy_is_an_overlay_for_one_request(open_app: Open, docs: Path, tmp_path: Path) -> None:
    strategies = tmp_path / "config" / "strategies"
    strategies.mkdir(parents=True)
    (strategies / "words.yaml").write_text("retrieval: {strategy: sparse_only}")
    (strategies / "other.yaml").write_text("splitter: {chunk_size: 64}")
    app = open_app()
    ingest(app, docs)
    assert ask(app, "lease", strategy="words").mode == "sparse_only"
    assert ask(app, "lease").mode == "hybrid"
    with pytest.raises(ValidationFailed, match="words"):
        ask(app, "lease", strategy="nope")
    with pytest.raises(ValidationFailed, match="splitter"):
        ask(app, "lease", strategy="other")


def test_filters_are_hard(open_app: Open, docs: Path) -> None:
    app = open_app()
    ingest(app, docs)
    assert set(sources(app, "lease token 証明書", filters={"path_prefix": "api/"})) == {"api/auth.txt"}
    assert set(sources(app, "lease token 証明書", filters={"doc_type": "text"})) == {"api/auth.txt"}
    assert sources(app, "lease", filters={"path_prefix": "API/"}) == []
    for absolute in (f"{docs}/api/", f"{docs}/ap", f"{docs}/api/auth.txt"):
        assert set(sources(app, "lease token 証明書", filters={"path_prefix": absolute})) == {"api/auth.txt"}
    assert sources(app, "lease", filters={"path_prefix": f"{docs}/api/none/"}) == []
    (docs.parent / "link").symlink_to(docs)
    assert set(sources(app, "証明書", filters={"path_prefix": f"{docs.parent}/link/手"})) == {"手順.md"}
    assert sources(app, "lease", filters={"updated_after": "2100-01-01"}) == []


def test_a_query_searches_every_enabled_collection(open_app: Open, docs: Path) -> None:
    app = open_app()
    ingest(app, docs / "guide.md")
    app.collections.create("second")
    ingest(app, docs / "api", collection="second")
    assert {"guide.md", "auth.txt"} <= set(sources(app, "lease tokens"))
    assert set(sources(app, "lease tokens", collection="second")) == {"auth.txt"}
    assert {"guide.md", "auth.txt"} <= set(sources(app, "lease tokens", collection=["second", "default", "second"]))
    app.collections.change("second", status="disabled")
    assert set(sources(app, "lease tokens")) == {"guide.md"}
    with pytest.raises(CollectionUnavailable, match="disabled"):
        ask(app, "x", collection="second")
    with pytest.raises(CollectionNotFound):
        ask(app, "x", collection="third")


def test_a_long_query_is_cut_with_a_warning(open_app: Open, docs: Path) -> None:
    app = open_app()
    ingest(app, docs)
    result = ask(app, "E1045 " * 20_000)
    assert result.hits[0].passage.source == "guide.md"
    assert "8,192" in result.warnings[0]


@pytest.mark.parametrize("text", ["", "  \n\t ", "\u200b\ufeff"])
def test_an_empty_query_is_refused(open_app: Open, text: str) -> None:
    with pytest.raises(ValidationFailed, match="empty"):
        ask(open_app(), text)


@pytest.mark.parametrize("top_k", [0, 21, -1])
def test_top_k_out_of_range_is_refused(open_app: Open, top_k: int) -> None:
    with pytest.raises(ValidationFailed, match="between 1 and 20"):
        ask(open_app(), "x", top_k=top_k)


def test_a_query_over_nothing_finds_nothing(open_app: Open) -> None:
    result = ask(open_app(), "anything")
    assert result.hits == ()
    assert result.context.text == ""


def test_paths_are_checked_before_a_job_is_made(open_app: Open, docs: Path, tmp_path: Path) -> None:
    app = open_app(security__allowed_roots=[str(docs)])
    (docs / "link").symlink_to(tmp_path)
    for path in (tmp_path, docs / ".." / "elsewhere", docs / "link"):
        with pytest.raises(ForbiddenPath):
            app.documents.ingest([str(path)])
    with pytest.raises(ValidationFailed, match="does not exist"):
        app.documents.ingest([str(docs / "missing.md")])
    with pytest.raises(ValidationFailed, match="absolute"):
        open_app().documents.ingest(["docs"])
    with pytest.raises(ValidationFailed):
        app.documents.ingest([])


def test_a_deleted_document_is_gone_from_everything(open_app: Open, docs: Path) -> None:
    app = open_app()
    ingest(app, docs)
    doc_id = ask(app, "E1045").hits[0].passage.doc_id
    app.documents.delete(doc_id)
    assert "guide.md" not in sources(app, "E1045 lease", top_k=20)
    with pytest.raises(DocumentDeleted):
        app.document_reader.get(doc_id)
    assert app.passages.counts()["documents"] == 2
    assert ingest(app, docs)["added"] == 1, "a deleted document can come back"
    assert sources(app, "E1045")[0] == "guide.md"


def test_a_deleted_collection_leaves_nothing_and_frees_its_name(open_app: Open, docs: Path) -> None:
    app = open_app()
    app.collections.create("second")
    ingest(app, docs, collection="second")
    kb_id = app.collections.get("second").kb_id
    app.documents.delete_collection("second")
    with pytest.raises(CollectionNotFound):
        app.collections.get("second")
    jobs, _ = app.jobs.page()
    assert (jobs[0].kind, finish(app, jobs[0]).status) == ("purge", "completed")
    assert app.indexes().dense.ids(kb_id) == set()
    assert app.indexes().sparse.ids(kb_id) == set()
    assert kb_id not in app.collections.live_ids()
    app.collections.create("second")
    assert ingest(app, docs, collection="second")["added"] == 3
    with pytest.raises(ValidationFailed, match="default"):
        app.documents.delete_collection("default")


ENGINES = [
    pytest.param({}, id="exact and fts5"),
    pytest.param({"dense__backend": "usearch", "sparse__backend": "tantivy"}, id="usearch and tantivy", marks=pytest.mark.e2e),
]


@pytest.mark.parametrize("engines", ENGINES)
@pytest.mark.parametrize("pattern", ["dense-*", "sparse-*"])
def test_a_removed_index_is_rebuilt_from_the_facts_with_a_notice(
    open_app: Open, docs: Path, pattern: str, engines: dict[str, str]
) -> None:
    app = open_app(**engines)
    ingest(app, docs)
    before = sources(app, "E1045 lease token", top_k=20)
    app.close()
    for folder in (app.directories.data / "index").glob(pattern):
        shutil.rmtree(folder)
    shutil.rmtree(docs)
    again = open_app(**engines)
    assert "indexed again" in again.maintenance.notices()[0]
    jobs, _ = again.jobs.page()
    assert finish(again, jobs[0]).status == "completed"
    assert sources(again, "E1045 lease token", top_k=20) == before


@pytest.mark.parametrize("engines", ENGINES)
@pytest.mark.parametrize("pattern", ["dense-*", "sparse-*"])
def test_a_damaged_index_is_put_aside_and_rebuilt_with_a_notice(
    open_app: Open, docs: Path, pattern: str, engines: dict[str, str]
) -> None:
    app = open_app(**engines)
    ingest(app, docs)
    before = sources(app, "E1045 lease token", top_k=20)
    app.close()
    for path in (app.directories.data / "index").glob(f"{pattern}/**/*"):
        if path.is_file():
            path.write_bytes(b"garbage" * 100)
    again = open_app(**engines)
    assert "damaged" in again.maintenance.notices()[0]
    jobs, _ = again.jobs.page()
    assert finish(again, jobs[0]).status == "completed"
    assert sources(again, "E1045 lease token", top_k=20) == before
    assert list((again.directories.data / "index").glob(f"{pattern}.damaged-*"))


def test_other_settings_index_the_documents_again_from_their_facts(open_app: Open, docs: Path) -> None:
    app = open_app()
    ingest(app, docs)
    shutil.rmtree(docs)
    again = open_app(splitter__chunk_size=64, splitter__chunk_overlap=8)
    jobs, _ = again.jobs.page()
    job = finish(again, jobs[0])
    assert (job.kind, job.status) == ("repair", "completed")
    assert job.result is not None
    assert job.result["updated"] == 3
    assert open_app(splitter__chunk_size=64, splitter__chunk_overlap=8).reconciler.reconcile() is None


def test_an_upload_is_kept_and_a_new_one_replaces_it(open_app: Open) -> None:
    app = open_app()
    target = app.collections.get("default")
    for text in ("first words", "second words"):
        upload = app.uploads.receive("notes.txt")
        upload.file.write(text.encode())
        job = finish(app, app.documents.ingest_uploads([upload], target))
        assert job.status == "completed"
    items, total = app.document_reader.page()
    assert (total, items[0]["source"]) == (1, "notes.txt")
    assert app.document_reader.content(items[0]["id"]) == "second words"
    app.documents.delete(items[0]["id"])
    assert not [path for path in (app.directories.data / "uploads").rglob("*") if path.is_file()]


def test_reopening_changes_nothing(open_app: Open, docs: Path) -> None:
    ingest(open_app(), docs)
    app = open_app()
    assert app.reconciler.reconcile() is None
    result = ingest(app, docs)
    assert (result["unchanged"], result["embedded"]) == (3, 0)


def test_a_collection_that_is_deleted_while_files_go_into_it_leaves_nothing(open_app: Open, docs: Path) -> None:
    for number in range(300):
        (docs / f"page-{number}.md").write_text(f"# Page {number}\n\nWords of page {number}.\n", encoding="utf-8")
    app = open_app()
    app.collections.create("second")
    job = app.documents.ingest([str(docs)], collection="second")
    app.documents.delete_collection("second")
    assert finish(app, job).status in {"cancelled", "completed"}
    jobs, _ = app.jobs.page()
    assert (jobs[0].kind, finish(app, jobs[0]).status) == ("purge", "completed")
    assert job.kb_id not in app.collections.live_ids()
    assert app.indexes().dense.ids(job.kb_id) == set()
    assert app.passages.counts()["chunks"] == 0


def test_an_upload_that_no_job_takes_replaces_nothing(open_app: Open) -> None:
    app = open_app(limits__max_queued_jobs=1)
    target = app.collections.get("default")
    first = app.uploads.receive("notes.txt")
    first.file.write(b"first words")
    finish(app, app.documents.ingest_uploads([first], target))
    app.runner.stop(5)
    app.jobs.add("rebuild", collection="", kb_id="", payload={"doc_ids": []}, request_id=None)
    second = app.uploads.receive("notes.txt")
    second.file.write(b"second words")
    with pytest.raises(ServiceUnavailable):
        app.documents.ingest_uploads([second], target)
    kept = [path for path in (app.directories.data / "uploads").rglob("*") if path.is_file()]
    assert [path.read_bytes() for path in kept] == [b"first words"]


def test_what_a_dead_process_was_receiving_is_removed(open_app: Open) -> None:
    app = open_app()
    app.uploads.receive("notes.txt").file.close()
    open_app()
    assert not [path for path in (app.directories.data / "uploads").rglob("*") if path.is_file()]


@pytest.mark.parametrize("path", ["/" + "a" * 300, "/a\0b"])
def test_a_path_that_no_file_can_have_is_refused(open_app: Open, path: str) -> None:
    with pytest.raises(ValidationFailed, match=r"can't be read|no path"):
        open_app().documents.ingest([path])


def test_a_deletion_that_was_cut_off_is_finished_at_the_next_start(open_app: Open, docs: Path) -> None:
    app = open_app()
    app.collections.create("second")
    ingest(app, docs, collection="second")
    kb_id = app.collections.get("second").kb_id
    app.runner.stop(5)
    app.documents.delete_collection("second")
    again = open_app()
    assert kb_id not in again.collections.live_ids()
    jobs, _ = again.jobs.page()
    assert (jobs[0].kind, finish(again, jobs[0]).status) == ("purge", "completed")
    assert again.indexes().sparse.ids(kb_id) == set()


def test_what_is_opened_lazily_is_opened_once(open_app: Open) -> None:
    app = open_app()
    opened = (app.indexes, app.ingestion, app.vectors, app.models.embedder, app.models.analyzer)
    assert [lazy() for lazy in opened] == [lazy.opened for lazy in opened]
    assert app.documents.writer is app.reconciler.writer is app.writer


def _upload(app: Application, name: str, text: str) -> Job:
    upload = app.uploads.receive(name)
    upload.file.write(text.encode())
    return app.documents.ingest_uploads([upload], app.collections.get("default"))


def _kept(app: Application) -> list[Path]:
    return [path for path in (app.directories.data / "uploads").rglob("*") if path.is_file()]


def test_a_deletion_holds_against_an_upload_that_was_queued_before_it(open_app: Open, docs: Path) -> None:
    app = open_app()
    finish(app, _upload(app, "notes.txt", "first"))
    (document,) = app.documents.page(None, None, 1, 10)[0]
    blocking = app.documents.ingest([str(docs)])
    queued = _upload(app, "notes.txt", "second")
    app.documents.delete(document["id"])
    finish(app, blocking)
    assert finish(app, queued).result["skipped"] == 1
    assert [row["source"] for row in app.documents.page(None, "deleted", 1, 10)[0]] == ["notes.txt"]
    assert _kept(app) == []
    finish(app, _upload(app, "notes.txt", "third"))
    assert app.document_reader.get(document["id"])["status"] == "ready"


def test_a_moved_data_directory_reads_its_uploads_and_takes_new_ones_of_their_names(open_app: Open, tmp_path: Path) -> None:
    app = open_app()
    finish(app, _upload(app, "notes.txt", "first"))
    (document,) = app.documents.page(None, None, 1, 10)[0]
    app.close()
    with sqlite3.connect(tmp_path / "data" / "rag.db") as database:  # as if it had been moved from there
        here, there = tmp_path.as_uri(), "file:///somewhere/else"
        database.execute("UPDATE documents SET source_uri = replace(source_uri, ?, ?)", (here, there))
    app = open_app()
    assert app.document_reader.get(document["id"])["source_uri"] == _kept(app)[0].as_uri()
    assert finish(app, app.documents.reread(document["id"])).result["updated"] == 1
    assert finish(app, _upload(app, "notes.txt", "second")).result["updated"] == 1
    assert [row["id"] for row in app.documents.page(None, None, 1, 10)[0]] == [document["id"]]
    app.documents.delete(document["id"])
    assert _kept(app) == []


def test_what_a_kill_left_of_a_deleted_upload_is_removed_at_the_next_start(open_app: Open) -> None:
    app = open_app()
    finish(app, _upload(app, "notes.txt", "first"))
    (document,) = app.documents.page(None, None, 1, 10)[0]
    app.writer.tombstone([document["id"]], by_request=True)
    app = open_app()
    assert _kept(app) == []
