"""The parts that cost time to open, each built from the settings when it is first needed: model, indexes, the two lines."""

from __future__ import annotations

import logging
import os
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from string import Template
from typing import TypeVar

from sqlalchemy import Engine

from ragd.answer.answerer import Answerer
from ragd.answer.prompt import PromptBuilder, read_rules
from ragd.answer.support import SupportCheck
from ragd.app.query_factory import LOCAL_RERANKERS, build_reranker, query_pipeline
from ragd.config.answering import LlmSettings, RerankSettings
from ragd.config.loading import Directories, with_strategy
from ragd.config.secrets import resolve
from ragd.config.settings import Settings
from ragd.core.documents import Place
from ragd.core.errors import FieldProblem, IndexDamaged, IndexOutdated, SettingsError, ValidationFailed
from ragd.core.ids import hash32
from ragd.core.query import MODES
from ragd.core.results import Passage
from ragd.core.storage import Asset
from ragd.core.tracing import ProviderRef, Tracer
from ragd.formats.common.naming import extension
from ragd.formats.registry import loader_name_for
from ragd.ingest.drafts import Drafter
from ragd.ingest.indexes import Indexes
from ragd.ingest.pipeline import IngestPipeline
from ragd.ingest.workers.pool import WorkerPool
from ragd.ingest.workers.process import WorkerOptions
from ragd.models.rows import model_row
from ragd.models.store import ModelFiles, Progress, ensure_model
from ragd.providers.calibration_cache import CalibrationCache
from ragd.providers.centred_embedder import CentredEmbedder
from ragd.providers.model_queue import ModelQueue
from ragd.providers.protocols import Analyzer, DenseStore, Embedder, LanguageModel, Reranker, SparseStore, Splitter
from ragd.providers.queued_embedder import queued
from ragd.providers.registry import build, provider_class
from ragd.retrieve.pipeline import QueryPipeline
from ragd.retrieve.planning.synonyms import SYNONYMS_FILE, Synonyms
from ragd.store.assets import Assets
from ragd.store.collections import Collections
from ragd.store.documents import DocumentWriter
from ragd.store.passages import Passages
from ragd.store.vectors import VectorCache

log = logging.getLogger(__name__)

Index = TypeVar("Index", bound=DenseStore | SparseStore)

# Processes that read files, where the settings don't say: the embedding model needs the cores more.
MOST_WORKERS = 4

_PUT_ASIDE = re.compile(r"\.(damaged|outdated)-")

# What a reranker is warmed with, and the seconds that it may take: making a calibration takes some, once for each model.
_WARM = Passage("", "", "", "", "warm", "", "", "text", "", (), Place(), 0, 1)
_WARM_S = 60.0

# Groups of settings that a named strategy may change for one request; the others shape what is indexed.
REQUEST_GROUPS = {"retrieval", "rerank", "llm", "answer"}


