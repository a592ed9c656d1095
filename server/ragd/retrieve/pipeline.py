"""Questions to passages: query_norm → retrieve_dense ∥ retrieve_sparse → fusion → rerank → context_build → generate →
format_response. The runner opens the spans; the stages are values and functions handed to it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, Final

from ragd.config.answering import RetrievalSettings
from ragd.core.query import Mode, QueryPlan, QueryRequest
from ragd.core.results import Candidate, Context, Hit, Passage
from ragd.core.tracing import ProviderRef, Span, Trace, Tracer
from ragd.retrieve.admission import Admission
from ragd.retrieve.context import build_context
from ragd.retrieve.planning.planner import Planner
from ragd.retrieve.preferences import prefer
from ragd.retrieve.ranking.candidates import Losses, Retrieved, Retriever
from ragd.retrieve.ranking.confidence import LOOKED_AT, confidence_of, evidence_of
from ragd.retrieve.ranking.diversity import diversified
from ragd.retrieve.ranking.explain import explained
from ragd.retrieve.ranking.further import widened
from ragd.retrieve.ranking.pictured import STAGE, pictures_first
from ragd.retrieve.ranking.reranking import Reranked, RerankStage
from ragd.store.passages import Passages

# Passages that are looked at together once the first `top_k` did not do, in times of `top_k`.
_LATER_PAGES: Final = 4


@dataclass(frozen=True, slots=True)
class ResolvedQuery:
    """A request with what the settings and the collections say where it says nothing. `admission` holds the user's rights."""

    request: QueryRequest
    kb_ids: tuple[str, ...]
    mode: Mode
    top_k: int
    max_context_tokens: int
    admission: Admission


@dataclass(frozen=True, slots=True)
class QueryResult:
    """Passages, best first, with the context made of them and what was really done.

    `confidence` (0..1) says how sure it is that the best passages answer the question, and `found` whether that is enough for an
    answer. `explanation` has one entry a hit: see `explain.explained`. `live` counts passages from cloud sources: see `Admitted`.
    """

    trace_id: str
    plan: QueryPlan
    confidence: float
    found: bool
    hits: tuple[Hit, ...]
    context: Context
    timings_ms: Mapping[str, float]
    latency_ms: float
    mode: Mode
    reranked: bool
    rerank_scored: int
    judge: str | None
    """The reranker whose own scores are those of the hits; None where they are relative to the confidence."""
    explanation: tuple[Mapping[str, Any], ...]
    degraded: tuple[str, ...]
    warnings: tuple[str, ...]
    live: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Ranking:
    """How the last order is made. `relevance` makes 0..1 of a cosine.

    `count_tokens` counts texts for the model that will read the context; `own_count` says that the passages were cut by it.
    """

    options: RetrievalSettings
    count_tokens: Callable[[Sequence[str]], Sequence[int]]
    own_count: bool = True
    relevance: Callable[[float], float] | None = None


