"""Pictures: stored once, counted by who shows them, gone with the last one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from ragd.core.documents import Place
from ragd.core.errors import AssetNotFound
from ragd.core.results import ImageRef
from ragd.core.storage import Asset, PictureLink, Version
from ragd.store.assets import Assets
from ragd.store.blobs.folder import BlobFolder
from ragd.store.collections import Collections
from ragd.store.documents import DocumentWriter
from ragd.store.passages import Passages

Make = Callable[..., Version]
Ingest = Callable[[Version], Any]

ASSET_ID = "ab" * 16


@pytest.fixture
def assets(engine: Engine, tmp_path: Path) -> Assets:
    return Assets(engine, BlobFolder(tmp_path))


def picture(asset_id: str = ASSET_ID, text: str = "読めた text", profile: str = "ocr 1") -> Asset:
    return Asset(asset_id, "image/png", 20, 10, text, None, profile, data=b"raw " + asset_id.encode(), thumbnail=b"thumb")


def with_picture(version: Version, asset: Asset | None = None) -> Version:
    asset = asset or picture()
    link = PictureLink(f"asset://{asset.asset_id}", asset.asset_id, "A chart", Place(page=2))
    chunks = (replace(version.chunks[0], image_refs=(asset.asset_id,)), *version.chunks[1:])
    return replace(version, assets=(asset,), picture_links=(link,), chunks=chunks)


def files(assets: Assets, tmp_path: Path) -> set[str]:
    return {path.name for path in (tmp_path / "assets").glob("*/*")}


@pytest.fixture
def show(assets: Assets, ingest: Ingest) -> Callable[[Version], None]:
    def run(version: Version) -> None:
        assets.put(version.assets)
        ingest(version)

    return run


def test_a_picture_is_served_as_it_is_and_as_a_thumbnail(assets: Assets, show, make_version: Make) -> None:
    show(with_picture(make_version("a.md", "one")))
    raw, thumb = assets.find(ASSET_ID, "raw"), assets.find(ASSET_ID, "thumb")
    assert (raw.path.read_bytes(), raw.mime) == (b"raw " + ASSET_ID.encode(), "image/png")
    assert (thumb.path.read_bytes(), thumb.mime) == (b"thumb", "image/webp")


def test_a_passage_says_which_pictures_it_shows(passages: Passages, show, make_version: Make) -> None:
    version = with_picture(make_version("a.md", "one", "two"))
    show(version)
    found = passages.passages([chunk.chunk_id for chunk in version.chunks])
    assert found[version.chunks[0].chunk_id].images == (ImageRef(ASSET_ID, "image/png", "A chart", "読めた text"),)
    assert found[version.chunks[1].chunk_id].images == ()


def test_a_picture_of_two_documents_is_stored_once_and_stays_until_both_are_gone(
    assets: Assets, writer: DocumentWriter, show, make_version: Make, tmp_path: Path
) -> None:
    first, second = with_picture(make_version("a.md", "one")), with_picture(make_version("b.md", "two"))
    show(first)
    show(second)
    assert files(assets, tmp_path) == {ASSET_ID, f"{ASSET_ID}.thumb"}
    for version, left in ((first, 2), (second, 0)):
        writer.tombstone([version.doc_id])
        writer.purge([version.doc_id])
        assets.sweep()
        assert len(files(assets, tmp_path)) == left
    with pytest.raises(AssetNotFound):
        assets.find(ASSET_ID, "raw")


def test_a_picture_of_a_deleted_document_is_not_served_even_before_it_is_removed(
    assets: Assets, writer: DocumentWriter, show, make_version: Make
) -> None:
    version = with_picture(make_version("a.md", "one"))
    show(version)
    writer.tombstone([version.doc_id])
    with pytest.raises(AssetNotFound, match="no picture"):
        assets.find(ASSET_ID, "raw")


def test_a_picture_of_a_disabled_collection_is_not_served(
    assets: Assets, collections: Collections, show, make_version: Make
) -> None:
    show(with_picture(make_version("a.md", "one")))
    collections.change("default", status="disabled")
    with pytest.raises(AssetNotFound):
        assets.find(ASSET_ID, "raw")


def test_a_picture_of_an_older_version_is_kept_as_long_as_that_version(
    assets: Assets, show, make_version: Make, tmp_path: Path
) -> None:
    show(with_picture(make_version("a.md", "one")))
    for text in ("two", "three"):
        show(make_version("a.md", text))
        assets.sweep()
        assert files(assets, tmp_path)
    show(make_version("a.md", "four"))
    assets.sweep()
    assert files(assets, tmp_path) == set()


def test_known_pictures_are_those_read_under_the_same_profile_whose_files_are_there(
    assets: Assets, show, make_version: Make, tmp_path: Path
) -> None:
    show(with_picture(make_version("a.md", "one")))
    assert assets.known([ASSET_ID, "cd" * 16], "ocr 1") == {ASSET_ID: replace(picture(), data=b"", thumbnail=b"")}
    assert assets.known([ASSET_ID], "ocr 2") == {}
    next((tmp_path / "assets").glob(f"*/{ASSET_ID}")).unlink()
    assert assets.known([ASSET_ID], "ocr 1") == {}
    assert assets.missing() == [ASSET_ID]


def test_a_picture_that_was_read_anew_has_its_new_text(assets: Assets, show, make_version: Make) -> None:
    show(with_picture(make_version("a.md", "one")))
    show(with_picture(make_version("b.md", "two"), picture(text="better", profile="ocr 2")))
    assert assets.known([ASSET_ID], "ocr 2")[ASSET_ID].text == "better"


def test_a_file_that_was_cut_short_is_missing_and_is_written_again(assets: Assets, show, make_version: Make, tmp_path) -> None:
    version = with_picture(make_version("a.md", "one"))
    show(version)
    next((tmp_path / "assets").glob(f"*/{ASSET_ID}")).write_bytes(b"ra")
    assert assets.missing() == [ASSET_ID]
    assets.put(version.assets)
    assert assets.missing() == []


def test_files_that_a_crash_left_without_a_row_are_removed(assets: Assets, show, make_version: Make, tmp_path: Path) -> None:
    show(with_picture(make_version("a.md", "one")))
    assets.put([picture("cd" * 16)])
    (tmp_path / "assets" / "cd" / "half.new").write_bytes(b"half")
    assert assets.sweep_files() == 3
    assert files(assets, tmp_path) == {ASSET_ID, f"{ASSET_ID}.thumb"}


def test_facts_come_back_with_their_pictures(writer: DocumentWriter, show, make_version: Make) -> None:
    version = with_picture(make_version("a.md", "one"))
    show(version)
    (stored,) = writer.contents([version.doc_id])
    assert stored.picture_links == version.picture_links
    assert [asset.text for asset in stored.assets] == ["読めた text"]
