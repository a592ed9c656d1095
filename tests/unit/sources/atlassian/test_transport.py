"""Over real sockets: redirects, certificates, proxies, connections that break, bodies that are slow or huge."""

from __future__ import annotations

import gzip
import socket
import ssl
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import trustme

from ragd.core.errors import ItemForbidden, PayloadTooLarge, SourceRefused
from ragd.sources.atlassian.client import AtlassianClient, Auth
from ragd.sources.atlassian.redirects import check_elsewhere
from ragd.sources.atlassian.responses import Unanswered
from ragd.sources.base import Usage

from .atlassian_http import TOKEN, Asked, Reply, SiteServer, Time, http_options

Serve = Callable[..., SiteServer]
Open = Callable[..., AtlassianClient]
AUTH = Auth("pat", TOKEN)


@pytest.fixture
def serve() -> Iterator[Serve]:
    servers: list[SiteServer] = []

    def serve(answer: Callable[[Asked], Reply], tls: ssl.SSLContext | None = None) -> SiteServer:
        servers.append(SiteServer(answer, tls))
        return servers[-1]

    yield serve
    for server in servers:
        server.close()


@pytest.fixture
def open_client() -> Iterator[Open]:
    opened: list[AtlassianClient] = []

    def open_client(base: str, **values: Any) -> AtlassianClient:
        time_ = values.pop("time", None) or Time()
        opened.append(AtlassianClient(base, AUTH, http_options(time_, **values), product="confluence", clock=time_.clock))
        return opened[-1]

    yield open_client
    for client in opened:
        client.close()


def to(address: str, status: int = 302) -> Reply:
    return Reply(status=status, headers={"Location": address})


def test_a_redirect_within_the_site_is_followed_with_the_token(serve: Serve, open_client: Open) -> None:
    site = serve(lambda asked: to("/wiki/new") if asked.path == "/wiki/old" else Reply({"path": asked.path}))
    assert open_client(f"{site.url}/wiki").get("/old") == {"path": "/wiki/new"}
    assert [asked.headers["authorization"] for asked in site.asked] == [f"Bearer {TOKEN}"] * 2


def test_a_download_goes_to_the_media_host_without_token_and_cookies_and_stays_so(serve: Serve, open_client: Open) -> None:
    media = serve(lambda asked: to(f"{site.url}/public") if asked.path == "/signed?token=1" else Reply(b"never"))
    site = serve(
        lambda asked: Reply(b"file") if asked.path == "/public" else Reply(status=302, headers={
            "Location": f"{media.url}/signed?token=1", "Set-Cookie": "session=1; Path=/",
        })
    )  # fmt: skip
    assert open_client(site.url).download("/rest/api/content/1/child/attachment/2/download", 100) == b"file"
    assert "authorization" in site.asked[0].headers
    for asked in (*media.asked, site.asked[1]):
        assert "authorization" not in asked.headers
        assert "cookie" not in asked.headers


def test_what_the_media_host_refuses_costs_the_item_alone(serve: Serve, open_client: Open) -> None:
    media = serve(lambda asked: Reply(status=401))
    site = serve(lambda asked: to(f"{media.url}/signed"))
    with pytest.raises(ItemForbidden):
        open_client(site.url).download("/rest/api/content/1/child/attachment/2/download", 100)


@pytest.mark.parametrize("method", ["get", "post"])
def test_json_is_not_asked_for_at_another_host_and_the_address_to_set_is_named(
    serve: Serve, open_client: Open, method: str
) -> None:
    elsewhere = serve(lambda asked: Reply({}))
    site = serve(lambda asked: to(f"{elsewhere.url}/confluence/rest/api/space?x=1", 308))
    client = open_client(site.url)
    with pytest.raises(SourceRefused, match=rf"Set base_url to {elsewhere.url}/confluence$"):
        client.get("/rest/api/space") if method == "get" else client.post("/rest/api/space", {})
    assert elsewhere.asked == []


def test_a_log_in_elsewhere_is_named_as_one(serve: Serve, open_client: Open) -> None:
    login = serve(lambda asked: Reply({}))
    site = serve(lambda asked: to(f"{login.url}/sso/login?next=1"))
    with pytest.raises(SourceRefused, match="people log in"):
        open_client(site.url).get("/rest/api/space")
    with pytest.raises(ItemForbidden, match="log-in"):
        open_client(site.url).download("/download/attachments/1/a.pdf", 10)
    assert login.asked == []


