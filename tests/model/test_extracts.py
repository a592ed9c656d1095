"""Answers without a language model, from question to quotation: they hold what was asked for, and quote whole units alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragd.app.container import Application

pytestmark = pytest.mark.model
BENCH = "extracts"


@pytest.fixture(scope="module")
def app(bench: Any, models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    with bench.opened(tmp_path_factory.mktemp("extracts"), models_dir) as opened:
        yield opened


@pytest.mark.parametrize("half", ["dev", "held_out"])
def test_extracts_hold_the_answer_and_are_never_fragments(app: Application, bench: Any, half: str) -> None:
    figures = bench.measure(app, half)
    assert figures.fragments == []
    assert figures.doubted == []
    assert figures.answered >= figures.asked - 2, figures.missed


def test_a_sentence_that_was_cut_at_a_line_end_counts_as_a_fragment(bench: Any) -> None:
    source = "# Wind\n\nThe ropeway is closed at gusts of more\nthan 22 m/s. It opens again on the next day.\n"
    assert bench.fragments("- It opens again on the next day. [1]\n- The ropeway is closed at gusts of more [1]", [source]) == [
        "The ropeway is closed at gusts of more [1]"
    ]
    assert bench.fragments("- than 22 m/s. [1]", [source]) == ["than 22 m/s. [1]"]
