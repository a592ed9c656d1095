"""What somebody may not have the daemon do who may ask it: send secrets of its machine elsewhere, or ask its own network."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from starlette.testclient import TestClient

THEIRS = {"X-RAG-Source-Token": "new=theirs"}


@pytest.fixture
def changes() -> dict[str, Any]:
    return {"security.secret_names": ["env:RAG_SECRET_*"], "security.allowed_hosts": ["127.0.0.1"]}


class Listening(BaseHTTPRequestHandler):
    """A stranger's server. It keeps what it is sent, and answers what is nobody's business."""

    def do_GET(self) -> None:
        self.server.asked.append((self.path, self.headers.get("Authorization")))  # type: ignore[attr-defined]
        self.send_response(500)
        self.end_headers()
        self.wfile.write(b"INTERNAL-METADATA role=admin")

    def log_message(self, *_args: Any) -> None:
        pass


@pytest.fixture
def stranger() -> Iterator[Any]:
    with HTTPServer(("127.0.0.1", 0), Listening) as server:
        server.asked = []  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def source(port: int, token: str, host: str = "127.0.0.1") -> dict[str, Any]:
    auth = {"kind": "pat", "token": token}
    return {"type": "confluence", "config": {"base_url": f"http://{host}:{port}", "deployment": "data_center", "auth": auth}}


@pytest.mark.parametrize("query", ["?dry_run=true", ""])
@pytest.mark.parametrize("token", ["env:PATH", "file:/etc/hostname", "keyring:other"])
def test_a_secret_that_nobody_allowed_goes_nowhere(client: TestClient, stranger: Any, token: str, query: str) -> None:
    answer = client.post(f"/api/sources{query}", json=source(stranger.server_port, token))
    assert answer.status_code == 400
    assert answer.json()["error"]["details"][0]["field"] == "config.auth.token"
    assert "security.secret_names" in answer.json()["error"]["message"]
    assert stranger.asked == []


@pytest.mark.slow
def test_one_that_is_allowed_goes_to_the_site(client: TestClient, stranger: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_SECRET_WIKI", "a-secret")
    answer = client.post("/api/sources?dry_run=true", json=source(stranger.server_port, "env:RAG_SECRET_WIKI"))
    assert {token for _path, token in stranger.asked} == {None, "Bearer a-secret"}
    assert "METADATA" not in answer.text
    assert "500" in answer.json()["error"]["message"]


@pytest.mark.parametrize("host", ["[::ffff:127.0.0.1]", "127.8.8.8", "127.0.0.2", "169.254.169.254"])
def test_an_address_that_nobody_allowed_is_not_asked(client: TestClient, stranger: Any, host: str) -> None:
    answer = client.post("/api/sources?dry_run=true", json=source(stranger.server_port, "request", host), headers=THEIRS)
    assert answer.status_code == 400
    assert answer.json()["error"]["details"][0]["field"] == "config.base_url"
    assert ("never" if host.startswith("169") else "allowed_hosts") in answer.json()["error"]["message"]
    assert stranger.asked == []


@pytest.mark.parametrize("token", ["request", "env:RAG_SECRET_WIKI"])
def test_tokens_that_are_kept_for_a_source_never_follow_it_to_another_host(client: TestClient, stranger: Any, token: str) -> None:
    added = client.post("/api/sources", json=source(9, token)).json()
    where, mine = f"/api/sources/{added['id']}", {"X-RAG-Source-Token": f"{added['id']}=mine"}
    auth = {"kind": "pat", "token": token}
    # Nor by the detour over a source that nobody's token is asked for.
    assert client.patch(where, json={"live": "off", "public": True}, headers=mine).status_code == 200
    for base_url in (f"http://127.0.0.1:{stranger.server_port}", "https://127.0.0.1:9", "http://localhost:9"):
        refused = client.patch(where, json={"config": {"base_url": base_url, "auth": auth}}, headers=mine)
        assert refused.status_code == 400
        assert "Add a source there and remove this one" in refused.json()["error"]["message"]
    elsewhere_there = {"base_url": "http://127.0.0.1:9/wiki"}
    assert client.patch(where, json={"config": elsewhere_there, "live": "live"}, headers=mine).status_code == 200
    assert client.post(f"{where}/sync", headers=mine).status_code == 202
    assert stranger.asked == []
