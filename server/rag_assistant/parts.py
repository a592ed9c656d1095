"""The parts that cost time to open, each built from the settings when it is first needed: model, indexes, the two lines."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Engine

from rag_assistant.config import Directories, Settings, with_strategy
from rag_assistant.errors import FieldProblem, IndexDamaged, SettingsError, ValidationFailed
from rag_assistant.ingest.drafts import Drafter
from rag_assistant.ingest.indexes import Indexes
from rag_assistant.ingest.loaders import extension, loader_name_for
from rag_assistant.ingest.pipeline import IngestPipeline
from rag_assistant.ingest.worker import WorkerOptions
from rag_assistant.ingest.workers import WorkerPool
from rag_assistant.providers import build, provider_class
from rag_assistant.providers.base import Analyzer, DenseStore, Embedder, SparseStore, Splitter
from rag_assistant.retrieve.fusion import FusionOptions
from rag_assistant.retrieve.pipeline import Depths, QueryPipeline
from rag_assistant.store.assets import Assets
from rag_assistant.store.collections import Collections
from rag_assistant.store.documents import DocumentWriter
from rag_assistant.store.passages import Passages
from rag_assistant.store.vectors import VectorCache
from rag_assistant.supply import ModelFiles, Progress, ensure_model
from rag_assistant.text import hash32
from rag_assistant.tracing import ProviderRef, Tracer
from rag_assistant.types import Asset, Mode

log = logging.getLogger(__name__)

Index = TypeVar("Index", bound=DenseStore | SparseStore)

# Processes that read files, where the settings don't say: the embedding model needs the cores more.
MOST_WORKERS = 4

MODES: tuple[Mode, ...] = ("hybrid", "dense_only", "sparse_only")

# Groups of settings that a named strategy may change for one request; the others shape what is indexed.
REQUEST_GROUPS = {"retrieval", "rerank"}


class Parts:
    """Model, indexes and lines over one open facts store. Safe to use from several threads."""

    def __init__(
        self, settings: Settings, directories: Directories, engine: Engine, tracer: Tracer, progress: Progress | None = None
    ) -> None:
        self.settings = settings
        self.directories = directories
        self.notices: list[str] = []
        self._engine = engine
        self._tracer = tracer
        self._progress = progress
        self._collections = Collections(engine)
        self._passages = Passages(engine)
        self._writer = DocumentWriter(engine, settings.ingest.keep_versions)
        self.assets = Assets(engine, directories.data / "assets")
        self._build_lock = threading.RLock()
        self._pipelines: dict[str, QueryPipeline] = {}
        self._workers = ThreadPoolExecutor(4, "rag-retrieve")

    @property
    def loaded(self) -> bool:
        """Whether the model and the indexes are open."""
        return "embedder" in self.__dict__ and "indexes" in self.__dict__

    def close(self, *, idle: bool) -> None:
        """Close what is open. While a job still runs (`idle` is false) it keeps the indexes and the model."""
        self._workers.shutdown()
        if "parser" in self.__dict__:
            self.parser.close()
        if idle and "indexes" in self.__dict__:
            self.indexes.dense.close()
            self.indexes.sparse.close()
        if idle and "embedder" in self.__dict__:
            self.embedder.close()

    @cached_property
    def model_files(self) -> ModelFiles | None:
        """The embedding model's files, fetched and made when they are not cached; None for a provider without files."""
        options = self.settings.embedding
        if not provider_class("embedder", options.provider).needs_files:
            return None
        folders = [Path(folder).expanduser() for folder in options.model_folders]
        return ensure_model(options.model, self.directories.models, progress=self._progress, extra_dirs=folders)

    @cached_property
    def embedder(self) -> Embedder:
        with self._build_lock:
            options = self.settings.embedding
            found: Embedder = build(
                "embedder",
                options.provider,
                files=self.model_files,
                device=options.device,
                threads=options.threads,
                batch_tokens=options.batch_tokens,
            )
            return found

    @cached_property
    def indexes(self) -> Indexes:
        with self._build_lock:
            return Indexes(self._open_dense(), self._open_sparse())

    def _open_dense(self) -> DenseStore:
        options = self.settings.dense
        # Vectors of another model are another index; the folder's name says which model made it.
        identity = hash32(self.embedder.model_id, self.embedder.revision)[:12]
        folder = self.directories.data / "index" / f"dense-{options.backend}-{identity}"

        def open_it() -> DenseStore:
            store: DenseStore = build(
                "dense", options.backend, folder=folder, exact_filter_max=options.exact_filter_max, ef_search=options.ef_search
            )
            return store

        return self._sound(open_it, folder, "dense")

    def _open_sparse(self) -> SparseStore:
        folder = self.directories.data / "index" / f"sparse-{self.settings.sparse.backend}"

        def open_it() -> SparseStore:
            store: SparseStore = build("sparse", self.settings.sparse.backend, folder=folder)
            return store

        return self._sound(open_it, folder, "sparse")

    def _sound(self, open_it: Callable[[], Index], folder: Path, side: str) -> Index:
        """Open an index and read every collection's ids from it; a damaged one is put aside and made anew, empty."""
        store: Index | None = None
        try:
            store = open_it()
            for kb_id in self._collections.all_ids():
                store.ids(kb_id)
        except IndexDamaged as error:
            log.warning("damaged index put aside", extra={"index": side, "reason": error.message})
            if store is not None:
                store.close()
            aside = folder.with_name(f"{folder.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
            folder.rename(aside)
            self.notices.append(
                f"The {side} index was damaged. It was put aside as {aside.name} and is being rebuilt from the facts."
            )
            store = open_it()
        return store

    @cached_property
    def ingestion(self) -> IngestPipeline:
        with self._build_lock:
            splitting, reading = self.settings.splitter, self.settings.ingest
            drafter = Drafter(
                parser=self.parser,
                loaders=self.loader_for,
                loader_version=lambda name: str(provider_class("loader", name).version),
                known_assets=self._known_assets,
                ocr=ProviderRef("ocr", self.settings.ocr.provider, self.ocr_profile),
                cleaner=build("cleaner", reading.cleaner),
                splitter=self._splitter(),
                enricher=build("enricher", reading.enricher),
                embedder=self.embedder,
                analyzer=self.analyzer,
                chunk_size=splitting.chunk_size,
                max_document_size=self.settings.limits.max_document_size,
            )
            return IngestPipeline(
                writer=self._writer,
                vectors=self.vectors,
                assets=self.assets,
                indexes=self.indexes,
                embedder=self.embedder,
                drafter=drafter,
                parser=self.parser,
                tracer=self._tracer,
                strategy_config_id=self.settings.strategy_config_id(),
            )

    def _splitter(self) -> Splitter:
        options = self.settings.splitter
        common = {"tokenizer": self.embedder.tokenizer, "chunk_overlap": options.chunk_overlap}
        if options.strategy == "semantic":
            common |= {"embedder": self.embedder, "percentile": options.semantic_percentile}
        found: Splitter = build("splitter", options.strategy, **common)
        return found

    @cached_property
    def vectors(self) -> VectorCache:
        """Cached vectors of the embedding model."""
        return VectorCache(self._engine, self.embedder.model_id, self.embedder.revision)

    @cached_property
    def parser(self) -> WorkerPool:
        """The processes that read files; started when there is something to read."""
        with self._build_lock:
            options, ocr = self.settings.ingest, self.settings.ocr
            worker = WorkerOptions(
                memory=options.memory_mb * 1024 * 1024,
                ocr_provider=ocr.provider,
                ocr_threads=ocr.threads,
                ocr_budget_s=ocr.budget_s,
                max_pictures=options.max_pictures,
                max_picture_size=options.max_picture_size,
                max_picture_pixels=options.max_picture_pixels,
            )
            return WorkerPool(options.workers or max(1, min(MOST_WORKERS, (os.cpu_count() or 1) // 2)), options.timeout_s, worker)

    def loader_for(self, name: str) -> str | None:
        """The loader, in the provider table, that reads a file of this name; None when none does."""
        chosen = self.settings.ingest.loaders.get(extension(name))
        return loader_name_for(name) if chosen is None else None if chosen == "none" else chosen

    @cached_property
    def ocr_profile(self) -> str:
        """What reads pictures, and in which version; `none` when nothing does."""
        return str(provider_class("ocr", self.settings.ocr.provider).installed_profile())

    def _known_assets(self, asset_ids: Sequence[str]) -> Mapping[str, Asset]:
        return self.assets.known(asset_ids, self.ocr_profile)

    @cached_property
    def analyzer(self) -> Analyzer:
        found: Analyzer = build("analyzer", self.settings.sparse.analyzer)
        return found

    def query_pipeline(self, strategy: str | None) -> QueryPipeline:
        with self._build_lock:
            if (strategy or "") not in self._pipelines:
                settings = self.settings_for(strategy)
                options, limits = settings.retrieval, settings.limits
                self._pipelines[strategy or ""] = QueryPipeline(
                    passages=self._passages,
                    embedder=self.embedder,
                    analyzer=self.analyzer,
                    dense=self.indexes.dense,
                    sparse=self.indexes.sparse,
                    fusion=build("fusion", options.fusion, options=FusionOptions(options.rrf_k, options.dense_weight)),
                    reranker=build("reranker", settings.rerank.provider),
                    tracer=self._tracer,
                    workers=self._workers,
                    depths=Depths(
                        options.dense_top_k, options.sparse_top_k, min(settings.rerank.top_n, limits.max_rerank_candidates)
                    ),
                    max_query_chars=limits.max_query_chars,
                    strategy_config_id=settings.strategy_config_id(),
                )
            return self._pipelines[strategy or ""]

    def settings_for(self, strategy: str | None) -> Settings:
        if strategy is None:
            return self.settings
        try:
            changed = with_strategy(self.settings, self.directories.config, strategy)
        except SettingsError as error:
            raise ValidationFailed(
                f"{error.message} 'strategy' may also be one of: {', '.join(MODES)}.",
                details=[FieldProblem("strategy", "unknown", error.message)],
            ) from error
        fixed = [group for group in Settings.model_fields if group not in REQUEST_GROUPS]
        differing = [group for group in fixed if getattr(changed, group) != getattr(self.settings, group)]
        if differing:
            raise ValidationFailed(
                f"The strategy '{strategy}' changes {', '.join(differing)}, which shapes what is indexed; "
                f"start the daemon with RAG_STRATEGY={strategy}."
            )
        return changed
