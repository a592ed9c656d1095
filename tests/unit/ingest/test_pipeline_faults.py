"""Nothing is ever half done: crashes at each step, cancelling, deleting in the middle, rebuilding. And the traces of it all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import ragd
from ragd.core.errors import ParseFailed
from ragd.core.jobs import Stopped
from ragd.ingest import embedding
from ragd.ingest.indexes import Indexes, find_drift
from ragd.providers.fakes import FakeEmbedder

GUIDE = "# Guide\n\nStart here.\n\n## Install\n\nRun setup on port 8443.\n"
STEPS = ["begin.before", "dense.before", "dense.after", "sparse.before", "sparse.after", "flip.before"]
SCHEMA = json.loads((Path(ragd.__file__).parent / "core" / "schemas" / "trace.schema.json").read_text(encoding="utf-8"))
INGESTION_STAGES = SCHEMA["properties"]["spans"]["items"]["properties"]["name"]["enum"][:9]


@pytest.fixture
def ready(line: Any) -> Any:
    """A line with two documents, of which one has changed on the disk since, and a third that is new."""
    line.write("a.md", GUIDE)
    line.write("b.md", "# Other\n\nStays.\n")
    line.ingest()
    line.write("a.md", GUIDE.replace("8443", "9443"))
    line.write("c.md", "# New\n\nComes.\n")
    return line


def check_traces(line: Any) -> None:
    for envelope in line.envelopes:
        jsonschema.validate(json.loads(json.dumps(envelope)), SCHEMA)


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS)
def test_a_fault_before_the_flip_changes_nothing_that_is_served(ready: Any, step: str) -> None:
    before = ready.texts()
    ready.trouble.steps[step] = OSError(28, "No space left on device")
    with pytest.raises(OSError, match="No space left"):
        ready.ingest()
    assert ready.texts() == before
    ready.check_facts()
    assert {envelope["status"] for envelope in ready.envelopes} <= {"error", "ok"}
    check_traces(ready)
    result = ready.ingest()
    assert (result.added, result.updated, result.unchanged, result.embedded) == (1, 1, 1, 0)
    assert "Run setup on port 9443." in " ".join(ready.texts())
    ready.check()


def test_a_fault_after_the_flip_leaves_only_waste_that_is_found_as_drift(ready: Any) -> None:
    ready.trouble.steps["flip.after"] = RuntimeError("killed")
    with pytest.raises(RuntimeError, match="killed"):
        ready.ingest()
    ready.check_facts()
    assert ready.ingest().unchanged == 3
    indexes = Indexes(ready.dense, ready.sparse)
    drift = find_drift(indexes, ready.kb_id, ready.writer.live_entries(ready.kb_id))
    assert (len(drift.surplus.dense), len(drift.surplus.sparse), drift.incomplete_documents) == (1, 1, ())
    indexes.remove({ready.kb_id: drift.surplus})
    ready.check()


@pytest.mark.parametrize("stage", ["indexing", "embedding", "storing"])
def test_a_run_that_is_stopped_leaves_nothing_half_done(ready: Any, stage: str) -> None:
    def report(now: str, _done: int, _total: int) -> None:
        if now == stage:
            raise Stopped

    def stop() -> None:
        raise Stopped

    if stage == "embedding":  # which is reported as indexing, as reading is
        ready.embedder.during = stop
    with pytest.raises(Stopped):
        ready.ingest(report=report)
    ready.check()
    check_traces(ready)
    if stage == "embedding":
        assert {envelope["status"] for envelope in ready.envelopes} == {"cancelled"}
        ready.embedder.during = lambda: None
    result = ready.ingest()
    assert result.added + result.updated + result.unchanged == 3
    ready.check()


def test_a_fault_while_reading_ends_the_run_with_that_error(new_line: Any) -> None:
    def loaders(_name: str) -> Any:
        raise MemoryError("no room for a loader")

    line = new_line(loaders=loaders)
    line.write("a.md", GUIDE)
    with pytest.raises(MemoryError, match="no room"):
        line.ingest()
    line.check()


@pytest.mark.parametrize("name", ["a.md", "b.md"])
def test_a_document_that_is_deleted_while_it_is_read_again_stays_deleted(ready: Any, name: str) -> None:
    doc_id = ready.doc_id(name)
    ready.embedder.during = lambda: ready.pipeline.delete(ready.kb_id, [doc_id])
    result = ready.ingest(force=True)
    assert (result.added, result.updated, result.skipped) == (1, 1, 1)
    assert doc_id not in {row["id"] for row in ready.reader.page()[0]}
    assert [envelope["status"] for envelope in ready.envelopes].count("cancelled") == 1
    ready.check()
    ready.embedder.during = lambda: None
    assert ready.ingest().added == 1
    ready.check()


def test_a_collection_that_is_deleted_under_a_run_takes_nothing_in(line: Any) -> None:
    other = line.collections.create("other")
    line.write("a.md", GUIDE)
    line.write("empty.md", "")
    line.embedder.during = lambda: line.cleanup_tasks.begin(other.kb_id, None)
    line.kb_id = other.kb_id
    result = line.ingest()
    assert (result.added, result.skipped, [failure.code for failure in result.failed]) == (0, 1, ["EMPTY"])
    assert line.dense.ids(other.kb_id) == line.sparse.ids(other.kb_id) == set()
    assert line.writer.sweep() == 0


def test_deleting_removes_entries_and_facts_of_those_documents_alone(ready: Any) -> None:
    ready.ingest()
    ready.pipeline.delete(ready.kb_id, [ready.doc_id("a.md"), ready.doc_id("c.md")])
    assert ready.texts() == {"Stays."}
    ready.check()


def test_a_rebuild_restores_lost_indexes_with_the_same_ids_and_embeds_nothing(ready: Any) -> None:
    ready.ingest()
    before, texts = sorted(ready.writer.live_entries(ready.kb_id)), ready.texts()
    Indexes(ready.dense, ready.sparse).drop(ready.kb_id)
    drift = find_drift(Indexes(ready.dense, ready.sparse), ready.kb_id, before)
    assert len(drift.incomplete_documents) == 3
    ready.embedder.texts.clear()
    said: list[tuple[str, int, int]] = []
    result = ready.pipeline.rebuild(drift.incomplete_documents, report=lambda *values: said.append(values), links={})
    assert (result.updated, result.chunks, len(ready.embedder.texts)) == (3, len(before), 0)
    assert said[-1] == ("done", 3, 3)
    assert (sorted(ready.writer.live_entries(ready.kb_id)), ready.texts()) == (before, texts)
    ready.check()


def test_a_rebuild_passes_over_documents_that_were_deleted(ready: Any) -> None:
    ready.ingest()
    doc_ids = [ready.doc_id(name) for name in ("a.md", "b.md", "c.md")]
    ready.writer.tombstone([doc_ids[0]])
    ready.pipeline.delete(ready.kb_id, [doc_ids[1]])
    assert ready.pipeline.rebuild(doc_ids, report=lambda *_: None, links={}).updated == 1
    assert ready.texts() == {"Comes."}


def test_a_document_that_can_not_be_rebuilt_costs_itself_alone(new_line: Any) -> None:
    class Fragile:
        """Counts as the fake does until it is told to break."""

        broken = False

        def count(self, text: str) -> int:
            if self.broken and "boom" in text:
                raise ZeroDivisionError
            return FakeEmbedder().tokenizer.count(text)

        def starts(self, text: str) -> Any:
            return FakeEmbedder().tokenizer.starts(text)

    line = new_line()
    line.write("a.md", "boom")
    line.write("b.md", GUIDE)
    line.ingest()
    line.embedder.tokenizer = Fragile()
    line.embedder.tokenizer.broken = True
    before = line.texts()
    result = line.pipeline.rebuild([line.doc_id("a.md"), line.doc_id("b.md")], report=lambda *_: None, links={})
    assert (result.updated, [(failure.source, failure.code) for failure in result.failed]) == (1, [("a.md", ParseFailed.code)])
    assert line.texts() == before
    line.check()


def test_every_document_leaves_one_valid_trace_with_all_stages_in_order(ready: Any) -> None:
    ready.write("empty.md", "")
    ready.ingest()
    check_traces(ready)
    stored = [envelope for envelope in ready.envelopes if envelope["status"] == "ok" and len(envelope["spans"]) > 1]
    assert len(stored) == 2
    for envelope in stored:
        assert [span["name"] for span in envelope["spans"]] == INGESTION_STAGES
        assert [span["start_ms"] for span in envelope["spans"]] == sorted(span["start_ms"] for span in envelope["spans"])
        assert envelope["links"]["job_id"] == "j1"
    (failed,) = [envelope for envelope in ready.envelopes if envelope["status"] == "error"]
    assert failed["aggregates"]["errors"] == [{"code": "EMPTY", "type": "DocumentEmpty"}]
    assert len(ready.envelopes) == 4  # two stored, one failed, one for all that were unchanged


def test_no_trace_holds_the_text_of_a_document(ready: Any) -> None:
    ready.ingest(force=True)
    assert "setup on port" not in json.dumps(list(ready.envelopes))


def test_vectors_of_a_large_file_are_kept_while_it_is_embedded(line: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "_KEPT_TOGETHER", 4)
    line.write("a.md", "".join(f"# Part {number}\n\nWhat part {number} says.\n\n" for number in range(12)))

    def stop() -> None:
        if len(line.embedder.texts) >= 8:
            raise RuntimeError("killed")

    line.embedder.during = stop
    with pytest.raises(RuntimeError, match="killed"):
        line.ingest()
    assert not line.texts()
    first = list(line.embedder.texts)
    line.embedder.during = lambda: None
    line.embedder.texts.clear()
    result = line.ingest()
    assert (result.added, result.embedded, result.reused) == (1, 4, 8)
    assert not set(first) & set(line.embedder.texts)
    line.check()
