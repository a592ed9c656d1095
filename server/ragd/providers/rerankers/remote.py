"""Reranking by a service with the common `/rerank` contract.

Asked: `{model, query, documents, return_documents}`, as Cohere, Jina and vLLM take it; a service that refuses that shape is asked
as text-embeddings-inference wants it, with `texts`. Answered: `{"results": [{"index", "relevance_score"}]}`, or a bare list of
`{"index", "score"}`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

from ragd.config.answering import RerankSettings
from ragd.config.secrets import resolve
from ragd.core.errors import RemoteUnavailable
from ragd.core.http import Patience, RemoteService, ShapeRefused
from ragd.core.results import Passage

# Less time than this is not worth a request.
_LEAST_S = 0.02
_BEYOND_SENSE = 1e9


class RemoteReranker:
    """A cross-encoder behind an address. One request for all passages, and no second attempt: the time is the question's."""

    name = "remote"
    judges = True

    def __init__(self, options: RerankSettings, **_others: object) -> None:
        """Raises `SettingsError` for an address or a key that can't be used. Nothing is asked yet."""
        self._service = RemoteService(options.url, resolve(options.api_key, "rerank.api_key"), setting="rerank")
        self._model = options.model
        self._names_texts = False
        self.profile = f"remote-1/{options.model}"

    def score(self, question: str, passages: Sequence[Passage], deadline: float) -> list[float]:
        """Relevance 0..1 of the passages, in order; none when the `deadline` is too near to ask.

        Scores that are not all within 0..1 are logits, and get a sigmoid. Raises `RemoteUnavailable` or `RemoteRefused`.
        """
        if not passages or deadline - time.monotonic() < _LEAST_S:
            return []
        texts = [passage.content for passage in passages]
        try:
            answer = self._ask(question, texts, deadline)
        except ShapeRefused:
            self._names_texts = not self._names_texts
            try:
                answer = self._ask(question, texts, deadline)
            except RemoteUnavailable:
                self._names_texts = not self._names_texts
                raise
        scores = self._in_order(answer, len(passages))
        return scores if all(0 <= score <= 1 for score in scores) else [_sigmoid(score) for score in scores]

    def close(self) -> None:
        self._service.close()

    def _ask(self, question: str, texts: Sequence[str], deadline: float) -> Any:
        if self._names_texts:
            body = {"query": question, "texts": texts, "truncate": True, "return_text": False}
        else:
            body = {"model": self._model, "query": question, "documents": texts, "return_documents": False}
        return self._service.post("", body, Patience(deadline - time.monotonic(), attempts=1))

    def _in_order(self, answer: Any, expected: int) -> list[float]:
        results = answer.get("results") if isinstance(answer, dict) else answer
        if not isinstance(results, list) or not all(isinstance(item, dict) for item in results):
            raise self._service.nonsense("it has no list 'results'")
        found: dict[int, float] = {}
        for item in results:
            place, score = item.get("index"), item.get("relevance_score", item.get("score"))
            if type(place) is not int or not 0 <= place < expected or place in found:
                raise self._service.nonsense("it names a document that was not sent, or one twice")
            if type(score) not in {int, float} or not abs(score) < _BEYOND_SENSE:
                raise self._service.nonsense("a score is no number")
            found[place] = float(score)
        if len(found) < expected:
            raise self._service.nonsense(f"it scores {len(found)} of {expected} documents")
        return [found[place] for place in range(expected)]


def _sigmoid(score: float) -> float:
    return 0.5 * (1.0 + math.tanh(score / 2.0))
