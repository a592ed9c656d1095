"""An issue as JSON, for Cloud (ADF, account ids) and Data Center (wiki markup, user names)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid5

from .blocks import plain, to_adf, to_wiki
from .face import Ask, check_whole, zoned
from .model import Attachment, Comment, Issue, Project
from .store import Store

COMMENTS_IN_ISSUE = 20
_STATUS_IDS = {"To Do": "10000", "In Progress": "3", "Done": "10001"}
_CATEGORIES = {"To Do": ("new", 2), "In Progress": ("indeterminate", 4), "Done": ("done", 3)}
_LINKS = {
    "Blocks": ("is blocked by", "blocks"),
    "Relates": ("relates to", "relates to"),
    "Duplicate": ("is duplicated by", "duplicates"),
}
# Asked for by *navigable, or shown without being asked; the others only by name or *all.
_NOT_NAVIGABLE = ("comment", "attachment")
_IDS = UUID("3d0b5a43-7f8e-4d0e-8f69-0d3e1d6a7c11")


@dataclass(frozen=True, slots=True)
class CustomField:
    """`kind`: `textarea` (rich text), `option`, `labels`, `number`, `user`."""

    id: str
    name: str
    kind: str

    def values(self, value: Any) -> list[Any]:
        """What JQL compares."""
        if value is None:
            return []
        return (
            list(value)
            if isinstance(value, list) and self.kind == "labels"
            else [plain(value) if self.kind == "textarea" else value]
        )


CUSTOM_FIELDS = {
    field.id: field
    for field in (
        CustomField("customfield_10016", "Story Points", "number"),
        CustomField("customfield_10050", "Root cause", "textarea"),
        CustomField("customfield_10051", "Severity", "option"),
        CustomField("customfield_10052", "Affected hosts", "labels"),
        CustomField("customfield_10053", "Reviewer", "user"),
    )
}


def custom_field(name: str) -> str | None:
    """The id of a custom field that JQL names by `cf[10050]` or by its name."""
    for id, field in CUSTOM_FIELDS.items():
        if name.lower() in (field.name.lower(), f"cf[{id.removeprefix('customfield_')}]"):
            return id
    return None


class Rendering:
    """How one face shows issues. `api` is the version in its addresses."""

    def __init__(self, ask: Ask, *, cloud: bool) -> None:
        self._ask = ask
        self._world: Store = ask.world
        self._cloud = cloud
        self.site = ask.host if cloud else f"{ask.host}/jira"
        self.api = f"{self.site}/rest/api/{3 if cloud else 2}"

        self._below: dict[str, list[str]] | None = None
        self._hither: dict[str, list[tuple[str, str]]] = {}

    def now(self) -> str:
        return self._date(self._world.clock.now())

    def issue(self, issue: Issue, wanted: Sequence[str]) -> dict[str, Any]:
        """`wanted`: names of fields, `*all`, `*navigable`, `-name`; only `id` gives the id alone on Cloud."""
        shell = {
            "expand": "renderedFields,names,schema,operations",
            "id": issue.id,
            "self": f"{self.api}/issue/{issue.id}",
            "key": issue.key,
        }
        if self._cloud and set(wanted) == {"id"}:
            return {"id": issue.id}
        names = self._names(issue, wanted)
        if not names:
            return shell
        check_whole(self._ask, issue.id)
        getters = self._getters(issue)
        return {**shell, "fields": {name: getters[name]() for name in names}}

    def comment(self, issue: Issue, comment: Comment) -> dict[str, Any]:
        return {
            "self": f"{self.api}/issue/{issue.id}/comment/{comment.id}",
            "id": comment.id,
            "author": self.user(comment.author),
            "body": self._text(comment.body),
            "updateAuthor": self.user(comment.author),
            "created": self._date(comment.created),
            "updated": self._date(comment.updated),
            **({"jsdPublic": True} if self._cloud else {}),
        }

    def attachment(self, attachment: Attachment) -> dict[str, Any]:
        content = (
            f"{self.api}/attachment/content/{attachment.id}"
            if self._cloud
            else f"{self.site}/secure/attachment/{attachment.id}/{attachment.name}"
        )
        return {
            "self": f"{self.api}/attachment/{attachment.id}",
            "id": attachment.id,
            "filename": attachment.name,
            "author": self.user(attachment.author),
            "created": self._date(attachment.created),
            "size": len(attachment.data),
            "mimeType": attachment.media_type,
            "content": content,
        }

    def user(self, account_id: str | None) -> dict[str, Any] | None:
        user = self._world.users.get(account_id or "")
        if user is None:
            return None
        common = {"displayName": user.display_name, "active": True, "timeZone": self._world.time_zone}
        if self._cloud:
            address = f"{self.api}/user?accountId={user.account_id}"
            return {"self": address, "accountId": user.account_id, "accountType": "atlassian", "avatarUrls": {}, **common}
        return {
            "self": f"{self.api}/user?username={user.name}",
            "name": user.name,
            "key": user.key,
            "emailAddress": user.email,
            **common,
        }

    def project(self, project: Project) -> dict[str, Any]:
        return {
            "self": f"{self.api}/project/{project.id}",
            "id": project.id,
            "key": project.key,
            "name": project.name,
            "projectTypeKey": "software",
            "avatarUrls": {},
            **({"simplified": False, "style": "classic", "isPrivate": False} if self._cloud else {}),
        }

    def field_list(self) -> list[dict[str, Any]]:
        """Answer of /field."""
        system = [
            {"id": name, "key": name, "name": name.title(), "custom": False, "clauseNames": [name.lower()]} for name in _SYSTEM
        ]
        custom = [
            {
                "id": field.id,
                "key": field.id,
                "name": field.name,
                "custom": True,
                "untranslatedName": field.name,
                "clauseNames": [f"cf[{field.id.removeprefix('customfield_')}]", field.name],
                "schema": _schema(field),
            }
            for field in CUSTOM_FIELDS.values()
        ]
        return [*system, *custom]

    def _names(self, issue: Issue, wanted: Sequence[str]) -> list[str]:
        every = [*_SYSTEM, *CUSTOM_FIELDS]
        names: list[str] = []
        for name in wanted:
            if name == "*all":
                names += every
            elif name == "*navigable":
                names += [other for other in every if other not in _NOT_NAVIGABLE]
            elif name.startswith("-"):
                names = [other for other in names or every if other != name[1:]]
            elif name in every:
                names.append(name)
        return list(dict.fromkeys(names))

    def _getters(self, issue: Issue) -> dict[str, Callable[[], Any]]:
        custom = {id: lambda field=field: self._custom(field, issue.custom.get(field.id)) for id, field in CUSTOM_FIELDS.items()}
        return {
            "summary": lambda: issue.summary,
            "description": lambda: self._text(issue.blocks),
            "issuetype": lambda: {"id": str(10002 + len(issue.type)), "name": issue.type, "subtask": issue.type == "Sub-task"},
            "project": lambda: self.project(self._world.projects[issue.project]),
            "status": lambda: self._status(issue),
            "priority": lambda: {"id": str(len(issue.priority)), "name": issue.priority},
            "resolution": lambda: {"id": "10000", "name": issue.resolution} if issue.resolution else None,
            "resolutiondate": lambda: self._date(issue.updated) if issue.resolution else None,
            "assignee": lambda: self.user(issue.assignee),
            "reporter": lambda: self.user(issue.author),
            "creator": lambda: self.user(issue.author),
            "labels": lambda: list(issue.labels),
            "components": lambda: [{"id": str(10100 + len(name)), "name": name} for name in issue.components],
            "versions": lambda: [{"id": str(10200 + len(name)), "name": name, "released": True} for name in issue.versions],
            "fixVersions": lambda: [
                {"id": str(10200 + len(name)), "name": name, "released": False} for name in issue.fix_versions
            ],
            "issuelinks": lambda: self._links(issue),
            "parent": lambda: self._short(issue.parent),
            "subtasks": lambda: [short for id in self._subtasks(issue) if (short := self._short(id))],
            "created": lambda: self._date(issue.created),
            "updated": lambda: self._date(issue.updated),
            "duedate": lambda: None,
            "environment": lambda: None,
            "comment": lambda: self._comments(issue),
            "attachment": lambda: [self.attachment(part) for part in self._world.children(issue.id, Attachment)],
            **custom,
        }

    def _text(self, text: Any) -> Any:
        return to_adf(text, self._world.users) if self._cloud else to_wiki(text, self._world.users)

    def _date(self, moment: Any) -> str:
        return zoned(moment, self._ask, colon=False)

    def _status(self, issue: Issue) -> dict[str, Any]:
        key, number = _CATEGORIES.get(issue.status, ("indeterminate", 4))
        return {
            "name": issue.status,
            "id": _STATUS_IDS.get(issue.status, "10099"),
            "statusCategory": {"id": number, "key": key, "name": issue.status},
        }

    def _short(self, id: str | None) -> dict[str, Any] | None:
        other = self._world.issues.get(id or "")
        if other is None or not self._ask.account.may_read(self._world, other):
            return None
        fields = {"summary": other.summary, "status": self._status(other), "issuetype": {"name": other.type}}
        return {"id": other.id, "key": other.key, "self": f"{self.api}/issue/{other.id}", "fields": fields}

    def _look_around(self) -> dict[str, list[str]]:
        """Who is below whom and who is linked by whom, looked up once for an answer."""
        if self._below is None:
            self._below = {}
            for other in self._world.issues.values():
                if other.parent:
                    self._below.setdefault(other.parent, []).append(other.id)
                for kind, target in other.links:
                    self._hither.setdefault(target, []).append((kind, other.id))
        return self._below

    def _subtasks(self, issue: Issue) -> list[str]:
        return self._look_around().get(issue.id, [])

    def _links(self, issue: Issue) -> list[dict[str, Any]]:
        """Links outward, and those of others hither; an issue that the caller may not read is not shown."""
        self._look_around()
        both = [(kind, "outwardIssue", other) for kind, other in issue.links]
        both += [(kind, "inwardIssue", other) for kind, other in self._hither.get(issue.id, [])]
        found = []
        for kind, side, id in both:
            short = self._short(id)
            if short is not None:
                inward, outward = _LINKS[kind]
                link_id = str(uuid5(_IDS, issue.id + id).int % 1_000_000)
                found.append({"id": link_id, "type": {"name": kind, "inward": inward, "outward": outward}, side: short})
        return found

    def _comments(self, issue: Issue) -> dict[str, Any]:
        """Cloud gives the first of them only; the rest is to be asked for."""
        every = self._world.children(issue.id, Comment)
        shown = every[:COMMENTS_IN_ISSUE] if self._cloud else every
        made = [self.comment(issue, comment) for comment in shown]
        return {"comments": made, "maxResults": len(made), "total": len(every), "startAt": 0}

    def _custom(self, field: CustomField, value: Any) -> Any:
        if value is None:
            return None
        if field.kind == "textarea":
            return self._text(value)
        if field.kind == "option":
            return {"self": f"{self.api}/customFieldOption/1", "value": value, "id": "10300"}
        return self.user(value) if field.kind == "user" else value


_SYSTEM = (
    "summary description issuetype project status priority resolution resolutiondate assignee reporter creator labels components"
    " versions fixVersions issuelinks parent subtasks created updated duedate environment comment attachment"
).split()


def _schema(field: CustomField) -> dict[str, Any]:
    kinds = {"textarea": "string", "labels": "array", "number": "number", "option": "option", "user": "user"}
    custom = f"com.atlassian.jira.plugin.system.customfieldtypes:{field.kind}"
    return {"type": kinds[field.kind], "custom": custom, "customId": int(field.id.removeprefix("customfield_"))}
