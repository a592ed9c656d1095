"""Traces keep their contract: every one fits the schema, and the golden ones keep their shape."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import ragd
from ragd.app.container import Application
from ragd.core.errors import TraceNotFound, ValidationFailed

from .conftest import ask, finish

pytestmark = pytest.mark.slow

Open = Callable[..., Application]
GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "traces"
SCHEMA = json.loads((Path(ragd.__file__).parent / "core" / "schemas" / "trace.schema.json").read_text())
STAGES = SCHEMA["properties"]["spans"]["items"]["properties"]["name"]["enum"]
INGESTION_STAGES, QUERY_STAGES = STAGES[:9], STAGES[9:]

# What differs from run to run: times, and ids drawn at random.
VOLATILE = {"trace_id", "started_at", "ended_at", "start_ms", "end_ms", "ts_ms", "job_id", "request_id", "latency_ms", "build"}


def kept(app: Application, trace_id: str) -> dict[str, Any]:
    app.tracer.flush()
    return app.traces.get(trace_id)


def newest(app: Application, count: int, trace_type: str | None = None) -> tuple[list[dict[str, Any]], int]:
    app.tracer.flush()
    return app.traces.page(1, count, trace_type=trace_type, job_id=None)


def envelopes(app: Application, trace_type: str) -> list[dict[str, Any]]:
    rows, _ = newest(app, 100, trace_type)
    found = [kept(app, row["trace_id"]) for row in rows]
    for envelope in found:
        jsonschema.validate(envelope, SCHEMA)
    return found


def shape(value: Any, key: str = "") -> Any:
    """A trace with what is volatile replaced by its type, ids by their length, and scores rounded."""
    if key in VOLATILE and value is not None and not isinstance(value, dict):
        return type(value).__name__
    if key == "stage_latency_ms":
        return sorted(value)
    if key == "explanation" and isinstance(value, list):
        value = value[:1]  # equal scores further down are ordered by ids, which differ
    if isinstance(value, dict):
        return {name: shape(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [shape(item, key) for item in value]
    if isinstance(value, str) and len(value) == 32 and set(value) <= set("0123456789abcdef"):
        return "hash32"
    if isinstance(value, str):
        return re.sub(r"\d+(\.\d+)+", "N", value)  # versions of libraries, in profiles
    return round(value, 3) if isinstance(value, float) else value


def check_golden(name: str, envelope: dict[str, Any]) -> None:
    path = GOLDEN / f"{name}.json"
    text = json.dumps(shape(envelope), indent=1, ensure_ascii=False) + "\n"
    if not path.exists():
        path.write_text(text, encoding="utf-8")
        pytest.fail(f"{path.name} did not exist; it was written now. Look at it and keep it.")
    assert json.loads(text) == json.loads(path.read_text(encoding="utf-8"))


def test_an_ingestion_leaves_one_trace_for_each_document(open_app: Open, docs: Path) -> None:
    app = open_app()
    job = finish(app, app.documents.ingest([str(docs)], request_id="request-1"))
    found = envelopes(app, "ingestion")
    assert len(found) == 3
    for envelope in found:
        assert [span["name"] for span in envelope["spans"]] == INGESTION_STAGES
        assert envelope["links"] == {"job_id": job.job_id, "request_id": "request-1", "eval": None}


def test_the_shape_of_an_ingestion_trace_is_kept(open_app: Open, docs: Path) -> None:
    app = open_app()
    finish(app, app.documents.ingest([str(docs / "guide.md")]))
    check_golden("ingestion", envelopes(app, "ingestion")[0])


def test_unchanged_files_share_one_trace(open_app: Open, docs: Path) -> None:
    app = open_app()
    finish(app, app.documents.ingest([str(docs)]))
    finish(app, app.documents.ingest([str(docs)]))
    newest = envelopes(app, "ingestion")[0]
    assert newest["events"][0]["payload"]["decision"] == "unchanged"
    assert newest["aggregates"]["counters"] == {"unchanged": 3}


def test_a_file_that_fails_leaves_a_trace_with_the_code(open_app: Open, docs: Path) -> None:
    (docs / "empty.md").write_text("")
    app = open_app()
    finish(app, app.documents.ingest([str(docs / "empty.md")]))
    envelope = envelopes(app, "ingestion")[0]
    assert envelope["status"] == "error"
    assert envelope["aggregates"]["errors"][0]["code"] == "EMPTY"


def test_the_shape_of_a_query_trace_is_kept(open_app: Open, docs: Path) -> None:
    app = open_app()
    finish(app, app.documents.ingest([str(docs)]))
    result = ask(app, "what does E1045 mean", request_id="request-2")
    envelope = kept(app, result.trace_id)
    jsonschema.validate(envelope, SCHEMA)
    names = [span["name"] for span in envelope["spans"]]
    assert sorted(names) == sorted(QUERY_STAGES)
    # The two retrievals run side by side, so which of them begins first is left to chance.
    envelope["spans"].sort(key=lambda span: QUERY_STAGES.index(span["name"]))
    envelope["events"].sort(key=lambda event: (event["kind"], event["payload"].get("source", "")))
    for part in (*envelope["spans"], *envelope["events"]):
        part["span_id"] = "span"
    check_golden("query", envelope)


@pytest.mark.parametrize(("level", "query", "passages"), [("minimal", 0, 0), ("standard", 1, 0), ("verbose", 1, 1)])
def test_texts_go_into_a_trace_as_far_as_the_level_allows(
    open_app: Open, docs: Path, level: str, query: int, passages: int
) -> None:
    app = open_app(observability__detail_level=level)
    finish(app, app.documents.ingest([str(docs)]))
    text = json.dumps(kept(app, ask(app, "zebra lease").trace_id))
    assert ("zebra" in text, "the lease ran out" in text) == (bool(query), bool(passages))


def test_a_query_that_fails_leaves_a_trace(open_app: Open) -> None:
    app = open_app()
    with pytest.raises(ValidationFailed):
        ask(app, " ")
    envelope = envelopes(app, "query")[0]
    assert (envelope["status"], envelope["aggregates"]["errors"]) == (
        "error",
        [{"code": "VALIDATION_ERROR", "type": "ValidationFailed"}],
    )


def test_traces_are_in_the_file_as_in_the_store(open_app: Open, docs: Path) -> None:
    app = open_app()
    trace_id = ask(app, "anything").trace_id
    stored = kept(app, trace_id)
    lines = (app.directories.logs / "traces.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[-1]) == stored


def test_the_oldest_traces_go_beyond_the_limit(open_app: Open) -> None:
    app = open_app(observability__keep_traces=3)
    ids = [ask(app, f"question {number}").trace_id for number in range(5)]
    assert newest(app, 10)[1] == 3
    kept(app, ids[-1])
    with pytest.raises(TraceNotFound):
        kept(app, ids[0])
