from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from ragd.core.errors import DocumentVanished, ItemForbidden, PayloadTooLarge, SourceRefused, SourceUnavailable
from ragd.sources.atlassian.client import AtlassianClient, Auth
from ragd.sources.atlassian.responses import RequestRefused, Unanswered
from ragd.sources.base import HttpOptions, Usage

from .atlassian_http import TOKEN, Time, http_options

SITE = "https://wiki.example.com"
AUTH = Auth("pat", TOKEN)
Handler = Callable[[httpx2.Request], httpx2.Response]


def client_of(handler: Handler, base: str = f"{SITE}/wiki", auth: Auth = AUTH, **values: Any) -> AtlassianClient:
    time_ = Time()
    return AtlassianClient(
        base,
        auth,
        http_options(time_, **values),
        product="confluence",
        clock=time_.clock,
        transport=httpx2.MockTransport(handler),
    )


def answering(*answers: httpx2.Response) -> tuple[list[httpx2.Request], Handler]:
    asked: list[httpx2.Request] = []

    def handler(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        return answers[min(len(asked), len(answers)) - 1]

    return asked, handler


OK = httpx2.Response(200, json={"ok": "はい"})


@pytest.mark.parametrize(
    ("auth", "header"),
    [
        (Auth("api_token", TOKEN, "who@example.com"), "Basic " + base64.b64encode(f"who@example.com:{TOKEN}".encode()).decode()),
        (Auth("pat", TOKEN), f"Bearer {TOKEN}"),
        (Auth("oauth", TOKEN), f"Bearer {TOKEN}"),
    ],
    ids=["api_token", "pat", "oauth"],
)
def test_each_kind_of_token_has_its_header(auth: Auth, header: str) -> None:
    asked, handler = answering(OK)
    assert client_of(handler, auth=auth).get("/rest/api/space") == {"ok": "はい"}
    assert asked[0].headers["authorization"] == header
    assert TOKEN not in repr(auth)


@pytest.mark.parametrize("token", ["two words", "line\nbreak", "秘密のトークン", "tab\t"])
def test_a_token_that_can_be_none_is_refused_without_being_repeated(token: str) -> None:
    with pytest.raises(SourceRefused, match="token") as caught:
        client_of(answering(OK)[1], auth=Auth("pat", token))
    assert caught.value.details[0].field == "config.auth.token"
    assert token not in str(caught.value)


def test_a_client_without_a_token_asks_for_others_alone() -> None:
    asked, handler = answering(OK)
    nobody = client_of(handler, auth=Auth("pat", ""))
    with pytest.raises(SourceRefused, match="token") as caught:
        nobody.get("/api/v2/pages")
    assert caught.value.details[0].field == "config.auth.token"
    assert asked == []
    nobody.with_auth(Auth("pat", TOKEN), HttpOptions(pause=lambda _seconds: None, allowed_hosts=("*",))).get("/api/v2/pages")
    assert [request.headers["authorization"] for request in asked] == [f"Bearer {TOKEN}"]


def test_a_list_repeats_its_parameter_and_none_is_left_out() -> None:
    asked, handler = answering(OK)
    client_of(handler).get("/api/v2/pages", {"id": ["1", "2"], "title": "設定 & more", "cursor": None, "limit": 250})
    assert str(asked[0].url) == f"{SITE}/wiki/api/v2/pages?id=1&id=2&title=%E8%A8%AD%E5%AE%9A+%26+more&limit=250"


def test_a_post_sends_json() -> None:
    asked, handler = answering(OK)
    client_of(handler).post("/rest/api/3/search/jql", {"jql": "text ~ '設定'", "odd": "\ud800"})
    assert asked[0].method == "POST"
    assert asked[0].headers["content-type"] == "application/json"
    assert json.loads(asked[0].content) == {"jql": "text ~ '設定'", "odd": "?"}


def test_no_cookie_is_kept_from_one_request_to_the_next() -> None:
    asked, handler = answering(httpx2.Response(200, json={}, headers={"Set-Cookie": "JSESSIONID=1; Path=/"}))
    client = client_of(handler)
    client.get("/a")
    client.get("/b")
    assert "cookie" not in asked[1].headers


@pytest.mark.parametrize(
    ("base", "following"),
    [
        ("/wiki", {"next": "/wiki/api/v2/pages?cursor=%3D"}),
        ("/wiki", {"next": "/api/v2/pages?cursor=%3D", "base": f"{SITE}/wiki", "context": "/wiki"}),
        ("/wiki", {"next": f"{SITE}/wiki/api/v2/pages?cursor=%3D"}),
        ("/wiki", {"next": "?cursor=%3D"}),
        ("", {"next": "/api/v2/pages?cursor=%3D", "base": SITE, "context": ""}),
        ("/proxy/confluence", {"next": "/confluence/api/v2/pages?cursor=%3D", "context": "/confluence"}),
        ("/docs", {"next": "/confluence/api/v2/pages?cursor=%3D", "base": "http://internal:8090/confluence"}),
        ("/docs", {"next": "http://internal:8090/confluence/api/v2/pages?cursor=%3D", "base": "http://internal:8090/confluence"}),
        ("/ex/confluence/11aa/wiki", {"next": "/wiki/api/v2/pages?cursor=%3D", "base": "https://x.atlassian.net/wiki"}),
    ],
)
def test_the_next_page_is_found_in_every_way_a_site_writes_it(base: str, following: dict[str, str]) -> None:
    first = httpx2.Response(200, json={"results": [1], "_links": following})
    asked, handler = answering(first, httpx2.Response(200, json={"results": [2], "_links": {}}))
    pages = list(client_of(handler, f"{SITE}{base}").pages("/api/v2/pages", {"limit": 1}))
    assert [page["results"] for page in pages] == [[1], [2]]
    assert str(asked[1].url) == f"{SITE}{base}/api/v2/pages?cursor=%3D"


def test_a_listing_that_goes_on_at_another_host_is_not_followed() -> None:
    asked, handler = answering(httpx2.Response(200, json={"_links": {"next": "https://evil.example.com/wiki/api?cursor=2"}}))
    with pytest.raises(SourceRefused, match="evil"):
        list(client_of(handler).pages("/api/v2/pages"))
    assert len(asked) == 1


@pytest.mark.parametrize("answer", [[1], "text", None, {"_links": "no"}])
def test_a_page_that_is_none_raises_and_does_not_end_the_listing(answer: Any) -> None:
    with pytest.raises(SourceUnavailable, match="listing /api/v2/pages"):
        list(client_of(lambda request: httpx2.Response(200, content=json.dumps(answer))).pages("/api/v2/pages"))


def test_a_listing_in_circles_is_told() -> None:
    page = {"results": [], "_links": {"next": "/wiki/api/v2/pages?cursor=same"}}
    with pytest.raises(SourceUnavailable, match="circles"):
        list(client_of(lambda request: httpx2.Response(200, json=page)).pages("/api/v2/pages"))


def test_a_listing_that_breaks_off_raises() -> None:
    first = httpx2.Response(200, json={"_links": {"next": "/wiki/api/v2/pages?cursor=2"}})
    asked, handler = answering(first, httpx2.Response(500))
    pages = client_of(handler).pages("/api/v2/pages")
    next(pages)
    with pytest.raises(Unanswered):
        next(pages)
    assert len(asked) == 6


@pytest.mark.parametrize(
    ("status", "error", "field"),
    [
        (401, SourceRefused, "config.auth.token"),
        (403, ItemForbidden, None),
        (404, DocumentVanished, None),
        (410, DocumentVanished, None),
        (400, RequestRefused, "config.base_url"),
        (413, RequestRefused, "config.base_url"),
        (407, SourceRefused, "config.base_url"),
        (501, Unanswered, None),
    ],
)
def test_each_status_has_its_error_at_once(status: int, error: type[Exception], field: str | None) -> None:
    asked, handler = answering(httpx2.Response(status, json={"message": f"no {TOKEN}"}))
    with pytest.raises(error) as caught:
        client_of(handler).get("/api/v2/pages/123", {"title": "Secret plan"})
    assert len(asked) == 1
    assert type(caught.value) is error
    if field:
        assert caught.value.details[0].field == field  # type: ignore[attr-defined]
    for hidden in ("Secret", TOKEN):
        assert hidden not in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"errorMessages": ["The value 'X' does not exist for 'project'."], "errors": {}}, "The value 'X' does not exist"),
        ({"errorMessages": [], "errors": {"jql": "Unbounded JQL queries are not allowed"}}, "jql: Unbounded JQL queries"),
        ({"statusCode": 400, "message": "Could not parse cql : 空間 ="}, "Could not parse cql : 空間 ="),
        ({"errors": [{"status": 400, "code": "INVALID", "title": "Invalid cursor", "detail": None}]}, "Invalid cursor"),
        (["one", "two"], "one two"),
        ({"message": "x" * 1000}, "x" * 299 + "…"),
        ({}, ""),
    ],
)
def test_what_a_site_says_of_a_bad_request_is_kept_in_one_line(answer: Any, said: str) -> None:
    with pytest.raises(RequestRefused) as caught:
        client_of(lambda request: httpx2.Response(400, json=answer)).get("/rest/api/search", {"cql": "x"})
    assert caught.value.said.startswith(said)
    assert bool(caught.value.said) == bool(said)
    assert caught.value.answered == 400


