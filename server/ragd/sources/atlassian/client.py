"""A thin client for Confluence and Jira, Cloud and Data Center: JSON, pages that follow each other, downloads.

Every request waits for its turn and is tried again within bounds (`retry`). Redirects are followed by hand
(`redirects`): credentials never leave the site. What an answer means is said by `responses`.
"""

from __future__ import annotations

import base64
import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import httpx2

from ragd.core.errors import ItemForbidden, PayloadTooLarge, SourceRefused
from ragd.core.http import is_loopback
from ragd.sources.atlassian import redirects
from ragd.sources.atlassian.addresses import Addresses
from ragd.sources.atlassian.limits import RateBudget
from ragd.sources.atlassian.responses import TOKEN_FIELD, Answer, ResponseErrors, Unanswered
from ragd.sources.atlassian.retry import Retries
from ragd.sources.atlassian.transport import ConnectionPool
from ragd.sources.base import HttpOptions

log = logging.getLogger(__name__)

Product: TypeAlias = Literal["confluence", "jira"]

_MOST_JSON = 64 * 1024 * 1024
_KEEPS_METHOD = frozenset((307, 308))


@dataclass(frozen=True, slots=True)
class Auth:
    """Who asks. `api_token`: Cloud, email and token; `pat`: Data Center's personal access token; `oauth`: a bearer token."""

    kind: Literal["api_token", "pat", "oauth"]
    token: str = field(repr=False)
    email: str = ""

    @classmethod
    def of(cls, config: Mapping[str, Any], token: str) -> Auth:
        """Whose a token is: `email:token` for API tokens, where the configuration's email stands in; else the token.

        Raises `SourceRefused` when an API token has no email.
        """
        kind = config["auth"]["kind"]
        if kind != "api_token":
            return cls(kind, token)
        email, colon, rest = token.partition(":")
        if colon and "@" in email:
            return cls(kind, rest, email)
        if not config["auth"].get("email"):
            raise SourceRefused(
                "An API token needs the email of its account: set auth.email, or give EMAIL:TOKEN.", "config.auth.email"
            )
        return cls(kind, token, config["auth"]["email"])

    def header(self) -> str:
        """The `Authorization` header. Raises `SourceRefused` for a token that can't be one, without repeating it."""
        if not self.token or not self.token.isascii() or not self.token.isprintable() or " " in self.token:
            raise SourceRefused("The token is empty, or holds blanks or signs that no token has. Copy it anew.", TOKEN_FIELD)
        if self.kind == "api_token":
            return "Basic " + base64.b64encode(f"{self.email}:{self.token}".encode()).decode("ascii")
        return f"Bearer {self.token}"


