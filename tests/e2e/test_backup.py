"""A daemon at work is backed up, and what is restored elsewhere answers as it did."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest
from PIL import Image

from ragd.testing.token_index import write_basis

from .conftest import LIGHT, Daemon, ended, wait_for

pytestmark = pytest.mark.e2e


def rag(data: Path, *arguments: str, code: int = 0, **environment: str) -> Any:
    """One command on a data directory, and the JSON that it prints."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("RAG_")}
    ours = {**LIGHT, **environment, "RAG_DATA_DIR": str(data), "RAG_CONFIG_DIR": str(data / "config")}
    command = [sys.executable, "-m", "ragd", *arguments, "--json"]
    done = subprocess.run(command, env=inherited | ours, capture_output=True, encoding="utf-8", check=False, timeout=120)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def answers(client: httpx2.Client, questions: Mapping[str, str]) -> dict[str, list[str]]:
    found = {}
    for name, question in questions.items():
        results = client.post("/api/query", json={"query": question, "top_k": 5}).json()["results"]
        found[name] = [hit["chunk_id"] for hit in results]
    return found


NOTES = 400
DOCUMENTS = NOTES + NOTES // 20


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Notes and pictures, which are files that come with rows."""
    made = tmp_path / "documents"
    made.mkdir()
    for number in range(NOTES):
        words = " ".join(f"word{number}x{index}" for index in range(200))
        (made / f"{number:04}.md").write_text(f"# Note {number}\n\n{words}\n\n![a picture]({number // 20}.png)\n")
    for number in range(NOTES // 20):
        Image.effect_mandelbrot((240, 160), (-2, -1.5 + number / 50, 1, 1.5), 40).save(made / f"{number}.png")
    return made


def test_a_backup_during_an_ingestion_is_of_one_moment(start: Callable[..., Daemon], tmp_path: Path, folder: Path) -> None:
    # Descriptions of pictures come behind the ingestion, and would change the order that is compared.
    settings = {"RAG_OCR__PROVIDER": "none", "RAG_CAPTIONS__PROVIDER": "none"}
    settings["RAG_TOKEN_INDEX__BASIS"] = str(write_basis(tmp_path / "basis.npz"))
    data, early, late = (tmp_path / name for name in ("data", "early", "late"))
    questions = {str(number): f"word{number}x7 word{number}x8" for number in range(0, NOTES, 50)}
    daemon = start(**settings)
    with daemon.client() as client:
        first = [str(folder / f"{number:04}.md") for number in range(20)]
        assert ended(client, client.post("/api/ingest", json={"paths": first}).json()["job_id"])["status"] == "completed"
        job = client.post("/api/ingest", json={"paths": [str(folder)]}).json()["job_id"]
        (tmp_path / "during.zip").write_bytes(client.get("/api/backup").content)
        assert ended(client, job)["status"] == "completed"
        expected = answers(client, questions)
        rag(data, "backup", str(tmp_path / "after.zip"), **settings)
    assert daemon.stop() == 0
    # What was read is restored without the files that it was read from.
    shutil.rmtree(folder)

    rag(early, "restore", str(tmp_path / "during.zip"), **settings)
    assert 0 < rag(early, "documents", "list", **settings)["total"] < DOCUMENTS
    report = rag(early, "documents", "verify", **settings)
    assert report["ok"], report

    rag(late, "restore", str(tmp_path / "after.zip"), **settings)
    assert rag(late, "documents", "verify", **settings)["ok"]
    with start(late, **settings).client() as client:
        assert client.get("/api/documents").json()["total"] == DOCUMENTS
        # Token vectors are made again, while it answers; until then the order behind the first may be another.
        assert {name: found[0] for name, found in answers(client, questions).items()} == {
            name: found[0] for name, found in expected.items()
        }
        wait_for(
            lambda: client.get("/api/status").json()["token_index"] == {"provider": "file", "building": None}, "token vectors"
        )
        report = client.post("/api/documents/verify", json={}).json()
        assert (report["ok"], report["collections"][0]["missing_tokens"]["count"]) == (True, 0)
        assert answers(client, questions) == expected


def test_a_data_directory_that_was_moved_answers_as_before(start: Callable[..., Daemon], tmp_path: Path) -> None:
    first = start()
    with first.client() as client:
        files = [("files", ("kestrel.md", b"# Kestrel\n\nThe lease lasts 40 days.\n", "text/markdown"))]
        ended(client, client.post("/api/ingest", files=files).json()["job_id"])
    assert first.stop() == 0
    shutil.move(tmp_path / "data", tmp_path / "moved")
    with start(tmp_path / "moved").client() as client:
        hit = client.post("/api/query", json={"query": "how long does the lease last"}).json()["results"][0]
        assert "40 days" in hit["content"]
        assert client.post("/api/documents/verify").json()["ok"]
