"""PostgreSQL stops, or cuts connections off in the middle: clear answers meanwhile, and nothing that was acknowledged is lost."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.parametrize("opened_in", ["postgres"], indirect=True, scope="session")]


def test_while_the_database_is_away_requests_are_told_so_and_afterwards_all_goes_on(own: Any) -> None:
    kb_id = own.create()
    doc_id = own.add(kb_id, "terms.md", "# Terms\n\nPayment within thirty days.")
    search = {"query": "payment", "knowledge_base_id": kb_id}
    asked = [
        lambda: own.client.get("/ready"),
        lambda: own.client.get("/knowledge_bases"),
        lambda: own.client.post("/knowledge_bases", json={"name": "Another"}),
        lambda: own.client.get(f"/documents/{doc_id}"),
        lambda: own.post(kb_id, "other.md", "Delivery within ten days."),
        lambda: own.client.post("/search", json=search),
        lambda: own.client.get("/api/status"),
        lambda: own.client.get("/api/jobs"),
    ]
    with own.store.stopped():
        for ask in asked:
            own.refused(answer := ask(), 503, "SERVICE_UNAVAILABLE")
            assert int(answer.headers["Retry-After"]) > 0
        assert own.client.get("/health").status_code == 200
        [check] = own.app.maintenance.checks(search=False)
        assert (check.level, "postgresql+psycopg://rag@" in check.message) == ("fail", True)
    # Connections that the pool still holds are dead, and nobody notices.
    assert [ask().status_code for ask in asked] == [200, 200, 201, 200, 202, 200, 200, 200]
    assert own.app.maintenance.checks(search=False).__next__().level == "ok"
    own.add(kb_id, "other.md", "Delivery within ten days.")


def test_it_ends_while_the_database_is_away(opened: Any) -> None:
    with ExitStack() as away, opened() as service:
        service.create()
        # Until the application is closed.
        away.enter_context(service.store.stopped())


def _sleeping(store: Any) -> bool:
    return bool(store.run("SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"))


def _cut_off(store: Any, name: str) -> None:
    """End every connection once one sleeps in the trigger, which is removed first: what is tried again is not delayed."""
    end = time.monotonic() + 120
    while not _sleeping(store):
        assert time.monotonic() < end
        time.sleep(0.01)
    ended = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid != pg_backend_pid()"
    )
    store.run(ended)
    store.allow(name)


def test_an_upload_whose_connection_is_cut_off_in_the_middle_is_taken_up_again(own: Any) -> None:
    own.store.delay("delay", "UPDATE OF ready_at ON versions")
    kb_id = own.create()
    doc_id = own.upload(kb_id, "terms.md", "# Terms\n\nPayment within thirty days.")
    _cut_off(own.store, "delay")
    assert own.read(doc_id)["status"] == "completed"
    [found] = own.search(kb_id, "payment")
    assert found["document_id"] == doc_id
    assert own.store.run("SELECT count(*) FROM versions") == [(1,)]


def test_a_request_whose_connection_is_cut_off_in_the_middle_can_be_repeated(own: Any) -> None:
    own.store.delay("delay", "INSERT ON collections")
    with ThreadPoolExecutor(1) as beside:
        creating = beside.submit(own.client.post, "/knowledge_bases", json={"name": "New"})
        _cut_off(own.store, "delay")
        own.refused(creating.result(timeout=60), 503, "SERVICE_UNAVAILABLE")
    own.create("New")
