"""A question's trace for people: how each passage moved from list to list, where it ended, where a document was."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from ragd.access.context import AccessContext
from ragd.app.replays import comparison
from ragd.core.errors import DocumentNotFound, ValidationFailed
from ragd.core.query import Filters
from ragd.core.tracing import LISTED
from ragd.store.document_reader import DocumentReader
from ragd.store.passages import Passages
from ragd.store.traces import Traces

End = Literal["context", "no_room", "not_served", "beyond_top_k", "beyond_list"]
"""Where a passage ended: in the answer's context; without room in it; in front, but gone, not admitted or below `min_score`;
behind the first `top_k`; behind what the trace keeps of the next list."""

_ORDERS: Final = ("rerank", "fusion")
_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class Explanations:
    """Reads what the trace contract says, whichever providers did the stages."""

    traces: Traces
    documents: DocumentReader
    passages: Passages

    def flow(self, trace_id: str, access: AccessContext) -> dict[str, Any]:
        """The lists and their candidates, in the shape of `api.schemas.traces.Flow`.

        Raises `TraceNotFound`, and `ValidationFailed` for a trace of an ingestion.
        """
        trace = self._of_query(trace_id)
        lists = comparison.rankings(trace)
        ends = _ends(trace, lists)
        entries = comparison.flow(trace, trace)
        passages = self.passages.passages([entry["chunk_id"] for entry in entries])
        readable = access.readable({passage.doc_id for passage in passages.values()})
        candidates = []
        for entry in entries:
            passage = passages.get(entry["chunk_id"])
            shown = passage if passage and passage.doc_id in readable else None
            candidates.append(
                {
                    "chunk_id": entry["chunk_id"],
                    "positions": entry["after"],
                    "end": ends[entry["chunk_id"]],
                    "live": passage is not None,
                    "document": comparison.described(shown) if shown else None,
                    "excerpt": shown.content[:400] if shown else None,
                }
            )
        found = {one["source"]: one["found"] for one in comparison.payloads(trace, "retrieval.candidates") if "found" in one}
        rows = [
            {"name": name, "listed": len(lists[name]), "found": found.get(name), "is_cut": _is_cut(trace, lists[name])}
            for name in comparison.LISTS
            if name in lists
        ]
        plan = comparison.payload(trace, "query.normalized")
        return {"trace_id": trace_id, "query": plan.get("query"), "lists": rows, "candidates": candidates}

    def documents_read(self, rows: Sequence[Mapping[str, Any]], access: AccessContext) -> dict[str, dict[str, Any] | None]:
        """What each ingestion among these rows read, by the trace's id; None for a document not to be seen, or gone."""
        read = self.traces.documents(row["trace_id"] for row in rows if row["trace_type"] == "ingestion")
        known = {doc_id: row for doc_id, row in self.documents.states({*read.values()}).items() if row["status"] != "deleted"}
        readable = access.readable(known)
        shown = {doc_id: {"doc_id": doc_id, "source": row["source"]} for doc_id, row in known.items() if doc_id in readable}
        return {trace_id: shown.get(doc_id) for trace_id, doc_id in read.items()}

    def candidates(self, trace_id: str, access: AccessContext) -> dict[str, Any]:
        """The question and the whole text of each passage that its lists held, those of the answer first: what is there still and
        whoever asks may see. In the shape of `api.schemas.labels.TracePassages`. Raises as `flow` does.
        """
        flow = self.flow(trace_id, access)
        shown = {one["chunk_id"]: one["end"] for one in flow["candidates"] if one["document"]}
        passages = self.passages.passages(list(shown))
        rows = [
            comparison.described(passages[chunk_id])
            | {"chunk_id": chunk_id, "collection": passages[chunk_id].collection, "text": passages[chunk_id].content, "end": end}
            for chunk_id, end in shown.items()
            if chunk_id in passages
        ]
        return {"trace_id": trace_id, "query": flow["query"], "passages": rows}

    def whereabouts(self, trace_id: str, named: str, access: AccessContext) -> dict[str, Any]:
        """Why a document is in the answer or not, in the shape of `api.schemas.traces.Whereabouts`.

        `named` is an id, or a part of a path or a title. Raises `TraceNotFound`, `DocumentNotFound`, and `ValidationFailed` for a
        trace of an ingestion.
        """
        trace = self._of_query(trace_id)
        found = self.documents.named(named)
        readable = access.readable(row["doc_id"] for row in found)
        found = [row for row in found if row["doc_id"] in readable]
        if not found:
            raise DocumentNotFound(
                f"No document's path or title holds '{named}'. It was never read, or it is called otherwise: see the documents."
            )
        flow = self.flow(trace_id, access)
        return {"total": len(found), "documents": [self._whereabouts(trace, row, flow["candidates"]) for row in found[:_SHOWN]]}

    def _of_query(self, trace_id: str) -> comparison.Envelope:
        trace = self.traces.get(trace_id)
        if trace["trace_type"] != "query":
            raise ValidationFailed("This trace is of an ingestion: passages move through lists in those of questions alone.")
        return trace

    def _whereabouts(
        self, trace: comparison.Envelope, row: Mapping[str, Any], candidates: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        own = [one for one in candidates if one["document"] and one["document"]["doc_id"] == row["doc_id"]]
        shown = {name: row[name] for name in ("doc_id", "source", "title", "collection")}
        return shown | {
            "in_answer": any(one["end"] == "context" for one in own),
            "chunk_ids": [one["chunk_id"] for one in own],
            "reasons": [_reason(*reason) for reason in [*self._outside(trace, row), *_within(trace, row, own)]],
        }

    def _outside(self, trace: comparison.Envelope, row: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """What keeps a document out whatever it says: its state, its collection, the filters."""
        reasons: list[tuple[str, dict[str, Any]]] = []
        if row["status"] != "ready":
            reasons.append((row["status"], {"message": row["error_message"] or ""}))
        elif row["created_at"] > trace["started_at"]:
            reasons.append(("added_since", {"at": row["created_at"]}))
        elif row["updated_at"] > trace["started_at"]:
            reasons.append(("changed_since", {"at": row["updated_at"]}))
        if row["collection_status"] != "enabled":
            reasons.append(("collection_disabled", {"collection": row["collection"]}))
        plan = comparison.payload(trace, "query.normalized")
        if row["kb_id"] not in plan.get("request", {}).get("kb_ids", [row["kb_id"]]):
            reasons.append(("collection_not_asked", {"collection": row["collection"]}))
        for name, value in _each_filter(plan.get("filters", {})):
            if not self.passages.passes(row["doc_id"], row["kb_id"], Filters.of_dict({name: value})):
                reasons.append(("filtered", {"filter": name, "value": value}))
        return reasons


def _each_filter(filters: Mapping[str, Any]) -> list[tuple[str, Any]]:
    own = [(name, value) for name, value in filters.items() if name not in ("also", "without") and value not in (None, [])]
    return [*own, *(pair for one in filters.get("also", ()) for pair in _each_filter(one))]


def _within(
    trace: comparison.Envelope, row: Mapping[str, Any], own: Sequence[Mapping[str, Any]]
) -> list[tuple[str, dict[str, Any]]]:
    """How far the document's passages came, the furthest first; nothing where the trace says nothing of it."""
    lists = comparison.rankings(trace)
    if row["status"] != "ready" or not lists:
        return []
    if not own:
        cut = [name for name in ("dense", "sparse") if _is_cut(trace, lists.get(name, ()))]
        return [("not_among_candidates", {"listed": LISTED, "cut": cut})]
    reasons = []
    for one in own[:_SHOWN]:
        last = next(name for name in reversed(comparison.LISTS) if name in one["positions"])
        values = {"chunk_id": one["chunk_id"], "place": one["document"]["place"], "list": last}
        reasons.append((one["end"], values | {"rank": one["positions"][last]["rank"]}))
    return reasons


def _reason(code: str, values: Mapping[str, Any]) -> dict[str, Any]:
    return {"code": code, "values": dict(values)}


def _ends(trace: comparison.Envelope, lists: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, End]:
    """chunk id -> where it ended."""
    response = comparison.payload(trace, "response.envelope")
    hits = {one["chunk_id"] for one in response.get("explanation", ())}
    context = {one["chunk_id"] for one in lists.get("context", ())}
    order = next((lists[name] for name in _ORDERS if lists.get(name)), ())
    ranks = {one["chunk_id"]: one["rank"] for one in order}
    last = max((ranks[chunk_id] for chunk_id in hits if chunk_id in ranks), default=0)

    def end(chunk_id: str) -> End:
        if chunk_id in context:
            return "context"
        if chunk_id in hits:
            return "no_room"
        if chunk_id not in ranks:
            # Reranking rescored the head of the fused list; what is behind it keeps its place there.
            is_fused = any(one["chunk_id"] == chunk_id for one in lists.get("fusion", ()))
            return "beyond_top_k" if is_fused else "beyond_list"
        return "not_served" if ranks[chunk_id] < last or not hits else "beyond_top_k"

    return {one["chunk_id"]: end(one["chunk_id"]) for candidates in lists.values() for one in candidates}


def _is_cut(trace: comparison.Envelope, candidates: Collection[Any]) -> bool:
    whole = comparison.payload(trace, "query.normalized").get("detail_level") == "verbose"
    return not whole and len(candidates) >= LISTED
