"""Hard filters are solved in the store and never leak; what soft preferences look at comes from there, too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Engine, event, select

from ragd.core.documents import Section
from ragd.core.errors import ValidationFailed
from ragd.core.ids import hash32
from ragd.core.query import Filters
from ragd.core.storage import Version
from ragd.store.collections import Collections
from ragd.store.database.schema import versions
from ragd.store.documents import DocumentWriter
from ragd.store.live.version_entries import VersionEntries
from ragd.store.passages import Passages

Make = Callable[..., Version]
Ingest = Callable[[Version], object]


def in_sections(version: Version, *paths: tuple[str, ...]) -> Version:
    """The version with its n-th passage in the n-th of these sections."""
    sections = tuple(Section(hash32(version.doc_id, *path, "0"), path, 0, 1, hash32(*path)) for path in paths)
    chunks = tuple(
        replace(chunk, section_id=section.section_id, section_path=section.path)
        for chunk, section in zip(version.chunks, sections, strict=True)
    )
    return replace(version, sections=sections, chunks=chunks)


@pytest.fixture
def texts(passages: Passages, kb_id: str) -> Callable[..., list[str]]:
    """The texts that a filter lets pass; both ways of asking, and both views, must agree."""

    def find(version: Version, **filters: Any) -> list[str]:
        asked = Filters(**filters)
        allowed = passages.allowed(kb_id, asked)
        chunks = {chunk.chunk_id: chunk for chunk in version.chunks}
        for side in ("dense", "sparse"):
            ids = {getattr(chunk, f"{side}_id"): chunk.chunk_id for chunk in version.chunks}
            served = {entry_id: chunk.chunk_id for entry_id, chunk in passages.resolve(side, list(ids), asked).items()}
            assert served == {entry_id: chunk_id for entry_id, chunk_id in ids.items() if entry_id in getattr(allowed, side)}
        return [chunk.text for chunk in chunks.values() if chunk.dense_id in allowed.dense]

    return find


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        (("Guide",), ["one", "two", "three"]),
        (("guide",), ["one", "two", "three"]),
        (("Ｇｕｉｄｅ", "set  up"), ["one", "two"]),
        (("Guide", "Set Up", "導入 2"), ["two"]),
        (("Guide", "導入"), []),
        (("Gui",), []),
        (("Set Up",), []),
        (("Guide", "Set Up", "導入 2", "Deeper"), []),
        (('O\'Brien "quoted" %_\\',), ["four"]),
    ],
)
def test_a_section_prefix_is_compared_heading_by_heading(
    make_version: Make, ingest: Ingest, texts: Callable[..., list[str]], prefix: tuple[str, ...], expected: list[str]
) -> None:
    version = in_sections(
        make_version("a.md", "one", "two", "three", "four", "five"),
        ("Guide", "Set Up"),
        ("Guide", "Set Up", "導入 2"),
        ("Guide", "Run"),
        ('O\'Brien "quoted" %_\\',),
        (),
    )
    ingest(version)
    assert texts(version, section_prefix=prefix) == expected


def test_filters_that_must_hold_as_well_narrow_what_passes(
    make_version: Make, ingest: Ingest, texts: Callable[..., list[str]]
) -> None:
    version = in_sections(make_version("a.md", "one", "two"), ("Guide", "Run"), ("Guide",))
    ingest(version)
    assert texts(version, section_prefix=("Guide",), also=(Filters(section_prefix=("Guide", "Run")),)) == ["one"]
    assert texts(version, doc_type=("markdown",), also=(Filters(source=("a.md",)),)) == ["one", "two"]
    assert texts(version, doc_type=("markdown",), also=(Filters(doc_type=("pdf",)),)) == []
    assert texts(version, tags=("ops",), also=(Filters(tags=("dev",)),)) == []


def test_only_the_live_version_can_be_asked_for(
    passages: Passages, make_version: Make, ingest: Ingest, texts: Callable[..., list[str]]
) -> None:
    old, new = make_version("a.md", "one"), make_version("a.md", "two")
    ingest(old)
    passages.require_live_versions([old.version_id])
    ingest(new)
    assert texts(new, version_id=(new.version_id,)) == ["two"]
    assert texts(new, version_id=(old.version_id,)) == []
    passages.require_live_versions([new.version_id])
    for wrong in (old.version_id, "unknown"):
        with pytest.raises(ValidationFailed, match=f"'{wrong}' can't be searched") as caught:
            passages.require_live_versions([new.version_id, wrong])
        assert caught.value.details[0].field == "filters.version_id"


def test_a_wide_filter_reads_the_entries_of_a_version_once_until_it_is_rewritten(
    engine: Engine, passages: Passages, kb_id: str, make_version: Make, ingest: Ingest, writer: DocumentWriter
) -> None:
    read: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda _c, _cursor, statement, *_: read.append(statement))
    everything = Filters(doc_type=("markdown",))

    def allowed(*, reads: bool) -> set[str]:
        read.clear()
        found = passages.allowed(kb_id, everything)
        assert any("chunk_occurrences" in statement for statement in read) is reads
        assert len(found.dense) == len(found.sparse)
        return set(found.sparse)

    def entries(*versions: Version) -> set[str]:
        return {chunk.sparse_id for version in versions for chunk in version.chunks}

    first, empty = make_version("a.md", "one", "two"), make_version("empty.md")
    ingest(first)
    ingest(empty)
    assert allowed(reads=True) == entries(first)
    assert allowed(reads=False) == entries(first)
    other = make_version("b.md", "three")
    ingest(other)
    assert allowed(reads=True) == entries(first, other)
    # The same version, made anew under another profile.
    again = make_version("a.md", "one", "two", view="2")
    assert again.version_id == first.version_id
    assert entries(again) != entries(first)
    ingest(again)
    assert allowed(reads=True) == entries(again, other)
    writer.tombstone([other.doc_id])
    assert allowed(reads=False) == entries(again)
    assert read != []
    assert allowed(reads=False) == entries(again)
    assert read == [], "the same filter, and nothing was written"


def test_entries_are_remembered_up_to_a_limit(engine: Engine, kb_id: str, make_version: Make, ingest: Ingest) -> None:
    made = [make_version(f"{name}.md", name, f"{name} again") for name in ("one", "two", "three")]
    for version in made:
        ingest(version)
    kept = VersionEntries(most_chunks=4)
    with engine.connect() as connection:
        ready = connection.scalars(select(versions.c.version_id)).all()
        for _ in range(2):
            found = {entry_id for entries in kept.of(connection, ready, 1) for entry_id in entries.dense}
            assert found == {chunk.dense_id for version in made for chunk in version.chunks}
    assert len(kept._kept) == 2


def test_a_version_of_a_disabled_collection_can_not_be_asked_for(
    passages: Passages, collections: Collections, make_version: Make, ingest: Ingest
) -> None:
    version = make_version("a.md", "one")
    ingest(version)
    collections.change("default", status="disabled")
    with pytest.raises(ValidationFailed):
        passages.require_live_versions([version.version_id])


def test_a_document_whose_language_is_not_known_passes_and_one_of_another_time_does_not(
    make_version: Make, ingest: Ingest, texts: Callable[..., list[str]]
) -> None:
    version = make_version("a.md", "one")
    version = replace(version, document=replace(version.document, language=None))
    ingest(version)
    assert texts(version, language=("ja",)) == ["one"]
    assert texts(version, updated_before="2000-01-01T00:00:00.000Z") == []
    assert texts(version, path_prefix="b") == []


def test_preferences_are_told_what_they_look_at(
    passages: Passages, make_version: Make, ingest: Ingest, writer: DocumentWriter
) -> None:
    version = make_version("guides/a.md", "one", "two")
    shown = replace(version.chunks[0], image_refs=("picture",))
    ingest(replace(version, chunks=(shown, version.chunks[1])))
    chunk_ids = [chunk.chunk_id for chunk in version.chunks]
    fields = passages.preference_fields([*chunk_ids, "unknown"])
    assert [(fields[chunk_id].source, fields[chunk_id].has_image) for chunk_id in chunk_ids] == [
        ("guides/a.md", True),
        ("guides/a.md", False),
    ]
    assert fields[chunk_ids[0]].updated_at.endswith("Z")
    writer.tombstone([version.doc_id])
    assert passages.preference_fields(chunk_ids) == {}
