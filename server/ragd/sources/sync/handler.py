"""Remote places as a type of source: who may see them, when they are read, and the tokens that come with requests."""

# Not every type needs every argument of the interface.
# ruff: noqa: ARG002

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ragd.core.errors import ValidationFailed
from ragd.core.jobs import Postponed, Stopped
from ragd.ingest.reading import Report
from ragd.providers.registry import names as provider_names
from ragd.sources.base import FROM_REQUEST, CloudPreview
from ragd.sources.handler import AccessOptions, HandlerContext, Reading, SourceHandler
from ragd.sources.queue import Changes
from ragd.sources.sync.runner import CloudReading, token_field
from ragd.sources.sync.scheduler import QuietHours, Scheduler, parse_schedule
from ragd.store.jobs import Job
from ragd.store.sources import Source

# What decides which items a source has: when it changes, what is gone is meant to be.
_SCOPE: Final = ("spaces", "projects", "cql", "jql", "include", "exclude", "attachments")


class CloudHandler(SourceHandler):
    """Serves every provider of kind `source`."""

    is_remote = True

    def __init__(self, context: HandlerContext) -> None:
        """Raises `ValidationFailed` for settings that are no schedule or no time of the day."""
        self._sources = context.sources
        self._ledger = context.ledger
        self._queue = context.queue
        self._live = context.settings.live
        self._by_workers = context.settings.jobs.queue == "procrastinate"
        self.reading = CloudReading(context)
        self._lock = threading.Lock()
        self._tokens: dict[str, str] = {}
        sync = context.settings.sync
        parse_schedule(sync.schedule, "sync.schedule")
        self._scheduler = Scheduler(
            context.sources,
            self._queue_due,
            self._is_scheduled,
            default=sync.schedule,
            jitter=sync.jitter,
            quiet=QuietHours.parse(sync.quiet_hours),
        )

    def start_schedule(self) -> None:
        self._scheduler.start()

    def stop(self) -> None:
        self._scheduler.stop()

    def preview(self, type_: str, values: Mapping[str, Any], token: str | None) -> CloudPreview:
        return self.reading.preview(type_, values, token)

    def parse_config(self, type_: str, values: Mapping[str, Any], kb_id: str, source_id: str | None = None) -> dict[str, Any]:
        before = self._sources.get(source_id).config if source_id else None
        return self.reading.parse_config(type_, values, before)

    def check_change(self, before: Source, values: Mapping[str, Any]) -> None:
        """A source stays at its host: the tokens that people keep under its id, and its own, were given for that one."""
        known = _hosts(before.config)
        if known and (moved := _hosts(values) - known):
            message = (
                f"The tokens that are kept for '{before.name}' would go to another host, {min(moved)}. Add a source there and "
                "remove this one: everybody then gives a token for the new one."
            )
            raise ValidationFailed.of_field("config", "moved", message)

    def access(self, options: AccessOptions, before: Source | None = None) -> dict[str, Any]:
        """What is given, else what was before or is the default."""
        mode = options.live or (before.live if before else self._live.mode)
        is_public = options.public if options.public is not None else (before.public if before else False)
        if mode not in ("live", "cached", "off"):
            message = f"'{str(options.live)[:40]}' is no mode. Write live, cached or off."
            raise ValidationFailed.of_field("live", "invalid", message)
        if mode == "off" and not is_public:
            raise ValidationFailed.of_field(
                "live",
                "invalid",
                "With live: off everybody who may ask this daemon sees what the source's own account may read, whoever they are. "
                "If that is meant to be, mark the source as public, too.",
            )
        if options.schedule is not None:
            parse_schedule(options.schedule)
        chosen = options.schedule if options.schedule is not None else (before.schedule if before else None)
        return {"schedule": chosen, "live": mode, "public": is_public}

    def default_name(self, type_: str, config: Mapping[str, Any]) -> str:
        return type_.capitalize()

    def added(self, source: Source, token: str | None, request_id: str | None) -> None:
        self.requested(source, token)
        self._queue.add(source, None, request_id)
        self._scheduler.plan(source)

    def changed(self, before: Source, after: Source, token: str | None, request_id: str | None) -> None:
        if after.enabled and (after.config, after.enabled) != (before.config, before.enabled):
            self.requested(after, token)
            is_narrowed = any(before.config.get(name) != after.config.get(name) for name in _SCOPE)
            self._queue.add(after, None, request_id, allow_empty=is_narrowed)
        if after.schedule != before.schedule:
            self._scheduler.plan(after)

    def waits_for_token(self, source: Source) -> bool:
        return source.type in provider_names("source") and token_field(source.config) == FROM_REQUEST

    def requested(self, source: Source, token: str | None, *, everything: bool = False) -> None:
        """A source with a token of its own is read with that: what somebody else may not read is not gone."""
        if not self.waits_for_token(source):
            return
        if self._by_workers:
            raise ValidationFailed.of_field(
                "config.token",
                "from_request",
                f"'{source.name}' is read with a token that comes with each request, and here jobs run in other processes, which "
                "have no request. Give the source a token of its own.",
            )
        if token:
            with self._lock:
                self._tokens[source.source_id] = token
        if everything:
            self._scheduler.plan(source)  # whoever keeps the token asks again then; the scheduler itself can't read it

    def retry(self, source: Source, item_ids: Sequence[str] | None) -> list[str]:
        return self._ledger.ask_again(source.source_id, item_ids)

    def read(self, source: Source, job: Job, names: Changes, report: Report) -> Reading:
        """A token that came with a request is forgotten when the source was read."""
        with self._lock:
            token = self._tokens.get(source.source_id)
        try:
            reading = self.reading.read(source, job, None if names is None else sorted(names), report, token)
        except (Stopped, Postponed):
            raise
        except BaseException:
            self._forget_token(source.source_id)
            raise
        self._forget_token(source.source_id)
        return reading

    def _forget_token(self, source_id: str) -> None:
        with self._lock:
            self._tokens.pop(source_id, None)

    def _is_scheduled(self, source: Source) -> bool:
        """Whether the scheduler is to have it read: its token can be had without anybody."""
        return source.type in provider_names("source") and token_field(source.config) != FROM_REQUEST

    def _queue_due(self, source: Source) -> None:
        if self._queue.unfinished(source) is None:
            self._queue.add(source, None)


def _hosts(config: Mapping[str, Any]) -> set[str]:
    """The beginnings, up to the path, of the addresses in a configuration, whatever its type calls them."""
    found = (value.strip().lower() for value in config.values() if isinstance(value, str))
    return {"/".join(value.split("/", 3)[:3]) for value in found if value.startswith(("https://", "http://"))}
