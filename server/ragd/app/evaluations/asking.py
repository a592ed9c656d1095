"""Asks the questions of an evaluation within the process, in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, TypeVar

from ragd.answer.cancellation import Cancellation
from ragd.answer.responses import answer_response, explained_response, query_response
from ragd.app.query_factory import QueryFactory
from ragd.app.search import Search
from ragd.core.query import MODES, ChatRequest, QueryRequest
from ragd.core.results import Answer
from ragd.evaluation.datasets import Question
from ragd.evaluation.runs.asking import Terms
from ragd.evaluation.runs.given import given_passage
from ragd.retrieve.filters import parse_filters
from ragd.retrieve.history import parse_history

Asked = TypeVar("Asked", bound=QueryRequest)


@dataclass(frozen=True, slots=True)
class SearchAsker:
    """An `Asker` over `Search`. `tick` is called while an answer is written, and may end that by an exception."""

    search: Search
    queries: QueryFactory
    request_id: str | None
    tick: Callable[[], None]

    def ask(self, question: Question, terms: Terms) -> Mapping[str, Any]:
        if terms.mode == "retrieval_only":
            found = self.search.query(self._request(QueryRequest, question, terms))
            return query_response(found) | explained_response(found)
        request = self._request(ChatRequest, question, terms)
        if terms.mode == "generation_only":
            passages = [given_passage(at, *one) for at, one in enumerate(question.passages, start=1)]
            result, answer = self.search.answer_given(request, passages)
            return query_response(result) | {"done": answer_response(answer, result.trace_id)}
        result, pieces = self.search.chat(request, Cancellation())
        done: dict[str, Any] = {}
        with closing(pieces):
            for piece in pieces:
                self.tick()
                if isinstance(piece, Answer):
                    done = answer_response(piece, result.trace_id)
        return query_response(result) | explained_response(result) | {"done": done}

    def strategy_config_id(self, trace_id: str, terms: Terms) -> str:  # noqa: ARG002
        mode = next((mode for mode in MODES if mode == terms.strategy), None)
        settings = self.queries.settings(None if mode else terms.strategy)
        return settings.strategy_config_id(mode or settings.retrieval.strategy, terms.rerank)

    def _request(self, kind: type[Asked], question: Question, terms: Terms) -> Asked:
        return kind(
            question.text,
            collection=question.collection or terms.collection,
            top_k=terms.top_k,
            strategy=terms.strategy,
            rerank=terms.rerank,
            filters=parse_filters(question.filters),
            history=parse_history(question.history),
            evaluation=terms.evaluation,
            request_id=self.request_id,
            changes=terms.changes or {},
        )
