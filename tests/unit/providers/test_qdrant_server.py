"""A Qdrant server that is away, slow, full, too old or refuses; and what is asked of one at all."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragd.config.indexing import IndexServerSettings
from ragd.core.errors import RemoteRefused, ServiceUnavailable, SettingsError
from ragd.providers.qdrant.stores import QdrantDenseStore, QdrantSparseStore
from ragd.testing.common import KB, entry_ids, unit_vectors

from .qdrant_server import QdrantServer

pytestmark = pytest.mark.slow


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[QdrantServer]:
    monkeypatch.setenv("RAG_SECRET_QDRANT", "kettle")
    with QdrantServer(key="kettle") as server:
        yield server


def dense(server: QdrantServer, folder: Path, key: str = "env:RAG_SECRET_QDRANT") -> QdrantDenseStore:
    return QdrantDenseStore(folder / "dense", server=IndexServerSettings(url=server.url, api_key=key, timeout_s=1))


def test_nothing_is_asked_but_what_a_call_needs(server: QdrantServer, tmp_path: Path) -> None:
    store = dense(server, tmp_path)
    assert server.requests == []
    store.upsert(KB, entry_ids(3), unit_vectors(3))
    assert len(store.search(KB, unit_vectors(1)[0], 3)) == 3
    store.close()
    place = "/collections/rag_dense"
    assert server.requests == [
        f"GET {place}/exists", "GET /", f"PUT {place}", f"PUT {place}/index", f"PUT {place}/points",
        f"POST {place}/points/query/batch",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("fault", "error", "says"),
    [
        (401, RemoteRefused, "refused the key: correct what index_server.api_key"),
        (403, RemoteRefused, "refused the key: correct what index_server.api_key"),
        (429, ServiceUnavailable, "asks to wait 7 s"),
        (500, ServiceUnavailable, "answered 500: .*as the test wants it"),
        ("silence", ServiceUnavailable, "can't be reached: ReadTimeout.* Start it, or correct the address"),
    ],
)
def test_a_fault_is_an_error_that_says_what_to_do_and_never_an_empty_result(
    server: QdrantServer, tmp_path: Path, fault: int | str, error: type[ServiceUnavailable], says: str
) -> None:
    store = dense(server, tmp_path)
    store.upsert(KB, entry_ids(3), unit_vectors(3))
    server.fault = fault
    with pytest.raises(error, match=says):
        store.search(KB, unit_vectors(1)[0], 3)
    server.fault = None
    assert len(store.search(KB, unit_vectors(1)[0], 3)) == 3
    store.close()


def test_a_server_that_is_away_is_named(tmp_path: Path) -> None:
    with QdrantServer() as gone:
        store = dense(gone, tmp_path, key="")
    for ask in (lambda: store.ids(KB), lambda: store.upsert(KB, ["a"], unit_vectors(1)), lambda: store.drop(KB)):
        with pytest.raises(ServiceUnavailable, match=rf"Qdrant at {gone.url} .* can't be reached"):
            ask()
    store.close()


def test_a_key_that_is_missing_or_wrong_is_refused_without_being_repeated(server: QdrantServer, tmp_path: Path) -> None:
    store = dense(server, tmp_path, key="")
    with pytest.raises(RemoteRefused) as caught:
        store.ids(KB)
    assert "kettle" not in str(caught.value)
    store.close()


def test_a_collection_that_someone_dropped_is_made_anew_after_one_error(server: QdrantServer, tmp_path: Path) -> None:
    store = dense(server, tmp_path)
    store.upsert(KB, entry_ids(3), unit_vectors(3))
    server.forget()
    assert store.ids(KB) == set()
    with pytest.raises(ServiceUnavailable, match="404"):
        store.upsert(KB, entry_ids(3), unit_vectors(3))
    store.upsert(KB, entry_ids(3), unit_vectors(3))
    assert store.ids(KB) == set(entry_ids(3))
    store.close()


def test_a_server_too_old_for_the_idf_of_one_knowledge_base_is_refused(server: QdrantServer, tmp_path: Path) -> None:
    server.version = "1.18.3"
    store = QdrantSparseStore(tmp_path / "sparse", server=IndexServerSettings(url=server.url, api_key="env:RAG_SECRET_QDRANT"))
    with pytest.raises(SettingsError, match=r"Qdrant 1\.18\.3 .* 1\.19 or newer"):
        store.upsert(KB, [("a", ["x"])])
    store.close()


@pytest.mark.parametrize("url", ["qdrant:6333", "https://user:secret@qdrant.example.com", "http://169.254.169.254:6333"])
def test_an_address_that_can_be_none_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(SettingsError, match=r"index_server\.url"):
        QdrantDenseStore(tmp_path / "dense", server=IndexServerSettings(url=url))


@pytest.mark.parametrize(("package", "url"), [("qdrant_edge", ""), ("qdrant_client", "http://127.0.0.1:1")])
def test_without_the_packages_the_command_that_installs_them_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, url: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(SettingsError, match="Run: rag extras add qdrant"):
        QdrantDenseStore(tmp_path / "dense", server=IndexServerSettings(url=url))
