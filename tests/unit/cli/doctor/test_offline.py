"""The proof that nothing leaves: what Python tries is named, and what native code tries is counted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ragd.cli.doctor import offline, trap
from ragd.cli.doctor.offline import prove_offline
from ragd.cli.doctor.trap.sitecustomize import RECORD
from ragd.config.loading import Directories

pytestmark = pytest.mark.slow

NO_NAMESPACE = pytest.mark.skipif(not offline._has_namespace(), reason="this machine gives no network namespace")


@pytest.fixture
def directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Directories:
    light = {"EMBEDDING__PROVIDER": "fake", "DENSE__BACKEND": "exact", "SPARSE__BACKEND": "fts5", "SPARSE__ANALYZER": "bigram"}
    for name, value in light.items():
        monkeypatch.setenv(f"RAG_{name}", value)
    return Directories(tmp_path / "data", tmp_path / "models", tmp_path / "config")


def watched(tmp_path: Path, program: str) -> list[dict[str, str]]:
    environment = {**os.environ, "PYTHONPATH": str(Path(trap.__file__).parent), RECORD: str(tmp_path / "record")}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in (tmp_path / "record").read_text(encoding="utf-8").splitlines()]


def test_what_python_tries_is_stopped_and_named_in_child_processes_too(tmp_path: Path) -> None:
    program = """
import contextlib, socket, subprocess, sys
def each():
    for address in (("telemetry.example.com", 443), ("203.0.113.9", 443), ("2001:db8::9", 443)):
        with contextlib.suppress(OSError):
            socket.create_connection(address, timeout=5)
            raise SystemExit("it was let through")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams, contextlib.suppress(OSError):
        datagrams.sendto(b"x", ("203.0.113.10", 53))
        raise SystemExit("it was let through")
    with socket.create_server(("127.0.0.1", 0)) as here:
        socket.create_connection(here.getsockname()).close()
    socket.getaddrinfo("localhost", 80)
each()
if len(sys.argv) == 1:
    child = "import socket, contextlib\\nwith contextlib.suppress(OSError): socket.gethostbyname('child.example.com')"
    subprocess.run([sys.executable, "-c", child], check=True)
"""
    lines = watched(tmp_path, program)
    assert sum("process" in line for line in lines) == 2
    assert [line["tried"] for line in lines if "tried" in line] == [
        "the name 'telemetry.example.com'",
        "203.0.113.9 port 443",
        "2001:db8::9 port 443",
        "203.0.113.10 port 53",
        "the name 'child.example.com'",
    ]


@NO_NAMESPACE
def test_what_native_code_tries_is_counted() -> None:
    program = """
import ctypes, socket, struct
from ragd.cli.doctor import offline
assert offline._raise_loopback()
before = sum(offline._counts().values())
libc = ctypes.CDLL(None)
descriptor = libc.socket(socket.AF_INET, socket.SOCK_STREAM, 0)
address = struct.pack("=HH4s8x", socket.AF_INET, socket.htons(443), socket.inet_aton("203.0.113.9"))
assert libc.connect(descriptor, address, len(address)) == -1
print(before, sum(offline._counts().values()))
"""
    command = [*offline._IN_NAMESPACE, sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.stdout.split() == ["0", "1"], done.stderr


def test_an_ingestion_and_a_query_without_remote_models_try_nothing(directories: Directories) -> None:
    checks = list(prove_offline(directories, lambda _what, _done: None))
    assert [check.level for check in checks] == ["ok", "ok" if offline._has_namespace() else "warn"], checks
    assert not directories.data.exists()


def test_a_remote_model_is_named_with_who_asked(directories: Directories, monkeypatch: pytest.MonkeyPatch) -> None:
    remote = {"PROVIDER": "openai", "URL": "https://models.example.com/v1", "MODEL": "any", "DIMENSION": "8"}
    for name, value in remote.items():
        monkeypatch.setenv(f"RAG_EMBEDDING__{name}", value)
    (check,) = prove_offline(directories, lambda _what, _done: None)
    assert check.level == "fail"
    assert "the name 'models.example.com', by httpcore" in check.message
    assert "of ragd." in check.message
