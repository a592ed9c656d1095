"""Reading cloud sources: opening one with its token, running its cycles, and turning what goes wrong into what people can do."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from ragd.config.secrets import resolve
from ragd.core.errors import RagError, SettingsError, SourceRefused, SourceThrottled, ValidationFailed
from ragd.core.jobs import IngestResult, Postponed, Stopped
from ragd.ingest.discovery.files import Found
from ragd.ingest.discovery.items import Item
from ragd.ingest.reading import Report
from ragd.providers.registry import build, provider_class
from ragd.sources.base import FROM_REQUEST, CloudPreview, CloudSource, HttpOptions
from ragd.sources.handler import HandlerContext, Reading
from ragd.sources.sync.changes import Guard
from ragd.sources.sync.cycle import CycleRun
from ragd.store.jobs import Job
from ragd.store.ledger import Cycle, CycleKind
from ragd.store.sources import Source

TOKEN_FIELD: Final = "config.auth.token"

_LONGEST_POSTPONEMENT_S: Final = 3600.0
_PAUSE_STEP_S: Final = 0.25
_PREVIEW_WAIT_S: Final = 10.0
# What is kept with a source of its last cycle.
_NOTED: Final = ("remote", "indexed", "unchanged", "skipped", "held", "complete", "requests", "throttled_s", "notice")


class _Left(Exception):
    """The run was left; a request that still waits in another thread ends."""


def token_field(config: Mapping[str, Any]) -> str:
    """The reference to a source's token, `request`, or "" for a source that has none."""
    return str((config.get("auth") or {}).get("token", ""))


