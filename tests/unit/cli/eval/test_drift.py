"""`rag eval drift` and `rag eval export` over runs and traces of a small collection."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragd.cli.common.context import CliContext

pytestmark = pytest.mark.slow


@pytest.fixture
def questions(rag, docs: Path, tmp_path: Path) -> Path:
    """20 questions about the documents of `default`; `other` holds another document, which answers none."""
    rag("ingest", str(docs))
    rag("ingest", str(docs / "queues.txt"), "-c", "other", "--create")
    path = tmp_path / "many.yaml"
    lines = [
        f"- {{id: q{at}, query: 'restore {at}', relevant: [{{source: guide/backup.md, place: {{}}}}]}}\n" for at in range(20)
    ]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def test_a_drop_exits_with_6_and_no_drop_with_0(rag, questions: Path) -> None:
    run = ("eval", "run", "--dataset", str(questions))
    rag(*run, "-c", "default", "--name", "good")
    rag(*run, "-c", "default", "--name", "same")
    rag(*run, "-c", "other", "--name", "bad")
    assert "Nothing dropped" in rag("eval", "drift", "good", "same").stderr
    result = rag("eval", "drift", "good", "bad", "--changes", "3", code=6)
    assert "Dropped: hit@1" in result.stderr
    assert "20 questions changed" in result.stdout
    assert rag("eval", "drift", "good", "bad", "--max-drop", "1").stderr.startswith("Nothing dropped")
    found = json.loads(rag("eval", "drift", "bad", "good", "--json").stdout)
    assert not any(row["dropped"] for row in found["metrics"])


def test_what_people_ask_is_held_against_a_run_by_gates(rag, questions: Path) -> None:
    rag("eval", "run", "--dataset", str(questions), "-c", "default", "--name", "good")
    assert "at least 20 are needed" in rag("eval", "drift", "good", "--live", code=2).stderr
    with CliContext().connect() as client:
        for at in range(20):
            client.post("/api/query", {"query": f"有給休暇の申請 {at}", "collection": "default"})
    result = rag("eval", "drift", "good", "--live", "--gate", "language_distance<=0.5", "--gate", "unanswered<=1", code=6)
    assert "Gate language_distance<=0.5 not met: 1" in result.stderr
    assert "Gate unanswered<=1 met" in result.stderr
    assert "ja 100%" in result.stdout
    found = json.loads(rag("eval", "drift", "good", "--live", "--json").stdout)
    assert (found["live"]["questions"], found["run"]["questions"]) == (20, 20)


def test_what_can_not_be_told_is_refused(rag) -> None:
    assert "Give a second run, or --live" in rag("eval", "drift", "good", code=2).stderr
    assert "--gate goes with --live" in rag("eval", "drift", "good", "same", "--gate", "unanswered<=1", code=2).stderr
    assert "names no metric" in rag("eval", "drift", "good", "--live", "--gate", "ndcg@10>=1", code=2).stderr


def test_a_run_is_written_for_another_tool(rag, questions: Path, tmp_path: Path) -> None:
    run = ("eval", "run", "--dataset", str(questions), "-c", "default", "--limit", "2")
    rag(*run, "--mode", "end_to_end", "--name", "answers")
    rag(*run, "--name", "ranked")
    out = tmp_path / "ragas.jsonl"
    rag("eval", "export", "answers", "--format", "ragas", "--out", str(out))
    assert [json.loads(line)["user_input"] for line in out.read_text("utf-8").splitlines()] == ["restore 0", "restore 1"]
    assert "is there already" in rag("eval", "export", "answers", "--format", "deepeval", "--out", str(out), code=2).stderr
    assert "has no answers" in rag("eval", "export", "ranked", "--format", "ragas", "--out", f"{out}.2", code=2).stderr
