"""Asking both indexes at once. One that fails leaves the other's answer standing, and says so; both failing is an error."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from ragd.core.errors import RagError
from ragd.core.query import QueryPlan
from ragd.core.results import NO_DATA, Candidate, CandidateData, Scored
from ragd.core.tracing import ProviderRef, Trace
from ragd.providers.protocols import Analyzer, DenseStore, Embedder, SparseStore, Vectors
from ragd.providers.token_protocols import JointEmbedder
from ragd.providers.token_view import TokenView
from ragd.store.live.entry_table import LiveChunk, Side
from ragd.store.passages import Allowed, Passages

log = logging.getLogger(__name__)

_WITHOUT = {
    "dense": "The search by meaning failed ({reason}); these passages were found by their words alone.",
    "sparse": "The search by words failed ({reason}); these passages were found by their meaning alone.",
}
_UNREAD: Final = {
    "fusion": "The vectors of the passages that were found could not be read ({reason}); the passages are ranked without them.",
    "tokens": "The kept token vectors of the passages could not be read ({reason}); the passages are ranked without them.",
    "confidence": "How rare the question's words are could not be read ({reason}); the confidence takes them all alike.",
}
"""What a question lacks whose candidates were found all the same, by the name of the stage in `degraded`."""

UNREADABLE: Final = (RagError, OSError)
"""What an index raises that can't be read (`EntryStore`). Anything else is a defect, and the question fails by it."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What the indexes gave, by side, with what is known of it; a side that failed is named in `degraded` instead.

    `chunks` has every candidate; `allowed` is what the filters leave, by collection; `asked` the question's token vectors.
    """

    lists: Mapping[str, list[Candidate]]
    data: CandidateData = NO_DATA
    chunks: Mapping[str, LiveChunk] = field(default_factory=dict)
    allowed: Mapping[str, Allowed] = field(default_factory=dict)
    asked: Vectors | None = None
    degraded: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class Losses:
    """What could not be done for a question, as `degraded` names it, and how its warnings say it."""

    trace: Trace
    degraded: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def add(self, stage: str, why: Exception, message: str) -> None:
        """`message` has a place for the `{reason}`, which is the error's own words only where they are meant for people."""
        log.warning("a part of a search failed", extra={"stage": stage}, exc_info=why)
        self.trace.event("degraded", {"stage": stage, "code": getattr(why, "code", "INTERNAL_ERROR")})
        reason = why.message.rstrip(".") if isinstance(why, RagError) else type(why).__name__
        self.degraded.append(stage)
        self.warnings.append(message.format(reason=reason))


@dataclass(slots=True)
class _Question:
    """What the model gave of a question, from its run on. `tokens` are as the token index takes them."""

    vector: Vectors | None = None
    tokens: Vectors | None = None


