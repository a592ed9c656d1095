"""One thread that has sources read when they are due. When that is stands in the database, so a restart forgets nothing."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from sqlalchemy.exc import DBAPIError

from ragd.core.errors import RagError, SourceNotFound
from ragd.sources.sync.schedule import QuietHours, parse_schedule
from ragd.store.sources import Source, Sources

log = logging.getLogger(__name__)

_LOOK_EVERY_S: Final = 5.0


class Scheduler:
    """Queues the readings of cloud sources. `queue` is asked once a due source; what it raises puts the reading off."""

    def __init__(
        self,
        sources: Sources,
        queue: Callable[[Source], None],
        is_scheduled: Callable[[Source], bool],
        *,
        default: str,
        jitter: float,
        quiet: QuietHours,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._sources = sources
        self._queue = queue
        self._is_scheduled = is_scheduled
        self._default = default
        self._jitter = jitter
        self._quiet = quiet
        self._now = now
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._loop, name="rag-scheduler", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._thread:
            self._thread.join(_LOOK_EVERY_S)

    def plan(self, source: Source) -> None:
        """Note when a source is due next, from now on."""
        moment = parse_schedule(source.schedule or self._default).next(self._now(), self._jitter)
        due_at = _text(moment) if moment else None
        if due_at != source.due_at:
            self._sources.note_due(source.source_id, due_at)

    def look(self) -> list[str]:
        """Queue what is due; gives the ids of those sources. One that was due while nobody was there is read once."""
        if self._quiet.cover(self._now()):
            return []
        queued = []
        for source in self._sources.all():
            if not (source.enabled and source.collection_status == "enabled" and self._is_scheduled(source)):
                continue
            try:
                if source.due_at is None:
                    self.plan(source)
                elif source.due_at <= _text(self._now()):
                    self._queue(source)
                    queued.append(source.source_id)
                    self.plan(source)
            except SourceNotFound:  # removed meanwhile
                continue
            except RagError as error:
                log.warning("a source can't be read by itself", extra={"source_id": source.source_id, "reason": error.message})
                self.plan(source)
        return queued

    def _loop(self) -> None:
        while not self._stopping.wait(_LOOK_EVERY_S):
            try:
                self.look()
            except (OSError, DBAPIError) as error:
                log.warning("sources can't be scheduled; trying again", extra={"reason": type(error).__name__})


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
