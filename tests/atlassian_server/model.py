"""What a world holds: plain values, shared by all faces."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple


class Fact(NamedTuple):
    """A question that one item alone answers, and words that the right answer holds."""

    question: str
    answer: str


class Clock:
    """The time of the server: real time, moved by `advance`; stands still after `freeze`."""

    def __init__(self) -> None:
        self._offset = timedelta()
        self._frozen: datetime | None = None

    def now(self) -> datetime:
        """Aware, UTC, whole milliseconds, as the real ones tell time."""
        now = (self._frozen or datetime.now(UTC)) + self._offset
        return now.replace(microsecond=now.microsecond // 1000 * 1000)

    def advance(self, seconds: float) -> None:
        self._offset += timedelta(seconds=seconds)

    def freeze(self, at: datetime | None = None) -> None:
        """Stand still, at this time (aware) or now. `advance` still moves it."""
        self._frozen = (at or self.now()).astimezone(UTC)
        self._offset = timedelta()


@dataclass(slots=True)
class User:
    account_id: str
    key: str
    name: str
    display_name: str
    email: str


@dataclass(slots=True)
class Space:
    id: str
    key: str
    name: str
    created: datetime
    homepage: str = ""
    gone: bool = False


@dataclass(slots=True)
class Project:
    id: str
    key: str
    name: str
    lead: str
    last_number: int = 0


class Lazy:
    """A value that is made when it is first asked for."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._made: Any = None

    def get(self) -> Any:
        if self._made is None:
            self._made = self._make()
        return self._made


def ready(value: Any) -> Any:
    """The value itself, or what a lazy one gives."""
    return value.get() if isinstance(value, Lazy) else value


@dataclass
class Item:
    """What can be found by a search. `changed` is when the search index heard of it last, `before` what it knew until then."""

    id: str
    created: datetime
    updated: datetime
    author: str
    changed: datetime | None = None
    before: Item | None = None
    viewed: str | None = field(default=None, kw_only=True)
    """What `view` shows of it, where that is not made of the body."""

    def as_indexed(self, now: datetime, lag_s: float) -> Item | None:
        """This item as a search knows it, or None if it doesn't yet."""
        if self.changed is None or self.changed + timedelta(seconds=lag_s) <= now:
            return self
        return self.before

    def will_change(self, now: datetime, lag_s: float) -> None:
        """To be called before a change, so that a late index can go on showing what was."""
        known = self.as_indexed(now, lag_s)
        old = copy.copy(known) if known is not None else None
        if old is not None:
            old.before, old.changed = None, None
        self.before, self.changed = old, now


@dataclass
class Page(Item):
    """A page, a blog post or a folder (`kind`); a folder has no body and holds pages, on Cloud alone."""

    kind: str = "page"
    space: str = ""
    title: str = ""
    parent: str | None = None
    language: str = "en"
    content: Any = ""
    version: int = 1
    status: str = "current"
    editor: str = ""
    labels: list[str] = field(default_factory=list)
    readers: frozenset[str] | None = None
    fact: Fact | None = None
    without_storage: bool = False

    @property
    def body(self) -> str:
        """In storage format as Cloud has it."""
        return str(ready(self.content))


@dataclass
class Comment(Item):
    """A comment on a page (`kind` footer or inline) or, with neither, on an issue (`body` in blocks)."""

    owner: str = ""
    kind: str = "footer"
    body: Any = ""
    parent: str | None = None
    selection: str = ""
    resolved: bool = False
    version: int = 1
    status: str = "current"


@dataclass
class Attachment(Item):
    """A file of a page or an issue."""

    owner: str = ""
    name: str = ""
    media_type: str = "application/octet-stream"
    content: Any = b""
    version: int = 1
    status: str = "current"

    @property
    def data(self) -> bytes:
        return bytes(ready(self.content))


@dataclass
class Issue(Item):
    key: str = ""
    project: str = ""
    number: int = 0
    summary: str = ""
    description: Any = None
    language: str = "en"
    type: str = "Task"
    status: str = "To Do"
    priority: str = "Medium"
    resolution: str | None = None
    assignee: str | None = None
    labels: list[str] = field(default_factory=list)
    components: list[str] = field(default_factory=list)
    versions: list[str] = field(default_factory=list)
    fix_versions: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    parent: str | None = None
    custom: dict[str, Any] = field(default_factory=dict)
    readers: frozenset[str] | None = None
    deleted: bool = False
    fact: Fact | None = None

    @property
    def blocks(self) -> Any:
        return ready(self.description)
