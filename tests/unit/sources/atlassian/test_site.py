from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import trustme

from ragd.core.errors import SourceRefused, ValidationFailed
from ragd.sources.atlassian.check import check_site
from ragd.sources.atlassian.client import AtlassianClient, Auth, Product
from ragd.sources.atlassian.fields import Fields

from .atlassian_http import TOKEN, Asked, Reply, SiteServer, Time, http_options

PAT = {"kind": "pat", "token": "env:WIKI_TOKEN"}


def parsed(product: Product = "confluence", **values: Any) -> tuple[dict[str, Any], dict[str, str]]:
    fields = Fields({"auth": PAT, **values}, (), product)
    config = fields.site()
    try:
        fields.check()
    except ValidationFailed as error:
        return config, {problem.field: problem.message for problem in error.details}
    return config, {}


@pytest.mark.parametrize(
    ("product", "given", "base"),
    [
        ("confluence", " https://wiki.example.com/confluence/// ", "https://wiki.example.com/confluence"),
        ("confluence", "https://wiki.example.com/confluence/display/DEV/%E8%A8%AD%E5%AE%9A?x=1#top", "https://wiki.example.com/confluence"),
        ("confluence", "https://wiki.example.com/pages/viewpage.action?pageId=1", "https://wiki.example.com"),
        ("confluence", "https://WIKI.example.com:8443/dashboard.action", "https://wiki.example.com:8443"),
        ("confluence", "https://wiki.example.com/rest/api/space", "https://wiki.example.com"),
        ("confluence", "http://10.0.0.5:8090/spaces/DEV/pages/1/Title", "http://10.0.0.5:8090"),
        ("jira", "https://jira.example.com/jira/browse/PROJ-1", "https://jira.example.com/jira"),
        ("jira", "https://jira.example.com/secure/Dashboard.jspa", "https://jira.example.com"),
        ("jira", "https://jira.example.com/projects/PROJ/issues?filter=1", "https://jira.example.com"),
    ],
)  # fmt: skip
def test_the_base_is_cut_out_of_what_a_browser_shows(product: Product, given: str, base: str) -> None:
    config, problems = parsed(product, base_url=given)
    assert problems == {}
    assert config == {"base_url": base, "deployment": "data_center", "auth": {**PAT, "email": ""}}


@pytest.mark.parametrize(
    ("product", "given", "base"),
    [
        ("confluence", "https://example.atlassian.net", "https://example.atlassian.net/wiki"),
        ("confluence", "https://example.atlassian.net/wiki/spaces/DEV/overview?x", "https://example.atlassian.net/wiki"),
        ("confluence", "https://example.atlassian.net/browse/PROJ-1", "https://example.atlassian.net/wiki"),
        ("jira", "https://example.atlassian.net/jira/software/projects/PROJ/boards/1", "https://example.atlassian.net"),
        ("jira", "https://example.atlassian.net/wiki/home", "https://example.atlassian.net"),
        ("confluence", "https://api.atlassian.com/ex/confluence/11aa/wiki/", "https://api.atlassian.com/ex/confluence/11aa/wiki"),
    ],
)
def test_on_the_cloud_the_base_is_completed(product: Product, given: str, base: str) -> None:
    auth = {"email": "who@example.com", "token": "keyring:wiki"}
    config, problems = parsed(product, base_url=given, auth=auth)
    assert problems == {}
    assert config == {"base_url": base, "deployment": "cloud", "auth": {"kind": "api_token", **auth}}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "such as https://example.atlassian.net/wiki"),
        ("", "such as"),
        (7, "such as"),
        ("wiki.example.com/confluence/display/DEV", "write https://wiki.example.com/confluence"),
        ("ftp://wiki.example.com", "begins with https://, not ftp://"),
        ("https://", "no address"),
        ("https://wiki example.com", "no address"),
        ("https://[::1", "no address"),
        ("https://me:word@wiki.example.com", "leave them out"),
        ("http://example.atlassian.net/wiki", "write https://example.atlassian.net/wiki"),
    ],
)
def test_an_address_that_is_none_is_told_with_what_to_write(given: Any, message: str) -> None:
    _, problems = parsed(base_url=given)
    assert message in problems["config.base_url"]
    assert "word@" not in problems["config.base_url"]


