"""What a world knows, and how it is looked up."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar
from uuid import uuid4
from zoneinfo import ZoneInfo

from .faults import Faults
from .model import Attachment, Clock, Comment, Issue, Page, Project, Space, User
from .rights import Account

Part = TypeVar("Part", Comment, Attachment)
CURSOR_LIFE = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it came in. `status` 0: the connection broke off before an answer."""

    method: str
    path: str
    query: str
    status: int


@dataclass(frozen=True, slots=True)
class _Cursor:
    scope: str
    ids: tuple[str, ...]
    made: datetime
    generation: int


class Store:
    """Everything that the faces read, under `lock`."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.lock = threading.RLock()
        self.clock = Clock()
        self.time_zone = "Asia/Tokyo"
        self.index_lag_s = 0.0
        self.faults = Faults()
        self.requests: list[tuple[str, str, int]] = []
        self.asked: list[Asked] = []
        self.users: dict[str, User] = {}
        self.spaces: dict[str, Space] = {}
        self.pages: dict[str, Page] = {}
        self.comments: dict[str, Comment] = {}
        self.attachments: dict[str, Attachment] = {}
        self.projects: dict[str, Project] = {}
        self.issues: dict[str, Issue] = {}
        self.accounts: dict[str, Account] = {}
        self.of_owner: dict[str, list[str]] = {}
        self._cursors: dict[str, _Cursor] = {}
        self._numbers: dict[str, int] = {}
        self._issue_ids: dict[str, str] = {}

    # Requests and cursors

    def reset_requests(self) -> None:
        with self.lock:
            self.requests.clear()
            self.asked.clear()

    def new_cursor(self, scope: str, ids: Iterable[str]) -> str:
        """An opaque name for what is left of a listing; `scope` is the only address that it is good for."""
        name = uuid4().hex
        self._cursors[name] = _Cursor(scope, tuple(ids), self.clock.now(), self.faults.cursors_expired)
        return name

    def rest_of(self, cursor: str, scope: str) -> tuple[str, ...] | None:
        """The ids that a cursor stands for; None for one that is expired, of another address or none at all."""
        found = self._cursors.get(cursor)
        if found is None or found.scope != scope or found.generation != self.faults.cursors_expired:
            return None
        return found.ids if self.clock.now() - found.made < CURSOR_LIFE else None

    # What the faces and the generator look up

    def zone(self, account: Account | None = None) -> ZoneInfo:
        return ZoneInfo((account.time_zone if account else "") or self.time_zone)

    def next_number(self, kind: str, first: int) -> int:
        with self.lock:
            self._numbers[kind] = self._numbers.get(kind, first - 1) + 1
            return self._numbers[kind]

    def page(self, id: str | int) -> Page:
        return self.pages[bare(id)]

    def issue(self, key: str) -> Issue:
        """By key or id. Raises KeyError."""
        found = self.find_issue(bare(key))
        if found is None:
            raise KeyError(key)
        return found

    def find_issue(self, key: str) -> Issue | None:
        return self.issues.get(self._issue_ids.get(key.upper(), key))

    def ancestors(self, page: Page) -> list[Page]:
        """Outermost first."""
        above: list[Page] = []
        while page.parent and (found := self.pages.get(page.parent)) is not None:
            page = found
            above.insert(0, page)
        return above

    def below(self, id: str) -> Iterator[Page]:
        for page in list(self.pages.values()):
            if page.parent == id:
                yield page
                yield from self.below(page.id)

    def children(self, owner: str, kind: type[Part]) -> list[Part]:
        """Comments or attachments of a page or issue, the oldest first."""
        store: dict[str, Any] = self.comments if kind is Comment else self.attachments
        return [store[id] for id in self.of_owner.get(owner, ()) if id in store]

    def keep_page(self, page: Page) -> Page:
        self.pages[page.id] = page
        return page

    def keep_issue(self, issue: Issue) -> Issue:
        self.issues[issue.id] = issue
        self._issue_ids[issue.key] = issue.id
        return issue

    def keep_part(self, part: Part) -> Part:
        store: dict[str, Any] = self.comments if isinstance(part, Comment) else self.attachments
        store[part.id] = part
        self.of_owner.setdefault(part.owner, []).append(part.id)
        return part


def bare(id: str | int) -> str:
    """`page/123`, "123" and 123 name the same."""
    return str(id).rsplit("/", 1)[-1]