def test_a_post_that_is_sent_to_a_page_is_not_made_a_get(serve: Serve, open_client: Open) -> None:
    site = serve(lambda asked: to("/login.jsp") if asked.method == "POST" else Reply({}))
    with pytest.raises(SourceRefused, match="web page"):
        open_client(site.url).post("/rest/api/3/search/jql", {})


def test_endless_redirects_end(serve: Serve, open_client: Open) -> None:
    site = serve(lambda asked: to(asked.path + "x"))
    with pytest.raises(SourceRefused, match="on and on"):
        open_client(site.url).get("/rest")
    assert len(site.asked) == 6


@pytest.mark.parametrize("location", ["", "ftp://127.0.0.1/x", "file:///etc/passwd", "http://name:word@127.0.0.1/"])
def test_a_redirect_to_what_is_no_web_address_is_refused(serve: Serve, open_client: Open, location: str) -> None:
    site = serve(lambda asked: to(location))
    with pytest.raises(SourceRefused, match="can't be followed"):
        open_client(site.url).download("/x/1", 10)


@pytest.mark.parametrize(
    ("base", "target", "allowed"),
    [
        ("https://93.184.216.34", "https://8.8.8.8/x", True),
        ("https://93.184.216.34", "http://8.8.8.8/x", False),
        ("https://93.184.216.34", "https://127.0.0.1/x", False),
        ("https://93.184.216.34", "https://[::1]/x", False),
        ("https://93.184.216.34", "https://[::ffff:10.0.0.1]/x", False),
        ("https://93.184.216.34", "https://0.0.0.0/x", False),
        ("https://93.184.216.34", "https://10.1.2.3/x", False),
        ("https://93.184.216.34", "https://169.254.169.254/x", False),
        ("https://93.184.216.34", "https://100.64.0.1/x", False),
        ("https://93.184.216.34", "https://localhost/x", False),
        ("http://10.0.0.1", "http://10.1.2.3/x", True),
        ("http://10.0.0.1", "http://127.0.0.1:8741/x", False),
        ("http://10.0.0.1", "http://169.254.169.254/x", False),
        ("http://127.0.0.1", "http://127.0.0.1:9/x", True),
        ("http://127.0.0.1", "http://169.254.169.254/x", False),
    ],
)
def test_a_download_is_not_led_into_a_more_private_network(base: str, target: str, allowed: bool) -> None:
    if allowed:
        check_elsewhere(httpx2.URL(base), httpx2.URL(base), httpx2.URL(target))
    else:
        with pytest.raises(SourceRefused, match="not followed"):
            check_elsewhere(httpx2.URL(base), httpx2.URL(base), httpx2.URL(target))


def test_an_absolute_address_of_another_host_is_asked_for_without_the_token(serve: Serve, open_client: Open) -> None:
    media = serve(lambda asked: Reply(b"file"))
    site = serve(lambda asked: Reply(b"never"))
    assert open_client(site.url).download(f"{media.url}/file", 10) == b"file"
    assert "authorization" not in media.asked[0].headers
    assert site.asked == []


def test_a_connection_that_breaks_midway_is_tried_again(serve: Serve, open_client: Open) -> None:
    cuts = iter([20, 0])
    site = serve(lambda asked: Reply({"text": "設定" * 100}, cut=next(cuts, None)))
    time_ = Time()
    usage = Usage()
    assert open_client(site.url, time=time_, usage=usage).get("/rest") == {"text": "設定" * 100}
    assert (usage.requests, len(time_.pauses)) == (3, 2)


def test_a_connection_that_always_breaks_is_told_after_all_tries(serve: Serve, open_client: Open) -> None:
    site = serve(lambda asked: Reply({"text": "long" * 100}, cut=20))
    with pytest.raises(Unanswered, match=r"broke off.*/rest, after 3 attempts") as caught:
        open_client(site.url, attempts=3).get("/rest")
    assert caught.value.answered is None
    assert len(site.asked) == 3


def test_a_site_that_does_not_answer_is_given_up(serve: Serve, open_client: Open) -> None:
    go_on = threading.Event()
    site = serve(lambda asked: Reply(b"{}", drip=go_on))
    try:
        with pytest.raises(Unanswered, match="in time"):
            open_client(site.url, attempts=1, timeout_s=0.2).get("/rest")
    finally:
        go_on.set()


