"""`rag backup` and `rag restore`: everything is there again, or nothing was touched."""

from __future__ import annotations

import hashlib
import json
import os
import random
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ragd.cli import cli
from ragd.core.instance import Ownership

from .conftest import LIGHT, Rag


def state_of(folder: Path) -> dict[str, bytes]:
    """Every file of a folder with its bytes, but the lock and the logs."""
    files = (path for path in folder.rglob("*") if path.is_file())
    kept = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    return {name: data for name, data in kept.items() if not name.startswith(("logs/", "daemon."))}


@pytest.fixture(scope="session")
def archive_once(tmp_path_factory: pytest.TempPathFactory, ingested_once: Path) -> Path:
    path = tmp_path_factory.mktemp("backup") / "kept.zip"
    env = {**LIGHT, "RAG_CONFIG_DIR": str(path.parent / "config")}
    result = CliRunner(env=env).invoke(cli, ["--data-dir", str(ingested_once), "backup", str(path)])
    assert result.exit_code == 0, result.output
    return path


@pytest.fixture
def archive(archive_once: Path, tmp_path: Path) -> Path:
    """A backup of the three documents, the test's own."""
    copy = tmp_path / "kept.zip"
    copy.write_bytes(archive_once.read_bytes())
    return copy


@pytest.fixture
def changed(archive: Path, tmp_path: Path) -> Callable[..., Path]:
    """Writes the backup again with other files or another manifest."""

    def change(written: dict[str, bytes] | None = None, **manifest: Any) -> Path:
        with zipfile.ZipFile(archive) as old:
            kept = {name: old.read(name) for name in old.namelist()} | (written or {})
        known = {name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in kept.items()}
        del known["manifest.json"]
        facts = json.loads(kept["manifest.json"]) | {"files": known} | manifest
        target = tmp_path / "changed.zip"
        with zipfile.ZipFile(target, "w") as new:
            for name, data in {**kept, "manifest.json": json.dumps(facts).encode()}.items():
                new.writestr(name, data)
        return target

    return change


@pytest.mark.usefixtures("ingested")
def test_a_restored_directory_answers_as_the_first_did(rag: Rag, tmp_path: Path) -> None:
    question = ("query", "how do I restore a snapshot?", "--json")
    before = json.loads(rag(*question).stdout)["results"]
    made = json.loads(rag("backup", str(tmp_path / "a.zip"), "--json").stdout)
    assert (made["documents"], made["vanished"], made["file"]) == (3, [], str(tmp_path / "a.zip"))
    restored = json.loads(rag("--data-dir", str(tmp_path / "other"), "restore", str(tmp_path / "a.zip"), "--json").stdout)
    assert restored["documents"] == 3
    assert json.loads(rag("--data-dir", str(tmp_path / "other"), *question).stdout)["results"] == before
    assert json.loads(rag("--data-dir", str(tmp_path / "other"), "documents", "verify", "--json").stdout)["ok"]


@pytest.mark.usefixtures("ingested")
def test_the_file_is_private_and_holds_neither_token_nor_logs(rag: Rag, tmp_path: Path) -> None:
    (tmp_path / "data" / "uploads" / "kb" / "hash").mkdir(parents=True)
    (tmp_path / "data" / "uploads" / "kb" / "hash" / "規程.md").write_text("kept")
    (tmp_path / "data" / "daemon.json").write_text('{"token": "secret"}')
    rag("backup", str(tmp_path / "a.zip"))
    with zipfile.ZipFile(tmp_path / "a.zip") as made:
        assert sorted(made.namelist()) == ["manifest.json", "rag.db", "uploads/kb/hash/規程.md"]
    if os.name != "nt":
        assert (tmp_path / "a.zip").stat().st_mode & 0o777 == 0o600
    assert not list(tmp_path.glob(".a.zip*"))
    assert "backup.tmp" not in state_of(tmp_path / "data")


@pytest.mark.usefixtures("ingested")
def test_nothing_is_written_over_or_into_nowhere(rag: Rag, tmp_path: Path, archive: Path) -> None:
    before = archive.read_bytes()
    assert "is there already" in rag("backup", str(archive), code=2).output
    assert archive.read_bytes() == before
    assert "There is no folder" in rag("backup", str(tmp_path / "no" / "a.zip"), code=2).output
    missing = rag("--data-dir", str(tmp_path / "none"), "backup", str(tmp_path / "a.zip"), code=1)
    assert "nothing to back up" in missing.output
    assert not (tmp_path / "none").exists()


@pytest.mark.usefixtures("ingested")
def test_content_is_replaced_only_when_that_is_asked_for(rag: Rag, tmp_path: Path, archive: Path) -> None:
    (tmp_path / "later.md").write_text("# Later\n\nThe zebra crossed afterwards.\n")
    rag("ingest", str(tmp_path / "later.md"))
    stray = tmp_path / "data" / "uploads" / "kb" / "hash" / "later.md"
    stray.parent.mkdir(parents=True)
    stray.write_text("of a document that the backup does not know")
    before = state_of(tmp_path / "data")
    assert "holds 4 documents" in rag("restore", str(archive), code=2).output
    assert state_of(tmp_path / "data") == before
    rag("restore", str(archive), "--replace")
    assert not stray.exists()
    names = {row["source"] for row in json.loads(rag("documents", "list", "--json").stdout)["items"]}
    assert len(names) == 3
    assert not {name for name in names if "later" in name}


