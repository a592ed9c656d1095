"""Reranking within a budget: what is scored comes first, what was not reached keeps its place behind; failure moves nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ragd.core.errors import RagError
from ragd.core.query import QueryPlan
from ragd.core.results import Candidate, CandidateData
from ragd.core.tracing import NO_PROVIDER, ProviderRef, Trace
from ragd.providers.protocols import Fusion, Reranker
from ragd.retrieve.ranking.fusion import ranked
from ragd.store.passages import Passages


@dataclass(frozen=True, slots=True)
class Reranked:
    """`ranked` holds every candidate; `scores` what the reranker gave, by chunk id. `relative` scores are fusion's."""

    ranked: list[Candidate]
    scores: Mapping[str, float]
    relative: bool = True
    degraded: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RerankStage:
    """A reranker with its limits: the candidates that it is given, and the milliseconds that it may take.

    `share` is the part of them (0..1) that one question may take now: many at once would else wait for each other's.
    """

    passages: Passages
    fusion: Fusion
    reranker: Reranker
    offered: Callable[[int], int]
    """How many candidates the reranker is given when so many passages are asked for."""
    budget_ms: int
    share: Callable[[], float] = lambda: 1.0
    only_where_it_helps: bool = False
    """Whether to leave out questions whose order late interaction is known not to better."""

    def run(
        self,
        plan: QueryPlan,
        fused: Sequence[Candidate],
        lists: Mapping[str, Sequence[Candidate]],
        trace: Trace,
        *,
        data: CandidateData,
        wanted: bool,
        top_k: int,
    ) -> Reranked:
        """Rescore the head of the fused list. A reranker that fails leaves the fused order, and says so."""
        offered = self.offered(top_k)
        wanted = wanted and self.reranker.name != "none" and self._helps(plan, lists, data)
        provider = ProviderRef("reranker", self.reranker.name, self.reranker.profile) if wanted else NO_PROVIDER
        with trace.span("stage.rerank", provider) as span, trace.calls(span):
            result = Reranked(list(fused), {})
            if wanted and fused:
                try:
                    result = self._rescored(plan, fused[:offered], fused, lists, data)
                except RagError as error:
                    trace.error(error)
                    trace.event("degraded", {"stage": "rerank", "code": error.code}, span)
                    warning = f"The passages were not reranked ({error.message.rstrip('.')}); they stand in the order of fusion."
                    result = Reranked(list(fused), {}, degraded=("rerank",), warnings=(warning,))
            # Beyond what was rescored the order is fusion's, and stands in its event already.
            head = [candidate for candidate in result.ranked if candidate.source == "rerank"]
            payload: dict[str, int | None] = {
                "scored": len(result.scores),
                "offered": min(offered, len(fused)) if wanted else 0,
            }
            if not trace.lists_candidates:
                payload = dict.fromkeys(payload)
            trace.event("rerank.ranked", payload | {"candidates": trace.candidates(head)}, span)
        return result

    def _helps(self, plan: QueryPlan, lists: Mapping[str, Sequence[Candidate]], data: CandidateData) -> bool:
        return self.reranker.judges or not self.only_where_it_helps or self.fusion.gains_from_rescoring(lists, plan, data)

    def _rescored(
        self,
        plan: QueryPlan,
        offered: Sequence[Candidate],
        fused: Sequence[Candidate],
        lists: Mapping[str, Sequence[Candidate]],
        data: CandidateData,
    ) -> Reranked:
        deadline = time.monotonic() + self.budget_ms / 1000 * self.share()
        texts = self.passages.passages([candidate.chunk_id for candidate in offered])
        present = [candidate.chunk_id for candidate in offered if candidate.chunk_id in texts]
        given = self.reranker.score(plan.topic, [texts[chunk_id] for chunk_id in present], deadline)
        scores: dict[str, float] = {}
        for chunk_id, score in zip(present, given, strict=False):
            # What was scored comes first: one from further down, known from before, must not pass those that were not reached.
            if score is None:
                break
            scores[chunk_id] = score
        if not scores:
            return Reranked(list(fused), {})
        own = ranked(scores, "rerank")
        if self.reranker.judges:
            head = own
        else:
            known = {source: [item for item in found if item.chunk_id in scores] for source, found in lists.items()}
            head = self.fusion.fuse({**known, "rerank": own}, plan, data)
            # Scaled among the few that were rescored, the last of them would have 0, and so would all behind it: the order is
            # new, the scores are those of the whole list.
            whole = sorted((item.score for item in fused if item.chunk_id in scores), reverse=True)
            head = [item._replace(score=score) for item, score in zip(head, whole, strict=True)]
        lowest = head[-1].score
        rest = [item._replace(score=min(item.score, lowest)) for item in fused if item.chunk_id not in scores]
        order = [*(item._replace(source="rerank") for item in head), *rest]
        return Reranked(
            [item._replace(rank=rank) for rank, item in enumerate(order, start=1)], scores, relative=not self.reranker.judges
        )