@pytest.mark.parametrize(
    ("values", "field", "message"),
    [
        ({"deployment": "server"}, "deployment", "cloud or data_center"),
        ({"auth": None}, "auth", "an object such as"),
        ({"auth": {**PAT, "tokn": "x"}}, "auth.tokn", "Did you mean 'token'?"),
        ({"auth": {**PAT, "kind": "basic"}}, "auth.kind", "api_token (Cloud), pat (Data Center) or oauth"),
        ({"auth": {**PAT, "kind": "api_token", "email": "a@example.com"}}, "auth.kind", "Data Center has no API tokens"),
        ({"deployment": "cloud"}, "auth.kind", "Cloud has no personal access tokens"),
        ({"auth": {"kind": "pat", "token": TOKEN}}, "auth.token", "env:NAME, file:PATH or keyring:NAME"),
        ({"auth": {"kind": "pat"}}, "auth.token", "no reference"),
        ({"deployment": "cloud", "auth": {"token": "env:T"}}, "auth.email", "set auth.email"),
        ({"deployment": "cloud", "auth": {"token": "env:T", "email": "who"}}, "auth.email", "the email address"),
    ],
)
def test_each_wrong_field_is_named(values: dict[str, Any], field: str, message: str) -> None:
    _, problems = parsed(base_url="https://wiki.example.com", **values)
    assert message in problems[f"config.{field}"]
    assert TOKEN not in str(problems)


def test_data_center_is_not_taken_for_the_cloud() -> None:
    _, problems = parsed(base_url="https://example.atlassian.net", deployment="data_center")
    assert "set deployment to cloud" in problems["config.deployment"]


def test_a_token_may_come_with_each_request_and_bring_its_email() -> None:
    config, problems = parsed(base_url="https://example.atlassian.net", auth={"token": "request"})
    assert problems == {}
    assert Auth.of(config, f"who@example.com:{TOKEN}") == Auth("api_token", TOKEN, "who@example.com")
    with pytest.raises(SourceRefused, match="email") as caught:
        Auth.of(config, TOKEN)
    assert caught.value.details[0].field == "config.auth.email"
    config["auth"]["email"] = "site@example.com"
    assert Auth.of(config, TOKEN) == Auth("api_token", TOKEN, "site@example.com")
    assert Auth.of({"auth": {"kind": "pat"}}, "a@b:c") == Auth("pat", "a@b:c")


class Site:
    """A Data Center Confluence or Jira below a context path."""

    def __init__(self, context: str = "/confluence", **person: Any) -> None:
        self.context = context
        self.person = {"displayName": "山田 Taro", "userKey": "ff80"} | person

    def __call__(self, asked: Asked) -> Reply:
        path = asked.path.removeprefix(self.context)
        if not asked.path.startswith(self.context) or path not in {"/rest/api/user/current", "/rest/api/2/myself"}:
            return Reply(b"<html>404</html>", 404, {"Content-Type": "text/html"})
        return Reply(self.person) if asked.headers.get("authorization") == f"Bearer {TOKEN}" else Reply({}, 401)


Check = Callable[..., str]
Serve = Callable[..., SiteServer]


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
def check() -> Iterator[Check]:
    opened: list[AtlassianClient] = []

    def check(base: str, product: Product = "confluence", deployment: str = "data_center", token: str = TOKEN) -> str:
        config = {"base_url": base, "deployment": deployment, "auth": {"kind": "pat", "email": "", "token": "env:T"}}
        http = http_options(Time(), attempts=2, timeout_s=5.0)
        opened.append(AtlassianClient(base, Auth.of(config, token), http, product=product))
        return check_site(opened[-1], config, product=product)

    yield check
    for client in opened:
        client.close()


def test_who_the_token_belongs_to_is_told(serve: Serve, check: Check) -> None:
    site = serve(Site())
    assert check(f"{site.url}/confluence") == "山田 Taro"
    assert "authorization" not in site.asked[0].headers
    assert check(f"{site.url}/confluence", "jira") == "山田 Taro"


@pytest.mark.parametrize("written", ["", "/wiki", "/confluence/intranet", "/confluence/a/b"])
def test_a_wrong_context_path_is_answered_with_the_right_one(serve: Serve, check: Check, written: str) -> None:
    site = serve(Site())
    with pytest.raises(SourceRefused, match=rf"Set base_url to {site.url}/confluence$"):
        check(site.url + written)


def test_a_base_that_leads_on_within_the_host_is_answered_with_where_it_leads(serve: Serve, check: Check) -> None:
    intranet = Site("/docs")
    front = Reply(status=302, headers={"Location": "/docs/index.action"})
    site = serve(lambda asked: front if asked.path == "/" else intranet(asked))
    with pytest.raises(SourceRefused, match=rf"Set base_url to {site.url}/docs$"):
        check(site.url)


