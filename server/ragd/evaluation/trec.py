"""Datasets in TREC's formats (trec_eval, Voorhees and Harman 2005): `qrels.txt` and, beside it, the topics.

`qrels.txt` has lines of `topic iteration document grade` with blanks between them; a grade of 0 or less is not relevant. The
topics are in `topics.tsv` (`topic`, a tab, the question) or in `topics.txt` in TREC's own markup, of which `<num>` and `<title>`
count. A document is called by its path in the folder of the documents, or by that without the ending where only one file is
called so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from ragd.core.errors import ValidationFailed
from ragd.core.ids import hash32
from ragd.evaluation.datasets import Dataset, Question, Relevant, broken, digest_of, read_lines

QRELS: Final = "qrels.txt"
TOPICS: Final = ("topics.tsv", "topics.txt")
DOCUMENTS: Final = "documents"
"""The folder of the documents, where it lies beside the other two."""

_COLUMNS: Final = 4
_TAG: Final = re.compile(r"\s*<(/?)(top|num|title|desc|narr)>\s*", re.IGNORECASE)
_LABEL: Final = re.compile(r"(?:number|topic)\s*:\s*", re.IGNORECASE)


def read_trec(folder: Path, documents: Path | None) -> Dataset:
    """The dataset of a folder. Questions that no document answers are left out and counted.

    Without a folder of `documents`, they are called as they are in the collection that is asked. Raises `ValidationFailed` for
    what can't be read, stands twice or names nothing that is there, and when nothing can be asked.
    """
    topics_file = _topics_file(folder)
    texts = dict(_topics(topics_file))
    if not texts:
        raise ValidationFailed(f"{topics_file} holds no questions.")
    judged = _read_qrels(folder / QRELS, texts, None if documents is None else _names(documents), documents)
    questions = [
        Question(id=topic, text=texts[topic], relevant=tuple(Relevant(name, {}, grade) for name, grade in grades.items()))
        for topic, grades in judged.items()
    ]
    answerable = tuple(question for question in questions if question.relevant)
    if not answerable:
        raise ValidationFailed(f"{folder / QRELS}: no topic has a relevant document (a grade above 0), so nothing can be asked.")
    identity = hash32(digest_of(topics_file), digest_of(folder / QRELS))
    return Dataset(folder.resolve().name, identity, answerable, by_document=True, unanswerable=len(questions) - len(answerable))


def _topics_file(folder: Path) -> Path:
    found = [folder / name for name in TOPICS if (folder / name).is_file()]
    if len(found) != 1:
        raise ValidationFailed(f"{folder} must hold {QRELS} and one file of topics: {' or '.join(TOPICS)}.")
    return found[0]


def _topics(path: Path) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for line, topic, text in _in_markup(path) if path.suffix == ".txt" else _in_columns(path):
        if topic in seen:
            raise broken(path, line, f"the topic '{topic}' stands twice.")
        seen.add(topic)
        yield topic, text


def _in_columns(path: Path) -> Iterator[tuple[int, str, str]]:
    for line, row in read_lines(path):
        topic, tab, text = row.partition("\t")
        if not (tab and topic.strip() and text.strip()):
            raise broken(path, line, "a topic, a tab and the question are expected.")
        yield line, topic.strip(), text.strip()


def _in_markup(path: Path) -> Iterator[tuple[int, str, str]]:
    """Topics in markup that closes no tag but `top`: a field goes on until the next one."""
    begun, field = 0, ""
    fields: dict[str, list[str]] = {}
    for line, row in read_lines(path):
        rest = row
        while match := _TAG.match(rest):
            rest = rest[match.end() :]
            closing, tag = bool(match[1]), match[2].lower()
            if tag != "top":
                field = "" if closing else tag
                fields.setdefault(field, [])
            elif not closing:
                begun, field, fields = line, "", {}
            elif begun:
                topic = _LABEL.sub("", " ".join(fields.get("num", ()))).strip()
                text = _LABEL.sub("", " ".join(fields.get("title", ())), count=1).strip()
                if not (topic and text):
                    raise broken(path, begun, "the topic has no <num> or no <title>.")
                yield begun, topic, text
                begun, field = 0, ""
        # `<title>…</title>` on one line.
        text = rest.partition("</")[0].strip()
        if text and not begun:
            raise broken(path, line, "a topic begins with <top>.")
        if text:
            fields.setdefault(field, []).append(text)
    if begun:
        raise broken(path, begun, "the topic has no </top>.")


def _read_qrels(
    path: Path, texts: Mapping[str, str], names: Mapping[str, str | None] | None, documents: Path | None
) -> dict[str, dict[str, int]]:
    judged: dict[str, dict[str, int]] = {}
    seen: set[tuple[str, str]] = set()
    for line, row in read_lines(path):
        parts = row.split()
        if len(parts) != _COLUMNS:
            raise broken(path, line, "four values with blanks between them are expected: topic, iteration, document, grade.")
        topic, _iteration, document, grade = parts
        if topic not in texts:
            raise broken(path, line, f"there is no topic '{topic}' in the file of topics.")
        if (topic, document) in seen:
            raise broken(path, line, f"topic '{topic}' and document '{document}' are judged twice.")
        seen.add((topic, document))
        grades = judged.setdefault(topic, {})
        try:
            value = int(grade)
        except ValueError:
            raise broken(path, line, f"the grade '{grade}' is no whole number.") from None
        if value <= 0:
            continue
        name = document if names is None else names.get(document)
        if name is None:
            why = "is called so by several files" if names and document in names else "is not there"
            raise broken(path, line, f"the document '{document}' {why} in {documents}.")
        grades[name] = max(value, grades.get(name, 0))
    return judged


def _names(documents: Path) -> dict[str, str | None]:
    """What a document may be called -> its path; None for a path without its ending that several have."""
    if not documents.is_dir():
        raise ValidationFailed(f"{documents} is no folder of documents.")
    paths = sorted(path.relative_to(documents).as_posix() for path in documents.rglob("*") if path.is_file())
    names: dict[str, str | None] = {}
    for path in paths:
        short = path[: -len(suffix)] if (suffix := Path(path).suffix) else path
        names[short] = None if short in names else path
    return names | {path: path for path in paths}
