"""Pages of documents: found in an index, whatever comes last, each document once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Engine, event, update

from ragd.core.storage import Version
from ragd.store.collections import Collections
from ragd.store.database.engine import reading
from ragd.store.database.schema import documents
from ragd.store.document_reader import DocumentReader

Ingest = Callable[[Version], object]
Make = Callable[..., Version]

PRIVATE = "5" * 32


@pytest.fixture
def seven(engine: Engine, ingest: Ingest, make_version: Make) -> dict[str, str]:
    """The ids of seven documents by path; `b.md`, `d.md` and `e.md` belong to a private source."""
    found = {}
    for name in "gfedcba":
        version = make_version(f"{name}.md", name)
        ingest(version)
        found[version.source] = version.doc_id
    with engine.begin() as connection:
        hidden = [found[f"{name}.md"] for name in "bde"]
        connection.execute(update(documents).where(documents.c.doc_id.in_(hidden)).values(source_id=PRIVATE))
    return found


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 8])
def test_private_documents_come_last_by_id_and_each_document_once(
    reader: DocumentReader, seven: dict[str, str], size: int
) -> None:
    expected = [seven[f"{name}.md"] for name in "acfg"] + sorted(seven[f"{name}.md"] for name in "bde")
    pages = [reader.page(page=page, page_size=size, unnamed=[PRIVATE]) for page in range(1, 9)]
    assert [item["id"] for items, _ in pages for item in items] == expected[: 8 * size]
    assert {total for _, total in pages} == {7}


def test_a_search_finds_no_private_document_and_counts_none(reader: DocumentReader, seven: dict[str, str]) -> None:
    assert len(seven) == 7
    for page, names in ((1, ["a.md", "c.md", "f.md"]), (2, ["g.md"]), (3, [])):
        items, total = reader.page(page=page, page_size=3, unnamed=[PRIVATE], text=".MD")
        assert ([item["source"] for item in items], total) == (names, 4)
    assert reader.page(unnamed=[PRIVATE], text="b.md") == ([], 0)


def test_documents_of_a_deleted_collection_are_on_no_page(
    reader: DocumentReader,
    seven: dict[str, str],
    collections: Collections,
    delete_collection: Callable[[str], str],
    engine: Engine,
) -> None:
    kb_id = collections.create("gone").kb_id
    with engine.begin() as connection:
        connection.execute(update(documents).where(documents.c.doc_id == seven["a.md"]).values(kb_id=kb_id))
    assert reader.page()[1] == 7
    delete_collection("gone")
    items, total = reader.page()
    assert (total, seven["a.md"] in {item["id"] for item in items}) == (6, False)


@pytest.mark.parametrize("given", [{}, {"unnamed": [PRIVATE]}, {"page": 3, "page_size": 2}])
def test_a_page_by_path_is_read_in_the_order_of_an_index(sqlite_engine: Engine, given: dict[str, Any]) -> None:
    asked: list[tuple[str, Any]] = []

    @event.listens_for(sqlite_engine, "before_cursor_execute")
    def _before(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_more: Any) -> None:
        asked.append((statement, parameters))

    DocumentReader(sqlite_engine).page(**given)
    by_path = next(one for one in asked if "ORDER BY documents.source" in one[0])
    with reading(sqlite_engine).connect() as connection:
        plan = [row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {by_path[0]}", by_path[1])]
    assert "ix_documents_source" in plan[0]
    assert not [step for step in plan if "TEMP B-TREE" in step]


@pytest.mark.parametrize(("text", "total"), [("MD", 7), ("b.m", 1), ("nothing", 0)])
def test_a_text_is_looked_for_once_for_a_page_and_its_count(
    engine: Engine, reader: DocumentReader, seven: dict[str, str], text: str, total: int
) -> None:
    assert len(seven) == 7
    looked: list[str] = []

    @event.listens_for(engine, "before_cursor_execute")
    def _before(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        looked.extend([statement] if "LIKE" in statement else [])

    assert reader.page(text=text)[1] == total
    assert len(looked) == 1
    event.remove(engine, "before_cursor_execute", _before)
