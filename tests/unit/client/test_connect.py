"""Who answers a program that uses the client: an API in its own process when no daemon runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragd.client.connect import connect
from ragd.client.errors import ApiError
from ragd.config.loading import Directories, load_settings
from ragd.core.instance import is_owned

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
