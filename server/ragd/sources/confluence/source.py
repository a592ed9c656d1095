"""Confluence as a source: spaces of Cloud or Data Center with their pages, blog posts, comments and attachments.

An incremental cycle costs the full list of ids, one search for what changed, one for what belongs to those pages, and their
bodies and comments in batches. Attachments are not in a plain listing: those of a page come with the page when it changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, Final

from ragd.core.errors import DocumentVanished, ItemForbidden, SourceRefused
from ragd.sources.atlassian.check import check_site
from ragd.sources.atlassian.client import AtlassianClient, Auth
from ragd.sources.atlassian.fields import Fields
from ragd.sources.atlassian.responses import RequestRefused
from ragd.sources.atlassian.values import chunks, dig, text_of
from ragd.sources.base import CloudPreview, Container, Current, Fetched, HttpOptions, Listed, Unfetched, Usage
from ragd.sources.confluence.cloud import CloudSite
from ragd.sources.confluence.content import Looked, Scope, changed_ids, look
from ragd.sources.confluence.cql import CutOff, every, quoted
from ragd.sources.confluence.dc import DataCenterSite
from ragd.sources.confluence.envelope import Content
from ragd.sources.confluence.fetching import BATCH, Fetching
from ragd.sources.confluence.items import Attachment, Page, Rules, Space, number_of, utc_text

_MOST_CQL: Final = 1000
_NAMES_SHOWN: Final = 10
# Each space that is counted for a preview costs a request.
_COUNTED: Final = 20
_AT_ONCE: Final = 8


class ConfluenceSource:
    """See `CloudSource`. What a listing or `changes` has seen saves requests in a fetch after it; no fetch depends on it."""

    type = "confluence"

    def __init__(self, config: Mapping[str, Any], token: str, http: HttpOptions) -> None:
        self._config = config
        self._http = http
        self._client = AtlassianClient(config["base_url"], Auth.of(config, token), http, product="confluence")
        self._site = (CloudSite if config["deployment"] == "cloud" else DataCenterSite)(self._client)
        self._rules = Rules(config["include"], config["exclude"], http.max_size)
        self._spaces: list[Space] | None = None
        self._spaces_are_new = False
        self._fetching = Fetching(self._client, self._site, config["deployment"])

    @classmethod
    def parse_config(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        fields = Fields(values, ("spaces", "cql"), "confluence")
        config = {
            **fields.site(),
            "spaces": fields.texts("spaces"),
            "cql": fields.query("cql", _MOST_CQL, 'label = "howto"'),
            **fields.shared(),
        }
        fields.check()
        return config

    def check(self) -> CloudPreview:
        account = check_site(self._client, self._config, product="confluence")
        spaces = sorted(self._look_at_spaces(), key=lambda space: space.key)
        visible = {space.key.casefold() for space in spaces}
        missing = [key for key in self._config["spaces"] if key.casefold() not in visible]
        warnings = [f"The account sees no space {key}: it does not exist, or the account has no right to it." for key in missing]
        names: list[str] = []
        counts: dict[str, int | None] = {}
        if spaces:
            scope = self._scope()
            with _explained(scope):
                names, total = self._search(scope.pages, _NAMES_SHOWN)
                counts = {spaces[0].key: total} if len(spaces) == 1 and scope.spaces else self._counts(spaces, scope)
            if not names:
                warnings.append("There is no page that the account may read and the filter lets through.")
        elif not self._config["spaces"]:
            warnings.append("The account sees no space at all.")
        containers = tuple(Container(space.key, space.name, counts.get(space.key)) for space in spaces)
        return CloudPreview(account, self._config["deployment"], containers, tuple(names), tuple(warnings))

    def listing(self, *, deep: bool) -> Iterator[Listed]:
        # Those that `changes` has just looked at serve for the listing after it.
        if not self._spaces_are_new:
            self._look_at_spaces()
        self._spaces_are_new = False
        scope = self._scope()
        if scope.spaces == ():
            return
        with _explained(scope):
            pages = self._all_pages(scope)
            if not deep:
                yield from map(self._plain, pages.values())
                return
            # What moves between the answers of a search may come twice.
            seen: set[str] = set()
            for part in chunks(list(pages.values()), BATCH):
                for listed in self._with_parts(part, look(self._client, scope, [page.id for page in part])):
                    if listed.id not in seen:
                        seen.add(listed.id)
                        yield listed

    def changes(self, since: datetime) -> Iterator[Listed]:
        self._spaces_are_new = self._spaces is None
        scope = self._scope()
        self._fetching.forget()
        if scope.spaces == ():
            return
        with _explained(scope):
            for part in chunks(changed_ids(self._client, scope, since), BATCH):
                looked = look(self._client, scope, part)
                yield from self._with_parts(list(self._site.known(looked)), looked)

    def fetch(self, items: Sequence[Listed]) -> Iterator[Fetched | Unfetched]:
        pages, files = _parted(items)
        if pages:
            yield from self._fetching.fetch(pages, self._scope(), partial(self._download, self._client))
        for item in files:
            yield self._file(self._client, item)

    def current(self, items: Sequence[Listed], token: str, *, content: bool) -> dict[str, Current]:
        """By requests that the site itself decides, never by its search index. A page's content is its body and title, without
        comments."""
        user = self._client.with_auth(Auth.of(self._config, token), replace(self._http, usage=Usage()))
        pages, files = _parted(items)
        raw_pages = self._site.readable(user, [(item.kind, item.remote_id) for item in pages], content=content)
        found: dict[str, Current] = {}
        for item in pages:
            raw = raw_pages.get(item.remote_id)
            if raw is not None:
                found[item.id] = _current(item, raw, self._page_for(user, item, raw) if content else None)
        if files:
            with ThreadPoolExecutor(min(_AT_ONCE, len(files))) as threads:
                for item, raw in zip(files, threads.map(partial(self._readable_file, user), files), strict=True):
                    if raw is not None:
                        found[item.id] = _current(item, raw, self._file(user, item) if content and item.hint else None)
        return found

    def close(self) -> None:
        self._client.close()

    # What is found at a site, by the account of the source or as a person's token has it

    def _search(self, cql: str, limit: int) -> tuple[list[str], int | None]:
        """The first titles, and how many there are where the site counts."""
        answer = self._client.get("/rest/api/search", {"cql": cql, "limit": limit})
        total = dig(answer, "totalSize")
        names = [text_of(one, "content", "title") or text_of(one, "title") for one in dig(answer, "results") or ()]
        return [name for name in names if name], total if isinstance(total, int) else None

    def _counts(self, spaces: Sequence[Space], scope: Scope) -> dict[str, int | None]:
        counted = spaces[:_COUNTED]
        return {space.key: self._search(every(scope.pages, f"space = {quoted(space.key)}"), 1)[1] for space in counted}

    def _download(self, client: AtlassianClient, file: Attachment, limit: int) -> bytes:
        return client.download(self._site.file_address(file), limit)

    def _file(self, client: AtlassianClient, item: Listed) -> Fetched:
        """An attachment, to be downloaded by `client` when it is loaded."""
        file = Attachment.of(item)
        return Fetched(
            id=file.item_id,
            fingerprint=file.fingerprint,
            version=str(file.version),
            title=file.name,
            source=file.source,
            uri=file.url(client.base_url),
            name=file.name,
            load=partial(self._download, client, file),
            updated_at=file.updated or None,
        )

    def _readable_file(self, client: AtlassianClient, item: Listed) -> Mapping[str, Any] | None:
        try:
            raw = self._site.readable_file(client, item.remote_id)
        except (ItemForbidden, DocumentVanished):
            return None
        return raw if text_of(raw, "status") in {"", "current"} else None

    def _page_for(self, client: AtlassianClient, item: Listed, raw: Mapping[str, Any]) -> Fetched:
        page = self._site.page_for(client, item, raw)
        deployment, names = self._config["deployment"], self._fetching.names
        content = Content(deployment, page, page.references, names=names, base_url=client.base_url)
        return content.fetched(page.base, partial(self._download, client))

    # What is covered

    def _look_at_spaces(self) -> list[Space]:
        self._spaces = self._site.spaces(self._config["spaces"])
        return self._spaces

    def _scope(self) -> Scope:
        """What is covered. A search refuses keys of spaces that are not there, so only what the account sees is named."""
        spaces = self._look_at_spaces() if self._spaces is None else self._spaces
        return Scope(
            spaces=tuple(space.key for space in spaces) if self._config["spaces"] or not spaces else None,
            keep=self._config["cql"],
            comments=self._config["comments"],
            attachments=self._config["attachments"],
        )

    def _all_pages(self, scope: Scope) -> dict[str, Page]:
        """By item id: what moves between the pages of a listing may come twice. One whose cursor expires is begun once more."""
        try:
            return {page.item_id: page for page in self._site.listed(scope)}
        except CutOff:
            return {page.item_id: page for page in self._site.listed(scope)}

    def _plain(self, page: Page) -> Listed:
        return self._rules.page(page, page.base if self._site.tells_versions else None)

    def _with_parts(self, pages: Sequence[Page], looked: Looked) -> Iterator[Listed]:
        """Pages with full fingerprints, each followed by its attachments. What the search does not have yet is listed plainly."""
        self._fetching.remember(looked)
        known = {} if self._site.tells_versions else {page.id: page for page in self._site.known(looked)}
        for listed in pages:
            page = known.get(listed.id, listed)
            around = looked.around.get(page.id)
            if around is None:
                yield self._plain(page)
                continue
            yield self._rules.page(page, f"{page.base}|{around.stamp}")
            yield from map(self._rules.attachment, around.attachments)


@contextmanager
def _explained(scope: Scope) -> Iterator[None]:
    """A search that the site does not understand is the fault of the person's filter, where there is one."""
    try:
        yield
    except RequestRefused as error:
        if not scope.keep:
            raise
        message = f"Confluence does not understand the filter 'cql': {error.said or error.message}"
        raise SourceRefused(message, "config.cql") from error


def _parted(items: Sequence[Listed]) -> tuple[list[Listed], list[Listed]]:
    """Pages and blog posts, and attachments."""
    return [item for item in items if item.kind != "attachment"], [item for item in items if item.kind == "attachment"]


def _current(item: Listed, raw: Mapping[str, Any], fetched: Fetched | None) -> Current:
    moment = text_of(raw, "version", "createdAt") or text_of(raw, "version", "when")
    return Current(item.id, str(number_of(raw, "version", "number")), utc_text(moment) or None, fetched)