class CloudReading:
    """Runs cycles of cloud sources, one at a time for each."""

    def __init__(self, context: HandlerContext) -> None:
        self._ledger = context.ledger
        self._jobs = context.jobs
        self._ingestion = context.ingestion
        self._options = context.settings.sync
        self._max_size = context.settings.limits.max_document_size
        self._allowed_hosts = context.settings.security.allowed_hosts
        self._secrets = context.secrets

    def parse_config(self, type_: str, values: Mapping[str, Any], before: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The configuration, checked. A token's reference that is new must be one that may be used: see `AllowedSecrets`."""
        found: dict[str, Any] = provider_class("source", type_).parse_config(values)
        reference = token_field(found)
        if reference != FROM_REQUEST and (before is None or reference != token_field(before)):
            self._secrets.check(reference, TOKEN_FIELD)
        return found

    def open(self, type_: str, config: Mapping[str, Any], token: str, http: HttpOptions) -> CloudSource:
        """The source over its remote side. Raises `SettingsError` when its token can't be had."""
        source: CloudSource = build("source", type_, config=config, token=token, http=http)
        return source

    def http_options(self, pause: Callable[[float], None] = time.sleep, **changes: Any) -> HttpOptions:
        """How remote sides are reached, by the settings."""
        names = ("requests_per_minute", "timeout_s", "longest_wait_s", "attempts", "ca_bundle")
        values = {name: getattr(self._options, name) for name in names} | changes
        return HttpOptions(pause=pause, max_size=self._max_size, allowed_hosts=self._allowed_hosts, **values)

    def preview(self, type_: str, values: Mapping[str, Any], given_token: str | None) -> CloudPreview:
        """Test a configuration's address and token, and look at what it would read. Nothing is stored.

        Names of items are shown to who brought the token alone: a reference to one can be written by anybody who may ask. Raises
        `ValidationFailed` with the field to change for what a person can mend, `SourceUnavailable` for the rest.
        """
        config = self.parse_config(type_, values)
        http = self.http_options(longest_wait_s=_PREVIEW_WAIT_S, attempts=2)
        source = self.open(type_, config, _token_for(config, given_token), http)
        try:
            found = source.check()
            return found if token_field(config) in ("", FROM_REQUEST) else replace(found, names=())
        except SourceRefused as error:
            raise ValidationFailed(error.message, details=error.details) from error
        finally:
            source.close()

    def read(self, source: Source, job: Job, item_ids: Sequence[str] | None, report: Report, given_token: str | None) -> Reading:
        """Run a cycle or go on with the one that this job began.

        Raises `Postponed` when the remote side wants to be left alone, or other jobs wait; `SourceRefused` for a token or an
        address that is wrong; `SourceUnavailable`; and what the ingestion pipeline raises.
        """
        cycle = self._ledger.unfinished(source.source_id, job.job_id) or self._begin(source, job, item_ids)
        left = threading.Event()
        http = self.http_options(_pausing(report, left))
        remote = self.open(source.type, source.config, _token_for(source.config, given_token), http)
        run = CycleRun(
            kb_id=source.kb_id,
            cycle=cycle,
            remote=remote,
            usage=http.usage,
            ledger=self._ledger,
            ingest=self._ingest_for(source, job),
            report=report,
            guard=None if job.payload.get("allow_empty") else Guard(self._options.guard_items, self._options.guard_share),
            overlap=timedelta(hours=self._options.overlap_hours),
            yield_to_queue=self._slice(job, left),
        )
        try:
            result = run.run(item_ids)
        except SourceThrottled as error:
            run.pause()
            raise Postponed(min(error.retry_after_s, _LONGEST_POSTPONEMENT_S), error.message) from error
        except (Postponed, Stopped):
            run.pause()
            raise
        except BaseException as error:
            run.abandon(error.message if isinstance(error, RagError) else f"It met an unexpected {type(error).__name__}.")
            raise
        finally:
            left.set()
            remote.close()
        counts = {name: getattr(run.cycle, name) for name in _NOTED}
        return Reading.of(result, job, ignored=0, everything=cycle.kind != "items", cycle=cycle.kind, **counts)

    def _begin(self, source: Source, job: Job, item_ids: Sequence[str] | None) -> Cycle:
        kind: CycleKind = "items"
        if item_ids is None:
            deep = self._ledger.last_complete(source.source_id, "full")
            due = deep is None or _age_hours(deep.started_at) >= self._options.deep_hours
            kind = "full" if due or job.payload.get("full") else "incremental"
        return self._ledger.begin(source.source_id, kind, job.job_id)

    def _ingest_for(self, source: Source, job: Job) -> Callable[[Sequence[Item], Sequence[str], Report], IngestResult]:
        def ingest(items: Sequence[Item], gone: Sequence[str], report: Report) -> IngestResult:
            found = Found(items=list(items))
            run = self._ingestion().run
            return run(source.kb_id, found, report=report, links=job.links, source_id=source.source_id, gone=gone)

        return ingest

    def _slice(self, job: Job, left: threading.Event) -> Callable[[], None]:
        began = time.monotonic()

        def yield_to_queue() -> None:
            if time.monotonic() - began >= self._options.slice_s and self._jobs.others_due(job.job_id):
                left.set()
                raise Postponed(_PAUSE_STEP_S)

        return yield_to_queue


def _token_for(config: Mapping[str, Any], given: str | None) -> str:
    """The token itself: what the reference leads to, or the one that came with the request where that is how it comes.

    Raises `SettingsError` when there is none.
    """
    reference = token_field(config)
    if reference != FROM_REQUEST:
        return resolve(reference, TOKEN_FIELD)
    if not given:
        message = (
            "The token of this source comes with each request and none came. Sync it from the editor that keeps it, or with "
            "`rag sync SOURCE --token env:NAME`."
        )
        raise SettingsError.of_field(TOKEN_FIELD, "missing", message)
    return given


def _pausing(report: Report, left: threading.Event) -> Callable[[float], None]:
    def pause(seconds: float) -> None:
        until = time.monotonic() + seconds
        while (remaining := until - time.monotonic()) > 0:
            report("waiting", 0, 0)
            if left.wait(min(remaining, _PAUSE_STEP_S)):
                raise _Left

    return pause


def _age_hours(moment: str) -> float:
    return (datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds() / 3600
