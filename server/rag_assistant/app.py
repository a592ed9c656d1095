"""The engine behind every door: opens the parts, keeps them sound, runs what doors ask for, closes. Doors call this alone."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rag_assistant import __version__
from rag_assistant.config import Directories, Settings
from rag_assistant.errors import DocumentUnreadable, FieldProblem, RagError, ValidationFailed
from rag_assistant.ingest.files import Found, check_allowed, find_files
from rag_assistant.ingest.indexes import Indexes, find_drift
from rag_assistant.ingest.jobs import JobRunner
from rag_assistant.ingest.pipeline import Report
from rag_assistant.ingest.uploads import Upload, Uploads
from rag_assistant.parts import MODES, Parts
from rag_assistant.providers.base import Embedder
from rag_assistant.retrieve.filters import parse_filters
from rag_assistant.retrieve.pipeline import QueryRequest, QueryResult
from rag_assistant.store.collections import DEFAULT, Collections
from rag_assistant.store.db import open_engine
from rag_assistant.store.documents import DocumentWriter
from rag_assistant.store.jobs import Job, Jobs
from rag_assistant.store.passages import DocumentReader, Passages
from rag_assistant.store.traces import Traces
from rag_assistant.supply import Progress
from rag_assistant.tracing import JsonlSink, Tracer
from rag_assistant.types import Collection, IngestResult, Mode

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
        self.jobs = Jobs(self._engine, settings.limits.max_queued_jobs)
        self._traces = Traces(self._engine, settings.observability.keep_traces)
        self._writer = DocumentWriter(self._engine)
        self._uploads = Uploads(directories.data / "uploads")
        self.tracer = Tracer([JsonlSink(directories.logs / "traces.jsonl"), self._traces], settings.observability.detail_level)
        self._parts = Parts(settings, directories, self._engine, self.tracer, progress)
        self.runner = JobRunner(
            self.jobs,
            {
                "ingest": self._run_ingest,
                "upload": self._run_upload,
                "rebuild": self._run_rebuild,
                "repair": self._run_rebuild,
                "purge": self._run_purge,
            },
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
        return [*self._parts.notices, *(getattr(self.embedder, "warnings", ()) if self._parts.loaded else ())]

    # Life

    def warm(self) -> None:
        """Open the model and the indexes now instead of at the first request."""
        self.embedder.embed_queries(["warm"])
        self._parts.analyzer.tokens("warm 準備")
        self._parts.query_pipeline(None)

    def reconcile(self) -> Job | None:
        """Finish or roll back what a crash left, and repair views that differ from the facts.

        Returns the job that rebuilds documents whose entries are missing or were made under other settings, if any are.
        """
        self._uploads.sweep(self.jobs.staged_files())
        # What an earlier start found to repair is found again below, as far as it still needs it.
        self.jobs.end_kind("repair", "cancelled")
        swept = self._writer.sweep()
        if swept:
            log.warning("rows of an unfinished ingestion removed", extra={"rows": swept})
        for kb_id, doc_ids in self._writer.deleted_with_facts().items():
            self._parts.ingestion.delete(kb_id, doc_ids)
        rebuild: list[str] = []
        for kb_id, status in self.collections.all_ids().items():
            if status == "deleted":
                self._purge_collection(kb_id)
                continue
            drift = find_drift(self.indexes, kb_id, self._writer.live_entries(kb_id))
            self.indexes.remove({kb_id: drift.surplus})
            outdated = [
                doc_id
                for doc_id, profile_id, loader, version in self._writer.live_profiles(kb_id)
                if profile_id != self._parts.ingestion.profile_id(loader, version)
            ]
            rebuild += sorted({*drift.incomplete_documents, *outdated})
        self.jobs.end_kind("purge", "completed", asdict(IngestResult()))
        if not rebuild:
            return None
        self._parts.notices.append(f"{len(rebuild)} documents are being indexed again from their facts.")
        log.warning("views differ from the facts; rebuilding", extra={"documents": len(rebuild)})
        return self.jobs.add("repair", collection="", kb_id="", payload={"doc_ids": rebuild}, request_id=None)

    def close(self) -> None:
        """Bring the running job to a safe point and close everything. The queue is kept."""
        stopped = self.runner.stop(self.settings.server.shutdown_grace_s)
        if not stopped:
            log.warning("the running job did not stop in time; it will go on at the next start")
        self._parts.close(idle=stopped)
        self.tracer.close()
        self._engine.dispose()

    # Asking

    def query(
        self,
        text: str,
        *,
        collection: str | None = None,
        top_k: int | None = None,
        strategy: str | None = None,
        rerank: bool = True,
        filters: Mapping[str, Any] | None = None,
        max_context_tokens: int | None = None,
        request_id: str | None = None,
    ) -> QueryResult:
        """Find the passages that answer a question.

        `strategy` is a mode (hybrid, dense_only, sparse_only) or the name of a file in `config/strategies/`; without
        `collection` every enabled one is searched. Raises `ValidationFailed`, `CollectionNotFound`, `CollectionUnavailable`.
        """
        targets = (self.collections.available(collection),) if collection else tuple(self.collections.enabled())
        limit = self.settings.limits.max_top_k
        top_k = self.settings.retrieval.top_k if top_k is None else top_k
        if not 1 <= top_k <= limit:
            raise ValidationFailed(
                f"top_k must be between 1 and {limit}.", details=[FieldProblem("top_k", "out_of_range", f"1 to {limit}.")]
            )
        mode: Mode | None = next((known for known in MODES if known == strategy), None)
        named = None if mode else strategy
        options = self._parts.settings_for(named).retrieval
        request = QueryRequest(
            text=text,
            collections=targets,
            mode=mode or options.strategy,
            top_k=top_k,
            max_context_tokens=max_context_tokens or options.max_context_tokens,
            filters=parse_filters(filters),
            rerank=rerank,
        )
        return self._parts.query_pipeline(named).run(request, links={"request_id": request_id})

    # Ingesting

    def ingest(
        self,
        paths: Sequence[str],
        *,
        collection: str | None = None,
        force: bool = False,
        recursive: bool = True,
        request_id: str | None = None,
    ) -> Job:
        """Queue the ingestion of files and folders.

        Raises `ForbiddenPath` for a path outside the allowed roots and `ValidationFailed` for one that does not exist.
        """
        name = collection or DEFAULT
        target = self.collections.available(name)
        if not paths:
            raise ValidationFailed("Name at least one path.", details=[FieldProblem("paths", "empty", "Must not be empty.")])
        problems = []
        for index, path in enumerate(paths):
            try:
                check_allowed(Path(path), self.settings.security.allowed_roots)
                if not Path(path).expanduser().is_absolute():
                    problems.append(FieldProblem(f"paths[{index}]", "relative", f"'{path}' must be an absolute path."))
                elif not Path(path).expanduser().exists():
                    problems.append(FieldProblem(f"paths[{index}]", "not_found", f"'{path}' does not exist."))
            except DocumentUnreadable as error:
                problems.append(FieldProblem(f"paths[{index}]", "unreadable", error.message))
            except OSError as error:  # a name that is too long, a folder that may not be entered
                problems.append(FieldProblem(f"paths[{index}]", "unreadable", f"'{path[:200]}' can't be read: {error}."))
        if problems:
            raise ValidationFailed(" ".join(problem.message for problem in problems), details=problems)
        payload = {"paths": list(paths), "force": force, "recursive": recursive}
        return self._queue("ingest", target, payload, request_id)

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

    def rebuild(self, collection: str | None = None, request_id: str | None = None) -> Job:
        """Queue the making anew of both views from the facts, for one collection or all."""
        targets = [self.collections.get(collection)] if collection else self.collections.enabled()
        doc_ids = [doc_id for target in targets for doc_id in self._writer.live_documents(target.kb_id)]
        payload = {"doc_ids": doc_ids}
        job = self.jobs.add("rebuild", collection=collection or "", kb_id="", payload=payload, request_id=request_id)
        self.runner.wake()
        return job

    def _queue(self, kind: str, target: Collection, payload: Mapping[str, Any], request_id: str | None) -> Job:
        job = self.jobs.add(kind, collection=target.name, kb_id=target.kb_id, payload=payload, request_id=request_id)
        self.runner.wake()
        return job

    def _run_ingest(self, job: Job, report: Report) -> IngestResult:
        report("searching files", 0, 0)
        payload = job.payload
        found = find_files(payload["paths"], recursive=payload["recursive"], allowed_roots=self.settings.security.allowed_roots)
        return self._parts.ingestion.run(job.kb_id, found, force=payload["force"], report=report, links=_links(job))

    def _run_upload(self, job: Job, report: Report) -> IngestResult:
        files = job.payload["files"]
        found = Found(items=[self._uploads.keep(Path(item["staged"]), item["source"], job.kb_id) for item in files])
        return self._parts.ingestion.run(job.kb_id, found, force=job.payload["force"], report=report, links=_links(job))

    def _run_rebuild(self, job: Job, report: Report) -> IngestResult:
        return self._parts.ingestion.rebuild(job.payload["doc_ids"], report=report, links=_links(job))

    # Deleting

    def delete_document(self, doc_id: str) -> None:
        """Delete a document from the facts and both views. Raises `DocumentNotFound` or `DocumentDeleted`."""
        document = self.documents.get(doc_id)
        self._parts.ingestion.delete(self.collections.get(document["collection"]).kb_id, [doc_id])
        self._uploads.discard(document["source_uri"])

    def delete_collection(self, name: str) -> None:
        """Delete a collection: gone at once, what it held after the running job. `default` can't be deleted.

        Raises `CollectionNotFound` or `ValidationFailed`.
        """
        target = self.collections.tombstone(name)
        self.jobs.cancel_all(target.kb_id)
        self._queue("purge", target, {}, None)

    def _purge_collection(self, kb_id: str) -> None:
        self.indexes.drop(kb_id)
        self._writer.forget(kb_id)
        self._uploads.discard_collection(kb_id)
        self.collections.forget(kb_id)

    def _run_purge(self, job: Job, report: Report) -> IngestResult:
        report("deleting", 0, 0)
        self._purge_collection(job.kb_id)
        return IngestResult()

    # Telling

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
            "reranker": {"provider": self.settings.rerank.provider},
            "stores": {
                "facts": self._engine.dialect.name,
                "dense": self.settings.dense.backend,
                "sparse": self.settings.sparse.backend,
            },
            "counts": self.passages.counts(),
            "data_dir": str(self.directories.data),
            "mcp": False,
            "notices": self.notices,
        }


def _links(job: Job) -> dict[str, str | None]:
    return {"job_id": job.job_id, "request_id": job.request_id}
