"""What a fusion with feedback asks for beyond both sides: a further search by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ragd.core.query import QueryPlan
from ragd.core.tracing import Trace
from ragd.providers.protocols import Vectors
from ragd.retrieve.ranking.candidates import UNREADABLE, Losses, Retrieved, Retriever
from ragd.retrieve.ranking.features import moved

_FAILED: Final = "The further search by the best passages failed ({reason}); these are of what the first search found."


def widened(
    retriever: Retriever, found: Retrieved, feedback: Vectors, plan: QueryPlan, kb_ids: Sequence[str], trace: Trace
) -> Retrieved:
    """`found` with one more list, `feedback`: the nearest to the question's vector drawn towards `feedback`.

    The model does not run again. What an index that fails here leaves is an answer, with a warning.
    """
    question, losses = found.data.question, Losses(trace)
    if question is None:
        return found
    vector, depth = moved(question, feedback), retriever.depth["dense"]
    chunks = dict(found.chunks)
    try:
        entries = [
            entry
            for kb_id in kb_ids
            for entry in retriever.dense.search(kb_id, vector, depth, found.allowed[kb_id].dense if found.allowed else None)
        ]
        listed = retriever.candidates("dense", [entries], plan, chunks, found.allowed, "feedback")
        new = [chunk for chunk_id, chunk in chunks.items() if chunk_id not in found.chunks]
        vectors: dict[str, Vectors] = {}
        for kb_id in kb_ids:
            vectors |= retriever.dense.vectors(kb_id, [chunk.dense_id for chunk in new])
    except UNREADABLE as error:
        losses.add("feedback", error, _FAILED)
        return _with(found, losses)
    payload = {"source": "feedback", "found": len(entries) if trace.lists_candidates else None}
    trace.event("retrieval.candidates", payload | {"candidates": trace.candidates(listed)})
    data = replace(
        found.data,
        languages={chunk_id: chunk.language for chunk_id, chunk in chunks.items()},
        vectors={**found.data.vectors, **{chunk.chunk_id: vectors[chunk.dense_id] for chunk in new if chunk.dense_id in vectors}},
        tokens={**found.data.tokens, **retriever.max_sims(found.asked, kb_ids, new, losses)},
        feedback=feedback,
    )
    return _with(replace(found, lists={**found.lists, "feedback": listed}, data=data, chunks=chunks), losses)


def _with(found: Retrieved, losses: Losses) -> Retrieved:
    return replace(found, degraded=(*found.degraded, *losses.degraded), warnings=(*found.warnings, *losses.warnings))
