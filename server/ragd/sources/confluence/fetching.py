"""What pages hold now: a batch in a handful of requests; a batch that fails is cut in two until the bad page is alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from ragd.core.errors import DocumentVanished, ItemForbidden
from ragd.sources.atlassian.client import AtlassianClient
from ragd.sources.atlassian.values import chunks
from ragd.sources.base import ALWAYS_REFETCH, Fetched, Listed, Skip, Unfetched
from ragd.sources.confluence.body import References, references
from ragd.sources.confluence.cloud import CloudSite
from ragd.sources.confluence.content import Looked, Scope, body_of, comment_states, comments_of, look, people
from ragd.sources.confluence.cql import halved
from ragd.sources.confluence.dc import DataCenterSite
from ragd.sources.confluence.envelope import Content, Download
from ragd.sources.confluence.includes import Includes, Including
from ragd.sources.confluence.items import Around, Page

BATCH: Final = 100
# Of so many pages it is remembered what is around them.
_REMEMBERED: Final = 5000

_Comments = Mapping[str, Sequence[Mapping[str, Any]]]


class Fetching:
    """Fetches pages. What an earlier look found is remembered until its page is fetched.

    `names` are display names by user id, "" for somebody who can't be looked up.
    """

    def __init__(
        self,
        client: AtlassianClient,
        site: CloudSite | DataCenterSite,
        deployment: str,
    ) -> None:
        self._client = client
        self._site = site
        self._deployment = deployment
        self._around: dict[str, Around] = {}
        self.names: dict[str, str] = {}

    def fetch(self, items: Sequence[Listed], scope: Scope, download: Download) -> Iterator[Fetched | Unfetched]:
        for part in chunks(items, BATCH):
            yield from halved(part, partial(self._batch, scope=scope, download=download), self._site.probe, _failed)
            for item in part:
                self._around.pop(item.remote_id, None)

    def _batch(self, items: Sequence[Listed], scope: Scope, download: Download) -> list[Fetched | Unfetched]:
        ids = [item.remote_id for item in items]
        unknown = [id_ for id_ in ids if id_ not in self._around]
        looked = look(self._client, scope, unknown) if unknown else Looked({}, {})
        self.names.update(people(looked.pages.values()))
        self._around.update(looked.around)
        asked = [(item.kind, item.remote_id) for item in items]
        pages = {page.item_id: page for page in self._site.fetched(asked, looked)}
        lost: dict[str, Unfetched] = {}
        for item in items:
            if item.id not in pages:
                answer = self._alone(item)
                if isinstance(answer, Page):
                    pages[item.id] = answer
                else:
                    lost[item.id] = answer
        made = {item.id: item for item in self._made(list(pages.values()), scope, download)}
        return [made.get(item.id) or lost[item.id] for item in items]

    def _alone(self, item: Listed) -> Page | Unfetched:
        """A page that did not come with its batch: by itself, to learn why."""
        try:
            return self._site.one(item.kind, item.remote_id)
        except ItemForbidden:
            message = (
                f"The source's account may not read {item.id}. Give it the right to, or restrict the source to what it may read."
            )
            return Unfetched(item.id, Skip("forbidden", message))
        except DocumentVanished:
            return Unfetched(item.id, Skip("gone", f"{item.id} is no longer there, or hidden from the source's account."))

    def _made(self, pages: Sequence[Page], scope: Scope, download: Download) -> Iterator[Fetched]:
        refers = {page.id: page.references for page in pages}
        comments: _Comments = {}
        if scope.comments and any(page.id not in self._around or self._around[page.id].comments for page in pages):
            comments = comments_of(self._client, [page.id for page in pages])
        includes = Includes(self._client, self._site.url, self._site.probe)
        including = {
            page.id: Including(
                page.id, page.space.key, tuple(refers[page.id].includes), self._around.get(page.id, Around()).above
            )
            for page in pages
        }
        includes.find(list(including.values()))
        self._learn_names(pages, refers, comments)
        for page in pages:
            around = replace(self._around.get(page.id, Around()), comments=comment_states(comments.get(page.id, ())))
            content = Content(
                deployment=self._deployment,
                page=page,
                references=refers[page.id],
                labels=around.labels,
                comments=comments.get(page.id, ()),
                includes=includes.of(including[page.id]),
                names=self.names,
                files=around.attachments,
                base_url=self._client.base_url,
            )
            # What another page holds changes, or is closed to some, without a sign here.
            again = ALWAYS_REFETCH if refers[page.id].includes else ""
            yield content.fetched(f"{page.base}|{around.stamp}{again}", download)

    def remember(self, looked: Looked) -> None:
        """Keep what a look found for the fetch that follows."""
        self.names.update(people(looked.pages.values()))
        room = max(0, _REMEMBERED - len(self._around))
        self._around.update(list(looked.around.items())[:room])

    def forget(self) -> None:
        self._around.clear()

    def _learn_names(self, pages: Sequence[Page], refers: Mapping[str, References], comments: _Comments) -> None:
        self.names.update(people(one for part in comments.values() for one in part))
        ids = [*(page.author for page in pages), *(id_ for one in refers.values() for id_ in one.users)]
        for part in comments.values():
            ids += [id_ for one in part if (body := body_of(one)) for id_ in references(body[1], "").users]
        unknown = dict.fromkeys(id_ for id_ in ids if id_ and id_ not in self.names)
        if unknown:
            self.names |= dict.fromkeys(unknown, "") | self._site.names(unknown)


def _failed(item: Listed, message: str) -> list[Fetched | Unfetched]:
    return [Unfetched(item.id, Skip("failed", f"{message} It is asked for again in the next cycle."))]
