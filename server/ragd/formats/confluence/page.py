"""What the parts of a page refer to, while it is written: the envelope, its pictures, and how much was included so far."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urljoin

from ragd.formats.common.pictures import is_relative
from ragd.formats.confluence.envelope import Envelope

_MAX_INCLUDES: Final = 100
_MAX_INCLUDED: Final = 5_000_000
"""Included pages of one page, and characters of them together: pages may include each other many times over."""
MAX_INCLUDE_DEPTH: Final = 5

_EMBEDDED: Final = "embedded/"
_ENCODED: Final = {" ": "%20", "(": "%28", ")": "%29", "\n": "", "\r": "", "\t": "", "<": "%3C", ">": "%3E"}


@dataclass(slots=True)
class PageParts:
    """One envelope. `notes` counts what could not be shown, by kind.

    `shown_issues` are the Jira keys that macros of the page name one by one; `lone_query` whether only one macro asks a query.
    `listed` are the long lists that were written already, of which a second showing would say nothing new.
    """

    envelope: Envelope
    notes: Counter[str] = field(default_factory=Counter)
    lone_query: bool = False
    shown_issues: frozenset[str] = frozenset()
    listed: set[str] = field(default_factory=set)
    _held: dict[str, bytes] = field(default_factory=dict)
    _links: dict[str, str] = field(default_factory=dict)
    _includes: int = 0
    _included: int = 0

    def picture(self, name: str) -> str:
        """The link under which `held` gives the picture called `name`; empty when the envelope has none."""
        data = self.envelope.pictures.get(name)
        if not data:
            return ""
        if name not in self._links:
            link = f"{_EMBEDDED}{len(self._links)}"
            self._links[name], self._held[link] = link, data
        return self._links[name]

    def held(self, link: str) -> bytes | None:
        return self._held.get(link)

    def file_url(self, name: str) -> str:
        """Where people open an attachment of the page; empty when nobody knows."""
        return self.address(self.envelope.attachments.get(name, {}).get("url", ""))

    def address(self, link: str) -> str:
        """A link as seen from the page, fit for Markdown."""
        link = link.strip()
        if is_relative(link) and not link.startswith("#"):
            try:
                link = urljoin(self.envelope.url, link)
            except ValueError:
                return ""
        return "".join(_ENCODED.get(letter, letter) for letter in link)

    def may_include(self, length: int) -> bool:
        """Whether so many characters more may be included; counts them if so."""
        if self._includes >= _MAX_INCLUDES or self._included + length > _MAX_INCLUDED:
            return False
        self._includes += 1
        self._included += length
        return True

    def first_time(self, what: str) -> bool:
        """Whether `what` is listed for the first time; it counts as listed from then on."""
        is_new = what not in self.listed
        self.listed.add(what)
        return is_new
