"""An open app behind the REST interface, with providers that need no model."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ragd.api.application import create_api
from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings

TOKEN = "a-token-for-tests"
URL = "http://127.0.0.1:8765"


@pytest.fixture
def changes() -> dict[str, Any]:
    """Settings that a test module changes, by overriding this fixture."""
    return {}


@pytest.fixture
def app(tmp_path: Path, migrated: Path, changes: dict[str, Any]) -> Iterator[Application]:
    quick = {
        "embedding.provider": "fake",
        "dense.backend": "exact",
        "sparse.backend": "fts5",
        "sparse.analyzer": "bigram",
        "rerank.budget_ms": 60_000,
    }
    settings = load_settings(tmp_path / "config", environment={}, explicit=quick | changes)
    (tmp_path / "data").mkdir(mode=0o700)
    shutil.copy(migrated, tmp_path / "data")
    opened = Application(settings, Directories(tmp_path / "data", tmp_path / "models", tmp_path / "config"))
    yield opened
    opened.close()


@pytest.fixture
def client(app: Application) -> Iterator[TestClient]:
    with TestClient(create_api(app, token=TOKEN), base_url=URL, headers={"Authorization": f"Bearer {TOKEN}"}) as opened:
        yield opened


@pytest.fixture
def finish(app: Application, client: TestClient) -> Callable[[str], dict[str, Any]]:
    """Wait until a job has ended; gives it as the API tells it."""
    app.runner.start()

    def wait(job_id: str) -> dict[str, Any]:
        end = time.monotonic() + 30
        while (job := client.get(f"/api/jobs/{job_id}").json())["status"] in {"queued", "running"}:
            assert time.monotonic() < end, f"job did not end: {job}"
            app.runner.wait_for_change(0.2)
        return dict(job)

    return wait


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    """A folder with two documents."""
    folder = tmp_path / "guide"
    folder.mkdir()
    (folder / "install.md").write_text("# Install\n\nRun `kestrel setup` once.\n\n## Proxy\n\nSet HTTPS_PROXY before.\n")
    (folder / "経費.md").write_text("# 経費\n\n経費の精算は月末までに申請する。\n")
    return folder