def test_an_answer_that_drips_does_not_hold_a_sync_for_ever(serve: Serve, open_client: Open) -> None:
    time_ = Time()
    # Each look at the clock finds that three seconds have passed, so that the body is slower than any line.
    site = serve(lambda asked: Reply(b"x" * 2_000_000))
    client = AtlassianClient(
        site.url, AUTH, http_options(time_, attempts=1, timeout_s=1.0), product="jira", clock=lambda: time_.pause(3) or time_.now
    )
    with pytest.raises(Unanswered, match="did not finish"):
        client.download("/file/1", 5_000_000)
    client.close()


def test_a_packed_answer_is_unpacked(serve: Serve, open_client: Open) -> None:
    site = serve(lambda asked: Reply(gzip.compress(b'{"a": "\xe8\xa8\xad"}'), headers={"Content-Encoding": "gzip"}))
    assert open_client(site.url).get("/rest") == {"a": "設"}


@pytest.mark.slow
def test_a_bomb_is_unpacked_no_further_than_the_limit(serve: Serve, open_client: Open) -> None:
    bomb = gzip.compress(bytes(200 * 1024 * 1024), compresslevel=6)
    site = serve(lambda asked: Reply(bomb, headers={"Content-Encoding": "gzip"}))
    client = open_client(site.url)
    tracemalloc.start()
    with pytest.raises(PayloadTooLarge):
        client.download("/file/1", 1024 * 1024)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * 1024 * 1024


@pytest.mark.parametrize(("packing", "data"), [("br", b"{}"), ("gzip", b"{}"), ("gzip", gzip.compress(b"{}" * 99, mtime=0)[:-9])])
def test_a_broken_packing_is_told(serve: Serve, open_client: Open, packing: str, data: bytes) -> None:
    site = serve(lambda asked: Reply(data, headers={"Content-Encoding": packing}))
    with pytest.raises(Unanswered, match=r"packed|broke off"):
        open_client(site.url, attempts=1).get("/rest")


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> tuple[ssl.SSLContext, Path]:
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    bundle = tmp_path_factory.mktemp("ca") / "company.pem"
    authority.cert_pem.write_to_path(str(bundle))
    return context, bundle


def test_a_company_certificate_is_trusted_by_its_bundle(
    serve: Serve, open_client: Open, authority: tuple[ssl.SSLContext, Path]
) -> None:
    context, bundle = authority
    site = serve(lambda asked: Reply({"ok": True}), context)
    with pytest.raises(SourceRefused, match=r"not trusted.*trust store.*ca_bundle"):
        open_client(site.url).get("/rest")
    assert site.asked == []
    assert open_client(site.url, ca_bundle=str(bundle)).get("/rest") == {"ok": True}


def test_a_bundle_that_can_not_be_read_is_told(open_client: Open, tmp_path: Path) -> None:
    (tmp_path / "no.pem").write_text("no certificate", encoding="utf-8")
    for name in ("no.pem", "absent.pem"):
        with pytest.raises(SourceRefused, match="ca_bundle names can't be read"):
            open_client("https://127.0.0.1", ca_bundle=str(tmp_path / name))


@pytest.fixture
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("no_proxy")
def test_a_proxy_that_wants_a_password_is_told_with_what_to_set(
    serve: Serve, open_client: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = serve(lambda asked: Reply(status=407, headers={"Proxy-Authenticate": "Basic"}))
    monkeypatch.setenv("https_proxy", proxy.url)
    with pytest.raises(SourceRefused, match=r"407.*HTTPS_PROXY=http://NAME:PASSWORD"):
        open_client("https://wiki.example.com").get("/rest")
    assert len(proxy.asked) == 1


@pytest.mark.usefixtures("no_proxy")
def test_a_proxy_that_is_not_there_is_told_as_that(open_client: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    monkeypatch.setenv("https_proxy", f"http://name:word@127.0.0.1:{port}")
    with pytest.raises(Unanswered, match="the proxy that HTTPS_PROXY names does not answer") as caught:
        open_client("https://wiki.example.com", attempts=1).get("/rest")
    assert "word" not in str(caught.value)


@pytest.mark.parametrize("path", ["/rest", "/download/a"])
def test_what_a_stranger_answers_is_in_no_message(serve: Serve, open_client: Open, path: str) -> None:
    site = serve(lambda asked: Reply(status=500, body=b"INTERNAL-METADATA role=admin"))
    client = open_client(site.url, attempts=1)
    with pytest.raises(Unanswered, match=r"answered 500 at .* \([^)]*, 28 bytes\)") as caught:
        client.get(path) if path == "/rest" else client.download(path, 100)
    assert "METADATA" not in str(caught.value)
