"""Feedback in the database: questions that people asked, what they said of the answer, and where the answer stood."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import delete, select

from ragd.core.errors import FeedbackNotFound
from ragd.core.tracing import utc_now
from ragd.store.database.repository import Repository, as_dict
from ragd.store.database.schema import feedback

Verdict = Literal["up", "down"]


@dataclass(frozen=True, slots=True)
class Opinion:
    """What somebody says of an answer. `relevant` are the places that were shown, `{source, place}` as datasets write them.

    `collection` is what was asked, None for every enabled one.
    """

    question: str
    verdict: Verdict
    relevant: Sequence[Mapping[str, Any]]
    collection: str | None = None
    filters: Mapping[str, Any] | None = None
    history: Sequence[Mapping[str, str]] = field(default_factory=tuple)
    answer: str | None = None
    comment: str | None = None
    trace_id: str | None = None


class Feedback(Repository):
    """Opinions, kept until somebody deletes them."""

    def add(self, opinion: Opinion) -> dict[str, Any]:
        """Keep an opinion; returns it as it is kept."""
        names = ("question", "verdict", "collection", "answer", "comment", "trace_id")
        row: dict[str, Any] = {"id": uuid.uuid4().hex, "created_at": utc_now()}
        row |= {name: getattr(opinion, name) for name in names}
        row["filters"] = None if opinion.filters is None else dict(opinion.filters)
        row |= {name: [dict(item) for item in getattr(opinion, name)] for name in ("history", "relevant")}
        self._write(feedback.insert().values(**row))
        return row

    def page(self, page: int = 1, page_size: int = 20) -> tuple[list[dict[str, Any]], int]:
        newest = select(feedback).order_by(feedback.c.created_at.desc(), feedback.c.id)
        return self._page(newest, page, page_size, as_dict)

    def trace_ids(self, verdict: Verdict | None = None) -> set[str]:
        """The questions of which somebody said something, or this, by their traces."""
        said = select(feedback.c.trace_id).where(feedback.c.trace_id.is_not(None))
        return set(self._values(said if verdict is None else said.where(feedback.c.verdict == verdict)))

    def remove(self, feedback_id: str) -> None:
        """Delete an opinion. Raises `FeedbackNotFound`."""
        if not self._write(delete(feedback).where(feedback.c.id == feedback_id)):
            raise FeedbackNotFound(f"There is no feedback '{feedback_id}'. See `rag eval cases`.")
