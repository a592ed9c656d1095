"""The part of JQL that a sync may use. Dates: epoch milliseconds unquoted, or to the minute in the zone of the account."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from .blocks import plain
from .dates import compare, parse_local, parse_period, start_of_day
from .fields import CUSTOM_FIELDS, custom_field
from .model import Comment, Issue
from .query import Clause, Predicate, QueryError, Word, compiled, parse
from .rights import Account
from .world import World

UNBOUNDED = "Unbounded JQL queries are not allowed here. Please add a search restriction to your query."
_DATES = {"updated": "updated", "updateddate": "updated", "created": "created", "createddate": "created"}
_KEYS = ("key", "issuekey", "issue", "id")
_PRIORITIES = ["Lowest", "Low", "Medium", "High", "Highest"]
_FORMATS = "'yyyy/MM/dd HH:mm', 'yyyy-MM-dd HH:mm', 'yyyy/MM/dd', 'yyyy-MM-dd', or a period format e.g. '-5d', '4w 2d'"


def search(world: World, account: Account, jql: str, *, bounded: bool, strict: bool = True) -> list[Issue]:
    """Issues that match and that this account may read, in order; by default the newest first.

    `bounded` refuses a query without a restriction, `strict` one that names issues or projects that are not there. Raises
    QueryError.
    """
    try:
        query = parse(jql)
    except QueryError as error:
        raise QueryError(f"Error in the JQL Query: {error}") from error
    if bounded and query.where is None:
        raise QueryError(UNBOUNDED)
    clauses = _Clauses(world, account, strict)
    matches: Predicate = compiled(query.where, clauses.clause) if query.where is not None else lambda _issue: True
    found = [issue for issue in clauses.visible() if matches(issue)]
    for name, descending in reversed(query.order or [("key", True)]):
        found.sort(key=_order(name), reverse=descending)
    return found


def _order(name: str) -> Callable[[Issue], Any]:
    orders: dict[str, Callable[[Issue], Any]] = {
        "created": lambda issue: issue.created,
        "updated": lambda issue: issue.updated,
        "priority": lambda issue: _PRIORITIES.index(issue.priority),
        "summary": lambda issue: issue.summary,
        "status": lambda issue: issue.status,
        "project": lambda issue: issue.project,
        "id": lambda issue: int(issue.id),
    }
    if name in ("key", "issuekey"):
        return lambda issue: (issue.project, issue.number)
    if name not in orders:
        raise QueryError(f"Not able to sort using field '{name}'.")
    return orders[name]


class _Clauses:
    def __init__(self, world: World, account: Account, strict: bool) -> None:
        self._world = world
        self._account = account
        self._strict = strict

    def visible(self) -> list[Issue]:
        now, lag = self._world.clock.now(), self._world.index_lag_s
        known = [(issue, issue.as_indexed(now, lag)) for issue in self._world.issues.values()]
        return [
            shown
            for issue, shown in known
            if isinstance(shown, Issue) and not shown.deleted and self._account.may_read_issue(issue)
        ]

    def clause(self, clause: Clause) -> Predicate:
        name = clause.field.lower()
        if name in _DATES:
            return self._date(_DATES[name], clause)
        if name in _KEYS:
            return self._keys(name, clause)
        if name == "project":
            return self._projects(clause)
        if name in ("text", "summary", "description", "comment"):
            return self._text(name, clause)
        return self._values(name, clause)

    def _date(self, attribute: str, clause: Clause) -> Predicate:
        if clause.operator in ("is", "is not"):
            return lambda _issue: clause.operator == "is not"
        if len(clause.values) != 1 or clause.operator in ("~", "!~", "in", "not in"):
            raise QueryError(f"The operator '{clause.operator}' is not supported by the '{clause.field}' field.")
        moment = self._moment(clause.field, clause.values[0])
        return lambda issue: compare(clause.operator, getattr(issue, attribute), moment)

    def _moment(self, name: str, word: Word) -> datetime:
        now, zone = self._world.clock.now(), self._world.zone(self._account)
        if word.function:
            if word.text.lower() == "now":
                return now
            if word.text.lower() == "startofday":
                return start_of_day(now, zone) + (parse_period(word.argument) or now - now)
            raise QueryError(f"Unable to find JQL function '{word.text}()'.")
        if not word.quoted and re.fullmatch(r"\d{5,}", word.text):
            return datetime.fromtimestamp(int(word.text) / 1000, UTC)
        period = parse_period(word.text)
        moment = now + period if period is not None else parse_local(word.text, zone)
        if moment is None:
            raise QueryError(f"Date value '{word.text}' for field '{name}' is invalid. Valid formats include: {_FORMATS}.")
        return moment

    def _keys(self, name: str, clause: Clause) -> Predicate:
        wanted: set[str] = set()
        for word in clause.values:
            issue = self._world.find_issue(word.text)
            if issue is not None and self._account.may_read(self._world, issue):
                wanted.add(issue.id)
            elif self._strict:
                raise QueryError(f"An issue with key '{word.text}' does not exist for field '{name}'.")
        if clause.operator in (">", ">=", "<", "<=") and len(wanted) == 1:
            bound = self._world.issues[wanted.pop()]
            return lambda issue: issue.project == bound.project and compare(clause.operator, issue.number, bound.number)
        return _member(clause, lambda issue: {issue.id}, wanted)

    def _projects(self, clause: Clause) -> Predicate:
        known = {
            name.lower(): project.key
            for project in self._world.projects.values()
            if self._account.may_see_project(project.key)
            for name in (project.key, project.name, project.id)
        }
        for word in clause.values:
            if self._strict and word.text.lower() not in known:
                raise QueryError(f"The value '{word.text}' does not exist for the field 'project'.")
        return _member(clause, lambda issue: {issue.project}, {known.get(word.text.lower(), "") for word in clause.values})

    def _text(self, name: str, clause: Clause) -> Predicate:
        if name == "description" and clause.operator in ("is", "is not"):
            return lambda issue: (issue.blocks is None) == (clause.operator == "is")
        if clause.operator not in ("~", "!~"):
            raise QueryError(f"The operator '{clause.operator}' is not supported by the '{clause.field}' field.")
        words = clause.values[0].text.lower().strip('"').replace("*", "").split()

        def text(issue: Issue) -> str:
            parts = {"summary": [issue.summary], "description": [plain(issue.blocks)]}
            comments = [plain(comment.body) for comment in self._world.children(issue.id, Comment)]
            if name == "comment":
                return "\n".join(comments)
            return "\n".join(parts.get(name) or [issue.summary, plain(issue.blocks), *comments])

        return lambda issue: all(word in text(issue).lower() for word in words) == (clause.operator == "~")

    def _values(self, name: str, clause: Clause) -> Predicate:
        getters: dict[str, Callable[[Issue], set[str]]] = {
            "labels": lambda issue: {label.lower() for label in issue.labels},
            "status": lambda issue: {issue.status.lower()},
            "statuscategory": lambda issue: {"done" if issue.status == "Done" else issue.status.lower()},
            "issuetype": lambda issue: {issue.type.lower()},
            "type": lambda issue: {issue.type.lower()},
            "priority": lambda issue: {issue.priority.lower()},
            "component": lambda issue: {component.lower() for component in issue.components},
            "fixversion": lambda issue: {version.lower() for version in issue.fix_versions},
            "affectedversion": lambda issue: {version.lower() for version in issue.versions},
            "assignee": lambda issue: self._names(issue.assignee),
            "reporter": lambda issue: self._names(issue.author),
            "creator": lambda issue: self._names(issue.author),
            "resolution": lambda issue: {issue.resolution.lower()} if issue.resolution else {"unresolved"},
            "parent": self._names_of_parent,
        }
        field = custom_field(clause.field)
        if field is not None:
            getters[name] = lambda issue: {str(value).lower() for value in CUSTOM_FIELDS[field].values(issue.custom.get(field))}
        if name not in getters:
            raise QueryError(f"Field '{clause.field}' does not exist or you do not have permission to view it.")
        values = {self._account.user.account_id if word.function else word.text.lower() for word in clause.values}
        return _member(clause, getters[name], values)

    def _names(self, account_id: str | None) -> set[str]:
        user = self._world.users.get(account_id or "")
        return {name.lower() for name in (user.account_id, user.key, user.name, user.display_name)} if user else set()

    def _names_of_parent(self, issue: Issue) -> set[str]:
        parent = self._world.issues.get(issue.parent or "")
        return {parent.id, parent.key.lower()} if parent else set()


def _member(clause: Clause, get: Callable[[Issue], set[str]], values: set[str]) -> Predicate:
    if clause.operator in ("is", "is not"):
        return lambda issue: bool(get(issue)) == (clause.operator == "is not")
    if clause.operator in ("=", "in"):
        return lambda issue: bool(get(issue) & values)
    if clause.operator in ("!=", "not in"):
        return lambda issue: bool(get(issue)) and not get(issue) & values
    raise QueryError(f"The operator '{clause.operator}' is not supported by the '{clause.field}' field.")
