"""What the dense stores do beyond their contract: the log's recovery, Chroma's damage, recall against exact search."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from ragd.core.errors import IndexDamaged
from ragd.providers.dense.chroma import ChromaStore
from ragd.providers.dense.exact import ExactStore
from ragd.providers.dense.vector_log import VectorLog
from ragd.providers.protocols import Vectors
from ragd.testing import KB, entry_ids, unit_vectors


def clustered_vectors(count: int, *, seed: int) -> Vectors:
    """Like embeddings of text: clusters in few true dimensions, a little noise in all of them."""
    shape = np.random.default_rng(1)
    centres, projection = shape.standard_normal((60, 24)), shape.standard_normal((24, 96))
    rng = np.random.default_rng(seed)
    latent = centres[rng.integers(0, 60, count)] + 0.6 * rng.standard_normal((count, 24))
    return (latent @ projection + 0.2 * rng.standard_normal((count, 96))).astype(np.float32)


def test_half_a_record_at_the_end_of_the_log_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "a.vec"
    log = VectorLog(path, 16)
    log.upsert(entry_ids(5), unit_vectors(5))
    whole = path.stat().st_size
    log.upsert(["torn"], unit_vectors(1))
    log.close()
    for size in (path.stat().st_size - 1, whole + 20, whole + 3):
        with path.open("r+b") as file:
            file.truncate(size)
        log = VectorLog(path)
        assert log.matrix.ids() == set(entry_ids(5))
        log.upsert(["next"], unit_vectors(1))
        log.close()
        log = VectorLog(path)
        assert log.matrix.ids() == {*entry_ids(5), "next"}
        log.delete(["next"])
        log.upsert(["torn"], unit_vectors(1))
        log.close()
        whole = path.stat().st_size - (64 + len('["torn"]') + 16)


@pytest.mark.parametrize("position", [3, 9, 14, 20, 40, 400])
def test_a_changed_byte_in_the_log_is_damage(tmp_path: Path, position: int) -> None:
    path = tmp_path / "a.vec"
    log = VectorLog(path, 16)
    log.upsert(entry_ids(5), unit_vectors(5))
    log.close()
    data = bytearray(path.read_bytes())
    data[position] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(IndexDamaged, match="rag reindex"):
        VectorLog(path)


def test_a_log_that_is_mostly_history_is_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.vec"
    log = VectorLog(path, 16)
    for _ in range(30):
        log.upsert(entry_ids(1000), unit_vectors(1000))
    log.delete(entry_ids(10))
    log.close()
    assert path.stat().st_size < 15 * 1000 * 100
    log = VectorLog(path)
    assert log.matrix.ids() == set(entry_ids(1000)[10:])
    log.close()


def test_vectors_of_another_model_are_refused_with_advice(tmp_path: Path) -> None:
    store = ExactStore(tmp_path)
    store.upsert(KB, ["a"], unit_vectors(1))
    with pytest.raises(IndexDamaged, match="embedding model was changed"):
        store.upsert(KB, ["b"], unit_vectors(1, dimension=8))
    with pytest.raises(IndexDamaged, match="embedding model was changed"):
        store.search(KB, unit_vectors(1, dimension=8)[0], 1)
    assert store.ids(KB) == {"a"}
    store.close()


@pytest.mark.slow
def test_chroma_finds_what_exact_search_finds(tmp_path: Path) -> None:
    vectors, queries = clustered_vectors(4000, seed=2), clustered_vectors(60, seed=3)
    chroma, exact = ChromaStore(tmp_path / "chroma", exact_filter_max=100, ef_search=100), ExactStore(tmp_path / "exact")
    ids = entry_ids(4000)
    for store in (chroma, exact):
        for at in range(0, 4000, 500):
            store.upsert(KB, ids[at : at + 500], vectors[at : at + 500])
    for allowed in (None, set(ids[::2]), set(ids[::60])):
        found = 0
        for query in queries:
            right = {item.entry_id for item in exact.search(KB, query, 10, allowed)}
            found += len(right & {item.entry_id for item in chroma.search(KB, query, 10, allowed)})
        assert found / (10 * len(queries)) >= 0.95
    chroma.close()
    exact.close()


@pytest.fixture(scope="module")
def chroma_left_by_a_kill(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Chroma folder as a killed process leaves it: written, never closed."""
    root = tmp_path_factory.mktemp("killed")
    store = ChromaStore(root / "live")
    for at in range(0, 2500, 500):
        store.upsert(KB, entry_ids(2500)[at : at + 500], unit_vectors(2500)[at : at + 500])
    shutil.copytree(root / "live", root / "left")
    store.close()
    return root / "left"


@pytest.mark.e2e
def test_a_sound_folder_without_a_seal_is_opened(chroma_left_by_a_kill: Path, tmp_path: Path) -> None:
    shutil.copytree(chroma_left_by_a_kill, tmp_path / "dense")
    store = ChromaStore(tmp_path / "dense")
    assert store.ids(KB) == set(entry_ids(2500))
    store.close()


@pytest.mark.e2e
def test_a_kill_within_a_transaction_of_sqlite_is_no_damage(chroma_left_by_a_kill: Path, tmp_path: Path) -> None:
    left = tmp_path / "dense" / "chroma"
    shutil.copytree(chroma_left_by_a_kill / "chroma", tmp_path / "live")
    with closing(sqlite3.connect(tmp_path / "live" / "chroma.sqlite3")) as connection:
        # Changed pages spill into the file before the end, so that the journal must be rolled back.
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("UPDATE embeddings SET embedding_id = 'half of ' || embedding_id")
        assert (tmp_path / "live" / "chroma.sqlite3-journal").stat().st_size
        shutil.copytree(tmp_path / "live", left)
    store = ChromaStore(tmp_path / "dense")
    assert store.ids(KB) == set(entry_ids(2500))
    store.close()


@pytest.mark.e2e
@pytest.mark.parametrize("pattern", ["*/data_level0.bin", "*/header.bin", "*/index_metadata.pickle", "chroma.sqlite3"])
def test_native_files_damaged_by_a_crash_are_reported_and_never_end_the_process(
    chroma_left_by_a_kill: Path, tmp_path: Path, pattern: str
) -> None:
    shutil.copytree(chroma_left_by_a_kill, tmp_path / "dense")
    damaged = list((tmp_path / "dense" / "chroma").glob(pattern))
    assert damaged
    for path in damaged:
        path.write_bytes(np.random.default_rng(0).bytes(path.stat().st_size))
    store = ChromaStore(tmp_path / "dense")
    with pytest.raises(IndexDamaged, match="Rebuild it with 'rag reindex'"):
        store.search(KB, unit_vectors(1)[0], 5)
    store.close()


def test_a_lost_or_damaged_vector_log_is_filled_again_from_chroma(tmp_path: Path) -> None:
    vectors = unit_vectors(300)
    for harm in (Path.unlink, lambda path: path.write_bytes(b"not a log")):
        store = ChromaStore(tmp_path / "dense")
        store.upsert(KB, entry_ids(300), vectors)
        store.close()
        harm(tmp_path / "dense" / "vectors" / f"{KB}.vec")
        store = ChromaStore(tmp_path / "dense")
        found = store.search(KB, vectors[7], 1, set(entry_ids(300)))[0]
        assert found.entry_id == entry_ids(300)[7]
        assert found.score == pytest.approx(1, abs=1e-5)
        store.close()