@pytest.mark.usefixtures("ingested")
def test_changes_of_the_old_database_that_wait_in_its_log_do_not_reach_the_new_one(
    rag: Rag, tmp_path: Path, archive: Path
) -> None:
    # As a killed process leaves it: a log of changes beside the database.
    database = tmp_path / "data" / "rag.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("UPDATE collections SET description = 'of the old one'")
        connection.commit()
        left = {suffix: database.with_name(f"rag.db{suffix}").read_bytes() for suffix in ("", "-wal", "-shm")}
    for suffix, data in left.items():
        database.with_name(f"rag.db{suffix}").write_bytes(data)
    rag("restore", str(archive), "--replace")
    assert json.loads(rag("collections", "show", "default", "--json").stdout)["description"] != "of the old one"
    assert json.loads(rag("documents", "verify", "--json").stdout)["ok"]


def test_a_database_that_is_damaged_counts_as_content_and_can_be_replaced(rag: Rag, tmp_path: Path, archive: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "rag.db").write_bytes(b"no database " * 400)
    assert "can't be read" in rag("restore", str(archive), code=2).output
    rag("restore", str(archive), "--replace")
    assert json.loads(rag("documents", "verify", "--json").stdout)["ok"]


def test_a_backup_that_was_cut_short_or_changed_is_refused_with_nothing_touched(
    rag: Rag, tmp_path: Path, archive: Path, archive_once: Path
) -> None:
    whole, chosen = archive_once.read_bytes(), random.Random(7)
    cut = [whole[:length] for length in (0, 10, len(whole) // 2, len(whole) - 1)]
    # Not single bits: one in a date of the archive changes no file, and may fall anywhere since each archive has other dates.
    with zipfile.ZipFile(archive_once) as kept:
        compressed = kept.getinfo("rag.db").compress_size
    overwritten = [
        whole[:at] + chosen.randbytes(16) + whole[at + 16 :]
        for at in (chosen.randrange(compressed // 10, compressed - 100) for _ in range(8))
    ]
    for damaged in (*cut, *overwritten):
        archive.write_bytes(damaged)
        assert "Nothing was touched" in rag("restore", str(archive), code=2).output
        assert state_of(tmp_path / "data") == {}


@pytest.mark.slow
def test_no_changed_byte_is_restored_unseen(rag: Rag, archive: Path, archive_once: Path) -> None:
    with zipfile.ZipFile(archive_once) as kept:
        files = {name: kept.read(name) for name in kept.namelist()}
    whole, chosen = archive_once.read_bytes(), random.Random(11)
    for _ in range(400):
        at = chosen.randrange(len(whole))
        archive.write_bytes(whole[:at] + bytes([chosen.randrange(256)]) + whole[at + 1 :])
        result = CliRunner().invoke(cli, ["restore", "--check", str(archive)])
        if result.exit_code == 0:  # a date, say: the bytes of no file have changed
            with zipfile.ZipFile(archive) as same:
                assert {name: same.read(name) for name in files} == files
        else:
            assert (result.exit_code, "Nothing was touched" in result.output) == (2, True), result.output


@pytest.mark.parametrize(
    "name",
    [
        "../rag.db",
        "uploads/../../evil",
        "/etc/evil",
        "config/settings.yaml",
        "daemon.json",
        "uploads\\evil",
        "uploads/c:x",
        "index/x",
    ],
)
def test_a_name_outside_of_the_content_is_refused(rag: Rag, tmp_path: Path, changed: Callable[..., Path], name: str) -> None:
    assert "no file of a data directory" in rag("restore", str(changed({name: b"evil"})), code=2).output
    assert state_of(tmp_path / "data") == {}


def test_a_backup_of_a_newer_release_says_to_update(rag: Rag, changed: Callable[..., Path]) -> None:
    assert "newer release (0.1.0" in rag("restore", str(changed(schema=1000)), code=2).output
    assert "newer release (9.9" in rag("restore", str(changed(format=2, version="9.9")), code=2).output


def test_a_manifest_that_does_not_name_the_files_is_refused(rag: Rag, changed: Callable[..., Path]) -> None:
    assert "can't be restored" in rag("restore", str(changed(files={})), code=2).output
    assert "database" in rag("restore", str(changed({"rag.db": b"no database " * 400})), code=2).output


def test_a_check_says_what_a_backup_holds_and_restores_nothing(rag: Rag, tmp_path: Path, archive: Path) -> None:
    assert "is sound: 3 documents" in rag("restore", "--check", str(archive)).output
    assert not (tmp_path / "data").exists()


def test_a_directory_in_use_is_not_restored_into(rag: Rag, tmp_path: Path, archive: Path) -> None:
    owner = Ownership(tmp_path / "data")
    assert "in use by process" in rag("restore", str(archive), code=4).output
    owner.release()
    assert state_of(tmp_path / "data") == {}


@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
@pytest.mark.usefixtures("ingested")
def test_a_full_disk_leaves_nothing_half(rag: Rag, tmp_path: Path, archive: Path) -> None:
    import resource

    before, beside = state_of(tmp_path / "data"), sorted(tmp_path.iterdir())
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limits[1]))
    try:
        rag("restore", str(archive), "--replace", code=1)
        rag("backup", str(tmp_path / "b.zip"), code=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert state_of(tmp_path / "data") == before
    assert sorted(tmp_path.iterdir()) == beside
