"""What the suites share: ids, vectors, and what stores of both kinds promise."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
import pytest

from ragd.core.errors import IndexDamaged
from ragd.providers.protocols import EntryStore, Vectors

KB = "0123456789abcdef" * 2
OTHER_KB = "fedcba9876543210" * 2
DIMENSION = 16
Store = TypeVar("Store", bound=EntryStore)


def unit_vectors(count: int, *, seed: int = 0, dimension: int = DIMENSION) -> Vectors:
    """Random unit vectors, the same for a seed."""
    rows = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def entry_ids(count: int) -> list[str]:
    return [f"{number:032x}" for number in range(count)]


class StoreContract(Generic[Store]):
    """What dense and sparse stores have in common: files that are there again, or are reported as damaged."""

    in_files = True
    """Whether the store keeps files in the folder that it is opened with. What keeps them, says that they are damaged."""

    @pytest.fixture
    def open_store(self) -> Callable[[Path], Store]:
        """Makes the store over a folder; called again to open it anew."""
        raise NotImplementedError("override the fixture open_store")

    @pytest.fixture
    def store(self, open_store: Callable[[Path], Store], tmp_path: Path) -> Iterator[Store]:
        store = open_store(tmp_path / "store")
        yield store
        store.close()

    def fill(self, store: Store) -> None:
        """Write entries into `KB`."""
        raise NotImplementedError

    def test_overwritten_files_are_reported_as_damage(self, open_store: Callable[[Path], Store], tmp_path: Path) -> None:
        if not self.in_files:
            pytest.skip("a server keeps what this store writes")

        def overwrite(path: Path, size: int) -> None:
            path.write_bytes(os.urandom(max(size, 64)))

        with self._damaged(open_store, tmp_path, overwrite) as store, pytest.raises(IndexDamaged, match=r"\w+ .* \w+"):
            store.ids(KB)

    def test_cut_files_are_reported_as_damage_or_seen_by_their_ids(
        self, open_store: Callable[[Path], Store], tmp_path: Path
    ) -> None:
        if not self.in_files:
            pytest.skip("a server keeps what this store writes")

        def halve(path: Path, size: int) -> None:
            os.truncate(path, size // 2)

        with self._damaged(open_store, tmp_path, halve) as store, suppress(IndexDamaged):
            assert store.ids(KB) < self.whole

    @contextmanager
    def _damaged(
        self, open_store: Callable[[Path], Store], tmp_path: Path, damage: Callable[[Path, int], None]
    ) -> Iterator[Store]:
        """A store whose files were damaged; afterwards one that is made anew holds everything again."""
        folder = tmp_path / "store"
        with closing(open_store(folder)) as store:
            self.fill(store)
            self.whole = store.ids(KB)
        for path in folder.rglob("*"):
            if path.is_file():
                damage(path, path.stat().st_size)
        with closing(open_store(folder)) as store:
            yield store
        shutil.rmtree(folder)
        with closing(open_store(folder)) as store:
            self.fill(store)
            assert store.ids(KB) == self.whole
