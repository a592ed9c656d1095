"""A backup while others write: one moment of the database, and every file that it names."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from sqlalchemy import Engine
from starlette.testclient import TestClient

from ragd.app.backup import Backup
from ragd.app.container import Application
from ragd.core.errors import ServiceUnavailable, ValidationFailed


def test_an_upload_is_in_the_backup_and_one_that_vanishes_is_named(
    app: Application, client: TestClient, finish: Callable[[str], dict[str, Any]]
) -> None:
    files = [("files", (name, f"# {name}\n\nKept.\n".encode())) for name in ("a.md", "b.md")]
    finish(client.post("/api/ingest", files=files).json()["job_id"])
    with app.backup.snapshot() as snapshot:
        next(app.directories.data.glob("uploads/*/*/a.md")).unlink()
        made = b"".join(snapshot.stream())
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        assert {Path(name).name for name in manifest["files"]} == {"rag.db", "b.md"}
    assert [Path(name).name for name in manifest["vanished"]] == ["a.md"]


def test_what_is_written_after_the_moment_is_not_in_it(app: Application, client: TestClient, tmp_path: Path) -> None:
    with app.backup.snapshot() as snapshot:
        client.post("/api/collections", json={"name": "later"})
        made = b"".join(snapshot.stream())
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        archive.extract("rag.db", tmp_path)
    with closing(sqlite3.connect(tmp_path / "rag.db")) as database:
        assert database.execute("SELECT name FROM collections").fetchall() == [("default",)]


def test_one_backup_at_a_time_and_a_stream_that_nobody_reads_holds_nothing_up(app: Application, client: TestClient) -> None:
    with app.backup.snapshot():
        busy = client.get("/api/backup")
        assert busy.status_code == 503
        assert "Another backup" in busy.json()["error"]["message"]
    with client.stream("GET", "/api/backup") as response:
        assert response.headers["content-type"] == "application/zip"
    with app.backup.snapshot() as snapshot:
        assert snapshot.size > 0
    assert not (app.directories.data / "backup.tmp").exists()


def test_what_a_killed_process_left_is_removed_at_the_start(app: Application) -> None:
    data = app.directories.data
    (data / "restore.tmp").mkdir()
    (data / "restore.tmp" / "rag.db").write_bytes(b"half")
    (data / "backup.tmp").write_bytes(b"half")
    Backup(app.maintenance.database, data)
    assert not list(data.glob("*.tmp"))


def test_content_elsewhere_is_for_its_own_tools(tmp_path: Path) -> None:
    engine = cast(Engine, SimpleNamespace(dialect=SimpleNamespace(name="postgresql")))
    with pytest.raises(ValidationFailed, match="with pg_dump"), Backup(engine, tmp_path).snapshot():
        pass


def test_a_damaged_database_is_not_backed_up(app: Application) -> None:
    path = app.directories.data / "rag.db"
    pages = bytearray(path.read_bytes())
    pages[8192:20000] = b"\xff" * (20000 - 8192)
    app.maintenance.database.dispose()
    path.write_bytes(pages)
    with pytest.raises(ServiceUnavailable, match="can't be copied"), app.backup.snapshot():
        pass
