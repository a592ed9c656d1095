"""What the dense stores do beyond their contract: the log's recovery, a graph's damage, recall against exact search."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import numpy as np
import pytest

from ragd.core.errors import IndexDamaged
from ragd.providers.dense.exact import ExactStore
from ragd.providers.dense.usearch import UsearchStore
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


def filled(folder: Path, vectors: Vectors, **options: int) -> UsearchStore:
    """A store of these vectors whose graph holds them all."""
    store = UsearchStore(folder, graph_least=1000, **options)
    ids = entry_ids(len(vectors))
    for at in range(0, len(ids), 500):
        store.upsert(KB, ids[at : at + 500], vectors[at : at + 500])
    wait_until_filled(store)
    return store


def wait_until_filled(store: UsearchStore) -> None:
    deadline = time.monotonic() + 600
    while store.pending(KB):
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.slow
def test_the_graph_finds_what_exact_search_finds(tmp_path: Path) -> None:
    vectors, queries = clustered_vectors(4000, seed=2), clustered_vectors(60, seed=3)
    store = filled(tmp_path / "usearch", vectors, exact_filter_max=500, ef_search=100, product_max=0)
    exact = ExactStore(tmp_path / "exact")
    ids = entry_ids(4000)
    exact.upsert(KB, ids, vectors)
    for allowed in (None, set(ids[::2]), set(ids[::60])):
        found = 0
        for query in queries:
            right = exact.search(KB, query, 10, allowed)
            got = store.search(KB, query, 10, allowed)
            found += len({item.entry_id for item in right} & {item.entry_id for item in got})
            assert got[0].score == pytest.approx(right[0].score, abs=0.05)
        assert found / (10 * len(queries)) >= 0.95
    store.close()
    exact.close()


def test_a_filter_is_answered_exactly_where_one_product_is_quick_and_by_what_is_there_now(tmp_path: Path) -> None:
    vectors, queries = clustered_vectors(1200, seed=2), clustered_vectors(20, seed=3)
    store, exact = filled(tmp_path / "usearch", vectors, exact_filter_max=10), ExactStore(tmp_path / "exact")
    ids = entry_ids(1200)
    exact.upsert(KB, ids, vectors)
    half = frozenset(ids[::2])
    for ask_again in range(3):
        for query in queries:
            assert store.search(KB, query, 30, half) == exact.search(KB, query, 30, half)
        # A remembered filter holds rows; these move when others go or come.
        gone, back = ids[ask_again * 100 : ask_again * 100 + 50], ids[ask_again * 100 : ask_again * 100 + 20]
        for one in (store, exact):
            one.delete(KB, gone)
            one.upsert(KB, back, queries)
            assert {item.entry_id for item in one.search(KB, queries[0], 1200, half)} == half & one.ids(KB)
    store.close()
    exact.close()


def test_a_collection_too_small_for_a_graph_is_searched_exactly(tmp_path: Path) -> None:
    store = UsearchStore(tmp_path / "dense", graph_least=1000)
    store.upsert(KB, entry_ids(999), unit_vectors(999))
    assert store.search(KB, unit_vectors(999)[7], 1)[0].entry_id == entry_ids(999)[7]
    store.close()
    assert not (tmp_path / "dense" / "graphs").exists()


def test_entries_are_found_before_the_graph_holds_them_and_not_after_they_are_gone(tmp_path: Path) -> None:
    vectors = unit_vectors(2000)
    store = filled(tmp_path / "dense", vectors)
    new = unit_vectors(3, seed=11)
    store.upsert(KB, ["new", "newer"], new[:2])
    store.upsert(KB, entry_ids(2000)[:1], new[2:])
    store.delete(KB, entry_ids(2000)[1:2])
    for _ in range(2):
        assert [store.search(KB, vector, 1)[0].entry_id for vector in new] == ["new", "newer", entry_ids(2000)[0]]
        for gone in vectors[:2]:
            assert store.search(KB, gone, 1)[0].score < 0.99
        wait_until_filled(store)
    store.close()


@pytest.mark.parametrize("harm", ["none", "killed", "cut short", "changed", "of another log", "without its file"])
def test_a_graph_is_taken_up_again_only_when_it_is_the_one_of_these_vectors(tmp_path: Path, harm: str) -> None:
    vectors = unit_vectors(1500)
    filled(tmp_path / "dense", vectors).close()
    file, seal = tmp_path / "dense" / "graphs" / f"{KB}.usearch", tmp_path / "dense" / "graphs" / f"{KB}.json"
    match harm:
        case "killed":
            seal.unlink()
        case "cut short":
            file.write_bytes(file.read_bytes()[:-100])
        case "changed":
            file.write_bytes(np.random.default_rng(0).bytes(file.stat().st_size))
        case "of another log":
            log = VectorLog(tmp_path / "dense" / "vectors" / f"{KB}.vec")
            log.upsert(entry_ids(2), unit_vectors(2, seed=5))
            vectors = np.concatenate([unit_vectors(2, seed=5), vectors[2:]])
            log.close()
        case "without its file":
            file.unlink()
    store = UsearchStore(tmp_path / "dense", graph_least=1000)
    store.ids(KB)
    assert (store.pending(KB) == 0) == (harm == "none")
    assert seal.exists() == (harm == "none")
    for row in (0, 1, 700, 1499):
        assert store.search(KB, vectors[row], 1)[0].entry_id == entry_ids(1500)[row]
    store.close()
    assert seal.exists()


@pytest.mark.parametrize("change", ["none", "an upsert", "a removal"])
def test_a_killed_process_costs_the_graph_only_when_it_changed_something(tmp_path: Path, change: str) -> None:
    vectors = unit_vectors(1500)
    filled(tmp_path / "dense", vectors).close()
    killed = UsearchStore(tmp_path / "dense", graph_least=1000)
    killed.search(KB, vectors[0], 1)
    if change == "an upsert":
        killed.upsert(KB, ["new"], unit_vectors(1, seed=3))
        wait_until_filled(killed)
    elif change == "a removal":
        killed.delete(KB, entry_ids(1))
    shutil.copytree(tmp_path / "dense", tmp_path / "left")
    killed.close()
    store = UsearchStore(tmp_path / "left", graph_least=1000)
    store.ids(KB)
    assert (store.pending(KB) == 0) == (change == "none")
    assert store.search(KB, vectors[700], 1)[0].entry_id == entry_ids(1500)[700]
    store.close()


def test_a_mapped_graph_that_changes_is_saved_with_its_changes(tmp_path: Path) -> None:
    filled(tmp_path / "dense", unit_vectors(1500)).close()
    store = UsearchStore(tmp_path / "dense", graph_least=1000)
    (added,) = unit_vectors(1, seed=3)
    store.upsert(KB, ["new"], added.reshape(1, -1))
    store.delete(KB, entry_ids(1))
    wait_until_filled(store)
    store.close()
    again = UsearchStore(tmp_path / "dense", graph_least=1000)
    assert again.search(KB, added, 1)[0].entry_id == "new"
    assert again.pending(KB) == 0
    assert entry_ids(1)[0] not in {found.entry_id for found in again.search(KB, unit_vectors(1500)[0], 20)}
    again.close()


def test_the_vectors_of_a_former_index_of_chroma_are_taken_over(tmp_path: Path) -> None:
    log = VectorLog(tmp_path / "dense-chroma-0123" / "vectors" / f"{KB}.vec", 16)
    log.upsert(entry_ids(50), unit_vectors(50))
    log.close()
    (tmp_path / "dense-chroma-0123" / "chroma").mkdir()
    (tmp_path / "dense-chroma-0123" / "chroma" / "chroma.sqlite3").write_bytes(b"of no use any more")
    store = UsearchStore(tmp_path / "dense-usearch-0123")
    assert store.ids(KB) == set(entry_ids(50))
    assert not (tmp_path / "dense-chroma-0123").exists()
    store.close()
