"""The part of CQL that a sync may use. Dates have minute precision in the zone of the site; the index may be late."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from .dates import compare, parse_local, parse_period, start_of_day, to_minute
from .model import Attachment, Comment, Item, Page
from .query import Clause, Predicate, Query, QueryError, Word, compiled, parse
from .rights import Account
from .world import World

_DATES = ("lastmodified", "created")
_TEXTS = ("text", "sitesearch", "title")
_KINDS = ("page", "blogpost", "comment", "attachment")
# What the real one knows besides; nothing here has them.
_OTHER_KINDS = ("whiteboard", "database", "folder", "embed", "space", "user")


def search(world: World, account: Account, cql: str) -> list[Item]:
    """Everything that matches and that this account may read, in order. Raises QueryError."""
    if not cql.strip():
        raise QueryError("cql query parameter is required")
    try:
        query = parse(cql)
        matches = compiled(query.where, _Clauses(world, account).clause) if query.where is not None else lambda _item: True
    except QueryError as error:
        raise QueryError(f"Could not parse cql : {cql}") from error
    found = [item for item in _indexed(world, account) if matches(item)]
    return _ordered(query, found)


def kind_of(item: Item) -> str:
    if isinstance(item, Attachment):
        return "attachment"
    return "comment" if isinstance(item, Comment) else item.kind if isinstance(item, Page) else ""


def _indexed(world: World, account: Account) -> Iterator[Item]:
    now = world.clock.now()
    for page in world.pages.values():
        known = page.as_indexed(now, world.index_lag_s)
        if isinstance(known, Page) and known.status == "current" and account.may_read_page(world, page):
            yield known
            for part in (*world.children(page.id, Comment), *world.children(page.id, Attachment)):
                known_part = part.as_indexed(now, world.index_lag_s)
                if known_part is not None and part.id not in account.denied:
                    yield known_part


def _ordered(query: Query, found: list[Item]) -> list[Item]:
    keys: dict[str, Callable[[Item], Any]] = {
        "lastmodified": lambda item: item.updated,
        "created": lambda item: item.created,
        "id": lambda item: int(item.id.removeprefix("att")),
        "title": lambda item: getattr(item, "title", getattr(item, "name", "")),
        "type": kind_of,
    }
    for name, descending in reversed(query.order):
        if name not in keys:
            raise QueryError(f"Could not parse cql : cannot sort by {name}")
        found.sort(key=keys[name], reverse=descending)
    return found


class _Clauses:
    def __init__(self, world: World, account: Account) -> None:
        self._world = world
        self._account = account

    def clause(self, clause: Clause) -> Predicate:
        name = clause.field.lower()
        if clause.operator in ("is", "is not"):
            raise QueryError("CQL has no IS")
        if name in _DATES:
            return self._date(name, clause)
        if name in _TEXTS:
            return self._text(name, clause)
        return self._equal(name, clause)

    def _date(self, name: str, clause: Clause) -> Predicate:
        if len(clause.values) != 1 or clause.operator in ("~", "!~", "in", "not in"):
            raise QueryError(f"{clause.operator} is not supported by {name}")
        moment, operator = self._moment(clause.values[0]), clause.operator
        attribute = "updated" if name == "lastmodified" else "created"
        return lambda item: compare(operator, to_minute(getattr(item, attribute)), moment)

    def _moment(self, word: Word) -> datetime:
        now, zone = self._world.clock.now(), self._world.zone()
        if word.function and word.text.lower() in ("now", "startofday"):
            shift = parse_period(word.argument) if word.argument else None
            if word.argument and shift is None:
                raise QueryError(f"{word.argument} is no period")
            start = now if word.text.lower() == "now" else start_of_day(now, zone)
            return to_minute(start + shift if shift else start)
        moment = None if word.function else parse_local(word.text, zone)
        if moment is None:
            raise QueryError(f"{word.text} is no date")
        return moment

    def _text(self, name: str, clause: Clause) -> Predicate:
        wanted = clause.values[0].text.lower()
        if name == "title" and clause.operator in ("=", "!=", "in", "not in"):
            titles = {word.text.lower() for word in clause.values}
            return _in_or_not(clause, lambda item: _title(item).lower() in titles)
        if clause.operator not in ("~", "!~"):
            raise QueryError(f"{clause.operator} is not supported by {name}")
        words = wanted.replace("*", "").split()

        def holds(item: Item) -> bool:
            text = _title(item) if name == "title" else f"{_title(item)} {getattr(item, 'body', '')}"
            return all(word in text.lower() for word in words)

        return _in_or_not(clause, holds)

    def _equal(self, name: str, clause: Clause) -> Predicate:
        if clause.operator not in ("=", "!=", "in", "not in"):
            raise QueryError(f"{clause.operator} is not supported by {name}")
        values = {self._value(name, word) for word in clause.values}
        getters: dict[str, Callable[[Item], set[str]]] = {
            "type": lambda item: {kind_of(item)},
            "space": lambda item: {self._page(item).space.lower()},
            "space.key": lambda item: {self._page(item).space.lower()},
            "id": lambda item: {item.id},
            "content": lambda item: {item.id},
            "container": lambda item: {getattr(item, "owner", "")},
            "ancestor": lambda item: {above.id for above in self._world.ancestors(item)} if isinstance(item, Page) else set(),
            "parent": lambda item: {item.parent or ""} if isinstance(item, Page) else set(),
            "label": lambda item: {label.lower() for label in getattr(item, "labels", ())},
            "creator": lambda item: {item.author},
            "contributor": lambda item: {item.author, getattr(item, "editor", "")},
        }
        if name not in getters:
            raise QueryError(f"{name} is no field")
        get = getters[name]
        return _in_or_not(clause, lambda item: bool(get(item) & values))

    def _value(self, name: str, word: Word) -> str:
        if word.function:
            if word.text.lower() == "currentuser" and name in ("creator", "contributor"):
                return self._account.user.account_id
            raise QueryError(f"{word.text}() is not supported by {name}")
        text = word.text.lower() if name in ("type", "space", "space.key", "label") else word.text
        if name == "type" and text not in (*_KINDS, *_OTHER_KINDS):
            raise QueryError(f"{text} is no type")
        if name in ("id", "content", "container", "ancestor", "parent") and not text.removeprefix("att").isdigit():
            raise QueryError(f"{text} is no content id")
        return text

    def _page(self, item: Item) -> Page:
        return item if isinstance(item, Page) else self._world.pages[getattr(item, "owner")]  # noqa: B009


def _title(item: Item) -> str:
    return str(getattr(item, "title", None) or getattr(item, "name", ""))


def _in_or_not(clause: Clause, holds: Callable[[Item], bool]) -> Predicate:
    if clause.operator in ("!=", "not in", "!~"):
        return lambda item: not holds(item)
    return holds
