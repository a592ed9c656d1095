"""Sources by REST: what each address gives, and how each bad input is told."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ragd.app.container import Application

pytestmark = pytest.mark.slow

Finish = Callable[[str], dict[str, Any]]


def add(client: TestClient, folder: Path, **more: Any) -> dict[str, Any]:
    config = {"path": str(folder), **more.pop("config", {})}
    answer = client.post("/api/sources", json={"type": "folder", "config": config, **more})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def error(answer: Any, status: int, code: str) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]["code"] == code
    return dict(answer.json()["error"])


def fields_of(problem: dict[str, Any]) -> dict[str, str]:
    return {detail["field"]: detail["code"] for detail in problem["details"]}


@pytest.fixture
def following(app: Application) -> Iterator[Application]:
    """The app, following sources as a daemon does."""
    app.sources.start()
    yield app
    app.sources.stop()


def test_a_folder_is_added_read_and_told(client: TestClient, finish: Finish, guide: Path) -> None:
    added = add(client, guide, name="手順", config={"exclude": ["drafts/"]})
    assert finish(added["job_id"])["result"]["added"] == 2
    source = client.get(f"/api/sources/{added['id']}").json()
    assert source.keys() == added.keys()
    assert (source["name"], source["type"], source["collection"], source["enabled"]) == ("手順", "folder", "default", True)
    assert source["config"] == {
        "path": str(guide),
        "include": [],
        "exclude": ["drafts/"],
        "gitignore": True,
        "watch": True,
        "poll": None,
    }
    assert (source["state"], source["followed"], source["polling"], source["notice"]) == ("idle", False, False, None)
    assert (source["document_count"], source["schedule"], source["last_error"]) == (2, None, None)
    assert source["last_result"]["added"] == 2
    assert source["last_result"]["job_id"] == source["job_id"] == added["job_id"]
    listed = client.get("/api/sources").json()
    assert listed == {"items": [source], "total": 1, "page": 1, "page_size": 20}
    documents = client.get("/api/documents").json()["items"]
    assert {document["source"] for document in documents} == {"install.md", "経費.md"}


def test_a_dry_run_says_what_would_be_read_and_stores_nothing(client: TestClient, guide: Path) -> None:
    (guide / "photo.xyz").write_text("x")
    body = {"type": "folder", "config": {"path": str(guide), "exclude": ["経費*"]}}
    answer = client.post("/api/sources", params={"dry_run": True}, json=body)
    assert answer.status_code == 200
    assert answer.json() == {
        "files": 1,
        "by_type": {"markdown": 1},
        "names": ["install.md"],
        "skipped": 1,
        "ignored": 1,
        "failed_count": 0,
        "failed": [],
    }
    assert client.get("/api/sources").json()["total"] == 0
    wrong = client.post("/api/sources", params={"dry_run": True}, json=body | {"config": {"path": str(guide / "none")}})
    assert fields_of(error(wrong, 400, "VALIDATION_ERROR")) == {"config.path": "not_found"}


def test_a_followed_folder_follows(client: TestClient, finish: Finish, following: Application, guide: Path) -> None:
    added = add(client, guide)
    finish(added["job_id"])
    (guide / "new.md").write_text("# New\n\nA new page.\n")
    end = time.monotonic() + 600
    while (source := client.get(f"/api/sources/{added['id']}").json())["document_count"] < 3:
        assert time.monotonic() < end, source
        following.runner.wait_for_change(0.1)
    assert source["followed"] is True
    assert source["state"] in {"watching", "syncing"}


def test_a_source_is_synced_by_request(client: TestClient, finish: Finish, guide: Path) -> None:
    added = add(client, guide)
    finish(added["job_id"])
    address = f"/api/sources/{added['id']}/sync"
    (guide / "install.md").unlink()
    (guide / "経費.md").unlink()
    guide.rename(guide.with_name("away"))
    guide.mkdir()
    for body, status in ((None, "failed"), ({}, "failed"), ({"allow_empty": True}, "completed")):
        answer = client.post(address, json=body)
        assert answer.status_code == 202
        assert finish(answer.json()["job_id"])["status"] == status
    assert client.get(f"/api/sources/{added['id']}").json()["document_count"] == 0


def test_a_source_is_changed(client: TestClient, finish: Finish, guide: Path) -> None:
    added = add(client, guide)
    finish(added["job_id"])
    address = f"/api/sources/{added['id']}"
    changed = client.patch(address, json={"name": "new", "config": {"exclude": ["*.md"]}}).json()
    assert (changed["name"], changed["config"]["exclude"], changed["config"]["path"]) == ("new", ["*.md"], str(guide))
    job = finish(changed["job_id"])
    assert job["result"]["deleted"] == 2
    assert client.patch(address, json={"enabled": False}).json()["enabled"] is False
    error(client.post(f"{address}/sync"), 400, "VALIDATION_ERROR")
    assert client.patch(address, json={}).json()["name"] == "new"


@pytest.mark.parametrize(("query", "left"), [("", 0), ("?documents=delete", 0), ("?documents=keep", 2)])
def test_a_source_is_removed_with_its_documents_or_without(
    client: TestClient, finish: Finish, guide: Path, query: str, left: int
) -> None:
    added = add(client, guide)
    finish(added["job_id"])
    address = f"/api/sources/{added['id']}"
    assert client.delete(f"{address}{query}").status_code == 204
    assert client.get("/api/documents", params={"status": "ready"}).json()["total"] == left
    for answer in (client.get(address), client.delete(address), client.post(f"{address}/sync"), client.patch(address, json={})):
        assert "rag sources list" in error(answer, 404, "SOURCE_NOT_FOUND")["message"]
    assert (guide / "install.md").exists()


def test_names_and_folders_are_taken_once(client: TestClient, guide: Path, tmp_path: Path) -> None:
    add(client, guide, name="one")
    other = tmp_path / "other"
    other.mkdir()
    body = {"type": "folder", "name": "one", "config": {"path": str(other)}}
    error(client.post("/api/sources", json=body), 409, "SOURCE_NAME_CONFLICT")
    again = client.post("/api/sources", json={"type": "folder", "config": {"path": str(guide)}})
    assert fields_of(error(again, 400, "VALIDATION_ERROR")) == {"config.path": "overlaps"}


def test_what_is_wrong_is_told_after_what_does_not_exist(client: TestClient, guide: Path) -> None:
    client.post("/api/collections", json={"name": "closed"})
    client.patch("/api/collections/closed", json={"status": "disabled"})
    good = {"type": "folder", "config": {"path": str(guide)}}
    error(client.post("/api/sources", json=good | {"collection": "none", "type": 1}), 404, "KNOWLEDGE_BASE_NOT_FOUND")
    error(client.post("/api/sources", json=good | {"collection": "closed", "type": 1}), 403, "KNOWLEDGE_BASE_UNAVAILABLE")
    error(client.patch("/api/sources/none", json={"nonsense": 1}), 404, "SOURCE_NOT_FOUND")
    error(client.delete("/api/sources/none?documents=burn"), 404, "SOURCE_NOT_FOUND")


@pytest.mark.parametrize(
    ("wrong", "fields"),
    [
        ({"type": "ftp"}, {"type": "unknown"}),
        ({"config": {}}, {"config.path": "missing"}),
        ({"config": {"path": "docs"}}, {"config.path": "relative"}),
        ({"config": {"path": "/x", "include": "*.md", "pathh": 1}}, {"config.include": "invalid", "config.pathh": "unknown"}),
        ({"schedule": "daily"}, {"schedule": "unknown"}),
        ({"name": "a\nb"}, {"name": "invalid"}),
        ({"nonsense": 1}, {"nonsense": "unknown"}),
    ],
)
def test_each_wrong_field_is_named(client: TestClient, guide: Path, wrong: dict[str, Any], fields: dict[str, str]) -> None:
    body = {"type": "folder", "config": {"path": str(guide)}} | wrong
    problem = error(client.post("/api/sources", json=body), 400, "VALIDATION_ERROR")
    assert fields_of(problem) == fields
    assert client.get("/api/sources").json()["total"] == 0
    if "type" in wrong:
        assert "Known: folder" in problem["message"]


@pytest.mark.parametrize("changes", [{"security.allowed_roots": ["/nowhere"]}])
def test_a_folder_outside_the_allowed_roots_is_forbidden(client: TestClient, guide: Path) -> None:
    body = {"type": "folder", "config": {"path": str(guide)}}
    for params in ({}, {"dry_run": True}):
        error(client.post("/api/sources", params=params, json=body), 403, "FORBIDDEN_PATH")


def test_sources_go_with_their_collection(client: TestClient, finish: Finish, guide: Path) -> None:
    client.post("/api/collections", json={"name": "handbook"})
    added = add(client, guide, collection="handbook")
    finish(added["job_id"])
    assert client.delete("/api/collections/handbook").status_code == 204
    assert client.get("/api/sources").json()["total"] == 0
    for job in client.get("/api/jobs").json()["items"]:
        assert finish(job["job_id"])["status"] == "completed"
