"""What the Jira of both deployments has in common."""

from __future__ import annotations

from typing import Any

from .face import Ask, Refusal
from .fields import Rendering
from .model import Attachment, Comment, Issue, Project


def error_shape(status: int, message: str) -> Any:
    """An error as both word it."""
    if status == 401:
        return {"message": message, "status-code": 401}
    return {"errorMessages": [message], "errors": {}}


def field_names(value: Any) -> list[str]:
    """The `fields` of a body: a list, or null."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise Refusal(400, "Invalid request payload. Refer to the REST API documentation and try again.")
    return value


def readable_issue(ask: Ask) -> Issue:
    issue = ask.world.find_issue(ask.path("key"))
    if issue is None or not ask.account.may_read(ask.world, issue):
        raise Refusal(404, "Issue does not exist or you do not have permission to see it.")
    return issue


def readable_attachment(ask: Ask) -> Attachment:
    """404 for one that is not there, 403 for one of an issue that the caller may not read."""
    part = ask.world.attachments.get(ask.path("id"))
    if part is None or part.owner not in ask.world.issues:
        raise Refusal(404, f"The attachment with id '{ask.path('id')}' does not exist")
    if not ask.account.may_read(ask.world, part):
        raise Refusal(403, f"You do not have permission to view attachment with id: {part.id}")
    return part


def visible_projects(ask: Ask) -> list[Project]:
    return [project for project in ask.world.projects.values() if ask.account.may_see_project(project.key)]


def visible_project(ask: Ask) -> Project:
    wanted = ask.path("key")
    for project in visible_projects(ask):
        if wanted in (project.id, project.key):
            return project
    raise Refusal(404, f"No project could be found with key '{wanted}'.")


def comments(ask: Ask, *, cloud: bool, most: int, default: int) -> Any:
    issue = readable_issue(ask)
    every = ask.world.children(issue.id, Comment)
    order = ask.text("orderBy", "created")
    if order.lstrip("+-") != "created":
        raise Refusal(400, f"The orderBy value {order} is invalid.")
    if order.startswith("-"):
        every.reverse()
    start, limit = ask.number("startAt", 0), max(1, ask.number("maxResults", default, most))
    rendering = Rendering(ask, cloud=cloud)
    part = [rendering.comment(issue, comment) for comment in every[start : start + limit]]
    return {"startAt": start, "maxResults": limit, "total": len(every), "comments": part}


def server_info(ask: Ask, *, cloud: bool) -> Any:
    rendering = Rendering(ask, cloud=cloud)
    numbers = [1001, 0, 0] if cloud else [9, 12, 4]
    return {
        "baseUrl": rendering.site,
        "version": "1001.0.0-SNAPSHOT" if cloud else "9.12.4",
        "versionNumbers": numbers,
        "deploymentType": "Cloud" if cloud else "Server",
        "buildNumber": 100300,
        "serverTime": rendering.now(),
        "serverTitle": "Jira",
    }
