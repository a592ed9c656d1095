"""A cloud source over a site in memory: a provider as any other, whose site a test moves and into whose answers it can hook."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from ragd.config.secrets import is_reference
from ragd.core.errors import FieldProblem, PayloadTooLarge, SourceRefused, SourceUnavailable, ValidationFailed
from ragd.ingest.discovery.file_rules import check_globs
from ragd.providers.registry import TABLE
from ragd.sources.base import CloudPreview, Container, Current, Fetched, HttpOptions, Listed, Skip, Unfetched

TYPE: Final = "fake"
SITES: Final[dict[str, FakeSite]] = {}
"""Sites by their address, as there are in the world http."""

_FIELDS: Final = ("base_url", "deployment", "auth", "spaces", "attachments", "comments", "include", "exclude")


@dataclass(frozen=True, slots=True)
class Item:
    """`left_out` is what a rule of the listing says of it, `broken` what comes of fetching it."""

    id: str
    title: str
    text: str
    space: str
    version: int
    updated: datetime
    owner: str | None = None
    left_out: Skip | None = None
    broken: Skip | None = None


@dataclass
class FakeSite:
    """Everything that is at an address: spaces, items, and who may read what. Moved by tests, from any thread.

    `before` is called with the name of each method and the ids that it is about, before it answers: it may wait or raise.
    """

    base_url: str = "https://wiki.example.com"
    spaces: dict[str, str] = field(default_factory=lambda: {"DEV": "Development", "HR": "人事"})
    people: dict[str, str] = field(default_factory=lambda: {"indexer-secret": "Index Account", "reader-secret": "佐藤"})
    token: str = "indexer-secret"
    reader: str = "reader-secret"
    before: Callable[[str, Collection[str]], None] = lambda _method, _ids: None
    items: dict[str, Item] = field(default_factory=dict)
    forbidden: set[tuple[str, str]] = field(default_factory=set)
    asked: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)
    """(method, token, ids) of every call."""
    stopped: bool = False

    def __post_init__(self) -> None:
        self._lock = threading.RLock()
        self._now = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
        self._last = 100

    @property
    def config(self) -> dict[str, Any]:
        return {"base_url": self.base_url, "auth": {"kind": "pat", "token": "env:RAG_SECRET_FAKE"}}

    @property
    def wrong(self) -> dict[str, dict[str, Any]]:
        return {
            "config.base_url": {**self.config, "base_url": "wiki"},
            "config.auth.token": {**self.config, "auth": {"kind": "pat", "token": "literal"}},
            "config.spaces": {**self.config, "spaces": "DEV"},
        }

    def now(self) -> datetime:
        return self._now

    def add(
        self,
        title: str,
        text: str,
        *,
        space: str = "DEV",
        owner: str | None = None,
        left_out: Skip | None = None,
        broken: Skip | None = None,
    ) -> str:
        """A new page or, with an `owner`, an attachment of that page."""
        with self._lock:
            self._last += 1
            item_id = f"{'attachment' if owner else 'page'}/{self._last}"
            home = self.items[owner].space if owner else space
            self.items[item_id] = Item(item_id, title, text, home, 1, self._tick(), owner, left_out, broken)
            return item_id

    def change(self, item_id: str, text: str, *, title: str | None = None) -> None:
        with self._lock:
            item = self.items[item_id]
            changed = replace(item, text=text, title=title or item.title, version=item.version + 1, updated=self._tick())
            self.items[item_id] = changed

    def mend(self, item_id: str) -> None:
        """Let an item be fetched that was broken. It stays the same version."""
        with self._lock:
            self.items[item_id] = replace(self.items[item_id], broken=None)

    def remove(self, item_id: str) -> None:
        with self._lock:
            for one in [one.id for one in self.items.values() if item_id in (one.id, one.owner)]:
                del self.items[one]

    def remove_space(self, space: str) -> None:
        with self._lock:
            for item in [item for item in self.items.values() if item.space == space]:
                self.remove(item.id)

    def forbid(self, item_id: str, token: str) -> None:
        with self._lock:
            self.forbidden.add((item_id, token))

    def allow(self, item_id: str, token: str) -> None:
        with self._lock:
            self.forbidden.discard((item_id, token))

    def stop(self) -> None:
        self.stopped = True

    def _tick(self) -> datetime:
        self._now += timedelta(minutes=1)
        return self._now

    # What the source asks

    def answer(self, method: str, token: str, ids: Collection[str] = ()) -> list[Item]:
        """What a token may read. Raises as a real site does."""
        self.asked.append((method, token, tuple(ids)))
        self.before(method, ids)
        if self.stopped:
            raise SourceUnavailable(f"{self.base_url} does not answer.")
        if token not in self.people:
            raise SourceRefused(f"{self.base_url} does not take the token.", "config.auth.token")
        with self._lock:
            return [item for item in self.items.values() if self._may_read(item, token)]

    def _may_read(self, item: Item, token: str) -> bool:
        return not {(item.id, token), (item.owner or "", token)} & self.forbidden


class FakeCloud:
    """A source of one `FakeSite`. Attachments are text files, pages Markdown."""

    type = TYPE

    def __init__(self, config: Mapping[str, Any], token: str, http: HttpOptions) -> None:
        self._config = config
        self._token = token
        self._http = http

    @classmethod
    def parse_config(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        problems = [
            FieldProblem(f"config.{name}", "unknown", f"A fake source has no '{name}'.") for name in values if name not in _FIELDS
        ]

        def check(name: str, is_right: bool, message: str) -> None:
            if not is_right:
                problems.append(FieldProblem(f"config.{name}", "invalid", message))

        base_url, auth, spaces = values.get("base_url"), values.get("auth") or {}, values.get("spaces", [])
        reference = auth.get("token", "")
        check("base_url", isinstance(base_url, str) and "://" in base_url, "base_url begins with https://.")
        is_good = bool(reference) and (reference == "request" or is_reference(reference))
        check("auth.token", is_good, "auth.token is no reference.")
        check("spaces", isinstance(spaces, list), "'spaces' is a list of keys.")
        if problems:
            raise ValidationFailed(" ".join(problem.message for problem in problems), details=problems)
        return {
            "base_url": base_url,
            "deployment": values.get("deployment") or "data_center",
            "auth": {"kind": auth.get("kind") or "pat", "email": auth.get("email") or "", "token": reference},
            "spaces": spaces,
            "attachments": values.get("attachments", True),
            "comments": values.get("comments", True),
            "include": list(check_globs(values.get("include", []), "config.include")),
            "exclude": list(check_globs(values.get("exclude", []), "config.exclude")),
        }

    def check(self) -> CloudPreview:
        items = self._items("check")
        counts = Counter(item.space for item in items)
        unknown = [key for key in self._config["spaces"] if key not in self._site.spaces]
        if unknown:
            raise SourceRefused(f"There is no space {', '.join(unknown)}.", "config.spaces")
        keys = self._config["spaces"] or sorted(self._site.spaces)
        containers = tuple(Container(key, self._site.spaces[key], counts[key]) for key in keys)
        warnings = () if items else ("No page is found. Check spaces, and what the account may read.",)
        account = self._site.people[self._token]
        return CloudPreview(account, self._config["deployment"], containers, tuple(item.title for item in items[:5]), warnings)

    def listing(self, *, deep: bool) -> Iterator[Listed]:
        for item in self._items("listing"):
            if deep or item.owner is None:
                yield _listed(item)

    def changes(self, since: datetime) -> Iterator[Listed]:
        items = self._items("changes")
        changed = {item.id for item in items if item.updated >= since}
        changed |= {item.owner for item in items if item.id in changed and item.owner}
        for item in items:
            if item.id in changed or item.owner in changed:
                yield _listed(item)

    def fetch(self, items: Sequence[Listed]) -> Iterator[Fetched | Unfetched]:
        if not items:
            return
        readable = {item.id: item for item in self._items("fetch", [item.id for item in items])}
        for listed in items:
            item = readable.get(listed.id)
            if item is None:
                reason = Skip("forbidden", f"The account may not read {listed.id}.")
                gone = Skip("gone", f"{listed.id} is no longer there.")
                yield Unfetched(listed.id, reason if listed.id in self._site.items else gone)
            elif item.broken:
                yield Unfetched(listed.id, item.broken)
            else:
                yield self._fetched(item, readable)

    def current(self, items: Sequence[Listed], token: str, *, content: bool) -> dict[str, Current]:
        if not items:
            return {}
        self._http.usage.requests += 1
        ids = [item.id for item in items]
        readable = {item.id: item for item in self._site.answer("current", token, ids)}
        return {
            item.id: Current(
                item.id, str(item.version), item.updated.isoformat(), self._fetched(item, readable) if content else None
            )
            for item in (readable[item_id] for item_id in ids if item_id in readable)
        }

    def close(self) -> None:
        """Nothing is open."""

    @property
    def _site(self) -> FakeSite:
        if (site := SITES.get(self._config["base_url"])) is None:
            raise SourceRefused(f"There is nothing at {self._config['base_url']}.")
        return site

    def _items(self, method: str, ids: Collection[str] = ()) -> list[Item]:
        self._http.usage.requests += 1
        spaces = self._config["spaces"]
        found = self._site.answer(method, self._token, ids)
        return [
            item for item in found if (not spaces or item.space in spaces) and (item.owner is None or self._config["attachments"])
        ]

    def _fetched(self, item: Item, readable: Mapping[str, Item]) -> Fetched:
        data = (item.text if item.owner else f"# {item.title}\n\n{item.text}\n").encode()

        def load(limit: int) -> bytes:
            self._http.usage.requests += 1
            if len(data) > limit:
                raise PayloadTooLarge(f"{item.id} has {len(data)} bytes; at most {limit} are read.")
            return data

        above = readable.get(item.owner or "")
        path = f"{item.space}/{above.title}/{item.title}" if above else f"{item.space}/{item.title}"
        return Fetched(
            id=item.id,
            fingerprint=_fingerprint(item),
            version=str(item.version),
            title=item.title,
            source=path,
            uri=f"{self._config['base_url']}/{item.id}",
            name="file.txt" if item.owner else "page.md",
            load=load,
            updated_at=item.updated.isoformat(),
        )


def _fingerprint(item: Item) -> str:
    return f"{item.version}:{item.title}"


def _listed(item: Item) -> Listed:
    return Listed(
        id=item.id,
        kind=item.id.partition("/")[0],
        title=item.title,
        container=item.space,
        fingerprint=_fingerprint(item),
        owner=item.owner,
        updated_at=item.updated.isoformat(),
        left_out=item.left_out,
    )


def install(monkeypatch: pytest.MonkeyPatch, site: FakeSite) -> FakeSite:
    """Put a site at its address, and the type `fake` into the table of providers, for one test."""
    monkeypatch.setitem(TABLE, ("source", TYPE), f"{FakeCloud.__module__}:FakeCloud")
    monkeypatch.setitem(SITES, site.base_url, site)
    monkeypatch.setenv("RAG_SECRET_FAKE", site.token)
    return site


def filled(site: FakeSite | None = None) -> FakeSite:
    """A site with two pages, one with an attachment, and a page in Japanese."""
    site = site or FakeSite()
    setup = site.add("Install", "Run `kestrel setup` once, behind the proxy.")
    site.add("notes.txt", "The kestrel needs a certificate of the company.", owner=setup)
    site.add("Restore", "Run `restore --from snapshot` and wait.")
    site.add("休暇規程", "有給休暇は五営業日前までに申請する。", space="HR")
    return site
