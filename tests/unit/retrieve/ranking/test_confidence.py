from __future__ import annotations

import pytest

from ragd.core.documents import Place
from ragd.core.query import Filters, Identifier, QueryPlan
from ragd.core.results import Hit, Passage
from ragd.providers.analyzers.terms import BigramAnalyzer
from ragd.retrieve.ranking.confidence import confidence_of

ANALYZER = BigramAnalyzer()


def hit(content: str, **scores: float) -> Hit:
    place = Place()
    return Hit(Passage("c", "d", "v", "k", content, "a.md", "file:///a.md", "markdown", "Title", (), place, 0, 1), 1.0, scores)


def plan(text: str, *named: str) -> QueryPlan:
    identifiers = tuple(Identifier("name", name) for name in named)
    return QueryPlan(text, text, "h", "hybrid", Filters(), identifiers=identifiers, terms=tuple(ANALYZER.tokens(text)))


def test_nothing_found_gives_no_confidence() -> None:
    assert confidence_of([], plan("lease"), ANALYZER) == 0.0


def test_the_reranker_is_believed_before_the_cosine() -> None:
    hits = [hit("text", rerank=0.2, dense=0.9), hit("text", rerank=0.7, dense=0.1)]
    assert confidence_of(hits, plan("lease"), ANALYZER, relevance=lambda cosine: cosine) == pytest.approx(0.7)


def test_without_reranking_the_cosine_counts_as_the_model_is_calibrated() -> None:
    assert confidence_of([hit("text", dense=0.5)], plan("lease"), ANALYZER, relevance=lambda cosine: cosine / 2) == 0.25


def test_words_alone_count_by_the_share_that_is_found() -> None:
    assert confidence_of([hit("the lease ends")], plan("lease renewal"), ANALYZER) == pytest.approx(0.5)


def test_a_passage_that_holds_what_is_named_to_the_letter_is_trusted() -> None:
    question = plan("what is MAX_LEASE", "MAX_LEASE")
    assert confidence_of([hit("Set max_lease to 5.", rerank=0.1)], question, ANALYZER) > 0.9
    assert confidence_of([hit("Set max_leases to 5.", rerank=0.1)], question, ANALYZER) == pytest.approx(0.1)
    assert confidence_of([hit("MAX_LEASEの上限", rerank=0.1)], question, ANALYZER) > 0.9
