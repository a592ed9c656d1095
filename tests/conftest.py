"""What every test gets: folders of its own, no way to a user's files, and no network but loopback."""

from __future__ import annotations

import gc
import os
import signal
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

import pytest
from hypothesis import settings

# Before anything of ours is imported: the real models' folder is remembered (tests marked `model` read it), the rest is hidden.
from ragd.config.loading import Directories

if TYPE_CHECKING:
    from .postgres_server.server import PostgresServer

_MODELS_DIR = Directories.default().models
_HOME = tempfile.TemporaryDirectory(prefix="rag-tests-")
for _name in [name for name in os.environ if name.startswith("RAG_")]:
    del os.environ[_name]
os.environ.update(
    HOME=_HOME.name,
    XDG_CACHE_HOME=f"{_HOME.name}/cache",
    XDG_CONFIG_HOME=f"{_HOME.name}/config",
    XDG_DATA_HOME=f"{_HOME.name}/share",
    RAG_DATA_DIR=f"{_HOME.name}/data",
    RAG_CONFIG_DIR=f"{_HOME.name}/rag-config",
    RAG_MODELS_DIR=str(_MODELS_DIR),
    HF_HUB_OFFLINE="1",
)

# No test is about time, and the machine may be busy.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

# Started in the background of a script, we ignore Ctrl-C, and so would every process that we start; a handler is not inherited.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, lambda _number, _frame: None)

# What ten thousand tests are made of stays: to look through it again and again is a fifth of the time that it takes to find them.
gc.disable()


def pytest_collection_finish() -> None:
    """Leave all that out of every later search for garbage, too."""
    gc.collect()
    gc.freeze()
    gc.enable()


_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
_connect = socket.socket.connect
_getaddrinfo = socket.getaddrinfo


def _guarded_connect(self: socket.socket, address: Any) -> None:
    if self.family != socket.AF_UNIX and address[0] not in _LOOPBACK:
        raise AssertionError(f"a test tried to reach {address}")
    _connect(self, address)


def _guarded_getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
    name = host.decode() if isinstance(host, bytes) else host
    if name is not None and name not in _LOOPBACK:
        raise AssertionError(f"a test tried to look up {host!r}")
    return _getaddrinfo(host, *args, **kwargs)


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket.socket, "connect", _guarded_connect)
    monkeypatch.setattr(socket, "getaddrinfo", _guarded_getaddrinfo)


@pytest.fixture(autouse=True)
def _own_data_dir(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RAG_DATA_DIR", str(tmp_path / "data"))


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store without rows, made once: a copy is quicker than the migrations."""
    from ragd.store.database.engine import open_engine

    folder = tmp_path_factory.mktemp("migrated")
    open_engine("", folder).dispose()
    return folder / "rag.db"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL of this process, with pgvector; started for the first test that asks for it."""
    from .postgres_server.server import running_server

    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
def migrated_postgres(postgres_server: PostgresServer) -> str:
    """The name of a database with the tables and no rows, a template: `postgres_server.create(migrated_postgres)`."""
    from ragd.store.database.engine import open_engine

    name = postgres_server.create()
    open_engine(postgres_server.url(name), Path()).dispose()
    return name


@pytest.fixture
def postgres_database(postgres_server: PostgresServer) -> Iterator[str]:
    """The name of an empty database of the test's own."""
    name = postgres_server.create()
    yield name
    postgres_server.drop(name)


@pytest.fixture(scope="session")
def _s3_service() -> Iterator[str]:
    # Not at the top: it takes a second and 80 MB, for a few tests.
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


_SIGNATURE = "AWS4-HMAC-SHA256 Credential=id/20260101/us-east-1/s3/aws4_request"


@pytest.fixture
def s3_endpoint(_s3_service: str) -> str:
    """A service that speaks S3, with the empty bucket `kept`. It takes any keys."""
    anybody = {"Authorization": f"{_SIGNATURE}, SignedHeaders=host, Signature=0"}
    for method, path in (("POST", "moto-api/reset"), ("PUT", "kept")):
        urlopen(Request(f"{_s3_service}/{path}", method=method, headers=anybody), timeout=300).close()
    return _s3_service


@pytest.fixture(scope="session")
def project_root() -> Path:
    """The checkout."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """Where `rag models pull` has put the real model; only for tests marked `model`."""
    return _MODELS_DIR
