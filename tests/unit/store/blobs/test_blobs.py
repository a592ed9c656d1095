"""Where uploads and pictures are kept: the same behaviour in a folder and in a bucket, and what a bucket can do wrong."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from ragd.config.service import BlobsSettings
from ragd.core.errors import SettingsError
from ragd.store.blobs.folder import BlobFolder, BlobStore, BlobsUnavailable
from ragd.store.blobs.opening import open_blobs
from ragd.store.blobs.s3 import S3Blobs

BUCKET = "kept"
"""That of `s3_endpoint`."""


@pytest.fixture
def bucket(s3_endpoint: str, tmp_path: Path) -> Callable[..., S3Blobs]:
    """Opens blob stores of one empty bucket, each on a machine of its own."""

    def open_it(machine: str = "one", bucket: str = BUCKET, **other: Any) -> S3Blobs:
        return s3(tmp_path / machine, s3_endpoint, bucket, **other)

    return open_it


def s3(folder: Path, endpoint: str, bucket: str = BUCKET, **other: Any) -> S3Blobs:
    options = {"region": "us-east-1", "access_key": "id", "secret_key": "key", "timeout_s": 60.0, "orphan_s": 0.0}
    return S3Blobs(folder, bucket, "team/one", endpoint=endpoint, **(options | other))


@pytest.fixture(params=["folder", pytest.param("s3", marks=pytest.mark.slow)])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> BlobStore:
    if request.param == "folder":
        return BlobFolder(tmp_path / "data")
    opened: S3Blobs = request.getfixturevalue("bucket")()
    return opened


def write(blobs: BlobStore, key: str, data: bytes) -> None:
    path = blobs.folder / key
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    blobs.keep(key)


def read(blobs: BlobStore, key: str, *, fixed: bool = False) -> bytes | None:
    path = blobs.fetch(key, fixed=fixed)
    return None if path is None else path.read_bytes()


def test_what_was_put_is_there_until_it_is_removed(blobs: BlobStore) -> None:
    assert not blobs.has("assets/ab/abc")
    assert blobs.fetch("assets/ab/abc") is None
    for _ in range(2):
        blobs.put("assets/ab/abc", b"picture")
    assert blobs.has("assets/ab/abc")
    assert read(blobs, "assets/ab/abc", fixed=True) == b"picture"
    assert blobs.sizes("assets") == {"assets/ab/abc": 7}
    for _ in range(2):
        blobs.remove("assets/ab/abc")
    assert not blobs.has("assets/ab/abc")
    assert read(blobs, "assets/ab/abc", fixed=True) is None
    assert blobs.sizes("assets") == {}


def test_a_move_replaces_and_may_be_done_again(blobs: BlobStore) -> None:
    write(blobs, "uploads/incoming/1", b"first")
    blobs.move("uploads/incoming/1", "uploads/kb/place/a b 資料.txt")
    write(blobs, "uploads/incoming/2", b"later")
    for _ in range(2):
        blobs.move("uploads/incoming/2", "uploads/kb/place/a b 資料.txt")
    assert read(blobs, "uploads/kb/place/a b 資料.txt") == b"later"
    assert list(blobs.sizes("uploads")) == ["uploads/kb/place/a b 資料.txt"]
    blobs.remove_below("uploads/kb/place")
    assert blobs.sizes("uploads") == {}


def test_a_sweep_takes_what_nothing_names(blobs: BlobStore) -> None:
    for name in ("ab1", "ab2"):
        blobs.put(f"assets/ab/{name}", b"x")
    blobs.put("assets2/ab/ab3", b"x")
    assert blobs.sweep("assets", lambda key: key.endswith("ab1")) == 1
    assert list(blobs.sizes("assets")) == ["assets/ab/ab1"]
    assert list(blobs.sizes("assets2")) == ["assets2/ab/ab3"]


@pytest.mark.slow
def test_another_machine_gets_the_present_state(bucket: Callable[..., S3Blobs]) -> None:
    one, two = bucket("one"), bucket("two")
    write(one, "uploads/incoming/1", b"first")
    two.move("uploads/incoming/1", "uploads/kb/place/a.txt")
    assert read(two, "uploads/kb/place/a.txt") == read(one, "uploads/kb/place/a.txt") == b"first"
    write(one, "uploads/incoming/2", b"second, longer")
    one.move("uploads/incoming/2", "uploads/kb/place/a.txt")
    assert read(two, "uploads/kb/place/a.txt") == b"second, longer"
    one.put("assets/ab/abc", b"picture")
    assert read(two, "assets/ab/abc", fixed=True) == b"picture"
    one.remove_below("uploads/kb")
    assert two.fetch("uploads/kb/place/a.txt") is None


@pytest.mark.slow
def test_what_came_lately_may_be_of_a_row_to_come(bucket: Callable[..., S3Blobs]) -> None:
    bucket("one").put("assets/ab/abc", b"x")
    assert bucket("two", orphan_s=86_400.0).sweep("assets", lambda _key: False) == 0
    assert bucket("two").has("assets/ab/abc")


@pytest.mark.slow
def test_a_bucket_that_is_not_there_is_no_missing_file(bucket: Callable[..., S3Blobs]) -> None:
    away = bucket("one", bucket="never-made")
    for ask in (lambda: away.has("a"), lambda: away.fetch("a"), lambda: away.put("a", b"x"), lambda: away.move("a", "b")):
        with pytest.raises(BlobsUnavailable, match="s3://never-made/team/one"):
            ask()
    assert not (away.folder / "a").exists()


class _Faulty(BaseHTTPRequestHandler):
    """Answers every request as `fault` says."""

    fault = ""
    seen: list[str]

    def _answer(self) -> None:
        type(self).seen.append(self.command)
        if self.fault == "denied":
            body = b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
            self.send_response(403)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)
        elif self.fault == "half" and self.command == "HEAD":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.send_header("Last-Modified", "Mon, 05 Jan 2026 10:00:00 GMT")
            self.send_header("ETag", '"x"')
            self.end_headers()
        elif self.fault == "half" and self.command == "GET":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.send_header("Last-Modified", "Mon, 05 Jan 2026 10:00:00 GMT")
            self.send_header("ETag", '"x"')
            self.end_headers()
            self.wfile.write(b"only this")
        self.close_connection = True

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _answer

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


@pytest.fixture
def faulty() -> Iterator[Callable[[str], str]]:
    """Starts services that do the named thing wrong; gives their addresses."""
    started: list[tuple[ThreadingHTTPServer, threading.Thread]] = []

    def start(fault: str) -> str:
        handler = type("Handler", (_Faulty,), {"fault": fault, "seen": []})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        started.append((server, thread))
        return f"http://127.0.0.1:{server.server_address[1]}"

    yield start
    for server, thread in started:
        server.shutdown()
        thread.join()
        server.server_close()


def test_refused_credentials_are_said(faulty: Callable[[str], str], tmp_path: Path) -> None:
    blobs = s3(tmp_path, faulty("denied"))
    write_only = tmp_path / "uploads" / "a"
    write_only.parent.mkdir()
    write_only.write_bytes(b"x")
    for ask in (lambda: blobs.keep("uploads/a"), lambda: blobs.fetch("uploads/a"), lambda: blobs.remove_below("uploads")):
        with pytest.raises(BlobsUnavailable, match="refuses these credentials"):
            ask()


@pytest.mark.slow
def test_half_a_file_is_none(faulty: Callable[[str], str], tmp_path: Path) -> None:
    blobs = s3(tmp_path, faulty("half"), timeout_s=5.0)
    with pytest.raises(BlobsUnavailable, match="does not answer"):
        blobs.fetch("uploads/kb/place/a.txt")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.slow
@pytest.mark.parametrize("away", ["closed", "silent"])
def test_a_bucket_that_is_away_or_slow_is_given_up(away: str, tmp_path: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        if away == "silent":
            listener.listen()
        blobs = s3(tmp_path, f"http://127.0.0.1:{listener.getsockname()[1]}", timeout_s=0.3)
        with pytest.raises(BlobsUnavailable, match="does not answer"):
            blobs.put("assets/ab/abc", b"x")
        assert blobs.sweep("assets", lambda _key: False) == 0
    assert not (tmp_path / "assets/ab/abc").exists()


def test_settings_choose_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert open_blobs(BlobsSettings(), tmp_path).elsewhere is None
    monkeypatch.setitem(os.environ, "RAG_SECRET_ID", "id")
    monkeypatch.setitem(os.environ, "RAG_SECRET_KEY", "key")
    given = {"access_key": "env:RAG_SECRET_ID", "secret_key": "env:RAG_SECRET_KEY", "endpoint": "http://127.0.0.1:9"}
    assert open_blobs(BlobsSettings(url="s3://kept/team/one/", **given), tmp_path).elsewhere == "s3://kept/team/one"
    with pytest.raises(SettingsError, match="go together"):
        open_blobs(BlobsSettings(url="s3://kept", access_key="env:RAG_SECRET_ID"), tmp_path)


@pytest.mark.parametrize("url", ["https://kept", "s3://", "s3://id:key@kept", "s3://kept?region=x"])
def test_what_is_no_bucket_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="s3://BUCKET/PREFIX"):
        BlobsSettings(url=url)
