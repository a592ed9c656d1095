"""The sources of an app: adding, changing and removing them, following their changes, and reading them again.

A change below a watched folder becomes a job of kind `sync` that looks at the changed names alone; where nothing is known of
what changed it looks at everything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Protocol

from sqlalchemy.exc import DBAPIError

from rag_assistant.errors import FieldProblem, RagError, SourceNotFound, ValidationFailed
from rag_assistant.ingest.file_rules import Selection
from rag_assistant.ingest.pipeline import Stopped
from rag_assistant.ingest.reading import Report
from rag_assistant.sources.folder import TYPE, FolderConfig, parse_config, stored_config
from rag_assistant.sources.following import Following
from rag_assistant.sources.preview import Preview, preview
from rag_assistant.sources.reading import FolderReading, Run, SourceDocuments
from rag_assistant.sources.syncs import Leave, Syncs
from rag_assistant.sources.watching import Pace
from rag_assistant.store.collections import DEFAULT, Collections
from rag_assistant.store.jobs import Job, Jobs
from rag_assistant.store.sources import Source, Sources
from rag_assistant.types import IngestResult

TYPES: Final = (TYPE,)

State = Literal["idle", "syncing", "watching", "error"]

# How long adding a source waits for its watcher, so that no change falls between the first look and the watching, in seconds.
SETTLE_S: Final = 3.0


class Documents(SourceDocuments, Protocol):
    """What the facts store does with the documents of a source."""

    def adopt(self, doc_ids: Sequence[str], source_id: str | None) -> None: ...

    def tombstone(self, doc_ids: Sequence[str]) -> None: ...


@dataclass(frozen=True, slots=True)
class Status:
    """How a source stands at this moment. `job_id` is of the job that reads it, waits to, or did so last."""

    state: State
    followed: bool
    polling: bool
    notice: str | None
    job_id: str | None


class SourceService:
    """Everything that doors do with sources. Safe to use from several threads."""

    def __init__(
        self,
        *,
        sources: Sources,
        collections: Collections,
        jobs: Jobs,
        documents: Documents,
        run: Run,
        wake: Callable[[], None],
        allowed_roots: Sequence[str],
        avoid: Sequence[Path],
        pace: Pace,
    ) -> None:
        """`run` is the ingestion line, `wake` tells the runner of a new job; folders in `avoid` (our own) are never read."""
        self._sources = sources
        self._collections = collections
        self._documents = documents
        self._allowed_roots = allowed_roots
        self._avoid = tuple(path.resolve() for path in avoid)
        self._reading = FolderReading(documents, run, allowed_roots, self._avoid)
        self._syncs = Syncs(jobs, wake)
        self._following = Following(sources, documents, self._syncs, pace, self._avoid)

    # Life

    def start(self, *, everything: bool = True) -> None:
        """Begin to follow folders: of every source that is to be watched, or of those that are added or changed from now on."""
        self._following.start()
        for source in self._sources.all() if everything else ():
            self._following.follow(source)

    def stop(self) -> None:
        """Stop following."""
        self._following.stop()

    # Telling

    def page(self, page: int = 1, page_size: int = 20) -> tuple[list[Source], int]:
        """One page of sources by name, and how many there are."""
        return self._sources.page(page, page_size)

    def get(self, source_id: str) -> Source:
        """The source. Raises `SourceNotFound`."""
        return self._sources.get(source_id)

    def status(self, source: Source) -> Status:
        """How the source stands at this moment."""
        watcher = self._following.watcher(source.source_id)
        state: State = "idle"
        if self._syncs.is_busy(source):
            state = "syncing"
        elif source.last_error or (watcher and watcher.state == "waiting"):
            state = "error"
        elif watcher:
            state = "watching"
        job_id = self._syncs.last_job(source.source_id) or (source.last_result or {}).get("job_id")
        return Status(state, watcher is not None, bool(watcher and watcher.polling), watcher.problem if watcher else None, job_id)

    def preview(self, type_: str, values: Mapping[str, Any]) -> Preview:
        """What a source of this configuration would read. Nothing is stored. Raises as `add` does."""
        _check_type(type_)
        return preview(parse_config(values, self._allowed_roots), self._allowed_roots, self._avoid)

    # Changing

    def add(
        self,
        type_: str,
        values: Mapping[str, Any],
        *,
        name: str | None = None,
        collection: str | None = None,
        request_id: str | None = None,
    ) -> Source:
        """A new source, which is read at once and followed from then on.

        Raises `CollectionNotFound`, `CollectionUnavailable`, `SourceNameConflict`, `ForbiddenPath` and `ValidationFailed`.
        """
        target = self._collections.available(collection or DEFAULT)
        _check_type(type_)
        config = parse_config(values, self._allowed_roots)
        self._check_overlap(config, target.kb_id)
        chosen = self._sources.free_name(config.folder.name) if name is None else name
        source = self._sources.add(type_, chosen, target.kb_id, config.as_dict())
        self._begin(source, request_id)
        return source

    def change(
        self,
        source_id: str,
        *,
        name: str | None = None,
        values: Mapping[str, Any] | None = None,
        enabled: bool | None = None,
        request_id: str | None = None,
    ) -> Source:
        """Rename a source, change the named parts of its configuration, switch it on or off. Raises as `add` does.

        A source that is read in another way afterwards is read again at once. Documents of files that moved with their folder
        move, too.
        """
        before = self._sources.get(source_id)
        config = None
        if values is not None:
            config = parse_config({**before.config, **values}, self._allowed_roots)
            self._check_overlap(config, before.kb_id, source_id)
        after = self._sources.change(source_id, name=name, config=config.as_dict() if config else None, enabled=enabled)
        if not after.enabled:
            self._following.unfollow(source_id)
        elif (after.config, after.enabled) != (before.config, before.enabled):
            self._following.unfollow(source_id)
            self._begin(after, request_id)
        else:
            self._settle(after)
        return after

    def remove(self, source_id: str, leave: Leave, request_id: str | None = None) -> None:
        """Remove a source. Its documents are kept, as if they had been ingested by hand, or gone from every answer at once."""
        source = self._sources.get(source_id)
        self._following.unfollow(source_id)
        was_running = self._syncs.withdraw(source)
        self._leave(source.source_id, source.collection, source.kb_id, leave, request_id)
        if was_running:
            self._syncs.queue_leaving(source, leave, request_id)
        self._sources.remove(source_id)

    def collection_deleted(self, kb_id: str) -> None:
        """Remove the sources of a collection that goes with all its documents."""
        for source in self._sources.all(kb_id):
            self._following.unfollow(source.source_id)
            self._sources.remove(source.source_id)

    def _begin(self, source: Source, request_id: str | None) -> None:
        """Follow a source from now on and read it whole, which its watcher asks for when it has begun to watch."""
        self._syncs.forget_last_job(source.source_id)
        self._settle(source)
        if self._syncs.last_job(source.source_id) is None:
            self._syncs.queue(source, None, request_id)

    def _settle(self, source: Source) -> None:
        if watcher := self._following.follow(source):
            watcher.wait_until_settled(SETTLE_S)

    def _leave(self, source_id: str, collection: str, kb_id: str, leave: Leave, request_id: str | None) -> None:
        doc_ids = [document.doc_id for document in self._documents.of_source(source_id)]
        if leave == "keep":
            self._documents.adopt(doc_ids, None)
        elif doc_ids:
            self._documents.tombstone(doc_ids)
            self._syncs.queue_cleanup(collection, kb_id, doc_ids, request_id)

    def _check_overlap(self, config: FolderConfig, kb_id: str, source_id: str | None = None) -> None:
        """Raises `ValidationFailed` when another source of the collection reads the same files."""
        for other in self._sources.all(kb_id):
            if other.type != TYPE or other.source_id == source_id:
                continue
            theirs = stored_config(other.config)
            if _reads(theirs, config.folder) or _reads(config, theirs.folder):
                message = (
                    f"The source '{other.name}' reads '{theirs.path}' into the same collection, and '{config.path}' is part of "
                    "it or holds it. Exclude one from the other, or choose another collection."
                )
                raise ValidationFailed(message, details=[FieldProblem("config.path", "overlaps", message)])

    # Reading

    def sync(self, source_id: str, *, allow_empty: bool = False, request_id: str | None = None) -> Job:
        """Queue a look at everything; gives the job that waits for it already, if one does.

        `allow_empty`: a folder that is found empty is meant to be. Raises `SourceNotFound`, `CollectionUnavailable`,
        `ValidationFailed` for a source that is switched off, and `ServiceUnavailable` when too many jobs wait.
        """
        source = self._sources.get(source_id)
        self._collections.available(source.collection)
        if not source.enabled:
            raise ValidationFailed(f"The source '{source.name}' is switched off. Switch it on to read it.")
        return self._syncs.queue(source, None, request_id, allow_empty=allow_empty)

    def run_sync(self, job: Job, report: Report) -> IngestResult:
        """Do what a job of kind `sync` says. Raises as `FolderReading.read` does."""
        source_id = job.payload["source_id"]
        if "leave" in job.payload:
            self._leave(source_id, job.collection, job.kb_id, job.payload["leave"], job.request_id)
            return IngestResult()
        try:
            source = self._sources.get(source_id)
        except SourceNotFound:  # it was removed in the moment in which the job was taken from the queue
            return IngestResult()
        names = self._syncs.begin(job)
        try:
            self._sources.note_start(source_id)
            reading = self._reading.read(source, job, names, report)
            self._sources.note_result(source_id, result=reading.note)
            return reading.result
        except BaseException as error:
            self._syncs.miss(source_id, None)  # what this job did not get to, the next one does
            if not isinstance(error, Stopped):
                self._sources.note_result(source_id, error=_reason(error))
            raise
        finally:
            self._syncs.end(job)


def _check_type(type_: str) -> None:
    if type_ not in TYPES:
        problem = FieldProblem("type", "unknown", f"There is no source type '{type_[:80]}'. Known: {', '.join(TYPES)}.")
        raise ValidationFailed(problem.message, details=[problem])


def _reads(config: FolderConfig, folder: Path) -> bool:
    """Whether a source of this configuration reads what is in a folder."""
    above, below = config.folder.resolve(), folder.resolve()
    if not below.is_relative_to(above):
        return False
    return above == below or Selection(config.folder, config.rules).enters(below.relative_to(above).as_posix())


def _reason(error: BaseException) -> str:
    if isinstance(error, RagError):
        return error.message
    if isinstance(error, DBAPIError):
        return f"The database refused: {error.orig}."
    if isinstance(error, OSError):
        return f"The disk or a file refused: {error.strerror or error}."
    return f"An unexpected {type(error).__name__}; the log has the details."