class AtlassianClient:
    """One account at one site. Safe to use from several threads; it counts into `http.usage`.

    `get`, `post`, `pages` and `download` raise `SourceRefused` (`RequestRefused` for a request that the site does not
    understand), `ItemForbidden` for 403, `DocumentVanished` for 404 and 410, `SourceThrottled` when the site or the budget wants
    a longer wait than `http.longest_wait_s`, and `Unanswered`, a `SourceUnavailable`, after all tries.
    """

    def __init__(
        self,
        base_url: str,
        auth: Auth,
        http: HttpOptions,
        *,
        product: Product,
        clock: Callable[[], float] = time.monotonic,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        """`base_url` may carry a context path (`/wiki`). `transport` stands in for the network. An `auth` without a token is for
        a client that is only asked for others, by `with_auth`."""
        self.base_url = base_url.rstrip("/")
        self._addresses = Addresses(httpx2.URL(self.base_url))
        self._product: Product = product
        self._clock = clock
        self._pool = ConnectionPool(self._addresses.base, http.ca_bundle, http.allowed_hosts, transport=transport, clock=clock)
        self._budget = RateBudget(http.requests_per_minute, clock)
        self._borrowed = False
        self._take(auth, http)

    def with_auth(self, auth: Auth, http: HttpOptions) -> AtlassianClient:
        """Another person's token over the same connections, with its own counts. A person waits for it: it goes before a sync.

        It can't be used once this one is closed; closing it closes nothing.
        """
        other = copy(self)
        other._borrowed = True
        other._take(auth, http)
        return other

    def _take(self, auth: Auth, http: HttpOptions) -> None:
        # Without a token it asks nothing itself, and lends its connections to `with_auth`.
        self._is_anonymous = not auth.token
        authorization = auth.header() if auth.token else ""
        where = f"{self._product.capitalize()} at {self._addresses.base.netloc.decode('ascii')}"
        self._errors = ResponseErrors(where, (auth.token, authorization.partition(" ")[2]) if auth.token else ())
        self._retries = Retries(self._pool, self._budget, http, self._errors, authorization, self._borrowed, self._clock)

    def get(self, path: str, params: Mapping[str, Any] | None = None) -> Any:
        """The JSON at `path` below the base. A list in `params` repeats its parameter, None leaves it out."""
        return self._json("GET", self._addresses.below(path, params), None)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """The JSON that a search answers. It may be sent more than once: only for what reads."""
        # Half of a surrogate pair, which a text may hold, is no text that can be sent.
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", errors="replace")
        return self._json("POST", self._addresses.below(path), content)

    def pages(self, path: str, params: Mapping[str, Any] | None = None) -> Iterator[Any]:
        """The JSON object of each page of a listing, by the `_links.next` of the one before. It never just ends: it raises."""
        url = self._addresses.below(path, params)
        seen = set()
        while True:
            seen.add(url)
            page = self._json("GET", url, None)
            links = page.get("_links", {}) if isinstance(page, dict) else None
            if not isinstance(links, dict):
                raise Unanswered(f"{self._errors.where} gave a page of the listing {self._addresses.shown(url)} that is none.")
            yield page
            if not links.get("next"):
                return
            url = self._given(str(links["next"]), links, url)
            if not self._addresses.is_ours(url):
                raise SourceRefused(f"{self._errors.where} goes on with a listing at {url.host}. Set base_url to that address.")
            if url in seen:
                raise Unanswered(f"{self._errors.where} goes round in circles in the listing {self._addresses.shown(url)}.")

    def download(self, address: str, limit: int) -> bytes:
        """A file, by its path below the base or its whole address. Raises `PayloadTooLarge` beyond `limit` bytes."""
        url = self._given(address, {})
        name = self._addresses.shown(url, cut=True)
        answer = self._follow("GET", url, None, limit, name, may_leave=True)
        self._errors.check(answer, name)
        return answer.data

    def probe(self, url: str) -> Answer:
        """One answer of any status, without credentials, tries or redirects: for finding out what is wrong with an address.

        Raises `Lost` without an answer, `SourceRefused` for a certificate or a proxy in the way.
        """
        return self._retries.ask_once(httpx2.URL(url))

    def close(self) -> None:
        if not self._borrowed:
            self._pool.close()

    def _given(self, address: str, links: Mapping[str, Any], current: httpx2.URL | None = None) -> httpx2.URL:
        try:
            return self._addresses.given(address, links, current)
        except ValueError:
            raise Unanswered(f"{self._errors.where} gave an address that is none.") from None

    def _json(self, method: str, url: httpx2.URL, content: bytes | None) -> Any:
        name = self._addresses.shown(url)
        try:
            answer = self._follow(method, url, content, _MOST_JSON, name, may_leave=False)
        except PayloadTooLarge as error:
            raise Unanswered(f"{self._errors.where} gave an answer of more than {_MOST_JSON >> 20} MB at {name}.") from error
        self._errors.check(answer, name)
        return self._errors.json_of(answer, name)

    def _follow(self, method: str, url: httpx2.URL, content: bytes | None, limit: int, name: str, *, may_leave: bool) -> Answer:
        """The answer at the end of all redirects. Once they have left the site, credentials stay behind for good."""
        if self._is_anonymous:
            raise SourceRefused(f"{self._errors.where} can't be asked without a token.", TOKEN_FIELD)
        trusted = self._addresses.is_ours(url)
        if self._addresses.base.scheme == "http" and not is_loopback(self._addresses.base.host):
            raise SourceRefused(
                f"{self.base_url} has no encryption, and a token never goes over a network without it. Give the site https, and "
                "set base_url to that address."
            )
        if not trusted:
            redirects.check_elsewhere(self._addresses.base, self._addresses.base, url)
        for _ in range(redirects.MOST + 1):
            answer = self._retries.ask(method, url, content, limit, name, trusted=trusted, as_json=not may_leave)
            to = redirects.target(url, answer.status, answer.headers.get("location", ""))
            if to is None:
                return answer
            if may_leave and redirects.is_login(to):
                raise ItemForbidden(f"{self._errors.where} asks for a log-in before it gives {name}.")
            if not self._addresses.is_ours(to):
                if not may_leave:
                    raise redirects.json_elsewhere(url, to, self.base_url)
                redirects.check_elsewhere(self._addresses.base, url, to)
                trusted = False
            elif method != "GET" and answer.status not in _KEEPS_METHOD:
                raise self._errors.page_instead(name)
            url = to
        raise SourceRefused(f"{self._errors.where} sends the request {name} on and on. Check base_url.")