def test_a_wrong_token_that_is_answered_like_a_stranger_is_still_a_wrong_token() -> None:
    answer = httpx2.Response(200, json={"issues": []}, headers={"X-Seraph-LoginReason": "AUTHENTICATED_FAILED"})
    with pytest.raises(SourceRefused, match="does not accept the token") as caught:
        client_of(lambda request: answer).get("/rest/api/3/search/jql")
    assert caught.value.details[0].field == "config.auth.token"


def test_a_captcha_is_named() -> None:
    denied = httpx2.Response(403, headers={"X-Authentication-Denied-Reason": "CAPTCHA_CHALLENGE; login-url=https://x/login.jsp"})
    with pytest.raises(SourceRefused, match="CAPTCHA"):
        client_of(lambda request: denied).get("/rest/api/2/myself")


@pytest.mark.parametrize("data", [b"<!DOCTYPE html><title>Log in</title>", "\n <html>ログイン</html>".encode()])
def test_a_log_in_page_instead_of_json_is_told_at_once(data: bytes) -> None:
    asked, handler = answering(httpx2.Response(200, content=data, headers={"Content-Type": "text/html"}))
    with pytest.raises(SourceRefused, match=r"web page instead of JSON.*base_url"):
        client_of(handler).get("/rest/api/space")
    assert len(asked) == 1


