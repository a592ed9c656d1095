"""Traces: what an ingestion or a query did, stage by stage, to a fixed contract (`schemas/trace.schema.json`).

The runner opens spans, never the stage itself. A trace carries pointers (ids, hashes, counts, scores); texts go in only as
far as `observability.detail_level` allows.
"""

from __future__ import annotations

import logging
import os
import queue
import threading
import time
import uuid
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal, Protocol

from pydantic_core import to_json

from ragd import __version__
from ragd.core.results import Candidate
from ragd.core.trace_context import Moving, TraceParent, called_from, calling, span_id_of

log = logging.getLogger(__name__)

TraceType = Literal["query", "ingestion"]
Status = Literal["ok", "error", "cancelled"]
DetailLevel = Literal["minimal", "standard", "verbose"]
EventKind = Literal[
    "ingest.dedup_decision",
    "ingest.parse_summary",
    "ingest.assets_manifest",
    "ingest.section_stats",
    "ingest.chunk_stats",
    "ingest.embedding_batch",
    "ingest.upsert_result",
    "query.normalized",
    "retrieval.candidates",
    "fusion.ranked",
    "rerank.ranked",
    "context.final",
    "generation.prompt",
    "generation.summary",
    "response.envelope",
    "degraded",
]

_JSONL_LIMIT = 64 * 1024 * 1024
LISTED: Final = 30
"""Candidates of each list that a trace holds, unless it is verbose."""
# Seconds for which traces are gathered before they are written, and how many are written together: each write waits for the disk.
_GATHER_S = 0.25
_MOST_AT_ONCE = 100


def utc_now(later_s: float = 0.0) -> str:
    """Now, or `later_s` seconds from now, in UTC as ISO 8601 with milliseconds; such strings sort by time."""
    return utc_text(datetime.now(UTC) + timedelta(seconds=later_s))


def utc_text(moment: datetime) -> str:
    """An aware time as `utc_now` writes it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class ProviderRef:
    """Which provider did a stage: its kind, its name or model id, and the profile that shapes what it gives."""

    type: str
    id: str
    profile: str = ""


NO_PROVIDER = ProviderRef("none", "none")


@dataclass(slots=True)
class Span:
    """One run of one stage; times are milliseconds since the trace began."""

    span_id: str
    name: str
    provider: ProviderRef
    start_ms: float
    end_ms: float = 0.0
    status: Status = "ok"
    attrs: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The shape of a span in a trace."""
        own = {name: getattr(self, name) for name in ("span_id", "name", "start_ms", "end_ms", "status", "attrs")}
        return {"parent": None, "provider": {name: getattr(self.provider, name) for name in ("type", "id", "profile")}, **own}


