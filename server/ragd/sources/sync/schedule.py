"""When a source is read by itself: every so often, or by a cron line, never in the quiet hours, and not all at once."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Final

from cronsim import CronSim, CronSimError

from ragd.core.errors import FieldProblem, ValidationFailed

_OFF: Final = "off"
_EVERY: Final = re.compile(r"every\s+(\d{1,5})\s*(m|min|h|d)", re.IGNORECASE)
_UNITS: Final = {"m": timedelta(minutes=1), "min": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
_QUIET: Final = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)\s*-\s*([01]?\d|2[0-3]):([0-5]\d)")


@dataclass(frozen=True, slots=True)
class _Schedule:
    """`every` a time, or a `cron` line in this machine's time; neither: never by itself."""

    every: timedelta | None = None
    cron: str | None = None

    def next(self, after: datetime, jitter: float) -> datetime | None:
        """The next moment after `after` (aware), put off at random by up to `jitter` (0..1) of the time until the one after."""
        if self.every is not None:
            return after + self.every * (1 + random.uniform(0, jitter))
        if self.cron is None:
            return None
        moments = CronSim(self.cron, after.astimezone())  # people write the time of their clock
        first, second = next(moments), next(moments)
        return first + (second - first) * random.uniform(0, jitter)


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
    raise ValidationFailed(message, details=[FieldProblem(field, "invalid", message)])


@dataclass(frozen=True, slots=True)
class QuietHours:
    """Spans of the day, by this machine's clock, in which nothing begins by itself; a span may go over midnight."""

    spans: tuple[tuple[time, time], ...] = ()

    def cover(self, moment: datetime) -> bool:
        """Whether a moment (aware) is in one of them."""
        now = moment.astimezone().time()
        return any(begin <= now < end if begin <= end else now >= begin or now < end for begin, end in self.spans)


def parse_quiet_hours(texts: Sequence[str]) -> QuietHours:
    """From `22:00-06:00` and the like. Raises `ValidationFailed`."""
    spans = []
    for text in texts:
        found = _QUIET.fullmatch(text.strip())
        if not found:
            message = f"'{text[:40]}' is no span of the day. Write '22:00-06:00'."
            raise ValidationFailed(message, details=[FieldProblem("sync.quiet_hours", "invalid", message)])
        begin_h, begin_m, end_h, end_m = map(int, found.groups())
        spans.append((time(begin_h, begin_m), time(end_h, end_m)))
    return QuietHours(tuple(spans))
