"""When sources are read by themselves: every so often, or by a cron line, never in the quiet hours, and not all at once."""

from __future__ import annotations

import logging
import random
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Final

from cronsim import CronSim, CronSimError
from sqlalchemy.exc import DBAPIError

from ragd.core.errors import RagError, SourceNotFound, ValidationFailed
from ragd.core.tracing import utc_text
from ragd.store.sources import Source, Sources

log = logging.getLogger(__name__)

_OFF: Final = "off"
_EVERY: Final = re.compile(r"every\s+(\d{1,5})\s*(m|min|h|d)", re.IGNORECASE)
_UNITS: Final = {"m": timedelta(minutes=1), "min": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
_QUIET: Final = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)\s*-\s*([01]?\d|2[0-3]):([0-5]\d)")
_LOOK_EVERY_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class _Schedule:
    """`every` a time, or a `cron` line in this machine's time; neither: never by itself."""

    every: timedelta | None = None
    cron: str | None = None

    def next(self, after: datetime, put_off: float) -> datetime | None:
        """The next moment after `after` (aware), put off by the share `put_off` (0..1) of the time until the one after."""
        if self.every is not None:
            return after + self.every * (1 + put_off)
        if self.cron is None:
            return None
        moments = CronSim(self.cron, after.astimezone())  # people write the time of their clock
        first, second = next(moments), next(moments)
        return first + (second - first) * put_off


def parse_schedule(text: str, field: str = "schedule") -> _Schedule:
    """`every 30m`, a cron line of five fields, or `off`. Raises `ValidationFailed`."""
    wanted = text.strip()
    if wanted.lower() == _OFF:
        return _Schedule()
    if found := _EVERY.fullmatch(wanted):
        every = int(found[1]) * _UNITS[found[2].lower()]
        if every:
            return _Schedule(every=every)
    elif len(wanted.split()) == 5:
        try:
            next(CronSim(wanted, datetime(2026, 1, 1)))
            return _Schedule(cron=wanted)
        except (CronSimError, StopIteration):
            pass  # said below, as for every other text that is no schedule
    message = f"'{text[:80]}' is no schedule. Write 'every 30m' (or h, d), a cron line such as '15 7-19 * * 1-5', or 'off'."
    raise ValidationFailed.of_field(field, "invalid", message)


@dataclass(frozen=True, slots=True)
class QuietHours:
    """Spans of the day, by this machine's clock, in which nothing begins by itself; a span may go over midnight."""

    spans: tuple[tuple[time, time], ...] = ()

    @classmethod
    def parse(cls, texts: Sequence[str]) -> QuietHours:
        """From `22:00-06:00` and the like. Raises `ValidationFailed`."""
        spans = []
        for text in texts:
            found = _QUIET.fullmatch(text.strip())
            if not found:
                message = f"'{text[:40]}' is no span of the day. Write '22:00-06:00'."
                raise ValidationFailed.of_field("sync.quiet_hours", "invalid", message)
            begin_h, begin_m, end_h, end_m = map(int, found.groups())
            spans.append((time(begin_h, begin_m), time(end_h, end_m)))
        return cls(tuple(spans))

    def cover(self, moment: datetime) -> bool:
        """Whether a moment (aware) is in one of them."""
        now = moment.astimezone().time()
        return any(begin <= now < end if begin <= end else now >= begin or now < end for begin, end in self.spans)


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
        """Of the present thread; each start has its own."""
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._loop, args=(self._stopping,), name="rag-scheduler", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._thread:
            self._thread.join(_LOOK_EVERY_S)

    def plan(self, source: Source) -> None:
        """Note when a source is due next, from now on."""
        due_at = self._next(source, random.uniform(0, self._jitter))
        if due_at != source.due_at:
            self._sources.note_due(source.source_id, due_at)

    def _next(self, source: Source, put_off: float) -> str | None:
        moment = parse_schedule(source.schedule or self._default).next(self._now(), put_off)
        return utc_text(moment) if moment else None

    def look(self) -> list[str]:
        """Queue what is due; gives the ids of those sources. One that was due while nobody was there is read once."""
        if self._quiet.cover(self._now()):
            return []
        queued = []
        for source in self._sources.all():
            if not (source.enabled and source.collection_status == "enabled" and self._is_scheduled(source)):
                continue
            try:
                if source.due_at is None or source.due_at > (self._next(source, self._jitter) or source.due_at):
                    # Not planned, or by a clock that was ahead and has been put right.
                    self.plan(source)
                elif source.due_at <= utc_text(self._now()):
                    self._queue(source)
                    queued.append(source.source_id)
                    self.plan(source)
            except SourceNotFound:  # removed meanwhile
                continue
            except RagError as error:
                log.warning("a source can't be read by itself", extra={"source_id": source.source_id, "reason": error.message})
                self.plan(source)
        return queued

    def _loop(self, stopping: threading.Event) -> None:
        while not stopping.wait(_LOOK_EVERY_S):
            try:
                self.look()
            except (OSError, DBAPIError) as error:
                log.warning("sources can't be scheduled; trying again", extra={"reason": type(error).__name__})
