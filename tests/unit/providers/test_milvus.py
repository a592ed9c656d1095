"""Milvus: a server that is away or refuses, what Milvus Lite listens on, and what is missing."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from ragd.config.indexing import IndexServerSettings
from ragd.core.errors import RemoteRefused, ServiceUnavailable, SettingsError
from ragd.providers.milvus.stores import MilvusDenseStore
from ragd.testing.common import KB, unit_vectors

pytestmark = pytest.mark.slow


def test_milvus_lite_listens_on_a_socket_of_this_user_and_on_no_port(tmp_path: Path) -> None:
    before = {place.laddr for place in psutil.Process().net_connections("inet") if place.status == psutil.CONN_LISTEN}
    with closing(MilvusDenseStore(tmp_path / "dense")) as store:
        store.upsert(KB, ["a"], unit_vectors(1))
        process = psutil.Process()
        opened = {place.laddr for place in process.net_connections("inet") if place.status == psutil.CONN_LISTEN}
        [socket] = {Path(place.laddr) for place in process.net_connections("unix") if "/milvus-" in str(place.laddr)}
        folder = socket.parent
        assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert opened <= before
    assert not folder.exists()


def test_a_server_that_is_away_is_named_and_nothing_is_found_empty(tmp_path: Path) -> None:
    with closing(MilvusDenseStore(tmp_path / "d", server=IndexServerSettings(url="http://127.0.0.1:1", timeout_s=1))) as store:
        for ask in (lambda: store.ids(KB), lambda: store.search(KB, unit_vectors(1)[0], 1)):
            with pytest.raises(ServiceUnavailable, match=r"Milvus at http://127\.0\.0\.1:1 .* Start it, or correct the address"):
                ask()


def test_a_key_that_the_server_refuses_is_said_so(tmp_path: Path) -> None:
    from pymilvus import MilvusException

    class Client:
        def has_collection(self, *_: object, **__: object) -> bool:
            raise MilvusException(code=1800, message="auth check failure, please check username and password are correct")

        def close(self) -> None: ...

    class Refused(MilvusDenseStore):
        def __init__(self, folder: Path) -> None:
            super().__init__(folder, server=IndexServerSettings(url="http://127.0.0.1:1"))
            self._collection._connected = Client

    with closing(Refused(tmp_path / "d")) as store, pytest.raises(RemoteRefused, match=r"correct what index_server\.api_key"):
        store.ids(KB)


@pytest.mark.parametrize(("package", "url"), [("pymilvus", "http://127.0.0.1:1"), ("milvus_lite", "")])
def test_without_the_packages_the_command_that_installs_them_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, url: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(SettingsError, match="Run: rag extras add milvus"):
        MilvusDenseStore(tmp_path / "dense", server=IndexServerSettings(url=url))
