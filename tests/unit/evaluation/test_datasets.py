"""Datasets are read strictly, and what is wrong is said with the file and the line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragd.core.errors import ValidationFailed
from ragd.evaluation.beir import read_beir
from ragd.evaluation.golden import documents_hash, golden_files, read_questions

QUESTION = """
- id: one
  query: "Where is it?"
  lang: en
  type: natural
  relevant:
    - source: a.md
      place: { lines: [3, 4] }
"""


def test_a_beir_folder_gives_questions_with_the_files_of_their_documents(beir) -> None:
    dataset, corpus = read_beir(beir())
    assert [question.id for question in dataset.questions] == ["q1", "q2"]
    (wanted,) = dataset.questions[0].relevant
    assert (wanted.source, wanted.grade) == ("0000/0000000-d1.md", 2)
    assert list(corpus.sources.values())[1:] == ["0000/0000001-d-2.txt", "0000/0000002--.md"]


def test_a_corpus_is_written_with_titles_as_headings_and_left_alone_when_it_is_there(beir, tmp_path: Path) -> None:
    _, corpus = read_beir(beir())
    corpus.write(tmp_path / "out", lambda done: None)
    first = tmp_path / "out" / "0000" / "0000000-d1.md"
    assert first.read_text(encoding="utf-8") == "# Backup\n\nRun restore from a snapshot.\n"
    assert (tmp_path / "out" / "0000" / "0000001-d-2.txt").read_text(encoding="utf-8") == "A queue keeps jobs in order.\n"
    before = first.stat().st_mtime_ns
    corpus.write(tmp_path / "out", lambda done: None)
    assert first.stat().st_mtime_ns == before


def test_the_hash_changes_with_any_of_the_three_files_and_the_corpus_has_its_own(beir) -> None:
    dataset, corpus = read_beir(beir())
    changed, same_corpus = read_beir(beir(qrels=[("q1", "d1", "1")]))
    assert dataset.hash != changed.hash
    assert corpus.hash == same_corpus.hash


def test_questions_that_nothing_answers_are_left_out_and_counted(beir) -> None:
    dataset, _ = read_beir(beir(qrels=[("q1", "d1", "1"), ("q2", "d1", "0")]))
    assert ([question.id for question in dataset.questions], dataset.unanswerable) == (["q1"], 1)


def test_documents_without_a_text_are_counted_and_not_written(beir, tmp_path: Path) -> None:
    _, corpus = read_beir(beir(corpus=[{"_id": "d1", "text": "x"}, {"_id": "e", "text": " "}], qrels=[("q1", "d1", "1")]))
    corpus.write(tmp_path / "out", lambda done: None)
    assert (len(corpus), corpus.empty, len(list((tmp_path / "out").rglob("*.txt")))) == (1, 1, 1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"corpus": [{"_id": "d1", "text": "x"}, {"_id": "d1", "text": "y"}]},
            r"corpus\.jsonl, line 2: the id 'd1' stands twice",
        ),
        ({"corpus": [{"text": "x"}]}, r"corpus\.jsonl, line 1: '_id' must be a text"),
        ({"corpus": [{"_id": "d1", "text": 5}]}, r"line 1: 'text' must be a text"),
        ({"corpus": []}, r"corpus\.jsonl holds no documents"),
        ({"queries": []}, r"queries\.jsonl holds no questions"),
        ({"queries": [{"_id": "q1", "text": " "}]}, r"queries\.jsonl, line 1: 'text' must be a text that is not empty"),
        ({"qrels": [("q9", "d1", "1")]}, r"test\.tsv, line 2: there is no question 'q9'"),
        ({"qrels": [("q1", "d9", "1")]}, r"test\.tsv, line 2: there is no document 'd9'"),
        ({"qrels": [("q1", "d1", "1"), ("q1", "d1", "1")]}, r"line 3: .*judged twice"),
        ({"qrels": [("q1", "d1", "good")]}, r"line 2: the score 'good' is no whole number"),
        ({"qrels": [("q1", "d1")]}, r"line 2: three values with tabs"),
        ({"qrels": [("q1", "d1", "0")]}, r"no question has a relevant document"),
        ({"qrels": []}, r"no question has a relevant document"),
    ],
)
def test_what_is_wrong_in_a_beir_folder_is_said_with_its_line(beir, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationFailed, match=message):
        read_beir(beir(**changes))


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"])
def test_a_missing_file_is_named(beir, name: str) -> None:
    folder = beir()
    (folder / name).unlink()
    with pytest.raises(ValidationFailed, match=name.rpartition("/")[2] + " can't be read: No such file"):
        read_beir(folder)


@pytest.mark.parametrize(
    ("data", "message"), [(b"{}\n{nope\n", "line 2: this is no JSON"), (b"\xff\n", "line 1: this is no UTF-8")]
)
def test_a_line_that_is_no_json_is_named(beir, data: bytes, message: str) -> None:
    folder = beir()
    (folder / "queries.jsonl").write_bytes(data.replace(b"{}", b'{"_id": "q1", "text": "x"}'))
    with pytest.raises(ValidationFailed, match=message):
        read_beir(folder)


def test_the_golden_questions_of_the_checkout_can_be_read(project_root: Path) -> None:
    questions, samples = golden_files(project_root)
    dataset = read_questions(questions)
    assert len(dataset.questions) > 70
    assert {question.groups["lang"] for question in dataset.questions} == {"en", "ja"}
    assert all((samples / wanted.source).is_file() for question in dataset.questions for wanted in question.relevant)


def test_without_a_checkout_the_golden_questions_are_said_to_need_one() -> None:
    with pytest.raises(ValidationFailed, match="Run this from a checkout"):
        golden_files(None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no questions"),
        ("a: 1", "line 1: a list of questions"),
        ("- [", "this is no YAML"),
        ("\n- just text", "line 2: a question with"),
        (QUESTION.replace("id: one", "id: 5"), "line 2: 'id' must be a text"),
        (QUESTION + QUESTION, "line 10: the id 'one' stands twice"),
        (QUESTION.replace("query:", "question:"), "line 2: 'question' is not known here"),
        (QUESTION.replace("lines: [3, 4]", "lines: [4, 3]"), "line 2: 'lines' must be"),
        (QUESTION.replace("lines: [3, 4]", "sheet: A, cells: nope"), "line 2: 'sheet' must be a name and 'cells'"),
        (QUESTION.replace("lines: [3, 4]", "page: 0"), "'page' must be a number from 1"),
        (QUESTION.replace("lines: [3, 4]", "line: 3"), "a place is one of"),
        (QUESTION.replace("place: { lines: [3, 4] }", "grade: 1"), "'place' is missing"),
        (QUESTION.replace("type: natural", "filters: { languge: en }"), "line 2: .*language"),
        (QUESTION.replace("type: natural", "hard: 1"), "'hard' must be true or false"),
        (QUESTION.partition("    - source")[0], "'relevant' must list at least one place"),
        (QUESTION.replace("type: natural", "unlabelled: true"), "line 2: 'unlabelled' questions have neither"),
        ("- { id: a, query: b, unlabelled: yes please }\n", "line 1: 'unlabelled' must be true or false"),
        ("- { id: a, query: b, unlabelled: true }\n", "holds no questions that are labelled; 1 wait for labels"),
    ],
)
def test_what_is_wrong_in_a_file_of_questions_is_said_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "questions.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValidationFailed, match=message):
        read_questions(path)


def test_questions_that_wait_for_labels_are_counted_and_not_asked(tmp_path: Path) -> None:
    path = tmp_path / "questions.yaml"
    path.write_text(QUESTION + "- { id: later, query: Which one, unlabelled: true }\n", encoding="utf-8")
    dataset = read_questions(path)
    assert ([one.id for one in dataset.questions], dataset.unanswerable) == (["one"], 1)


def test_the_hash_of_documents_is_of_their_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x")
    before = documents_hash(tmp_path)
    (tmp_path / "a.md").rename(tmp_path / "b.md")
    assert documents_hash(tmp_path) != before
