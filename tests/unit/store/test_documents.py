"""How a version becomes the truth, and what is served meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sqlalchemy import Engine, event

from ragd.core.documents import Enrichment, Place
from ragd.core.jobs import Failure
from ragd.core.query import Filters
from ragd.core.storage import Entries, Version
from ragd.store.database import schema
from ragd.store.document_reader import DocumentReader
from ragd.store.documents import DocumentWriter
from ragd.store.passages import Passages
from ragd.store.vectors import VectorCache

Make = Callable[..., Version]
Ingest = Callable[[Version], dict[str, Entries]]
Served = Callable[[Version], list[str]]


def as_sets(stale: dict[str, Entries]) -> dict[str, Any]:
    return {kb_id: (set(found.dense), set(found.sparse)) for kb_id, found in stale.items()}


def test_nothing_of_a_new_document_is_served_before_the_flip(
    writer: DocumentWriter, passages: Passages, reader: DocumentReader, served: Served, make_version: Make, kb_id: str
) -> None:
    version = make_version("a.md", "one", "two")
    writer.begin([version])
    assert served(version) == []
    assert passages.passages([chunk.chunk_id for chunk in version.chunks]) == {}
    assert passages.allowed(kb_id, Filters()).dense == frozenset()
    assert reader.get(version.doc_id)["status"] == "processing"
    assert writer.flip([version]) == {}
    assert served(version) == ["one", "two"]
    assert reader.get(version.doc_id)["status"] == "ready"


def test_the_old_version_is_served_until_the_flip_of_the_new(
    writer: DocumentWriter, served: Served, make_version: Make, ingest: Ingest
) -> None:
    old, new = make_version("a.md", "one", "two"), make_version("a.md", "two", "three")
    ingest(old)
    writer.begin([new])
    assert served(old) == ["one", "two"]
    assert served(new) == ["two"]
    writer.flip([new])
    assert served(old) == ["two"]
    assert served(new) == ["three", "two"]


def test_a_change_keeps_the_ids_of_unchanged_text_and_names_only_what_went(
    make_version: Make, ingest: Ingest, rows: Callable[[], dict[str, int]], kb_id: str
) -> None:
    old, new = make_version("a.md", "one", "two", "two"), make_version("a.md", "zero", "two", "three")
    kept = {chunk.chunk_id for chunk in old.chunks} & {chunk.chunk_id for chunk in new.chunks}
    assert len(kept) == 1
    ingest(old)
    gone = [chunk for chunk in old.chunks if chunk.chunk_id not in kept]
    assert as_sets(ingest(new)) == {kb_id: ({chunk.dense_id for chunk in gone}, {chunk.sparse_id for chunk in gone})}
    assert (rows()["chunks"], rows()["chunk_occurrences"]) == (3, 3)


def test_documents_of_one_group_change_together_each_to_its_own(
    writer: DocumentWriter, engine: Engine, served: Served, reader: DocumentReader, make_version: Make, kb_id: str
) -> None:
    olds = [make_version(f"{number}.md", "same", f"old {number}") for number in range(5)]
    writer.begin(olds)
    assert writer.flip(olds) == {}
    news = [make_version(f"{number}.md", "same", f"new {number}") for number in range(5)]
    news[3] = replace(news[3], source_id="a source")
    writer.begin(news)
    stale = writer.flip(news)
    gone = [chunk for old in olds for chunk in old.chunks if chunk.text != "same"]
    assert as_sets(stale) == {kb_id: ({chunk.dense_id for chunk in gone}, {chunk.sparse_id for chunk in gone})}
    for number, version in enumerate(news):
        assert served(version) == [f"new {number}", "same"]
        found = reader.get(version.doc_id)
        assert (found["title"], found["version_id"]) == (f"Title of {number}.md", version.version_id)
    assert [row.doc_id for row in writer.of_source("a source")] == [news[3].doc_id]


def test_many_documents_take_no_more_statements_than_two(writer: DocumentWriter, engine: Engine, make_version: Make) -> None:
    def statements(names: Sequence[str]) -> int:
        batch = [make_version(f"{name}.md", f"text {name}") for name in names]
        writer.begin(batch)
        sent: list[str] = []
        listen = ("before_cursor_execute", lambda _c, _cursor, statement, *_: sent.append(statement))
        event.listen(engine, *listen)
        writer.flip(batch)
        event.remove(engine, *listen)
        return len(sent)

    assert 0 < statements([f"many {number}" for number in range(50)]) <= statements(["one", "two"])


def test_another_profile_of_the_same_version_replaces_its_views_only(
    passages: Passages, reader: DocumentReader, make_version: Make, ingest: Ingest, rows: Callable[[], dict[str, int]], kb_id: str
) -> None:
    first, second = make_version("a.md", "one", view="1"), make_version("a.md", "one", view="2")
    assert first.version_id == second.version_id
    ingest(first)
    before = rows()
    assert as_sets(ingest(second)) == {kb_id: (set(), {first.chunks[0].sparse_id})}
    assert rows() == before
    assert reader.get(first.doc_id)["versions"][0]["profile_id"] == second.profile_id
    assert passages.resolve("sparse", [first.chunks[0].sparse_id], Filters()) == {}


def test_going_back_to_an_older_content_makes_that_version_live_again(
    reader: DocumentReader, served: Served, make_version: Make, ingest: Ingest
) -> None:
    one, two = make_version("a.md", "one"), make_version("a.md", "two")
    for version in (one, two, one):
        ingest(version)
    statuses = {found["version_id"]: found["status"] for found in reader.get(one.doc_id)["versions"]}
    assert statuses == {one.version_id: "ready", two.version_id: "superseded"}
    assert served(one) == ["one"]
    assert served(two) == []


def test_a_text_that_changed_in_form_alone_is_cited_as_it_now_stands(served: Served, make_version: Make, ingest: Ingest) -> None:
    old, new = make_version("a.md", "one  "), make_version("a.md", "one")
    assert old.chunks[0].chunk_id == new.chunks[0].chunk_id
    ingest(old)
    ingest(new)
    assert served(new) == ["one"]


def test_a_passage_tells_where_it_stands(passages: Passages, make_version: Make, ingest: Ingest, kb_id: str) -> None:
    version = make_version("sub/a.md", "one", "two")
    ingest(version)
    passage = passages.passages([version.chunks[1].chunk_id])[version.chunks[1].chunk_id]
    assert (passage.source, passage.source_uri, passage.title) == ("sub/a.md", "file:///docs/sub/a.md", "Title of sub/a.md")
    assert (passage.section_path, passage.place, passage.ordinal) == (("Guide",), Place(line_range=(2, 2)), 1)
    assert (passage.collection, passage.version_id) == ("default", version.version_id)


def test_a_failure_of_a_new_file_is_shown_and_is_gone_when_it_is_read(
    writer: DocumentWriter, reader: DocumentReader, make_version: Make, ingest: Ingest, kb_id: str
) -> None:
    version = make_version("a.md", "one")
    writer.fail(kb_id, version.doc_id, version.source_uri, "markdown", 3, Failure("a.md", "EMPTY", "no text"))
    found = reader.get(version.doc_id)
    assert (found["status"], found["error"], found["size"]) == ("failed", {"code": "EMPTY", "message": "no text"}, 3)
    ingest(version)
    found = reader.get(version.doc_id)
    assert found["status"] == "ready"
    assert "error" not in found


def test_a_failure_of_a_changed_file_keeps_the_old_version_served(
    writer: DocumentWriter, reader: DocumentReader, served: Served, make_version: Make, ingest: Ingest, kb_id: str
) -> None:
    version = make_version("a.md", "one")
    ingest(version)
    writer.fail(kb_id, version.doc_id, version.source_uri, "markdown", 0, Failure("a.md", "PARSE_FAILED", "cut off"))
    assert served(version) == ["one"]
    assert reader.get(version.doc_id)["error"]["code"] == "PARSE_FAILED"
    assert writer.known([version.doc_id])[version.doc_id].failed


def test_a_deleted_document_that_fails_when_it_comes_back_belongs_to_its_source_again(
    writer: DocumentWriter, make_version: Make, ingest: Ingest, kb_id: str
) -> None:
    version = make_version("a.md", "one")
    ingest(version)
    writer.tombstone([version.doc_id])
    writer.purge([version.doc_id])
    gone = Failure("a.md", "VANISHED", "it is gone")
    writer.fail(kb_id, version.doc_id, version.source_uri, "markdown", 0, gone, source_id="s1")
    assert [document.doc_id for document in writer.of_source("s1")] == [version.doc_id]


def test_the_content_comes_back_as_the_loader_gave_them(writer: DocumentWriter, make_version: Make, ingest: Ingest) -> None:
    version = make_version("a.md", "one", "ふたつ")
    ingest(version)
    (stored,) = writer.contents([version.doc_id, "unknown"])
    assert stored.document == version.document
    assert (stored.version_id, stored.profile_id, stored.source) == (version.version_id, version.profile_id, "a.md")


def test_a_moved_document_takes_the_place_of_its_old_self_in_one_step(
    writer: DocumentWriter, served: Served, make_version: Make, ingest: Ingest, kb_id: str
) -> None:
    old, new = make_version("a.md", "one"), make_version("b.md", "one")
    ingest(old)
    writer.begin([new])
    assert served(old) == ["one"]
    writer.flip([new], replaced=[old.doc_id])
    assert served(old) == []
    assert served(new) == ["one"]
    assert [row[0] for row in writer.live_entries(kb_id)] == [new.doc_id]


def test_documents_with_the_same_content_are_found_in_their_collection_alone(
    writer: DocumentWriter, make_version: Make, ingest: Ingest, collections: Any, kb_id: str
) -> None:
    other = collections.create("other").kb_id
    for version in (make_version("a.md", "one"), make_version("b.md", "two"), make_version("c.md", "one", kb=other)):
        ingest(version)
    assert [known.source for known in writer.same_content(kb_id, make_version("x.md", "one").content_hash)] == ["a.md"]


def test_so_many_older_versions_are_kept_as_was_asked_the_newest_of_them(
    writer: DocumentWriter, reader: DocumentReader, make_version: Make, ingest: Ingest
) -> None:
    versions = [make_version("a.md", text) for text in ("one", "two", "three", "four")]
    for version in versions:
        ingest(version)
    found = reader.get(versions[0].doc_id)["versions"]
    assert found[0]["version_id"] == versions[3].version_id
    assert {row["version_id"] for row in found} == {version.version_id for version in versions[1:]}


def test_a_version_made_anew_does_not_move_the_documents_time(
    writer: DocumentWriter, reader: DocumentReader, make_version: Make, ingest: Ingest, engine: Any
) -> None:
    version = make_version("a.md", "one")
    ingest(version)
    with engine.begin() as connection:
        connection.execute(schema.documents.update().values(updated_at="2020-01-01T00:00:00.000Z"))
    ingest(make_version("a.md", "one", view="2"))
    assert reader.get(version.doc_id)["updated_at"] == "2020-01-01T00:00:00.000Z"
    ingest(make_version("a.md", "two"))
    assert reader.get(version.doc_id)["updated_at"] > "2020-01-01T00:00:00.000Z"


def test_documents_are_filtered_by_tag_and_those_without_any_are_not_shut_out(
    passages: Passages, make_version: Make, ingest: Ingest
) -> None:
    tagged, other, plain = make_version("a.md", "one"), make_version("b.md", "two"), make_version("c.md", "three")
    ingest(tagged)
    ingest(replace(other, enrichment=Enrichment("rules", tags=("dev",))))
    ingest(replace(plain, enrichment=Enrichment("none")))
    ids = [version.chunks[0].dense_id for version in (tagged, other, plain)]
    assert set(passages.resolve("dense", ids, Filters(tags=("ops",)))) == {ids[0], ids[2]}


def test_documents_of_a_source_are_found_by_it_failed_ones_too(
    writer: DocumentWriter, make_version: Make, ingest: Ingest
) -> None:
    version = replace(make_version("a.md", "one"), source_id="s1")
    ingest(version)
    writer.fail(version.kb_id, "f" * 32, "file:///docs/b.md", "text", 1, Failure("b.md", "EMPTY", "empty"), "s1")
    ingest(make_version("c.md", "other"))
    assert [(known.source, known.status) for known in writer.of_source("s1")] == [("a.md", "ready"), ("b.md", "failed")]


def test_a_file_ingested_by_hand_stays_with_its_source(writer: DocumentWriter, make_version: Make, ingest: Ingest) -> None:
    ingest(replace(make_version("a.md", "one"), source_id="s1"))
    ingest(make_version("a.md", "two"))
    assert [known.source for known in writer.of_source("s1")] == ["a.md"]


def test_damaged_facts_are_found(writer: DocumentWriter, make_version: Make, ingest: Ingest, engine: Any, kb_id: str) -> None:
    sound, changed, short = (make_version(f"{name}.md", f"text {name}") for name in "abc")
    for version in (sound, changed, short):
        ingest(version)
    with engine.begin() as connection:
        of = schema.versions.c.doc_id
        connection.execute(schema.versions.update().where(of == changed.doc_id).values(markdown="something else"))
        connection.execute(schema.occurrences.delete().where(schema.occurrences.c.version_id == short.version_id))
    assert sorted(writer.damaged(kb_id)) == sorted([changed.doc_id, short.doc_id])


def test_vectors_of_texts_that_nothing_holds_are_pruned(
    engine: Any, writer: DocumentWriter, make_version: Make, ingest: Ingest
) -> None:
    version = make_version("a.md", "one", "two")
    ingest(version)
    cache = VectorCache(engine, "model", "1")
    keys = [chunk.dense_key for chunk in version.chunks]
    cache.put({key: np.ones(4, np.float32) for key in [*keys, "f" * 32]})
    assert cache.prune() == 1
    assert cache.missing([*keys, "f" * 32]) == ["f" * 32]
    writer.tombstone([version.doc_id])
    writer.purge([version.doc_id])
    assert cache.prune() == 2
