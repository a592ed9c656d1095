"""The sources of an app: adding, changing and removing them, following their changes, and reading them again.

What differs from type to type is left to the type's handler. Each reading is a job of kind `sync`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy.exc import DBAPIError

from ragd.core.errors import RagError, SourceNotFound, ValidationFailed
from ragd.core.jobs import IngestResult, Postponed, Stopped
from ragd.ingest.reading import Report
from ragd.sources.handler import AccessOptions, HandlerContext
from ragd.sources.queue import Leave
from ragd.sources.registry import SourceHandlers
from ragd.store.collections import DEFAULT, Collections
from ragd.store.jobs import Job
from ragd.store.sources import Source

State = Literal["idle", "syncing", "watching", "error"]


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a source at this moment. `job_id` is of the job that reads it, waits to, or did so last."""

    state: State
    followed: bool
    polling: bool
    notice: str | None
    job_id: str | None


class SourceService:
    """Everything that interfaces do with sources. Safe to use from several threads."""

    def __init__(self, context: HandlerContext, collections: Collections) -> None:
        self.ledger = context.ledger
        self._sources = context.sources
        self._documents = context.documents
        self._queue = context.queue
        self._collections = collections
        self._handlers = SourceHandlers(context)
        self._seen: dict[str, tuple[str, Mapping[str, Any], bool]] = {}
        self.opening = self._handlers.remote.reading
        """How remote sources are reached and opened."""

    # Life

    def start(self, *, everything: bool = True) -> None:
        """Begin to follow sources: all that are there, or those that are added or changed from now on."""
        for handler in self._handlers.all:
            handler.start()
        if everything:
            self._seen = {}
            self.follow_changes()

    def follow_changes(self) -> None:
        """Follow sources as they are now, which other processes may have added, changed or removed since the last call."""
        there = self._sources.all()
        before, self._seen = self._seen, {source.source_id: (source.type, source.config, source.enabled) for source in there}
        for source_id, seen in before.items():
            if self._seen.get(source_id) != seen:
                self._handlers.of(seen[0]).removed(source_id)
        for source in there:
            if before.get(source.source_id) != self._seen[source.source_id]:
                self._handlers.of(source.type).follow(source)

    def start_schedule(self) -> None:
        for handler in self._handlers.all:
            handler.start_schedule()

    def stop(self) -> None:
        for handler in reversed(self._handlers.all):
            handler.stop()

    # Reading what is stored

    def page(self, page: int = 1, page_size: int = 20, among: frozenset[str] | None = None) -> tuple[list[Source], int]:
        return self._sources.page(page, page_size, among)

    def get(self, source_id: str) -> Source:
        """The source. Raises `SourceNotFound`."""
        return self._sources.get(source_id)

    def is_remote(self, source: Source) -> bool:
        """Whether it is a place elsewhere, with a ledger of items and rights of their own."""
        return self._handlers.of(source.type).is_remote

    def waits_for_token(self, source: Source) -> bool:
        """Whether its token comes with each request, so that whoever keeps it has to ask for its reading."""
        return self._handlers.of(source.type).waits_for_token(source)

    def status(self, source: Source) -> Status:
        watching = self._handlers.of(source.type).watching(source.source_id)
        state: State = "idle"
        job = self._queue.unfinished(source)
        if job is not None:
            state = "syncing"
        elif source.last_error or (watching and watching.state == "waiting"):
            state = "error"
        elif watching:
            state = "watching"
        last_job_id = self._queue.last_job(source.source_id) or (source.last_result or {}).get("job_id")
        job_id = last_job_id if job is None else job.job_id
        polling, problem = (watching.polling, watching.problem) if watching else (False, None)
        return Status(state, watching is not None, polling, problem, job_id)

    def preview(self, type_: str, values: Mapping[str, Any], token: str | None = None) -> Any:
        """What a source of this configuration would read, as a dataclass. Nothing is stored. Raises as `add` does.

        `token` is for a source whose token comes with each request.
        """
        return self._handlers.known(type_).preview(type_, values, token)

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

        `schedule`, `live`, `public` and `token` are for remote sources. Raises `CollectionNotFound`, `CollectionUnavailable`,
        `SourceNameConflict`, `ForbiddenPath` and `ValidationFailed`.
        """
        target = self._collections.available(collection or DEFAULT)
        handler = self._handlers.known(type_)
        access = handler.access(AccessOptions(schedule, live, public))
        config = handler.parse_config(type_, values, target.kb_id)
        chosen = self._sources.free_name(handler.default_name(type_, config)) if name is None else name
        source = self._sources.add(type_, chosen, target.kb_id, config, **access)
        handler.added(source, token, request_id)
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
        handler = self._handlers.of(before.type)
        access = handler.access(AccessOptions(schedule, live, public), before)
        config = None
        if values is not None:
            handler.check_change(before, values)
            config = handler.parse_config(before.type, {**before.config, **values}, before.kb_id, source_id)
        after = self._sources.change(source_id, name=name, config=config, enabled=enabled, access=access)
        handler.changed(before, after, token, request_id)
        return after

    def remove(self, source_id: str, leave: Leave, request_id: str | None = None) -> None:
        """Remove a source. Its documents are kept, as if they had been ingested by hand, or gone from every answer at once.

        Raises `ValidationFailed` for keeping what not everybody may read: afterwards nobody could be asked who may.
        """
        source = self._sources.get(source_id)
        if leave == "keep" and not source.public:
            raise ValidationFailed.of_field(
                "documents",
                "restricted",
                f"The documents of '{source.name}' can't stay without it: it is asked who may read them. Remove them with it, or "
                "mark the source as public first, if everybody who may ask this daemon may read all of them.",
            )
        self._handlers.of(source.type).removed(source_id)
        was_running = self._queue.withdraw(source)
        self._leave(source.source_id, source.collection, source.kb_id, leave, request_id)
        if was_running:
            self._queue.add_leaving(source, leave, request_id)
        self._sources.remove(source_id)

    def removed(self, sources: Iterable[tuple[str, str]]) -> None:
        """Follow no longer the sources that went with their collection, of which the id and the type are given."""
        for source_id, type_ in sources:
            self._handlers.of(type_).removed(source_id)

    def _leave(self, source_id: str, collection: str, kb_id: str, leave: Leave, request_id: str | None) -> None:
        doc_ids = [document.doc_id for document in self._documents.of_source(source_id)]
        if leave == "keep":
            self._documents.adopt(doc_ids, None)
        elif doc_ids:
            self._documents.tombstone(doc_ids)
            self._queue.add_cleanup(collection, kb_id, doc_ids, request_id)

    # Reading the sources

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

        `allow_empty`: a folder that is found empty, or a space of which nearly everything is gone, is meant to be. For remote
        sources, `full` compares the version of every item, and `token` is kept in memory until the source was read. Raises
        `SourceNotFound`, `CollectionUnavailable`, `ValidationFailed` for a source that is switched off, and `ServiceUnavailable`
        when too many jobs wait.
        """
        source = self._ready(source_id)
        self._handlers.of(source.type).requested(source, token, everything=True)
        return self._queue.add(source, None, request_id, allow_empty=allow_empty, full=full)

    def sync_items(self, source_id: str, item_ids: Sequence[str], token: str | None = None, request_id: str | None = None) -> Job:
        """Queue the fetching of some items of a remote source alone. Raises as `sync` does."""
        source = self._ready(source_id)
        self._handlers.of(source.type).requested(source, token)
        return self._queue.add(source, frozenset(item_ids), request_id)

    def retry(
        self, source_id: str, item_ids: Sequence[str] | None, *, token: str | None = None, request_id: str | None = None
    ) -> Job:
        """Queue another try for items of a remote source that were left out, all or these. Raises as `sync` does.

        `ValidationFailed` also when there is none.
        """
        source = self._ready(source_id)
        again = self._handlers.of(source.type).retry(source, item_ids)
        if not again:
            raise ValidationFailed(f"Nothing of the source '{source.name}' was left out that could be tried again.")
        return self.sync_items(source_id, again, token, request_id)

    def _ready(self, source_id: str) -> Source:
        source = self._sources.get(source_id)
        self._collections.available(source.collection)
        if not source.enabled:
            raise ValidationFailed(f"The source '{source.name}' is switched off. Switch it on to read it.")
        return source

    def run_sync(self, job: Job, report: Report) -> IngestResult:
        """Do what a job of kind `sync` says. Raises as `SourceHandler.read` does."""
        source_id = job.payload["source_id"]
        if "leave" in job.payload:
            self._leave(source_id, job.collection, job.kb_id, job.payload["leave"], job.request_id)
            return IngestResult()
        try:
            source = self._sources.get(source_id)
        except SourceNotFound:  # it was removed in the moment in which the job was taken from the queue
            return IngestResult()
        names = None if source.last_error else self._queue.begin(job)
        try:
            self._sources.note_start(source_id)
            reading = self._handlers.of(source.type).read(source, job, names, report)
            self._sources.note_result(source_id, result=reading.note)
            return reading.result
        except BaseException as error:
            if not isinstance(error, Postponed):
                self._queue.miss(source_id, None)  # what this job did not get to, the next one does
            if not isinstance(error, Stopped | Postponed):
                self._sources.note_result(source_id, error=_reason(error))
            raise


def _reason(error: BaseException) -> str:
    if isinstance(error, RagError):
        return error.message
    if isinstance(error, DBAPIError):
        return f"The database refused: {error.orig}."
    if isinstance(error, OSError):
        return f"The disk or a file refused: {error.strerror or error}."
    return f"An unexpected {type(error).__name__}; the log has the details."