def test_a_base_that_redirects_to_another_host_is_answered_with_that_before_a_token_goes_out(serve: Serve, check: Check) -> None:
    new = serve(Site())
    old = serve(lambda asked: Reply(status=301, headers={"Location": f"{new.url}/confluence{asked.path}"}))
    with pytest.raises(SourceRefused, match=rf"has moved. Set base_url to {new.url}/confluence$"):
        check(old.url)
    assert all("authorization" not in asked.headers for asked in old.asked + new.asked)


@pytest.fixture(scope="module")
def own_certificate() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    return context


def test_http_for_https_is_told_before_a_token_goes_out(serve: Serve, check: Check, own_certificate: ssl.SSLContext) -> None:
    secure = serve(Site(), own_certificate)
    with pytest.raises(SourceRefused, match=rf"wants https. Set base_url to {secure.url}/confluence$"):
        check(secure.url.replace("https", "http") + "/confluence")
    upgrading = serve(lambda asked: Reply(status=301, headers={"Location": f"https://{asked.headers['host']}/start"}))
    with pytest.raises(SourceRefused, match=rf"Set base_url to https://{upgrading.place}/confluence$"):
        check(f"{upgrading.url}/confluence")
    assert all("authorization" not in asked.headers for asked in secure.asked + upgrading.asked)


def test_https_for_http_is_told(serve: Serve, check: Check) -> None:
    site = serve(Site())
    with pytest.raises(SourceRefused, match=rf"speaks no https at this port.*write {site.url}/confluence$"):
        check(site.url.replace("http", "https") + "/confluence")


def test_a_certificate_of_its_own_is_told_with_what_to_set(serve: Serve, check: Check, own_certificate: ssl.SSLContext) -> None:
    with pytest.raises(SourceRefused, match=r"certificate that is not trusted.*ca_bundle"):
        check(serve(Site(), own_certificate).url)


def test_a_port_where_nothing_listens_is_told(check: Check) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with pytest.raises(SourceRefused, match=rf"nothing listens at 127\.0\.0\.1:{port}.*the port of base_url"):
        check(f"http://127.0.0.1:{port}")


def test_a_host_that_nobody_knows_is_told(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*args: Any, **kwargs: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(SourceRefused, match=r"nobody knows a host wiki\.example\.invalid.*spelling"):
        check("https://wiki.example.invalid")


def test_a_log_in_page_is_told(serve: Serve, check: Check) -> None:
    page = Reply(b"<!DOCTYPE html><html>log in</html>", headers={"Content-Type": "text/html"})
    with pytest.raises(SourceRefused, match="web page instead of JSON"):
        check(serve(lambda asked: page).url)


def test_a_wrong_token_is_told_as_that(serve: Serve, check: Check) -> None:
    with pytest.raises(SourceRefused, match="does not accept the token") as caught:
        check(f"{serve(Site()).url}/confluence", token="wrong-token")
    assert caught.value.details[0].field == "config.auth.token"
    assert "wrong-token" not in str(caught.value)


def test_an_account_without_the_product_is_told(serve: Serve, check: Check) -> None:
    site = serve(lambda asked: Reply({"message": "Current user not permitted to use Confluence"}, 403))
    with pytest.raises(SourceRefused, match="may not use Confluence") as caught:
        check(site.url)
    assert caught.value.details[0].field == "config.auth.token"


def test_a_stranger_is_nobody(serve: Serve, check: Check) -> None:
    site = serve(lambda asked: Reply({"type": "anonymous", "displayName": "Anonymous"}))
    with pytest.raises(SourceRefused, match="as to a stranger"):
        check(site.url)


def test_a_site_without_the_product_is_told(serve: Serve, check: Check) -> None:
    with pytest.raises(SourceRefused, match="There is no Jira at"):
        check(serve(lambda asked: Reply(b"not here", 404)).url, "jira")


@pytest.mark.parametrize("product", ["confluence", "jira"])
def test_a_wrong_deployment_is_answered_with_the_right_one(serve: Serve, check: Check, product: Product) -> None:
    with pytest.raises(SourceRefused, match="set deployment to data_center") as caught:
        check(serve(Site("")).url, product, "cloud")
    assert caught.value.details[0].field == "config.deployment"
    with pytest.raises(SourceRefused, match="set deployment to cloud"):
        check(serve(Site("", accountId="5b10")).url, product)
