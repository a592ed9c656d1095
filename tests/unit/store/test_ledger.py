"""The ledger of cloud sources in a real database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Engine, update

from ragd.core.jobs import Failure
from ragd.store.collections import Collections
from ragd.store.database.engine import open_engine
from ragd.store.database.schema import documents
from ragd.store.documents import DocumentWriter
from ragd.store.ledger import KEPT_CYCLES, Ledger, LedgerItem
from ragd.store.sources import Sources


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = open_engine("", tmp_path)
    yield engine
    engine.dispose()


def default_id(engine: Engine) -> str:
    collections = Collections(engine)
    collections.ensure_default()
    return collections.get("default").kb_id


@pytest.fixture
def ledger(engine: Engine) -> Ledger:
    return Ledger(engine)


@pytest.fixture
def source_id(engine: Engine) -> str:
    kb_id = default_id(engine)
    return Sources(engine).add("confluence", "Wiki", kb_id, {}, live="live", public=False).source_id


def item(number: int, **more: object) -> LedgerItem:
    made = LedgerItem(f"page/{number:03}", "page", f"手順 {number}", "DEV", "indexed", hint={"space": "DEV"}, fingerprint="1")
    return replace(made, **more)  # type: ignore[arg-type]


def document(engine: Engine, source_id: str, doc_id: str) -> None:
    kb_id = default_id(engine)
    DocumentWriter(engine, keep_versions=0).fail(
        kb_id, doc_id, f"https://x/{doc_id}", "confluence", 1, Failure("page", "X", "x"), source_id
    )


def test_items_are_written_again_and_again(ledger: Ledger, source_id: str) -> None:
    ledger.put(source_id, [item(1), item(2)], "c1")
    ledger.put(source_id, [item(1, state="skipped", reason="empty", message="It is empty.", doc_id=None)], "c2")
    found = ledger.items(source_id)
    assert found["page/001"].reason == "empty"
    assert found["page/002"] == item(2)
    assert ledger.items(source_id, "indexed").keys() == {"page/002"}
    assert ledger.some(source_id, ["page/001", "page/9"]).keys() == {"page/001"}


def test_counts_are_of_states_and_of_documents_that_are_there(engine: Engine, ledger: Ledger, source_id: str) -> None:
    for doc_id in ("a", "b"):
        document(engine, source_id, doc_id)
    ledger.put(source_id, [item(1, doc_id="a"), item(2, doc_id="b"), item(3, state="held"), item(4, doc_id="none")], "c1")
    assert ledger.counts(source_id) == {"indexed": 2, "held": 1}
    assert ledger.lost(source_id) == ["page/004"]
    with engine.begin() as connection:
        connection.execute(update(documents).where(documents.c.doc_id == "b").values(status="deleted"))
    assert ledger.counts(source_id) == {"indexed": 1, "held": 1}
    assert sorted(ledger.lost(source_id)) == ["page/002", "page/004"]


def test_items_are_found_by_their_documents(ledger: Ledger, source_id: str) -> None:
    ledger.put(source_id, [item(1, doc_id="a")], "c1")
    assert ledger.of_documents(["a", "b"]) == {"a": (source_id, item(1, doc_id="a"))}


def test_pages_of_items_go_by_id(ledger: Ledger, source_id: str) -> None:
    ledger.put(source_id, [item(number, state="skipped") for number in (3, 1, 2)], "c1")
    found, total = ledger.page_of_items(source_id, "skipped", 2, 2)
    assert ([one.item_id for one in found], total) == (["page/003"], 3)


def test_what_was_left_out_can_be_asked_for_again_but_not_what_a_rule_left_out(ledger: Ledger, source_id: str) -> None:
    skipped = [item(1, state="skipped", reason="failed"), item(2, state="skipped", reason="filtered"), item(3)]
    ledger.put(source_id, skipped, "c1")
    assert ledger.ask_again(source_id, ["page/003", "page/002"]) == []
    assert ledger.ask_again(source_id) == ["page/001"]
    assert ledger.items(source_id, "pending").keys() == {"page/001"}


def test_a_cycle_is_found_by_its_job_until_it_ended(ledger: Ledger, source_id: str) -> None:
    cycle = ledger.begin(source_id, "full", "job")
    assert ledger.unfinished(source_id, "job") == cycle
    assert ledger.unfinished(source_id, "another") is None
    ledger.save(replace(cycle, phase="done", remote=3, complete=True, requests=7, throttled_s=1.5))
    assert ledger.unfinished(source_id, "job") is None
    assert ledger.last_complete(source_id) == ledger.cycles(source_id)[0]
    assert ledger.last_complete(source_id, "incremental") is None


def test_a_cycle_that_began_by_a_clock_that_was_ahead_says_nothing_of_what_changed_since(ledger: Ledger, source_id: str) -> None:
    before = ledger.begin(source_id, "full", "job")
    ledger.save(replace(before, phase="done"))
    ledger.save(replace(ledger.begin(source_id, "incremental", "other"), phase="done", started_at="2096-01-01T00:00:00.000Z"))
    last = ledger.last_complete(source_id)
    assert last is not None
    assert last.cycle_id == before.cycle_id


def test_a_new_cycle_closes_the_one_that_was_stopped(ledger: Ledger, source_id: str) -> None:
    ledger.begin(source_id, "full", "job")
    ledger.begin(source_id, "full", "other")
    first = next(cycle for cycle in ledger.cycles(source_id) if cycle.job_id == "job")
    assert (first.phase, first.complete) == ("failed", False)
    assert first.notice
    assert first.finished_at


def test_the_oldest_cycles_are_forgotten(ledger: Ledger, source_id: str) -> None:
    for number in range(KEPT_CYCLES + 3):
        ledger.begin(source_id, "incremental", f"job {number}")
    assert len(ledger.cycles(source_id, 1000)) == KEPT_CYCLES


def test_with_its_source_the_ledger_goes(engine: Engine, ledger: Ledger, source_id: str) -> None:
    ledger.put(source_id, [item(1)], "c1")
    ledger.begin(source_id, "full", "job")
    Sources(engine).remove(source_id)
    assert ledger.items(source_id) == {}
    assert ledger.cycles(source_id) == []
