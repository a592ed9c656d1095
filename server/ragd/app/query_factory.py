"""The query line, built from settings over open parts."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragd.config.settings import Settings
from ragd.core.errors import ModelDamaged, SettingsError
from ragd.models.rows import model_row
from ragd.models.store import ensure_model, find_model
from ragd.providers.model_queue import Priority
from ragd.providers.protocols import LanguageModel, Reranker, TokenEmbedder
from ragd.providers.registry import build
from ragd.retrieve.pipeline import QueryPipeline, Ranking
from ragd.retrieve.planning.planner import Planner
from ragd.retrieve.planning.synonyms import Synonyms
from ragd.retrieve.ranking.candidates import Retriever
from ragd.retrieve.ranking.fusion import FusionOptions
from ragd.retrieve.ranking.reranking import RerankStage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragd.app.container import Parts
    from ragd.providers.protocols import Vectors

LOCAL_RERANKERS = {"maxsim", "cross_encoder"}
"""Rerankers that run a model in this process."""


def query_pipeline(parts: Parts, settings: Settings, reranker: Reranker, synonyms: Synonyms) -> QueryPipeline:
    """The line for these settings. The model that writes is loaded only where the settings let it take part."""
    options = settings.retrieval
    model = _model_that_writes(parts, settings)
    writes = options.rewrite == "model" or options.multi_query > 0
    fusion = build("fusion", options.fusion, options=FusionOptions(options.rrf_k, options.dense_weight))

    def vectors_of(chunk_ids: Sequence[str]) -> Mapping[str, Vectors]:
        keys = parts.passages.dense_keys(chunk_ids)
        found = parts.vectors.get(list(keys.values()))
        return {chunk_id: found[key] for chunk_id, key in keys.items() if key in found}

    return QueryPipeline(
        planner=Planner(
            analyzer=parts.analyzer,
            max_chars=settings.limits.max_query_chars,
            synonyms=synonyms,
            rewrite=options.rewrite,
            multi_query=options.multi_query,
            model=model if writes else None,
        ),
        retriever=Retriever(
            passages=parts.passages,
            embedder=parts.embedder,
            analyzer=parts.analyzer,
            dense=parts.indexes.dense,
            sparse=parts.indexes.sparse,
            workers=parts.workers,
            depth={"dense": options.dense_top_k, "sparse": options.sparse_top_k},
        ),
        reranking=RerankStage(
            parts.passages,
            fusion,
            reranker,
            top_n=min(settings.rerank.top_n, settings.limits.max_rerank_candidates),
            budget_ms=settings.rerank.budget_ms,
        ),
        ranking=Ranking(
            count_tokens=model.count_tokens if model else parts.embedder.tokenizer.count,
            own_count=model is None,
            relevance=parts.relevance,
            vectors=vectors_of,
            mmr_lambda=options.mmr_lambda,
            prefer_weight=options.prefer_weight,
            min_score=options.min_score,
            merge_neighbours=options.merge_neighbours,
        ),
        tracer=parts.tracer,
        strategy_config_id=settings.strategy_config_id(),
        min_confidence=settings.answer.min_confidence,
        interactive=parts.model_queue.interactive,
    )


def build_reranker(parts: Parts, settings: Settings) -> Reranker:
    """The reranker that the settings ask for. Raises `ModelUnavailable` or `SettingsError` when it can't be had."""
    options = settings.rerank
    name = reranker_name(parts, settings)
    how: dict[str, Any] = {"options": options}
    if name == "cross_encoder":
        row = model_row(options.model, "reranking")
        how = {
            "files": ensure_model(row, parts.directories.models, progress=parts.progress, extra_dirs=_model_folders(settings)),
            "device": options.device,
            "threads": settings.embedding.threads,
            "spinning": settings.embedding.spinning,
            "turn": partial(parts.model_queue.turn, Priority.RERANK),
        }
    elif name == "maxsim":
        how = {"embedder": parts.embedder, "calibration": parts.calibration, "options": options}
    elif name == "llm":
        model = parts.language_model_of(settings.llm)
        if model is None:
            raise SettingsError("rerank.provider is 'llm', but llm.provider is 'none'. Set a model, or another reranker.")
        how = {"language_model": model}
    found: Reranker = build("reranker", name, **how)
    return found


def reranker_name(parts: Parts, settings: Settings) -> str:
    """What `auto` stands for: the cross-encoder when its files are there, else late interaction, where the model can do it."""
    options = settings.rerank
    if options.provider != "auto":
        return options.provider
    row = model_row(options.model, "reranking")
    try:
        if find_model(row, parts.directories.models, _model_folders(settings)) is not None:
            return "cross_encoder"
    except ModelDamaged as error:
        parts.notices.append(f"The reranker {row.id} is not used: {error.message}")
    return "maxsim" if isinstance(parts.embedder, TokenEmbedder) and parts.embedder.gives_tokens else "none"


def _model_that_writes(parts: Parts, settings: Settings) -> LanguageModel | None:
    """The language model; None with a notice when it can't be used as it is set: passages are found without it."""
    try:
        return parts.language_model_of(settings.llm)
    except SettingsError as error:
        parts.notices.append(f"The language model can't be used: {error.message}")
        return None


def _model_folders(settings: Settings) -> list[Path]:
    return [Path(folder).expanduser() for folder in settings.embedding.model_folders]
