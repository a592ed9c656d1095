"""Collections: their names, and what becomes of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Engine, event

from ragd.core.errors import (
    CollectionDeleted,
    CollectionNameConflict,
    CollectionNotFound,
    CollectionUnavailable,
    ValidationFailed,
)
from ragd.core.jobs import Failure
from ragd.core.storage import Version
from ragd.store.collections import Collections
from ragd.store.documents import DocumentWriter


@pytest.mark.parametrize(
    "name", ["", "   ", "a/b", "a\\b", "a\nb", "a\x00b", "a\x7f", "a\x85b", "x" * 256, "あ" * 256, "half \ud83d"]
)
def test_a_name_that_can_not_be_one_is_refused_with_its_field(collections: Collections, name: str) -> None:
    with pytest.raises(ValidationFailed) as caught:
        collections.create(name)
    assert [problem.field for problem in caught.value.details] == ["name"]
    caught.value.message.encode()


@pytest.mark.parametrize("name", ["x" * 255, "社内文書", "release notes (2026)", "ünïcödé", "🚀", "..", "%_'\"; DROP TABLE"])
def test_people_name_collections_as_they_like(collections: Collections, name: str) -> None:
    assert collections.create(name, "what it is for").name == name
    assert collections.get(name).description == "what it is for"


def test_a_decomposed_name_is_the_same_name(collections: Collections) -> None:
    composed, decomposed = "ガイド", unicodedata.normalize("NFD", "ガイド")
    assert composed != decomposed
    created = collections.create(f"  {decomposed} ")
    assert created.name == composed
    assert collections.get(composed).kb_id == collections.get(decomposed).kb_id == created.kb_id
    with pytest.raises(CollectionNameConflict):
        collections.create(decomposed)


def test_an_unknown_name_is_told_even_when_no_database_could_hold_it(collections: Collections) -> None:
    for name in ("nothing", "\ud83d", "a\x00b"):
        with pytest.raises(CollectionNotFound) as caught:
            collections.get(name)
        caught.value.message.encode()


def test_a_name_in_use_is_a_conflict_for_creating_and_renaming(collections: Collections) -> None:
    collections.create("one")
    collections.create("two")
    with pytest.raises(CollectionNameConflict, match="one"):
        collections.create("one")
    with pytest.raises(CollectionNameConflict, match="one"):
        collections.change("two", new_name="one")
    assert collections.get("two").name == "two"


def test_renaming_keeps_the_identity(collections: Collections) -> None:
    before = collections.create("old", "text")
    after = collections.change("old", new_name="new")
    assert (after.kb_id, after.name, after.description) == (before.kb_id, "new", "text")
    with pytest.raises(CollectionNotFound):
        collections.get("old")
    assert collections.change("new", new_name="new").name == "new"


def test_a_disabled_collection_is_known_but_not_available(collections: Collections) -> None:
    collections.create("one")
    collections.change("one", status="disabled")
    assert collections.get("one").status == "disabled"
    with pytest.raises(CollectionUnavailable, match="disabled"):
        collections.available("one")
    assert [found.name for found in collections.enabled()] == ["default"]
    assert collections.change("one", status="enabled").status == "enabled"


def test_a_deleted_collection_frees_its_name_and_is_shown_to_programs_alone(
    collections: Collections, delete_collection: Callable[[str], str]
) -> None:
    first = collections.create("one")
    delete_collection("one")
    with pytest.raises(CollectionNotFound):
        collections.get("one")
    with pytest.raises(CollectionDeleted):
        collections.change_by_id(first.kb_id, description="Back again")
    second = collections.create("one")
    assert second.kb_id != first.kb_id
    assert [found.name for found in collections.page()[0]] == ["default", "one"]
    assert set(collections.live_ids()) == {second.kb_id, collections.get("default").kb_id}
    found, total = collections.find(1, 10, name_contains="ON", status=None)
    assert ([(row.kb_id, row.status) for row in found], total) == ([(first.kb_id, "deleted"), (second.kb_id, "enabled")], 2)
    assert collections.by_id(first.kb_id).status == "deleted"


def test_the_default_collection_can_be_disabled_but_neither_deleted_nor_renamed(
    collections: Collections, delete_collection: Callable[[str], str]
) -> None:
    with pytest.raises(ValidationFailed, match="can't be deleted"):
        delete_collection("default")
    with pytest.raises(ValidationFailed, match="can't be renamed"):
        collections.change("default", new_name="other")
    assert collections.change("default", new_name="default", description="mine").description == "mine"
    collections.change("default", status="disabled")
    collections.ensure_default()
    assert collections.get("default").status == "disabled"


def test_pages_are_in_order_of_name_and_count_everything(collections: Collections) -> None:
    for name in ("c", "a", "b"):
        collections.create(name)
    pages = [collections.page(number, 2) for number in (1, 2, 3)]
    assert [[found.name for found in page] for page, _ in pages] == [["a", "b"], ["c", "default"], []]
    assert {total for _, total in pages} == {4}


def test_counts_hold_what_can_be_served_alone(
    collections: Collections,
    writer: DocumentWriter,
    make_version: Callable[..., Version],
    ingest: Callable[[Version], object],
    kb_id: str,
) -> None:
    ingest(make_version("a.md", "one", "two"))
    ingest(make_version("a.md", "one", "two", "three"))
    ingest(make_version("b.md", "four"))
    writer.fail(kb_id, "f" * 32, "file:///f.md", "markdown", 1, Failure("f.md", "EMPTY", "empty"))
    found = collections.counted("default")
    assert (found.document_count, found.chunk_count) == (2, 4)
    writer.tombstone([make_version("b.md", "four").doc_id])
    found = collections.page()[0][0]
    assert (found.document_count, found.chunk_count) == (1, 3)


def test_counts_are_counted_once_until_a_document_changes(
    engine: Engine,
    collections: Collections,
    make_version: Callable[..., Version],
    ingest: Callable[[Version], object],
) -> None:
    ingest(make_version("a.md", "one", "two"))
    collections.create("empty")
    assert [found.document_count for found in collections.page()[0]] == [1, 0]
    read: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda _c, _cursor, statement, *_: read.append(statement))
    assert [found.document_count for found in collections.page()[0]] == [1, 0]
    assert collections.counted("default").chunk_count == 2
    assert [statement for statement in read if "documents" in statement] == []
    ingest(make_version("b.md", "three"))
    assert [found.chunk_count for found in collections.page()[0]] == [3, 0]


def test_of_several_threads_that_make_one_collection_one_does_and_the_others_are_told(collections: Collections) -> None:
    def make(_: int) -> str:
        try:
            return collections.create("shared").kb_id
        except CollectionNameConflict:
            return "conflict"

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(make, range(8)))
    assert made.count("conflict") == 7
    assert collections.get("shared").kb_id in made


def test_enabled_collections_come_from_memory_until_one_is_changed(
    engine: Engine, collections: Collections, delete_collection: Callable[[str], str]
) -> None:
    read: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda _c, _cursor, statement, *_: read.append(statement))
    other = Collections(engine)  # another object of the same process
    for names, change in (
        (["default"], lambda: other.create("notes")),
        (["default", "notes"], lambda: other.change("notes", status="disabled")),
        (["default"], lambda: other.change("notes", status="enabled")),
        (["default", "notes"], lambda: delete_collection("notes")),
        (["default"], lambda: None),
    ):
        assert [found.name for found in collections.enabled()] == names
        read.clear()
        assert [found.name for found in collections.enabled()] == names
        assert read == []
        change()
