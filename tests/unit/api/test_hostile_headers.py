"""Headers that nobody would send in good faith: each is a fault of the request, never of the daemon."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from ragd.api.application import create_api
from ragd.app.container import Application

from .conftest import TOKEN
from .test_security import allowed, call

ATOMS = [
    b"", b" ", b"\t", b";", b",", b"=", b'"', b"\\", b"'", b"*", b"*0*=", b"/", b"-", b":", b"\x00", b"\x7f", b"\xff\xfe",
    b"\xe3\x81\x82", b"%00", b"%", b"0", b"-1", b"1e9", b"9" * 25, b"\xd9\xa3", b"bytes=", b"bytes=0-,0-",
    b"application/json", b"multipart/form-data", b"; boundary=", b"; boundary=x", b"; boundary=\"x", b"; charset=utf-32",
    b"; charset=\x00", b"; charset=no-such", b"utf-8''", b"filename*=", b"en;q=x", b"=?utf-8?b?!?=", b"chunked", b"gzip",
    b"100-continue", b"new=", b"a" * 300, b"a" * 4000,
]  # fmt: skip
NAMES = [
    b"content-type", b"content-length", b"content-encoding", b"content-disposition", b"content-range", b"transfer-encoding",
    b"accept", b"accept-encoding", b"accept-language", b"range", b"if-range", b"if-none-match", b"if-modified-since",
    b"last-event-id", b"cookie", b"expect", b"host", b"origin", b"authorization", b"x-rag-source-token",
    b"x-forwarded-host", b"x-request-id", b"x-http-method-override", b"upgrade",
]  # fmt: skip
REQUESTS = [
    ("POST", "/api/ingest", b'{"paths": ["/nowhere"]}'),
    ("POST", "/api/ingest", b"--x\r\nContent-Disposition: form-data; name=files; filename=a.md\r\n\r\ntext\r\n--x--\r\n"),
    ("POST", "/api/query", b'{"query": "lease"}'),
    ("GET", "/api/documents", b""),
    ("PATCH", "/api/collections/default", b"{}"),
]


def hostile(seed: int, count: int) -> Iterator[list[tuple[bytes, bytes]]]:
    """One to three headers at a time, out of pieces."""
    pick = random.Random(seed)
    for _ in range(count):
        yield [(pick.choice(NAMES), b"".join(pick.choices(ATOMS, k=pick.randint(1, 4)))) for _ in range(pick.randint(1, 3))]


@pytest.mark.parametrize(("method", "path", "body"), REQUESTS)
def test_a_hostile_header_is_no_failure_of_ours(app: Application, method: str, path: str, body: bytes) -> None:
    api = create_api(app, token=TOKEN)
    kind = b"multipart/form-data; boundary=x" if body.startswith(b"--") else b"application/json"
    for headers in hostile(len(path) + len(body), 60):
        usual = [] if any(name == b"content-type" for name, _ in headers) else [(b"content-type", kind)]
        status, _, said = call(api, path, method=method, headers=allowed(*usual, *headers), body=[body])
        assert status < 500, (headers, said)


def test_a_hostile_header_of_a_part_is_no_failure_of_ours(client: TestClient) -> None:
    for headers in hostile(7, 150):
        lines = b"\r\n".join(name + b": " + value for name, value in headers)
        body = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.md"' + headers[0][1] + b"\r\n" + lines
        answer = client.post(
            "/api/ingest",
            content=body + b"\r\n\r\ntext\r\n--x--\r\n",
            headers={"Content-Type": "multipart/form-data; boundary=x"},
        )
        assert answer.status_code < 500, (body, answer.text)


@pytest.mark.parametrize("boundary", ["a" * 257, "a" * 60_000, '"' + "a" * 300 + '"'])
def test_a_boundary_that_is_too_long_is_400(client: TestClient, boundary: str) -> None:
    answer = client.post("/api/ingest", content=b"--a", headers={"Content-Type": f"multipart/form-data; boundary={boundary}"})
    assert answer.status_code == 400
    assert "boundary" in answer.json()["error"]["message"]
