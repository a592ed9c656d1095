"""The engine behind every door: opens the parts, keeps them sound, runs what doors ask for, closes. Doors call this alone."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragd import __version__
from ragd.access.context import AccessContext, LiveParts
from ragd.access.service import LiveAccess
from ragd.answer.answerer import Delta
from ragd.answer.cancellation import Cancellation
from ragd.answer.prompt import Prompt
from ragd.answer.verification import AnswerCheck
from ragd.app.container import Parts
from ragd.app.diagnosis import Diagnosis
from ragd.app.reconciler import Upkeep
from ragd.config.loading import Directories
from ragd.config.policy import mcp_notices, mcp_status
from ragd.config.settings import Settings
from ragd.core.errors import FieldProblem, RagError, RemoteUnavailable, ValidationFailed
from ragd.core.instance import INFO_FILE
from ragd.core.jobs import IngestResult
from ragd.core.query import ChatRequest, PromptRequest, QueryRequest
from ragd.core.results import Answer
from ragd.core.storage import Collection
from ragd.core.tracing import NO_PROVIDER, JsonlSink, Tracer
from ragd.ingest.discovery.file_rules import FileRules
from ragd.ingest.discovery.files import Found, check_paths, find_files
from ragd.ingest.discovery.originals import KIND as REREAD
from ragd.ingest.discovery.originals import Originals, Rereading
from ragd.ingest.discovery.roots import narrowed
from ragd.ingest.discovery.uploads import Upload, Uploads
from ragd.ingest.indexes import Indexes
from ragd.ingest.reading import Report
from ragd.jobs.runner import JobRunner
from ragd.language.token_estimate import estimate_tokens
from ragd.models.store import Progress
from ragd.providers.protocols import Embedder
from ragd.retrieve.pipeline import QueryResult, ResolvedQuery
from ragd.sources.handler import Pace
from ragd.sources.service import SourceService
from ragd.store.assets import StoredFile, Variant, no_picture
from ragd.store.collections import DEFAULT, Collections
from ragd.store.database.engine import open_engine
from ragd.store.document_reader import DocumentReader
from ragd.store.documents import DocumentWriter
from ragd.store.evaluations import Evaluations
from ragd.store.feedback import Feedback
from ragd.store.jobs import Job, Jobs
from ragd.store.ledger import Ledger
from ragd.store.overview import Overviews
from ragd.store.passages import Passages
from ragd.store.sources import Sources
from ragd.store.traces import Traces

log = logging.getLogger(__name__)


class App:
    """The engine behind every door. The facts store opens at once; model and indexes when they are first needed, or by `warm`.

    The caller owns the data directory (`daemon.Ownership`) for as long as the app is open.
    """

    def __init__(self, settings: Settings, directories: Directories, progress: Progress | None = None) -> None:
        """Raises `ServiceUnavailable` when the facts store can't be opened."""
        self.settings = settings
        self.directories = directories
        directories.data.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._engine = open_engine(settings.store.url, directories.data)
        self.collections = Collections(self._engine)
        self.collections.ensure_default()
        self.documents = DocumentReader(self._engine)
        self.passages = Passages(self._engine)
        self.jobs = Jobs(self._engine, settings.limits.max_queued_jobs, settings.jobs.keep)
        self.overviews = Overviews(self._engine, self.passages, self.jobs)
        self.evaluations = Evaluations(self._engine, settings.evaluation.keep)
        self.feedback = Feedback(self._engine)
        self._traces = Traces(self._engine, settings.observability.keep_traces)
        self._writer = DocumentWriter(self._engine)
        self.tracer = Tracer([JsonlSink(directories.logs / "traces.jsonl"), self._traces], settings.observability.detail_level)
        self._parts = Parts(settings, directories, self._engine, self.tracer, progress)
        self._uploads = Uploads(directories.data / "uploads", self._parts.loader_for)
        watching = settings.watch
        self.sources = SourceService(
            sources=Sources(self._engine),
            collections=self.collections,
            jobs=self.jobs,
            documents=self._writer,
            run=self._take_in,
            allowed_roots=settings.security.allowed_roots,
            avoid=self._own_folders(),
            pace=Pace(watching.debounce_s, watching.poll_s, watching.rescan_hours * 3600),
            ledger=Ledger(self._engine),
            sync=settings.sync,
            live=settings.live,
            max_size=settings.limits.max_document_size,
        )
        self._live = LiveAccess(
            self._engine,
            opening=self.sources.opening,
            options=settings.live,
            parser=lambda: self._parts.parser,
            loader_for=self._parts.loader_for,
            parts=LiveParts(self._parts.terms, self._parts.count_tokens, self.sources.sync_items),
            max_size=settings.limits.max_document_size,
        )
        self.answer_check = AnswerCheck(self.passages, lambda: self._parts.support_check(settings))
        parts = self._parts
        self.diagnosis = Diagnosis(
            database=self._engine,
            collections=self.collections,
            documents=self._writer,
            embedder=lambda: parts.embedder,
            indexes=lambda: parts.indexes,
            backends=f"{settings.dense.backend} and {settings.sparse.backend}",
        )
        limits, security = settings.limits, settings.security
        self._originals = Originals(
            self.documents, security.allowed_roots, directories.data / "uploads", limits.max_document_size
        )
        self._rereading = Rereading(
            documents=self.documents,
            originals=self._originals,
            collections=self.collections,
            jobs=self.jobs,
            writer=self._writer,
            run=self._take_in,
        )
        self._upkeep = Upkeep(self._parts, self.collections, self._writer, self._uploads, self.jobs)
        self.runner = JobRunner(
            self.jobs,
            {
                "ingest": self._run_ingest,
                "upload": self._run_upload,
                REREAD: self._rereading.run,
                "rebuild": self._run_rebuild,
                "repair": self._run_rebuild,
                "purge": self._run_purge,
                "cleanup": self._run_cleanup,
                "sync": self.sources.run_sync,
            },
            retries=dict.fromkeys(("purge", "cleanup"), settings.jobs.cleanup_retries_s),
        )

    @property
    def embedder(self) -> Embedder:
        """The embedding model, loaded when it is first asked for. Raises `ModelUnavailable`."""
        return self._parts.embedder

    @property
    def indexes(self) -> Indexes:
        """Both indexes, opened when they are first asked for."""
        return self._parts.indexes

    @property
    def notices(self) -> list[str]:
        """What people should know: an index that was damaged, a device that could not be had."""
        return [*self._parts.notices, *self._parts.warnings, *mcp_notices(self.settings.mcp)]

    # Life

    def warm(self) -> None:
        """Open the model and the indexes now instead of at the first request."""
        embedder = self.embedder
        try:
            embedder.embed_queries(["warm"])
            self._parts.warm_reranker()
        except RemoteUnavailable as error:
            # The service may come back, and until then the sparse index answers.
            log.warning("the embedding service gives no vectors", extra={"reason": error.message})
        self._parts.analyzer.tokens("warm 準備")
        self._parts.query_pipeline(None)

    def reconcile(self) -> Job | None:
        """Finish or roll back what a crash left, and repair views that differ from the facts: see `Upkeep.reconcile`."""
        return self._upkeep.reconcile()

    def follow_sources(self) -> None:
        """Begin to follow the folders of every source, when the settings say so, and to read cloud sources when they are due."""
        if self.settings.watch.enabled:
            self.sources.start()
        self.sources.start_schedule()

    def close(self) -> None:
        """Bring the running job to a safe point and close everything. The queue is kept."""
        self.sources.stop()
        stopped = self.runner.stop(self.settings.server.shutdown_grace_s)
        if not stopped:
            log.warning("the running job did not stop in time; it will go on at the next start")
        self._live.close()
        self._parts.close(idle=stopped)
        self.tracer.close()
        self._engine.dispose()

    # AccessChecks

    def asker(self, tokens: Mapping[str, str]) -> AccessContext:
        """Whoever asks with these tokens, by source id, for one request: what may be shown to them."""
        return self._live.asker(tokens)

    def query(self, request: QueryRequest) -> QueryResult:
        """Find the passages that answer a question. Raises `ValidationFailed`, `CollectionNotFound`, `CollectionUnavailable`."""
        query = self._resolved(request)
        return self._parts.query_pipeline(request.overlay).run(query)

    def _resolved(self, request: QueryRequest) -> ResolvedQuery:
        targets = [self.collections.available(request.collection)] if request.collection else self.collections.enabled()
        limit = self.settings.limits.max_top_k
        top_k = self.settings.retrieval.top_k if request.top_k is None else request.top_k
        if not 1 <= top_k <= limit:
            raise ValidationFailed(
                f"top_k must be between 1 and {limit}.", details=[FieldProblem("top_k", "out_of_range", f"1 to {limit}.")]
            )
        options = self._parts.settings_for(request.overlay).retrieval
        self.passages.require_live_versions(request.filters.version_id)
        return ResolvedQuery(
            request=request,
            kb_ids=tuple(target.kb_id for target in targets),
            mode=request.mode or options.strategy,
            top_k=top_k,
            max_context_tokens=request.max_context_tokens or options.max_context_tokens,
            # An evaluation has no rights of its own: others read what it keeps.
            admission=self.asker({} if request.evaluation else request.source_tokens),
        )

    def chat(self, request: ChatRequest, cancellation: Cancellation) -> tuple[QueryResult, Iterator[Delta | Answer]]:
        """Find passages as `query` does, and the answer made of them: pieces, then the whole of it.

        The answer is made while the iterator is read, which must be read to its end or closed: then the trace of both is
        recorded. Raises what `query` raises, and `SettingsError` for a language model that can't be used as it is set.
        """
        query = self._resolved(request)
        pipeline, answerer = self._parts.query_pipeline(request.overlay), self._parts.answerer(request.overlay)
        opened = ExitStack()
        result, trace = opened.enter_context(pipeline.open(query))
        pieces = answerer.answer(result, request.history, trace, cancellation, extractive=request.extractive)
        return result, self._answered(opened, pieces)

    def prompt(self, request: PromptRequest) -> tuple[QueryResult, Prompt]:
        """Find passages as `query` does, and the messages for a model of the client; none where there is nothing to answer from.

        Raises what `query` raises, and `ValidationFailed` when the question and one passage do not fit.
        """
        query, settings = self._resolved(request), self._parts.settings_for(request.overlay)
        limit = request.max_tokens or settings.llm.context_tokens - settings.llm.max_output_tokens
        prompts = self._parts.prompts(settings)
        with self._parts.query_pipeline(request.overlay).open(query) as (result, trace):
            with trace.span("stage.generate", NO_PROVIDER) as span:
                prompt = prompts.build_if_found(result, request.history, limit, estimate_tokens, request.attachments)
                span.attrs |= prompt.trace_attributes()
            return result, prompt

    def _answered(self, opened: ExitStack, answer: Iterator[Delta | Answer]) -> Iterator[Delta | Answer]:
        with opened:
            yield from answer

    # Ingesting

    def ingest(
        self,
        paths: Sequence[str],
        *,
        collection: str | None = None,
        force: bool = False,
        recursive: bool = True,
        gitignore: bool = True,
        within: Sequence[str] | None = None,
        request_id: str | None = None,
    ) -> Job:
        """Queue the ingestion of files and folders. In folders, what `.gitignore` files name is left out unless told otherwise.

        `within` narrows the allowed roots. Raises `ForbiddenPath` for a path outside of them, `ValidationFailed` for none there.
        """
        name = collection or DEFAULT
        target = self.collections.available(name)
        check_paths(paths, narrowed(self.settings.security.allowed_roots, within))
        payload = {"paths": list(paths), "force": force, "recursive": recursive, "gitignore": gitignore}
        return self._queue("ingest", target, payload | ({"within": list(within)} if within else {}), request_id)

    def receive(self, name: str) -> Upload:
        """A place for the bytes of one upload; hand finished ones to `ingest_uploads`. Raises `UnsupportedMediaType`."""
        return self._uploads.receive(name)

    def ingest_uploads(
        self, uploads: Sequence[Upload], target: Collection, *, force: bool = False, request_id: str | None = None
    ) -> Job:
        """Queue the ingestion of files that were uploaded whole. When the queue is full the files are thrown away."""
        for upload in uploads:
            upload.seal()
        files = [{"staged": str(upload.staged), "source": upload.source} for upload in uploads]
        try:
            return self._queue("upload", target, {"files": files, "force": force}, request_id)
        except RagError:
            for upload in uploads:
                upload.abandon()
            raise

    def reread(self, doc_id: str, tokens: Mapping[str, str] | None = None, request_id: str | None = None) -> Job:
        """Queue the reading of one document again: of its file, by force (see `Rereading.queue`), or of its item of a source."""
        if origin := self.sources.ledger.of_documents([doc_id]).get(doc_id):
            source_id, item = origin
            return self.sources.sync_items(source_id, [item.item_id], (tokens or {}).get(source_id), request_id)
        return self._rereading.queue(doc_id, request_id)

    def rebuild(self, collection: str | None = None, request_id: str | None = None) -> Job:
        """Queue the making anew of both views from the facts, for one collection or all."""
        targets = [self.collections.get(collection)] if collection else self.collections.enabled()
        doc_ids = [doc_id for target in targets for doc_id in self._writer.live_documents(target.kb_id)]
        payload = {"doc_ids": doc_ids}
        return self.jobs.add("rebuild", collection=collection or "", kb_id="", payload=payload, request_id=request_id)

    def _queue(self, kind: str, target: Collection, payload: Mapping[str, Any], request_id: str | None) -> Job:
        return self.jobs.add(kind, collection=target.name, kb_id=target.kb_id, payload=payload, request_id=request_id)

    def _run_ingest(self, job: Job, report: Report) -> IngestResult:
        report("searching files", 0, 0)
        payload = job.payload
        found = find_files(
            payload["paths"],
            recursive=payload["recursive"],
            allowed_roots=narrowed(self.settings.security.allowed_roots, payload.get("within")),
            # Jobs that the first release queued say nothing of it.
            rules=FileRules(gitignore=payload.get("gitignore", True)),
            avoid=self._own_folders(),
            loader_for=self._parts.loader_for,
        )
        return self._parts.ingestion.run(job.kb_id, found, force=payload["force"], report=report, links=_links(job))

    def _take_in(self, kb_id: str, found: Found, **how: Any) -> IngestResult:
        """The ingestion line, which is built when it is first needed."""
        return self._parts.ingestion.run(kb_id, found, **how)

    def _own_folders(self) -> list[Path]:
        """What we write ourselves, and no search for documents enters or takes. In a checkout the samples lie beside it."""
        data = self.directories.data
        ours = (data / "uploads", data / "assets", data / "index", data / "evaluation", self.directories.logs, data / INFO_FILE)
        return [folder.resolve() for folder in ours]

    def _run_upload(self, job: Job, report: Report) -> IngestResult:
        files = job.payload["files"]
        found = Found(items=[self._uploads.keep(Path(item["staged"]), item["source"], job.kb_id) for item in files])
        return self._parts.ingestion.run(job.kb_id, found, force=job.payload["force"], report=report, links=_links(job))

    def _run_rebuild(self, job: Job, report: Report) -> IngestResult:
        return self._parts.ingestion.rebuild(job.payload["doc_ids"], report=report, links=_links(job))

    # Deleting

    def delete_document(self, doc_id: str, request_id: str | None = None) -> None:
        """Delete a document: gone from every answer when this returns. A job removes what can't be removed at once.

        Raises `DocumentNotFound` or `DocumentDeleted`.
        """
        document = self.documents.get(doc_id)
        target = self.collections.get(document["collection"])
        self._parts.ingestion.tombstone([doc_id])
        retry_s = next(iter(self.settings.jobs.cleanup_retries_s), 0.0)
        self._upkeep.clean_up_document(document, target.kb_id, retry_s, request_id)

    def delete_collection(self, name: str) -> None:
        """Delete a collection: gone at once, what it held after the running job. `default` can't be deleted.

        Raises `CollectionNotFound` or `ValidationFailed`.
        """
        target = self.collections.tombstone(name)
        self.sources.collection_deleted(target.kb_id)
        self.jobs.cancel_all(target.kb_id)
        self._queue("purge", target, {}, None)

    def _run_cleanup(self, job: Job, report: Report) -> IngestResult:
        report("deleting", 0, 0)
        self._upkeep.clean_up(job.kb_id, job.payload["doc_ids"], job.payload["uris"])
        return IngestResult(deleted=len(job.payload["doc_ids"]))

    def _run_purge(self, job: Job, report: Report) -> IngestResult:
        report("deleting", 0, 0)
        self._upkeep.purge_collection(job.kb_id)
        return IngestResult()

    def verify(self, collection: str | None = None) -> dict[str, Any]:
        """Hold the facts of one collection, or of all, against the views, vectors and files: see `Upkeep.verify`."""
        targets = [self.collections.get(collection)] if collection else self.collections.enabled()
        return self._upkeep.verify({target.kb_id: target.name for target in targets})

    # Pictures

    def picture(self, asset_id: str, variant: Variant, tokens: Mapping[str, str] | None = None) -> StoredFile:
        """The file of a picture that a document shows which the asker may see. Raises `AssetNotFound`."""
        showing = self._live.origins.showing(asset_id)
        asker = self.asker(tokens or {})
        for_all = bool(asker.open_to_all(showing))
        if showing and not for_all and not asker.readable(showing):
            raise no_picture(asset_id)
        return replace(self._parts.assets.find(asset_id, variant), for_all=for_all)

    def page_image(self, doc_id: str, page: int, width: int, chunk_ids: Sequence[str] = ()) -> bytes:
        """A page of a PDF as PNG, `width` pixels wide, with the passages marked. Raises as `Originals.page` does."""
        data, source, highlights = self._originals.page(doc_id, chunk_ids, page)
        return self._parts.parser.render_page(data, source, page, width, highlights)

    # AccessReport

    def list_documents(
        self, kb_id: str | None, status: str | None, page: int, page_size: int
    ) -> tuple[list[dict[str, Any]], int]:
        """One page of documents by source, those that need a token behind them, and how many there are in all."""
        return self.documents.page(kb_id, status, page, page_size, unnamed=self._live.origins.private_ids())

    def trace(self, trace_id: str) -> dict[str, Any]:
        """One trace. Raises `TraceNotFound`."""
        self.tracer.flush()
        return self._traces.get(trace_id)

    def traces(
        self, page: int, page_size: int, *, trace_type: str | None, job_id: str | None
    ) -> tuple[list[dict[str, Any]], int]:
        """One page of traces, newest first, and how many there are."""
        self.tracer.flush()
        return self._traces.page(page, page_size, trace_type=trace_type, job_id=job_id)

    def status(self) -> dict[str, Any]:
        """What is loaded, where it is, and how much it holds."""
        model: dict[str, Any] = {"id": self.settings.embedding.model, "provider": self.settings.embedding.provider}
        if self._parts.loaded:
            model |= {"revision": self.embedder.revision, "dim": self.embedder.dimension, "device": self.embedder.device}
        return {
            "version": __version__,
            "ready": self._parts.loaded,
            "model": model,
            "reranker": {"provider": self.settings.rerank.provider, **self._parts.reranker_status()},
            "llm": {"provider": self.settings.llm.provider, "model": self.settings.llm.model},
            "stores": {
                "facts": self._engine.dialect.name,
                "dense": self.settings.dense.backend,
                "sparse": self.settings.sparse.backend,
            },
            "counts": self.passages.counts(),
            "data_dir": str(self.directories.data),
            **mcp_status(self.settings.mcp),
            "notices": self.notices,
        }


def _links(job: Job) -> dict[str, str | None]:
    return {"job_id": job.job_id, "request_id": job.request_id}
