"""Confluence Cloud: pages by the API v2, which is paged by cursors, gives versions in listings, and takes many ids at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from urllib.parse import quote

from ragd.core.errors import DocumentVanished, ItemForbidden
from ragd.sources.atlassian.client import AtlassianClient
from ragd.sources.atlassian.values import chunks, text_of
from ragd.sources.base import Listed
from ragd.sources.confluence.content import MOST_SPACES, Looked, Scope, body_of, spaces_of
from ragd.sources.confluence.cql import IDS_ONLY, paged, search
from ragd.sources.confluence.items import Attachment, Page, Space, number_of, utc_text
from ragd.sources.confluence.tree import Tree

_LISTS: Final = {"page": "/api/v2/pages", "blogpost": "/api/v2/blogposts"}
_LISTED: Final = 250
# As many ids as an address has room for.
_IDS: Final = 150
_USERS: Final = 200


class CloudSite:
    """How Confluence Cloud is asked. It remembers the page tree that it has seen."""

    tells_versions: Final = True

    def __init__(self, client: AtlassianClient) -> None:
        self._client = client
        self._tree = Tree()
        self._spaces: dict[str, Space] = {}

    def spaces(self, keys: Sequence[str]) -> list[Space]:
        """See `spaces_of`."""
        found = spaces_of(self._client, "/api/v2/spaces", "keys", keys, _LISTED)
        self._spaces = {space.id: space for space in found}
        return found

    def probe(self) -> None:
        """Ask for something small. Raises when the site is not well."""
        self._client.get("/api/v2/spaces", {"limit": 1})

    def listed(self, scope: Scope) -> Iterator[Page]:
        """Every page and blog post of the scope, without bodies."""
        rows = list(self._kept(scope) if scope.keep else self._all(scope))
        self._tree = Tree()
        self._tree.add(_rows_of_pages(rows))
        if scope.keep:
            self._learn_parents([raw for _, raw in rows])
        yield from filter(None, (self._page(kind, raw) for kind, raw in rows))

    def known(self, looked: Looked) -> Iterator[Page]:
        """Those pages as they are now, without bodies."""
        rows = list(self._by_ids([(text_of(raw, "type"), id_) for id_, raw in looked.pages.items()]))
        self._learn(rows, looked)
        yield from filter(None, (self._page(kind, raw) for kind, raw in rows))

    def fetched(self, items: Sequence[tuple[str, str]], looked: Looked) -> Iterator[Page]:
        """Pages of these kinds and ids with their bodies; those that can't be had are left out."""
        rows = list(self._by_ids(items, body=True))
        self._learn(rows, looked)
        self._learn_folders([raw for _, raw in rows])
        yield from filter(None, (self._page(kind, self._with_body(kind, raw)) for kind, raw in rows))

    def one(self, kind: str, id_: str) -> Page:
        """One page with its body. Raises `ItemForbidden` and `DocumentVanished`."""
        raw = self._client.get(f"{_LISTS[kind]}/{quote(id_)}", {"body-format": "storage"})
        page = None
        if text_of(raw, "status") == "current":
            self._learn([(kind, raw)], Looked({}, {}))
            self._learn_folders([raw])
            page = self._page(kind, self._with_body(kind, raw))
        if page is None:
            raise DocumentVanished(f"{kind}/{id_} is in the trash or the archive, or not in a space of this source any more.")
        return page

    def names(self, ids: Iterable[str]) -> dict[str, str]:
        """Display names of account ids, as far as they can be had."""
        found: dict[str, str] = {}
        for part in chunks(list(ids), _USERS):
            try:
                answer = self._client.post("/api/v2/users-bulk", {"accountIds": list(part)})
            except (ItemForbidden, DocumentVanished):  # the token has no right to see people
                return found
            for user in answer.get("results", ()) if isinstance(answer, dict) else ():
                name = text_of(user, "displayName") or text_of(user, "publicName")
                if name:
                    found[text_of(user, "accountId")] = name
        return found

    def url(self, kind: str, raw: Mapping[str, Any]) -> str:
        """Where a person opens a page that the search gave."""
        return self._url(kind, raw, text_of(raw, "space", "key"))

    def _url(self, kind: str, raw: Mapping[str, Any], key: str) -> str:
        """Without the title, so that it stays when that changes."""
        id_, shown = text_of(raw, "id"), text_of(raw, "_links", "webui")
        if kind == "page":
            return f"{self._client.base_url}/spaces/{quote(key, safe='~')}/pages/{id_}"
        head, found, _ = shown.partition(f"/{id_}")
        return f"{self._client.base_url}{head}{found}" if found else f"{self._client.base_url}/pages/viewpage.action?pageId={id_}"

    def file_address(self, file: Attachment) -> str:
        return f"/rest/api/content/{quote(file.page_id)}/child/attachment/{quote(file.id)}/download"

    # What a person's token may read

    def readable(
        self, client: AtlassianClient, items: Sequence[tuple[str, str]], *, content: bool
    ) -> dict[str, Mapping[str, Any]]:
        """Pages that the token of `client` may read now, by id, as the API has them."""
        return {text_of(raw, "id"): raw for _, raw in self._by_ids(items, client, body=content)}

    def readable_file(self, client: AtlassianClient, id_: str) -> Mapping[str, Any]:
        """Raises `ItemForbidden` and `DocumentVanished`."""
        raw: Mapping[str, Any] = client.get(f"/api/v2/attachments/{quote(id_)}")
        return raw

    def page_for(self, client: AtlassianClient, item: Listed, raw: Mapping[str, Any]) -> Page:
        """The page that `readable` gave with its content. Its place is where it was listed: v2 does not give it."""
        raw = self._with_body(item.kind, raw, client)
        space = Space(*item.hint["space"]) if "space" in item.hint else Space("", item.container, item.container)
        page = self._made(item.kind, raw, space)
        return replace(page, above=tuple(item.hint.get("above", ())), place=tuple(item.hint.get("place", ())))

    # Rows as v2 gives them

    def _all(self, scope: Scope) -> Iterator[tuple[str, dict[str, Any]]]:
        parts: Iterable[Sequence[str]] = ((),) if scope.spaces is None else chunks(list(self._spaces), MOST_SPACES)
        for part in parts:
            for kind, path in _LISTS.items():
                params = {"limit": _LISTED, "status": "current"} | ({"space-id": list(part)} if part else {})
                yield from ((kind, raw) for raw in paged(self._client, path, params))

    def _kept(self, scope: Scope) -> Iterator[tuple[str, dict[str, Any]]]:
        ids = [(text_of(raw, "type"), text_of(raw, "id")) for raw in search(self._client, scope.listing, limit=IDS_ONLY)]
        return self._by_ids(ids)

    def _by_ids(
        self, items: Sequence[tuple[str, str]], client: AtlassianClient | None = None, *, body: bool = False
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        for kind, path in _LISTS.items():
            ids = list(dict.fromkeys(id_ for one, id_ in items if one == kind))
            for part in chunks(ids, _IDS):
                params = {"id": list(part), "limit": len(part), "status": "current"} | (
                    {"body-format": "storage"} if body else {}
                )
                yield from ((kind, raw) for raw in paged(client or self._client, path, params))

    def _learn(self, rows: Sequence[tuple[str, dict[str, Any]]], looked: Looked) -> None:
        for page in looked.pages.values():
            self._tree.add_ancestors(page)
        self._tree.add(_rows_of_pages(rows))
        self._learn_parents([raw for _, raw in rows])

    def _learn_parents(self, rows: Sequence[dict[str, Any]]) -> None:
        while unknown := sorted(self._tree.unknown_pages(rows)):
            self._tree.add(raw for _, raw in self._by_ids([("page", id_) for id_ in unknown]))
            self._tree.add_missing(unknown)

    def _learn_folders(self, rows: Sequence[dict[str, Any]]) -> None:
        while unknown := self._tree.unknown_folders(rows):
            for id_ in sorted(unknown):
                try:
                    self._tree.add_folder(id_, self._client.get(f"/api/v2/folders/{quote(id_)}"))
                except (ItemForbidden, DocumentVanished):
                    self._tree.add_folder(id_, None)
            self._learn_parents(rows)

    def _with_body(self, kind: str, raw: Mapping[str, Any], client: AtlassianClient | None = None) -> Mapping[str, Any]:
        """The page with its body as it is shown, where it has none in storage format."""
        if body_of(raw) is not None:
            return raw
        viewed = (client or self._client).get(f"{_LISTS[kind]}/{text_of(raw, 'id')}", {"body-format": "view"})
        return {**raw, "body": viewed.get("body") if isinstance(viewed, dict) else None}

    def _page(self, kind: str, raw: Mapping[str, Any]) -> Page | None:
        """None for a page of a space that the source does not cover."""
        space = self._spaces.get(text_of(raw, "spaceId"))
        return self._made(kind, raw, space) if space else None

    def _made(self, kind: str, raw: Mapping[str, Any], space: Space) -> Page:
        return Page(
            id=text_of(raw, "id"),
            kind=kind,
            title=text_of(raw, "title"),
            space=space,
            version=number_of(raw, "version", "number"),
            updated=utc_text(text_of(raw, "version", "createdAt")),
            url=self._url(kind, raw, space.key),
            above=self._tree.titles(raw),
            place=self._tree.place(raw),
            author=text_of(raw, "authorId") or text_of(raw, "version", "authorId"),
            body=body_of(raw),
        )


def _rows_of_pages(rows: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    return (raw for kind, raw in rows if kind == "page")
