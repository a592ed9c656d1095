"""Sources: names, changes, and how the last reading went."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine, update

from ragd.core.errors import SourceNameConflict, SourceNotFound, ValidationFailed
from ragd.store.collections import Collections
from ragd.store.database import schema
from ragd.store.sources import Source, Sources


@pytest.fixture
def sources(engine: Engine) -> Sources:
    return Sources(engine)


def add(sources: Sources, kb_id: str, name: str = "guide") -> Source:
    return sources.add("folder", name, kb_id, {"path": "/docs/手順", "include": ["*.md"]})


def test_a_new_source_has_what_it_was_given_and_was_never_read(sources: Sources, kb_id: str) -> None:
    source = add(sources, kb_id, "  規程 ガイド ")
    assert sources.get(source.source_id) == source
    assert (source.type, source.name, source.kb_id, source.collection) == ("folder", "規程 ガイド", kb_id, "default")
    assert source.config == {"path": "/docs/手順", "include": ["*.md"]}
    assert (source.enabled, source.schedule, source.collection_status, source.document_count) == (True, None, "enabled", 0)
    assert (source.last_started_at, source.last_finished_at, source.last_result, source.last_error) == (None, None, None, None)


def test_a_name_is_taken_once(sources: Sources, kb_id: str) -> None:
    add(sources, kb_id)
    other = add(sources, kb_id, "other")
    with pytest.raises(SourceNameConflict, match="already a source named 'guide'"):
        add(sources, kb_id)
    with pytest.raises(SourceNameConflict):
        sources.change(other.source_id, name="guide")
    assert [sources.free_name(name) for name in ("guide", "new", "\x00", "x" * 300)] == ["guide 2", "new", "source", "x" * 247]


@pytest.mark.parametrize("name", ["", "  ", "x" * 256, "a\nb", "half \ud83d"])
def test_what_is_no_name_is_told(sources: Sources, kb_id: str, name: str) -> None:
    with pytest.raises(ValidationFailed) as caught:
        add(sources, kb_id, name)
    assert caught.value.details[0].field == "name"
    caught.value.message.encode()


def test_pages_go_by_name(sources: Sources, kb_id: str, collections: Collections) -> None:
    other = collections.create("other").kb_id
    for name, kb in (("c", kb_id), ("a", other), ("b", kb_id)):
        add(sources, kb, name)
    found, total = sources.page(1, 2)
    assert ([source.name for source in found], total) == (["a", "b"], 3)
    assert [source.name for source in sources.page(2, 2)[0]] == ["c"]
    assert [source.name for source in sources.all(kb_id)] == ["b", "c"]
    assert len(sources.all()) == 3


def test_only_what_is_named_changes(sources: Sources, kb_id: str) -> None:
    source = add(sources, kb_id)
    assert sources.change(source.source_id, enabled=False).config == source.config
    changed = sources.change(source.source_id, name="new", config={"path": "/other"})
    assert (changed.name, changed.config, changed.enabled) == ("new", {"path": "/other"}, False)
    assert changed.created_at == source.created_at


def test_an_error_stands_beside_the_last_result_until_a_reading_succeeds(sources: Sources, kb_id: str) -> None:
    source_id = add(sources, kb_id).source_id
    sources.note_start(source_id)
    sources.note_result(source_id, result={"added": 2})
    sources.note_start(source_id)
    sources.note_result(source_id, error="the folder is not there")
    failed = sources.get(source_id)
    assert (failed.last_result, failed.last_error) == ({"added": 2}, "the folder is not there")
    assert failed.last_started_at
    assert failed.last_finished_at
    sources.note_result(source_id, result={"added": 0})
    assert (sources.get(source_id).last_result, sources.get(source_id).last_error) == ({"added": 0}, None)


def test_documents_are_counted_for_the_source_they_came_from(
    sources: Sources, kb_id: str, engine: Engine, ingest, make_version
) -> None:
    first, second = add(sources, kb_id, "first"), add(sources, kb_id, "second")
    doc_ids = []
    for name in ("a.md", "b.md", "c.md"):
        version = make_version(name, "text")
        ingest(version)
        doc_ids.append(version.doc_id)
    with engine.begin() as connection:
        of_these = schema.documents.c.doc_id.in_(doc_ids)
        connection.execute(update(schema.documents).where(of_these).values(source_id=first.source_id))
        one = schema.documents.c.doc_id == doc_ids[0]
        connection.execute(update(schema.documents).where(one).values(status="deleted"))
    assert {source.name: source.document_count for source in sources.all()} == {"first": 2, "second": 0}
    assert sources.get(second.source_id).document_count == 0


def test_a_source_that_is_removed_or_never_was_is_not_found(sources: Sources, kb_id: str) -> None:
    source_id = add(sources, kb_id).source_id
    sources.remove(source_id)
    for unknown in (source_id, "no\nthing"):
        with pytest.raises(SourceNotFound) as caught:
            sources.get(unknown)
        caught.value.message.encode()
    with pytest.raises(SourceNotFound):
        sources.change(source_id, enabled=False)
    sources.note_result(source_id, error="late")
