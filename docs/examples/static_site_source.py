"""A source in one file: the pages of a static web site, by its sitemap (https://www.sitemaps.org/protocol.html)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

import httpx2
from lxml import etree

from ragd.config.secrets import is_reference
from ragd.core import errors
from ragd.core.errors import DocumentVanished, ItemForbidden, SourceRefused
from ragd.core.reach import AllowedHosts
from ragd.sources.base import CloudPreview, Container, Current, Fetched, HttpOptions, Listed, Skip, Unfetched

_SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
_MOST = 50 * 1024 * 1024


class StaticSiteSource:
    type = "static_site"

    @classmethod
    def parse_config(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        unknown = [name for name in values if name not in {"sitemap", "auth"}]
        problems = [errors.FieldProblem(f"config.{name}", "unknown", "There are only sitemap and auth.") for name in unknown]
        sitemap, auth = values.get("sitemap"), values.get("auth") or {}
        if not isinstance(sitemap, str) or not sitemap.startswith(("https://", "http://")):
            problems.append(errors.FieldProblem("config.sitemap", "invalid", "sitemap is an address: https://…/sitemap.xml."))
        token = auth.get("token", "") if isinstance(auth, dict) else None
        if not isinstance(token, str) or not is_reference(token):
            problems.append(errors.FieldProblem("config.auth.token", "invalid", "auth.token is such as env:NAME."))
        if problems:
            raise errors.ValidationFailed(" ".join(problem.message for problem in problems), details=problems)
        return {"sitemap": sitemap, "auth": {"token": token}}

    def __init__(self, config: Mapping[str, Any], token: str, http: HttpOptions) -> None:
        self._sitemap = httpx2.URL(config["sitemap"])
        self._token = token
        self._http = http
        self._client = httpx2.Client(timeout=http.timeout_s, headers={"Accept-Encoding": "identity"})
        AllowedHosts(http.allowed_hosts).guard(self._client)

    def check(self) -> CloudPreview:
        names = [item.title for item in self.listing(deep=False)]
        container = Container(self._sitemap.host, self._sitemap.host, len(names))
        return CloudPreview("", "static site", (container,), tuple(names[:5]))

    def listing(self, *, deep: bool) -> Iterator[Listed]:
        for item, _ in self._pages():
            yield self._versioned(item) if deep and item.left_out is None else item

    def changes(self, since: datetime) -> Iterator[Listed]:
        for item, day in self._pages():
            # A day in an unknown time zone, or none at all: rather too many than one too few.
            if item.left_out is None and (day is None or day >= (since - timedelta(days=1)).date()):
                yield self._versioned(item)

    def fetch(self, items: Sequence[Listed]) -> Iterator[Fetched | Unfetched]:
        for item in items:
            try:
                yield self._fetched(item, self._version(item, self._token), self._token)
            except DocumentVanished as error:
                yield Unfetched(item.id, Skip("gone", error.message))
            except ItemForbidden as error:
                yield Unfetched(item.id, Skip("forbidden", error.message))

    def current(self, items: Sequence[Listed], token: str, *, content: bool) -> dict[str, Current]:
        found = {}
        for item in items:
            try:
                version = self._version(item, token)
            except (DocumentVanished, ItemForbidden):
                continue
            found[item.id] = Current(item.id, version, fetched=self._fetched(item, version, token) if content else None)
        return found

    def close(self) -> None:
        self._client.close()

    def _pages(self) -> Iterator[tuple[Listed, date | None]]:
        """Items without a fingerprint, and the day of their last change where the sitemap tells."""
        try:
            data = self._ask("GET", self._sitemap, self._token, _MOST)[1]
            root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))
            pages = [self._page(page) for page in root.iter(f"{_SITEMAP}url")]
        except (etree.XMLSyntaxError, ValueError, httpx2.InvalidURL, DocumentVanished, ItemForbidden) as error:
            raise SourceRefused(f"There is no usable sitemap at {self._sitemap}.", "config.sitemap") from error
        yield from {item.id: (item, day) for item, day in pages}.values()

    def _page(self, page: etree._Element) -> tuple[Listed, date | None]:
        url = httpx2.URL((page.findtext(f"{_SITEMAP}loc") or "").strip())
        day = (page.findtext(f"{_SITEMAP}lastmod") or "").strip()[:10]
        own = (url.scheme, url.netloc) == (self._sitemap.scheme, self._sitemap.netloc)
        left_out = None if own else Skip("filtered", "It is a page of another site.")
        item = Listed(str(url), "page", url.path, self._sitemap.host, updated_at=day or None, left_out=left_out)
        return item, date.fromisoformat(day) if day else None

    def _versioned(self, item: Listed) -> Listed:
        try:
            version = self._version(item, self._token)
        except (DocumentVanished, ItemForbidden):
            version = "unreadable"  # `fetch` will say why.
        return replace(item, fingerprint=version)

    def _version(self, item: Listed, token: str) -> str:
        headers = self._ask("HEAD", httpx2.URL(item.id), token, 0)[0]
        if not (version := headers.get("etag") or headers.get("last-modified")):
            raise SourceRefused("The site tells neither ETag nor Last-Modified: no change can be seen.", "config.sitemap")
        return str(version)

    def _fetched(self, item: Listed, version: str, token: str) -> Fetched:
        name = item.title.rpartition("/")[2] or "index.html"
        loader = None if "." in name else "html"

        def load(limit: int) -> bytes:
            return self._ask("GET", httpx2.URL(item.id), token, limit)[1]

        return Fetched(item.id, version, version, item.title, item.title.lstrip("/") or name, item.id, name, load, loader)

    def _ask(self, method: str, url: httpx2.URL, token: str, limit: int) -> tuple[httpx2.Headers, bytes]:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        for attempt in range(self._http.attempts):
            self._http.usage.requests += 1
            try:
                with self._client.stream(method, url, headers=headers) as answer:
                    if answer.is_success:
                        data = bytearray()
                        for block in answer.iter_bytes():
                            data += block
                            if len(data) > limit:
                                raise errors.PayloadTooLarge(f"The page is larger than {limit} bytes.")
                        return answer.headers, bytes(data)
                    status, asked = answer.status_code, answer.headers.get("retry-after", "")
            except httpx2.TransportError:
                status, asked = 503, ""
            if status == 401:
                raise SourceRefused(f"{url.host} does not accept the token.", "config.auth.token")
            if status == 403:
                raise ItemForbidden("The site does not let this token read the page.")
            if status != 429 and status < 500:
                raise DocumentVanished(f"The page is no longer there ({status}).")
            pause = float(asked) if asked.isdigit() else 0.5 * 2**attempt
            if pause > self._http.longest_wait_s:
                raise errors.SourceThrottled(f"{url.host} wants to be left alone for {pause:.0f} s.", pause)
            self._http.usage.throttled_s += pause
            self._http.pause(pause)
        raise errors.SourceUnavailable(f"{url.host} can't be reached ({self._http.attempts} attempts).")
