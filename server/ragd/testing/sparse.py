"""The contract of a sparse store."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from ragd.providers.protocols import SparseStore
from ragd.providers.sparse.bm25_query import MAX_PHRASE_TERMS, MAX_TERMS, MAX_TIMES
from ragd.providers.sparse.rank_bm25 import RankBm25Store
from ragd.testing.common import KB, OTHER_KB, StoreContract, entry_ids

_CODE = ["--no-cache", "max_connections", "1.2.3", "C++", "c#", "/etc/hosts", "foo@bar.org", "~/.ssh", "-", "x" * 300]
_QUERY_SYNTAX = ['a"b', "it's", "a*", "id:x", "AND", "NOT", "NEAR(", "^x", "%s", "{}[]()", "\\n", "<b>"]
_ODD_TERMS = [*_CODE, *_QUERY_SYNTAX, "設定", "호출", "é"]
"""Terms that an engine's own tokenizer or query language would take for something else."""


class SparseStoreContract(StoreContract[SparseStore]):
    """BM25 over terms that are taken as they are, in namespaces, durable, distinguished from damaged ones."""

    entries_alike = 10_000
    """Of how many that are all the same the order is looked at."""
    terms_unknown = 8_000
    """How many terms of a question of thousands are in no entry."""

    def fill(self, store: SparseStore) -> None:
        store.upsert(KB, [(entry_id, [f"w{number}", "x"]) for number, entry_id in enumerate(entry_ids(1500))])

    @pytest.mark.parametrize("term", _ODD_TERMS)
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

    def test_the_first_entries_are_those_of_bm25(self, store: SparseStore, tmp_path: Path) -> None:
        """Nine of ten: engines keep lengths in one byte, or take a fixed mean length, where the formula has the entries' own."""
        rng = random.Random(5)
        words = [f"w{number}" for number in range(800)]
        shares = [1 / (number + 3) for number in range(800)]
        entries = [(entry_id, rng.choices(words, shares, k=rng.randint(40, 220))) for entry_id in entry_ids(400)]
        store.upsert(KB, entries)
        store.upsert(OTHER_KB, [(entry_id, terms[:9] * 9) for entry_id, terms in entries])  # whose frequencies count for nothing
        with closing(RankBm25Store(tmp_path / "oracle")) as oracle:
            oracle.upsert(KB, entries)
            shared = 0
            for _ in range(40):
                terms = rng.sample(words[10:400], 4)
                right, found = ({item.entry_id for item in asked.search(KB, terms, 10)} for asked in (oracle, store))
                shared += len(right & found)
        assert shared >= 360

    def test_the_entries_that_hold_a_term_are_counted(self, store: SparseStore) -> None:
        assert store.frequencies(KB, ["page"]) == (0, {"page": 0})
        store.upsert(KB, [(f"e{number}", ["page", "page", f"w{number}", *_ODD_TERMS]) for number in range(8)])
        odd = dict.fromkeys(_ODD_TERMS, 8)
        assert store.frequencies(KB, ["page", "w3", "unknown", *odd]) == (8, {"page": 8, "w3": 1, "unknown": 0, **odd})

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

    def test_terms_side_by_side_rank_above_the_same_terms_apart(self, store: SparseStore) -> None:
        _fill_others(store)
        apart = [("a", ["max", "u", "connect", "v"]), ("b", ["connect", "max", "u", "v"]), ("d", ["max", "u", "v", "connect"])]
        store.upsert(KB, [*apart, ("whole", ["u", "max", "connect", "v"])])
        plain = store.search(KB, ["max", "connect"], 10)
        assert [item.entry_id for item in plain] == ["a", "b", "d", "whole"]
        assert {round(item.score, 4) for item in plain} == {round(plain[0].score, 4)}
        found = store.search(KB, ["max", "connect"], 10, phrases=[["max", "connect"]])
        assert [item.entry_id for item in found] == ["whole", "a", "b", "d"]
        assert [item.score for item in found[1:]] == pytest.approx([plain[0].score] * 3, rel=1e-4)
        # About as much as the terms themselves: a rare term elsewhere must still be able to win.
        assert 1.5 < found[0].score / plain[0].score < 3

    def test_a_phrase_alone_finds_those_that_hold_it_and_no_others(self, store: SparseStore) -> None:
        _fill_others(store)
        store.upsert(KB, [("a", ["p", "q"]), ("b", ["q", "p"]), ("c", ["p", "r", "q"]), ("d", ["x", "p", "q", "p", "q"])])
        found = store.search(KB, [], 10, phrases=[["p", "q"]])
        assert {item.entry_id for item in found} == {"a", "d"}
        assert min(item.score for item in found) > 0
        assert [item.entry_id for item in store.search(KB, [], 10, {"d", "b"}, phrases=[["p", "q"]])] == ["d"]
        assert store.search(KB, ["p"], 10, set(), phrases=[["p", "q"]]) == []
        assert store.search(KB, [], 10, phrases=[["q", "unknown"], ["unknown", "new"]]) == []
        assert store.search(KB, [], 10, phrases=[["p"], []]) == []
        assert store.search(OTHER_KB, [], 10, phrases=[["p", "q"]]) == []

    def test_a_phrase_given_twice_counts_once(self, store: SparseStore) -> None:
        _fill_others(store)
        store.upsert(KB, [("a", ["p", "q"])])
        once = store.search(KB, ["p"], 10, phrases=[["p", "q"]])
        assert store.search(KB, ["p"], 10, phrases=[["p", "q"], ("p", "q")]) == once

    @pytest.mark.parametrize("phrase", [["p", "p"], ["p", "q", "p"], ["p", "p", "q"], ["q", "p", "p", "p"]])
    def test_a_phrase_may_hold_a_term_several_times(self, store: SparseStore, phrase: list[str]) -> None:
        _fill_others(store)
        store.upsert(KB, [("apart", ["p", "x", "q", "x", "p", "x", "q", "x", "p"]), ("with", ["q", "x", *phrase, "x", "q"])])
        assert [item.entry_id for item in store.search(KB, [], 10, phrases=[phrase])] == ["with"]

    def test_of_a_very_long_phrase_the_beginning_is_looked_for(self, store: SparseStore) -> None:
        _fill_others(store)
        words = [f"w{number}" for number in range(5000)]
        store.upsert(KB, [("whole", words), ("start", words[:MAX_PHRASE_TERMS]), ("less", words[: MAX_PHRASE_TERMS - 1])])
        assert {item.entry_id for item in store.search(KB, [], 10, phrases=[words])} == {"whole", "start"}

    @pytest.mark.parametrize("term", _ODD_TERMS)
    def test_a_phrase_takes_terms_as_they_are(self, store: SparseStore, term: str) -> None:
        store.upsert(KB, [("with", ["a", term, "OR", term, "b"]), ("without", [term, "b", "OR", "a", term, "a"])])
        assert [item.entry_id for item in store.search(KB, [], 10, phrases=[[term, "OR", term]])] == ["with"]

    def test_a_question_of_thousands_of_terms_is_judged_by_those_that_tell_most(self, store: SparseStore) -> None:
        rng = random.Random(3)
        frequent = [f"f{number}" for number in range(400)]
        store.upsert(KB, [(f"e{number}", rng.sample(frequent, 100)) for number in range(50)])
        store.upsert(KB, [("rare", ["kernel"])])
        question = [*frequent, *(f"unknown{number}" for number in range(self.terms_unknown)), "kernel"]
        assert len(frequent) > MAX_TERMS
        found = store.search(KB, question, 100)
        assert len(found) == 51
        assert store.search(KB, ["f0"] * 8000, 100) == store.search(KB, ["f0"] * MAX_TIMES, 100)

    def test_entries_that_are_all_the_same_come_in_the_order_of_their_ids(self, store: SparseStore) -> None:
        ids = entry_ids(self.entries_alike)
        mixed = random.Random(4).sample(ids, len(ids))
        for at in range(0, len(mixed), 4_000):
            store.upsert(KB, [(entry_id, ["same", "words"]) for entry_id in mixed[at : at + 4_000]])
        assert [item.entry_id for item in store.search(KB, ["same"], 20)] == ids[:20]
        store.upsert(KB, [("better", ["same", "same"]), ("other", ["words"])])
        assert [item.entry_id for item in store.search(KB, ["same"], 20)] == ["better", *ids[:19]]

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


def _fill_others(store: SparseStore) -> None:
    """Entries of other words, so that those of a test are rare."""
    store.upsert(KB, [(f"other{number}", ["page", f"n{number}", "text"]) for number in range(40)])
