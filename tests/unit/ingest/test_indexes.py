"""Both indexes as one, and how they are compared with the stored content."""

from __future__ import annotations

from typing import Any

import pytest

from ragd.core.storage import Entries
from ragd.ingest.indexes import Indexes, find_drift


@pytest.fixture
def filled(line: Any) -> Any:
    line.write("a.md", "# One\n\nFirst.\n\n# Two\n\nSecond.\n")
    line.write("b.md", "# Three\n\nThird.\n")
    line.ingest()
    return line


def drift_of(line: Any) -> Any:
    return find_drift(Indexes(line.dense, line.sparse), line.kb_id, line.writer.live_entries(line.kb_id))


def test_sound_indexes_show_no_drift(filled: Any) -> None:
    drift = drift_of(filled)
    assert (drift.surplus, drift.incomplete_documents) == (Entries(), ())


@pytest.mark.parametrize("side", ["dense", "sparse"])
def test_an_entry_that_is_missing_on_one_side_makes_its_document_incomplete(filled: Any, side: str) -> None:
    row = next(row for row in filled.writer.live_entries(filled.kb_id) if row[0] == filled.doc_id("a.md"))
    getattr(filled, side).delete(filled.kb_id, [row[1] if side == "dense" else row[3]])
    drift = drift_of(filled)
    assert (drift.surplus, drift.incomplete_documents) == (Entries(), (filled.doc_id("a.md"),))


def test_entries_that_no_live_version_has_are_surplus_until_removed(filled: Any) -> None:
    filled.writer.tombstone([filled.doc_id("b.md")])
    drift = drift_of(filled)
    assert (len(drift.surplus.dense), len(drift.surplus.sparse), drift.incomplete_documents) == (1, 1, ())
    Indexes(filled.dense, filled.sparse).remove({filled.kb_id: drift.surplus, "unknown": Entries(("x",), ("y",))})
    assert drift_of(filled).surplus == Entries()


def test_dropping_a_collection_leaves_the_others(filled: Any) -> None:
    other = filled.collections.create("other").kb_id
    first, filled.kb_id = filled.kb_id, other
    filled.ingest()
    Indexes(filled.dense, filled.sparse).drop(first)
    assert filled.dense.ids(first) == filled.sparse.ids(first) == set()
    filled.check()


def test_versions_without_passages_and_empty_removals_touch_no_index(line: Any) -> None:
    indexes = Indexes(line.dense, line.sparse)
    indexes.upsert([], {}, {})
    indexes.remove({line.kb_id: Entries()})
    assert line.dense.ids(line.kb_id) == line.sparse.ids(line.kb_id) == set()
