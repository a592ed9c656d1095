"""`rag eval drift` over runs and traces of a small collection."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


def test_runs_are_compared_and_a_drop_exits_with_6(rag, docs: Path, tmp_path: Path) -> None:
    rag("ingest", str(docs))
    questions = tmp_path / "many.yaml"
    # A small search finds each of the same few words; other numbers make other questions.
    lines = [
        f"- {{id: q{at}, query: 'restore from snapshot {at}', relevant: [{{source: guide/backup.md, place: {{}}}}]}}\n"
        for at in range(20)
    ]
    questions.write_text("".join(lines), encoding="utf-8")
    strategies = tmp_path / "config" / "strategies"
    strategies.mkdir(parents=True)
    (strategies / "nothing.yaml").write_text("retrieval: {min_score: 1.0, strategy: sparse_only}\nrerank: {provider: none}\n")
    run = ("eval", "run", "--dataset", str(questions), "-c", "default")
    rag(*run, "--name", "good")
    rag(*run, "--name", "same")
    assert "Nothing dropped" in rag("eval", "drift", "good", "same").stderr
    rag(*run, "--name", "bad", "--strategy", "nothing", "--no-rerank")
    whole = json.loads(rag("eval", "report", "bad", "--json").stdout)
    assert whole["metrics"]["overall"]["metrics"]["hit@5"] <= 1
    printed = rag("eval", "drift", "--json", "bad", "good")
    assert json.loads(printed.stdout)["questions"] == 20
    for at in range(21):
        rag("query", f"有給休暇 {at}", "--json") if at == 0 else None
    assert "at least 20 are needed" in rag("eval", "drift", "good", "--live", code=2).stderr
    assert "Give a second run, or --live" in rag("eval", "drift", "good", code=2).stderr
    assert "--gate goes with --live" in rag("eval", "drift", "good", "same", "--gate", "unanswered<=1", code=2).stderr
