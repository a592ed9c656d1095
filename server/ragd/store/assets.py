"""Pictures: their bytes in the blob store, each once by its hash; in the database what is known and which versions show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, get_args

from sqlalchemy import Connection, Engine, RowMapping, delete, exists, select

from ragd.core.documents import Place
from ragd.core.errors import AssetNotFound
from ragd.core.storage import Asset, PictureLink, unpack_words
from ragd.store.blobs.folder import BlobStore
from ragd.store.database.engine import batches
from ragd.store.database.repository import Repository, rows_in
from ragd.store.database.schema import assets, collections, descriptions, documents, version_assets
from ragd.store.pictures.likenesses import Likenesses

Variant = Literal["thumb", "raw"]

_THUMBNAIL_MIME: Final = "image/webp"
_THUMBNAIL: Final = ".thumb"
_FOLDER: Final = "assets"
ASSET_COLUMNS: Final = ("asset_id", "mime", "width", "height", "text", "ocr_skipped", "ocr_profile", "phash")
"""The columns of an asset that `Asset` has by the same names."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """The file of an asset, and its type. `for_all`: everybody may see a document that shows it."""

    path: Path
    mime: str
    for_all: bool = True


class Assets(Repository):
    """The folder of pictures, and their rows. Files are written before their rows and removed after them."""

    def __init__(self, engine: Engine, blobs: BlobStore) -> None:
        super().__init__(engine)
        self._blobs = blobs
        self.likenesses = Likenesses(engine)

    def known(self, asset_ids: Sequence[str], ocr_profile: str | None = None) -> dict[str, Asset]:
        """Those that are kept, file and all, without their bytes; with `ocr_profile` only those that were read under it."""
        query = select(assets) if ocr_profile is None else select(assets).where(assets.c.ocr_profile == ocr_profile)
        return {
            row.asset_id: _asset(row._mapping)
            for row in self._rows_in(query, assets.c.asset_id, asset_ids)
            if self._blobs.has(_key(row.asset_id, "raw")) and self._blobs.has(_key(row.asset_id, "thumb"))
        }

    def put(self, kept: Iterable[Asset]) -> None:
        """Write the files of new assets, each whole or not at all. An asset without bytes is kept already."""
        for asset in kept:
            if asset.data:
                self._blobs.put(_key(asset.asset_id, "raw"), asset.data)
                self._blobs.put(_key(asset.asset_id, "thumb"), asset.thumbnail)

    def find(self, asset_id: str, variant: Variant) -> StoredFile:
        """The file of a picture that a live document shows. Raises `AssetNotFound`."""
        shown = (
            select(assets.c.mime)
            .join(version_assets, version_assets.c.asset_id == assets.c.asset_id)
            .join(documents, documents.c.version_id == version_assets.c.version_id)
            .join(collections, collections.c.kb_id == documents.c.kb_id)
            .where(assets.c.asset_id == asset_id, documents.c.status == "ready", collections.c.status == "enabled")
        )
        row = self._first(shown.limit(1))
        if row is None:
            raise no_picture(asset_id)
        path = self._blobs.fetch(_key(asset_id, variant), fixed=True)
        if path is None:
            raise AssetNotFound(
                f"The file of the picture '{asset_id}' is missing. `rag documents verify` says which documents to ingest again."
            )
        return StoredFile(path, row.mime if variant == "raw" else _THUMBNAIL_MIME)

    def sweep(self) -> int:
        """Remove pictures that no version shows: their rows, then their files. Returns how many."""
        with self._engine.begin() as connection:
            unshown = ~exists().where(version_assets.c.asset_id == assets.c.asset_id)
            unused = list(connection.scalars(select(assets.c.asset_id).where(unshown)))
            for batch in batches(unused):
                connection.execute(delete(descriptions).where(descriptions.c.asset_id.in_(batch)))
                connection.execute(delete(assets).where(assets.c.asset_id.in_(batch)))
        for asset_id in unused:
            for variant in get_args(Variant):
                self._blobs.remove(_key(asset_id, variant))
        return len(unused)

    def sweep_files(self) -> int:
        """Remove files without a row, which a crash left; for a time when nothing is being ingested. Returns how many."""
        kept = set(self._values(select(assets.c.asset_id)))
        return self._blobs.sweep(_FOLDER, lambda key: key.rpartition("/")[2].removesuffix(_THUMBNAIL) in kept)

    def missing(self) -> list[str]:
        """Ids of pictures whose files are not there, or not of the size that they had."""
        sizes = self._blobs.sizes(_FOLDER)
        rows = self._rows(select(assets.c.asset_id, assets.c.size))
        return [row.asset_id for row in rows if not _is_whole(row.asset_id, row.size, sizes)]


def _is_whole(asset_id: str, size: int, sizes: Mapping[str, int]) -> bool:
    return sizes.get(_key(asset_id, "raw")) == size and _key(asset_id, "thumb") in sizes


def _key(asset_id: str, variant: Variant) -> str:
    return f"{_FOLDER}/{asset_id[:2]}/{asset_id}{_THUMBNAIL if variant == 'thumb' else ''}"


def no_picture(asset_id: str) -> AssetNotFound:
    """The error for an id that no picture has, or none that may be seen by whoever asks."""
    return AssetNotFound(f"There is no picture '{asset_id}' in a document that can be found.")


def stored_pictures(
    connection: Connection, version_ids: Sequence[str]
) -> dict[str, tuple[tuple[Asset, ...], tuple[PictureLink, ...]]]:
    """version id -> the assets that it shows, each once, and where each stands."""
    found: dict[str, tuple[dict[str, Asset], list[PictureLink]]] = {}
    query = select(version_assets, assets).join(assets, assets.c.asset_id == version_assets.c.asset_id)
    in_order = query.order_by(version_assets.c.version_id, version_assets.c.ordinal)
    for row in rows_in(connection, in_order, version_assets.c.version_id, version_ids):
        kept, links = found.setdefault(row.version_id, ({}, []))
        kept[row.asset_id] = _asset(row._mapping)
        links.append(PictureLink(row.link, row.asset_id, row.alt, Place.from_dict(row.place), row.description_id))
    return {version_id: (tuple(kept.values()), tuple(links)) for version_id, (kept, links) in found.items()}


def _asset(row: RowMapping) -> Asset:
    return Asset(**{name: row[name] for name in ASSET_COLUMNS}, words=unpack_words(row["words"]))
