"""The description that the extension's types are made from: whole, stable, and made without opening anything."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from ragd.api.application import routes
from ragd.api.openapi import write


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    return routes().openapi()


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def operations(described: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{method.upper()} {path}", item) for path, methods in described["paths"].items() for method, item in methods.items()
    ]


@pytest.mark.slow
def test_a_method_that_is_refused_is_answered_with_all_that_are_not(described: dict[str, Any]) -> None:
    client = TestClient(routes())
    for path, methods in described["paths"].items():
        answer = client.request("TRACE", path.replace("{", "").replace("}", ""))
        assert answer.status_code == 405
        assert set(answer.headers["Allow"].split(", ")) == {method.upper() for method in methods}, path


@pytest.mark.slow
def test_every_reference_leads_to_a_component(described: dict[str, Any]) -> None:
    known = {f"#/components/schemas/{name}" for name in described["components"]["schemas"]}
    assert set(references(described)) <= known


def test_operation_ids_are_names_each_of_one_operation(described: dict[str, Any]) -> None:
    ids = [operation["operationId"] for _, operation in operations(described)]
    assert len(ids) == len(set(ids))
    assert all(name.isidentifier() for name in ids)
    assert {"query", "chat", "daemon_events", "list_documents", "verify_answer", "add_feedback", "stop"} <= set(ids)


def test_every_json_answer_names_its_model(described: dict[str, Any]) -> None:
    for name, operation in operations(described):
        for status, answer in operation["responses"].items():
            if "application/json" in answer.get("content", {}):
                schema = answer["content"]["application/json"]["schema"]
                assert all("$ref" in one for one in schema.get("anyOf", [schema])), f"{name} {status}"


def test_events_name_their_models(described: dict[str, Any]) -> None:
    found = {}
    for name, operation in operations(described):
        for content_type, content in operation["responses"].get("200", {}).get("content", {}).items():
            # OpenAI's events have no names.
            if content_type == "text/event-stream" and "oneOf" in content["itemSchema"]:
                kinds = content["itemSchema"]["oneOf"]
                found[name] = {
                    kind["properties"]["event"]["const"]: kind["properties"]["data"]["contentSchema"]["$ref"].rpartition("/")[2]
                    for kind in kinds
                }
    assert found == {
        "POST /api/chat": {"retrieval": "QueryAnswer", "delta": "ChatDelta", "done": "ChatDone", "error": "ErrorBody"},
        "GET /api/jobs/{job_id}/events": {"progress": "Job", "end": "Job", "stopping": "StreamEnd"},
        "GET /api/events": {"state": "DaemonState", "stopping": "StreamEnd"},
    }


@pytest.mark.slow
def test_it_is_the_same_text_every_time() -> None:
    first, second = io.StringIO(), io.StringIO()
    write(first)
    write(second)
    assert first.getvalue() == second.getvalue()
    assert first.getvalue().endswith("}\n")


@pytest.mark.slow
def test_it_is_printed_without_opening_stores_or_models(described: dict[str, Any], tmp_path: Any) -> None:
    command = [sys.executable, "-m", "ragd.api.openapi"]
    printed = subprocess.run(command, check=True, capture_output=True, encoding="utf-8", timeout=600)
    assert json.loads(printed.stdout) == described
    assert printed.stderr == ""
    # Where `RAG_DATA_DIR` of a test points.
    assert list(tmp_path.iterdir()) == []
