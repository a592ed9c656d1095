"""The plan of a query: what was asked, and what each index will be asked. A value that can be printed."""

from __future__ import annotations

from dataclasses import dataclass

from rag_assistant.errors import FieldProblem, ValidationFailed
from rag_assistant.providers.base import Analyzer
from rag_assistant.text import canonical, hash32
from rag_assistant.types import Filters, Mode


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """`text` goes to the embedding model and the reranker, `terms` to the sparse index."""

    text: str
    query_hash: str
    terms: tuple[str, ...]
    mode: Mode
    filters: Filters
    warnings: tuple[str, ...] = ()


def plan_query(text: str, *, mode: Mode, filters: Filters, analyzer: Analyzer, max_chars: int) -> QueryPlan:
    """Normalise a query and derive what each index is asked. Raises `ValidationFailed` for one without any text."""
    warnings: tuple[str, ...] = ()
    if len(text) > max_chars:
        warnings = (f"The query has {len(text):,} characters; only the first {max_chars:,} were used.",)
        text = text[:max_chars]
    normal = canonical(text)
    if not normal:
        problem = FieldProblem("query", "empty", "Must hold some text.")
        raise ValidationFailed("The query is empty. Ask something.", details=[problem])
    terms = tuple(analyzer.tokens(normal))
    return QueryPlan(normal, hash32(normal), terms, mode, filters, warnings)
