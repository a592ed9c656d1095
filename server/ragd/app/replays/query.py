"""The question of a trace once more, with the rights of whoever asks now, and what differs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ragd.access.context import LiveAccess
from ragd.app.replays import comparison
from ragd.app.search import Search
from ragd.core.errors import ValidationFailed
from ragd.core.ids import canonical, hash32
from ragd.core.query import MODES, Filters, Preferences, QueryRequest
from ragd.core.tracing import NO_PROVIDER
from ragd.store.collections import Collections
from ragd.store.document_reader import DocumentReader
from ragd.store.passages import Passages

# What a request says takes the place of these settings; a replay that changes one means the setting.
_SAID_BY_REQUEST: Final = {
    "top_k": "retrieval.top_k",
    "max_context_tokens": "retrieval.max_context_tokens",
    "strategy": "retrieval.strategy",
}


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """What is to be otherwise than it was, and who asks. `text` is the question, where the trace does not hold it."""

    text: str | None = None
    strategy: str | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    request_id: str | None = None
    source_tokens: Mapping[str, str] = field(default_factory=dict, repr=False)
    readable: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class QueryReplay:
    """Asks the question of a trace again. The replay leaves a trace of its own, which names the first as `links.replay_of`."""

    search: Search
    collections: Collections
    documents: DocumentReader
    passages: Passages
    access: LiveAccess

    def run(self, before: comparison.Envelope, asked: ReplayRequest) -> dict[str, Any]:
        """What differs, in the shape of `api.schemas.replays.Replay`.

        Raises `ValidationFailed` where neither the trace nor `asked` has the question, and what `Search.query` raises.
        """
        plan = comparison.payload(before, "query.normalized")
        if not plan:
            raise ValidationFailed("This question failed before it was understood: there is nothing to repeat.")
        recorded = plan.get("request", {})
        collections, notes = self._collections(recorded)
        request = replace(self._request(before["trace_id"], plan, recorded, asked), collection=collections)
        with self.search.open(request) as (result, trace), trace.span("stage.generate", NO_PROVIDER):
            pass
        after = trace.finish()
        now = comparison.payload(after, "query.normalized")
        lists = comparison.compared_lists(before, after)
        answer = {
            "trace_id": before["trace_id"],
            "trace_type": "query",
            "replay": trace.trace_id,
            "recorded_at": before["started_at"],
            "query": result.plan.text,
            "same": bool(lists) and not any(row["entered"] or row["left"] or row["moved"] for row in lists),
            "notes": [*comparison.query_notes(before, after), *notes],
            "warnings": list(result.warnings),
            "settings": comparison.changed_values(plan["settings"], now["settings"]) if "settings" in plan else [],
            "request": comparison.changed_values(self._said(recorded), self._said(now["request"])) if recorded else [],
            "plan": comparison.changed_plan(before, after),
            "providers": comparison.changed_providers(before, after),
            "lists": lists,
            "confidence": {
                "before": comparison.payload(before, "response.envelope").get("confidence"),
                "after": result.confidence,
            },
            "times": comparison.times(before, after),
        }
        return answer | self._documents(before, after, asked)

    def _collections(self, recorded: Mapping[str, Any]) -> tuple[tuple[str, ...] | None, list[str]]:
        """The collections that the question named, as far as they are there; None where it named none: then all are asked."""
        if not recorded.get("named"):
            return None, []
        enabled = {collection.kb_id: collection.name for collection in self.collections.enabled()}
        found = tuple(enabled[kb_id] for kb_id in recorded["kb_ids"] if kb_id in enabled)
        if not found:
            raise ValidationFailed("Every collection that this question was asked of is disabled or deleted by now.")
        missing = len(recorded["kb_ids"]) - len(found)
        return found, [f"{missing} of the collections that were asked are disabled or deleted by now."] if missing else []

    def _said(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """What a request said, and the collections that were searched for it: by name, or by id where they are no more."""
        names = {collection.kb_id: collection.name for collection in self.collections.enabled()}
        said = {name: value for name, value in request.items() if name not in ("kb_ids", "named")}
        return said | {"collections": sorted(names.get(kb_id, kb_id) for kb_id in request["kb_ids"])}

    def _request(self, trace_id: str, plan: Mapping[str, Any], recorded: Mapping[str, Any], asked: ReplayRequest) -> QueryRequest:
        said = {name: recorded[name] for name in _SAID_BY_REQUEST if name in recorded}
        if asked.strategy is not None:
            said["strategy"] = asked.strategy
        for name, setting in _SAID_BY_REQUEST.items():
            # A strategy's file is laid under the changes; a mode stands for the setting itself.
            if setting in asked.changes and (name != "strategy" or said.get(name) in MODES):
                said.pop(name, None)
        reranks = recorded.get("rerank", True) or any(name.startswith("rerank.") for name in asked.changes)
        request = QueryRequest(
            text=_text(plan, asked.text),
            **said,
            rerank=reranks,
            pictures=tuple(recorded.get("pictures", ())),
            request_id=asked.request_id,
            source_tokens=asked.source_tokens,
            readable=asked.readable,
            changes=asked.changes,
            replay_of=trace_id,
        )
        if "text" not in plan:
            return request
        # The plan's are those of the request with those that were typed; its text is without these, and self-contained.
        filters = Filters.of_dict(plan.get("filters", {}))
        return replace(request, filters=filters, prefer=Preferences.of_dict(plan.get("prefer", {})))

    def _documents(self, before: comparison.Envelope, after: comparison.Envelope, asked: ReplayRequest) -> dict[str, Any]:
        """The candidates with their documents, as far as whoever asks may see them, and what became of these documents."""
        flow = comparison.flow(before, after)
        passages = self.passages.passages([entry["chunk_id"] for entry in flow])
        listed = comparison.payload(before, "context.final").get("documents", [])
        used = {one["doc_id"]: one["version_id"] for one in listed}
        doc_ids = {passage.doc_id for passage in passages.values()} | used.keys()
        readable = self.access.context(asked.source_tokens, asked.readable).readable(doc_ids)
        known = self.documents.states(readable)
        states = comparison.states(readable, known, before["started_at"], used)
        candidates = []
        for entry in flow:
            passage = passages.get(entry["chunk_id"])
            shown = comparison.described(passage) if passage and passage.doc_id in readable else None
            candidates.append(entry | {"live": passage is not None, "document": shown})
        became = [
            {"doc_id": doc_id, "source": known[doc_id]["source"] if doc_id in known else "", "state": state}
            for doc_id, state in states.items()
        ]
        kb_ids = comparison.payload(after, "query.normalized")["request"]["kb_ids"]
        return {
            "candidates": candidates,
            "documents": sorted(became, key=lambda one: (one["state"] == "same", one["source"], one["doc_id"])),
            "since": self.documents.counted_since(kb_ids, before["started_at"]),
        }


def _text(plan: Mapping[str, Any], given: str | None) -> str:
    """The question as it was searched. Raises `ValidationFailed` where it is not there, or another one is given."""
    if given is not None and hash32(canonical(given)) != plan["query_hash"]:
        raise ValidationFailed.of_field("query", "other_question", "This is not the question of the trace: its hash differs.")
    text = plan.get("text", given)
    if text is None:
        raise ValidationFailed.of_field(
            "query",
            "not_recorded",
            "The trace was recorded at observability.detail_level minimal, which keeps no question. Give the question as it was "
            "asked: `query` in the request, --query TEXT on the command line.",
        )
    return str(text)
