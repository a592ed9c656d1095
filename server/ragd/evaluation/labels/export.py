"""Labels as datasets: in our own form of questions (`golden`), and in the layout of BEIR.

Where several people judged a passage, its grade is the lower median of theirs: with two who differ, the lower one; with three,
what the one in the middle says. A golden question lists the places with a grade above 0; in BEIR documents are judged, each by
the best of its passages, and a 0 is written, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TextIO

import yaml

from ragd.core.errors import ValidationFailed
from ragd.evaluation.beir import CORPUS, QRELS, QUERIES

_USABLE: Final = ("there", "cut_otherwise")


@dataclass(frozen=True, slots=True)
class Judged:
    """A passage that people judged, by the place where it stands today."""

    doc_id: str
    source: str
    place: Mapping[str, Any]
    grade: int


@dataclass(slots=True)
class Judgements:
    """A question with all that was judged for it."""

    question_id: str
    question: str
    passages: list[Judged] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Collected:
    """Questions in the order in which they came. `changed` counts passages of documents that changed or are gone, `restricted`
    those that whoever exports may not see: neither is among the questions."""

    questions: tuple[Judgements, ...]
    changed: int
    restricted: int


def collected(labels: Iterable[Mapping[str, Any]]) -> Collected:
    """What `GET /api/labels` lists, all pages of it, as questions."""
    questions: dict[str, Judgements] = {}
    grades: dict[tuple[str, str, str, str], list[Mapping[str, Any]]] = {}
    changed = restricted = 0
    for label in labels:
        if label["restricted"]:
            restricted += 1
        elif label["state"] not in _USABLE:
            changed += 1
        else:
            where = json.dumps(label["place"], sort_keys=True)
            # A chunk's text where it is there; else its place, which several passages of it may share.
            key = label["question_id"], label["doc_id"], label["chunk_id"] or "", where
            grades.setdefault(key, []).append(label)
    for (question_id, doc_id, _chunk_id, _where), of_passage in grades.items():
        first = of_passage[0]
        found = questions.setdefault(question_id, Judgements(question_id, first["question"]))
        grade = lower_median([one["grade"] for one in of_passage])
        found.passages.append(Judged(doc_id, first["source"], first["place"], grade))
    return Collected(tuple(questions.values()), changed, restricted)


def lower_median(grades: Sequence[int]) -> int:
    """The middle one; of two in the middle the lower. Raises `IndexError` for none."""
    return sorted(grades)[(len(grades) - 1) // 2]


def golden(questions: Iterable[Judgements]) -> tuple[str, int]:
    """A file of questions as `rag eval run --dataset FILE` reads it, and how many questions were left out, as nothing that was
    judged answers them. Raises `ValidationFailed` where none remains.
    """
    items: list[dict[str, Any]] = []
    left_out = 0
    for asked in questions:
        places = places_of(asked)
        if places:
            items.append({"id": asked.question_id, "query": asked.question, "relevant": places})
        else:
            left_out += 1
    if not items:
        raise ValidationFailed(_NOTHING)
    return yaml.safe_dump(items, allow_unicode=True, sort_keys=False, width=120), left_out


def places_of(asked: Judgements) -> list[dict[str, Any]]:
    """The places that answer a question as a dataset lists them: `{source, place, grade}`, none with the grade 0."""
    places: dict[str, dict[str, Any]] = {}
    for one in asked.passages:
        if one.grade > 0:
            key = json.dumps([one.source, one.place], sort_keys=True)
            known = places.setdefault(key, {"source": one.source, "place": dict(one.place), "grade": one.grade})
            known["grade"] = max(known["grade"], one.grade)
    return list(places.values())


_NOTHING: Final = (
    "There is no question of which a passage was labelled with 1 or 2 that is still there. Label some on the dashboard, on the "
    "page of a question."
)


def beir(questions: Iterable[Judgements], documents: Iterable[Mapping[str, str]], folder: Path) -> tuple[int, int]:
    """Write `corpus.jsonl`, `queries.jsonl` and `qrels/test.tsv`; gives the numbers of questions and of documents.

    `documents` are all of the collection: `{id, source, title, markdown}`. Questions for whose judged documents none has a grade
    above 0 are left out. Raises `ValidationFailed` where none remains, and `OSError`.
    """
    best: dict[str, dict[str, int]] = {}
    texts: dict[str, str] = {}
    for asked in questions:
        grades: dict[str, int] = {}
        for one in asked.passages:
            grades[one.doc_id] = max(one.grade, grades.get(one.doc_id, 0))
        if any(grades.values()):
            best[asked.question_id], texts[asked.question_id] = grades, asked.question
    if not best:
        raise ValidationFailed(_NOTHING)
    (folder / QRELS).parent.mkdir(parents=True, exist_ok=True)
    with (folder / CORPUS).open("x", encoding="utf-8", newline="\n") as file:
        written = set(_corpus(file, documents))
    _lines(folder / QUERIES, ({"_id": key, "text": text} for key, text in texts.items()))
    with (folder / QRELS).open("x", encoding="utf-8", newline="\n") as file:
        file.write("query-id\tcorpus-id\tscore\n")
        for key, grades in best.items():
            file.writelines(f"{key}\t{doc_id}\t{grade}\n" for doc_id, grade in grades.items() if doc_id in written)
    return len(best), len(written)


def _corpus(file: TextIO, documents: Iterable[Mapping[str, str]]) -> Iterator[str]:
    for one in documents:
        title = " ".join(one["title"].split())
        row = {"_id": one["id"], "title": title, "text": _without_title(one["markdown"], title)}
        file.write(json.dumps(row | {"metadata": {"source": one["source"]}}, ensure_ascii=False) + "\n")
        yield one["id"]


def _without_title(markdown: str, title: str) -> str:
    """Whoever reads the corpus puts the title before the text; it should not stand there twice."""
    first, _, rest = markdown.lstrip().partition("\n")
    return rest.lstrip("\n") if title and first.strip() == f"# {title}" else markdown


def _lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