@dataclass(frozen=True, slots=True)
class QueryPipeline:
    """The stages of a query. `interactive` is held open from the first stage to the last but generation."""

    planner: Planner
    retriever: Retriever
    reranking: RerankStage
    ranking: Ranking
    tracer: Tracer
    strategy_config_id: Callable[[Mode, bool], str]
    """Of the settings under a mode, with reranking or without."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What shapes an answer or an index otherwise than by default (`Settings.shaping`), for the trace."""
    min_confidence: float = 0.0
    interactive: Callable[[], AbstractContextManager[object]] = nullcontext

    @contextmanager
    def open(
        self, query: ResolvedQuery, given: Sequence[Passage] | None = None
    ) -> Generator[tuple[QueryResult, Trace], None, None]:
        """Find passages for one question, or take those that are `given`, all of them. Leaves
        one trace, whether it succeeds or not: the caller adds `stage.generate` to it,
        and it is recorded when the block is left.

        Raises `ValidationFailed` for an empty query, and what the providers raise when nothing can stand in for them.
        """
        request = query.request
        links = {"request_id": request.request_id, "eval": request.evaluation, "replay_of": request.replay_of}
        trace = self.tracer.start("query", strategy_config_id=self.strategy_config_id(query.mode, request.rerank), **links)
        try:
            with self.interactive():
                result = self._search(query, trace) if given is None else self._given(query, given, trace)
            yield result, trace
            with trace.span("stage.format_response") as span:
                payload = {"results": len(result.hits), "warnings": len(result.warnings), "confidence": result.confidence}
                trace.event("response.envelope", payload | {"explanation": list(result.explanation)}, span)
        except BaseException as error:
            trace.error(error)
            self.tracer.record([trace.finish("cancelled" if isinstance(error, GeneratorExit) else "error")])
            raise
        self.tracer.record([trace.finish()])

    def _search(self, query: ResolvedQuery, trace: Trace) -> QueryResult:
        plan = self._plan(query, trace)
        by_name = plan.filters.by_name
        found, fused = self._fuse(plan, query.kb_ids, trace)
        reranked = self.reranking.run(
            plan, fused, found.lists, trace, data=found.data, wanted=query.request.rerank, top_k=query.top_k
        )
        with trace.span("stage.context_build") as span:
            stages: dict[str, Sequence[Candidate]] = {**found.lists, "fusion": fused}
            if reranked.scores:
                stages["rerank"] = reranked.ranked
            losses = Losses(trace)
            hits, confidence = self._hits(plan, found, fused, reranked, query, stages, losses)
            admitted = query.admission.summary(by_name=by_name)
            if admitted.private:
                trace.withhold_passages()
            trace.counters.update({f"live_{name}": count for name, count in admitted.counts.items()})
            for code in admitted.degraded:
                trace.event("degraded", {"stage": "live", "code": code.upper()}, span)
            hits, notes = self._above(hits)
            context = self._context(hits, query.max_context_tokens, trace, span)
        if left_out := len(hits) - sum(len(citation.chunk_ids) for citation in context.citations):
            notes.append(f"{left_out} of {len(hits)} passages did not fit into the context of {query.max_context_tokens} tokens.")
        trace.counters["results"] = len(hits)
        scored = len({hit.passage.chunk_id for hit in hits} & set(reranked.scores)) if by_name else len(reranked.scores)
        trace.counters["rerank_scored"] = scored
        stage_ms, latency_ms = trace.so_far()
        warnings = (plan.warnings, found.warnings, reranked.warnings, losses.warnings, admitted.warnings, notes)
        return QueryResult(
            trace_id=trace.trace_id,
            plan=plan,
            confidence=round(confidence, 6),
            found=bool(context.citations) and round(confidence, 6) >= self.min_confidence,
            hits=tuple(hits),
            context=context,
            timings_ms={name.removeprefix("stage."): value for name, value in stage_ms.items()},
            latency_ms=latency_ms,
            mode=plan.mode,
            reranked=bool(scored),
            rerank_scored=scored,
            judge=None if reranked.relative else self.reranking.reranker.name,
            explanation=tuple(explained([hit.passage.chunk_id for hit in hits], stages)),
            degraded=(*plan.degraded, *found.degraded, *reranked.degraded, *losses.degraded, *admitted.degraded),
            warnings=tuple(chain.from_iterable(warnings)),
            live=admitted.counts,
        )

    def _plan(self, query: ResolvedQuery, trace: Trace) -> QueryPlan:
        """What is looked for. A filter by name leaves out what is closed to the user, whose being there it would tell."""
        request, analyzer = query.request, self.retriever.analyzer
        # What shapes plans: the analysis, the rules and the synonyms in force.
        profile = f"{analyzer.profile}/{self.planner.profile}"
        with trace.span("stage.query_norm", ProviderRef("analyzer", analyzer.name, profile)) as span:
            plan = self.planner.plan(
                request.text, mode=query.mode, filters=request.filters, prefer=request.prefer, history=request.history
            )
            shown = plan.as_dict(texts=bool(trace.texts(query=plan.text)))
            asked = {"request": request.as_traced(query.kb_ids), "settings": self.settings, "detail_level": trace.detail_level}
            payload = {"query_hash": plan.query_hash, **shown, **trace.texts(query=plan.text), **asked}
            trace.event("query.normalized", payload, span)
        if not plan.filters.by_name:
            return plan
        trace.withhold_candidates()
        return replace(plan, filters=replace(plan.filters, without=tuple(query.admission.closed())))

    def _fuse(self, plan: QueryPlan, kb_ids: Sequence[str], trace: Trace) -> tuple[Retrieved, list[Candidate]]:
        """The lists of all searches, the fusion's own among them, and their fusion."""
        found, fusion = self.retriever.retrieve(plan, kb_ids, trace), self.reranking.fusion
        with trace.span("stage.fusion", ProviderRef("fusion", fusion.name, fusion.profile)) as span:
            if (feedback := fusion.feedback(found.lists, plan, found.data)) is not None:
                found = widened(self.retriever, found, feedback, plan, kb_ids, trace)
            fused = fusion.fuse(found.lists, plan, found.data)
            foreign = None if plan.filters.by_name else round(found.data.foreign, 3)
            trace.event("fusion.ranked", {"foreign": foreign, "candidates": trace.candidates(fused)}, span)
        return found, fused

    def _context(self, hits: Sequence[Hit], max_tokens: int, trace: Trace, span: Span) -> Context:
        context = build_context(
            hits,
            max_tokens=max_tokens,
            count_tokens=self.ranking.count_tokens,
            own_count=self.ranking.own_count,
            merge=self.ranking.options.merge_neighbours,
        )
        versions = {citation.passage.doc_id: citation.passage.version_id for citation in context.citations}
        final = {
            "chunk_ids": [chunk_id for citation in context.citations for chunk_id in citation.chunk_ids],
            "documents": [{"doc_id": doc_id, "version_id": version_id} for doc_id, version_id in versions.items()],
            "tokens": context.tokens,
        }
        contents = trace.texts(passages=[citation.passage.content for citation in context.citations])
        trace.event("context.final", final | contents, span)
        return context

    def _given(self, query: ResolvedQuery, passages: Sequence[Passage], trace: Trace) -> QueryResult:
        plan = self._plan(query, trace)
        hits = [Hit(passage, 1.0, {}) for passage in passages]
        with trace.span("stage.context_build") as span:
            context = self._context(hits, query.max_context_tokens, trace, span)
        stage_ms, latency_ms = trace.so_far()
        left_out = len(passages) - len(context.citations)
        return QueryResult(
            trace_id=trace.trace_id,
            plan=plan,
            confidence=1.0,
            found=bool(context.citations),
            hits=(),
            context=context,
            timings_ms={name.removeprefix("stage."): value for name, value in stage_ms.items()},
            latency_ms=latency_ms,
            mode=plan.mode,
            reranked=False,
            rerank_scored=0,
            judge=None,
            explanation=(),
            degraded=plan.degraded,
            warnings=(*plan.warnings, *([f"{left_out} of {len(passages)} passages did not fit."] if left_out else [])),
            live={},
        )

    @property
    def _passages(self) -> Passages:
        return self.retriever.passages

    def _hits(
        self,
        plan: QueryPlan,
        found: Retrieved,
        fused: Sequence[Candidate],
        reranked: Reranked,
        query: ResolvedQuery,
        stages: dict[str, Sequence[Candidate]],
        losses: Losses,
    ) -> tuple[list[Hit], float]:
        """The passages of the answer, by every wish of the request, and the confidence in them; adds to `stages` and `losses`."""
        ranked, options = reranked.ranked, self.ranking.options
        if plan.prefer:
            known_fields = self._passages.preference_fields([candidate.chunk_id for candidate in ranked])
            ranked = stages["prefer"] = prefer(ranked, known_fields, plan.prefer, options.prefer_weight)
        if options.mmr_lambda < 1:
            ranked = stages["diversity"] = diversified(ranked, found.data.vectors, options.mmr_lambda, query.top_k)
        showing: set[str] = set()
        if pictures := query.request.pictures:
            chunk_ids = self._passages.showing(pictures, query.kb_ids, plan.filters)
            ranked, showing = pictures_first(ranked, chunk_ids), set(chunk_ids)
            stages[STAGE] = ranked
        sides = {source: candidates for source, candidates in found.lists.items() if source != "feedback"}
        scores = {source: {item.chunk_id: item.score for item in candidates} for source, candidates in sides.items()}
        scores |= {"fused": {item.chunk_id: item.score for item in fused}, "rerank": dict(reranked.scores)}
        admitted: dict[str, Passage | None] = {}
        hits = list(self._served(ranked, query.top_k, query, plan, scores, admitted))
        # Of the fused list, which is the same whatever reranking had the time for.
        judged = [hit.passage for hit in self._served(fused, LOOKED_AT, query, plan, {}, admitted)]
        confidence = confidence_of(
            evidence_of(
                plan,
                judged,
                scores.get("dense", {}),
                self.retriever.analyzer,
                partial(self.retriever.frequencies, query.kb_ids, losses),
                self.ranking.relevance,
            )
        )
        if reranked.relative:
            # Fusion's scores say which passage is better, not how good it is: the best of nothing would get a 1.
            hits = [hit if hit.passage.chunk_id in showing else replace(hit, score=hit.score * confidence) for hit in hits]
        # That a passage shows the very picture is beyond doubt, whatever its words say.
        return hits, 1.0 if any(hit.passage.chunk_id in showing for hit in hits) else confidence

    def _served(
        self,
        ranked: Sequence[Candidate],
        wanted: int,
        query: ResolvedQuery,
        plan: QueryPlan,
        scores: Mapping[str, Mapping[str, float]],
        admitted: dict[str, Passage | None],
    ) -> Iterable[Hit]:
        """The first `wanted` that are there and admitted; the next in line takes the place of one that is not.

        A passage can go between the search and here. Nothing of one that is not admitted is used for anything. `admitted` keeps
        what was looked at, None for what may not be used, so that nothing is asked for twice.
        """
        served = start = 0
        size = wanted
        while start < len(ranked) and served < wanted:
            page = ranked[start : start + size]
            start += size
            unknown = [candidate.chunk_id for candidate in page if candidate.chunk_id not in admitted]
            texts = self._passages.passages(unknown) if unknown else {}
            present = [texts[chunk_id] for chunk_id in unknown if chunk_id in texts]
            admitted.update(dict.fromkeys(unknown))
            if present:
                admitted.update(query.admission.admit(present, plan.text))
            for candidate in page:
                passage = admitted[candidate.chunk_id]
                if passage is not None and served < wanted:
                    served += 1
                    own = {source: known[candidate.chunk_id] for source, known in scores.items() if candidate.chunk_id in known}
                    yield Hit(passage, candidate.score, own)
            # Where whole pages are not admitted, many small rounds would cost the time in which the rest can be asked for.
            size = _LATER_PAGES * wanted

    def _above(self, hits: Sequence[Hit]) -> tuple[list[Hit], list[str]]:
        """The hits that reach `min_score`, and what there is to say of the others."""
        kept = [hit for hit in hits if hit.score >= self.ranking.options.min_score]
        if kept or not hits:
            return kept, []
        best = max(hit.score for hit in hits)
        nothing = f"Nothing relevant was found: the best of {len(hits)} passages has a score of {best:.2f}, "
        return [], [f"{nothing}and retrieval.min_score is {self.ranking.options.min_score:g}."]
