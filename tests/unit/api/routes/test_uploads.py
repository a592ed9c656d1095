"""Files in the request itself: what is taken, what is refused, and that nothing is left behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ragd.app.container import Application

Finish = Callable[[str], dict[str, Any]]

LIMIT = 100_000


@pytest.fixture
def changes() -> dict[str, Any]:
    return {"limits.max_document_size": LIMIT, "limits.max_upload_size": 5 * LIMIT}


def incoming(app: Application) -> list[Path]:
    return list((app.directories.data / "uploads" / "incoming").glob("*"))


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


@pytest.mark.slow
def test_uploaded_files_are_ingested_under_their_names(client: TestClient, app: Application, finish: Finish) -> None:
    client.post("/api/collections", json={"name": "規程"})
    files = [("files", ("経費.md", "# 経費\n\n精算は月末。".encode())), ("files", ("dir/notes.txt", b"notes on failover"))]
    answer = client.post("/api/ingest", files=files, data={"collection": "規程", "force": "true"})
    assert answer.status_code == 202
    job = finish(answer.json()["job_id"])
    assert job["status"] == "completed"
    assert job["result"]["added"] == 2
    listed = client.get("/api/documents", params={"collection": "規程"}).json()["items"]
    assert sorted(item["source"] for item in listed) == ["notes.txt", "経費.md"]
    assert incoming(app) == []


@pytest.mark.slow
def test_the_collection_may_stand_after_the_files(client: TestClient, finish: Finish) -> None:
    client.post("/api/collections", json={"name": "late"})
    body = (
        b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\n# A\n\ntext\r\n'
        b'--x\r\nContent-Disposition: form-data; name="collection"\r\n\r\nlate\r\n--x--\r\n'
    )
    answer = client.post("/api/ingest", content=body, headers={"Content-Type": "multipart/form-data; boundary=x"})
    assert finish(answer.json()["job_id"])["collection"] == "late"
    assert client.get("/api/documents", params={"collection": "late"}).json()["total"] == 1


def test_a_file_over_the_limit_is_413_and_leaves_nothing(client: TestClient, app: Application) -> None:
    files = [("files", ("small.md", b"fine")), ("files", ("large.md", b"x" * (LIMIT + 1)))]
    answer = client.post("/api/ingest", files=files)
    assert code(answer) == (413, "PAYLOAD_TOO_LARGE")
    assert "large.md" in answer.json()["error"]["message"]
    assert incoming(app) == []
    assert client.get("/api/jobs").json()["total"] == 0


def test_a_file_of_exactly_the_limit_is_taken(client: TestClient) -> None:
    assert client.post("/api/ingest", files={"files": ("a.txt", b"x " * (LIMIT // 2))}).status_code == 202


def test_an_upload_over_the_limit_of_all_files_is_413(client: TestClient, app: Application) -> None:
    files = [("files", (f"{index}.md", b"x" * (LIMIT - 1))) for index in range(6)]
    assert code(client.post("/api/ingest", files=files)) == (413, "PAYLOAD_TOO_LARGE")
    assert incoming(app) == []


def test_a_streamed_upload_over_the_limit_is_413_and_leaves_nothing(client: TestClient, app: Application) -> None:
    head = b'--x\r\nContent-Disposition: form-data; name="files"; filename="%d.md"\r\n\r\n'

    def pieces() -> Any:
        for index in range(8):
            yield head % index + b"y" * (LIMIT - 1) + b"\r\n"
        yield b"--x--\r\n"

    answer = client.post("/api/ingest", content=pieces(), headers={"Content-Type": "multipart/form-data; boundary=x"})
    assert code(answer) == (413, "PAYLOAD_TOO_LARGE")
    assert incoming(app) == []


def test_an_unknown_type_is_415_with_the_list_of_those_that_are_read(client: TestClient, app: Application) -> None:
    files = [("files", ("a.md", b"fine")), ("files", ("movie.mkv", b"x"))]
    answer = client.post("/api/ingest", files=files)
    assert code(answer) == (415, "UNSUPPORTED_MEDIA_TYPE")
    message = answer.json()["error"]["message"]
    assert "movie.mkv" in message
    assert ".md" in message
    assert ".pdf" in message
    assert incoming(app) == []


def test_an_unknown_or_disabled_collection_is_told(client: TestClient, app: Application) -> None:
    files = {"files": ("a.md", b"x")}
    assert code(client.post("/api/ingest", files=files, data={"collection": "none"})) == (404, "KNOWLEDGE_BASE_NOT_FOUND")
    client.patch("/api/collections/default", json={"status": "disabled"})
    assert code(client.post("/api/ingest", files=files)) == (403, "KNOWLEDGE_BASE_UNAVAILABLE")
    assert incoming(app) == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no multipart at all",
        b"--x--\r\n",
        b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\ncut off',
        b'--x\r\nContent-Disposition: form-data; name="files"; filename=""\r\n\r\nx\r\n--x--\r\n',
        b'--x\r\nContent-Disposition: form-data; name="files"; filename=".."\r\n\r\nx\r\n--x--\r\n',
        b'--x\r\nContent-Disposition: form-data; name="files"; filename="\xff.md"\r\n\r\nx\r\n--x--\r\n',
        b'--x\r\nContent-Disposition: form-data; name="other"; filename="a.md"\r\n\r\nx\r\n--x--\r\n',
        b'--x\r\nContent-Disposition: form-data; name="owner"\r\n\r\nx\r\n--x--\r\n',
        b'--x\r\nContent-Disposition: form-data; name="force"\r\n\r\nmaybe\r\n--x--\r\n',
        b'--x\r\nContent-Disposition: form-data; name="collection"\r\n\r\n' + b"x" * 5000 + b"\r\n--x--\r\n",
        b"--x\r\nX-Nothing: 1\r\n\r\nx\r\n--x--\r\n",
        b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\nx\r\n'
        b'--x\r\nContent-Disposition: form-data; name="files"; filename="b/a.md"\r\n\r\ny\r\n--x--\r\n',
    ],
)
def test_a_form_that_can_not_be_used_is_400_and_leaves_nothing(client: TestClient, app: Application, body: bytes) -> None:
    answer = client.post("/api/ingest", content=body, headers={"Content-Type": "multipart/form-data; boundary=x"})
    assert code(answer) == (400, "VALIDATION_ERROR")
    assert incoming(app) == []


def test_a_form_without_a_boundary_is_400(client: TestClient) -> None:
    answer = client.post("/api/ingest", content=b"x", headers={"Content-Type": "multipart/form-data"})
    assert code(answer) == (400, "VALIDATION_ERROR")


@pytest.mark.slow
def test_a_name_that_points_elsewhere_becomes_a_plain_name(client: TestClient, app: Application, finish: Finish) -> None:
    answer = client.post("/api/ingest", files={"files": ("../../../escape.md", b"# Out\n\ntext")})
    assert finish(answer.json()["job_id"])["result"]["added"] == 1
    assert client.get("/api/documents").json()["items"][0]["source"] == "escape.md"
    kept = [path for path in (app.directories.data / "uploads").rglob("*") if path.is_file()]
    assert len(kept) == 1
    assert not (app.directories.data.parent / "escape.md").exists()
