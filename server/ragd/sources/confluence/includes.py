"""Pages that others include by `include` and `excerpt-include`: resolved within the space, and only what all readers see.

Who may read a page need not be allowed to read what it includes, and the page's rights are all that is asked for at a hit. So a
page is included only where no restriction stands on it, or on what is above it and not above the page that includes it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ragd.sources.atlassian.client import AtlassianClient
from ragd.sources.atlassian.values import dig, text_of
from ragd.sources.confluence.body import references
from ragd.sources.confluence.content import body_of
from ragd.sources.confluence.cql import PAGES, WITH_BODY, WITH_FIELDS, among, every, halved, quoted, search, short_lists

log = logging.getLogger(__name__)

_DEPTH: Final = 2
_READERS: Final = ("restrictions.read.restrictions.user", "restrictions.read.restrictions.group")
_EXPAND: Final = ("body.storage", "space", "ancestors", *_READERS)

_UrlOf = Callable[[str, Mapping[str, Any]], str]


@dataclass(frozen=True, slots=True)
class Including:
    """A page that includes others: their titles as it names them, and the ids of the pages above it."""

    id: str
    space: str
    titles: tuple[str, ...]
    above: tuple[str, ...]


class Includes:
    """The included pages of one batch. `url` makes a page's address; `probe` raises when the site is not well."""

    def __init__(self, client: AtlassianClient, url: _UrlOf, probe: Callable[[], None]) -> None:
        self._client = client
        self._url = url
        self._probe = probe
        self._found: dict[tuple[str, str], dict[str, Any] | None] = {}
        self._restricted: dict[str, bool] = {}

    def find(self, pages: Sequence[Including]) -> None:
        """Look up what these include, and what that includes in turn; then whether all readers may see it."""
        keys = {(page.space, title): None for page in pages for title in page.titles}
        for _ in range(_DEPTH):
            keys = self._look_up(list(keys))
        ids = {id_: None for page in pages for raw in self._below(page).values() for id_ in _own(raw, page)}
        for part in short_lists([id_ for id_ in ids if id_ not in self._restricted], str):
            for raw in search(self._client, among("id", part), limit=WITH_FIELDS, expand=_READERS):
                self._restricted[text_of(raw, "id")] = _is_restricted(raw)

    def of(self, page: Including) -> dict[str, dict[str, str]]:
        made = {}
        for title, raw in self._below(page).items():
            body = body_of(raw)
            # What is not known to be open is taken for restricted.
            if body and not any(self._restricted.get(id_, True) for id_ in _own(raw, page)):
                made[title] = {"title": text_of(raw, "title"), "value": body[1], "url": self._url(text_of(raw, "type"), raw)}
        return made

    def _below(self, page: Including) -> dict[str, dict[str, Any]]:
        """The pages that it includes and those that they include, by title."""
        found: dict[str, dict[str, Any]] = {}
        titles = list(page.titles)
        for _ in range(_DEPTH):
            pages = {title: self._found.get((page.space, title)) for title in titles if title not in found}
            new = {title: raw for title, raw in pages.items() if raw and text_of(raw, "id") != page.id}
            found |= new
            titles = [title for raw in new.values() for title in _included_by(raw)]
        return found

    def _look_up(self, keys: Sequence[tuple[str, str]]) -> dict[tuple[str, str], None]:
        """Find pages by space and title. The answer are those that they include."""
        new = [key for key in keys if key not in self._found]
        self._found |= dict.fromkeys(new)
        more: dict[tuple[str, str], None] = {}
        for part in short_lists(new, lambda key: key[1]):
            for raw in halved(part, self._named, self._probe, _left_out):
                key = text_of(raw, "space", "key"), text_of(raw, "title")
                # Titles are compared without case there.
                if key in self._found:
                    self._found[key] = raw
                    self._restricted[text_of(raw, "id")] = _is_restricted(raw)
                    more |= dict.fromkeys((key[0], title) for title in _included_by(raw))
        return more

    def _named(self, keys: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
        spaces = dict.fromkeys(space for space, _ in keys)
        titles = [(space, among("title", [title for one, title in keys if one == space])) for space in spaces]
        places = " or ".join(f"(space = {quoted(space)} and {clause})" for space, clause in titles)
        found = list(search(self._client, every(PAGES, f"({places})"), limit=WITH_BODY, expand=_EXPAND))
        blank = [text_of(raw, "id") for raw in found if body_of(raw) is None]
        viewed = search(self._client, among("id", blank), limit=WITH_BODY, expand=("body.view",)) if blank else ()
        shown = {text_of(raw, "id"): raw.get("body") for raw in viewed}
        return [{**raw, "body": shown.get(text_of(raw, "id"), raw.get("body"))} for raw in found]


def _left_out(key: tuple[str, str], _message: str) -> list[dict[str, Any]]:
    log.warning("an included page can't be had", extra={"space": key[0]})
    return []


def _included_by(raw: Mapping[str, Any]) -> list[str]:
    body = body_of(raw)
    return list(references(body[1], text_of(raw, "space", "key")).includes) if body else []


def _own(raw: Mapping[str, Any], page: Including) -> list[str]:
    """The included page and what stands above it and not above the one that includes it: ids of what may be restricted."""
    above = [text_of(one, "id") for one in dig(raw, "ancestors") or ()]
    return [text_of(raw, "id"), *(id_ for id_ in above if id_ not in page.above and id_ != page.id)]


def _is_restricted(raw: Mapping[str, Any]) -> bool:
    """Whether the page itself names its readers; empty lists mean that it names none. Unknown counts as restricted."""
    named = [dig(raw, "restrictions", "read", "restrictions", kind, "results") for kind in ("user", "group")]
    return any(names is None or len(names) > 0 for names in named)
