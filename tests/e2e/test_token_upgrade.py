"""A data directory without token vectors, as the last release made them: it answers while they are made, and with them after."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from .conftest import Daemon, ended

pytestmark = [pytest.mark.e2e, pytest.mark.model]

SAMPLES = Path(__file__).resolve().parents[2] / "data" / "samples"
QUESTIONS = {
    "How do I set up the development environment?": "developer-guide.md",
    "移行の手順": "migration-v3-ja.md",
}


def asked(client: httpx2.Client) -> set[str]:
    """Asks each question, whose document must be among the first. Returns the features that the best passages were ranked by."""
    features = set()
    for question, document in QUESTIONS.items():
        answer = client.post("/api/query", json={"query": question, "explain": True}).raise_for_status().json()
        assert document in [Path(hit["source"]).name for hit in answer["results"]], answer["results"]
        features |= {one["feature"] for one in answer["explanation"][0]["features"] or ()}
    return features


def test_an_older_data_directory_answers_while_its_token_vectors_are_made(start: Callable[..., Daemon], models_dir: Path) -> None:
    real = {
        "RAG_EMBEDDING__PROVIDER": "onnx",
        "RAG_DENSE__BACKEND": "usearch",
        "RAG_SPARSE__BACKEND": "tantivy",
        "RAG_SPARSE__ANALYZER": "sudachi",
        "RAG_RERANK__PROVIDER": "none",
        "RAG_OCR__PROVIDER": "none",
        "RAG_MODELS_DIR": str(models_dir),
    }
    daemon = start(**real, RAG_TOKEN_INDEX__PROVIDER="none")
    with daemon.client() as client:
        folders = [str(SAMPLES / name) for name in ("guides", "code", "mail", "meetings", "operations")]
        job = ended(client, client.post("/api/ingest", json={"paths": folders}).json()["job_id"])
        assert (job["status"], job["result"]["failed"]) == ("completed", [])
        assert client.get("/api/status").json()["token_index"] == {"provider": "none", "building": None}
        assert "tokens" not in asked(client)
    assert daemon.stop() == 0
    assert not list((daemon.data_dir / "index").glob("tokens-*"))

    daemon = start(**real)
    seen: list[dict[str, Any]] = []
    with daemon.client() as client:
        while (status := client.get("/api/status").json()["token_index"])["building"] is not None:
            seen.append(status["building"])
            asked(client)
        assert seen, "questions were answered while the job waited or ran"
        assert [state["done"] for state in seen] == sorted(state["done"] for state in seen), "progress only grows"
        assert status == {"provider": "file", "building": None}
        (job,) = [job for job in client.get("/api/jobs").json()["items"] if job["kind"] == "tokens"]
        assert (job["status"], job["progress"]["done"]) == ("completed", job["progress"]["total"])
        assert "tokens" in asked(client)
        report = client.post("/api/documents/verify", json={}).json()
        assert report["ok"], report
        (check,) = [row for row in client.get("/api/checks?search=true").json()["checks"] if row["name"] == "token vectors"]
        assert (check["level"], check["message"]) == ("ok", "file, of every chunk")
    assert daemon.stop() == 0
