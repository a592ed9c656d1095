"""`GET /api/suggest`: what completes what somebody types, as the documents are at that moment."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ragd.app.container import Application

pytestmark = pytest.mark.slow

Suggest = Callable[..., list[tuple[str, str]]]


@pytest.fixture
def suggest(client: TestClient, app: Application, finish: Callable[[str], dict[str, Any]], guide: Path) -> Suggest:
    """Suggestions as `(kind, text)`, of two documents; gathered anew with each request."""
    app.suggestions._refresh_s = 0
    (guide / "old.md").write_text("# Kestrel of old\n\nThe option `max_connections` limits the kestrel.\n")
    finish(client.post("/api/ingest", json={"paths": [str(guide)]}).json()["job_id"])

    def ask(typed: str, **more: Any) -> list[tuple[str, str]]:
        answer = client.get("/api/suggest", params={"q": typed, **more})
        assert answer.status_code == 200, answer.text
        assert answer.json()["ready"]
        return [(item["kind"], item["text"]) for item in answer.json()["items"]]

    return ask


def gathered(ask: Callable[[], object], expected: object) -> None:
    """Wait until names are gathered anew and the request gives what is expected."""
    end = time.monotonic() + 600
    while (found := ask()) != expected:
        assert time.monotonic() < end, found
        time.sleep(0.02)


def test_titles_headings_and_identifiers_are_suggested(suggest: Suggest) -> None:
    assert suggest("inst") == [("title", "Install")]
    assert suggest("prox") == [("heading", "Proxy"), ("identifier", "HTTPS_PROXY")]
    assert suggest("conn") == [("identifier", "max_connections")]
    assert suggest("費") == [("title", "経費")]
    assert suggest("") == suggest("nothing of the kind") == []


def test_a_text_that_is_title_and_heading_is_suggested_once_and_at_most_so_many(suggest: Suggest) -> None:
    assert suggest("kestrel of") == [("title", "Kestrel of old")]
    assert len(suggest("k", limit=1)) == 1


def test_what_is_deleted_is_not_suggested_from_that_moment_on_and_what_is_new_soon(
    suggest: Suggest, client: TestClient, app: Application, finish: Callable[[str], dict[str, Any]], guide: Path
) -> None:
    assert suggest("kestrel") == [("title", "Kestrel of old")]
    rows = client.get("/api/documents").json()["items"]
    app.suggestions._refresh_s = 3600  # names that were gathered before must not be enough
    assert client.delete(f"/api/documents/{next(row['id'] for row in rows if row['source'] == 'old.md')}").status_code == 204
    assert suggest("kestrel") == []
    app.suggestions._refresh_s = 0
    (guide / "install.md").write_text("# Merlin\n\nRun `merlin setup` once.\n")
    finish(client.post("/api/ingest", json={"paths": [str(guide / "install.md")]}).json()["job_id"])
    gathered(lambda: suggest("merl"), [("title", "Merlin")])
    assert suggest("install") == []


def test_another_collection_and_a_disabled_one_suggest_nothing(
    suggest: Suggest, client: TestClient, app: Application, finish: Callable[[str], dict[str, Any]], tmp_path: Path
) -> None:
    (tmp_path / "merlin.md").write_text("# Merlin\n\nA bird.\n")
    assert client.post("/api/collections", json={"name": "birds"}).status_code == 201
    body = {"paths": [str(tmp_path / "merlin.md")], "collection": "birds"}
    finish(client.post("/api/ingest", json=body).json()["job_id"])
    gathered(lambda: suggest("merl"), [("title", "Merlin")])
    assert suggest("merl", collection="birds") == [("title", "Merlin")]
    assert suggest("merl", collection="default") == []
    assert suggest("inst", collection="birds") == []
    app.suggestions._refresh_s = 3600
    assert client.patch("/api/collections/birds", json={"status": "disabled"}).status_code == 200
    assert suggest("merl") == []
    assert client.get("/api/suggest", params={"q": "merl", "collection": "birds"}).status_code == 403
    assert client.get("/api/suggest", params={"q": "merl", "collection": "cats"}).status_code == 404


@pytest.mark.parametrize("wrong", [{}, {"q": "x" * 201}, {"q": "x", "limit": 0}, {"q": "x", "limit": 21}])
def test_a_wrong_request_is_refused(client: TestClient, wrong: dict[str, Any]) -> None:
    assert client.get("/api/suggest", params=wrong).status_code == 400


def test_names_that_take_long_to_gather_are_not_waited_for(app: Application, client: TestClient) -> None:
    app.suggestions._first_wait_s = 0
    release = threading.Event()
    app.suggestions._background.submit(release.wait, 10)
    assert client.get("/api/suggest", params={"q": "x"}).json() == {"items": [], "ready": False}
    release.set()
    gathered(lambda: client.get("/api/suggest", params={"q": "x"}).json()["ready"], True)
