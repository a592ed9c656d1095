"""Traces as OpenTelemetry spans, sent to a collector by OTLP over HTTP: the only telemetry, and off by default.

Names follow OpenTelemetry's conventions for generative AI where they fit, and begin with `ragd.` else. Spans hold numbers, names
of providers and codes; the question's text only where `observability.otlp_question_text` says so.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from ragd import __version__
from ragd.config.service import ObservabilitySettings
from ragd.core.errors import SettingsError
from ragd.core.http import is_loopback, trusted_context
from ragd.core.trace_context import TraceParent, span_id_of

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.trace import SpanContext

log = logging.getLogger(__name__)

ROOT: Final = "root"
"""Stands for the whole trace where its spans are named."""

_TIMEOUT_S: Final = 5.0
_LEAVE_S: Final = 2.0
"""Seconds that the last spans may take when the daemon stops."""

Envelope = Mapping[str, Any]
Attributes = dict[str, str | int | float | bool | Sequence[str]]


def otlp_sinks(options: ObservabilitySettings) -> list[OtlpSink]:
    """The exporter, where the settings name a collector. Raises `SettingsError` when it can't be used as it is set."""
    return [OtlpSink(options.otlp_endpoint, questions=options.otlp_question_text)] if options.otlp_endpoint else []


class OtlpSink:
    """A sink of the tracer. What is written waits in a queue of 2,048 spans; when that is full, the oldest are dropped."""

    def __init__(self, endpoint: str, *, questions: bool = False) -> None:
        """`endpoint` is the collector's base URL. Headers and certificates: `OTEL_EXPORTER_OTLP_HEADERS` and its siblings."""
        parts = urlsplit(endpoint)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
            message = "Setting 'observability.otlp_endpoint' must be a base URL such as http://collector.example.com:4318"
            raise SettingsError(f"{message}; what a collector wants to know goes into OTEL_EXPORTER_OTLP_HEADERS.")
        try:
            import requests
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
            from requests.adapters import HTTPAdapter
        except ImportError as error:
            raise SettingsError(
                "observability.otlp_endpoint needs packages that are not installed. Run: rag extras add otel"
            ) from error

        class Trusting(HTTPAdapter):
            """Trusts whom the operating system trusts."""

            def init_poolmanager(self, *args: Any, **options: Any) -> Any:
                return super().init_poolmanager(*args, ssl_context=trusted_context(), **options)

        session = requests.Session()
        session.trust_env = not is_loopback(parts.hostname)
        session.mount("https://", Trusting())
        url = f"{endpoint.rstrip('/')}/v1/traces"
        self._exporter = OTLPSpanExporter(endpoint=url, timeout=_TIMEOUT_S, session=session)
        self._processor = BatchSpanProcessor(self._exporter)
        self._resource = Resource.create({"service.name": "rag-assistant", "service.version": __version__})
        self._questions = questions

    def write(self, envelopes: Sequence[Envelope]) -> None:
        """Hand spans over; returns at once."""
        for envelope in envelopes:
            for span in self.spans(envelope):
                self._processor.on_end(span)

    def close(self) -> None:
        """Send what is left; a collector that does not answer is not waited for."""
        ending = threading.Thread(target=self._processor.shutdown, name="rag-otlp-end", daemon=True)
        ending.start()
        ending.join(_LEAVE_S)
        if ending.is_alive():
            log.warning("the last spans did not reach the collector in time")
            # Ends the pause before another attempt.
            self._exporter.shutdown()  # type: ignore[no-untyped-call]

    def spans(self, envelope: Envelope) -> Iterator[ReadableSpan]:
        """The trace and its stages, as spans that have ended."""
        from opentelemetry.sdk.trace import ReadableSpan
        from opentelemetry.sdk.util.instrumentation import InstrumentationScope
        from opentelemetry.trace import SpanKind, Status, StatusCode

        caller = TraceParent.parse(envelope["links"].get("traceparent") or "")
        trace_id, flags = (caller.trace_id, caller.flags) if caller else (envelope["trace_id"], "01")
        started = round(datetime.fromisoformat(envelope["started_at"]).timestamp() * 1e9)
        root = _context(trace_id, span_id_of(envelope["trace_id"], ROOT), flags)
        above = _context(trace_id, caller.span_id, flags, remote=True) if caller else None

        def span(
            name: str, own: SpanContext, parent: SpanContext | None, of: Mapping[str, Any], attributes: Attributes
        ) -> ReadableSpan:
            failed = of["status"] == "error"
            return ReadableSpan(
                name,
                context=own,
                parent=parent,
                resource=self._resource,
                attributes=attributes,
                kind=SpanKind.CLIENT if "gen_ai.request.model" in attributes else SpanKind.INTERNAL,
                status=Status(StatusCode.ERROR if failed else StatusCode.UNSET),
                start_time=started + round(of["start_ms"] * 1e6),
                end_time=started + round(of["end_ms"] * 1e6),
                instrumentation_scope=InstrumentationScope("ragd", __version__),
            )

        whole = {"status": envelope["status"], "start_ms": 0.0, "end_ms": envelope["aggregates"]["latency_ms"]}
        yield span(envelope["trace_type"], root, above, whole, self._whole(envelope))
        summaries = {event["span_id"]: event["payload"] for event in envelope["events"] if event["kind"] == "generation.summary"}
        for stage in envelope["spans"]:
            own = _context(trace_id, span_id_of(envelope["trace_id"], stage["span_id"]), flags)
            attributes = _of_stage(stage) | _of_generation(summaries.get(stage["span_id"]))
            yield span(stage["name"].removeprefix("stage."), own, root, stage, attributes)

    def _whole(self, envelope: Envelope) -> Attributes:
        found: Attributes = {"ragd.trace_id": envelope["trace_id"], "ragd.strategy_config_id": envelope["strategy_config_id"]}
        found |= {f"ragd.{name}": value for name in ("request_id", "job_id") if (value := envelope["links"].get(name))}
        found |= {f"ragd.{name}": count for name, count in envelope["aggregates"]["counters"].items()}
        if envelope["trace_type"] == "query":
            found["gen_ai.operation.name"] = "retrieval"
        if errors := envelope["aggregates"]["errors"]:
            found["error.type"] = errors[0]["code"]
        if self._questions:
            asked = [event["payload"]["query"] for event in envelope["events"] if "query" in event["payload"]]
            if asked:
                found["gen_ai.retrieval.query.text"] = asked[0]
        return found


def _context(trace_id: str, span_id: str, flags: str, *, remote: bool = False) -> SpanContext:
    from opentelemetry.trace import SpanContext, TraceFlags

    return SpanContext(int(trace_id, 16), int(span_id, 16), remote, TraceFlags(int(flags, 16)))


def _of_stage(stage: Mapping[str, Any]) -> Attributes:
    """Who did it, and its numbers: texts among what stages note do not leave."""
    provider = {f"ragd.provider.{name}": value for name, value in stage["provider"].items() if value and value != "none"}
    return provider | {f"ragd.{name}": value for name, value in stage["attrs"].items() if isinstance(value, (bool, int, float))}


def _of_generation(summary: Mapping[str, Any] | None) -> Attributes:
    """What the stage `generate` says of the answer; only a language model's is one by the conventions."""
    if summary is None:
        return {}
    found: Attributes = {"ragd.answer.found": summary["found"], "ragd.answer.provider": summary["provider"]}
    if summary["model"]:
        found |= {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": summary["provider"],
            "gen_ai.request.model": summary["model"],
            "gen_ai.response.finish_reasons": [summary["finish"]],
        }
        found |= {f"gen_ai.usage.{name}": count for name, count in summary["usage"].items() if isinstance(count, int)}
    return found
