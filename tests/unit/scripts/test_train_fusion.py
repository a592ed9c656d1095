"""The training script, from a folder of questions to weights that the product takes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragd.config.answering import RetrievalSettings
from ragd.retrieve.ranking.features import FEATURES, TOKEN_FEATURES
from ragd.retrieve.ranking.learned import LearnedFusion
from ragd.retrieve.ranking.weights import read_weights

from .conftest import SUBJECTS
from .loading import load


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
