"""Measures of answers without a judge: each says what it is meant to, and nothing where a question says nothing of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragd.core.errors import ValidationFailed
from ragd.evaluation.answers import ANSWER_METRICS, answer_metrics, near_duplicates
from ragd.evaluation.comparison import compare
from ragd.evaluation.datasets import Dataset, Question, Relevant
from ragd.evaluation.facts import says
from ragd.evaluation.gates import Gate, read_gate
from ragd.evaluation.golden import read_questions
from ragd.evaluation.runner import evaluate


@pytest.mark.parametrize(
    ("answer", "wordings", "said"),
    [
        ("It costs 1200 euros.", ["1,200 €"], True),
        ("It costs 1300 euros.", ["1,200 €"], False),
        ("It costs 1200 dollars.", ["1,200 €"], False),
        ("Due on the 31st of March 2026.", ["2026-03-31"], True),
        ("令和8年3月31日まで", ["2026-03-31"], True),
        ("Due in March 2026.", ["2026-03-31"], False),
        ("It takes 600 seconds.", ["10 minutes"], True),
        ("五営業日前までに申請する。", ["5営業日"], True),
        ("Room 12 is open.", ["room 12"], True),
        ("Desk 12 is open.", ["room 12"], False),
        ("Ask ＨＡＮＡＫＯ  Sato.", ["hanako sato"], True),
        ("Ask her.", ["Hanako Sato", "ask her"], True),
        ("Ask him.", ["Hanako Sato", "ask her"], False),
        ("word " * 5000 + "It takes 600 seconds.", ["10 minutes"], True),
    ],
)
def test_a_fact_is_said_by_what_it_means(answer: str, wordings: list[str], said: bool) -> None:
    assert says(answer, wordings) is said


def done(answer: str, support: list[tuple[str, bool, list[int]]], **more: Any) -> dict[str, Any]:
    """The last event of an answer; `support` are sentences, whether they are supported and by what."""
    sentences = [
        {"text": text, "supported": right, "citations": by, "start": 0, "end": 1, "score": 1.0} for text, right, by in support
    ]
    given = {"found": True, "removed_citations": 0, "citations": [], "provider": "extractive", "model": "", "finish": "complete"}
    return given | {"answer": answer, "support": sentences, "usage": {}, "degraded": []} | more


def passage(number: int, source: str, content: str = "") -> dict[str, Any]:
    return {"id": number, "chunk_id": f"c{number}", "source": source, "section_path": [], "content": content}


QUESTION = Question("q", "When does the lease end?", (Relevant("a.md"),), facts=(("10 minutes",), ("port 443",)))


def test_references_are_held_against_what_bears_out_their_sentence() -> None:
    sentences = [("It ends after 10 minutes [1].", True, [1]), ("It is long [2].", True, [1]), ("It is red.", False, [])]
    answer = done(
        "It ends after 600 seconds.", sentences, removed_citations=1, citations=[passage(1, "a.md"), passage(2, "b.md")]
    )
    values = answer_metrics(QUESTION, answer, [passage(1, "a.md", "one text"), passage(2, "b.md", "another")])
    assert values["citation_precision"] == pytest.approx(1 / 3)
    assert values["citation_coverage"] == pytest.approx(2 / 3)
    assert values["supported"] == pytest.approx(2 / 3)
    assert (values["cited_place"], values["facts"], values["refusal"], values["near_duplicates"]) == (0.5, 0.5, 1, 0)
    assert "refusal_recall" not in values
    assert set(values) <= set(ANSWER_METRICS)


def test_an_answer_in_another_language_is_seen() -> None:
    assert (
        answer_metrics(QUESTION, done("The lease ends after ten minutes, as the table of limits says.", []), [])["language"] == 1
    )
    assert answer_metrics(QUESTION, done("リースは十分後に終わります。表に書かれています。", []), [])["language"] == 0


def test_not_found_is_right_where_nothing_answers() -> None:
    closed = Question("n", "What is the moon made of?", (), answerable=False)
    refused, invented = done("Nothing was found.", [], found=False), done("Of cheese.", [])
    assert answer_metrics(closed, refused, []) == {"refusal": 1, "refusal_recall": 1, "refusal_precision": 1}
    assert answer_metrics(closed, invented, [])["refusal_recall"] == 0
    wrong = answer_metrics(QUESTION, refused, [])
    assert (wrong["refusal"], wrong["refusal_precision"], wrong["facts"]) == (0, 0, 0)


def test_nearly_the_same_passages_are_counted_once_each() -> None:
    text = "The quick brown fox jumps over the lazy dog near the river bank. " * 4
    assert near_duplicates([text, text.upper().replace(" ", "  "), text + "x", "Something else altogether."]) == 0.5
    assert near_duplicates(["", "a"]) == 0


def test_means_intervals_and_comparisons_are_over_the_questions_that_have_a_measure() -> None:
    pytest.importorskip("ir_measures")
    questions = (QUESTION, Question("n", "What is the moon made of?", (), answerable=False))
    dataset = Dataset("d", "h", questions, by_document=True)

    def ask(question: Question) -> dict[str, Any]:
        results = [passage(1, "a.md", "text") | {"score": 0.5}]
        answer = done("It ends after 600 seconds.", [("It ends after 600 seconds [1].", True, [1])], found=question.answerable)
        return {"results": results, "citations": results, "latency_ms": 1.0, "trace_id": "t", "done": answer}

    summaries, records = evaluate(dataset, questions, ask, top_k=5, progress=lambda _done, _total: None)
    metrics = summaries["overall"]["metrics"]
    assert (metrics["hit@1"], metrics["refusal"], metrics["facts"], metrics["refusal_recall"]) == (1, 1, 0.5, 1)
    assert "hit@1" not in records[1]["metrics"]
    assert records[0]["artifacts"]["answer"] == "It ends after 600 seconds."
    assert records[0]["artifacts"]["context"] == [["c1"]]
    run = {"run_id": "1" * 32, "dataset_hash": "h", "questions": records, "metrics": summaries, "strategy": "s", "dataset": "d"}
    compared = compare(run, run, resamples=100)
    assert {row["metric"] for row in compared["metrics"]} == set(metrics)
    assert {row["p"] for row in compared["metrics"]} == {1}


def test_a_gate_on_answers_needs_answers() -> None:
    assert str(read_gate("facts>=0.9", 5, more=ANSWER_METRICS)) == "facts>=0.9"
    with pytest.raises(ValidationFailed, match="names no metric"):
        read_gate("facts>=0.9", 5)
    with pytest.raises(ValidationFailed, match="no question of this run has facts"):
        Gate("facts", ">=", 0.9).value({"metrics": {}, "latency_ms": {"p50": 1, "p95": 1}})


def test_facts_and_unanswerable_questions_are_read_strictly(tmp_path: Path) -> None:
    path = tmp_path / "q.yaml"
    path.write_text(
        "- {id: a, query: x, relevant: [{source: a.md, place: {}}], facts: [one, [two, zwei]]}\n"
        "- {id: b, query: y, answerable: false}\n"
    )
    first, second = read_questions(path).questions
    assert (first.facts, first.answerable, second.answerable, second.relevant) == ((("one",), ("two", "zwei")), True, False, ())
    for wrong in (
        "{id: a, query: x, relevant: [{source: a.md, place: {}}], facts: one}",
        "{id: a, query: x, relevant: [{source: a.md, place: {}}], facts: [[]]}",
        "{id: a, query: x, relevant: [{source: a.md, place: {}}], facts: [1]}",
        "{id: a, query: x, answerable: false, relevant: [{source: a.md, place: {}}]}",
        "{id: a, query: x, answerable: 'no'}",
        "{id: a, query: x}",
    ):
        path.write_text(f"- {wrong}\n")
        with pytest.raises(ValidationFailed, match="line 1"):
            read_questions(path)
