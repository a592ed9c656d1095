"""Labels in the database: what a person says of a passage for a question.

Every mark is a row of its own, so that one can be taken back: of the rows of one author about one passage and question, the
newest counts. No text of a document is kept: a passage is known again by the hash of its text, and its place by the document.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Row, Select, Subquery, delete, func, select
from sqlalchemy.exc import IntegrityError

from ragd.core.errors import NotFound, ServiceUnavailable
from ragd.core.ids import canonical, hash32
from ragd.core.tracing import utc_now
from ragd.store.database.repository import Repository
from ragd.store.database.schema import chunks, collections, documents, labels, occurrences, versions

_TRIES: Final = 5


@dataclass(frozen=True, slots=True)
class Mark:
    """What is said of a passage. `grade` is 0 (does not answer), 1 (has to do with it) or 2 (answers it), and None where what was
    said before is taken back.

    `place` is written as in a dataset of questions; `text_hash` is of the passage's canonical text, `content_hash` of the whole
    content of the version that it stood in.
    """

    kb_id: str
    question: str
    author: str
    grade: int | None
    doc_id: str
    source: str
    place: Mapping[str, Any]
    section_path: Sequence[str]
    chunk_id: str
    text_hash: str
    content_hash: str
    trace_id: str | None = None


@dataclass(frozen=True, slots=True)
class Label:
    """A mark as it is kept. `position` counts the marks of one author about one question, from 1."""

    label_id: str
    question_id: str
    kb_id: str
    question: str
    author: str
    position: int
    grade: int | None
    doc_id: str
    source: str
    place: Mapping[str, Any]
    section_path: Sequence[str]
    chunk_id: str
    text_hash: str
    content_hash: str
    trace_id: str | None
    created_at: str

    @property
    def passage(self) -> tuple[str, str, str]:
        """What is judged: a passage's text in a document, for a question."""
        return self.question_id, self.doc_id, self.text_hash


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question of one collection, and how many passages each author has judged."""

    question_id: str
    kb_id: str
    question: str
    authors: Mapping[str, int]
    last_at: str


def question_id_of(kb_id: str, question: str) -> str:
    """The same question has one id, however its blanks and characters are written."""
    return hash32(kb_id, " ".join(canonical(question).split()))


class Labels(Repository):
    """Marks, kept until they are taken back or their collection is deleted."""

    def add(self, mark: Mark) -> Label:
        """Keep a mark. Raises `ServiceUnavailable` where the same author marks too much at the same moment."""
        question_id = question_id_of(mark.kb_id, mark.question)
        own = labels.c.question_id == question_id, labels.c.author == mark.author
        values: dict[str, Any] = {name: getattr(mark, name) for name in Mark.__slots__}
        values |= {"label_id": uuid.uuid4().hex, "question_id": question_id, "created_at": utc_now()}
        values |= {"place": dict(mark.place), "section_path": list(mark.section_path)}
        for _ in range(_TRIES):
            try:
                with self._engine.begin() as connection:
                    last = connection.scalar(select(func.max(labels.c.position)).where(*own)) or 0
                    connection.execute(labels.insert().values(**values, position=last + 1))
                    return Label(**values, position=last + 1)
            except IntegrityError:  # two marks of one author at the same moment, on PostgreSQL
                continue
        raise ServiceUnavailable("Too many marks came at the same moment. Try again.")

    def get(self, label_id: str) -> Label:
        """One mark. Raises `NotFound`, also where its collection is deleted."""
        row = self._first(_live(select(labels)).where(labels.c.label_id == label_id))
        if row is None:
            raise NotFound(f"There is no label '{label_id}'. It was taken back, or its collection is deleted.")
        return _label(row)

    def remove(self, label_id: str) -> None:
        """Take a mark back: what its author said before of the passage counts again. Raises `NotFound`."""
        if not self._write(delete(labels).where(labels.c.label_id == label_id)):
            raise NotFound(f"There is no label '{label_id}'.")

    def page(
        self,
        page: int = 1,
        page_size: int = 20,
        *,
        kb_ids: Collection[str] | None = None,
        question: str | None = None,
        question_id: str | None = None,
        author: str | None = None,
    ) -> tuple[list[Label], int]:
        """One page of the labels that count, by question, document and author, and how many there are.

        `kb_ids` are the collections (None: all), `question` the text of a question in whichever of them.
        """
        ids = None if question_id is None else {question_id}
        if question is not None:
            live = self._values(select(collections.c.kb_id).where(collections.c.status != "deleted"))
            of_text = {question_id_of(kb_id, question) for kb_id in live}
            ids = of_text if ids is None else of_text & ids
        found = _counting(kb_ids, ids, author)
        order = (found.c.question_id, found.c.source, found.c.text_hash, found.c.author)
        return self._page(select(found).order_by(*order), page, page_size, _label)

    def all(self, kb_ids: Collection[str] | None = None) -> list[Label]:
        """Every label that counts."""
        return [_label(row) for row in self._rows(select(_counting(kb_ids)))]

    def questions(
        self, page: int = 1, page_size: int = 20, kb_ids: Collection[str] | None = None
    ) -> tuple[list[LabelledQuestion], int]:
        """One page of the questions that have labels, the one that was labelled last first, and how many there are."""
        counting = _counting(kb_ids)
        grouped = (
            select(
                counting.c.question_id,
                counting.c.kb_id,
                func.min(counting.c.question).label("question"),
                func.max(counting.c.created_at).label("last_at"),
            )
            .group_by(counting.c.question_id, counting.c.kb_id)
            .subquery()
        )
        newest = select(grouped).order_by(grouped.c.last_at.desc(), grouped.c.question_id)
        rows, total = self._page(newest, page, page_size, lambda row: row)
        by_author = select(counting.c.question_id, counting.c.author, func.count().label("judged")).group_by(
            counting.c.question_id, counting.c.author
        )
        authors: dict[str, dict[str, int]] = {}
        ids = [row.question_id for row in rows]
        for one in self._rows_in(by_author.order_by(counting.c.author), counting.c.question_id, ids):
            authors.setdefault(one.question_id, {})[one.author] = one.judged
        return [
            LabelledQuestion(row.question_id, row.kb_id, row.question, authors.get(row.question_id, {}), row.last_at)
            for row in rows
        ], total

    def live_hashes(self, doc_ids: Iterable[str]) -> dict[str, tuple[str, str]]:
        """doc_id -> (title, hash of the content) of those documents that are served."""
        columns = (documents.c.doc_id, documents.c.title, versions.c.md_sha256)
        query = select(*columns).join(versions, versions.c.version_id == documents.c.version_id)
        rows = self._rows_in(query.where(documents.c.status == "ready"), documents.c.doc_id, list(doc_ids))
        return {row.doc_id: (row.title, row.md_sha256) for row in rows}

    def chunks_by_text(self, doc_ids: Iterable[str]) -> dict[tuple[str, str], str]:
        """(doc_id, hash of the canonical text) -> chunk id, of all live chunks of these documents."""
        query = (
            select(documents.c.doc_id, chunks.c.chunk_id, chunks.c.text)
            .join(occurrences, occurrences.c.version_id == documents.c.version_id)
            .join(chunks, chunks.c.chunk_id == occurrences.c.chunk_id)
            .where(documents.c.status == "ready")
        )
        rows = self._rows_in(query, documents.c.doc_id, list(doc_ids))
        return {(row.doc_id, text_hash(row.text)): row.chunk_id for row in rows}


def text_hash(text: str) -> str:
    """By which a passage is known again."""
    return hash32(canonical(text))


def _live(query: Select[Any]) -> Select[Any]:
    return query.join(collections, collections.c.kb_id == labels.c.kb_id).where(collections.c.status != "deleted")


def _counting(
    kb_ids: Collection[str] | None = None, question_ids: Collection[str] | None = None, author: str | None = None
) -> Subquery:
    """Of each author, passage and question the newest mark, where that is not one that takes back."""
    same = (labels.c.question_id, labels.c.author, labels.c.doc_id, labels.c.text_hash)
    newest = func.row_number().over(partition_by=same, order_by=labels.c.position.desc()).label("nth")
    ranked = _live(select(labels, newest))
    if kb_ids is not None:
        ranked = ranked.where(labels.c.kb_id.in_(sorted(kb_ids)))
    if question_ids is not None:
        ranked = ranked.where(labels.c.question_id.in_(sorted(question_ids)))
    if author is not None:
        ranked = ranked.where(labels.c.author == author)
    found = ranked.subquery()
    columns = [found.c[column.name] for column in labels.c]
    return select(*columns).where(found.c.nth == 1, found.c.grade.is_not(None)).subquery()


def _label(row: Row[Any]) -> Label:
    return Label(**{column.name: row._mapping[column.name] for column in labels.c})
