"""The shapes of a question: what was asked, how it was understood, and the answer made of passages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from ragd.core.types import Citation, Filters, Mode

Intent = Literal["search", "summarise", "compare", "filter"]
Role = Literal["user", "assistant"]
IdentifierKind = Literal["issue_key", "error_code", "option", "path", "version", "name", "quoted"]
Rewriting = Literal["none", "rules", "model"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the conversation before the question."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Preferences:
    """Soft wishes: they move passages up, and never drop one. `source` holds preferred sources, or beginnings of them."""

    recent: bool = False
    source: tuple[str, ...] = ()
    has_image: bool = False

    def __bool__(self) -> bool:
        return self != Preferences()


@dataclass(frozen=True, slots=True)
class Identifier:
    """Something in a question that is meant to the letter, as it was written: `PROJ-123`, `--no-cache`, `"exact words"`."""

    kind: IdentifierKind
    text: str


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """How a question was understood, and what each part of the line will be asked. A value that can be printed.

    `asked` is the question as it came, in canonical form; `text` is the self-contained question, which goes to the embedding
    model and the reranker; `rewriting` says what made the one into the other. `terms` go to the sparse index: a term that
    stands several times weighs so many times as much. `phrases` are runs of terms that should stand together. `variants` are
    further wordings that are searched, too. `language` is of the text (`en`, `ja`, `zh`, `ko` ...), None when it can't be said.
    `degraded` names what was tried and failed, with `warnings` for people.
    """

    asked: str
    text: str
    query_hash: str
    mode: Mode
    filters: Filters
    prefer: Preferences = Preferences()
    intent: Intent = "search"
    language: str | None = None
    identifiers: tuple[Identifier, ...] = ()
    keywords: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    variants: tuple[str, ...] = ()
    rewriting: Rewriting = "none"
    degraded: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def plan_as_dict(plan: QueryPlan, *, texts: bool = True) -> dict[str, Any]:
    """A plan as JSON-ready values, without what is empty. Without `texts`, no words of the question, only how many there are."""
    listed = {name: list(getattr(plan, name)) for name in ("keywords", "synonyms", "terms", "variants", "warnings")}
    listed["phrases"] = [" ".join(phrase) for phrase in plan.phrases]
    shown: dict[str, Any] = {"query_hash": plan.query_hash, "mode": plan.mode, "intent": plan.intent, "language": plan.language}
    shown |= {"rewriting": plan.rewriting, "degraded": list(plan.degraded)}
    if texts:
        shown |= {"asked": plan.asked, "text": plan.text, **listed}
        shown |= {"filters": _filled(plan.filters), "prefer": _filled(plan.prefer)}
        shown["identifiers"] = [{"kind": identifier.kind, "text": identifier.text} for identifier in plan.identifiers]
    else:
        shown |= {name: len(values) for name, values in listed.items()}
        shown |= {"filters": sorted(_filled(plan.filters)), "prefer": sorted(_filled(plan.prefer))}
        shown["identifiers"] = [identifier.kind for identifier in plan.identifiers]
    return {name: value for name, value in shown.items() if value not in (None, [], {}, 0)}


def _filled(value: Filters | Preferences) -> dict[str, Any]:
    """Fields that are set, as JSON-ready values."""
    found: dict[str, Any] = {}
    for part in fields(value):
        item = getattr(value, part.name)
        if part.name == "also":
            item = [_filled(one) for one in item]
        if item:
            found[part.name] = list(item) if isinstance(item, tuple) else item
    return found


@dataclass(frozen=True, slots=True)
class Support:
    """How well one sentence of an answer is borne out by the passages it was made from. `score` is 0..1.

    `start` and `end` are its characters in the answer; `citations` the numbers of the passages that bear it out best first.
    """

    start: int
    end: int
    score: float
    supported: bool
    citations: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer in words. `provider` is what wrote it (`extractive` for passages alone), `found` is false for "not found".

    `citations` are those that the text refers to, in order; `removed_citations` counts references to passages that were never
    given, which were taken out of the text. `usage` holds token counts, where they are known.
    """

    text: str
    provider: str
    model: str
    found: bool
    citations: tuple[Citation, ...] = ()
    support: tuple[Support, ...] = ()
    removed_citations: int = 0
    finish: Literal["complete", "length", "cut_off", "cancelled"] = "complete"
    usage: Mapping[str, Any] = field(default_factory=dict)
    degraded: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
