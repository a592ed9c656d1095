"""Questions in CQL, Confluence's query language, and the search that answers them (`/rest/api/content/search`, both deployments).

The search caps its pages by what is asked along: 50 items with a body, 200 with anything else, 1,000 with nothing
(https://confluence.atlassian.com/x/RpuKPQ). The site says where the next page is; it is never computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeVar
from urllib.parse import quote

from ragd.core.errors import DocumentVanished, ItemForbidden, SourceUnavailable
from ragd.sources.atlassian.client import AtlassianClient
from ragd.sources.atlassian.responses import RequestRefused, Unanswered

T = TypeVar("T")
R = TypeVar("R")

_PATH: Final = "/rest/api/content/search"
PAGES: Final = "type in (page, blogpost)"

WITH_BODY, WITH_FIELDS, IDS_ONLY = 50, 200, 1000
"""How many items a page of results has, by what is asked along."""

# `lastmodified` is compared in the zone of the site or of the account, which lies between UTC-12 and UTC+14.
_ZONES = timedelta(hours=14)
# Addresses stay well below the 8 KiB that servers and proxies take; a Japanese character is nine signs there.
_LONGEST_LIST = 3000


def quoted(text: str) -> str:
    """A text as CQL writes it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def among(name: str, values: Iterable[str]) -> str:
    """`space in ("DEV", "OPS")`."""
    return f"{name} in ({', '.join(map(quoted, values))})"


def every(*clauses: str) -> str:
    """All of them at once; empty ones do not count."""
    return " and ".join(clause for clause in clauses if clause)


def modified_since(since: datetime) -> str:
    """What changed at `since` (aware) or later, whatever zone the site counts in: whole minutes, so rather too much."""
    earliest = (since - _ZONES).astimezone(UTC)
    return f'lastmodified >= "{earliest:%Y-%m-%d %H:%M}"'


def search(client: AtlassianClient, cql: str, *, limit: int, expand: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """The content that a question finds. Raises `RequestRefused` where the site does not understand it."""
    params = {"cql": cql, "limit": limit} | ({"expand": ",".join(expand)} if expand else {})
    return paged(client, _PATH, params)


class CutOff(Unanswered):
    """The site refused to go on with a listing that it had begun: its cursor has expired. A new listing may go to its end."""


def paged(client: AtlassianClient, path: str, params: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    pages = client.pages(path, params)
    has_begun = False
    while True:
        try:
            page = next(pages, None)
        except RequestRefused as error:
            if not has_begun:
                raise
            raise CutOff(f"Confluence refused to go on with a listing: {error.said or error.message}", error.answered) from error
        if page is None:
            return
        has_begun = True
        yield from results(page)


def results(page: Any) -> list[dict[str, Any]]:
    """The items of one page of any list."""
    found = page.get("results") if isinstance(page, dict) else None
    if not isinstance(found, list) or not all(isinstance(item, dict) and "id" in item for item in found):
        raise SourceUnavailable("Confluence answered with something else than a list. Is the base URL that of a Confluence?")
    return found


def halved(
    values: Sequence[T], ask: Callable[[Sequence[T]], list[R]], probe: Callable[[], None], failed: Callable[[T, str], list[R]]
) -> Iterator[R]:
    """What `ask` gives for the values. A batch that the site can't answer is cut in two, until the bad value is alone: `failed`.

    `probe` raises when it is the site that is not well, and none of the values.
    """
    try:
        found = ask(values)
    except (Unanswered, RequestRefused, ItemForbidden, DocumentVanished) as error:
        probe()
        if len(values) == 1:
            yield from failed(values[0], error.message)
            return
        middle = len(values) // 2
        for half in (values[:middle], values[middle:]):
            yield from halved(half, ask, probe, failed)
        return
    yield from found


def short_lists(values: Iterable[T], text: Callable[[T], str]) -> Iterator[list[T]]:
    """The values in lists that an address has room for; `text` is what stands there of each."""
    part: list[T] = []
    room = _LONGEST_LIST
    for value in values:
        length = len(quote(quoted(text(value)))) + 4
        if part and length > room:
            yield part
            part, room = [], _LONGEST_LIST
        part.append(value)
        room -= length
    if part:
        yield part
