"""Traces as a collector gets them by OTLP, and the trace context that comes with a request and goes on with its calls."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from starlette.testclient import TestClient

from ragd.app.otlp import OtlpSink
from ragd.core.errors import SettingsError
from ragd.core.trace_context import TraceParent
from ragd.testing.chat_server import ChatServer, Scripted

from ...providers.model_service import DIMENSION, ModelService

pytestmark = pytest.mark.slow

CALLER = TraceParent("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331")
NO_SETTINGS: Mapping[str, Any] = {}
QUESTION = "How do I run kestrel setup?"


class Collector:
    """An OpenTelemetry collector that keeps what it gets. With `silent` it takes a request and never answers."""

    def __init__(self, *, silent: bool = False) -> None:
        self.bodies: list[bytes] = []
        self.paths: set[str] = set()
        self._end = threading.Event()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                collector.paths.add(self.path)
                collector.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
                if silent:
                    collector._end.wait(60)
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: Any) -> None: ...

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def close(self) -> None:
        self._end.set()
        self._http.shutdown()
        self._http.server_close()

    def spans(self) -> dict[str, list[dict[str, Any]]]:
        """By trace id: spans in the order in which they came, with their attributes as values."""
        found: dict[str, list[dict[str, Any]]] = {}
        for body in self.bodies:
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for span in (span for scope in resource.scope_spans for span in scope.spans):
                    attributes = {item.key: _value(item.value) for item in span.attributes}
                    ids = {"id": span.span_id.hex(), "parent": span.parent_span_id.hex()}
                    times = {"start": span.start_time_unix_nano, "end": span.end_time_unix_nano}
                    own = {"name": span.name, "status": span.status.code, "attributes": attributes, **ids, **times}
                    found.setdefault(span.trace_id.hex(), []).append(own)
        return found


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    return [_value(item) for item in value.array_value.values] if kind == "array_value" else getattr(value, kind)


@pytest.fixture
def collector() -> Iterator[Collector]:
    opened = Collector()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer(Scripted(pieces=("Run `kestrel setup` ", "once [1]."))) as opened:
        yield opened


@pytest.fixture
def models() -> Iterator[ModelService]:
    service = ModelService()
    yield service
    service.close()


@pytest.fixture
def ask(opened: Any, served: Any, finish_in: Any, write_guide: Any, tmp_path: Path, server: ChatServer) -> Any:
    """Answers a question in an app with these settings, closes it, and gives the answer's body."""

    def ask_once(
        headers: dict[str, str] | None = None, path: str = "/api/chat", settings: Mapping[str, Any] = NO_SETTINGS, **changes: Any
    ) -> str:
        server.asked.clear()
        (tmp_path / "app").mkdir()
        model = {"llm.provider": "openai_compatible", "llm.model": "m", "llm.url": server.url, "llm.retries": 0}
        settings = {**model, "answer.min_confidence": 0.0, "rerank.provider": "none", **settings}
        settings |= {f"observability.{name}": value for name, value in changes.items()}
        with opened(tmp_path / "app", settings) as app, served(app) as client:
            app.runner.start()
            folder = write_guide(tmp_path)
            finish_in(app, client, client.post("/api/ingest", json={"paths": [str(folder)]}).json()["job_id"])
            answer = client.post(path, json={"query": QUESTION}, headers=headers)
            assert answer.status_code == 200, answer.text
        return str(answer.text)

    return ask_once


