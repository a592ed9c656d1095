"""What was deleted is in no file of the data directory any more."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from ragd.app.container import Application

from .conftest import finish

TEXT = "The Zwetschgenkuchen recipe of the Quokka canteen is secret."


def holding(folder: Path, text: str) -> list[str]:
    """The files that hold a text."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path.relative_to(folder).as_posix() for path in files if text.encode() in path.read_bytes())


def test_the_text_of_a_deleted_document_is_nowhere_when_the_deletion_returns(
    open_app: Callable[..., Application], docs: Path
) -> None:
    app = open_app()
    data = app.directories.data
    secret = docs / "secret.md"
    secret.write_text(f"# Heading of Quokkas\n\n{TEXT}\n\n" + "More of it follows here. " * 200, encoding="utf-8")
    finish(app, app.documents.ingest([str(docs)]))
    secret.write_text(f"# Heading of Quokkas\n\nA newer text.\n\n{TEXT}", encoding="utf-8")
    finish(app, app.documents.ingest([str(docs)]))
    assert holding(data, TEXT)
    (doc_id,) = [row["id"] for row in app.documents.page(None, None, 1, 10)[0] if row["source"] == "secret.md"]
    app.documents.delete(doc_id)
    assert holding(data, TEXT) == []
    assert holding(data, "Heading of Quokkas") == []
    assert [path for path in holding(data, "Zwetschgenkuchen") if path.startswith("rag.db")] == []


def test_what_an_earlier_release_left_in_the_database_goes_at_the_next_start(
    open_app: Callable[..., Application], tmp_path: Path
) -> None:
    database = sqlite3.connect(tmp_path / "data" / "rag.db", isolation_level=None)
    database.execute("PRAGMA secure_delete=OFF")
    database.execute("PRAGMA user_version=0")
    database.execute("CREATE TABLE left (text)")
    database.executemany("INSERT INTO left VALUES (?)", [(TEXT * 50,)] * 20)
    database.execute("DELETE FROM left")
    database.execute("DROP TABLE left")
    database.close()
    assert holding(tmp_path / "data", TEXT)
    open_app()
    assert holding(tmp_path / "data", TEXT) == []


def test_an_index_that_was_put_aside_goes_once_there_is_a_whole_one(open_app: Callable[..., Application], docs: Path) -> None:
    app = open_app()
    finish(app, app.documents.ingest([str(docs)]))
    aside = app.directories.data / "index" / "sparse-fts5.damaged-20260101-000000"
    aside.mkdir()
    (aside / "words").write_text(TEXT, encoding="utf-8")
    open_app()
    assert not aside.exists()
