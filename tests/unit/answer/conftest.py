"""Passages, and what a search made of them, without an index."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ragd.core.documents import Place
from ragd.core.ids import hash32
from ragd.core.query import Filters, QueryPlan
from ragd.core.results import Citation, Context, Hit, Passage
from ragd.retrieve.pipeline import QueryResult

LEASES = "A worker takes a job under a lease. The lease lasts 90 seconds unless the queue says otherwise. Workers renew it."
TOKENS = "Tokens of people live for 12 hours. Tokens of services live for 90 days. A leaked token is revoked at once."


@pytest.fixture
def leases() -> Citation:
    """Number 1: what a lease is."""
    return cite(1, LEASES)


@pytest.fixture
def tokens() -> Citation:
    """Number 2: how long tokens live."""
    return cite(2, TOKENS)


def cite(number: int, content: str) -> Citation:
    title, source = f"Document {number}", f"doc{number}.md"
    place = Place(line_range=(1, 3))
    passage = Passage(f"c{number}", "d", "v", "k", content, source, f"file:///{source}", "markdown", title, (), place, 0, 20)
    return Citation(number, passage)


@pytest.fixture
def found() -> Callable[..., QueryResult]:
    """A result of a search for a question: passages numbered from 1."""

    def make(question: str, *contents: str, confidence: float = 0.8, language: str | None = None) -> QueryResult:
        citations = tuple(cite(number, content) for number, content in enumerate(contents, start=1))
        plan = QueryPlan(question, question, question, hash32(question), "hybrid", Filters(), language=language)
        hits = tuple(Hit(citation.passage, confidence, {}) for citation in citations)
        context = Context("", 0, citations)
        shown = confidence if hits else 0.0
        return QueryResult(
            trace_id="0" * 32,
            plan=plan,
            confidence=shown,
            found=bool(hits) and confidence >= 0.2,
            hits=hits,
            context=context,
            timings_ms={},
            latency_ms=1.0,
            mode="hybrid",
            reranked=False,
            judge=None,
            rerank_scored=0,
            explanation=(),
            degraded=(),
            warnings=(),
            live={},
        )

    return make
