"""The sample documents, the real model, the real indexes: the golden questions find their places."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml
from openpyxl.worksheet.cell_range import CellRange

from ragd.answer.responses import query_response
from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings
from ragd.core.documents import Place
from ragd.core.query import QueryRequest
from ragd.evaluation.datasets import Question
from ragd.evaluation.gates import check, read_gates
from ragd.evaluation.golden import read_questions
from ragd.evaluation.runner import evaluate
from ragd.retrieve.filters import parse_filters

# The first test reads all samples, or waits until another worker has.
pytestmark = [pytest.mark.e2e, pytest.mark.model, pytest.mark.timeout(2400)]

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS: list[dict[str, Any]] = yaml.safe_load((ROOT / "tests" / "golden" / "questions.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def app(samples_data: Path, models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    data = shutil.copytree(samples_data, tmp_path_factory.mktemp("golden") / "data")
    opened = Application(load_settings(ROOT / "config", environment={}), Directories(data, models_dir, ROOT / "config"))
    yield opened
    opened.close()


def is_at(place: Place, section_path: Sequence[str], wanted: dict[str, Any]) -> bool:
    """Whether a passage is at a place of the golden set, by the rules of tests/golden/README.md."""
    if "page" in wanted:
        return bool(place.page == wanted["page"])
    if "slide" in wanted:
        return bool(place.slide == wanted["slide"])
    if "sheet" in wanted:
        return place.sheet == wanted["sheet"] and overlap(place.cell_range, wanted["cells"])
    if "section" in wanted:
        return wanted["section"] in section_path
    if "lines" in wanted:
        first, last = place.line_range or (0, -1)
        return bool(first <= wanted["lines"][1] and last >= wanted["lines"][0])
    return wanted == {}


def overlap(one: str | None, other: str) -> bool:
    """Whether two ranges of cells, such as A2:F40, share a cell."""
    return one is not None and not CellRange(one).isdisjoint(CellRange(other))


def found_within(app: Application, question: dict[str, Any], k: int) -> bool:
    hits = app.search.query(QueryRequest(question["query"], top_k=k, filters=parse_filters(question.get("filters")))).hits
    return any(
        hit.passage.source == relevant["source"] and is_at(hit.passage.place, hit.passage.section_path, relevant["place"])
        for hit in hits
        for relevant in question["relevant"]
    )


FAIR = [question for question in QUESTIONS if not question.get("hard")]
HARD = [question for question in QUESTIONS if question.get("hard")]


def test_at_least_nineteen_of_twenty_questions_find_their_place_among_the_first_five(app: Application) -> None:
    missed = [question["id"] for question in FAIR if not found_within(app, question, 5)]
    assert 1 - len(missed) / len(FAIR) >= 0.95, f"missed: {missed}"


@pytest.mark.parametrize("kind", ["exact", "natural", "cross_language"])
@pytest.mark.parametrize("lang", ["en", "ja"])
def test_no_kind_of_question_is_left_behind(app: Application, kind: str, lang: str) -> None:
    asked = [question for question in FAIR if (question["type"], question["lang"]) == (kind, lang)]
    missed = [question["id"] for question in asked if not found_within(app, question, 5)]
    # Some kinds have six questions only, where one miss is a sixth.
    assert 1 - len(missed) / len(asked) >= 0.8, f"missed: {missed}"


def test_half_of_the_hard_questions_find_their_place_among_the_first_five(app: Application) -> None:
    missed = [question["id"] for question in HARD if not found_within(app, question, 5)]
    assert 1 - len(missed) / len(HARD) >= 0.5, f"missed: {missed}"


def test_the_shipped_gates_are_met(app: Application) -> None:
    dataset = read_questions(ROOT / "tests" / "golden" / "questions.yaml")

    def ask(question: Question) -> dict[str, Any]:
        request = QueryRequest(question.text, top_k=20, filters=parse_filters(question.filters))
        return query_response(app.search.query(request))

    summaries, _ = evaluate(dataset, dataset.questions, ask, top_k=20, progress=lambda *_: None)
    gates = read_gates(ROOT / "config" / "gates.yaml", 20)
    missed = [f"{one.gate}: {one.value:.4f}" for one in check(gates, summaries["overall"]) if not one.met]
    assert {gate.name for gate in gates} >= {"hit@5", "mrr@10", "ndcg@10"}
    assert not missed, f"missed: {missed}"


@pytest.mark.parametrize(
    "question", [question for question in QUESTIONS if question.get("demo")], ids=lambda question: question["id"]
)
def test_the_quickstart_shows_the_answers_to_its_questions(app: Application, question: dict[str, Any]) -> None:
    assert found_within(app, question, 3)


def test_every_place_of_the_golden_set_exists(app: Application) -> None:
    documents = {item["source"]: item["id"] for item in app.document_reader.page(page_size=100)[0]}
    for question in QUESTIONS:
        for relevant in question["relevant"]:
            chunks = app.document_reader.chunks(documents[relevant["source"]], page_size=100)[0]
            assert any(is_at(place_of(chunk), chunk["section_path"], relevant["place"]) for chunk in chunks), (
                f"{question['id']}: {relevant}"
            )


def place_of(chunk: dict[str, Any]) -> Place:
    return Place.from_dict({field.name: chunk[field.name] for field in fields(Place) if chunk.get(field.name) is not None})
