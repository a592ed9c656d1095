"""`rag ingest --ray local`: the stages of an ingestion by processes of a Ray cluster, on a real PostgreSQL."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import wait_for

pytest.importorskip("ray", reason="the extra `ray` (some 500 MB) is not installed in this environment")
pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.timeout(600)]

SETTINGS = {
    "JOBS__QUEUE": "procrastinate",
    "EMBEDDING__PROVIDER": "fake",
    "SPARSE__ANALYZER": "bigram",
    "TOKEN_INDEX__PROVIDER": "none",
}


def _rag(folder: Path, url: str, *command: str) -> subprocess.Popen[str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("RAG_")}
    ours = {f"RAG_{name}": value for name, value in SETTINGS.items()}
    places = {"RAG_DATA_DIR": str(folder / "data"), "RAG_CONFIG_DIR": str(folder / "config"), "RAG_STORE__URL": url}
    return subprocess.Popen(
        [sys.executable, "-m", "ragd", *command],
        env=inherited | ours | places,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def test_a_folder_is_ingested_by_a_cluster_which_is_killed_and_goes_on(
    tmp_path: Path, postgres_server: Any, migrated_postgres: str
) -> None:
    (tmp_path / "config").mkdir()
    documents = tmp_path / "documents"
    documents.mkdir()
    for number in range(100):
        (documents / f"page-{number}.md").write_text(f"# Page {number}\n\nIt says word{number}.\n", "utf-8")
    (documents / "broken.pdf").write_bytes(b"no PDF")
    database = postgres_server.create(migrated_postgres)
    command = ("ingest", "--ray", "local", "--collection", "bulk", "--create", "--json", str(documents))
    try:
        first = _rag(tmp_path, postgres_server.url(database), *command)

        def stored() -> int:
            assert first.poll() is None, first.stderr and first.stderr.read()
            return int(postgres_server.run(database, "SELECT count(*) FROM documents WHERE status = 'ready'")[0][0])

        wait_for(lambda: 0 < stored() < 100, "a part to be stored", 300)
        first.kill()
        first.communicate()
        assert postgres_server.run(database, "SELECT kind, status FROM jobs") == [("bulk", "running")]
        second = _rag(tmp_path, postgres_server.url(database), *command)
        printed, said = second.communicate(timeout=400)
        assert second.returncode == 1, said  # a file that can't be read is said, as ever
        job = json.loads(printed)
        assert (job["status"], [one["source"] for one in job["result"]["failed"]]) == ("completed", ["broken.pdf"])
        assert job["result"]["unchanged"] > 0
        assert job["result"]["unchanged"] + job["result"]["added"] == 100
        assert postgres_server.run(database, "SELECT status, count(*) FROM documents GROUP BY 1 ORDER BY 1") == [
            ("failed", 1),
            ("ready", 100),
        ]
        assert postgres_server.run(database, "SELECT count(*) FROM versions WHERE status <> 'ready'") == [(0,)]
        query = _rag(tmp_path, postgres_server.url(database), "query", "word42", "--collection", "bulk", "--json")
        found, said = query.communicate(timeout=120)
        assert "page-42.md" in [one["source"] for one in json.loads(found)["results"]], said
    finally:
        postgres_server.drop(database)
