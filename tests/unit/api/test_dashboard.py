"""The dashboard's way in: a link that works once, a cookie for its files, and a key without which nothing is asked of the API."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ragd.api.middleware.dashboard import (
    COOKIE,
    KEY_HEADER,
    LINK_LIFETIME_S,
    LINK_PATH,
    SESSION_LIFETIME_S,
    DashboardSessions,
)

from .conftest import Opened

APP = Path(str(files("ragd.api.dashboard"))) / "app"
NO_TOKEN = {"Authorization": ""}
MOST_PACKED = 250_000


def entered(client: TestClient) -> dict[str, str]:
    """Exchange a link; the headers of the page's requests."""
    path = client.post("/api/dashboard-link").json()["path"]
    answer = client.get(path, headers=NO_TOKEN, follow_redirects=False)
    return {**NO_TOKEN, KEY_HEADER: answer.headers["location"].partition("#key=")[2]}


@pytest.fixture
def alone(client: TestClient) -> Iterator[TestClient]:
    yield client
    client.cookies.clear()


def test_a_link_is_exchanged_once_for_a_cookie_and_a_key(alone: TestClient) -> None:
    token = alone.headers["Authorization"].removeprefix("Bearer ")
    path = alone.post("/api/dashboard-link").json()["path"]
    assert token not in path
    answer = alone.get(path, headers=NO_TOKEN, follow_redirects=False)
    assert answer.status_code == 303
    assert re.fullmatch(r"/dashboard#key=[\w-]{43}", answer.headers["location"])
    assert {"httponly", "samesite=strict"} <= {*answer.headers["set-cookie"].lower().split("; ")}
    assert alone.get(path, headers=NO_TOKEN, follow_redirects=False).status_code == 401


def test_the_cookie_opens_the_files_and_the_api_needs_the_key_too(alone: TestClient) -> None:
    for path in ("/dashboard", "/dashboard/main.js"):
        answer = alone.get(path, headers=NO_TOKEN)
        assert answer.status_code == 401
        assert "rag dashboard" in answer.json()["error"]["message"]
    keyed = entered(alone)
    page = alone.get("/dashboard", headers=NO_TOKEN)
    assert page.status_code == 200
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "require-trusted-types-for 'script'" in policy
    for headers in (NO_TOKEN, {**NO_TOKEN, KEY_HEADER: "x" * 43}, {**NO_TOKEN, KEY_HEADER: ""}):
        assert alone.get("/api/status", headers=headers).status_code == 401
        assert alone.post("/api/collections", json={"name": "forged"}, headers=headers).status_code == 401
    assert alone.get("/api/status", headers=keyed).status_code == 200
    assert alone.post("/api/collections", json={"name": "asked"}, headers=keyed).status_code == 201
    # The key without the cookie is none.
    alone.cookies.clear()
    assert alone.get("/api/status", headers=keyed).status_code == 401


def test_a_session_gets_no_links_keys_backups_or_descriptions_and_does_not_stop_the_daemon(alone: TestClient) -> None:
    keyed = entered(alone)
    for method, path in (
        ("POST", "/api/dashboard-link"), ("POST", "/api/browser-link"), ("GET", "/api/keys"), ("POST", "/api/keys/x/rotate"),
        ("GET", "/api/backup"), ("POST", "/api/stop"), ("GET", "/metrics"), ("POST", "/mcp"), ("POST", "/dashboard"),
    ):  # fmt: skip
        assert alone.request(method, path, headers=keyed).status_code == 401, path


def test_a_foreign_page_is_refused_even_with_cookie_and_key(alone: TestClient) -> None:
    keyed = {**entered(alone), "Origin": "https://elsewhere.example"}
    assert alone.post("/api/collections", json={"name": "forged"}, headers=keyed).status_code == 403


def test_only_files_of_the_dashboard_are_served(alone: TestClient) -> None:
    entered(alone)
    for name in ("nothing.js", "__init__.py", "../__init__.py", "..%2f__init__.py", "lib", "lib/", "%2e%2e/__init__.py"):
        assert alone.get(f"/dashboard/{name}", headers=NO_TOKEN).status_code in {401, 404}, name
    for path in APP.rglob("*.*"):
        served = alone.get(f"/dashboard/{path.relative_to(APP).as_posix()}", headers=NO_TOKEN)
        assert served.content == path.read_bytes()
        assert served.headers["x-content-type-options"] == "nosniff"


def test_a_damaged_cookie_or_code_opens_nothing(client: TestClient) -> None:
    for code in ("", "?code=", "?code=%00%ff", f"?code={'x' * 43}"):
        assert client.get(f"{LINK_PATH}{code}", headers=NO_TOKEN).status_code == 401
    for cookie in (f"{COOKIE}=", f"{COOKIE}=x; {COOKIE}=y", '=;"', COOKIE):
        assert client.get("/dashboard", headers={**NO_TOKEN, "Cookie": cookie}).status_code == 401


def test_links_and_sessions_end_with_their_time_and_the_oldest_when_there_are_many() -> None:
    now = [0.0]
    sessions = DashboardSessions(lambda: now[0])

    def code() -> str:
        return sessions.new_link(b"Bearer x").partition("code=")[2]

    late = code()
    now[0] = LINK_LIFETIME_S
    assert sessions.exchange(late) is None
    opened = sessions.exchange(code())
    assert opened
    asked: Any = ("GET", "/api/status", [f"{COOKIE}={opened.cookie}".encode()], [opened.key.encode()])
    assert sessions.authorization(*asked) == b"Bearer x"
    now[0] += SESSION_LIFETIME_S
    assert sessions.authorization(*asked) is None
    oldest = code()
    for _ in range(16):
        code()
    assert sessions.exchange(oldest) is None


@pytest.mark.slow
def test_it_can_be_switched_off(tmp_path: Path, opened: Opened, served: Any) -> None:
    with opened(tmp_path, {"server.dashboard": False}) as app, served(app) as client:
        assert client.post("/api/dashboard-link").status_code == 403
        assert client.get("/dashboard").status_code == 404


def test_all_files_together_stay_small_and_name_nothing_of_elsewhere() -> None:
    packed = 0
    for path in APP.rglob("*.*"):
        data = path.read_bytes()
        packed += len(zlib.compress(data, 9))
        addresses = {*re.findall(rb"https?://[^\s\"'`)]+", data)}
        assert addresses <= {b"http://www.w3.org/2000/svg"}, path
        assert not re.search(rb"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", data), path
    assert packed < MOST_PACKED


def test_what_one_question_may_change_is_listed_with_its_rule(client: TestClient) -> None:
    items = {item["name"]: item for item in client.get("/api/settings").json()["items"]}
    assert items["rerank.top_n"] | {"rule": {}} == {"name": "rerank.top_n", "value": 30, "default": 30, "rule": {}}
    assert items["rerank.top_n"]["rule"] == {"type": "integer", "minimum": 1}
    assert items["retrieval.strategy"]["rule"]["enum"] == ["hybrid", "dense_only", "sparse_only"]
    assert items["rerank.budget_ms"]["value"] == 60_000
    assert "answer.min_confidence" in items
    assert not {"rerank.url", "rerank.api_key", "retrieval.fusion_weights", "server.port"} & items.keys()


def test_translations_are_json_objects_of_texts() -> None:
    for language in ("ja", "zh-cn"):
        texts = json.loads((APP / "l10n" / f"{language}.json").read_text("utf-8"))
        assert texts
        assert all(isinstance(text, str) and text for text in texts.values())
