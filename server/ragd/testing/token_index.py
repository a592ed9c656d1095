"""The contract of a token index."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from ragd.language.detection import PASSAGE_LANGUAGES
from ragd.providers.token_index.basis import TokenBasis
from ragd.providers.token_protocols import TokenCodes, TokenIndex
from ragd.testing.common import KB, OTHER_KB, StoreContract, entry_ids, unit_vectors

_BITS = 256


def token_codes(count: int, *, seed: int = 0) -> TokenCodes:
    """Random codes of one passage, the same for a seed."""
    return np.random.default_rng(seed).integers(0, 256, (count, _BITS // 8), dtype=np.uint8)


def write_basis(path: Path, seed: int = 0) -> Path:
    """A basis for the fake embedder, which has 256 dimensions: nothing but a rotation."""
    rotation = np.linalg.qr(np.random.default_rng(seed).standard_normal((_BITS, _BITS)))[0]
    means = np.zeros((len(PASSAGE_LANGUAGES), _BITS), np.float32)
    path.write_bytes(TokenBasis(means, means, rotation.astype(np.float32)).packed())
    return path


def _passages(count: int) -> dict[str, TokenCodes]:
    """Passages of 0 to 6 codes."""
    return {entry_id: token_codes(number % 7, seed=number) for number, entry_id in enumerate(entry_ids(count))}


class TokenIndexContract(StoreContract[TokenIndex]):
    """Codes of passages in namespaces, scored as they were written, durable, distinguished from damaged ones."""

    def fill(self, store: TokenIndex) -> None:
        store.upsert(KB, _passages(100))

    def test_a_score_is_the_mean_of_the_best_products_with_signs(self, store: TokenIndex) -> None:
        passages = _passages(400)
        store.upsert(KB, passages)
        query = unit_vectors(5, dimension=_BITS)
        chosen = entry_ids(400)[3:390:2]
        expected = []
        for entry_id in chosen:
            signs = np.unpackbits(passages[entry_id], axis=1).astype(np.float32) * 2 - 1
            expected.append((signs @ query.T / np.sqrt(_BITS)).max(axis=0).mean() if len(signs) else 0.0)
        assert store.score(KB, query, chosen) == pytest.approx(expected, abs=1e-5)

    def test_unknown_entries_have_no_score_and_those_beside_them_theirs(self, store: TokenIndex) -> None:
        store.upsert(KB, _passages(5))
        query = unit_vectors(2, dimension=_BITS)
        alone = store.score(KB, query, entry_ids(5)[3:])
        mixed = store.score(KB, query, ["unknown", entry_ids(5)[3], "other", entry_ids(5)[4]])
        assert np.isnan(mixed).tolist() == [True, False, True, False]
        assert mixed[[1, 3]] == pytest.approx(alone)
        assert np.isnan(store.score("f" * 32, query, ["a"])).all()
        assert store.score(KB, query, []).shape == (0,)

    def test_a_question_without_tokens_scores_nothing_higher(self, store: TokenIndex) -> None:
        store.upsert(KB, _passages(5))
        assert store.score(KB, unit_vectors(1, dimension=_BITS)[:0], entry_ids(3)).tolist() == [0, 0, 0]

    def test_an_upsert_replaces_and_repeating_it_changes_nothing(self, store: TokenIndex) -> None:
        store.upsert(KB, {"a": token_codes(3), "b": token_codes(3, seed=1)})
        new = token_codes(4, seed=2)
        for _ in range(2):
            store.upsert(KB, {"a": new})
        signs = np.unpackbits(new, axis=1).astype(np.float32) * 2 - 1
        assert store.score(KB, signs[:1] / np.sqrt(_BITS), ["a"])[0] == pytest.approx(1, abs=1e-5)
        assert store.ids(KB) == {"a", "b"}

    def test_deleted_entries_are_gone_and_unknown_ids_are_ignored(self, store: TokenIndex) -> None:
        store.upsert(KB, _passages(40))
        store.delete(KB, [*entry_ids(20), "no such id"])
        store.delete(OTHER_KB, ["a"])
        assert store.ids(KB) == set(entry_ids(40)[20:])
        assert np.isnan(store.score(KB, unit_vectors(1, dimension=_BITS), entry_ids(1))).all()

    def test_namespaces_do_not_see_each_other_and_one_can_be_dropped(self, store: TokenIndex) -> None:
        store.upsert(KB, {"here": token_codes(2)})
        store.upsert(OTHER_KB, {"there": token_codes(2)})
        store.drop(KB)
        store.drop(KB)
        assert (store.ids(KB), store.ids(OTHER_KB)) == (set(), {"there"})
        store.upsert(KB, {"again": token_codes(1)})
        assert store.ids(KB) == {"again"}

    def test_entries_are_there_again_after_reopening(self, open_store: Callable[[Path], TokenIndex], tmp_path: Path) -> None:
        query = unit_vectors(3, dimension=_BITS)
        first = open_store(tmp_path / "tokens")
        first.upsert(KB, _passages(300))
        first.delete(KB, entry_ids(100))
        first.upsert(KB, {entry_ids(300)[200]: token_codes(9)})
        scores = first.score(KB, query, entry_ids(300)[100:])
        first.close()
        second = open_store(tmp_path / "tokens")
        assert second.ids(KB) == set(entry_ids(300)[100:])
        assert second.score(KB, query, entry_ids(300)[100:]).tolist() == scores.tolist()
        assert second.damaged(KB) == []
        second.close()

    def test_several_threads_may_write_and_score(self, store: TokenIndex) -> None:
        passages = _passages(200)
        query = unit_vectors(3, dimension=_BITS)

        def work(at: int) -> int:
            own = entry_ids(200)[at : at + 20]
            store.upsert(KB, {entry_id: passages[entry_id] for entry_id in own})
            return int(np.isfinite(store.score(KB, query, own)).sum())

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(work, range(0, 200, 20))) == [20] * 10
        assert store.ids(KB) == set(entry_ids(200))
