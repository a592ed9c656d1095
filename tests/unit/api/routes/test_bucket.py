"""Uploads and pictures in a bucket: a machine without copies answers alike, and a bucket that is away is said."""

from __future__ import annotations

import base64
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import obstore
import pytest
from obstore.store import S3Store
from PIL import Image
from starlette.testclient import TestClient

from ragd.app.container import Application

_SCOPE = "AWS4-HMAC-SHA256 Credential=id/20260101/us-east-1/s3/aws4_request"
ANY_KEY = {"Authorization": f"{_SCOPE}, SignedHeaders=host, Signature=0"}

pytestmark = pytest.mark.slow


@pytest.fixture
def changes(s3_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "key")
    return {"blobs.url": "s3://kept/team", "blobs.endpoint": s3_endpoint, "blobs.region": "us-east-1"}


@pytest.fixture
def bucket(s3_endpoint: str) -> S3Store:
    return S3Store(
        "kept",
        endpoint=s3_endpoint,
        region="us-east-1",
        access_key_id="id",
        secret_access_key="key",
        client_options={"allow_http": True},
    )


def keys(bucket: S3Store) -> set[str]:
    return {found["path"] for page in obstore.list(bucket) for found in page}


def copies(app: Application) -> list[Path]:
    folders = (app.directories.data / name for name in ("uploads", "assets"))
    return [path for folder in folders for path in folder.rglob("*") if path.is_file()]


@pytest.fixture
def report(tmp_path: Path) -> bytes:
    """A page of HTML with a picture in it."""
    picture = tmp_path / "chart.png"
    image = Image.new("RGB", (240, 160), "white")
    for x in range(240):
        for y in range(160):
            image.putpixel((x, y), (x, y, (x * y) % 255))
    image.save(picture)
    data = base64.b64encode(picture.read_bytes()).decode()
    text = "The relay station reports its charge twice a day, before noon and before midnight."
    return f'<h1>Relay</h1><p>{text}</p><img alt="A chart" src="data:image/png;base64,{data}"><p>{text}</p>'.encode()


def test_a_machine_without_copies_answers_alike(
    client: TestClient, app: Application, finish: Callable[[str], dict[str, Any]], bucket: S3Store, report: bytes
) -> None:
    job = finish(client.post("/api/ingest", files=[("files", ("relay.html", report))]).json()["job_id"])
    assert (job["status"], job["result"]["failed"]) == ("completed", [])
    doc_id = client.get("/api/documents").json()["items"][0]["id"]
    kept = keys(bucket)
    assert {key.split("/")[1] for key in kept} == {"uploads", "assets"}
    assert not any("/incoming/" in key for key in kept)
    asset_id = next(key for key in kept if key.endswith(".thumb")).rpartition("/")[2].removesuffix(".thumb")
    picture = client.get(f"/api/assets/{asset_id}").content
    for name in ("uploads", "assets"):
        shutil.rmtree(app.directories.data / name)
    assert client.get(f"/api/assets/{asset_id}").content == picture
    again = finish(client.post(f"/api/documents/{doc_id}/reindex").json()["job_id"])
    assert (again["status"], again["result"]["failed"]) == ("completed", [])
    assert client.delete(f"/api/documents/{doc_id}").status_code < 300
    end = time.monotonic() + 600
    while (left := keys(bucket)) and time.monotonic() < end:
        app.runner.wait_for_change(0.1)
    assert left == set()
    assert copies(app) == []


def test_an_upload_is_refused_while_the_bucket_is_away(client: TestClient, app: Application, bucket: S3Store) -> None:
    _remove_bucket(bucket, app.settings.blobs.endpoint)
    answer = client.post("/api/ingest", files=[("files", ("a.md", b"# A\n\ntext"))])
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "SERVICE_UNAVAILABLE")
    assert "s3://kept/team" in answer.json()["error"]["message"]
    assert client.get("/api/jobs").json()["total"] == 0
    assert copies(app) == []
    assert client.post("/api/query", json={"query": "relay"}).status_code == 200


def test_an_accepted_upload_waits_for_its_bucket(client: TestClient, app: Application, bucket: S3Store) -> None:
    job_id = client.post("/api/ingest", files=[("files", ("a.md", b"# A\n\ntext"))]).json()["job_id"]
    _remove_bucket(bucket, app.settings.blobs.endpoint)
    app.runner.start()
    end = time.monotonic() + 600
    while not (job := client.get(f"/api/jobs/{job_id}").json())["error"] and time.monotonic() < end:
        app.runner.wait_for_change(0.1)
    assert (job["status"], job["error"]["code"]) == ("queued", "SERVICE_UNAVAILABLE")
    assert "s3://kept/team" in job["error"]["message"]


def test_a_backup_says_where_the_files_are(client: TestClient) -> None:
    answer = client.get("/api/backup")
    assert answer.status_code == 400
    assert "s3://kept/team" in answer.json()["error"]["message"]


def _remove_bucket(bucket: S3Store, endpoint: str) -> None:
    obstore.delete(bucket, list(keys(bucket)))
    urlopen(Request(f"{endpoint}/kept", method="DELETE", headers=ANY_KEY), timeout=300).close()
