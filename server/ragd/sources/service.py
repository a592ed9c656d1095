"""The sources of an app: adding, changing and removing them, following their changes, and reading them again.

A change below a watched folder becomes a job of kind `sync` that looks at the changed names alone; where nothing is known of
what changed it looks at everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Protocol

from sqlalchemy.exc import DBAPIError

from ragd.config.settings import LiveSettings, SyncSettings
from ragd.core.errors import FieldProblem, RagError, SourceNotFound, ValidationFailed
from ragd.core.jobs import IngestResult, Postponed, Stopped
from ragd.ingest.discovery.file_rules import Selection
from ragd.ingest.reading import Report
from ragd.sources.base import CloudPreview
from ragd.sources.folder.config import TYPE, FolderConfig, parse_config, stored_config
from ragd.sources.folder.follower import Following
from ragd.sources.folder.preview import Preview, preview
from ragd.sources.folder.reading import FolderReading, Reading, Run, SourceDocuments
from ragd.sources.folder.watcher import FolderWatcher, Pace
from ragd.sources.sync.queue import Leave, Syncs
from ragd.sources.sync.runner import CloudReading, cloud_types
from ragd.sources.sync.sources import CloudSources
from ragd.store.collections import DEFAULT, Collections
from ragd.store.jobs import Job, Jobs
from ragd.store.ledger import Ledger
from ragd.store.sources import Source, Sources

State = Literal["idle", "syncing", "watching", "error"]

# How long adding a source waits for its watcher, so that no change falls between the first look and the watching, in seconds.
SETTLE_S: Final = 3.0


class Documents(SourceDocuments, Protocol):
    """What the database does with the documents of a source."""

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
        allowed_roots: Sequence[str],
        avoid: Sequence[Path],
        pace: Pace,
        ledger: Ledger,
        sync: SyncSettings,
        live: LiveSettings,
        max_size: int,
    ) -> None:
        """`run` is the ingestion pipeline; folders in `avoid` (our own) are never read.

        `max_size` is in bytes, of one item of a cloud source.
        """
        self._sources = sources
        self._collections = collections
        self._documents = documents
        self._allowed_roots = allowed_roots
        self._avoid = tuple(path.resolve() for path in avoid)
        self._reading = FolderReading(documents, run, allowed_roots, self._avoid)
        self._syncs = Syncs(jobs)
        self._following = Following(sources, documents, self._syncs, pace, self._avoid)
        self.cloud = CloudSources(
            sources=sources,
            ledger=ledger,
            reading=CloudReading(ledger, jobs, run, sync, max_size),
            sync=sync,
            live=live,
            queue=self._queue_due,
        )

    # Life

    def start(self, *, everything: bool = True) -> None:
        """Begin to follow folders: of every source that is to be watched, or of those that are added or changed from now on."""
        self._following.start()
        for source in self._sources.all() if everything else ():
            self._follow(source)

    def start_schedule(self) -> None:
        """Begin to read cloud sources when they are due."""
        self.cloud.scheduler.start()

    def stop(self) -> None:
        """Stop following, and reading what is due."""
        self.cloud.scheduler.stop()
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

    def preview(self, type_: str, values: Mapping[str, Any], token: str | None = None) -> Preview | CloudPreview:
        """What a source of this configuration would read. Nothing is stored. Raises as `add` does.

        `token` is for a cloud source whose token comes with each request.
        """
        _check_type(type_)
        if type_ != TYPE:
            return self.cloud.reading.preview(type_, values, token)
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
        schedule: str | None = None,
        live: str | None = None,
        public: bool | None = None,
        token: str | None = None,
    ) -> Source:
        """A new source, which is read at once and followed, or read by its schedule, from then on.

        `schedule`, `live`, `public` and `token` are for cloud sources. Raises `CollectionNotFound`, `CollectionUnavailable`,
        `SourceNameConflict`, `ForbiddenPath` and `ValidationFailed`.
        """
        target = self._collections.available(collection or DEFAULT)
        _check_type(type_)
        if type_ != TYPE:
            parsed = self.cloud.reading.parse_config(type_, values)
            access = self.cloud.access(schedule=schedule, live=live, public=public)
            chosen = self._sources.free_name(type_.capitalize()) if name is None else name
            source = self._sources.add(type_, chosen, target.kb_id, parsed, **access)
            self.cloud.give(source, token)
            self._begin(source, request_id)
            self.cloud.scheduler.plan(source)
            return source
        _check_folder_has(schedule=schedule, live=live, public=public)
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
        schedule: str | None = None,
        live: str | None = None,
        public: bool | None = None,
        token: str | None = None,
    ) -> Source:
        """Rename a source, change the named parts of its configuration, switch it on or off. Raises as `add` does.

        A source that is read in another way afterwards is read again at once. Documents of files that moved with their folder
        move, too.
        """
        before = self._sources.get(source_id)
        if before.type != TYPE:
            access = self.cloud.access(schedule=schedule, live=live, public=public, before=before)
            parsed = self.cloud.reading.parse_config(before.type, {**before.config, **values}) if values is not None else None
            after = self._sources.change(source_id, name=name, config=parsed, enabled=enabled, access=access)
            self._changed_cloud(before, after, token, request_id)
            return after
        _check_folder_has(schedule=schedule, live=live, public=public)
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

    def _changed_cloud(self, before: Source, after: Source, token: str | None, request_id: str | None) -> None:
        if after.enabled and (after.config, after.enabled) != (before.config, before.enabled):
            self.cloud.give(after, token)
            meant = self.cloud.narrowed(before.config, after.config)
            self._syncs.queue(after, None, request_id, allow_empty=meant)
        if after.schedule != before.schedule:
            self.cloud.scheduler.plan(after)

    def remove(self, source_id: str, leave: Leave, request_id: str | None = None) -> None:
        """Remove a source. Its documents are kept, as if they had been ingested by hand, or gone from every answer at once.

        Raises `ValidationFailed` for keeping what not everybody may read: afterwards nobody could be asked who may.
        """
        source = self._sources.get(source_id)
        if leave == "keep" and source.type != TYPE and not source.public:
            message = (
                f"The documents of '{source.name}' can't stay without it: it is asked who may read them. Remove them with it, or "
                "mark the source as public first, if everybody who may ask this daemon may read all of them."
            )
            raise ValidationFailed(message, details=[FieldProblem("documents", "restricted", message)])
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
        """Follow a source from now on and read it whole, which a folder's watcher asks for when it has begun to watch."""
        self._syncs.forget_last_job(source.source_id)
        self._settle(source)
        if self._syncs.last_job(source.source_id) is None:
            self._syncs.queue(source, None, request_id)

    def _settle(self, source: Source) -> None:
        if watcher := self._follow(source):
            watcher.wait_until_settled(SETTLE_S)

    def _follow(self, source: Source) -> FolderWatcher | None:
        return self._following.follow(source) if source.type == TYPE else None

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

    def sync(
        self,
        source_id: str,
        *,
        allow_empty: bool = False,
        full: bool = False,
        token: str | None = None,
        request_id: str | None = None,
    ) -> Job:
        """Queue a look at everything; gives the job that waits for it already, if one does.

        `allow_empty`: a folder that is found empty, or a space of which nearly everything is gone, is meant to be. For cloud
        sources, `full` compares the version of every item, and `token` is kept in memory until the source was read. Raises
        `SourceNotFound`, `CollectionUnavailable`, `ValidationFailed` for a source that is switched off, and `ServiceUnavailable`
        when too many jobs wait.
        """
        source = self._ready(source_id)
        self.cloud.give(source, token)
        if self.cloud.waits_for_token(source):
            self.cloud.scheduler.plan(source)  # its keeper asks again then; the scheduler itself can't read it
        return self._syncs.queue(source, None, request_id, allow_empty=allow_empty, full=full)

    def sync_items(self, source_id: str, item_ids: Sequence[str], token: str | None = None, request_id: str | None = None) -> Job:
        """Queue the fetching of some items of a cloud source alone. Raises as `sync` does."""
        source = self._ready(source_id)
        self.cloud.give(source, token)
        return self._syncs.queue(source, frozenset(item_ids), request_id)

    def retry(
        self, source_id: str, item_ids: Sequence[str] | None, *, token: str | None = None, request_id: str | None = None
    ) -> Job:
        """Queue another try for items of a cloud source that were left out, all or these. Raises as `sync` does.

        `ValidationFailed` also when there is none.
        """
        source = self._ready(source_id)
        again = self.cloud.ledger.ask_again(source_id, item_ids) if source.type != TYPE else []
        if not again:
            raise ValidationFailed(f"Nothing of the source '{source.name}' was left out that could be tried again.")
        self.cloud.give(source, token)
        return self._syncs.queue(source, frozenset(again), request_id)

    def _ready(self, source_id: str) -> Source:
        source = self._sources.get(source_id)
        self._collections.available(source.collection)
        if not source.enabled:
            raise ValidationFailed(f"The source '{source.name}' is switched off. Switch it on to read it.")
        return source

    def _queue_due(self, source: Source) -> None:
        if not self._syncs.is_busy(source):
            self._syncs.queue(source, None)

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
            reading = self._read(source, job, names, report)
            self._sources.note_result(source_id, result=reading.note)
            self.cloud.drop(source_id)
            return reading.result
        except BaseException as error:
            if not isinstance(error, Postponed):
                self._syncs.miss(source_id, None)  # what this job did not get to, the next one does
            if not isinstance(error, Stopped | Postponed):
                self.cloud.drop(source_id)
                self._sources.note_result(source_id, error=_reason(error))
            raise
        finally:
            self._syncs.end(job)

    def _read(self, source: Source, job: Job, names: frozenset[str] | None, report: Report) -> Reading:
        if source.type == TYPE:
            return self._reading.read(source, job, names, report)
        items = None if names is None else sorted(names)
        return self.cloud.reading.read(source, job, items, report, self.cloud.given(source.source_id))


def _check_type(type_: str) -> None:
    types = (TYPE, *cloud_types())
    if type_ not in types:
        problem = FieldProblem("type", "unknown", f"There is no source type '{type_[:80]}'. Known: {', '.join(types)}.")
        raise ValidationFailed(problem.message, details=[problem])


def _check_folder_has(**given: object) -> None:
    """Raises `ValidationFailed` for what only cloud sources have."""
    for name, value in given.items():
        if value is not None:
            message = f"A folder has no '{name}': it is followed, and whoever may ask this daemon may read it."
            raise ValidationFailed(message, details=[FieldProblem(name, "unknown", message)])


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
