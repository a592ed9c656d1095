"""Counters, durations and gauges for Prometheus, one set for each application."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest, start_http_server
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from ragd.app.gauges import Gauge
from ragd.core.errors import PortTaken
from ragd.core.instance import SHARED_COUNTS
from ragd.core.jobs import JobStatus
from ragd.store.jobs import Job

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4

_REQUEST_S: Final = (0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5, 5.0, 10.0)
_STAGE_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """What is counted as it happens, and gauges that are read when the text is made."""

    def __init__(self, gauges: Iterable[Gauge]) -> None:
        self._looked_up, self._counted = CollectorRegistry(), CollectorRegistry()
        self._looked_up.register(_Gauges(tuple(gauges)))
        self._requests = Counter(
            "http_requests", "Requests that were answered.", ("method", "endpoint", "status"), registry=self._counted
        )
        self._durations = Histogram(
            "http_request_duration_seconds",
            "Seconds from a request's head to the end of its answer.",
            ("method", "endpoint"),
            buckets=_REQUEST_S,
            registry=self._counted,
        )
        self._ingested = Counter(
            "document_ingestion", "Documents that were read, or failed to be.", ("status",), registry=self._counted
        )
        self._stages = Histogram(
            "query_stage_duration_seconds",
            "Seconds of each stage of a query.",
            ("stage",),
            buckets=_STAGE_S,
            registry=self._counted,
        )
        self._embedded = Counter(
            "embedding_texts", "Texts that became vectors, of documents and of questions.", ("kind",), registry=self._counted
        )
        for kind in ("passage", "query"):
            self._embedded.labels(kind)
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
        """Observe the stages of queries, and what was embedded; as a sink of the tracer."""
        for envelope in envelopes:
            self._embedded.labels("passage").inc(envelope["aggregates"]["counters"].get("embedded", 0))
            self._embedded.labels("query").inc(any(span["name"] == "stage.retrieve_dense" for span in envelope["spans"]))
            for span in envelope["spans"] if envelope["trace_type"] == "query" else ():
                seconds = (span["end_ms"] - span["start_ms"]) / 1000
                self._stages.labels(span["name"].removeprefix("stage.")).observe(seconds)

    @contextmanager
    def served(self, port: int | None, address: str) -> Generator[None, None, None]:
        """What this process counts, at a port of its own, for one that answers nothing else; None: not."""
        if port is None:
            yield
            return
        try:
            server, thread = start_http_server(port, address, self._counted)
        except OSError as error:
            raise PortTaken(f"Port {port} of {address} can't be used for metrics ({error.strerror}). Choose another.") from error
        try:
            yield
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def text(self) -> bytes:
        """Everything in Prometheus' text format; where several processes answer at one address, their sums."""
        counted = self._counted
        if SHARED_COUNTS in os.environ:
            counted = CollectorRegistry()
            MultiProcessCollector(counted)  # type: ignore[no-untyped-call]
        return generate_latest(self._looked_up) + generate_latest(counted)


class _Gauges(Collector):
    def __init__(self, gauges: tuple[Gauge, ...]) -> None:
        self._gauges = gauges

    def collect(self) -> Iterator[GaugeMetricFamily]:
        for gauge in self._gauges:
            family = GaugeMetricFamily(gauge.name, gauge.help, labels=gauge.labels)
            for labels, value in gauge.values().items():
                family.add_metric(labels, value)
            yield family

    def describe(self) -> list[GaugeMetricFamily]:
        """Names alone: registration must not look anything up."""
        return [GaugeMetricFamily(gauge.name, gauge.help) for gauge in self._gauges]


def count_documents(metrics: Metrics) -> Callable[[Job, JobStatus, Mapping[str, Any]], None]:
    """What counts the documents of each job that ends. Of an upload whose job failed as a whole every file counts."""

    def count(job: Job, status: JobStatus, result: Mapping[str, Any]) -> None:
        failed = len(result.get("failed", ()))
        if status == "failed" and job.kind == "upload":
            failed = len(job.payload["files"])
        if job.kind in ("ingest", "bulk", "upload", "reread", "sync"):
            metrics.ingested(result.get("added", 0) + result.get("updated", 0) + result.get("moved", 0), failed)

    return count
