"""The ingestion pipeline, put together from the settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from ragd.app.models import Models
from ragd.config.settings import Settings
from ragd.core.tracing import ProviderRef, Tracer
from ragd.formats.common.naming import extension
from ragd.formats.registry import loader_name_for
from ragd.ingest.discovery.files import LoaderFor
from ragd.ingest.drafts import Drafter
from ragd.ingest.indexes import Indexes
from ragd.ingest.pipeline import IngestPipeline
from ragd.ingest.workers.pool import WorkerPool
from ragd.ingest.workers.process import WorkerOptions
from ragd.providers.registry import build, provider_class
from ragd.store.assets import Assets
from ragd.store.documents import DocumentWriter
from ragd.store.vectors import VectorCache

# Processes that read files, where the settings don't say: the embedding model needs the cores more.
_MOST_WORKERS: Final = 4


def loader_for(loaders: Mapping[str, str], name: str) -> str | None:
    """The loader that reads a file of this name, by the setting `ingest.loaders`; None when none does."""
    chosen = loaders.get(extension(name))
    return loader_name_for(name) if chosen is None else None if chosen == "none" else chosen


def worker_options(settings: Settings) -> tuple[int, WorkerOptions]:
    """How many processes read files, and what each may use."""
    options, ocr = settings.ingest, settings.ocr
    worker = WorkerOptions(
        memory=options.memory_mb * 1024 * 1024,
        ocr_provider=ocr.provider,
        ocr_threads=ocr.threads,
        ocr_budget_s=ocr.budget_s,
        max_pictures=options.max_pictures,
        max_picture_size=options.max_picture_size,
        max_picture_pixels=options.max_picture_pixels,
    )
    return options.workers or max(1, min(_MOST_WORKERS, (os.cpu_count() or 1) // 2)), worker


def open_ingestion(
    settings: Settings,
    *,
    models: Models,
    indexes: Indexes,
    vectors: VectorCache,
    writer: DocumentWriter,
    assets: Assets,
    parser: WorkerPool,
    loaders: LoaderFor,
    tracer: Tracer,
) -> IngestPipeline:
    """The pipeline over open stores and models. What reads pictures, and in which version, is part of what a file becomes."""
    embedder = models.embedder()
    ocr_profile = str(provider_class("ocr", settings.ocr.provider).installed_profile())
    splitting: dict[str, Any] = {"tokenizer": embedder.tokenizer, "chunk_overlap": settings.splitter.chunk_overlap}
    if settings.splitter.strategy == "semantic":
        splitting |= {"embedder": embedder, "percentile": settings.splitter.semantic_percentile}
    drafter = Drafter(
        parser=parser,
        loaders=loaders,
        loader_version=lambda name: str(provider_class("loader", name).version),
        known_assets=partial(assets.known, ocr_profile=ocr_profile),
        ocr=ProviderRef("ocr", settings.ocr.provider, ocr_profile),
        cleaner=build("cleaner", settings.ingest.cleaner),
        splitter=build("splitter", settings.splitter.strategy, **splitting),
        enricher=build("enricher", settings.ingest.enricher),
        embedder=embedder,
        analyzer=models.analyzer(),
        chunk_size=settings.splitter.chunk_size,
        max_document_size=settings.limits.max_document_size,
    )
    return IngestPipeline(
        writer=writer,
        vectors=vectors,
        assets=assets,
        indexes=indexes,
        embedder=embedder,
        drafter=drafter,
        parser=parser,
        tracer=tracer,
        strategy_config_id=settings.strategy_config_id(),
    )
