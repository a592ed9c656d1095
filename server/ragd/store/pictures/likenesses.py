"""Which kept pictures look like another one."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Engine, select, update

from ragd.core.documents import OcrLine
from ragd.core.storage import Asset, unpack_words
from ragd.store.database.repository import Repository
from ragd.store.database.revisions import Revisions
from ragd.store.database.schema import assets
from ragd.vision.likeness import SAME, distances, same_shape, same_words


@dataclass(frozen=True, slots=True)
class Alike:
    """A kept picture that looks like another. `distance` is in bits of their hashes, of 256."""

    asset_id: str
    distance: int
    width: int
    height: int


class Likenesses(Repository):
    """Hashes of all kept pictures, in memory from the first question on: 100 bytes a picture."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._revisions = Revisions.shared(engine)
        self._lock = threading.Lock()
        self._known: tuple[int, list[tuple[str, str, int, int]]] | None = None

    def set(self, asset_id: str, phash: str) -> None:
        """Keep the hash of a picture that was kept before pictures had any."""
        self._write(update(assets).where(assets.c.asset_id == asset_id).values(phash=phash))

    def near(self, phash: str, most: int = SAME) -> list[Alike]:
        """Pictures whose hashes differ in at most so many bits, the nearest first; those of documents that are gone, too."""
        rows = self._all()
        found = distances(phash, [row[1] for row in rows])
        near = [Alike(rows[at][0], int(found[at]), *rows[at][2:]) for at in (found <= most).nonzero()[0]]
        return sorted(near, key=lambda one: (one.distance, one.asset_id))

    def same_as(self, asset: Asset, words: Sequence[OcrLine]) -> list[str]:
        """Ids of other pictures that show the same as this one, in another size or format: by hash, shape and words.

        None where the words were not read: two tables of one form differ in nothing else.
        """
        if asset.phash is None or asset.ocr_skipped:
            return []
        near = [one for one in self.near(asset.phash) if one.asset_id != asset.asset_id]
        shaped = [one.asset_id for one in near if same_shape((asset.width, asset.height), (one.width, one.height))]
        if not shaped:
            return []
        read = select(assets.c.asset_id, assets.c.words).where(assets.c.ocr_skipped.is_(None))
        said = {row.asset_id: unpack_words(row.words) or () for row in self._rows_in(read, assets.c.asset_id, shaped)}
        return [asset_id for asset_id in shaped if asset_id in said and same_words(words, said[asset_id])]

    def _all(self) -> list[tuple[str, str, int, int]]:
        revision = self._revisions.of(assets)
        with self._lock:
            if self._known is None or self._known[0] != revision:
                columns = (assets.c.asset_id, assets.c.phash, assets.c.width, assets.c.height)
                rows = self._rows(select(*columns).where(assets.c.phash.is_not(None)))
                self._known = revision, [(row.asset_id, row.phash, row.width, row.height) for row in rows]
            return self._known[1]
