"""The contract of a sparse store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rag_assistant.providers.base import SparseStore
from rag_assistant.testing.common import KB, OTHER_KB, check_damage_is_told, entry_ids, halve_files, overwrite_files

_CODE = ["--no-cache", "max_connections", "1.2.3", "C++", "c#", "/etc/hosts", "foo@bar.org", "~/.ssh", "-", "x" * 300]
_QUERY_SYNTAX = ['a"b', "it's", "a*", "id:x", "AND", "NOT", "NEAR(", "^x", "%s", "{}[]()", "\\n", "<b>"]
ODD_TERMS = [*_CODE, *_QUERY_SYNTAX, "設定", "호출", "é"]
"""Terms that an engine's own tokenizer or query language would take for something else."""


class SparseStoreContract:
    """BM25 over terms that are taken as they are, in namespaces, durable, told from damage."""

    @pytest.fixture
    def open_store(self) -> Callable[[Path], SparseStore]:
        """Makes the store over a folder; called again to open it anew."""
        raise NotImplementedError("override the fixture open_store")

    @pytest.fixture
    def store(self, open_store: Callable[[Path], SparseStore], tmp_path: Path) -> Iterator[SparseStore]:
        store = open_store(tmp_path / "sparse")
        yield store
        store.close()

    @pytest.mark.parametrize("term", ODD_TERMS)
    def test_a_term_is_matched_whole_whatever_its_characters(self, store: SparseStore, term: str) -> None:
        parts = ["no", "cache", "max", "connections", "c", "etc", "a", "b", "x", "1.2", "id", "設", "foo", "e", "s", "n"]
        store.upsert(KB, [("with", ["first", term, "last"]), ("without", [*parts, term + "z", "z" + term])])
        assert [item.entry_id for item in store.search(KB, [term], 10)] == ["with"]

    def test_rare_terms_weigh_more_and_scores_fall(self, store: SparseStore) -> None:
        entries = [(f"common{number}", ["page", "text", f"w{number}"]) for number in range(20)]
        store.upsert(KB, [*entries, ("rare", ["page", "kernel", "text"])])
        found = store.search(KB, ["page", "kernel"], 30)
        assert found[0].entry_id == "rare"
        assert len(found) == 21
        assert [item.score for item in found] == sorted((item.score for item in found), reverse=True)
        assert min(item.score for item in found) > 0

    def test_only_entries_that_hold_a_term_are_found_at_most_k(self, store: SparseStore) -> None:
        store.upsert(KB, [(f"e{number}", ["even" if number % 2 == 0 else "odd", "x"]) for number in range(10)])
        assert {item.entry_id for item in store.search(KB, ["even", "unknown"], 10)} == {
            f"e{number}" for number in range(0, 10, 2)
        }
        assert len(store.search(KB, ["x"], 4)) == 4
        assert store.search(KB, ["unknown"], 10) == []
        assert store.search(KB, [], 10) == []

    def test_a_repeated_query_term_counts_more(self, store: SparseStore) -> None:
        store.upsert(KB, [("a", ["alpha", "x"]), ("b", ["beta", "x"]), ("c", ["gamma", "x"]), ("d", ["delta", "x"])])
        once = {item.entry_id: item.score for item in store.search(KB, ["alpha", "beta"], 10)}
        twice = {item.entry_id: item.score for item in store.search(KB, ["alpha", "beta", "beta"], 10)}
        assert once["a"] == pytest.approx(once["b"])
        assert twice["b"] == pytest.approx(2 * twice["a"], rel=1e-4)

    def test_an_upsert_replaces_and_of_an_id_given_twice_the_last_counts(self, store: SparseStore) -> None:
        store.upsert(KB, [("a", ["old"])])
        for _ in range(2):
            store.upsert(KB, [("a", ["middle"]), ("a", ["new"])])
        assert store.search(KB, ["old", "middle"], 5) == []
        assert [item.entry_id for item in store.search(KB, ["new"], 5)] == ["a"]
        assert store.ids(KB) == {"a"}

    def test_an_entry_without_terms_is_kept_and_never_found(self, store: SparseStore) -> None:
        store.upsert(KB, [("empty", [])])
        assert store.ids(KB) == {"empty"}
        assert store.search(KB, ["x"], 5) == []

    def test_deleted_entries_are_gone_and_unknown_ids_are_ignored(self, store: SparseStore) -> None:
        store.upsert(KB, [("a", ["x"]), ("b", ["x"])])
        store.delete(KB, ["a", "unknown"])
        assert store.ids(KB) == {"b"}
        assert [item.entry_id for item in store.search(KB, ["x"], 5)] == ["b"]

    def test_a_filter_gives_the_best_of_the_allowed_with_the_same_scores(self, store: SparseStore) -> None:
        ids = entry_ids(500)
        store.upsert(KB, [(entry_id, ["x"] * (number % 7 + 1) + ["y"] * (number % 5)) for number, entry_id in enumerate(ids)])
        scores = {item.entry_id: item.score for item in store.search(KB, ["x", "y"], 500)}
        for allowed in (set(ids[::50]), set(ids[::2]), {ids[3], "unknown"}):
            found = store.search(KB, ["x", "y"], 10, allowed)
            assert {item.entry_id for item in found} <= allowed
            assert [item.score for item in found] == pytest.approx([scores[item.entry_id] for item in found], rel=1e-4)
            best = sorted((score for entry_id, score in scores.items() if entry_id in allowed), reverse=True)[:10]
            assert [item.score for item in found] == pytest.approx(best, rel=1e-4)
        assert store.search(KB, ["x"], 10, set()) == []

    def test_namespaces_do_not_see_each_other_and_one_can_be_dropped(self, store: SparseStore) -> None:
        store.upsert(KB, [("here", ["x"])])
        store.upsert(OTHER_KB, [("there", ["x"])])
        assert [item.entry_id for item in store.search(KB, ["x"], 5)] == ["here"]
        store.drop(KB)
        store.drop(KB)
        assert store.ids(KB) == set()
        assert store.search(KB, ["x"], 5) == []
        assert store.ids(OTHER_KB) == {"there"}
        store.upsert(KB, [("again", ["x"])])
        assert [item.entry_id for item in store.search(KB, ["x"], 5)] == ["again"]

    def test_an_unknown_namespace_is_empty(self, store: SparseStore) -> None:
        store.delete(KB, ["a"])
        store.upsert(KB, [])
        assert store.ids(KB) == set()
        assert store.search(KB, ["x"], 5, {"a"}) == []

    def test_entries_are_there_again_after_reopening(self, open_store: Callable[[Path], SparseStore], tmp_path: Path) -> None:
        first = open_store(tmp_path / "sparse")
        first.upsert(KB, [(entry_id, ["x", f"w{number}"]) for number, entry_id in enumerate(entry_ids(50))])
        first.delete(KB, entry_ids(10))
        first.close()
        second = open_store(tmp_path / "sparse")
        assert second.ids(KB) == set(entry_ids(50)[10:])
        assert [item.entry_id for item in second.search(KB, ["w20"], 5)] == [entry_ids(50)[20]]
        assert second.search(KB, ["w5"], 5) == []
        second.upsert(KB, [("more", ["w5"])])
        assert [item.entry_id for item in second.search(KB, ["w5"], 5)] == ["more"]
        second.close()

    def test_several_threads_may_write_and_search(self, store: SparseStore) -> None:
        def work(number: int) -> list[str]:
            store.upsert(KB, [(f"e{number}", ["x", f"w{number}"])])
            return [item.entry_id for item in store.search(KB, [f"w{number}"], 5)]

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(work, range(24))) == [[f"e{number}"] for number in range(24)]
        assert len(store.search(KB, ["x"], 50)) == 24

    def test_overwritten_files_are_reported_as_damage(self, open_store: Callable[[Path], SparseStore], tmp_path: Path) -> None:
        check_damage_is_told(open_store, tmp_path / "sparse", _fill_sparse, overwrite_files, must_raise=True)

    def test_cut_files_are_reported_as_damage_or_seen_by_their_ids(
        self, open_store: Callable[[Path], SparseStore], tmp_path: Path
    ) -> None:
        check_damage_is_told(open_store, tmp_path / "sparse", _fill_sparse, halve_files, must_raise=False)


def _fill_sparse(store: SparseStore) -> None:
    store.upsert(KB, [(entry_id, [f"w{number}", "x"]) for number, entry_id in enumerate(entry_ids(1500))])
