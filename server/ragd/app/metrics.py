"""Counters, durations and gauges for Prometheus, one set for each application."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from ragd.core.jobs import JobStatus
from ragd.store.collections import Collections
from ragd.store.jobs import Job
from ragd.store.overview import Overviews

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4

_REQUEST_S: Final = (0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5, 5.0, 10.0)
_STAGE_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


@dataclass(frozen=True, slots=True)
class Gauge:
    """A number that is looked up when somebody asks for it."""

    name: str
    help: str
    value: Callable[[], float]


class Metrics:
    """What is counted as it happens, and gauges that are read when the text is made."""

    def __init__(self, gauges: Iterable[Gauge]) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_Gauges(tuple(gauges)))
        self._requests = Counter(
            "http_requests", "Requests that were answered.", ("method", "endpoint", "status"), registry=self._registry
        )
        self._durations = Histogram(
            "http_request_duration_seconds",
            "Seconds from a request's head to the end of its answer.",
            ("method", "endpoint"),
            buckets=_REQUEST_S,
            registry=self._registry,
        )
        self._ingested = Counter(
            "document_ingestion", "Documents that were read, or failed to be.", ("status",), registry=self._registry
        )
        self._stages = Histogram(
            "query_stage_duration_seconds",
            "Seconds of each stage of a query.",
            ("stage",),
            buckets=_STAGE_S,
            registry=self._registry,
        )
        # A rate is known from the first scrape on.
        for status in ("completed", "failed"):
            self._ingested.labels(status)

    def answered(self, method: str, endpoint: str, status: int, seconds: float) -> None:
        """Count a request. `endpoint` is its route's template, of which there are few, never its path."""
        self._requests.labels(method, endpoint, str(status)).inc()
        self._durations.labels(method, endpoint).observe(seconds)

    def ingested(self, completed: int, failed: int) -> None:
        """Count documents."""
        self._ingested.labels("completed").inc(completed)
        self._ingested.labels("failed").inc(failed)

    def write(self, envelopes: Sequence[Mapping[str, Any]]) -> None:
        """Observe the stages of queries; as a sink of the tracer."""
        for envelope in envelopes:
            for span in envelope["spans"] if envelope["trace_type"] == "query" else ():
                seconds = (span["end_ms"] - span["start_ms"]) / 1000
                self._stages.labels(span["name"].removeprefix("stage.")).observe(seconds)

    def text(self) -> bytes:
        """Everything in Prometheus' text format."""
        return generate_latest(self._registry)


class _Gauges(Collector):
    def __init__(self, gauges: tuple[Gauge, ...]) -> None:
        self._gauges = gauges

    def collect(self) -> Iterator[GaugeMetricFamily]:
        for gauge in self._gauges:
            yield GaugeMetricFamily(gauge.name, gauge.help, value=gauge.value())

    def describe(self) -> list[GaugeMetricFamily]:
        """Names alone: registration must not look anything up."""
        return [GaugeMetricFamily(gauge.name, gauge.help) for gauge in self._gauges]


def gauges(collections: Collections, overviews: Overviews) -> list[Gauge]:
    """Numbers of knowledge bases, chunks and unfinished jobs, read when they are asked for."""
    return [
        Gauge("knowledge_bases_active", "Enabled knowledge bases.", lambda: len(collections.enabled())),
        Gauge("chunks_total", "Chunks that can be found.", lambda: overviews.get().counts["chunks"]),
        Gauge("jobs_unfinished", "Jobs that wait or run.", lambda: overviews.get().unfinished_jobs),
        Gauge("jobs_oldest_seconds", "Age of the oldest unfinished job, 0 without one.", lambda: _oldest_s(overviews)),
    ]


def _oldest_s(overviews: Overviews) -> float:
    jobs = overviews.get().jobs
    if not jobs:
        return 0.0
    return max(0.0, (datetime.now(UTC) - datetime.fromisoformat(jobs[0].created_at)).total_seconds())


def count_documents(metrics: Metrics) -> Callable[[Job, JobStatus, Mapping[str, Any]], None]:
    """What counts the documents of each job that ends. Of an upload whose job failed as a whole every file counts."""

    def count(job: Job, status: JobStatus, result: Mapping[str, Any]) -> None:
        failed = len(result.get("failed", ()))
        if status == "failed" and job.kind == "upload":
            failed = len(job.payload["files"])
        if job.kind in ("ingest", "upload", "reread", "sync"):
            metrics.ingested(result.get("added", 0) + result.get("updated", 0) + result.get("moved", 0), failed)

    return count
