"""A sample of the questions that people asked, from the traces, as a dataset that waits for labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Any, Final, Literal, get_args

import yaml

from ragd.app.evaluations.datasets import WIDTH, question_key
from ragd.app.replays.comparison import payload
from ragd.core.errors import RagError, ValidationFailed
from ragd.core.ids import hash32
from ragd.evaluation.golden import UNLABELLED
from ragd.retrieve.filters import parse_filters
from ragd.store.collections import Collections
from ragd.store.database.engine import batches
from ragd.store.evaluation.feedback import Feedback, Verdict
from ragd.store.traces import Only, Traces

Which = Literal["all", "nothing_found", "slow", "degraded", "failed", "feedback", "up", "down"]
"""Of which questions: all; those with an outcome that lists of traces know; those with some feedback, or a thumb up or down."""
_READ_AT_ONCE: Final = 200
_FEEDBACK: Final = ("feedback", "up", "down")


@dataclass(frozen=True, slots=True)
class SampleWanted:
    """`count` questions at most, drawn by a `seed`: the same seed draws the same ones of the same questions.

    `since` and `until` are days (UTC), both included; None is no bound. `collection` keeps what was asked of it.
    """

    count: int = 50
    seed: int = 1
    since: date | None = None
    until: date | None = None
    collection: str | None = None
    which: Which = "all"


@dataclass(frozen=True, slots=True)
class QuestionLog:
    """Draws samples."""

    traces: Traces
    feedback: Feedback
    collections: Collections

    def sample(self, wanted: SampleWanted) -> str:
        """The text of a dataset's file: each question once, by the id of its newest trace, with the filters that it was asked
        with, in the order in which they were drawn.

        Raises `CollectionNotFound`, and `ValidationFailed` where there is no such question.
        """
        kb_id = self.collections.get(wanted.collection).kb_id if wanted.collection else None
        items = list(islice(self._items(wanted, kb_id), wanted.count))
        if not items:
            raise ValidationFailed(
                "There is no such question among the traces. observability.keep_traces says how many are kept, and with "
                "observability.detail_level minimal their texts are not."
            )
        return yaml.safe_dump(items, allow_unicode=True, sort_keys=False, width=WIDTH)

    def _items(self, wanted: SampleWanted, kb_id: str | None) -> Iterator[dict[str, Any]]:
        for batch in batches(self._drawn(wanted), _READ_AT_ONCE):
            envelopes = self.traces.envelopes(batch)
            for trace_id in batch:
                # A trace may have gone meanwhile.
                if item := _item(trace_id, envelopes.get(trace_id), kb_id):
                    yield item

    def _drawn(self, wanted: SampleWanted) -> list[str]:
        """Traces, one for each question, in the order of the draw."""
        only = next((one for one in get_args(Only) if one == wanted.which), None)
        since = wanted.since.isoformat() if wanted.since else ""
        # Behind every moment of that day.
        until = f"{wanted.until.isoformat()}T24" if wanted.until else ""
        asked = self.traces.questions(since, until, only)
        if wanted.which in _FEEDBACK:
            of_feedback = self.feedback.trace_ids(next((one for one in get_args(Verdict) if one == wanted.which), None))
            asked = [one for one in asked if one[0] in of_feedback]
        newest: dict[str, str] = {}
        for trace_id, question in asked:
            newest.setdefault(question_key(question), trace_id)
        return [newest[key] for key in sorted(newest, key=lambda key: hash32(str(wanted.seed), key))]


def _item(trace_id: str, envelope: Mapping[str, Any] | None, kb_id: str | None) -> dict[str, Any] | None:
    """The question of a trace as a file has it; None for one that is not wanted, or whose filters a file can't say."""
    plan = payload(envelope, "query.normalized") if envelope else {}
    if not plan:
        return None
    if kb_id is not None and kb_id not in plan.get("request", {}).get("kb_ids", ()):
        return None
    filters = plan.get("filters", {})
    try:
        parse_filters(filters)
    except RagError:
        return None
    return {"id": trace_id, "query": plan["query"], UNLABELLED: True} | ({"filters": dict(filters)} if filters else {})
