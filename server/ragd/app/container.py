"""The application: with `stores`, every object that holds a connection, a file or a thread is built here, once."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Literal

from ragd.access.authentication import Authenticator, ServerAuthenticator
from ragd.access.bodies import BodyReader
from ragd.access.checks import AccessChecks
from ragd.access.context import LiveAccess, PassageTools
from ragd.access.oidc import OidcTokens
from ragd.answer.verification import AnswerCheck
from ragd.app.documents import Documents
from ragd.app.evaluations.measuring import Measuring
from ragd.app.guides.service import Guides
from ragd.app.ingestion import new_drafter, open_indexes, require_shared, worker_options
from ragd.app.knowledge_bases import KnowledgeBases
from ragd.app.maintenance import Maintenance
from ragd.app.metrics import count_documents
from ragd.app.models import Models
from ragd.app.pages.service import DocumentPages
from ragd.app.pictures import Captioning, LentModels, PictureDetails, PictureQuestions, Pictures
from ragd.app.query_factory import QueryFactory
from ragd.app.reconciler import Reconciler
from ragd.app.replays.explanation import Explanations
from ragd.app.replays.ingestion import IngestionReplay
from ragd.app.replays.query import QueryReplay
from ragd.app.replays.service import Replays
from ragd.app.search import Search
from ragd.app.stores import Stores
from ragd.app.suggestions import Suggestions
from ragd.config.loading import Directories
from ragd.config.secrets import AllowedSecrets
from ragd.config.settings import Settings
from ragd.core.jobs import IngestResult
from ragd.core.lazy import Lazy
from ragd.core.tracing import utc_now
from ragd.ingest.discovery.originals import Originals
from ragd.ingest.discovery.paths import DocumentPaths
from ragd.ingest.indexes import Indexes
from ragd.ingest.interruptions import NOTE_FILE, Interruptions, Tell
from ragd.ingest.pipeline import IngestPipeline
from ragd.ingest.reading import Elsewhere, Report
from ragd.ingest.workers.pool import WorkerPool
from ragd.jobs.captions import DescribePictures
from ragd.jobs.executor import JobHandler
from ragd.jobs.ingest import IngestPaths, IngestUploads, Reread
from ragd.jobs.leader import Duties, Leader
from ragd.jobs.removal import Cleanup, Purge
from ragd.jobs.runner import JobRunner
from ragd.jobs.tokens import BuildTokens
from ragd.models.store import Progress
from ragd.providers.model_queue import ModelQueue
from ragd.sources.handler import HandlerContext
from ragd.sources.queue import SyncQueue
from ragd.sources.registry import local_types
from ragd.sources.service import SourceService
from ragd.store.contract.documents import UploadedDocuments
from ragd.store.jobs import PURGE, Job
from ragd.store.live.names import Names
from ragd.store.origins import Origins
from ragd.store.vectors import VectorCache

log = logging.getLogger(__name__)

_SEARCH_THREADS = 4

Role = Literal["all", "api", "worker"]
"""What a process does of what an application can: everything, or only answer, or only run jobs, beside others."""


class Application(Stores):
    """All objects of one data directory, and the services that clients use.

    The database opens at once; models and indexes open when they are first needed, or by `maintenance.warm`. The caller owns
    the data directory (`core.instance.Ownership`) for as long as the application is open.
    """

    def __init__(
        self,
        settings: Settings,
        directories: Directories,
        progress: Progress | None = None,
        reading: Tell = lambda _key, _begins: None,
        clock: Callable[[float], str] = utc_now,
        role: Role = "all",
    ) -> None:
        """`reading` is told which files are being read; jobs are put off by the `clock`.

        Raises `ServiceUnavailable` when the database can't be opened, and `SettingsError` for settings that can't be shared
        by several processes when this is one of them.
        """
        self.role: Role = "api" if role == "all" and settings.jobs.queue == "procrastinate" else role
        if self.role != "all":
            require_shared(settings)
        super().__init__(settings, directories, clock)
        self._notices: list[str] = []
        self._interruptions = Interruptions(directories.own / NOTE_FILE, reading)
        # Reentrant, and one for all: what is opened lazily needs other things that are.
        self._lock = threading.RLock()
        self._prepare_models(progress)
        self._open_sources()
        self._build_services()
        self._build_jobs()

    def _prepare_models(self, progress: Progress | None) -> None:
        self._queue = ModelQueue()
        self._search_threads = ThreadPoolExecutor(_SEARCH_THREADS, "rag-retrieve")
        self.models = Models(
            self.settings, self.directories, queue=self._queue, notices=self._notices, lock=self._lock, progress=progress
        )
        alone = self.role == "all" and self.settings.security.mode == "local"
        self.captioning = Captioning(self.settings.captions, self.descriptions, self._lock, alone=alone)
        self.parser = Lazy(self._open_parser, self._lock)
        self.vectors = Lazy(self._open_vectors, self._lock)
        self.indexes = Lazy(self._open_indexes, self._lock)
        self.ingestion = Lazy(self._open_ingestion, self._lock)
        self._queries = QueryFactory(
            own=self.settings,
            config_folder=self.directories.config,
            models=self.models,
            passages=self.passages,
            indexes=self.indexes,
            workers=self._search_threads,
            tracer=self.tracer,
            notices=self._notices,
            lock=self._lock,
        )

    def _open_sources(self) -> None:
        settings = self.settings
        context = HandlerContext(
            settings=settings,
            avoid=self.directories.written,
            sources=self._sources,
            documents=self.writer,
            ledger=self._ledger,
            jobs=self.jobs,
            queue=SyncQueue(self.jobs),
            ingestion=self.ingestion,
            secrets=AllowedSecrets(
                settings.security.secret_names, [self.directories.config, *map(Path, settings.security.allowed_roots)]
            ),
        )
        self.sources = SourceService(context, self.collections)
        body = BodyReader(self.parser, self._loader_for)
        self.access = LiveAccess(
            origins=Origins(self._engine, local_types()),
            ledger=self.sources.ledger,
            checks=AccessChecks(self.sources.opening, body, settings.live, settings.limits.max_document_size),
            options=settings.live,
            tools=PassageTools(self.models.terms, self.models.count_tokens, self.sources.sync_items),
        )

    def _build_services(self) -> None:
        settings, roots = self.settings, self.settings.security.allowed_roots
        originals = Originals(self.document_reader, roots, self.uploads, settings.limits.max_document_size)
        self._reread = Reread(self.ingestion, originals, self.document_reader, self.writer, self.collections, self.jobs)
        first_retry_s = next(iter(settings.jobs.cleanup_retries_s), 0.0)
        self._cleanup = Cleanup(self.ingestion, self.writer, self.uploads, self.jobs, first_retry_s, self.role != "all")
        self._tokens = BuildTokens(self.ingestion, self.indexes, self.writer, self.collections, self.jobs)
        self._purge = Purge(self.ingestion, self.indexes, self.writer, self.uploads)
        self.documents = Documents(
            settings,
            self.document_reader,
            self.writer,
            self.collections,
            self.jobs,
            self.sources,
            self.access,
            self._reread,
            self._cleanup,
            self._cleanup_tasks,
        )
        self.guides = Guides(self.document_reader, self.models, settings.llm)
        self.pictures = Pictures(self.assets, self.access, originals, self.parser)
        self.picture_questions = PictureQuestions(self.pictures, settings.ingest)
        self.pages = DocumentPages(self.document_reader, originals, self.parser)
        about = self.captioning
        self.captions = DescribePictures(
            about.settings, about.captioner, self.ingestion, self.parser, self.descriptions, self.assets, self.writer, self.jobs
        )
        self.picture_details = PictureDetails(self.pictures, about, self.document_reader, self.captions, self.standing)
        self.lent_models = LentModels(self.pictures, about, self.captions)
        self.search = Search(settings, self.collections, self.passages, self.access, self._queries)
        self.replays = Replays(
            self.traces,
            QueryReplay(self.search, self.collections, self.document_reader, self.passages, self.access),
            IngestionReplay(self.ingestion, originals, self.document_reader, self.collections, self.access),
        )
        self.explanations = Explanations(self.traces, self.document_reader, self.passages)
        self.measuring = Measuring(self._queries, self.search, self.collections, self.datasets, self.evaluations, self.jobs)
        uploaded = UploadedDocuments(self._engine, self.jobs)
        self.knowledge_bases = KnowledgeBases(self._cleanup_tasks, uploaded, self.documents, self.uploads, self.search)
        self.suggestions = Suggestions(Names(self._engine), self.access, self.overviews.revision, self._background)
        self.answer_check = AnswerCheck(self.passages, self._queries.support_check)
        self.reconciler = Reconciler(
            self.collections,
            self.writer,
            self._files,
            self.uploads,
            self.jobs,
            self.assets,
            self.vectors,
            self.indexes,
            self.ingestion,
            self._cleanup_tasks,
            self._tokens,
            self.captions,
            self.directories.own / "index",
            self._notices,
            self._clean_stop,
            self.role == "worker",
        )
        self.maintenance = Maintenance(
            settings,
            self.directories.data,
            self._engine,
            self.collections,
            self.writer,
            self.jobs,
            self.overviews,
            self.models,
            self.indexes,
            self._queries,
            self._notices,
        )

    def _build_jobs(self) -> None:
        settings = self.settings
        handlers: dict[str, JobHandler] = {
            "ingest": self.path_ingestion(),
            "upload": IngestUploads(self.ingestion, self.uploads, self._files),
            "reread": self._reread,
            "rebuild": self._rebuild,
            "repair": partial(self._rebuild, tokens=False),
            "tokens": self._tokens,
            "captions": self.captions,
            "cleanup": self._cleanup,
            PURGE: self._purge,
            "sync": self.sources.run_sync,
            **self.measuring.handlers(),
        }
        retries = dict.fromkeys((PURGE, "cleanup"), settings.jobs.cleanup_retries_s)
        self.runner = JobRunner(self.jobs, handlers, retries, ended=count_documents(self.metrics))
        begin, end, follow = self.follow_sources, self.sources.stop, self.sources.follow_changes
        duties = Duties(begin, follow, self.reconciler.reconcile, sweep=lambda: self.ingestion().sweep(), end=end)
        self.leader = Leader(self._engine, self.deliveries, duties)

    def path_ingestion(self, elsewhere: Elsewhere | None = None) -> IngestPaths:
        """What runs jobs that read paths; with `elsewhere`, in other processes than this one."""
        roots = self.settings.security.allowed_roots
        return IngestPaths(self._files, self.ingestion, roots, self.directories.written, self._loader_for, elsewhere)

    def _rebuild(self, job: Job, report: Report, tokens: bool = True) -> IngestResult:
        """Make the index entries of documents anew from their stored content; token codes may follow by a job of their own."""
        if tokens:
            self.reconciler.remove_damaged_tokens()
        return self.ingestion().rebuild(job.payload["doc_ids"], report=report, links=job.links, tokens=tokens)

    def authenticator(self, token: str) -> Authenticator:
        """Who finds out who asks; `token` is that of this process."""
        if self.settings.security.mode == "local":
            return Authenticator(token)
        oidc = OidcTokens(self.settings.oidc, self.collections) if self.settings.oidc.issuer else None
        return ServerAuthenticator(token, self.keys.stored, oidc, self._background)

    # What opens when it is first needed

    def _open_parser(self) -> WorkerPool:
        count, options = worker_options(self.settings)
        return WorkerPool(count, self.settings.ingest.timeout_s, options)

    def _open_vectors(self) -> VectorCache:
        embedder = self.models.embedder()
        return VectorCache(self._engine, embedder.model_id, embedder.revision)

    def _open_indexes(self) -> Indexes:
        kb_ids = self.collections.live_ids()
        return open_indexes(
            self.settings,
            self.directories.own / "index",
            self.models.embedder(),
            kb_ids,
            self._notices,
            read=not self._clean_stop.found,
        )

    def _open_ingestion(self) -> IngestPipeline:
        parser = self.parser()
        return IngestPipeline(
            writer=self.writer,
            vectors=self.vectors(),
            assets=self.assets,
            indexes=self.indexes(),
            embedder=self.models.embedder(),
            drafter=new_drafter(self.settings, self.models, parser, self._loader_for, self.assets, self.captioning.described),
            parser=parser,
            paths=DocumentPaths(self._files, self.directories.data / "uploads", self.settings.security.allowed_roots),
            tracer=self.tracer,
            interruptions=self._interruptions,
            strategy_config_id=self.settings.strategy_config_id(),
            request_tokens=self._tokens.request,
            request_captions=self.captions.request,
            is_alone=lambda: self.role == "all" or self.leader.is_alone,
        )

    def follow_sources(self) -> None:
        """Begin to follow the folders of every source, when the settings say so, and to read cloud sources when they are due."""
        if self.settings.watch.enabled:
            self.sources.start()
        self.sources.start_schedule()

    def close(self, grace_s: float | None = None) -> bool:
        """Bring the running job to a safe point, within `grace_s` seconds, and close everything. The queue of jobs is kept.

        Returns whether the job stopped in time; if not, a thread of it may keep the process from ending.
        """
        grace_s = self.settings.server.shutdown_grace_s if grace_s is None else grace_s
        self.leader.stop(grace_s)
        self.sources.stop()
        stopped = self.runner.stop(grace_s)
        if not stopped:
            log.warning("the running job did not stop in time; it will go on at the next start")
        self.access.checks.close()
        self.captioning.close()
        self._search_threads.shutdown()
        self._background.shutdown(cancel_futures=True)
        if parser := self.parser.opened:
            parser.close()
        # A job that still runs keeps the indexes and the embedder.
        if stopped and (indexes := self.indexes.opened):
            indexes.close()
        if stopped:
            self._queue.close()
        self.models.close(idle=stopped)
        self.tracer.close()
        self.audit.close()
        is_clean = stopped and self._clean_stop.to_be_left and not self.jobs.unfinished()
        self._changes.close()
        self._engine.dispose()
        if is_clean:
            self._clean_stop.leave()
        return stopped
