"""What doors do with cloud sources beside what they do with any: who may see them, when they are read, their tokens."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

from ragd.config.settings import LiveSettings, SyncSettings
from ragd.core.errors import FieldProblem, ValidationFailed
from ragd.sources.base import FROM_REQUEST
from ragd.sources.sync.runner import CloudReading, cloud_types, token_field
from ragd.sources.sync.schedule import parse_quiet_hours, parse_schedule
from ragd.sources.sync.scheduler import Scheduler
from ragd.store.ledger import Ledger
from ragd.store.sources import Source, Sources

# What decides which items a source has: when it changes, what is gone is meant to be.
_SCOPE: Final = ("spaces", "projects", "cql", "jql", "include", "exclude", "attachments")


class CloudSources:
    """The cloud side of the sources. Safe to use from several threads."""

    def __init__(
        self,
        *,
        sources: Sources,
        ledger: Ledger,
        reading: CloudReading,
        sync: SyncSettings,
        live: LiveSettings,
        queue: Callable[[Source], None],
    ) -> None:
        """`queue` has a source read soon. Raises `ValidationFailed` for settings that are no schedule or no time of the day."""
        self.ledger = ledger
        self.reading = reading
        self._sync = sync
        self._live = live
        self._lock = threading.Lock()
        self._given: dict[str, str] = {}
        parse_schedule(sync.schedule, "sync.schedule")
        self.scheduler = Scheduler(
            sources,
            queue,
            self.reads_by_itself,
            default=sync.schedule,
            jitter=sync.jitter,
            quiet=parse_quiet_hours(sync.quiet_hours),
        )

    @staticmethod
    def is_cloud(type_: str) -> bool:
        return type_ in cloud_types()

    def access(
        self, *, schedule: str | None, live: str | None, public: bool | None, before: Source | None = None
    ) -> dict[str, Any]:
        """Checked values of the columns `schedule`, `live` and `public`: what is given, else what was before or is the default.

        Raises `ValidationFailed`.
        """
        mode = live or (before.live if before else self._live.mode)
        is_public = public if public is not None else (before.public if before else False)
        if mode not in ("live", "cached", "off"):
            raise _wrong("live", f"'{str(live)[:40]}' is no mode. Write live, cached or off.")
        if mode == "off" and not is_public:
            raise _wrong(
                "live",
                "With live: off everybody who may ask this daemon sees what the source's own account may read, whoever they are. "
                "If that is meant to be, mark the source as public, too.",
            )
        if schedule is not None:
            parse_schedule(schedule)
        chosen = schedule if schedule is not None else (before.schedule if before else None)
        return {"schedule": chosen, "live": mode, "public": is_public}

    def narrowed(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
        """Whether a change of configuration changes which items there are."""
        return any(before.get(name) != after.get(name) for name in _SCOPE)

    # Tokens that come with requests

    def give(self, source: Source, token: str | None) -> None:
        """Keep a token in memory until the source was read, if it needs that: a source with a token of its own is read with it,
        and what somebody else may not read is not gone."""
        if token and self.waits_for_token(source):
            with self._lock:
                self._given[source.source_id] = token

    def given(self, source_id: str) -> str | None:
        with self._lock:
            return self._given.get(source_id)

    def drop(self, source_id: str) -> None:
        """Forget a token: the source was read."""
        with self._lock:
            self._given.pop(source_id, None)

    def reads_by_itself(self, source: Source) -> bool:
        """Whether the scheduler is to have it read: a cloud source whose token can be had without anybody."""
        return self.is_cloud(source.type) and token_field(source.config) != FROM_REQUEST

    def waits_for_token(self, source: Source) -> bool:
        return self.is_cloud(source.type) and token_field(source.config) == FROM_REQUEST


def _wrong(field: str, message: str) -> ValidationFailed:
    return ValidationFailed(message, details=[FieldProblem(field, "invalid", message)])