def test_a_question_arrives_as_spans_of_the_callers_trace(ask: Any, collector: Collector, server: ChatServer) -> None:
    ask({"traceparent": str(CALLER)}, otlp_endpoint=collector.url)
    assert collector.paths == {"/v1/traces"}
    root, *stages = collector.spans()[CALLER.trace_id]
    assert (root["name"], root["parent"]) == ("query", CALLER.span_id)
    assert root["attributes"]["gen_ai.operation.name"] == "retrieval"
    assert {stage["parent"] for stage in stages} == {root["id"]}
    assert {"query_norm", "retrieve_dense", "retrieve_sparse", "fusion", "generate"} <= {stage["name"] for stage in stages}
    assert all(root["start"] <= stage["start"] <= stage["end"] for stage in stages)
    (generate,) = (stage for stage in stages if stage["name"] == "generate")
    said = generate["attributes"]
    assert said["gen_ai.operation.name"] == "chat"
    assert (said["gen_ai.provider.name"], said["gen_ai.request.model"]) == ("openai_compatible", "m")
    assert said["gen_ai.response.finish_reasons"] == ["complete"]
    assert (said["gen_ai.usage.input_tokens"], said["gen_ai.usage.output_tokens"]) == (11, 2)
    # What the language model's service is told leads to the span of the stage that asked it.
    (asked,) = server.asked
    headers = {name.lower(): value for name, value in asked.headers.items()}
    assert headers["traceparent"] == f"00-{CALLER.trace_id}-{generate['id']}-01"


def test_without_a_caller_the_trace_has_its_own_id_and_the_ingestion_is_there(ask: Any, collector: Collector) -> None:
    answer = ask(otlp_endpoint=collector.url)
    spans = collector.spans()
    roots = {root["name"]: root for root, *_ in spans.values()}
    assert set(roots) == {"query", "ingestion"}
    assert roots["query"]["parent"] == ""
    (trace_id,) = (trace_id for trace_id, (root, *_) in spans.items() if root["name"] == "query")
    assert f'"trace_id":"{trace_id}"' in answer.replace(": ", ":")


def test_neither_questions_nor_passages_nor_secrets_leave_unless_they_are_let(ask: Any, collector: Collector) -> None:
    ask(otlp_endpoint=collector.url, detail_level="verbose")
    sent = b"".join(collector.bodies)
    for secret in (b"kestrel", b"a-token-for-tests", b"install.md", b"HTTPS_PROXY", b"guide"):
        assert secret not in sent


def test_the_text_of_a_question_is_sent_where_that_is_set(ask: Any, collector: Collector) -> None:
    ask({"traceparent": str(CALLER)}, otlp_endpoint=collector.url, otlp_question_text=True)
    root, *_ = collector.spans()[CALLER.trace_id]
    assert root["attributes"]["gen_ai.retrieval.query.text"] == QUESTION


def test_a_trace_that_its_caller_does_not_sample_is_not_sent(ask: Any, collector: Collector) -> None:
    ask({"traceparent": f"00-{CALLER.trace_id}-{CALLER.span_id}-00"}, otlp_endpoint=collector.url)
    assert CALLER.trace_id not in collector.spans()


@pytest.mark.parametrize(
    ("sent", "passed_on"),
    [
        (str(CALLER), str(CALLER)),
        (None, None),
        ("00-not-a-trace-01", None),
        (f"00-{'0' * 32}-{CALLER.span_id}-01", None),
    ],
)
def test_without_a_collector_the_callers_context_goes_on_unchanged(
    ask: Any, server: ChatServer, sent: str | None, passed_on: str | None
) -> None:
    ask({"traceparent": sent} if sent else {})
    headers = {name.lower(): value for name, value in server.asked[0].headers.items()}
    assert headers.get("traceparent") == passed_on


@pytest.mark.parametrize("exported", [False, True])
def test_services_of_vectors_and_of_scores_are_told_the_callers_trace(
    ask: Any, collector: Collector, models: ModelService, exported: bool
) -> None:
    embedding = {"provider": "openai", "model": "m", "url": f"{models.url}/v1", "dimension": DIMENSION}
    settings = {f"embedding.{name}": value for name, value in embedding.items()}
    settings |= {"rerank.provider": "remote", "rerank.url": f"{models.url}/rerank"}
    if exported:
        settings["observability.otlp_endpoint"] = collector.url
    ask({"traceparent": str(CALLER)}, "/api/query", settings)
    (query,) = (asked for asked in models.asked if asked.body.get("input") == [QUESTION])
    (scored,) = (asked for asked in models.asked if asked.path.endswith("/rerank"))
    told = {"retrieve_dense": query.headers["traceparent"], "rerank": scored.headers["traceparent"]}
    if exported:
        stages = {stage["name"]: stage["id"] for stage in collector.spans()[CALLER.trace_id]}
        assert told == {name: f"00-{CALLER.trace_id}-{stages[name]}-01" for name in told}
    else:
        assert told == dict.fromkeys(told, str(CALLER))


