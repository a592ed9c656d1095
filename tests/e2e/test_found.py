"""Whether there is an answer, with the real model: one verdict, held to figures, whatever reranking had the time for."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings

from ..unit.scripts.loading import ROOT, load

# The first test reads all samples, or waits until another worker has.
pytestmark = [pytest.mark.e2e, pytest.mark.model, pytest.mark.timeout(2400)]


RESCORED, HURRIED = "rescored", "hurried"
"""Strategies that rerank every question, the second without the time for it."""


@pytest.fixture(scope="module")
def phrasing() -> ModuleType:
    return load("bench/quality/question_phrasing", "question_phrasing")


@pytest.fixture(scope="module")
def not_found(phrasing: ModuleType) -> ModuleType:
    assert sys.modules["question_phrasing"] is phrasing  # which the other script imports
    return load("bench/quality/not_found", "not_found")


@pytest.fixture(scope="module")
def samples(samples_data: Path, models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    folder = tmp_path_factory.mktemp("found")
    shutil.copytree(ROOT / "config", folder / "config")
    strategies = folder / "config" / "strategies"
    strategies.mkdir(exist_ok=True)
    (strategies / f"{RESCORED}.yaml").write_text("rerank:\n  provider: maxsim\n", encoding="utf-8")
    (strategies / f"{HURRIED}.yaml").write_text("rerank:\n  provider: maxsim\n  budget_ms: 1\n", encoding="utf-8")
    shutil.copytree(samples_data, folder / "data")
    settings = load_settings(folder / "config", environment={})
    app = Application(settings, Directories(folder / "data", models_dir, folder / "config"))
    yield app
    app.close()


@pytest.fixture(scope="module")
def rare_words(
    phrasing: ModuleType, samples_data: Path, models_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Application]:
    folder = tmp_path_factory.mktemp("rare")
    phrasing.write_corpus(folder / "corpus")
    shutil.rmtree(folder / "corpus" / "samples")
    shutil.copytree(samples_data, folder / "data")
    app = phrasing.open_application(folder / "data", folder / "corpus", models_dir)
    yield app
    app.close()


@pytest.mark.parametrize(("strategy", "near", "far"), [("hybrid", 0.7, 0.85), ("sparse_only", 0.65, 0.8)])
def test_missing_facts_and_other_subjects_are_told_from_what_is_answered(
    samples: Application, not_found: ModuleType, strategy: str, near: float, far: float
) -> None:
    asked = [question for question in not_found.questions() if question.held_out]
    found = [samples.search.query(not_found.request(one, strategy=strategy, rerank=False)).found for one in asked]
    rates = not_found.rates(asked, found)
    assert rates.near_accuracy >= near, rates
    assert rates.far_accuracy >= far, rates


def test_the_verdict_is_the_same_whatever_reranking_had_the_time_for(samples: Application, not_found: ModuleType) -> None:
    scored = set()
    for one in list(not_found.questions())[::9]:
        ways = ({"rerank": False}, {"strategy": HURRIED}, {"strategy": RESCORED})
        results = [samples.search.query(not_found.request(one, **options)) for options in ways]
        assert len({(result.confidence, result.found) for result in results}) == 1, one.text
        scored.add(tuple(result.rerank_scored > 0 for result in results))
    # Three different courses, indeed.
    assert (False, False, True) in scored


# One test of both modes: its documents would be read for each by a worker of its own.
def test_phrasing_takes_no_weight_from_a_rare_word(rare_words: Application, phrasing: ModuleType) -> None:
    asked = list(phrasing.questions("held_out"))[::7]
    for mode in ("hybrid without rerank", "sparse_only"):
        outcomes = [phrasing.outcome(rare_words, one, mode) for one in asked]
        assert sum(there for there, _ in outcomes) / len(asked) >= 0.95, mode
        assert [one.text for one, (there, found) in zip(asked, outcomes, strict=True) if there and not found] == [], mode
