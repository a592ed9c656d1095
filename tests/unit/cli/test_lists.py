"""Listing, showing and removing things, and what happens when something is wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ragd import __version__
from ragd.cli import COMMANDS, cli
from ragd.cli.common.output import cells, clean, size, table
from ragd.core.instance import Ownership
from ragd.models.manifest import Manifest, record_file

pytestmark = pytest.mark.slow


def test_a_collection_is_made_renamed_disabled_enabled_and_removed(rag, docs: Path) -> None:
    rag("collections", "add", "handbook", "--description", "for all")
    rag("ingest", str(docs), "-c", "handbook")
    assert "for all" in rag("collections", "show", "handbook").stdout
    rag("collections", "rename", "handbook", "規程")
    rag("collections", "disable", "規程")
    assert "disabled" in rag("query", "queue", "-c", "規程", code=1).stderr
    rag("collections", "enable", "規程")
    assert rag("query", "queue", "-c", "規程", "-k", "1").stdout.count("passage") == 1
    rag("collections", "remove", "規程", "--yes")
    assert [item["name"] for item in json.loads(rag("collections", "list", "--json").stdout)["items"]] == ["default"]


def test_nothing_is_removed_without_a_yes(rag) -> None:
    rag("collections", "add", "handbook")
    assert "--yes" in rag("collections", "remove", "handbook", code=2).stderr
    assert "handbook" in rag("collections", "list").stdout


def test_documents_are_listed_shown_and_removed(rag, ingested: None) -> None:
    listed = json.loads(rag("documents", "list", "--json").stdout)
    assert listed["total"] == 3
    doc_id = next(item["id"] for item in listed["items"] if item["source"] == "guide/backup.md")
    assert "Operations" in rag("documents", "show", doc_id).stdout
    assert rag("documents", "show", doc_id, "--content").stdout.startswith("# Operations\n")
    assert "Deleted guide/backup.md." in rag("documents", "remove", doc_id, "--yes").stdout
    assert "was deleted" in rag("documents", "show", doc_id, code=1).stderr
    assert "guide/backup.md" not in rag("documents", "list").stdout


def test_a_list_that_goes_on_says_so(rag, ingested: None) -> None:
    assert "Page 1 of 3" in rag("documents", "list", "--limit", "1").stderr


def test_jobs_and_traces_are_listed(rag, docs: Path) -> None:
    assert rag("jobs", "list").stdout == "No jobs.\n"
    assert rag("traces", "list").stdout == "No traces.\n"
    job = json.loads(rag("ingest", str(docs), "--json").stdout)
    assert job["job_id"] in rag("jobs", "list", "--status", "completed").stdout
    traces = json.loads(rag("traces", "list", "--job", job["job_id"], "--json").stdout)
    assert traces["total"] == 3
    assert f"The job is {job['status']}." in rag("jobs", "cancel", job["job_id"]).stdout


def test_unknown_ids_are_errors_that_name_the_list(rag) -> None:
    assert "rag jobs list" in rag("jobs", "show", "nope", code=1).stderr
    assert "rag documents list" in rag("documents", "show", "nope", code=1).stderr
    assert "rag collections list" in rag("collections", "show", "nope", code=1).stderr


def test_models_are_listed_and_a_missing_one_is_told_with_the_mending_command(
    rag, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RAG_MODELS_DIR", str(tmp_path / "models"))
    rows = json.loads(rag("models", "list", "--json").stdout)
    assert {row["state"] for row in rows} == {"absent"}
    assert [row["id"] for row in rows if row["chosen"]] == ["multilingual-e5-small"]
    assert "rag models pull multilingual-e5-small" in rag("models", "verify", code=1).stderr
    assert "Known: " in rag("models", "verify", "nope", code=2).stderr


def test_fetching_a_model_is_told_as_events_to_a_program_that_asks_for_them(
    rag, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    model = tmp_path / "given" / "multilingual-e5-small"
    model.mkdir(parents=True)
    for name in ("model.onnx", "tokenizer.json"):
        (model / name).write_text(name)
    files = {name: record_file(model / name) for name in ("model.onnx", "tokenizer.json")}
    Manifest(model.name, {"kind": "folder"}, files, files, model="model.onnx", tokenizer="tokenizer.json").write(model)
    monkeypatch.setenv("RAG_MODELS_DIR", str(tmp_path / "models"))
    monkeypatch.setenv("RAG_EMBEDDING__MODEL_FOLDERS", json.dumps([str(model.parent)]))
    events = [json.loads(line) for line in rag("models", "pull", "--progress", "json").stdout.splitlines()]
    assert events[0] == {"event": "progress", "text": "Checking multilingual-e5-small", "fraction": None}
    assert events[-1]["event"] == "done"
    assert (events[-1]["model"], events[-1]["folder"]) == (model.name, str(model))
    (model / "model.onnx").write_text("cut")
    assert "is damaged" in rag("models", "pull", "--progress", "json", code=3).stderr


def test_looking_things_up_needs_no_model(rag, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RAG_EMBEDDING__PROVIDER", "onnx")
    monkeypatch.setenv("RAG_MODELS_DIR", str(tmp_path / "models"))
    assert "not running" in rag("status").stdout
    rag("collections", "add", "handbook")
    assert not (tmp_path / "models").exists()


def test_a_data_directory_in_use_is_waited_for_and_then_told_with_exit_code_4(
    rag, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("ragd.client.connect.PATIENCE_S", 0.3)
    ownership = Ownership(tmp_path / "data")
    try:
        error = rag("status", code=4).stderr
    finally:
        ownership.release()
    assert f"Process {os.getpid()} is using" in error
    assert f"is in use by process {os.getpid()}" in error
    rag("status")


def test_options_name_other_directories_than_the_environment(rag, tmp_path: Path) -> None:
    answer = json.loads(rag("--data-dir", str(tmp_path / "other"), "status", "--json").stdout)
    assert answer["data_dir"] == str(tmp_path / "other")
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "settings.yaml").write_text("retrieval: {topk: 3}\n")
    assert "retrieval.top_k" in rag("--config-dir", str(tmp_path / "conf"), "status", code=2).stderr


def test_an_unexpected_error_is_one_line_with_the_log_and_no_stack(rag, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("inside")

    monkeypatch.setattr("ragd.cli.common.output.fields", broken)
    monkeypatch.setattr("ragd.cli.status.fields", broken)
    error = rag("status", code=1).stderr
    log = tmp_path / "data" / "logs" / "cli.jsonl"
    assert error == f"Error: an unexpected ZeroDivisionError. The details are in {log}.\n"
    assert "ZeroDivisionError: inside" in log.read_text(encoding="utf-8")


def test_a_data_directory_that_is_a_file_is_told_in_one_line(rag, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("RAG_DATA_DIR", str(tmp_path / "file"))
    error = rag("status", code=1).stderr
    assert str(tmp_path / "file") in error
    assert error.count("\n") == 1


def test_an_unknown_command_and_no_command_are_wrong_usage(rag) -> None:
    assert "No such command 'frobnicate'" in rag("frobnicate", code=2).stderr
    assert "Commands:" in rag(code=2).output


def test_every_command_has_a_help_text_that_fits_its_line(rag) -> None:
    for name in COMMANDS:
        assert "Usage: " in rag(name, "--help").stdout
    listed = rag("--help").stdout.split("Commands:")[1]
    assert [line.split()[0] for line in listed.strip().splitlines()] == list(COMMANDS)
    assert "..." not in listed
    assert rag("--version").stdout == f"rag {__version__}\n"


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom ragd.cli import cli\n"
        "try: cli(['--help'])\nexcept SystemExit: pass\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & "
        "{'pydantic', 'fastapi', 'rich', 'httpx2', 'yaml', 'numpy', 'sqlalchemy'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_row_in_a_pipe_is_one_line_aligned_by_columns_not_characters(capsys: pytest.CaptureFixture[str]) -> None:
    table(("name", "count"), [("規程", 1), ("a\tb\nc", 20)], numeric=("count",))
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["NAME   COUNT", "規程       1", "a b c     20"]
    assert len({cells(line) for line in lines}) == 1


def test_texts_lose_what_would_drive_a_terminal() -> None:
    assert clean("a\x1b]0;title\x07b\u202ec\ud800") == "a]0;titlebc?"
    assert size(85_300_000) == "85.3 MB"
    assert size(999) == "999 bytes"


def test_the_root_command_can_be_called_by_other_code() -> None:
    assert cli.main(["--version"], standalone_mode=False) == 0


def test_a_replay_shows_what_differs(rag, docs: Path) -> None:
    rag("ingest", str(docs))
    trace_id = json.loads(rag("query", "restore from a snapshot", "--json").stdout)["trace_id"]
    assert "the same in every list" in rag("traces", "replay", trace_id).stdout
    (docs / "queues.txt").write_text("Restore it from the snapshot.\n", encoding="utf-8")
    rag("ingest", str(docs))
    shown = rag("traces", "replay", trace_id, "--with", "rerank.top_n=1", "--with", "retrieval.merge_neighbours=false").stdout
    assert "retrieval.merge_neighbours  (default)  false" in shown
    assert "(gone)" in shown
    assert "changed since queues.txt" in shown
    answer = json.loads(rag("traces", "replay", trace_id, "--json").stdout)
    assert answer["since"] == {"new": 0, "changed": 1, "gone": 0}
    assert "Did you mean 'rerank.top_n'?" in rag("traces", "replay", trace_id, "--with", "rerank.topn=1", code=2).stderr
    assert "write NAME=VALUE" in rag("traces", "replay", trace_id, "--with", "rerank.top_n", code=2).stderr


def test_a_replay_of_an_ingestion_says_whether_the_same_would_come_of_the_file(rag, docs: Path) -> None:
    job = json.loads(rag("ingest", str(docs / "queues.txt"), "--json").stdout)
    trace_id = json.loads(rag("traces", "list", "--job", job["job_id"], "--json").stdout)["items"][0]["trace_id"]
    assert "the same would come of it\n" in rag("traces", "replay", trace_id).stdout
    (docs / "queues.txt").write_text("A queue keeps jobs.\n", encoding="utf-8")
    result = rag("traces", "replay", trace_id)
    assert "something else would come of it" in result.stdout
    assert "no more" in result.stdout
    assert "content has changed since" in result.stderr
    (docs / "queues.txt").write_text("")
    assert "can't be read" in rag("traces", "replay", trace_id).stdout
