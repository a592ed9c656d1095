"""`rag store copy`: the same store in another database, whole or not at all."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ragd.core.instance import Ownership

from .conftest import Rag

pytestmark = pytest.mark.usefixtures("ingested")


def content(file: Path) -> dict[str, list[Any]]:
    """Every row of every table. JSON's null and SQL's are read alike."""
    with closing(sqlite3.connect(file)) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = {name: database.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}
    return {
        name: sorted([[None if value == "null" else value for value in row] for row in of], key=repr) for name, of in rows.items()
    }


def found(rag: Rag) -> list[str]:
    return [item["chunk_id"] for item in json.loads(rag("query", "backup", "--json").stdout)["citations"]]


@pytest.fixture
def urls(tmp_path: Path) -> tuple[str, str]:
    return f"sqlite:///{tmp_path / 'data' / 'rag.db'}", f"sqlite:///{tmp_path / 'copy.db'}"


def test_every_row_is_copied_and_answers_come_from_the_copy(
    rag: Rag, tmp_path: Path, urls: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = found(rag)
    held = content(tmp_path / "data" / "rag.db")
    rows = json.loads(rag("store", "copy", *urls, "--json").stdout)["rows"]
    assert content(tmp_path / "copy.db") == held
    assert rows == {name: len(found) for name, found in held.items() if name != "schema_version"}
    (tmp_path / "data" / "rag.db").rename(tmp_path / "elsewhere.db")
    monkeypatch.setenv("RAG_STORE__URL", urls[1])
    assert found(rag) == before
    assert before


def test_only_an_empty_database_is_copied_into(rag: Rag, tmp_path: Path, urls: tuple[str, str]) -> None:
    assert "Copied 3 documents" in rag("store", "copy", *urls).stdout
    held = content(tmp_path / "copy.db")
    again = rag("store", "copy", *urls, code=2)
    assert "holds something already" in again.output
    assert "Name an empty database." in again.output
    assert content(tmp_path / "copy.db") == held
    assert "can't be copied into itself" in rag("store", "copy", urls[0], urls[0], code=2).output


def test_a_row_that_is_refused_leaves_nothing(rag: Rag, tmp_path: Path, urls: tuple[str, str]) -> None:
    rag("store", "copy", *urls)
    with closing(sqlite3.connect(tmp_path / "copy.db")) as database, database:
        database.execute("PRAGMA foreign_keys=OFF")
        for name in content(tmp_path / "copy.db"):
            if name != "schema_version":
                database.execute(f'DELETE FROM "{name}"')
        database.execute("CREATE TRIGGER refused BEFORE INSERT ON vectors BEGIN SELECT RAISE(ABORT, 'no room'); END")
    refused = rag("store", "copy", *urls, code=2)
    assert "refused a row of 'vectors': no room. Nothing was copied." in refused.output
    assert [name for name, rows in content(tmp_path / "copy.db").items() if rows] == ["schema_version"]


def test_a_store_in_use_is_not_copied(rag: Rag, tmp_path: Path, urls: tuple[str, str]) -> None:
    ownership = Ownership(tmp_path / "data")
    try:
        rag("store", "copy", *urls, code=4)
    finally:
        ownership.release()
    assert not (tmp_path / "copy.db").exists()
