"""Queries: what was asked is checked against collections, limits and rights, and goes through the pipeline of its strategy."""

from __future__ import annotations

from dataclasses import dataclass

from ragd.access.context import LiveAccess
from ragd.app.query_factory import QueryFactory
from ragd.config.settings import Settings
from ragd.core.errors import FieldProblem, ValidationFailed
from ragd.core.query import QueryRequest
from ragd.retrieve.pipeline import QueryResult, ResolvedQuery
from ragd.store.collections import Collections
from ragd.store.passages import Passages


@dataclass(frozen=True, slots=True)
class Search:
    """Finds the passages that answer a question."""

    settings: Settings
    collections: Collections
    passages: Passages
    access: LiveAccess
    queries: QueryFactory

    def query(self, request: QueryRequest) -> QueryResult:
        """Find passages. Raises `ValidationFailed`, `CollectionNotFound`, `CollectionUnavailable`."""
        query = self.resolve(request)
        return self.queries.pipeline(request.overlay).run(query)

    def resolve(self, request: QueryRequest) -> ResolvedQuery:
        """The request with what the settings and the collections say where it says nothing. Raises as `query` does."""
        targets = [self.collections.available(request.collection)] if request.collection else self.collections.enabled()
        limit = self.settings.limits.max_top_k
        top_k = self.settings.retrieval.top_k if request.top_k is None else request.top_k
        if not 1 <= top_k <= limit:
            raise ValidationFailed(
                f"top_k must be between 1 and {limit}.", details=[FieldProblem("top_k", "out_of_range", f"1 to {limit}.")]
            )
        options = self.queries.settings(request.overlay).retrieval
        self.passages.require_live_versions(request.filters.version_id)
        return ResolvedQuery(
            request=request,
            kb_ids=tuple(target.kb_id for target in targets),
            mode=request.mode or options.strategy,
            top_k=top_k,
            max_context_tokens=request.max_context_tokens or options.max_context_tokens,
            # An evaluation has no rights of its own: others read what it keeps.
            admission=self.access.context({} if request.evaluation else request.source_tokens),
        )
