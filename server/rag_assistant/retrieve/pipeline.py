"""Questions to passages: query_norm → retrieve_dense ∥ retrieve_sparse → fusion → rerank → context_build → generate →
format_response. The runner opens the spans; the stages are values and functions handed to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from rag_assistant.providers.base import Analyzer, DenseStore, Embedder, Fusion, Reranker, SparseStore
from rag_assistant.retrieve.context import build_context
from rag_assistant.retrieve.query import QueryPlan, plan_query
from rag_assistant.store.passages import Allowed, Passages
from rag_assistant.tracing import NO_PROVIDER, ProviderRef, Trace, Tracer
from rag_assistant.types import Candidate, Collection, Context, Filters, Hit, Mode, Scored


@dataclass(frozen=True, slots=True)
class QueryRequest:
    """A question. `rerank=False` leaves the reranking stage out for this request."""

    text: str
    collections: tuple[Collection, ...]
    mode: Mode
    top_k: int
    max_context_tokens: int
    filters: Filters = field(default_factory=Filters)
    rerank: bool = True


@dataclass(frozen=True, slots=True)
class QueryResult:
    """Passages, best first, with the context made of them and what was really done."""

    trace_id: str
    query: str
    hits: tuple[Hit, ...]
    context: Context
    timings_ms: Mapping[str, float]
    latency_ms: float
    mode: Mode
    reranked: bool
    rerank_scored: int
    degraded: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Depths:
    """How many candidates each stage hands on."""

    dense: int
    sparse: int
    rerank: int


@dataclass(frozen=True, slots=True)
class QueryPipeline:
    """The query line with its collaborators."""

    passages: Passages
    embedder: Embedder
    analyzer: Analyzer
    dense: DenseStore
    sparse: SparseStore
    fusion: Fusion
    reranker: Reranker
    tracer: Tracer
    workers: ThreadPoolExecutor
    depths: Depths
    max_query_chars: int
    strategy_config_id: str

    def run(self, request: QueryRequest, *, links: Mapping[str, str | None]) -> QueryResult:
        """Answer one question. Leaves one trace, whether it succeeds or not.

        Raises `ValidationFailed` for an empty query, and what the providers raise.
        """
        trace = self.tracer.start("query", strategy_config_id=self.strategy_config_id, **links)
        try:
            result, envelope = self._run(request, trace)
        except BaseException as error:
            trace.error(error)
            self.tracer.record([trace.finish("error")])
            raise
        self.tracer.record([envelope])
        return result

    def _run(self, request: QueryRequest, trace: Trace) -> tuple[QueryResult, dict[str, Any]]:
        with trace.span("stage.query_norm", ProviderRef("analyzer", self.analyzer.name, self.analyzer.profile)) as span:
            plan = plan_query(
                request.text,
                mode=request.mode,
                filters=request.filters,
                analyzer=self.analyzer,
                max_chars=self.max_query_chars,
            )
            normalized = {"query_hash": plan.query_hash, "terms": len(plan.terms), "mode": plan.mode}
            trace.event("query.normalized", normalized | trace.texts(query=plan.text), span)
        lists = self._retrieve(plan, request.collections, trace)
        with trace.span("stage.fusion", ProviderRef("fusion", self.fusion.name, self.fusion.profile)) as span:
            fused = self.fusion.fuse(lists)
            trace.event("fusion.ranked", {"candidates": trace.candidates(fused)}, span)
        ranked, scored = self._rerank(plan, fused, trace, wanted=request.rerank)
        with trace.span("stage.context_build") as span:
            hits = self._hits(ranked, fused, lists, request.top_k)
            context = build_context(hits, max_tokens=request.max_context_tokens, count_tokens=self.embedder.tokenizer.count)
            cited = [citation.passage.chunk_id for citation in context.citations]
            contents = trace.texts(passages=[citation.passage.content for citation in context.citations])
            trace.event("context.final", {"chunk_ids": cited, "tokens": context.tokens} | contents, span)
        with trace.span("stage.generate", NO_PROVIDER):
            pass
        warnings = list(plan.warnings)
        if left_out := len(hits) - len(context.citations):
            warnings.append(
                f"{left_out} of {len(hits)} passages did not fit into the context of {request.max_context_tokens} tokens."
            )
        with trace.span("stage.format_response") as span:
            trace.event("response.envelope", {"results": len(hits), "warnings": len(warnings)}, span)
        trace.counters["results"] = len(hits)
        envelope = trace.finish()
        aggregates = envelope["aggregates"]
        result = QueryResult(
            trace_id=trace.trace_id,
            query=plan.text,
            hits=tuple(hits),
            context=context,
            timings_ms={name.removeprefix("stage."): value for name, value in aggregates["stage_latency_ms"].items()},
            latency_ms=aggregates["latency_ms"],
            mode=plan.mode,
            reranked=scored > 0,
            rerank_scored=scored,
            degraded=(),
            warnings=tuple(warnings),
        )
        return result, envelope

    def _retrieve(self, plan: QueryPlan, collections: Sequence[Collection], trace: Trace) -> dict[str, list[Candidate]]:
        kb_ids = [collection.kb_id for collection in collections]
        allowed: dict[str, Allowed] = {}
        if plan.filters:
            allowed = {kb_id: self.passages.allowed(kb_id, plan.filters) for kb_id in kb_ids}
            trace.counters["allowed"] = sum(len(ids.dense) for ids in allowed.values())
        asked = {
            "dense": plan.mode != "sparse_only" and self.workers.submit(self._dense, plan, kb_ids, allowed, trace),
            "sparse": plan.mode != "dense_only" and self.workers.submit(self._sparse, plan, kb_ids, allowed, trace),
        }
        return {source: future.result() for source, future in asked.items() if future}

    def _dense(self, plan: QueryPlan, kb_ids: Sequence[str], allowed: Mapping[str, Allowed], trace: Trace) -> list[Candidate]:
        with trace.span("stage.retrieve_dense", ProviderRef("dense", self.dense.name, self.embedder.model_id)) as span:
            vector = self.embedder.embed_queries([plan.text])[0]
            depth = self.depths.dense
            found: list[Scored] = []
            for kb_id in kb_ids:
                found += self.dense.search(kb_id, vector, depth, allowed[kb_id].dense if allowed else None)
            chunk_ids = self.passages.resolve("dense", [entry.entry_id for entry in found], plan.filters)
            candidates = _candidates("dense", found, chunk_ids, depth)
            payload = {"source": "dense", "found": len(found), "candidates": trace.candidates(candidates)}
            trace.event("retrieval.candidates", payload, span)
        return candidates

    def _sparse(self, plan: QueryPlan, kb_ids: Sequence[str], allowed: Mapping[str, Allowed], trace: Trace) -> list[Candidate]:
        with trace.span("stage.retrieve_sparse", ProviderRef("sparse", self.sparse.name, self.analyzer.profile)) as span:
            depth = self.depths.sparse
            found: list[Scored] = []
            for kb_id in kb_ids if plan.terms else ():
                found += self.sparse.search(kb_id, plan.terms, depth, allowed[kb_id].sparse if allowed else None)
            chunk_ids = self.passages.resolve("sparse", [entry.entry_id for entry in found], plan.filters)
            candidates = _candidates("sparse", found, chunk_ids, depth)
            payload = {"source": "sparse", "found": len(found), "candidates": trace.candidates(candidates)}
            trace.event("retrieval.candidates", payload, span)
        return candidates

    def _rerank(self, plan: QueryPlan, fused: Sequence[Candidate], trace: Trace, *, wanted: bool) -> tuple[list[Candidate], int]:
        provider = ProviderRef("reranker", self.reranker.name) if wanted else NO_PROVIDER
        with trace.span("stage.rerank", provider) as span:
            if not wanted or self.reranker.name == "none":
                ranked = list(fused)
            else:
                head = fused[: self.depths.rerank]
                texts = self.passages.passages([candidate.chunk_id for candidate in head])
                present = [candidate for candidate in head if candidate.chunk_id in texts]
                ranked = self.reranker.rerank(plan.text, present, [texts[candidate.chunk_id] for candidate in present])
                ranked += fused[self.depths.rerank :]
            scored = sum(candidate.source == "rerank" for candidate in ranked)
            # Beyond what was rescored the order is fusion's, and stands in its event already.
            rescored = [candidate for candidate in ranked if candidate.source == "rerank"]
            trace.event("rerank.ranked", {"scored": scored, "candidates": trace.candidates(rescored)}, span)
        return ranked, scored

    def _hits(
        self, ranked: Sequence[Candidate], fused: Sequence[Candidate], lists: Mapping[str, Sequence[Candidate]], top_k: int
    ) -> list[Hit]:
        by_source = {source: {item.chunk_id: item.score for item in candidates} for source, candidates in lists.items()}
        by_source["fused"] = {item.chunk_id: item.score for item in fused}
        by_source["rerank"] = {item.chunk_id: item.score for item in ranked if item.source == "rerank"}
        hits: list[Hit] = []
        # A passage can go between the search and here; the next in line takes its place.
        for start in range(0, len(ranked), top_k):
            page = ranked[start : start + top_k]
            texts = self.passages.passages([candidate.chunk_id for candidate in page])
            for candidate in page:
                if candidate.chunk_id in texts and len(hits) < top_k:
                    scores = {
                        source: known[candidate.chunk_id] for source, known in by_source.items() if candidate.chunk_id in known
                    }
                    hits.append(Hit(texts[candidate.chunk_id], candidate.score, scores))
            if len(hits) == top_k:
                break
        return hits


def _candidates(source: str, found: Sequence[Scored], chunk_ids: Mapping[str, str], depth: int) -> list[Candidate]:
    best: dict[str, float] = {}
    for entry in found:
        chunk_id = chunk_ids.get(entry.entry_id)
        if chunk_id is not None:
            best[chunk_id] = max(entry.score, best.get(chunk_id, entry.score))
    # Equal scores are ordered by id, whatever order an index gives them in.
    ranked = sorted(best.items(), key=lambda item: (-round(item[1], 6), item[0]))[:depth]
    return [Candidate(chunk_id, score, rank, source) for rank, (chunk_id, score) in enumerate(ranked, start=1)]
