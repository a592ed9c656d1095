"""Hard filters are solved in the store and never leak; what soft preferences look at comes from there, too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest
from sqlalchemy import Engine, event, select

from ragd.core.documents import Place, Section
from ragd.core.errors import ValidationFailed
from ragd.core.ids import hash32
from ragd.core.query import Among, Filters
from ragd.core.storage import Asset, PictureLink, Version
from ragd.store.collections import Collections
from ragd.store.database.schema import versions
from ragd.store.documents import DocumentWriter
from ragd.store.live.version_entries import VersionEntries
from ragd.store.passages import Passages
from ragd.store.pictures.descriptions import Descriptions
from ragd.vision.description import Description, ImageType

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


def test_a_document_passes_that_is_in_any_of_the_choices(
    make_version: Make, ingest: Ingest, texts: Callable[..., list[str]]
) -> None:
    one, two, three = make_version("a.md", "one"), make_version("guides/b.md", "two"), make_version("c%.md", "three")
    for version in (one, two, three):
        ingest(version)

    def passing(**chosen: tuple[str, ...]) -> list[str]:
        return [text for version in (one, two, three) for text in texts(version, among=Among(**chosen))]

    assert passing(doc_id=(one.doc_id,), path_prefix=("guides/",)) == ["one", "two"]
    assert passing(path_prefix=("/docs/guides/", "c_")) == ["two"]
    assert passing(collection=("default",)) == ["one", "two", "three"]
    assert passing(collection=("other",), source_id=("none",)) == []
    assert texts(one, among=Among(doc_id=(one.doc_id,)), doc_type=("pdf",)) == []


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


def with_pictures(version: Version, *kinds: str | None) -> Version:
    """The version, its n-th passage with a picture of its own where a kind is given."""
    assets, links, chunks = [], [], []
    for chunk, kind in zip(version.chunks, kinds, strict=True):
        if kind is None:
            chunks.append(chunk)
            continue
        asset = Asset(hash32(chunk.chunk_id, kind), "image/png", 20, 10, "", None, "ocr 1")
        assets.append(asset)
        links.append(PictureLink(asset.asset_id, asset.asset_id, "", Place()))
        chunks.append(replace(chunk, image_refs=(asset.asset_id,)))
    return replace(version, assets=tuple(assets), picture_links=tuple(links), chunks=tuple(chunks))


def described(version: Version, engine: Engine, *kinds: str) -> Version:
    """The version, its pictures described as of these kinds; one that is "undescribed" is not."""
    links = []
    for link, kind in zip(version.picture_links, kinds, strict=True):
        said = Description("caption.generic_v1", cast("ImageType", kind), summary="A picture.", provider="rules")
        kept = Descriptions(engine).put(link.asset_id, said, "").description_id if kind != "undescribed" else None
        links.append(replace(link, description_id=kept))
    return replace(version, picture_links=tuple(links))


def test_passages_pass_by_the_pictures_that_they_show(
    engine: Engine, make_version: Make, ingest: Ingest, texts: Callable[..., list[str]]
) -> None:
    version = make_version("a.md", "one", "two", "three", "four")
    version = with_pictures(version, "chart", None, "undescribed", "photo")
    ingest(version)
    ingest(described(version, engine, "chart", "undescribed", "photo"))
    plain = make_version("b.md", "five")
    ingest(plain)
    assert texts(version, has_image=True) == ["one", "three", "four"]
    assert texts(version, has_image=False) == ["two"]
    assert (texts(plain, has_image=True), texts(plain, has_image=False)) == ([], ["five"])
    assert texts(version, image_type=("chart",)) == ["one"]
    assert texts(version, image_type=("chart", "photo")) == ["one", "four"]
    assert texts(version, image_type=("table",)) == []
    assert texts(version, image_type=("photo",), has_image=False) == []
    assert texts(version, section=("Guide",), has_image=True, image_type=("photo",)) == ["four"]
    assert texts(version, has_image=True, also=(Filters(image_type=("chart",)),)) == ["one"]


def test_a_description_that_comes_later_counts_at_once(
    engine: Engine, passages: Passages, kb_id: str, make_version: Make, ingest: Ingest, texts: Callable[..., list[str]]
) -> None:
    version = with_pictures(make_version("a.md", "one"), "undescribed")
    ingest(version)
    assert texts(version, image_type=("chart",)) == []
    ingest(described(version, engine, "chart"))
    assert texts(version, image_type=("chart",)) == ["one"]
    assert passages.passes(version.doc_id, kb_id, Filters(image_type=("chart",)))
    assert not passages.passes(version.doc_id, kb_id, Filters(image_type=("photo",)))
    assert not passages.passes(version.doc_id, kb_id, Filters(has_image=False))
