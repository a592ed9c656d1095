"""The contract of a dense store."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from ragd.providers.protocols import DenseStore
from ragd.testing.common import KB, OTHER_KB, StoreContract, entry_ids, unit_vectors


class DenseStoreContract(StoreContract[DenseStore]):
    """Nearest neighbours by cosine in namespaces, durable, distinguished from damaged ones."""

    def fill(self, store: DenseStore) -> None:
        for at in range(0, 1500, 500):
            store.upsert(KB, entry_ids(1500)[at : at + 500], unit_vectors(1500)[at : at + 500])

    def test_the_nearest_entries_come_best_first_with_their_cosine(self, store: DenseStore) -> None:
        vectors = unit_vectors(300)
        store.upsert(KB, entry_ids(300), vectors)
        query = unit_vectors(1, seed=9)[0]
        found = store.search(KB, query, 10)
        cosines = vectors @ query
        assert [item.entry_id for item in found] == [entry_ids(300)[row] for row in np.argsort(-cosines)[:10]]
        assert [item.score for item in found] == pytest.approx(sorted(cosines, reverse=True)[:10], abs=1e-5)

    def test_vectors_of_any_length_are_compared_by_direction(self, store: DenseStore) -> None:
        vectors = unit_vectors(20)
        store.upsert(KB, entry_ids(20), vectors * np.linspace(0.5, 20, 20, dtype=np.float32)[:, None])
        assert store.search(KB, 3 * vectors[4], 1)[0].score == pytest.approx(1, abs=1e-5)

    def test_more_is_asked_for_than_there_is(self, store: DenseStore) -> None:
        store.upsert(KB, entry_ids(3), unit_vectors(3))
        assert len(store.search(KB, unit_vectors(1)[0], 50)) == 3

    def test_repeating_an_upsert_changes_nothing(self, store: DenseStore) -> None:
        for _ in range(2):
            store.upsert(KB, entry_ids(5), unit_vectors(5))
        assert store.ids(KB) == set(entry_ids(5))
        assert len(store.search(KB, unit_vectors(1)[0], 50)) == 5

    def test_an_upsert_replaces_the_vector_of_a_known_id(self, store: DenseStore) -> None:
        store.upsert(KB, entry_ids(5), unit_vectors(5))
        new = unit_vectors(1, seed=7)
        store.upsert(KB, entry_ids(1), new)
        for allowed in (None, set(entry_ids(5))):
            best = store.search(KB, new[0], 1, allowed)[0]
            assert best.entry_id == entry_ids(1)[0]
            assert best.score == pytest.approx(1, abs=1e-5)

    def test_of_an_id_given_twice_in_one_call_the_last_vector_counts(self, store: DenseStore) -> None:
        vectors = unit_vectors(2)
        store.upsert(KB, ["a", "a"], vectors)
        assert store.search(KB, vectors[1], 1)[0].score == pytest.approx(1, abs=1e-5)
        assert store.ids(KB) == {"a"}

    def test_deleted_entries_are_not_found_and_unknown_ids_are_ignored(self, store: DenseStore) -> None:
        vectors = unit_vectors(40)
        store.upsert(KB, entry_ids(40), vectors)
        store.delete(KB, [*entry_ids(20), "no such id"])
        assert store.ids(KB) == set(entry_ids(40)[20:])
        assert {item.entry_id for item in store.search(KB, vectors[0], 40)} == set(entry_ids(40)[20:])

    def test_a_filter_gives_the_best_of_the_allowed_entries_only(self, store: DenseStore) -> None:
        vectors = unit_vectors(400)
        ids = entry_ids(400)
        store.upsert(KB, ids, vectors)
        query = unit_vectors(1, seed=3)[0]
        order = [ids[row] for row in np.argsort(-(vectors @ query))]
        for allowed in (set(ids[::40]), set(ids[::2]), set(ids), {ids[7], "unknown"}):
            expected = [entry_id for entry_id in order if entry_id in allowed][:10]
            assert [item.entry_id for item in store.search(KB, query, 10, allowed)] == expected
        assert store.search(KB, query, 10, set()) == []
        assert store.search(KB, query, 10, {"unknown"}) == []

    def test_a_filter_sees_what_was_written_after_the_first_filtered_search(self, store: DenseStore) -> None:
        vectors = unit_vectors(10)
        ids = entry_ids(10)
        store.upsert(KB, ids[:5], vectors[:5])
        assert store.search(KB, vectors[9], 1, {ids[9]}) == []
        store.upsert(KB, ids[5:], vectors[5:])
        store.delete(KB, ids[:1])
        assert {item.entry_id for item in store.search(KB, vectors[9], 10, set(ids))} == set(ids[1:])

    def test_the_vectors_of_some_entries_are_given_by_id(self, store: DenseStore) -> None:
        vectors = unit_vectors(20)
        store.upsert(KB, entry_ids(20), vectors * np.linspace(0.5, 20, 20, dtype=np.float32)[:, None])
        store.delete(KB, entry_ids(1))
        found = store.vectors(KB, [*entry_ids(3), "unknown"])
        assert set(found) == set(entry_ids(3)[1:])
        for row in (1, 2):
            assert found[entry_ids(3)[row]].dtype == np.float32
            assert found[entry_ids(3)[row]] == pytest.approx(vectors[row], abs=1e-6)
        assert dict(store.vectors(KB, [])) == {}
        assert dict(store.vectors(OTHER_KB, entry_ids(3))) == {}

    def test_namespaces_do_not_see_each_other_and_one_can_be_dropped(self, store: DenseStore) -> None:
        store.upsert(KB, ["here"], unit_vectors(1))
        store.upsert(OTHER_KB, ["there"], unit_vectors(1))
        assert [item.entry_id for item in store.search(KB, unit_vectors(1)[0], 5)] == ["here"]
        store.drop(KB)
        store.drop(KB)
        assert store.ids(KB) == set()
        assert store.search(KB, unit_vectors(1)[0], 5) == []
        assert store.ids(OTHER_KB) == {"there"}
        store.upsert(KB, ["again"], unit_vectors(1))
        assert [item.entry_id for item in store.search(KB, unit_vectors(1)[0], 5, {"again", "here"})] == ["again"]

    def test_an_unknown_namespace_is_empty(self, store: DenseStore) -> None:
        store.delete(KB, ["a"])
        store.upsert(KB, [], unit_vectors(1)[:0])
        assert store.ids(KB) == set()
        assert store.search(KB, unit_vectors(1)[0], 5, {"a"}) == []

    def test_entries_are_there_again_after_reopening(self, open_store: Callable[[Path], DenseStore], tmp_path: Path) -> None:
        vectors = unit_vectors(2500)
        first = open_store(tmp_path / "dense")
        first.upsert(KB, entry_ids(2500), vectors)
        first.delete(KB, entry_ids(1000))
        first.close()
        second = open_store(tmp_path / "dense")
        assert second.ids(KB) == set(entry_ids(2500)[1000:])
        for allowed in (None, set(entry_ids(2500))):
            assert second.search(KB, vectors[2000], 1, allowed)[0].entry_id == entry_ids(2500)[2000]
        second.delete(KB, entry_ids(2500)[1000:2499])
        assert second.ids(KB) == {entry_ids(2500)[2499]}
        second.close()

    def test_several_threads_may_write_and_search(self, store: DenseStore) -> None:
        vectors = unit_vectors(200)
        ids = entry_ids(200)
        store.upsert(KB, ids[:1], vectors[:1])

        def work(at: int) -> int:
            store.upsert(KB, ids[at : at + 20], vectors[at : at + 20])
            return len(store.search(KB, vectors[at], 5)) + len(store.search(KB, vectors[at], 5, set(ids[at : at + 20])))

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(work, range(0, 200, 20))) == [10] * 10
        assert store.ids(KB) == set(ids)
