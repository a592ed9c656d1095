"""Datasets in TREC's formats and as JSON Lines, with marks at the beginning, any line ends, any language."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragd.cli.eval.corpus import read_material
from ragd.core.errors import ValidationFailed
from ragd.evaluation.beir import read_beir
from ragd.evaluation.golden import read_questions
from ragd.evaluation.trec import read_trec

MARKUP = """<top>
<num> Number: 301
<title> Topic: restore a backup
<desc> Description:
How is a backup restored?
</top>

<top><num>302</num>
<title>有給休暇の申請</title>
<narr> Anything on leave.
</top>
"""
COLUMNS = "301\trestore a backup\n302\t有給休暇の申請\n303\tnobody knows\n"
JUDGED = "301 0 guide/backup.md 2\n301 0 queues 0\n302 0 休暇規程 1\n303 0 queues.txt 0\n"


@pytest.fixture
def trec(tmp_path: Path) -> Path:
    """Topics in columns; the judgements call documents by their paths, with their endings or without."""
    documents = tmp_path / "trec" / "documents"
    (documents / "guide").mkdir(parents=True)
    for name in ("guide/backup.md", "queues.txt", "休暇規程.md"):
        (documents / name).write_text(f"# {name}\n", encoding="utf-8")
    (tmp_path / "trec" / "topics.tsv").write_text(COLUMNS, encoding="utf-8")
    (tmp_path / "trec" / "qrels.txt").write_text(JUDGED, encoding="utf-8")
    return tmp_path / "trec"


def test_topics_and_judgements_give_questions_with_the_paths_of_documents(trec: Path) -> None:
    material = read_material(str(trec), None, has_collection=False)
    assert material.folder == trec / "documents"
    dataset = material.dataset
    assert (dataset.name, dataset.by_document, dataset.unanswerable) == ("trec", True, 1)
    assert [(one.id, one.text) for one in dataset.questions] == [("301", "restore a backup"), ("302", "有給休暇の申請")]
    assert [[(at.source, at.grade) for at in one.relevant] for one in dataset.questions] == [
        [("guide/backup.md", 2)],
        [("休暇規程.md", 1)],
    ]


def test_topics_in_trecs_own_markup_are_the_same_questions(trec: Path) -> None:
    (trec / "qrels.txt").write_text("".join(JUDGED.splitlines(keepends=True)[:3]), encoding="utf-8")
    plain = read_trec(trec, trec / "documents")
    (trec / "topics.tsv").unlink()
    (trec / "topics.txt").write_text(MARKUP, encoding="utf-8")
    assert read_trec(trec, trec / "documents").questions == plain.questions


@pytest.mark.parametrize("topics", ["topics.tsv", "topics.txt"])
def test_marks_at_the_beginning_and_line_ends_of_windows_change_nothing(trec: Path, topics: str) -> None:
    plain = read_trec(trec, trec / "documents")
    (trec / "topics.tsv").unlink()
    text = COLUMNS if topics == "topics.tsv" else MARKUP + "<top>\n<num> 303\n<title> nobody knows\n</top>\n"
    (trec / topics).write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    (trec / "qrels.txt").write_bytes(b"\xef\xbb\xbf" + JUDGED.replace("\n", "\r\n").replace(" ", "\t").encode())
    assert read_trec(trec, trec / "documents").questions == plain.questions


def test_without_a_folder_documents_are_called_as_in_the_collection(trec: Path) -> None:
    material = read_material(str(trec), None, has_collection=True)
    assert material.folder is None
    assert material.dataset.questions[1].relevant[0].source == "休暇規程"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("topics.tsv", "301 restore\n", r"topics\.tsv, line 1: a topic, a tab and the question"),
        ("topics.tsv", "301\tx\n301\ty\n", r"topics\.tsv, line 2: the topic '301' stands twice"),
        ("topics.tsv", "\n", r"topics\.tsv holds no questions"),
        ("qrels.txt", "301 0 queues.txt\n", r"qrels\.txt, line 1: four values"),
        ("qrels.txt", "\n999 0 queues.txt 1\n", r"qrels\.txt, line 2: there is no topic '999'"),
        ("qrels.txt", "301 0 queues.txt 1\n301 1 queues.txt 0\n", r"line 2: .*judged twice"),
        ("qrels.txt", "301 0 queues.txt yes\n", r"line 1: the grade 'yes' is no whole number"),
        ("qrels.txt", "301 0 nothing.md 1\n", r"line 1: the document 'nothing\.md' is not there in "),
        ("qrels.txt", "301 0 queues 1\n", r"line 1: the document 'queues' is called so by several files"),
        ("qrels.txt", "301 0 queues.txt -2\n", r"no topic has a relevant document"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_line(trec: Path, name: str, text: str, message: str) -> None:
    (trec / "documents" / "queues.md").touch()
    (trec / name).write_text(text, encoding="utf-8")
    with pytest.raises(ValidationFailed, match=message):
        read_trec(trec, trec / "documents")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<top>\n<num> 1\n</top>\n", "line 1: the topic has no <num> or no <title>"),
        ("<top>\n<num> 1\n<title> x\n", "line 1: the topic has no </top>"),
        ("hello\n", "line 1: a topic begins with <top>"),
    ],
)
def test_markup_that_is_none_is_said_with_its_line(trec: Path, text: str, message: str) -> None:
    (trec / "topics.tsv").unlink()
    (trec / "topics.txt").write_text(text, encoding="utf-8")
    with pytest.raises(ValidationFailed, match=message):
        read_trec(trec, trec / "documents")


def test_topics_that_are_missing_or_twice_are_said(trec: Path) -> None:
    (trec / "topics.txt").touch()
    with pytest.raises(ValidationFailed, match=r"one file of topics: topics\.tsv or topics\.txt"):
        read_trec(trec, None)


QUESTION = {
    "id": "q1",
    "query": "有給休暇は？",
    "relevant": [{"source": "休暇.md", "place": {"lines": [1, 2]}}],
    "facts": ["五日"],
}


def test_json_lines_have_the_fields_of_the_yaml_file(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    lines = [json.dumps(QUESTION, ensure_ascii=False), "", json.dumps({**QUESTION, "id": "q2"})]
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    dataset = read_questions(path)
    assert [question.id for question in dataset.questions] == ["q1", "q2"]
    assert dataset.questions[0].text == dataset.questions[1].text == "有給休暇は？"
    assert dataset.questions[0].facts == (("五日",),)
    assert read_material(str(path), None, has_collection=True).dataset == dataset


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "q1"', r"questions\.jsonl, line 3: this is no JSON"),
        ("[1]", "line 3: a JSON object is expected"),
        (json.dumps({**QUESTION, "question": "x"}), "line 3: 'question' is not known here"),
        (json.dumps(QUESTION), "line 3: the id 'q1' stands twice"),
    ],
)
def test_a_wrong_line_of_json_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(f"{json.dumps(QUESTION)}\n\n{line}\n", encoding="utf-8")
    with pytest.raises(ValidationFailed, match=message):
        read_questions(path)


def test_yaml_with_a_mark_at_the_beginning_and_line_ends_of_windows_is_read(tmp_path: Path) -> None:
    path = tmp_path / "questions.yaml"
    text = "- id: q1\r\n  query: 有給休暇は？\r\n  relevant:\r\n    - { source: 休暇.md, place: {} }\r\n"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert read_questions(path).questions[0].text == "有給休暇は？"


def test_another_split_of_a_beir_folder_is_named_by_its_file(beir) -> None:
    folder = beir()
    (folder / "qrels" / "dev.tsv").write_bytes("\ufeffquery-id\tcorpus-id\tscore\r\nq2\t休暇\t1\r\n".encode())
    dataset = read_material(str(folder / "qrels" / "dev.tsv"), None, has_collection=False).dataset
    assert [question.id for question in dataset.questions] == ["q2"]
    assert dataset.hash != read_beir(folder)[0].hash


def test_what_is_no_dataset_is_told_what_one_is(tmp_path: Path) -> None:
    with pytest.raises(ValidationFailed, match=r"qrels\.txt and topics\.tsv or topics\.txt \(TREC\)"):
        read_material(str(tmp_path), None, has_collection=False)
