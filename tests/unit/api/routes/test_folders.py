"""Documents by the folders that their paths name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

Finish = Callable[[str], dict[str, Any]]

GUIDE = ["guide/install.md", "guide/api/auth.md", "guide/api/keys.md", "guide/api/bad.pdf"]
FILES = ["top.md", "Guide/other.md", "guide_2/%.md", *GUIDE]


@pytest.fixture
def paths(client: TestClient, finish: Finish, tmp_path: Path) -> Path:
    root = tmp_path / "documents"
    for name in FILES:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n\nText of {name}.\n")
    finish(client.post("/api/ingest", json={"paths": [str(root)]}).json()["job_id"])
    return root


def folders(client: TestClient, **query: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = client.get("/api/documents/folders", params={"collection": "default", **query}).json()["items"]
    return items


def sources(client: TestClient, **query: str) -> list[str]:
    return [item["source"] for item in client.get("/api/documents", params=query).json()["items"]]


@pytest.mark.usefixtures("paths")
def test_folders_are_told_level_by_level_with_how_many_documents_are_below(client: TestClient) -> None:
    assert folders(client) == [
        {"name": "Guide", "path": "Guide", "documents": 1, "failed": 0, "processing": 0},
        {"name": "guide", "path": "guide", "documents": 4, "failed": 1, "processing": 0},
        {"name": "guide_2", "path": "guide_2", "documents": 1, "failed": 0, "processing": 0},
    ]
    assert folders(client, folder="guide") == folders(client, folder="guide/")
    assert folders(client, folder="guide") == [{"name": "api", "path": "guide/api", "documents": 3, "failed": 1, "processing": 0}]
    assert folders(client, folder="guide/api") == folders(client, folder="gui") == []


@pytest.mark.usefixtures("paths")
def test_documents_are_told_by_the_folder_that_they_lie_in_themselves(client: TestClient) -> None:
    assert sources(client, folder="") == ["top.md"]
    assert sources(client, folder="guide") == ["guide/install.md"]
    assert sources(client, folder="guide_2") == ["guide_2/%.md"]
    assert sources(client, folder="guide/api", status="ready") == ["guide/api/auth.md", "guide/api/keys.md"]
    assert sources(client, folder="guide/api", status="failed") == ["guide/api/bad.pdf"]
    assert len(sources(client)) == len(FILES)


@pytest.mark.usefixtures("paths")
def test_a_folder_whose_documents_are_deleted_is_gone(client: TestClient) -> None:
    (found,) = client.get("/api/documents", params={"folder": "Guide"}).json()["items"]
    client.delete(f"/api/documents/{found['id']}")
    assert [folder["name"] for folder in folders(client)] == ["guide", "guide_2"]