class Parts:
    """Model, indexes and lines over one open facts store. Safe to use from several threads."""

    def __init__(
        self, settings: Settings, directories: Directories, engine: Engine, tracer: Tracer, progress: Progress | None = None
    ) -> None:
        self.settings = settings
        self.directories = directories
        self.notices: list[str] = []
        self.model_changed = False
        self._engine = engine
        self.tracer = tracer
        self.progress = progress
        self._collections = Collections(engine)
        self.passages = Passages(engine)
        self._writer = DocumentWriter(engine, settings.ingest.keep_versions)
        self.assets = Assets(engine, directories.data / "assets")
        self._build_lock = threading.RLock()
        self._pipelines: dict[str, QueryPipeline] = {}
        self._language_models: dict[LlmSettings, LanguageModel] = {}
        self._answerers: dict[str, Answerer] = {}
        self._rerankers: dict[tuple[RerankSettings, LlmSettings], Reranker] = {}
        self.workers = ThreadPoolExecutor(4, "rag-retrieve")
        self.model_queue = ModelQueue()

    @property
    def warnings(self) -> list[str]:
        """What the open models have to say: a device that could not be had."""
        open_parts = [*([self._model] if self.loaded else []), *self._rerankers.values()]
        return [warning for part in open_parts for warning in getattr(part, "warnings", ())]

    def warm_reranker(self) -> None:
        """Let the reranker of the settings do once what takes time the first time; a service elsewhere is not asked."""
        found = self.reranker(self.settings)
        if found.name in LOCAL_RERANKERS:
            found.score("warm", [_WARM], time.monotonic() + _WARM_S)

    def reranker_status(self) -> dict[str, str]:
        """Which reranker the settings came to, once it is open, and where it runs; empty before."""
        found = self._rerankers.get((self.settings.rerank, self.settings.llm))
        if found is None:
            return {}
        device = getattr(found, "device", "")
        return {"name": found.name, "profile": found.profile} | ({"device": device} if device else {})

    @property
    def loaded(self) -> bool:
        """Whether the model and the indexes are open."""
        return "embedder" in self.__dict__ and "indexes" in self.__dict__

    def close(self, *, idle: bool) -> None:
        """Close what is open. While a job still runs (`idle` is false) it keeps the indexes and the model."""
        self.workers.shutdown()
        for part in (*self._language_models.values(), *self._rerankers.values()):
            if close := getattr(part, "close", None):
                close()
        if "parser" in self.__dict__:
            self.parser.close()
        if idle and "indexes" in self.__dict__:
            self.indexes.dense.close()
            self.indexes.sparse.close()
        if idle:
            self.model_queue.close()
        if idle and "embedder" in self.__dict__:
            self.embedder.close()

    @cached_property
    def model_files(self) -> ModelFiles | None:
        """The embedding model's files, fetched and made when they are not cached; None for a provider without files."""
        options = self.settings.embedding
        if not provider_class("embedder", options.provider).needs_files:
            return None
        folders = [Path(folder).expanduser() for folder in options.model_folders]
        row = model_row(options.model, "embedding")
        return ensure_model(row, self.directories.models, progress=self.progress, extra_dirs=folders)

    @cached_property
    def embedder(self) -> Embedder:
        with self._build_lock:
            return CentredEmbedder(self._model, self.calibration) if self.calibration.weight else self._model

    @cached_property
    def calibration(self) -> CalibrationCache:
        """What is known of the embedding model's space; computed when it is first asked for."""
        with self._build_lock:
            files, weight = self.model_files, self.settings.embedding.centring
            # Beside the models: a folder within a model's own would be taken for a damaged copy of it.
            folder = self.directories.data if files is None else self.directories.models
            best = files.row.centring if files else 0.0
            return CalibrationCache(self._model, folder / "calibrations", best if weight is None else weight)

    @property
    def relevance(self) -> Callable[[float], float] | None:
        """Makes 0..1 of a cosine. None for a service that would have to be asked for more than the questions and passages."""
        if self._model.device == "remote" and not self.calibration.weight:
            return None
        return lambda cosine: self.calibration.get().related(cosine)

    @cached_property
    def _model(self) -> Embedder:
        """The embedding model as it is."""
        with self._build_lock:
            options, files = self.settings.embedding, self.model_files
            # A provider without files runs elsewhere; where and how, the settings say.
            how = (
                {"options": options}
                if files is None
                else {
                    "files": files,
                    "device": options.device,
                    "threads": options.threads,
                    "batch_tokens": options.batch_tokens,
                    "spinning": options.spinning,
                }
            )
            return queued(build("embedder", options.provider, **how), self.model_queue)

    @cached_property
    def indexes(self) -> Indexes:
        with self._build_lock:
            return Indexes(self._open_dense(), self._open_sparse())

    def _open_dense(self) -> DenseStore:
        options = self.settings.dense
        # Vectors of another model are another index; the folder's name says which model made it.
        identity = hash32(self.embedder.model_id, self.embedder.revision)[:12]
        folder = self.directories.data / "index" / f"dense-{options.backend}-{identity}"
        others = [path.name for path in folder.parent.glob("dense-*") if not path.name.endswith(identity)]
        self.model_changed = not folder.exists() and any(not _PUT_ASIDE.search(name) for name in others)

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
        """Open an index and read every collection's ids from it; one of no use is put aside and made anew, empty."""
        store: Index | None = None
        try:
            store = open_it()
            for kb_id in self._collections.all_ids():
                store.ids(kb_id)
        except IndexDamaged as error:
            log.warning("index put aside", extra={"index": side, "reason": error.message})
            if store is not None:
                store.close()
            outdated = isinstance(error, IndexOutdated)
            aside = folder.with_name(f"{folder.name}.{'outdated' if outdated else 'damaged'}-{time.strftime('%Y%m%d-%H%M%S')}")
            folder.rename(aside)
            self.notices.append(
                f"The {side} index was {'made by an earlier version' if outdated else 'damaged'}. It was put aside as "
                f"{aside.name} and is being rebuilt from the facts."
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
                tracer=self.tracer,
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

    def terms(self, text: str) -> Sequence[str]:
        """The terms of a text, by the analyzer."""
        return self.analyzer.tokens(text)

    def count_tokens(self, text: str) -> int:
        """The length of a text, as the embedding model counts it."""
        return self.embedder.tokenizer.count(text)

    def query_pipeline(self, strategy: str | None) -> QueryPipeline:
        """The query line under a named strategy, or the settings as they are."""
        with self._build_lock:
            if (strategy or "") not in self._pipelines:
                settings = self.settings_for(strategy)
                self._pipelines[strategy or ""] = query_pipeline(self, settings, self.reranker(settings), self._synonyms)
            return self._pipelines[strategy or ""]

    @cached_property
    def _synonyms(self) -> Synonyms:
        return Synonyms(self.directories.config / SYNONYMS_FILE, self.analyzer)

    def reranker(self, settings: Settings) -> Reranker:
        """The reranker that these settings ask for; strategies that ask for the same share it."""
        with self._build_lock:
            key = settings.rerank, settings.llm
            if key not in self._rerankers:
                self._rerankers[key] = build_reranker(self, settings)
            return self._rerankers[key]

    def language_model_of(self, options: LlmSettings) -> LanguageModel | None:
        """The model that writes, None when the settings name none. Raises `SettingsError` when it can't be used as it is set."""
        if options.provider == "none":
            return None
        with self._build_lock:
            if options not in self._language_models:
                how = options.model_dump(exclude={"provider", "api_key", "max_output_tokens"})
                key = resolve(options.api_key, "llm.api_key")
                self._language_models[options] = build("llm", options.provider, api_key=key, **how)
            return self._language_models[options]

    def answerer(self, strategy: str | None) -> Answerer:
        """What makes an answer of passages. Raises `SettingsError` when the model or the rules can't be used."""
        with self._build_lock:
            if (strategy or "") not in self._answerers:
                settings = self.settings_for(strategy)
                self._answerers[strategy or ""] = Answerer(
                    model=self.language_model_of(settings.llm),
                    prompts=self.prompts(settings),
                    embedder=self.embedder,
                    analyzer=self.analyzer,
                    support=self.support_check(settings),
                    max_output_tokens=settings.llm.max_output_tokens,
                )
            return self._answerers[strategy or ""]

    def prompts(self, settings: Settings) -> PromptBuilder:
        """Builds the messages for language models. Raises `SettingsError` when the rules can't be used."""
        return PromptBuilder(self._rules, settings.answer.history_tokens)

    @cached_property
    def _rules(self) -> Template:
        return read_rules(self.directories.config)

    def support_check(self, settings: Settings) -> SupportCheck:
        """What holds answers against passages."""
        # The threshold was measured on the model's own vectors.
        return SupportCheck(self._model, self.analyzer, settings.answer.support_threshold)

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
