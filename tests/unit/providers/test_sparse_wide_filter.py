"""A filter that allows very many entries, which the tantivy index meets without naming them all."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragd.providers.sparse.tantivy import TantivyStore

ENTRIES = [(f"e{number:04}", ["common"] * (1 + number % 7) + [f"w{number % 13}"]) for number in range(3000)]


@pytest.mark.parametrize("allows", [lambda number: number % 2 == 0, lambda number: number % 7 < 3])
def test_a_wide_filter_gives_the_best_of_the_allowed_in_the_order_of_all(tmp_path: Path, allows) -> None:
    store = TantivyStore(tmp_path)
    store.upsert("kb", ENTRIES)
    allowed = {entry_id for number, (entry_id, _) in enumerate(ENTRIES) if allows(number)}
    for terms in (["common"], ["common", "w3"], ["w5"]):
        everything = store.search("kb", terms, len(ENTRIES))
        expected = [item for item in everything if item.entry_id in allowed][:50]
        assert store.search("kb", terms, 50, allowed) == expected
    store.close()