@pytest.mark.parametrize("exported", [False, True])
def test_a_service_of_vectors_is_told_who_had_a_document_ingested(
    opened: Any, served: Any, finish_in: Any, tmp_path: Path, collector: Collector, models: ModelService, exported: bool
) -> None:
    embedding = {"provider": "openai", "model": "m", "url": f"{models.url}/v1", "dimension": DIMENSION}
    settings: dict[str, Any] = {f"embedding.{name}": value for name, value in embedding.items()}
    if exported:
        settings["observability.otlp_endpoint"] = collector.url
    uploaded = {"called.md": str(CALLER), "uncalled.md": None}
    with opened(tmp_path, settings) as app, served(app) as client:
        # What queues a job and what runs it are different threads, and may be different processes.
        jobs = {}
        for name, caller in uploaded.items():
            form = {"files": (name, f"# {name}\n\nThe kestrel of {name} is set up once.".encode())}
            jobs[name] = client.post("/api/ingest", files=form, headers={"traceparent": caller} if caller else {}).json()
        app.runner.start()
        for job in jobs.values():
            finish_in(app, client, job["job_id"])
    told = {
        name: asked.headers.get("traceparent")
        for asked in models.asked
        for name in uploaded
        if any(f"kestrel of {name}" in text for text in asked.body["input"])
    }
    if not exported:
        assert told == uploaded
        return
    embedded = {
        trace_id: stage["id"] for trace_id, spans in collector.spans().items() for stage in spans if stage["name"] == "embedding"
    }
    assert told["called.md"] == f"00-{CALLER.trace_id}-{embedded.pop(CALLER.trace_id)}-01"
    assert collector.spans()[CALLER.trace_id][0]["parent"] == CALLER.span_id
    ((own, span),) = embedded.items()
    assert told["uncalled.md"] == f"00-{own}-{span}-01"


def test_a_collector_that_is_not_there_or_never_answers_disturbs_nobody(ask: Any) -> None:
    gone = Collector()
    gone.close()
    assert "event: done" in ask(otlp_endpoint=gone.url)
    silent = Collector(silent=True)
    try:
        sink = OtlpSink(silent.url)
        sink._processor.on_end(next(sink.spans(_envelope())))
        sink.close()
    finally:
        silent.close()


def _envelope() -> dict[str, Any]:
    return {
        "trace_id": "1" * 32,
        "trace_type": "query",
        "status": "error",
        "started_at": "2026-11-23T10:00:00.000Z",
        "strategy_config_id": "2" * 32,
        "spans": [],
        "events": [],
        "aggregates": {"latency_ms": 3.0, "counters": {}, "errors": [{"code": "SERVICE_UNAVAILABLE", "type": "x"}]},
        "links": {},
    }


def test_a_failure_is_an_error_with_its_code(collector: Collector) -> None:
    sink = OtlpSink(collector.url)
    sink.write([_envelope()])
    sink.close()
    ((root,),) = collector.spans().values()
    assert root["status"] == 2
    assert root["attributes"]["error.type"] == "SERVICE_UNAVAILABLE"


@pytest.mark.parametrize(
    "url", ["collector:4318", "http://user:key@collector:4318", "http://collector:4318?key=x", "ftp://collector"]
)
def test_an_endpoint_that_can_not_be_one_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match="otlp_endpoint") as failure:
        OtlpSink(url)
    assert "key" not in failure.value.message.partition(";")[0]


def test_without_its_packages_it_says_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.resources", None)
    with pytest.raises(SettingsError, match="rag extras add otel"):
        OtlpSink("http://127.0.0.1:4318")


def test_nothing_of_it_is_loaded_unless_it_is_on(client: TestClient) -> None:
    code = "import sys, ragd.daemon.process, ragd.app.otlp; print([name for name in sys.modules if 'opentelemetry.sdk' in name])"
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, encoding="utf-8", timeout=600)
    assert printed.stdout.strip() == "[]"
