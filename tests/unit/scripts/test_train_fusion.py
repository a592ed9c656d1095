"""The training script, from a folder of questions to weights that the product takes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ragd.config.answering import RetrievalSettings
from ragd.retrieve.ranking.features import FEATURES, TOKEN_FEATURES
from ragd.retrieve.ranking.learned import LearnedFusion
from ragd.retrieve.ranking.weights import read_weights

from .loading import load

SUBJECTS = (
    ("lease", "A lease is kept by its holder until it is given back or its time is over."),
    ("quota", "A quota bounds what a project may store, and counts every copy of a file."),
    ("snapshot", "A snapshot keeps a volume as it was at one moment, without copying it."),
    ("gateway", "The gateway checks the token of each request before it goes any further."),
    ("ledger", "The ledger names each item with the day on which it was last compared."),
    ("replica", "A replica follows its leader and answers while the leader is away."),
    ("tenant", "A tenant sees its own projects alone, whoever else is on the machine."),
    ("backup", "A backup is made each night and is checked before an older one is removed."),
)


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """A folder of sections with a question for each, and a second file on each subject that counts neither way."""
    folder = tmp_path / "set"
    folder.mkdir()
    files = [{"file": f"{name}.txt", "text": f"{text} Nobody has to ask for it.", "section": name} for name, text in SUBJECTS]
    files += [{"file": f"{name}-more.txt", "text": f"More of the {name}: {text}", "section": name} for name, text in SUBJECTS]
    asked = [
        {
            "id": name,
            "type": "said",
            "query": f"please say in a few words what is known here of what is called a {name} and why it is there",
            "relevant": [f"{name}.txt"],
            "neutral": [f"{name}-more.txt"],
        }
        for name, _ in SUBJECTS
    ]
    for name, rows in (("corpus", files), ("queries", asked)):
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return folder


@pytest.mark.slow
def test_a_folder_of_questions_becomes_weights_that_are_used(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = load("train_fusion")
    monkeypatch.setenv("RAG_EMBEDDING__PROVIDER", "fake")
    out = tmp_path / "weights.toml"
    arguments = ["--dataset", str(dataset), "--data", str(tmp_path / "data"), "--out", str(out)]
    assert script.main(arguments) == 0
    printed = capsys.readouterr().out
    assert re.search(r"^type said +\d\.\d{3} +\d\.\d{3} +\d\.\d{3} +\d\.\d{3}$", printed, re.MULTILINE)
    made = read_weights(out)
    assert made.questions == len(SUBJECTS)
    assert list(made.weights["plain"]) == [name for name in FEATURES if name not in TOKEN_FEATURES]
    assert any(made.weights["plain"].values())
    fusion = LearnedFusion(RetrievalSettings(fusion_weights=str(out)), made.basis)
    assert fusion.profile.startswith(made.basis)
    # What is written holds nothing of what was asked or read.
    assert not any(name in out.read_text("utf-8") for name, _ in SUBJECTS)


def test_what_is_no_dataset_is_refused_with_what_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAG_EMBEDDING__PROVIDER", "fake")
    script = load("train_fusion")
    assert script.main(["--dataset", str(tmp_path), "--data", str(tmp_path / "data")]) == 1
    assert "is no dataset" in capsys.readouterr().err


@pytest.mark.slow
def test_feedback_that_is_not_there_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAG_EMBEDDING__PROVIDER", "fake")
    script = load("train_fusion")
    assert script.main(["--dataset", "feedback", "--data", str(tmp_path / "data")]) == 1
    assert "There is no feedback to evaluate with" in capsys.readouterr().err
