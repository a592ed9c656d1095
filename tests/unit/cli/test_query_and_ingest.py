"""What `rag ingest` and `rag query` do and print."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import Result

from ragd.cli.common import progress
from ragd.cli.common.excerpt import excerpt, matcher
from ragd.cli.common.output import cells
from ragd.retrieve.context import place_of

pytestmark = pytest.mark.slow


def test_an_ingestion_says_what_it_did_and_a_second_one_that_nothing_changed(rag, docs: Path) -> None:
    assert "default: 3 added; " in rag("ingest", str(docs)).stdout
    assert "default: 3 unchanged; 0 chunks (0 embedded, 0 reused)" in rag("ingest", str(docs)).stdout


def test_a_forced_ingestion_reads_again_and_embeds_nothing_anew(rag, docs: Path) -> None:
    rag("ingest", str(docs))
    assert "3 updated" in (forced := rag("ingest", str(docs), "--force").stdout)
    assert "(0 embedded, " in forced


def test_a_relative_path_is_taken_from_the_working_directory(rag, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(docs)
    assert "1 added" in rag("ingest", "queues.txt").stdout


def test_without_recursion_folders_are_left_out(rag, docs: Path) -> None:
    assert "2 added" in rag("ingest", str(docs), "--no-recursive").stdout


def test_a_file_that_fails_is_named_with_its_reason_and_the_exit_code_is_1(rag, docs: Path) -> None:
    (docs / "empty.md").write_bytes(b"")
    (docs / "program.bin").write_bytes(b"\0")
    result = rag("ingest", str(docs), code=1)
    assert "3 added, 1 skipped, 1 failed" in result.stdout
    line = next(line for line in result.stdout.splitlines() if line.startswith("empty.md"))
    assert "EMPTY" in line
    assert "  program.bin: no reader for .bin" in result.stdout.splitlines()


def test_ten_of_what_is_left_out_are_named_and_the_command_that_names_all(rag, docs: Path) -> None:
    for number in range(13):
        (docs / f"drawing{number:02}.vsd").write_bytes(b"\0")
    stdout = rag("ingest", str(docs)).stdout
    assert "13 left out:" in stdout
    assert stdout.count("no reader for .vsd") == 10
    (command,) = re.findall(r"and 3 more: `rag (jobs show \w+ --json)`", stdout)
    result = json.loads(rag(*command.split()).stdout)["result"]
    assert [one["source"] for one in result["left_out"]] == [f"drawing{number:02}.vsd" for number in range(13)]
    assert result["left_out_count"] == 13


def test_a_path_that_does_not_exist_is_wrong_usage(rag, tmp_path: Path) -> None:
    assert "does not exist" in rag("ingest", str(tmp_path / "nothing"), code=2).stderr


def test_an_unknown_collection_is_an_error_that_says_how_to_make_it(rag, docs: Path) -> None:
    error = rag("ingest", str(docs), "--collection", "handbook", code=1).stderr
    assert "rag collections add handbook" in error
    assert "--create" in error


def test_create_makes_the_collection_once_and_takes_it_afterwards(rag, docs: Path) -> None:
    assert "handbook: 3 added" in rag("ingest", str(docs), "--collection", "handbook", "--create").stdout
    assert "handbook: 3 unchanged" in rag("ingest", str(docs), "--collection", "handbook", "--create").stdout


def test_json_of_an_ingestion_is_the_finished_job(rag, docs: Path) -> None:
    job = json.loads(rag("ingest", str(docs), "--json").stdout)
    assert job["status"] == "completed"
    assert job["result"]["added"] == 3
    assert job == json.loads(rag("jobs", "show", job["job_id"], "--json").stdout)


def test_a_job_that_nobody_waits_for_is_kept_and_run_by_watching_it(rag, docs: Path) -> None:
    result = rag("ingest", str(docs), "--no-wait", "--json")
    job_id = json.loads(result.stdout)["job_id"]
    assert f"rag jobs watch {job_id}" in result.stderr
    assert json.loads(rag("jobs", "show", job_id, "--json").stdout)["status"] == "queued"
    assert "3 added" in rag("jobs", "watch", job_id).stdout


def test_ctrl_c_cancels_the_job_and_ends_with_130(rag, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []

    def interrupted_once(self: progress.JobProgress, job: dict[str, object]) -> None:
        shown.append(job)
        if len(shown) == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(progress.JobProgress, "update", interrupted_once)
    result = rag("ingest", str(docs), code=130)
    assert "Cancelling" in result.stderr
    assert shown[-1]["status"] in progress.FINISHED
    assert shown[0]["job_id"] == shown[-1]["job_id"]


def test_a_query_prints_rank_score_title_place_and_passage(rag, ingested: None) -> None:
    lines = rag("query", "restore --from snapshot", "-k", "1").stdout.splitlines()
    assert lines[0].split()[0] == "1"
    assert 0 < float(lines[0].split()[1]) <= 1
    assert lines[0].endswith("Operations")
    assert lines[1].strip() == "guide/backup.md, Operations > Restore, line 7"
    assert lines[2].strip() == "Run `restore --from snapshot` and wait."
    assert lines[-1].startswith("1 passage from 1 document in ")


def test_a_japanese_question_finds_the_japanese_document(rag, ingested: None) -> None:
    answer = rag("query", "有給休暇は何日前までに申請すればよいですか", "-k", "1").stdout
    assert "休暇規程" in answer
    assert "五営業日前" in answer


def test_verbose_adds_scores_times_and_the_trace(rag, ingested: None) -> None:
    answer = rag("query", "queue", "--verbose").stdout
    assert "fused" in answer
    assert "retrieve_dense" in answer
    trace_id = next(line.split()[1] for line in answer.splitlines() if line.startswith("Trace"))
    assert "retrieve_sparse" in rag("traces", "show", trace_id).stdout


def test_filters_and_strategy_reach_the_service(rag, ingested: None) -> None:
    answer = json.loads(rag("query", "queue", "--path-prefix", "guide/", "--strategy", "dense_only", "--json").stdout)
    assert {result["source"] for result in answer["results"]} == {"guide/backup.md"}
    assert answer["effective"]["strategy"] == "dense_only"
    text = json.loads(rag("query", "queue", "--type", "text", "--json").stdout)
    assert {result["source"] for result in text["results"]} == {"queues.txt"}


def test_nothing_found_is_said_and_an_empty_library_says_how_to_fill_it(rag, docs: Path) -> None:
    assert "rag ingest" in rag("query", "queue").stdout
    rag("ingest", str(docs))
    assert rag("query", "queue", "--path-prefix", "elsewhere/").stdout.strip() == "Nothing found."


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("query", ""), "empty"),
        (("query", "x", "--top-k", "99"), "between 1 and 20"),
        (("query", "x", "--strategy", "magic"), "There is no strategy 'magic'"),
        (("query", "x", "--type", "papyrus"), "papyrus"),
    ],
)
def test_a_request_that_cannot_be_used_is_wrong_usage(rag, arguments: tuple[str, ...], told: str) -> None:
    result: Result = rag(*arguments, code=2)
    assert told in result.stderr
    assert result.stderr.startswith("Error: ")


def test_reindexing_makes_the_indexes_anew_without_embedding(rag, ingested: None) -> None:
    before = json.loads(rag("query", "queue", "--json").stdout)["results"]
    assert "(0 embedded, " in rag("reindex").stdout
    assert json.loads(rag("query", "queue", "--json").stdout)["results"] == before


def lines_of(content: str, columns: int, lines: int | None, *words: str) -> list[str]:
    return [line.plain for line in excerpt(content, columns, lines, matcher(words))]


def test_an_excerpt_is_folded_to_the_width_and_says_that_there_is_more() -> None:
    lines = lines_of("日本語の文章です。" * 20, 40, 3)
    assert len(lines) == 3
    assert all(cells(line) <= 40 for line in lines)
    assert lines[-1].endswith(" …")
    assert lines_of("one\n\ntwo\n", 40, 3) == ["one", "two"]


def test_an_excerpt_is_taken_around_the_words_that_match_and_marks_them() -> None:
    content = (
        "\n".join(f"Line {number} says little." for number in range(20)) + "\nRotating the key takes a minute.\nAnd more.\nAnd."
    )
    shown = excerpt(content, 80, 3, matcher(["rotate", "key"]))
    assert [line.plain for line in shown] == ["… Line 19 says little.", "Rotating the key takes a minute.", "And more. …"]
    assert [shown[1].plain[span.start : span.end] for span in shown[1].spans] == ["Rotating", "key"]
    assert lines_of("始め\n" * 9 + "再起動は不要です。", 80, 2, "再起動") == ["… 始め", "再起動は不要です。"]
    assert len(lines_of(content, 80, None, "rotate")) == 23


def test_a_passage_cannot_drive_the_terminal() -> None:
    assert lines_of("red\x1b[31m \x9b2J [bold]text[/bold]", 80, 3) == ["red[31m 2J [bold]text[/bold]"]


def test_an_option_of_rag_itself_that_stands_behind_the_command_is_said(rag) -> None:
    assert "stands before the command: rag --data-dir FOLDER" in rag("query", "x", "--data-dir", "d", code=2).stderr


def test_only_a_search_takes_several_collections(rag, ingested: None) -> None:
    rag("collections", "add", "other")
    answer = json.loads(rag("query", "queue", "-c", "default", "-c", "other", "--json").stdout)
    assert {result["collection"] for result in answer["results"]} == {"default"}
    assert "no collection 'none'" in rag("query", "queue", "-c", "default", "-c", "none", code=1).stderr
    assert "only one can be named here" in rag("documents", "list", "-c", "default", "-c", "other", code=2).stderr


def test_a_place_names_page_heading_and_lines() -> None:
    base = {"section_path": ["A", "B"], "title": "t"}
    assert place_of(base | {"page": 3}) == "page 3, ## B"
    assert place_of(base | {"line_range": [10, 24], "section_path": []}) == "lines 10-24"


def test_a_question_under_other_settings_of_indexing_re_indexes_nothing_and_says_so(
    rag, ingested: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_SPLITTER__CHUNK_SIZE", "128")
    asked = rag("query", "queue", "--json")
    assert json.loads(asked.stdout)["results"]
    assert "indexed under other settings" in asked.stderr
    assert "rag reindex" in asked.stderr
    assert [job["kind"] for job in json.loads(rag("jobs", "list", "--json").stdout)["items"]] == ["ingest"]