@dataclass(frozen=True, slots=True)
class Retriever:
    """The two indexes with what they need. `depth` is the number of candidates of each side."""

    passages: Passages
    embedder: Embedder
    analyzer: Analyzer
    dense: DenseStore
    sparse: SparseStore
    workers: ThreadPoolExecutor
    depth: Mapping[Side, int]
    tokens: TokenView | None = None

    def retrieve(self, plan: QueryPlan, kb_ids: Sequence[str], trace: Trace) -> Retrieved:
        """Ranked lists by side. Raises what the last side raised when none is left."""
        allowed: dict[str, Allowed] = {}
        if plan.filters:
            allowed = {kb_id: self.passages.allowed(kb_id, plan.filters) for kb_id in kb_ids}
            if trace.lists_candidates:
                trace.counters["allowed"] = sum(len(ids.dense) for ids in allowed.values())
        asked: dict[Side, Callable[[], list[Candidate]]] = {}
        chunks: dict[str, LiveChunk] = {}
        question = _Question()
        if plan.mode != "sparse_only":
            provider = ProviderRef("dense", self.dense.name, self.embedder.model_id)
            wordings = self._dense(plan, kb_ids, allowed, question)
            asked["dense"] = partial(self._ask, "dense", plan, trace, provider, wordings, chunks, allowed)
        if plan.mode != "dense_only":
            provider = ProviderRef("sparse", self.sparse.name, self.analyzer.profile)
            wordings = self._sparse(plan, kb_ids, allowed)
            ask = partial(self._ask, "sparse", plan, trace, provider, wordings, chunks, allowed)
            # Beside the other, which this thread asks itself: each hop to a thread is two waits for Python's lock. It asks on
            # behalf of the same caller.
            asked["sparse"] = self.workers.submit(copy_context().run, ask).result if asked else ask
        lists: dict[str, list[Candidate]] = {}
        failed: dict[Side, Exception] = {}
        for side, found in asked.items():
            try:
                lists[side] = found()
            # Each engine has errors of its own, and none of them may take the other side's answer away.
            except Exception as error:  # noqa: BLE001
                failed[side] = error
        if not lists:
            raise next(iter(failed.values()))
        losses = Losses(trace)
        for lost, why in failed.items():
            losses.add(f"retrieve_{lost}", why, _WITHOUT[lost])
        data = CandidateData(
            foreign=_foreign(plan, [chunks[candidate.chunk_id] for candidate in lists.get("dense", ())]),
            languages={chunk_id: chunk.language for chunk_id, chunk in chunks.items()},
            question=question.vector,
            vectors=self._vectors(kb_ids, list(chunks.values()), losses) if "dense" not in failed else {},
            tokens=self.max_sims(question.tokens, kb_ids, list(chunks.values()), losses) if "dense" not in failed else {},
        )
        return Retrieved(lists, data, chunks, allowed, question.tokens, tuple(losses.degraded), tuple(losses.warnings))

    def _vectors(self, kb_ids: Sequence[str], chunks: Sequence[LiveChunk], losses: Losses) -> dict[str, Vectors]:
        """Vectors by chunk id, of those that have one."""
        dense_ids = [chunk.dense_id for chunk in chunks]
        try:
            found = [self.dense.vectors(kb_id, dense_ids) for kb_id in kb_ids]
        except UNREADABLE as error:
            losses.add("fusion", error, _UNREAD["fusion"])
            return {}
        return {chunk.chunk_id: vectors[chunk.dense_id] for vectors in found for chunk in chunks if chunk.dense_id in vectors}

    def max_sims(
        self, question: Vectors | None, kb_ids: Sequence[str], chunks: Sequence[LiveChunk], losses: Losses
    ) -> dict[str, float]:
        """MaxSim with the question's tokens by chunk id, of those whose token vectors are kept."""
        if self.tokens is None or question is None:
            return {}
        dense_ids = [chunk.dense_id for chunk in chunks]
        try:
            scored = [self.tokens.index.score(kb_id, question, dense_ids).tolist() for kb_id in kb_ids]
        except UNREADABLE as error:
            losses.add("tokens", error, _UNREAD["tokens"])
            return {}
        of_chunks = ((chunk.chunk_id, score) for scores in scored for chunk, score in zip(chunks, scores, strict=True))
        return {chunk_id: score for chunk_id, score in of_chunks if not math.isnan(score)}

    def frequencies(self, kb_ids: Sequence[str], losses: Losses, terms: Collection[str]) -> tuple[int, Mapping[str, int]]:
        """The entries of these collections, and those of them that hold each term. Without an index all terms are alike."""
        try:
            counted = [self.sparse.frequencies(kb_id, terms) for kb_id in kb_ids]
        except UNREADABLE as error:
            losses.add("confidence", error, _UNREAD["confidence"])
            return 1, dict.fromkeys(terms, 1)
        return sum(entries for entries, _ in counted), {term: sum(holding[term] for _, holding in counted) for term in terms}

    def _ask(
        self,
        side: Side,
        plan: QueryPlan,
        trace: Trace,
        provider: ProviderRef,
        wordings: Iterable[list[Scored]],
        chunks: dict[str, LiveChunk],
        allowed: Mapping[str, Allowed],
    ) -> list[Candidate]:
        """The candidates of one side, added to `chunks`; `wordings`, read in the span, gives what was found for each wording."""
        with trace.span(f"stage.retrieve_{side}", provider) as span, trace.calls(span):
            found = list(wordings)
            candidates = self.candidates(side, found, plan, chunks, allowed)
            total = sum(map(len, found)) if trace.lists_candidates else None
            payload = {"source": side, "found": total, "candidates": trace.candidates(candidates)}
            trace.event("retrieval.candidates", payload, span)
        return candidates

    def _dense(
        self, plan: QueryPlan, kb_ids: Sequence[str], allowed: Mapping[str, Allowed], question: _Question
    ) -> Iterator[list[Scored]]:
        wordings = [plan.topic, *plan.variants]
        if self.tokens is not None and isinstance(self.embedder, JointEmbedder):
            vectors, tokens = self.embedder.embed_queries_and_tokens(wordings)
            question.tokens = self.tokens.question(plan.topic, tokens[0])
        else:
            vectors = self.embedder.embed_queries(wordings)
        question.vector = vectors[0]
        for vector in vectors:
            yield [
                entry
                for kb_id in kb_ids
                for entry in self.dense.search(kb_id, vector, self.depth["dense"], allowed[kb_id].dense if allowed else None)
            ]

    def _sparse(self, plan: QueryPlan, kb_ids: Sequence[str], allowed: Mapping[str, Allowed]) -> Iterator[list[Scored]]:
        for terms, phrases in [(plan.terms, plan.phrases), *((self.analyzer.tokens(text), ()) for text in plan.variants)]:
            found: list[Scored] = []
            for kb_id in kb_ids if terms or phrases else ():
                ids = allowed[kb_id].sparse if allowed else None
                found += self.sparse.search(kb_id, terms, self.depth["sparse"], ids, phrases)
            yield found

    def candidates(
        self,
        side: Side,
        wordings: Sequence[Sequence[Scored]],
        plan: QueryPlan,
        chunks: dict[str, LiveChunk],
        allowed: Mapping[str, Allowed],
        source: str = "",
    ) -> list[Candidate]:
        """The chunks of what was found for each wording, best first, added to `chunks`. `source` names another list."""
        entry_ids = list(dict.fromkeys(entry.entry_id for found in wordings for entry in found))
        live = self.passages.resolve(side, entry_ids, plan.filters, allowed.values())
        best: dict[str, float] = {}
        for entry in _of_all(wordings):
            if chunk := live.get(entry.entry_id):
                best[chunk.chunk_id] = max(entry.score, best.get(chunk.chunk_id, entry.score))
        by_id = {chunk.chunk_id: chunk for chunk in live.values()}
        # Equal scores are ordered by id, whatever order an index gives them in.
        order = sorted((-round(score, 6), chunk_id, score) for chunk_id, score in best.items())[: self.depth[side]]
        chunks.update((chunk_id, by_id[chunk_id]) for _, chunk_id, _ in order)
        return [Candidate(chunk_id, score, rank, source or side) for rank, (_, chunk_id, score) in enumerate(order, start=1)]


def _foreign(plan: QueryPlan, chunks: Iterable[LiveChunk]) -> float:
    """Share of these chunks that is in another language than the question, of what has a known one."""
    known = [chunk.language for chunk in chunks if chunk.language is not None] if plan.language else []
    return sum(language != plan.language for language in known) / len(known) if known else 0.0


def _of_all(wordings: Sequence[Sequence[Scored]]) -> Iterable[Scored]:
    """Entries of every wording. Scores of further wordings are scaled to the top of the question's own, as lengths differ."""
    top = max((entry.score for entry in wordings[0]), default=0.0)
    yield from wordings[0]
    for found in wordings[1:]:
        own = max((entry.score for entry in found), default=0.0)
        scale = top / own if top > 0 and own > 0 else 1.0
        yield from (Scored(entry.entry_id, entry.score * scale) for entry in found)
