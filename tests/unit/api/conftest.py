"""An open app behind the REST interface, with providers that need no model."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ragd.api.application import create_api
from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings

from ...light import LIGHT

TOKEN = "a-token-for-tests"
URL = "http://127.0.0.1:8765"


@pytest.fixture
def changes() -> dict[str, Any]:
    """Settings that a test module changes, by overriding this fixture."""
    return {}


Opened = Callable[[Path, Mapping[str, Any]], AbstractContextManager[Application]]


@pytest.fixture(scope="session")
def opened(migrated: Path) -> Opened:
    """Opens an app in a folder, with changed settings; what is there already is used."""

    @contextmanager
    def open_in(folder: Path, changes: Mapping[str, Any]) -> Iterator[Application]:
        quick = {
            **LIGHT,
            "security.allowed_hosts": ["127.0.0.1", "localhost"],
            "security.secret_names": ["*"],
        }
        settings = load_settings(folder / "config", environment={}, explicit={**quick, **changes})
        if not (folder / "data").exists():
            (folder / "data").mkdir(mode=0o700)
            shutil.copy(migrated, folder / "data")
        app = Application(settings, Directories(folder / "data", folder / "models", folder / "config"))
        yield app
        app.close()

    return open_in


@pytest.fixture(scope="session")
def served() -> Callable[[Application], TestClient]:
    """A client of an app, with its token; to be entered."""
    return lambda app: TestClient(create_api(app, token=TOKEN), base_url=URL, headers={"Authorization": f"Bearer {TOKEN}"})


@pytest.fixture(scope="session")
def finish_in() -> Callable[[Application, TestClient, str], dict[str, Any]]:
    """Wait until a job of an app whose runner has started has ended; gives it as the API reports it."""

    def wait(app: Application, client: TestClient, job_id: str) -> dict[str, Any]:
        end = time.monotonic() + 600
        while (job := client.get(f"/api/jobs/{job_id}").json())["status"] in {"queued", "running"}:
            assert time.monotonic() < end, f"job did not end: {job}"
            app.runner.wait_for_change(0.2)
        return dict(job)

    return wait


@pytest.fixture
def app(tmp_path: Path, opened: Opened, changes: dict[str, Any]) -> Iterator[Application]:
    with opened(tmp_path, changes) as app:
        yield app


@pytest.fixture
def client(app: Application, served: Callable[[Application], TestClient]) -> Iterator[TestClient]:
    with served(app) as client:
        yield client


@pytest.fixture
def finish(app: Application, client: TestClient, finish_in: Callable[..., dict[str, Any]]) -> Callable[[str], dict[str, Any]]:
    """Wait until a job of the test's app has ended; gives it as the API reports it."""
    app.runner.start()
    return lambda job_id: finish_in(app, client, job_id)


@pytest.fixture(scope="session")
def write_guide() -> Callable[[Path], Path]:
    """Makes a folder with two documents."""

    def write(parent: Path) -> Path:
        folder = parent / "guide"
        folder.mkdir()
        (folder / "install.md").write_text("# Install\n\nRun `kestrel setup` once.\n\n## Proxy\n\nSet HTTPS_PROXY before.\n")
        (folder / "経費.md").write_text("# 経費\n\n経費の精算は月末までに申請する。\n")
        return folder

    return write


@pytest.fixture
def ingested(client: TestClient, guide: Path, finish: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    """The two documents of `guide` in the collection `default`; what the job said. The settings must allow their folder."""
    done = finish(client.post("/api/ingest", json={"paths": [str(guide)]}).json()["job_id"])
    assert (done["status"], done["result"]["added"]) == ("completed", 2)
    return done


@pytest.fixture
def guide(tmp_path: Path, write_guide: Callable[[Path], Path]) -> Path:
    """A folder with two documents."""
    return write_guide(tmp_path)
