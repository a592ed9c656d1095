"""What the suites share: ids, vectors, and the harm that is done to a store's files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragd.core.errors import IndexDamaged
from ragd.providers.protocols import Vectors

KB = "0123456789abcdef" * 2
OTHER_KB = "fedcba9876543210" * 2
DIMENSION = 16


def unit_vectors(count: int, *, seed: int = 0, dimension: int = DIMENSION) -> Vectors:
    """Random unit vectors, the same for a seed."""
    rows = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def entry_ids(count: int) -> list[str]:
    return [f"{number:032x}" for number in range(count)]


def overwrite_files(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            path.write_bytes(os.urandom(max(path.stat().st_size, 64)))


def halve_files(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            os.truncate(path, path.stat().st_size // 2)


def check_damage_is_told(
    open_store: Callable[[Path], Any],
    folder: Path,
    fill: Callable[[Any], None],
    damage: Callable[[Path], None],
    *,
    must_raise: bool,
) -> None:
    store = open_store(folder)
    fill(store)
    whole = store.ids(KB)
    store.close()
    damage(folder)
    store = open_store(folder)
    if must_raise:
        with pytest.raises(IndexDamaged, match=r"\w+ .* \w+"):
            store.ids(KB)
    else:
        with suppress(IndexDamaged):
            assert store.ids(KB) < whole
    store.close()
    shutil.rmtree(folder)
    store = open_store(folder)
    fill(store)
    assert store.ids(KB) == whole
    store.close()
