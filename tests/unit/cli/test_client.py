"""How `rag` finds who answers it, and what it makes of answers that are not good."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragd.core.instance import DaemonInfo

from .conftest import TOKEN


def test_a_running_daemon_is_asked_whatever_proxy_the_environment_names(rag, daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    handler, _, _ = daemon
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    handler.body = json.dumps({"items": [], "total": 0, "page": 1, "page_size": 20}).encode()
    assert rag("jobs", "list").stdout == "No jobs.\n"


def test_a_daemon_of_another_version_is_used_with_a_warning(rag, daemon) -> None:
    handler, ownership, url = daemon
    ownership.publish(DaemonInfo(1, "0.0.1", url, TOKEN))
    handler.body = json.dumps({"items": [], "total": 0, "page": 1, "page_size": 20}).encode()
    result = rag("jobs", "list")
    assert result.stdout == "No jobs.\n"
    assert "0.0.1" in result.stderr


def test_a_failure_inside_the_daemon_is_told_with_its_request_id_and_where_the_logs_are(rag, daemon, tmp_path: Path) -> None:
    handler, _, _ = daemon
    handler.status = 500
    handler.body = b'{"error": {"code": "INTERNAL_ERROR", "message": "Went wrong.", "request_id": "r-1", "details": []}}'
    error = rag("jobs", "list", code=1).stderr
    assert error.startswith("Error: Went wrong.\n")
    assert "r-1" in error
    assert str(tmp_path / "data" / "logs") in error


def test_an_answer_that_is_not_ours_is_told_as_such(rag, daemon) -> None:
    handler, _, _ = daemon
    handler.status, handler.body = 502, b"<html>proxy</html>"
    assert "status 502" in rag("jobs", "list", code=1).stderr


def test_a_model_that_cannot_be_had_gives_exit_code_3(rag, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given = tmp_path / "share" / "multilingual-e5-small"
    given.mkdir(parents=True)
    (given / "manifest.json").write_text("{}")
    monkeypatch.setenv("RAG_EMBEDDING__PROVIDER", "onnx")
    monkeypatch.setenv("RAG_EMBEDDING__MODEL_FOLDERS", f"[{given.parent}]")
    assert "manifest" in rag("query", "anything", code=3).stderr
    assert "manifest" in rag("models", "pull", code=3).stderr
