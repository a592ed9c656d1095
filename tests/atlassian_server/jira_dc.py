"""Jira Data Center below /jira: REST v2, wiki markup, search by startAt."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse, Response

from .confluence_v1 import redirect
from .face import Ask, Face, Refusal, html_page
from .fields import Rendering
from .jira_common import (
    comments,
    error_shape,
    field_names,
    readable_attachment,
    readable_issue,
    server_info,
    visible_project,
    visible_projects,
)
from .jql import search
from .media import file_answer
from .query import QueryError
from .world import World

IDS_A_PAGE, ISSUES_A_PAGE = 1000, 100


def jira_dc(world: World) -> list[Face]:
    face = Face(world, "/jira", ("pat",), error_shape)
    api = "/rest/api/2"
    face.get(f"{api}/serverInfo", lambda ask: server_info(ask, cloud=False), anonymous=True)
    face.get(f"{api}/myself", lambda ask: _user_json(ask, ask.account.user.account_id))
    face.get(f"{api}/user", _user)
    face.get(f"{api}/field", lambda ask: Rendering(ask, cloud=False).field_list())
    face.get(f"{api}/project", lambda ask: [Rendering(ask, cloud=False).project(project) for project in visible_projects(ask)])
    face.get(f"{api}/project/{{key}}", lambda ask: Rendering(ask, cloud=False).project(visible_project(ask)))
    face.get(f"{api}/search", _search_get)
    face.post(f"{api}/search", _search_post)
    face.get(f"{api}/issue/{{key}}", _issue)
    face.get(f"{api}/issue/{{key}}/comment", lambda ask: comments(ask, cloud=False, most=5000, default=5000))
    face.get(f"{api}/attachment/{{id}}", lambda ask: Rendering(ask, cloud=False).attachment(readable_attachment(ask)))
    face.get("/secure/attachment/{id}/{name}", lambda ask: file_answer(readable_attachment(ask)))
    face.get(
        "/login.jsp", lambda _ask: html_page("Log in - Jira", "<form><input name='os_username'></form>", 200), anonymous=True
    )
    face.unknown(_unknown)
    return [face]


def _search_get(ask: Ask) -> Any:
    check = ask.text("validateQuery", "strict")
    return _search(ask, ask.text("jql"), ask.number("startAt", 0), ask.number("maxResults", 50), ask.many("fields"), check)


def _search_post(ask: Ask) -> Any:
    body = ask.body
    known = {"jql", "startAt", "maxResults", "fields", "validateQuery", "expand", "properties", "fieldsByKeys"}
    if not isinstance(body, dict) or not set(body) <= known:
        raise Refusal(400, "Unrecognized field in the request body")
    start, most = body.get("startAt", 0), body.get("maxResults", 50)
    if not isinstance(start, int) or not isinstance(most, int) or start < 0 or most < 0:
        raise Refusal(400, "startAt and maxResults must be whole numbers")
    check = str(body.get("validateQuery", "strict")).lower()
    return _search(ask, str(body.get("jql") or ""), start, most, field_names(body.get("fields")), check)


def _search(ask: Ask, jql: str, start: int, most: int, fields: list[str], check: str) -> Any:
    """`maxResults` is capped, and the answer says to what: who goes on by what was asked for misses issues."""
    fields = fields or ["*navigable"]
    most = min(most, IDS_A_PAGE if set(fields) <= {"id", "key"} else ISSUES_A_PAGE)
    try:
        found = search(ask.world, ask.account, jql, bounded=False, strict=check in ("strict", "true"))
    except QueryError as error:
        raise Refusal(400, str(error)) from None
    rendering = Rendering(ask, cloud=False)
    shown = [rendering.issue(issue, fields) for issue in found[start : start + most]]
    return {"expand": "schema,names", "startAt": start, "maxResults": most, "total": len(found), "issues": shown}


def _issue(ask: Ask) -> Any:
    return Rendering(ask, cloud=False).issue(readable_issue(ask), ask.many("fields") or ["*all"])


def _user_json(ask: Ask, account_id: str) -> Any:
    user = Rendering(ask, cloud=False).user(account_id)
    return {**(user or {}), "timeZone": ask.world.zone(ask.account).key, "locale": "en_US"}


def _user(ask: Ask) -> Any:
    name, key = ask.text("username"), ask.text("key")
    user = next((user for user in ask.world.users.values() if (name and user.name == name) or (key and user.key == key)), None)
    if user is None:
        raise Refusal(404, f"The user named '{name or key}' does not exist")
    return _user_json(ask, user.account_id)


def _unknown(request: Request) -> Response:
    if request.url.path.startswith("/jira/rest/"):
        return JSONResponse({"message": f"null for uri: {request.url}", "status-code": 404}, 404)
    return redirect(f"/jira/login.jsp?os_destination={request.url.path.removeprefix('/jira')}")
