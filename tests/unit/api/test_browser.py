"""A browser's way to `/docs`: a link that works once, and a cookie that opens the description and nothing else."""

from __future__ import annotations

from starlette.testclient import TestClient

from ragd.api.middleware.browser import COOKIE, LINK_LIFETIME_S, SESSION_LIFETIME_S, BrowserSessions

NO_TOKEN = {"Authorization": ""}


def test_a_link_is_exchanged_once_for_a_cookie_that_opens_the_description_alone(client: TestClient) -> None:
    token = client.headers["Authorization"].removeprefix("Bearer ")
    path = client.post("/api/browser-link").json()["path"]
    assert token not in path
    answer = client.get(path, headers=NO_TOKEN, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/docs")
    attributes = answer.headers["set-cookie"].lower().split("; ")
    assert {"httponly", "samesite=strict"} <= {*attributes}
    assert client.get(path, headers=NO_TOKEN, follow_redirects=False).status_code == 401

    assert client.cookies[COOKIE]
    assert "POST /api/query" in client.get("/docs", headers=NO_TOKEN).text
    assert client.get("/openapi.json", headers=NO_TOKEN).status_code == 200
    assert client.post("/docs", headers=NO_TOKEN).status_code == 401
    for other in ("/api/status", "/api/documents", "/metrics", "/mcp"):
        assert client.get(other, headers=NO_TOKEN).status_code == 401
    assert client.post("/api/browser-link", headers=NO_TOKEN).status_code == 401
    client.cookies.clear()
    assert "rag docs" in client.get("/docs", headers=NO_TOKEN).json()["error"]["message"]


def test_a_strangers_code_and_a_damaged_cookie_open_nothing(client: TestClient) -> None:
    for path in ("/open", "/open?code=", "/open?code=%00%ff", f"/open?code={'x' * 43}"):
        assert client.get(path, headers=NO_TOKEN).status_code == 401
    for cookie in (f"{COOKIE}=", f"{COOKIE}=x; {COOKIE}=y", '=;"', COOKIE):
        assert client.get("/docs", headers={**NO_TOKEN, "Cookie": cookie}).status_code == 401


def test_links_and_cookies_end_with_their_time_and_the_oldest_when_there_are_many() -> None:
    now = [0.0]
    sessions = BrowserSessions(lambda: now[0])

    def code() -> str:
        return sessions.new_link().partition("code=")[2]

    late, oldest = code(), code()
    now[0] = LINK_LIFETIME_S
    assert sessions.exchange(late) is None
    cookie = sessions.exchange(code())
    assert cookie
    sent = [f"{COOKIE}={cookie}".encode()]
    assert sessions.admits("GET", "/docs", sent)
    now[0] += SESSION_LIFETIME_S
    assert not sessions.admits("GET", "/docs", sent)
    oldest = code()
    for _ in range(16):
        code()
    assert sessions.exchange(oldest) is None
