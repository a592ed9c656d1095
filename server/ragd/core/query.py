"""A query: what is asked, with its filters and preferences, and the plan that says how it was understood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, Self, get_args

Mode = Literal["hybrid", "dense_only", "sparse_only"]
Intent = Literal["search", "summarise", "compare", "filter"]
Role = Literal["user", "assistant"]
IdentifierKind = Literal["issue_key", "error_code", "option", "path", "version", "name", "quoted"]
Rewriting = Literal["none", "rules", "model"]

MODES: Final[tuple[Mode, ...]] = get_args(Mode)


@dataclass(frozen=True, slots=True)
class Among:
    """Documents that are chosen one by one or in groups: one passes that is in any of these. `collection` holds names."""

    collection: tuple[str, ...] = ()
    source_id: tuple[str, ...] = ()
    doc_id: tuple[str, ...] = ()
    path_prefix: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, list[str]]:
        """What is set, as JSON-ready values."""
        values = {part.name: list(getattr(self, part.name)) for part in fields(self)}
        return {name: value for name, value in values.items() if value}


@dataclass(frozen=True, slots=True)
class Filters:
    """Hard filters of a query; a field that is None or empty does not filter. Times are ISO 8601 in UTC.

    `doc_type` holds types, and patterns such as `*.py` for code by its file's name. `section` is a run of headings of a section's
    path, `section_prefix` its beginning; one heading an item. `has_image` and `image_type` ask what pictures a passage shows, the
    latter by what their descriptions in the views take them for.
    What passes must pass each of `also`, too, and be `among` what is chosen there.
    `without` are sources, by id, whose documents do not pass: no request sets it.
    """

    doc_type: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    doc_id: tuple[str, ...] = ()
    version_id: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    path_prefix: str | None = None
    section: tuple[str, ...] = ()
    section_prefix: tuple[str, ...] = ()
    updated_after: str | None = None
    updated_before: str | None = None
    has_image: bool | None = None
    image_type: tuple[str, ...] = ()
    among: Among | None = None
    also: tuple[Filters, ...] = ()
    without: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self != Filters()

    @property
    def by_name(self) -> bool:
        """Whether it would disclose what documents are called, or contain, to know that one passes."""
        chosen = self.among is not None and self.among.path_prefix
        named = chosen or self.source or self.path_prefix or self.section or self.section_prefix or self.tags or self.image_type
        return bool(named) or any(one.by_name for one in self.also)

    @classmethod
    def of_dict(cls, shown: Mapping[str, Any]) -> Self:
        """As `QueryPlan.as_dict` shows them."""
        values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in shown.items()}
        if among := shown.get("among"):
            values["among"] = Among(**{name: tuple(value) for name, value in among.items()})
        return cls(**values | {"also": tuple(map(cls.of_dict, shown.get("also", ())))})


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

    @classmethod
    def of_dict(cls, shown: Mapping[str, Any]) -> Self:
        """As `QueryPlan.as_dict` shows them."""
        values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in shown.items()}
        return cls(**values)


@dataclass(frozen=True, slots=True)
class QueryRequest:
    """A question as a client asks it: built where it comes in, passed whole. The settings decide what is None.

    `collection` is one name or several; without it every enabled one is searched. `strategy` is a mode or the name of a file in
    `config/strategies/`.
    `rerank=False` leaves the reranking stage out. `evaluation` is the id of the evaluation run that asks, for the trace.
    `source_tokens` are the user's tokens for cloud sources, by source id. `readable` are ids of the collections that the caller
    may read, None for all: what is asked of no collection by name is asked of these.
    `changes` are settings, by dotted name, that hold for this question alone; `replay_of` is the trace that it repeats.
    `pictures` are ids of kept pictures that look like the one that was asked with, the nearest first.
    """

    text: str
    collection: str | tuple[str, ...] | None = None
    top_k: int | None = None
    strategy: str | None = None
    rerank: bool = True
    filters: Filters = field(default_factory=Filters)
    prefer: Preferences = field(default_factory=Preferences)
    history: tuple[Turn, ...] = ()
    max_context_tokens: int | None = None
    evaluation: str | None = None
    request_id: str | None = None
    source_tokens: Mapping[str, str] = field(default_factory=dict, repr=False)
    readable: frozenset[str] | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    replay_of: str | None = None
    pictures: tuple[str, ...] = ()

    @property
    def mode(self) -> Mode | None:
        """The mode that the request asks for; None when it names a strategy file, or neither."""
        return next((mode for mode in MODES if mode == self.strategy), None)

    @property
    def overlay(self) -> str | None:
        """The name of the strategy file, if the request names one."""
        return None if self.mode else self.strategy

    def as_traced(self, kb_ids: Sequence[str]) -> dict[str, Any]:
        """What was asked beside the question, for a replay: `kb_ids` were searched, which the request named or did not."""
        said = {name: getattr(self, name) for name in ("top_k", "strategy", "max_context_tokens")}
        traced = {name: value for name, value in said.items() if value is not None}
        traced |= {"pictures": list(self.pictures)} if self.pictures else {}
        return {"kb_ids": list(kb_ids), "named": self.collection is not None, "rerank": self.rerank, **traced}


@dataclass(frozen=True, slots=True)
class ChatRequest(QueryRequest):
    """A question to be answered in words. With `extractive` no language model takes part, also where one is set."""

    extractive: bool = False


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file or a selection that the user attached to a question."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class PromptRequest(QueryRequest):
    """A question for a model of the client: its messages take at most `max_tokens`, or what the settings of `llm` leave."""

    max_tokens: int | None = None
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class Identifier:
    """Something in a question that is meant to the letter, as it was written: `PROJ-123`, `--no-cache`, `"exact words"`."""

    kind: IdentifierKind
    text: str


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """How a question was understood, and what each stage of the pipeline gets. A value that can be printed.

    `asked` is the question as it came, in canonical form; `text` is the self-contained question, which a language model reads;
    `rewriting` says what made the one into the other. `topic` goes to the embedding model and the reranker: the one word that
    the text is about, where it is about one word; else the text. `terms` are of the text without its phrasing and go to the
    sparse index: a term that stands several times weighs so many times as much. `content` are those terms, each once, by which it
    is judged whether passages answer the question: without grammar and words of asking. `phrases` are runs of terms that should
    stand together. `variants` are further wordings that are searched, too. `language` is of the text (`en`, `ja`, `zh` ...), None
    when it can't be said. `degraded` names what was tried and failed, with `warnings` for people.
    """

    asked: str
    text: str
    topic: str
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
    content: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    variants: tuple[str, ...] = ()
    rewriting: Rewriting = "none"
    degraded: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def as_dict(self, *, texts: bool = True) -> dict[str, Any]:
        """JSON-ready values, without what is empty. Without `texts`, no words of the question, only how many there are."""
        listed = {
            name: list(getattr(self, name)) for name in ("keywords", "synonyms", "terms", "content", "variants", "warnings")
        }
        listed["phrases"] = [" ".join(phrase) for phrase in self.phrases]
        shown: dict[str, Any] = {name: getattr(self, name) for name in ("query_hash", "mode", "intent", "language", "rewriting")}
        shown["degraded"] = list(self.degraded)
        if texts:
            shown |= {"asked": self.asked, "text": self.text, "topic": self.topic, **listed}
            shown |= {"filters": _filled(self.filters), "prefer": _filled(self.prefer)}
            shown["identifiers"] = [{"kind": identifier.kind, "text": identifier.text} for identifier in self.identifiers]
        else:
            shown |= {name: len(values) for name, values in listed.items()}
            shown |= {"filters": sorted(_filled(self.filters)), "prefer": sorted(_filled(self.prefer))}
            shown["identifiers"] = [identifier.kind for identifier in self.identifiers]
        return {name: value for name, value in shown.items() if value not in (None, [], {}, 0)}


def _filled(value: Filters | Preferences) -> dict[str, Any]:
    """Fields that are set, as JSON-ready values."""
    found: dict[str, Any] = {}
    for part in fields(value):
        item = getattr(value, part.name)
        if part.name == "also":
            item = [_filled(one) for one in item]
        if isinstance(item, Among):
            item = item.as_dict()
        if item or (item is False and isinstance(value, Filters)):
            found[part.name] = list(item) if isinstance(item, tuple) else item
    return found
