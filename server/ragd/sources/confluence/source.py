"""Confluence as a source: spaces of Cloud or Data Center with their pages, blog posts, comments and attachments.

An incremental cycle costs the full list of ids, one search for what changed, one for what belongs to those pages, and their
bodies and comments in batches. Attachments are not in a plain listing: those of a page come with the page when it changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from ragd.sources.atlassian.check import check_site
from ragd.sources.atlassian.fields import Fields
from ragd.sources.atlassian.site import open_client, user_auth
from ragd.sources.atlassian.values import chunks
from ragd.sources.base import CloudPreview, Current, Fetched, HttpOptions, Listed, Unfetched, Usage
from ragd.sources.confluence.check import explained, preview
from ragd.sources.confluence.cloud import CloudSite
from ragd.sources.confluence.content import Looked, Scope, changed_ids, look
from ragd.sources.confluence.cql import CutOff
from ragd.sources.confluence.current import current, fetched_file
from ragd.sources.confluence.dc import DataCenterSite
from ragd.sources.confluence.fetching import BATCH, Fetching
from ragd.sources.confluence.items import Attachment, Page, Rules, Space

_MOST_CQL: Final = 1000


class ConfluenceSource:
    """See `CloudSource`. What a listing or `changes` has seen saves requests in a fetch after it; no fetch depends on it."""

    type = "confluence"

    def __init__(self, config: Mapping[str, Any], token: str, http: HttpOptions) -> None:
        self._config = config
        self._http = http
        self._client = open_client(config, token, http, product="confluence")
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
        return preview(self._client, account, self._config["deployment"], self._config["spaces"], spaces, self._scope())

    def listing(self, *, deep: bool) -> Iterator[Listed]:
        # Those that `changes` has just looked at serve for the listing after it.
        if not self._spaces_are_new:
            self._look_at_spaces()
        self._spaces_are_new = False
        scope = self._scope()
        if scope.spaces == ():
            return
        with explained(scope):
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
        with explained(scope):
            for part in chunks(changed_ids(self._client, scope, since), BATCH):
                looked = look(self._client, scope, part)
                yield from self._with_parts(list(self._site.known(looked)), looked)

    def fetch(self, items: Sequence[Listed]) -> Iterator[Fetched | Unfetched]:
        pages = [item for item in items if item.kind != "attachment"]
        if pages:
            yield from self._fetching.fetch(pages, self._scope(), self._download)
        for item in items:
            if item.kind == "attachment":
                yield fetched_file(self._client, self._site, Attachment.of(item))

    def current(self, items: Sequence[Listed], token: str, *, content: bool) -> dict[str, Current]:
        user = self._client.with_auth(user_auth(self._config, token), replace(self._http, usage=Usage()))
        deployment = self._config["deployment"]
        return current(user, self._site, items, content=content, deployment=deployment, names=self._fetching.names)

    def close(self) -> None:
        self._client.close()

    def _download(self, file: Attachment, limit: int) -> bytes:
        return self._client.download(self._site.file_address(file), limit)

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
