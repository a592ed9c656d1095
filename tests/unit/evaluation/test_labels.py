"""Agreement of two who judged, and datasets made of labels."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from statistics import stdev
from typing import Any

import pytest

from ragd.core.errors import ValidationFailed
from ragd.evaluation.beir import read_beir
from ragd.evaluation.golden import read_questions
from ragd.evaluation.labels.agreement import agreements, cohen_kappa, standard_error
from ragd.evaluation.labels.export import beir, collected, golden, lower_median
from ragd.store.labels.labels import Label

# The example of both papers: 200 cases, kappa .429 with a standard error of .0537.
FLEISS = [[106, 10, 4], [22, 28, 10], [2, 12, 6]]


def label(author: str, passage: int, grade: int, **changed: Any) -> Label:
    values: dict[str, Any] = {
        "label_id": f"{author}{passage}", "question_id": "q", "kb_id": "k", "question": "why?", "author": author, "position": 1,
        "grade": grade, "doc_id": "d", "source": "a.md", "place": {}, "section_path": [], "chunk_id": "c",
        "text_hash": str(passage), "content_hash": "h", "trace_id": None, "created_at": "t",
    }  # fmt: skip
    return Label(**values | changed)


def test_kappa_and_its_error_are_those_of_the_paper() -> None:
    assert cohen_kappa(FLEISS) == pytest.approx(0.429, abs=0.0005)
    assert standard_error(FLEISS) == pytest.approx(0.0537, abs=0.00005)


def test_the_error_is_how_far_kappa_varies_when_other_passages_are_drawn() -> None:
    cells = [(i, j) for i in range(3) for j in range(3)]
    drawn = Random(7)
    kappas = []
    for _ in range(400):
        table = [[0] * 3 for _ in range(3)]
        for i, j in drawn.choices(cells, [FLEISS[i][j] for i, j in cells], k=200):
            table[i][j] += 1
        kappas.append(cohen_kappa(table) or 0.0)
    assert stdev(kappas) == pytest.approx(standard_error(FLEISS), rel=0.15)


def test_two_who_agree_in_all_have_one_as_by_chance_nought_and_who_never_differ_in_grades_none() -> None:
    assert cohen_kappa([[3, 0], [0, 4]]) == 1
    assert cohen_kappa([[4, 4], [4, 4]]) == pytest.approx(0)
    assert cohen_kappa([[0, 5], [5, 0]]) == pytest.approx(-1)
    assert cohen_kappa([[7, 0], [0, 0]]) is None
    with pytest.raises(ValueError, match="without any passage"):
        cohen_kappa([[0, 0], [0, 0]])


def test_weighted_kappa_forgives_what_is_near() -> None:
    near, far = [[5, 2, 0], [2, 5, 0], [0, 0, 5]], [[5, 0, 2], [0, 5, 0], [2, 0, 5]]
    assert cohen_kappa(near) == pytest.approx(cohen_kappa(far), abs=0.03)
    # By hand: 4 passages of 19 differ by one grade; 1 - 4 / sum(w_ij n_i. n_j.) * 19 with rows and columns 7, 7, 5.
    expected = 1 - 4 * 19 / (2 * 49 + 2 * 35 + 2 * 4 * 35)
    assert cohen_kappa(near, weighted=True) == pytest.approx(expected)
    assert (cohen_kappa(far, weighted=True) or 0) < expected


def test_only_what_both_have_judged_counts() -> None:
    ada = [label("ada", passage, grade) for passage, grade in enumerate((2, 2, 0, 0, 1))]
    grace = [label("grace", passage, grade) for passage, grade in enumerate((2, 1, 0, 0))]
    other = [label("joan", 0, 2, question_id="another")]
    (found,) = agreements([*ada, *grace, *other])
    assert (found.first, found.second, found.passages, found.agreed) == ("ada", "grace", 4, 0.75)
    assert found.table == ((2, 0, 0), (0, 0, 0), (0, 1, 1))
    # p_o = 3/4; p_e = (2*2 + 0*1 + 2*1) / 16.
    assert found.kappa == pytest.approx((0.75 - 0.375) / 0.625)
    assert found.low is not None
    assert found.high is not None
    assert -1 <= found.low < (found.kappa or 0) < found.high <= 1


def test_who_gave_one_grade_to_all_have_no_kappa_and_no_interval() -> None:
    (found,) = agreements([label(author, passage, 2) for author in ("ada", "grace") for passage in range(3)])
    assert (found.agreed, found.kappa, found.low, found.high, found.weighted_kappa) == (1, None, None, None, None)


@pytest.mark.parametrize(("grades", "median"), [([2], 2), ([0, 2], 0), ([1, 2, 2], 2), ([0, 1, 2, 2], 1)])
def test_where_people_differ_the_lower_median_counts(grades: list[int], median: int) -> None:
    assert lower_median(grades) == median


def row(**changed: Any) -> dict[str, Any]:
    return {
        "question_id": "q1", "question": "How: 'long'?", "doc_id": "d1", "source": "a b.md", "place": {"lines": [1, 4]},
        "chunk_id": "c1", "grade": 2, "restricted": False, "state": "there",
    } | changed  # fmt: skip


ROWS = [
    row(),
    row(author="grace", grade=1),
    row(chunk_id="c2", grade=0, place={"lines": [5, 9]}),
    row(chunk_id=None, state="cut_otherwise", grade=2, place={"page": 3}, doc_id="d2", source="経費.pdf"),
    row(question_id="q2", question="経費は？", grade=0),
    row(state="changed"),
    row(state="gone"),
    row(restricted=True),
]


def test_a_golden_file_is_read_as_it_was_judged(tmp_path: Path) -> None:
    found = collected(ROWS)
    assert (len(found.questions), found.changed, found.restricted) == (2, 2, 1)
    text, left_out = golden(found.questions)
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    (question,) = read_questions(tmp_path / "mine.yaml").questions
    assert left_out == 1
    assert (question.id, question.text) == ("q1", "How: 'long'?")
    assert [(one.source, dict(one.place), one.grade) for one in question.relevant] == [
        ("a b.md", {"lines": [1, 4]}, 1),
        ("経費.pdf", {"page": 3}, 2),
    ]


def test_a_beir_folder_is_read_with_its_documents(tmp_path: Path) -> None:
    documents = [
        {"id": "d1", "source": "a b.md", "title": "A", "markdown": "# A\n\ntext"},
        {"id": "d2", "source": "経費.pdf", "title": "", "markdown": "経費"},
        {"id": "d3", "source": "c.md", "title": "C", "markdown": "nobody judged this"},
    ]
    assert beir(collected(ROWS).questions, documents, tmp_path / "out") == (1, 3)
    dataset, corpus = read_beir(tmp_path / "out")
    assert len(corpus) == 3
    (question,) = dataset.questions
    assert {one.source.partition("-")[2]: one.grade for one in question.relevant} == {"d1.md": 1, "d2.txt": 2}
    first = json.loads((tmp_path / "out" / "corpus.jsonl").read_text("utf-8").splitlines()[0])
    assert (first["title"], first["text"], first["metadata"]) == ("A", "text", {"source": "a b.md"})


def test_a_document_that_is_not_in_the_corpus_is_not_judged(tmp_path: Path) -> None:
    beir(collected(ROWS).questions, [{"id": "d1", "source": "a", "title": "A", "markdown": "x"}], tmp_path)
    assert (tmp_path / "qrels" / "test.tsv").read_text() == "query-id\tcorpus-id\tscore\nq1\td1\t1\n"


def test_labels_of_which_none_answers_make_no_dataset(tmp_path: Path) -> None:
    questions = collected([row(grade=0)]).questions
    with pytest.raises(ValidationFailed, match="no question of which a passage"):
        golden(questions)
    with pytest.raises(ValidationFailed, match="no question of which a passage"):
        beir(questions, [], tmp_path)
    assert not list(tmp_path.iterdir())
