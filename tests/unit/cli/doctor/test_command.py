"""What `rag doctor` finds, and what it says to do about it."""

from __future__ import annotations

import json
import os
import shutil
from collections import namedtuple
from pathlib import Path

import pytest

from ragd import __version__
from ragd.core.instance import DaemonInfo, Ownership
from ragd.providers.ocr.rapidocr import RapidOcrEngine

pytestmark = pytest.mark.slow

Usage = namedtuple("Usage", "total used free")


def findings(result) -> dict[str, dict[str, str]]:
    return {check["name"]: check for check in json.loads(result.stdout)["checks"]}


def test_a_sound_installation_has_nothing_but_ok(rag, ingested: None) -> None:
    report = json.loads(rag("doctor", "--json").stdout)
    assert report["ok"]
    assert {check["level"] for check in report["checks"]} == {"ok"}
    names = [check["name"] for check in report["checks"]]
    assert names == [
        "python",
        "data",
        "disk",
        "settings",
        "agents",
        "text recognition",
        "model",
        "daemon",
        "database",
        "engine",
        "indexes",
        "token vectors",
    ]


def test_an_installation_without_text_recognition_says_how_to_get_it(rag, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_OCR__PROVIDER", "rapidocr")
    monkeypatch.setattr(RapidOcrEngine, "installed_profile", classmethod(lambda _cls: "none"))
    found = findings(rag("doctor", "--json"))["text recognition"]
    assert found["level"] == "warn"
    assert "rag extras add ocr" in found["mend"]


def test_settings_that_are_wrong_are_told(rag, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_RETRIEVAL__TOPK", "3")
    found = findings(rag("doctor", "--json", code=1))["settings"]
    assert found["level"] == "fail"
    assert "retrieval.top_k" in found["message"]


def test_a_model_that_is_not_here_is_a_warning_with_the_command_that_fetches_it(
    rag, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RAG_EMBEDDING__PROVIDER", "onnx")
    monkeypatch.setenv("RAG_MODELS_DIR", str(tmp_path / "models"))
    found = findings(rag("doctor", "--json"))["model"]
    assert (found["level"], found["mend"]) == ("warn", "rag models pull multilingual-e5-small")


def test_a_damaged_model_is_a_failure(rag, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RAG_EMBEDDING__PROVIDER", "onnx")
    monkeypatch.setenv("RAG_MODELS_DIR", str(tmp_path / "models"))
    (tmp_path / "models" / "multilingual-e5-small").mkdir(parents=True)
    result = rag("doctor", code=1)
    assert "→ rag models pull multilingual-e5-small" in result.stdout


def test_a_damaged_database_is_a_failure(rag, ingested: None, tmp_path: Path) -> None:
    path = tmp_path / "data" / "rag.db"
    path.write_bytes(os.urandom(path.stat().st_size))
    assert findings(rag("doctor", "--json", code=1))["database"]["level"] == "fail"


def test_indexes_that_lack_entries_are_told_and_mended_by_the_named_command(rag, ingested: None, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "data" / "index")
    found = findings(rag("doctor", "--json"))["indexes"]
    assert (found["level"], found["mend"]) == ("warn", "rag reindex")
    assert "3 documents" in found["message"]
    rag("reindex")
    assert findings(rag("doctor", "--json"))["indexes"]["level"] == "ok"


def test_a_stale_daemon_json_is_told_once(rag, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    stale = {"pid": 999_999_999, "version": "0.0.1", "url": "http://127.0.0.1:9", "token": "old"}
    (tmp_path / "data" / "daemon.json").write_text(json.dumps(stale))
    found = findings(rag("doctor", "--json"))["daemon"]
    assert found["level"] == "warn"
    assert "999999999" in found["message"]
    assert findings(rag("doctor", "--json"))["daemon"]["level"] == "ok"


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_a_data_directory_that_others_can_read_is_told_with_the_way_to_close_it(rag, ingested: None, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.chmod(0o755)
    assert findings(rag("doctor", "--json"))["data"]["level"] == "ok"
    (data / "rag.db").chmod(0o644)
    found = findings(rag("doctor", "--json"))["data"]
    assert (found["level"], found["mend"]) == ("warn", f"chmod -R go-rwx {data / 'rag.db'}")


def test_another_owner_may_be_getting_ready_and_is_a_failure_when_it_was_and_does_not_answer(rag, tmp_path: Path) -> None:
    ownership = Ownership(tmp_path / "data")
    try:
        starting = findings(rag("doctor", "--json"))["daemon"]
        ownership.publish(DaemonInfo(os.getpid(), "0.0.1", "http://127.0.0.1:9", "token"))
        silent = findings(rag("doctor", "--json", code=1))["daemon"]
    finally:
        ownership.release()
    assert (starting["level"], silent["level"]) == ("warn", "fail")
    assert str(os.getpid()) in starting["message"]
    assert str(os.getpid()) in silent["message"]


def test_a_daemon_that_runs_is_asked_and_its_database_is_not_opened_here(rag, daemon, tmp_path: Path) -> None:
    handler, _, url = daemon
    checks = [{"name": "database", "level": "fail", "message": "rag.db is damaged", "mend": "Put back a copy."}]
    handler.answers = {
        "/api/status": {"version": __version__, "notices": ["An index was put aside."]},
        "/api/checks": {"checks": checks},
        "/api/sources": {"items": [], "total": 0, "page": 1, "page_size": 100},
    }
    found = findings(rag("doctor", "--json", code=1))
    assert found["daemon"]["message"].startswith(url)
    assert found["database"] == checks[0]
    assert (found["indexes"]["level"], found["indexes"]["message"]) == ("warn", "An index was put aside.")
    assert not (tmp_path / "data" / "rag.db").exists()


def test_a_daemon_of_another_version_is_not_asked_for_what_it_may_not_know(rag, daemon) -> None:
    handler, _, _ = daemon
    handler.answers = {
        "/api/status": {"version": "0.0.1", "notices": []},
        "/api/sources": {"items": [], "total": 0, "page": 1, "page_size": 100},
    }
    found = findings(rag("doctor", "--json"))
    assert found["daemon"]["level"] == "warn"
    assert "0.0.1" in found["daemon"]["message"]
    assert "database" not in found


@pytest.mark.parametrize(("free", "level", "code"), [(10_000_000, "fail", 1), (500_000_000, "warn", 0)])
def test_scarce_space_is_told(rag, monkeypatch: pytest.MonkeyPatch, free: int, level: str, code: int) -> None:
    monkeypatch.setattr("ragd.cli.doctor.checks.shutil.disk_usage", lambda _: Usage(10**12, 10**12 - free, free))
    assert findings(rag("doctor", "--json", code=code))["disk"]["level"] == level


def test_a_data_directory_that_cannot_be_written_is_a_failure(rag, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("not a folder")
    monkeypatch.setenv("RAG_DATA_DIR", str(file))
    assert findings(rag("doctor", "--json", code=1))["data"]["level"] == "fail"


def test_whether_agents_are_served_is_told(rag, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert "MCP is off" in findings(rag("doctor", "--json"))["agents"]["message"]
    monkeypatch.setenv("RAG_MCP__ENABLED", "true")
    without_roots = findings(rag("doctor", "--json"))["agents"]
    assert without_roots["level"] == "warn"
    assert "security.allowed_roots" in without_roots["mend"]
    monkeypatch.setenv("RAG_SECURITY__ALLOWED_ROOTS", json.dumps([str(tmp_path)]))
    assert findings(rag("doctor", "--json"))["agents"] == {
        "name": "agents",
        "level": "ok",
        "message": "served by MCP over stdio and http",
        "mend": "",
    }
    (tmp_path / "policy.yaml").write_text("mcp: forbidden\n")
    monkeypatch.setenv("RAG_POLICY_FILE", str(tmp_path / "policy.yaml"))
    forbidden = findings(rag("doctor", "--json"))["agents"]
    assert (forbidden["level"], "policy.yaml" in forbidden["message"]) == ("warn", True)
