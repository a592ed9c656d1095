"""Who answers a program that uses the client: an API in its own process when no daemon runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragd.client.connect import connect
from ragd.client.errors import ApiError
from ragd.client.observer import Need
from ragd.config.loading import Directories, load_settings
from ragd.config.settings import Settings
from ragd.core.errors import DaemonAlreadyRunning
from ragd.core.instance import Ownership, is_owned, read_info

LIGHT = {"embedding.provider": "fake", "dense.backend": "exact", "sparse.backend": "fts5", "sparse.analyzer": "bigram"}


def test_without_a_daemon_the_api_runs_here_for_as_long_as_the_block(tmp_path: Path) -> None:
    directories = Directories(tmp_path / "data", tmp_path / "models", tmp_path / "config")
    with connect(directories, lambda: load_settings(tmp_path / "config", environment={}, explicit=LIGHT)) as client:
        assert not client.is_daemon
        assert is_owned(directories.data)
        assert client.get("/api/checks", search=False)["checks"][0]["level"] == "ok"
        with pytest.raises(ApiError) as refused:
            client.get("/api/jobs/none")
        assert (refused.value.status, refused.value.retryable) == (404, False)
        assert refused.value.request_id
    assert not is_owned(directories.data)


def test_who_works_for_long_answers_others_meanwhile(tmp_path: Path) -> None:
    directories = Directories(tmp_path / "data", tmp_path / "models", tmp_path / "config")

    def settings() -> Settings:
        return load_settings(tmp_path / "config", environment={}, explicit=LIGHT)

    with connect(directories, settings, "jobs") as worker:
        assert not worker.is_daemon
        with connect(directories, settings) as other:
            assert other.is_daemon
            assert other.post("/api/query", {"query": "lease"})["results"] == []
            with pytest.raises(ApiError, match=r"Ctrl-C in its terminal") as refused:
                other.post("/api/stop")
            assert refused.value.status == 503
            with pytest.raises(DaemonAlreadyRunning, match=other.address):
                Ownership(directories.data)
        assert worker.get("/api/status")["ready"]
    assert read_info(directories.data) is None
    assert not is_owned(directories.data)


@pytest.mark.parametrize("need", ["content", "search"])
def test_who_works_for_a_moment_listens_to_nobody(tmp_path: Path, need: Need) -> None:
    directories = Directories(tmp_path / "data", tmp_path / "models", tmp_path / "config")
    with connect(directories, lambda: load_settings(tmp_path / "config", environment={}, explicit=LIGHT), need):
        info = read_info(directories.data)
        assert info is not None
        assert info.url is None
