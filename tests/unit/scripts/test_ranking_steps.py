"""The table of what each step of ranking gives."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .loading import load


@pytest.mark.model
@pytest.mark.slow
def test_each_step_has_its_row_with_every_group_and_what_is_shipped_beside_it(
    dataset: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    script = load("ranking_steps")
    assert script.main(["--dataset", str(dataset), "--data", str(tmp_path / "data"), "--group", "asked=said,other"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["asked", "mean", "R@20"]
    found = dict(re.match(r"(.+?) +(\d\.\d{3} .*)", row).groups() for row in rows)  # type: ignore[union-attr]
    learned = [f"learned, {kept}{further}" for kept in ("no tokens", "kept tokens") for further in ("", ", further search")]
    assert set(found) == {"rule, no tokens", "rule, kept tokens"} | {
        f"{step}, {how}" for step in learned for how in ("two-fold", "as shipped")
    }
    figures = {name: [float(value) for value in row.split()] for name, row in found.items()}
    # Each question is about a word of one document: that is among the first, whatever the step.
    assert all(of_group == mean and 0.5 < mean <= 1 and recall == 1 for of_group, mean, recall in figures.values()), figures


@pytest.mark.slow
def test_without_token_vectors_it_says_what_to_set(
    dataset: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("RAG_EMBEDDING__PROVIDER", "fake")
    script = load("ranking_steps")
    assert script.main(["--dataset", str(dataset), "--data", str(tmp_path / "data")]) == 1
    assert "token_index.provider" in capsys.readouterr().err