class Trace(Moving):
    """One query or the ingestion of one document. Safe to use from several threads."""

    def __init__(
        self,
        trace_type: TraceType,
        *,
        strategy_config_id: str,
        detail_level: DetailLevel,
        links: Mapping[str, str | None],
        exported: bool = False,
    ) -> None:
        self.trace_id = uuid.uuid4().hex
        self.trace_type = trace_type
        self.counters: Counter[str] = Counter()
        self.lists_candidates = True
        self.status: Status = "ok"
        self.detail_level = detail_level
        self._withheld = False
        self._strategy_config_id = strategy_config_id
        # Of an ingestion, the caller is who had it queued.
        caller = TraceParent.parse(links.get("traceparent") or "") or calling.get()
        # Where an exporter gives this trace to a collector, what it calls belongs to it; else to the caller's, unchanged.
        self._exported, self._caller = exported, caller
        self._links = {key: links.get(key) for key in ("job_id", "request_id", "eval")}
        further = {"traceparent": str(caller) if caller else None, "replay_of": links.get("replay_of")}
        self._links |= {key: link for key, link in further.items() if link}
        self._started_at = utc_now()
        self._zero = time.perf_counter()
        self._spans: list[Span] = []
        self._events: list[dict[str, Any]] = []
        self._errors: list[dict[str, str]] = []
        self._lock = threading.Lock()

    def _now(self) -> float:
        return round((time.perf_counter() - self._zero) * 1000, 3)

    @contextmanager
    def span(self, name: str, provider: ProviderRef = NO_PROVIDER) -> Generator[Span, None, None]:
        """Open a span for one run of a stage; an exception closes it as an error and goes on."""
        with self._lock:
            span = Span(f"s{len(self._spans) + 1}", name, provider, self._now())
            self._spans.append(span)
        try:
            yield span
        except BaseException as error:
            span.status = "error"
            self.error(error)
            raise
        finally:
            span.end_ms = self._now()

    def calls(self, span: Span) -> AbstractContextManager[None]:
        """What is called within the block is called from this span, by W3C trace context. See `called_from`."""
        if not self._exported:
            return called_from(self._caller) if self._caller else nullcontext()
        whole = self._caller or TraceParent(self.trace_id, "")
        return called_from(replace(whole, span_id=span_id_of(self.trace_id, span.span_id)))

    def event(self, kind: EventKind, payload: Mapping[str, Any], span: Span | None = None) -> None:
        """Record one event. `payload` is JSON-ready and holds no text but what `texts` let through."""
        with self._lock:
            self._events.append(
                {"ts_ms": self._now(), "span_id": span.span_id if span else None, "kind": kind, "payload": dict(payload)}
            )

    def texts(
        self, *, query: str | None = None, passages: Sequence[str] | None = None, made: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The texts that the level lets in: the query from `standard` on; at `verbose` passages, and what was `made` of them."""
        kept: dict[str, Any] = {} if query is None or self.detail_level == "minimal" else {"query": query}
        if self.detail_level == "verbose" and not self._withheld:
            kept |= {} if passages is None else {"passages": list(passages)}
            kept |= made or {}
        return kept

    def withhold_passages(self) -> None:
        """Let no passages in from now on, at whatever level: not everybody who reads traces may read them."""
        self._withheld = True

    def withhold_candidates(self) -> None:
        """Leave out what was found before it is known who may read it: to know that something passed would disclose its name."""
        self.lists_candidates = False

    def candidates(self, ranked: Sequence[Candidate]) -> list[dict[str, Any]]:
        """A ranked list for a payload: all of it at `verbose`, else its head, which is what explains an answer."""
        if not self.lists_candidates:
            return []
        kept = ranked if self.detail_level == "verbose" else ranked[:LISTED]
        return [candidate.as_dict() for candidate in kept]

    def error(self, error: BaseException) -> None:
        """Note an error by its code; its message may name a file but never its content."""
        record = {"code": str(getattr(error, "code", "INTERNAL_ERROR")), "type": type(error).__name__}
        with self._lock:
            if record not in self._errors:
                self._errors.append(record)

    def so_far(self) -> tuple[dict[str, float], float]:
        """Milliseconds of each stage that has ended, and since the trace began."""
        stages: dict[str, float] = {}
        with self._lock:
            for span in self._spans:
                stages[span.name] = stages.get(span.name, 0.0) + max(0.0, span.end_ms - span.start_ms)
        return {name: round(value, 3) for name, value in stages.items()}, self._now()

    def finish(self, status: Status | None = None) -> dict[str, Any]:
        """The finished envelope, ready for the sinks; with `status`, or the trace's own."""
        stages, latency = self.so_far()
        return {
            "trace_id": self.trace_id,
            "trace_type": self.trace_type,
            "status": status or self.status,
            "started_at": self._started_at,
            "ended_at": utc_now(),
            "strategy_config_id": self._strategy_config_id,
            "build": __version__,
            "spans": [span.as_dict() for span in self._spans],
            "events": list(self._events),
            "aggregates": {
                "latency_ms": latency,
                "stage_latency_ms": stages,
                "counters": dict(self.counters),
                "errors": list(self._errors),
            },
            "links": self._links,
        }


@contextmanager
def shared_span(traces: Iterable[Trace], name: str, provider: ProviderRef) -> Generator[dict[str, Span], None, None]:
    """One run of a stage that serves several traces at once: a span in each, by trace id, with `shared_by` = their number."""
    traces = list(traces)
    with ExitStack() as stack:
        spans = {trace.trace_id: stack.enter_context(trace.span(name, provider)) for trace in traces}
        for span in spans.values():
            span.attrs["shared_by"] = len(traces)
        yield spans


class _Sink(Protocol):
    """Where finished traces go."""

    def write(self, envelopes: Sequence[Mapping[str, Any]]) -> None: ...


class _Exporter(_Sink, Protocol):
    def close(self) -> None: ...


class JsonlSink:
    """One JSON object a line, mode 0600; the file is put aside (one older file kept) when it grows past 64 MiB."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def write(self, envelopes: Sequence[Mapping[str, Any]]) -> None:
        """Append the envelopes in order. Raises `OSError` when the disk refuses."""
        lines = b"".join(to_json(envelope) + b"\n" for envelope in envelopes)
        with self._lock:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if self._path.exists() and self._path.stat().st_size > _JSONL_LIMIT:
                self._path.replace(self._path.with_suffix(".1.jsonl"))
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(descriptor, "ab") as file:
                file.write(lines)


class Tracer:
    """Starts traces and hands finished ones to every sink, in a thread of its own: no answer waits for a disk."""

    def __init__(
        self, sinks: Sequence[_Sink], detail_level: DetailLevel = "standard", exporters: Sequence[_Exporter] = ()
    ) -> None:
        """`exporters` are sinks whose traces others see; the tracer closes them."""
        self._sinks: tuple[_Sink, ...] = (*sinks, *exporters)
        self._exporters = tuple(exporters)
        self._detail_level: DetailLevel = detail_level
        self._finished: queue.Queue[Sequence[Mapping[str, Any]] | None] = queue.Queue(maxsize=1000)
        self._flushing = threading.Lock()
        self._hurry = threading.Event()
        self._writer = threading.Thread(target=self._write, name="rag-traces", daemon=True)
        self._writer.start()

    def start(self, trace_type: TraceType, *, strategy_config_id: str, **links: str | None) -> Trace:
        """A new trace; `links` may name `job_id`, `request_id`, `eval`, `replay_of` and the caller's `traceparent`."""
        return Trace(
            trace_type,
            strategy_config_id=strategy_config_id,
            detail_level=self._detail_level,
            links=links,
            exported=bool(self._exporters),
        )

    def record(self, envelopes: Sequence[Mapping[str, Any]]) -> None:
        """Hand finished envelopes over; waits only when a thousand calls are behind."""
        if envelopes:
            self._finished.put(envelopes)

    def flush(self) -> None:
        """Wait until everything recorded so far is written, which begins at once."""
        with self._flushing:
            self._hurry.set()
            self._finished.put(())
            self._finished.join()
            self._hurry.clear()

    def close(self) -> None:
        """Write what is left and stop."""
        with self._flushing:
            self._hurry.set()
            self._finished.put(None)
            self._writer.join()
        for exporter in self._exporters:
            exporter.close()

    def _write(self) -> None:
        goes_on = True
        while goes_on:
            goes_on, calls, envelopes = self._gather()
            for sink in self._sinks if envelopes else ():
                try:
                    sink.write(envelopes)
                except Exception:
                    # An answer is worth more than its trace: a full disk is reported in the log and the daemon goes on.
                    log.exception("traces not written", extra={"sink": type(sink).__name__, "traces": len(envelopes)})
            for _ in range(calls):
                self._finished.task_done()

    def _gather(self) -> tuple[bool, int, list[Mapping[str, Any]]]:
        """Whether to go on, how many calls are taken from the queue, and their envelopes; waits for the first.

        Once it is there, more are let come first: woken by each, this thread would take Python's lock from a question each time.
        """
        given = self._finished.get()
        if given:
            self._hurry.wait(_GATHER_S)
        envelopes: list[Mapping[str, Any]] = []
        calls = 1
        while given:
            envelopes.extend(given)
            if len(envelopes) >= _MOST_AT_ONCE:
                return True, calls, envelopes
            try:
                given = self._finished.get_nowait()
            except queue.Empty:
                return True, calls, envelopes
            calls += 1
        return given is not None, calls, envelopes  # somebody waits, or it is the end
