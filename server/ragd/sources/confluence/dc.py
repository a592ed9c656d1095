"""Confluence Data Center: everything by the search, many pages at once; single pages by their id, for a person's token."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final
from urllib.parse import quote, unquote

from ragd.core.errors import DocumentVanished, ItemForbidden
from ragd.sources.atlassian.client import AtlassianClient
from ragd.sources.atlassian.values import text_of
from ragd.sources.base import Listed
from ragd.sources.confluence.content import FIELDS, Looked, Scope, body_of, page_of, spaces_of
from ragd.sources.confluence.cql import IDS_ONLY, PAGES, WITH_BODY, WITH_FIELDS, among, every, search
from ragd.sources.confluence.items import Attachment, Page, Space

_LISTED: Final = 500
_AT_ONCE: Final = 8
_CONTENT: Final = ",".join(("body.storage", *FIELDS))


class DataCenterSite:
    """As `CloudSite`. A plain listing has ids alone: 1,000 in one request, against 200 with versions."""

    tells_versions: Final = False

    def __init__(self, client: AtlassianClient) -> None:
        self._client = client
        self._spaces: dict[str, Space] = {}

    def spaces(self, keys: Sequence[str]) -> list[Space]:
        found = spaces_of(self._client, "/rest/api/space", "spaceKey", keys, _LISTED)
        self._spaces = {space.key: space for space in found}
        return found

    def probe(self) -> None:
        self._client.get("/rest/api/space", {"limit": 1})

    def listed(self, scope: Scope) -> Iterator[Page]:
        """Every page and blog post of the scope: id, title and space, no version."""
        rows = list(search(self._client, scope.listing, limit=IDS_ONLY))
        if not all(map(_space_key, rows)):
            rows = list(search(self._client, scope.listing, limit=WITH_FIELDS, expand=("space",)))
        for raw in rows:
            space = self._space_of(raw)
            if space is not None:
                id_, kind = text_of(raw, "id"), text_of(raw, "type")
                yield Page(id_, kind, text_of(raw, "title"), space, 0, "", self.url(kind, raw))

    def known(self, looked: Looked) -> Iterator[Page]:
        return filter(None, map(self._page, looked.pages.values()))

    def fetched(self, items: Sequence[tuple[str, str]], _looked: Looked) -> Iterator[Page]:
        cql = every(PAGES, among("id", (id_ for _, id_ in items)))
        for raw in search(self._client, cql, limit=WITH_BODY, expand=("body.storage", *FIELDS)):
            page = self._page(self._with_body(raw))
            if page is not None:
                yield page

    def one(self, kind: str, id_: str) -> Page:
        raw = self._client.get(f"/rest/api/content/{quote(id_)}", {"expand": _CONTENT})
        page = self._page(self._with_body(raw)) if text_of(raw, "status") == "current" else None
        if page is None:
            raise DocumentVanished(f"{kind}/{id_} is in the trash, or not in a space of this source any more.")
        return page

    def names(self, ids: Iterable[str]) -> dict[str, str]:
        """Display names of user keys or names, as far as they can be had; each is a request."""
        found: dict[str, str] = {}
        for id_ in ids:
            for parameter in ("key", "username"):
                try:
                    user = self._client.get("/rest/api/user", {parameter: id_})
                except (ItemForbidden, DocumentVanished):  # unknown by this name, or the token has no right to see people
                    continue
                found[id_] = text_of(user, "displayName")
                break
        return found

    def url(self, _kind: str, raw: Mapping[str, Any]) -> str:
        """Where a person opens a page: without its title, so that it stays when that changes."""
        return f"{self._client.base_url}/pages/viewpage.action?pageId={text_of(raw, 'id')}"

    def file_address(self, file: Attachment) -> str:
        return file.download or f"/download/attachments/{quote(file.page_id)}/{quote(file.name, safe='')}"

    # What a person's token may read

    def readable(
        self, client: AtlassianClient, items: Sequence[tuple[str, str]], *, content: bool
    ) -> dict[str, Mapping[str, Any]]:

        def ask(id_: str) -> Mapping[str, Any] | None:
            try:
                raw: Mapping[str, Any] = client.get(
                    f"/rest/api/content/{quote(id_)}", {"expand": _CONTENT if content else "version"}
                )
            except (ItemForbidden, DocumentVanished):
                return None
            return raw if text_of(raw, "status") == "current" else None

        ids = [id_ for _, id_ in items]
        if not ids:
            return {}
        with ThreadPoolExecutor(min(_AT_ONCE, len(ids))) as threads:
            return {id_: raw for id_, raw in zip(ids, threads.map(ask, ids), strict=True) if raw is not None}

    def readable_file(self, client: AtlassianClient, id_: str) -> Mapping[str, Any]:
        raw: Mapping[str, Any] = client.get(f"/rest/api/content/{quote(id_)}", {"expand": "version"})
        return raw

    def page_for(self, client: AtlassianClient, item: Listed, raw: Mapping[str, Any]) -> Page:
        return page_of(self._with_body(raw, client), self.url(item.kind, raw))

    # Content as the search gives it

    def _space_of(self, raw: Mapping[str, Any]) -> Space | None:
        return self._spaces.get(_space_key(raw))

    def _with_body(self, raw: Mapping[str, Any], client: AtlassianClient | None = None) -> Mapping[str, Any]:
        if body_of(raw) is not None:
            return raw
        viewed = (client or self._client).get(f"/rest/api/content/{text_of(raw, 'id')}", {"expand": "body.view"})
        return {**raw, "body": viewed.get("body") if isinstance(viewed, dict) else None}

    def _page(self, raw: Mapping[str, Any]) -> Page | None:
        if self._space_of(raw) is None:
            return None
        return page_of(raw, self.url(text_of(raw, "type"), raw))


def _space_key(raw: Mapping[str, Any]) -> str:
    """The space of a page; where it was not asked for, by the address at which it could be."""
    return text_of(raw, "space", "key") or unquote(text_of(raw, "_expandable", "space").rpartition("/")[2])
