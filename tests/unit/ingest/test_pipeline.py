"""What the ingestion line counts, embeds and keeps, and what one bad file costs."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ragd.app.ingestion import encoding_for
from ragd.ingest.discovery.files import Found
from ragd.ingest.discovery.items import FileItem
from ragd.providers.registry import build

GUIDE = "# Guide\n\nStart here.\n\n## Install\n\nRun setup on port 8443.\n\n## Errors\n\nE1045 means that the lease ran out.\n"


def counts(result: Any) -> tuple[int, int, int, int, int]:
    return result.added, result.updated, result.unchanged, result.skipped, len(result.failed)


def chunk_ids(line: Any, source: str) -> list[str]:
    return [chunk["chunk_id"] for chunk in line.reader.chunks(line.doc_id(source), page_size=1000)[0]]


def test_a_run_counts_what_it_added_changed_left_alone_and_could_not_read(line: Any) -> None:
    line.write("guide.md", GUIDE)
    line.write("sub/notes.txt", "Some notes.")
    line.write("picture.xyz", b"\0")
    line.write("empty.md", "")
    result = line.ingest()
    assert counts(result) == (2, 0, 0, 1, 1)
    assert [(failure.source, failure.code) for failure in result.failed] == [("empty.md", "EMPTY")]
    assert (result.chunks, result.embedded, result.reused) == (4, 4, 0)
    line.write("guide.md", GUIDE.replace("8443", "9443"))
    result = line.ingest()
    assert counts(result) == (0, 1, 1, 1, 1)
    assert (result.chunks, result.embedded, result.reused) == (3, 1, 2)
    line.check()


def test_a_doubtful_encoding_is_refused_until_a_setting_says_which_it_is(new_line: Any) -> None:
    line = new_line()
    line.write("old/setting.txt", "設定\n".encode("euc_jp"))
    (failure,) = line.ingest().failed
    assert failure.code == "UNKNOWN_ENCODING"
    assert "ingest.encodings" in failure.message

    line = new_line(encodings={"*.csv": "cp932", "old/**": "euc_jp", "*": "utf-16"})
    assert line.ingest().added == 1
    assert line.texts() == {"設定"}
    assert line.ingest().unchanged == 1


@pytest.mark.slow
def test_scans_are_counted_where_no_text_recognition_is_installed(new_line: Any) -> None:
    scan = (Path(__file__).parents[2] / "data" / "pdf" / "scan-en.pdf").read_bytes()
    for provider, expected in (("rapidocr", 1), ("none", 0)):  # none: switched off by a person, who knows
        line = new_line(ocr=provider, max_document_size=10_000_000)
        line.write("scan.pdf", scan)
        line.write("note.md", "text")
        result = line.ingest()
        assert (result.added, result.lacking_ocr) == (2, expected)


def test_another_encoding_reads_a_file_again_and_a_wrong_one_is_named(new_line: Any) -> None:
    line = new_line()
    line.write("stock.csv", "型番,数量\nﾃｽﾄ,1\n".encode("cp932"))
    line.write("stock.pdf", b"%PDF-1.7 and then nothing")
    line.ingest()
    for options, expected in (({"*.csv": "cp932"}, "updated"), ({"*.csv": "cp932"}, "unchanged"), ({}, "updated")):
        line.encodings = encoding_for(options)
        assert getattr(line.ingest(), expected) == 1
    line.encodings = encoding_for({"*": "ascii"})
    failures = {failure.source: failure for failure in line.ingest().failed}
    assert "'stock.csv' is not in ascii, as ingest.encodings says" in failures["stock.csv"].message
    assert failures["stock.pdf"].code == "DAMAGED"


@pytest.mark.slow
def test_unchanged_files_embed_nothing_and_write_one_trace_for_all(line: Any) -> None:
    line.write("a.md", GUIDE)
    line.write("b.md", "other")
    line.ingest()
    result = line.ingest()
    assert counts(result) == (0, 0, 2, 0, 0)
    assert line.embedder.texts == []
    (trace,) = line.envelopes
    assert trace["aggregates"]["counters"] == {"unchanged": 2}


def test_force_reads_again_and_embeds_nothing(line: Any) -> None:
    line.write("a.md", GUIDE)
    line.ingest()
    before = chunk_ids(line, "a.md")
    result = line.ingest(force=True)
    assert counts(result) == (0, 1, 0, 0, 0)
    assert line.embedder.texts == []
    assert chunk_ids(line, "a.md") == before
    line.check()


def test_two_equal_files_in_one_group_are_embedded_once(line: Any) -> None:
    line.write("a.md", GUIDE)
    line.write("b.md", GUIDE)
    result = line.ingest()
    assert (result.added, result.embedded, result.reused) == (2, 3, 3)
    assert len(line.embedder.texts) == 3
    line.check()


def test_a_text_that_stands_twice_in_a_document_is_two_passages_and_one_vector(line: Any) -> None:
    line.write("a.md", "# One\n\nSame words.\n\n# Two\n\nSame words.\n\n# Two\n\nSame words.\n")
    result = line.ingest()
    assert (result.chunks, len(set(chunk_ids(line, "a.md"))), result.embedded) == (3, 3, 2)
    line.check()


def test_one_file_named_twice_in_a_run_is_one_document(line: Any) -> None:
    item = FileItem(line.write("a.md", GUIDE), "a.md")
    result = line.pipeline.run(line.kb_id, Found([item, item]), report=lambda *_: None, links={})
    assert counts(result) == (1, 0, 0, 0, 0)
    line.check()


def test_a_text_of_signs_alone_is_whole_in_both_indexes(line: Any) -> None:
    line.write("a.md", "!!! ??? ***")
    line.write("b.txt", "🚀")
    assert line.ingest().added == 2
    line.check()


class Broken:
    """A loader with a defect."""

    name, version = "markdown", "1"

    def load(self, data: bytes, name: str, context: Any = None) -> Any:
        if b"boom" in data:
            raise ZeroDivisionError(name)
        return build("loader", "markdown").load(data, name)


def test_a_defect_in_a_loader_costs_its_file_alone(new_line: Any) -> None:
    line = new_line(loaders=lambda _: Broken())
    line.write("a.md", "boom")
    line.write("b.md", GUIDE)
    result = line.ingest()
    assert counts(result) == (1, 0, 0, 0, 1)
    assert (result.failed[0].source, result.failed[0].code) == ("a.md", "PARSE_FAILED")
    assert "ZeroDivisionError" in result.failed[0].message
    line.check()


def test_half_a_surrogate_pair_which_no_store_takes_is_replaced(new_line: Any) -> None:
    class Surrogates(Broken):
        def load(self, data: bytes, name: str, context: Any = None) -> Any:
            document = super().load(data.replace(b"boom", b"bang"), name)
            return replace(document, markdown="half \ud83d", headings=()) if b"boom" in data else document

    line = new_line(loaders=lambda _: Surrogates())
    line.write("a.md", "boom")
    line.write("b.md", GUIDE)
    assert counts(line.ingest()) == (2, 0, 0, 0, 0)
    assert "half ?" in line.texts()
    line.check()


def test_a_failed_reading_of_a_changed_file_keeps_the_old_text_served_and_shows_why(line: Any) -> None:
    line.write("a.md", GUIDE)
    line.ingest()
    before = line.texts()
    line.write("a.md", b"\x89PNG\r\n\x1a\n")
    result = line.ingest()
    assert [failure.code for failure in result.failed] == ["WRONG_TYPE"]
    assert line.texts() == before
    found = line.reader.get(line.doc_id("a.md"))
    assert (found["status"], found["error"]["code"]) == ("ready", "WRONG_TYPE")
    line.write("a.md", GUIDE)
    assert counts(line.ingest()) == (0, 1, 0, 0, 0)
    assert "error" not in line.reader.get(line.doc_id("a.md"))
    line.check()


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"", "EMPTY"), (b" \n\t\n", "EMPTY"), (bytes(range(256)) * 8, "UNKNOWN_ENCODING"), (b"PK\x03\x04rest", "WRONG_TYPE")],
)
def test_a_file_without_readable_text_is_reported_by_its_kind(line: Any, content: bytes, code: str) -> None:
    line.write("a.md", content)
    (failure,) = line.ingest().failed
    assert (failure.source, failure.code) == ("a.md", code)
    assert line.reader.get(line.doc_id("a.md"))["status"] == "failed"
    line.check()


def test_a_file_above_the_limit_is_refused_without_being_read(line: Any) -> None:
    os.truncate(line.write("huge.txt", ""), 100 * 1024**3)  # sparse: takes no room, and no memory could hold it
    line.write("limit.txt", "x" * 100_000)
    result = line.ingest()
    assert [(failure.source, failure.code) for failure in result.failed] == [("huge.txt", "PAYLOAD_TOO_LARGE")]
    assert "100,000 bytes" in result.failed[0].message
    assert result.added == 1


def test_a_file_that_goes_while_the_job_runs_is_reported_as_vanished(line: Any) -> None:
    line.write("a.md", GUIDE)
    doomed = line.write("b.md", "gone soon")

    def report(stage: str, _done: int, _total: int) -> None:
        if stage == "indexing":
            doomed.unlink(missing_ok=True)

    result = line.ingest(report=report)
    assert [(failure.source, failure.code) for failure in result.failed] == [("b.md", "VANISHED")]
    assert result.added == 1
    line.check()


def test_a_file_whose_name_is_no_text_is_ingested_and_found(line: Any) -> None:
    for name, content in ((b"\xff.md", b"text"), (b"\x83e.md", b""), ("改行\n.md".encode(), b"text")):
        (line.documents / os.fsdecode(name)).write_bytes(content)
    result = line.ingest()
    assert (result.added, len(result.failed)) == (2, 1)
    assert {row["source"] for row in line.reader.page()[0]} == {"\ufffd.md", "\ufffde.md", "改行\n.md"}
    for failure in result.failed:
        f"{failure.source} {failure.message}".encode()
    assert counts(line.ingest())[2] == 2
    line.check()


def test_the_same_input_gives_the_same_ids_in_two_fresh_stores(new_line: Any) -> None:
    first, second = new_line(), new_line()
    first.write("a.md", GUIDE * 20)
    first.write("b.py", "def f():\n    return 1\n\n\nclass C:\n    pass\n")
    seen = []
    for line in (first, second):
        line.ingest()
        line.check()
        versions = [line.reader.get(line.doc_id(name))["versions"][0] for name in ("a.md", "b.py")]
        identities = [(version["version_id"], version["profile_id"], version["md_sha256"]) for version in versions]
        seen.append((identities, chunk_ids(line, "a.md"), sorted(line.writer.live_entries(line.kb_id)), line.embedder.texts[:]))
    assert seen[0] == seen[1]
    assert len(seen[0][2]) > 20


def test_progress_moves_as_files_are_read_and_embedded_and_never_goes_back(line: Any) -> None:
    for number in range(60):
        line.write(f"{number}.md", f"# Page {number}\n\nWords of page {number}.\n")
    told: list[tuple[str, int, int]] = []
    line.ingest(report=lambda *progress: told.append(progress))
    assert all(total == 60 for _, _, total in told)
    indexing = [done for stage, done, _ in told if stage == "indexing"]
    assert indexing == sorted(indexing)
    assert len({done for done in indexing if 0 < done <= 30}) > 10, "it moves as files are read, before the first is embedded"
    assert len({done for done in indexing if done > 30}) > 2, "it is told within the group, too"
    assert [stage for stage, _, _ in told] == ["indexing"] * len(indexing) + ["storing", "done"], "one name, which does not flip"
    assert told[-1] == ("done", 60, 60)


def test_progress_of_a_single_document_counts_its_passages(line: Any) -> None:
    line.write("long.md", "\n\n".join(f"## Part {number}\n\nWords of part {number}." for number in range(50)))
    told: list[tuple[str, int, int]] = []
    line.ingest(report=lambda *progress: told.append(progress))
    passages = [(done, total) for stage, done, total in told if stage == "embedding passages"]
    assert passages[0] == (16, 50)
    assert passages[-1] == (50, 50)
