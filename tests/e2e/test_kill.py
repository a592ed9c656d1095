"""kill -9 in the middle of an ingestion, again and again: nothing acknowledged is lost, nothing partial is served."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from rag_assistant.app import App
from rag_assistant.config import Directories, load_settings
from rag_assistant.ingest.indexes import find_drift
from rag_assistant.store.db import open_engine
from rag_assistant.store.documents import DocumentWriter

from .conftest import Daemon, ended, wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")]

REAL_INDEXES = {"RAG_DENSE__BACKEND": "chroma", "RAG_SPARSE__BACKEND": "tantivy"}
DOCUMENTS = 300
SECTIONS = 12


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Documents of several chunks, so many that they are stored in several groups."""
    made = tmp_path / "documents"
    made.mkdir()
    for number in range(DOCUMENTS):
        sections = [f"## Part {part}\n\nThe value of item{number}x{part} is set here.\n" for part in range(SECTIONS)]
        (made / f"{number:04}.md").write_text(f"# Document {number}\n\n" + "\n".join(sections), encoding="utf-8")
    return made


def ready_documents(client: httpx.Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    page = 1
    while True:
        answer = client.get("/api/documents", params={"status": "ready", "page": page, "page_size": 100}).json()
        found += answer["items"]
        if page * 100 >= answer["total"]:
            return found
        page += 1


def test_kills_at_any_moment_lose_nothing_and_serve_nothing_partial(
    start: Callable[..., Daemon], folder: Path, tmp_path: Path, models_dir: Path
) -> None:
    daemon = start(**REAL_INDEXES)
    with daemon.client() as client:
        job_id = client.post("/api/ingest", json={"paths": [str(folder)]}).json()["job_id"]
    before = 0
    for share in (0.0, 0.3, 0.6):
        with daemon.client() as client:

            def far_enough(client: httpx.Client = client, share: float = share) -> bool:
                job = client.get(f"/api/jobs/{job_id}").json()
                return bool(job["status"] != "queued" and job["progress"]["done"] >= share * DOCUMENTS)

            wait_for(far_enough, f"{share:.0%} of the documents", 60)
        daemon.process.kill()
        daemon.process.wait(timeout=30)
        daemon = start(**REAL_INDEXES)
        with daemon.client() as client:
            served = ready_documents(client)
            assert len(served) >= before, "what was served before the kill is served after it"
            assert all(document["chunk_count"] == SECTIONS for document in served)
            for document in served[:1] + served[-1:]:
                assert client.get(f"/api/documents/{document['id']}/chunks").json()["total"] == SECTIONS
            before = len(served)
    with daemon.client() as client:
        job = ended(client, job_id)
        assert (job["status"], job["result"]["failed"]) == ("completed", [])
        assert len(ready_documents(client)) == DOCUMENTS
        hit = client.post("/api/query", json={"query": "item299x11"}).json()["results"][0]
        assert (hit["source"], hit["section_path"][-1]) == ("0299.md", "Part 11")
    assert daemon.stop() == 0
    settings = load_settings(tmp_path, environment={}, explicit={"embedding.provider": "fake", "sparse.analyzer": "bigram"})
    app = App(settings, Directories(daemon.data_dir, models_dir, tmp_path))
    try:
        kb_id = app.collections.get("default").kb_id
        engine = open_engine("", daemon.data_dir)
        live = DocumentWriter(engine).live_entries(kb_id)
        engine.dispose()
        drift = find_drift(app.indexes, kb_id, live)
        assert len(live) == DOCUMENTS * SECTIONS
        assert (drift.surplus.dense, drift.surplus.sparse, drift.incomplete_documents) == ((), (), ())
    finally:
        app.close()
