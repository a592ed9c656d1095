"""`rag eval run --metrics`: another tool's metrics in a run, in gates and in what CI gets."""

from __future__ import annotations

import json
import sys
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar
from xml.etree import ElementTree

import pytest

from ragd.evaluation.external.protocol import PASSAGES, Case, Value
from ragd.providers.registry import TABLE
from ragd.testing.chat_server import ChatServer, Scripted

pytestmark = pytest.mark.slow


class Lengths:
    """A stranger's set: asks the judge for a number, and the embedding model for a vector."""

    name = "lengths"
    version = "0.1"
    metrics: ClassVar = {"said": frozenset({PASSAGES}), "norm": frozenset({PASSAGES})}
    calls: ClassVar = {"said": (1, 0), "norm": (0, 0)}

    def require(self) -> None:
        """It is here."""

    def measure(self, cases: Iterable[tuple[Case, Sequence[str]]], advisor: Any) -> Generator[dict[str, Value], None, None]:
        for case, wanted in cases:
            norm = sum(value * value for value in advisor.vectors([case.question])[0])
            found = {"said": Value(float(advisor.reply(f"How good is {case.passages[0]}?"))), "norm": Value(min(1.0, norm))}
            yield {name: found[name] for name in wanted}


@pytest.fixture
def questions(rag, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(TABLE, ("metric_set", "lengths"), f"{__name__}:Lengths")
    rag("ingest", str(docs))
    path = tmp_path / "questions.yaml"
    path.write_text(
        "- { id: q1, query: restore from a snapshot, relevant: [{ source: guide/backup.md, place: {} }] }\n"
        "- { id: q2, query: 有給休暇の申請, relevant: [{ source: 休暇規程.md, place: {} }] }\n",
        encoding="utf-8",
    )
    return path


def judged(monkeypatch: pytest.MonkeyPatch, server: ChatServer) -> None:
    monkeypatch.setenv("RAG_LLM__PROVIDER", "openai_compatible")
    monkeypatch.setenv("RAG_LLM__MODEL", "judge")
    monkeypatch.setenv("RAG_LLM__URL", server.url)


def test_their_metrics_stand_beside_ours_in_the_run_in_gates_and_in_ci(
    rag, questions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = (
        "eval",
        "run",
        "--dataset",
        str(questions),
        "-c",
        "default",
        "--metrics",
        "lengths:said,lengths:norm",
        "--name",
        "both",
    )
    gates = ("--gate", "lengths:said>=0.5", "--gate", "hit@5>=0.5", "--junit", str(tmp_path / "j.xml"))
    with ChatServer(Scripted(pieces=("0.", "25"))) as server:
        judged(monkeypatch, server)
        done = rag(*run, *gates, "--report", str(tmp_path / "r.md"), code=6)
        assert {asked.body["temperature"] for asked in server.asked} == {0.0}
        assert len(server.asked) == 2
    assert "Metrics of lengths 0.1 (2 metrics), judged by openai_compatible judge at http://127.0.0.1" in done.stderr
    assert "Gate lengths:said>=0.5 not met by default: 0.25" in done.stderr
    found = json.loads(rag("eval", "report", "both", "--json").stdout)
    assert found["metrics"]["overall"]["metrics"]["lengths:said"] == 0.25
    assert found["metrics"]["overall"]["metrics"]["lengths:norm"] == pytest.approx(1, abs=1e-3)
    (account,) = found["options"]["metric_sets"]
    assert (account["calls"], account["missing"], account["model"], account["stopped"]) == (2, 0, "judge", "")
    assert found["questions"][1]["artifacts"]["metric_sets"]["lengths:said"]["value"] == 0.25
    suite = ElementTree.parse(tmp_path / "j.xml").getroot()
    assert [case.get("name") for case in suite.iter("testcase") if case.find("failure") is not None] == ["lengths:said>=0.5"]
    report = (tmp_path / "r.md").read_text("utf-8")
    assert "Metrics of lengths 0.1, judged by openai\\_compatible judge. Values missing: none." in report
    assert "lengths 0.1; openai_compatible judge; 2 calls" in rag("eval", "report", "both").stdout.replace("judged by ", "")


def test_a_judge_without_calls_left_keeps_what_was_measured(rag, questions: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = ("eval", "run", "--dataset", str(questions), "-c", "default", "--metrics", "lengths:said", "--judge-calls", "1")
    with ChatServer(Scripted(pieces=("1",))) as server:
        judged(monkeypatch, server)
        done = rag(*run, "--name", "cut")
    assert "Not all was measured by lengths: all calls that it was allowed are used" in done.stderr
    found = json.loads(rag("eval", "report", "cut", "--json").stdout)
    assert ["lengths:said" in one["metrics"] for one in found["questions"]] == [True, False]


def test_what_is_lacking_is_said_before_anything_is_asked(
    rag, questions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ("eval", "run", "--dataset", str(questions), "-c", "default", "--metrics")
    assert "--metrics needs a language model" in rag(*run, "lengths:said", code=2).stderr
    assert "no set of metrics 'lenghts'. Did you mean 'lengths'" in rag(*run, "lenghts:said", code=2).stderr
    assert "ragas:faithfulness measures an answer" in rag(*run, "ragas:faithfulness", code=2).stderr
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert "Run: rag extras add deepeval" in rag(*run, "deepeval:contextual_precision", code=1).stderr
    assert rag("eval", "list").stdout.startswith("No evaluations")