@pytest.mark.parametrize("data", [b"", b"{", b"[" * 100_000, b"\xff\xfe"])
def test_broken_json_is_asked_for_again_and_is_no_empty_answer(data: bytes) -> None:
    asked, handler = answering(httpx2.Response(200, content=data), OK)
    assert client_of(handler).get("/rest/api/space") == {"ok": "はい"}
    assert len(asked) == 2
    with pytest.raises(Unanswered, match=r"no JSON \(/rest/api/space, after 5 attempts") as caught:
        client_of(lambda request: httpx2.Response(200, content=data)).get("/rest/api/space")
    assert caught.value.answered is None


@pytest.mark.parametrize("value", [None, 0, "", [], {}])
def test_json_that_says_nothing_is_given_as_it_is(value: Any) -> None:
    assert client_of(lambda request: httpx2.Response(200, content=json.dumps(value))).get("/rest/api/space") == value


def test_a_download_gives_bytes_and_keeps_to_its_limit() -> None:
    client = client_of(lambda request: httpx2.Response(200, content=b"\x00\xff" * 500))
    assert client.download("/download/attachments/1/%E8%A8%88%E7%94%BB.bin?version=1", 1000) == b"\x00\xff" * 500
    with pytest.raises(PayloadTooLarge):
        client.download("/download/attachments/1/x.bin", 999)


def test_a_file_name_is_in_no_error() -> None:
    for path in ("/download/attachments/123/Layoffs 2027.pdf?version=1", "/secure/attachment/77/人員計画.xlsx"):
        with pytest.raises(DocumentVanished, match=r"/(123|77)/…") as caught:
            client_of(lambda request: httpx2.Response(404)).download(path, 10)
        assert "Layoffs" not in str(caught.value)
        assert "人員" not in str(caught.value)
    with pytest.raises(DocumentVanished, match="/rest/api/content/1/child/attachment/att2/download"):
        client_of(lambda request: httpx2.Response(404)).download("/rest/api/content/1/child/attachment/att2/download", 10)


def test_another_person_asks_over_the_same_connections_with_another_token_and_own_counts() -> None:
    asked, handler = answering(OK)
    client = client_of(handler)
    usage = Usage()
    other = client.with_auth(Auth("oauth", "theirs"), HttpOptions(pause=lambda seconds: None, usage=usage, allowed_hosts=("*",)))
    other.get("/rest")
    other.close()
    client.get("/rest")
    assert [request.headers["authorization"] for request in asked] == ["Bearer theirs", f"Bearer {TOKEN}"]
    assert usage.requests == 1


@pytest.mark.parametrize("base", ["http://plain.example.com", "http://10.1.2.3/wiki"])
def test_a_token_never_goes_over_a_network_without_encryption(base: str) -> None:
    asked, handler = answering(OK)
    with pytest.raises(SourceRefused, match="without it") as refused:
        client_of(handler, base).get("/rest")
    assert refused.value.details[0].field == "config.base_url"
    assert asked == []


@pytest.mark.parametrize("base", ["http://127.0.0.1:1", "http://localhost:1", "https://other.example.com"])
def test_on_this_machine_and_with_encryption_it_goes(base: str) -> None:
    client_of(answering(OK)[1], base).get("/rest")
