"""Jira Cloud at the root: REST v3, ADF, search by page tokens."""

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
from .media import media_address
from .query import QueryError
from .world import World

IDS_A_PAGE, ISSUES_A_PAGE, BULK = 5000, 100, 100
_REMOVED = (
    "The requested API has been removed. Please migrate to the /rest/api/3/search/jql API. A full migration guideline is"
    " available at https://developer.atlassian.com/changelog/#CHANGE-2046"
)


def jira_cloud(world: World, media: str) -> list[Face]:
    face = Face(world, "", ("api_token", "oauth"), error_shape)

    def content(ask: Ask) -> Any:
        return redirect(media_address(world, media, readable_attachment(ask)))

    for version in ("2", "3"):
        api = f"/rest/api/{version}"
        face.get(f"{api}/search", _removed)
        face.post(f"{api}/search", _removed)
    api = "/rest/api/3"
    face.get(f"{api}/serverInfo", lambda ask: server_info(ask, cloud=True), anonymous=True)
    face.get(f"{api}/myself", _myself)
    face.get(f"{api}/user", _user)
    face.get(f"{api}/field", lambda ask: Rendering(ask, cloud=True).field_list())
    face.get(f"{api}/project/search", _projects)
    face.get(f"{api}/project/{{key}}", lambda ask: Rendering(ask, cloud=True).project(visible_project(ask)))
    face.get(f"{api}/search/jql", _search_get)
    face.post(f"{api}/search/jql", _search_post)
    face.post(f"{api}/search/approximate-count", _count)
    face.post(f"{api}/issue/bulkfetch", _bulk)
    face.get(f"{api}/issue/{{key}}", _issue)
    face.get(f"{api}/issue/{{key}}/comment", lambda ask: comments(ask, cloud=True, most=100, default=50))
    face.get(f"{api}/attachment/content/{{id}}", content)
    face.get(f"{api}/attachment/{{id}}", lambda ask: Rendering(ask, cloud=True).attachment(readable_attachment(ask)))
    face.unknown(_unknown)
    return [face]


def _removed(_ask: Ask) -> Any:
    raise Refusal(410, _REMOVED)


def _myself(ask: Ask) -> Any:
    user = Rendering(ask, cloud=True).user(ask.account.user.account_id)
    zone = {"timeZone": ask.world.zone(ask.account).key, "locale": "en_US", "emailAddress": ask.account.user.email}
    return {**(user or {}), **zone}


def _user(ask: Ask) -> Any:
    user = Rendering(ask, cloud=True).user(ask.text("accountId"))
    if user is None:
        raise Refusal(404, "Specified user does not exist or you do not have required permissions")
    return user


def _projects(ask: Ask) -> Any:
    rendering = Rendering(ask, cloud=True)
    keys = ask.many("keys")
    projects = [project for project in visible_projects(ask) if not keys or project.key in keys]
    start, most = ask.number("startAt", 0), max(1, ask.number("maxResults", 50, 100))
    part = projects[start : start + most]
    made: dict[str, Any] = {"self": str(ask.request.url), "maxResults": most, "startAt": start, "total": len(projects)}
    made["isLast"] = start + most >= len(projects)
    if not made["isLast"]:
        made["nextPage"] = f"{rendering.api}/project/search?startAt={start + most}&maxResults={most}"
    return {**made, "values": [rendering.project(project) for project in part]}


def _search_get(ask: Ask) -> Any:
    return _search(ask, ask.text("jql"), ask.text("nextPageToken"), ask.number("maxResults", 50), ask.many("fields") or ["id"])


def _search_post(ask: Ask) -> Any:
    body = _object(
        ask,
        {"jql", "nextPageToken", "maxResults", "fields", "expand", "properties", "fieldsByKeys", "reconcileIssues", "failFast"},
    )
    most = body.get("maxResults", 50)
    if not isinstance(most, int) or most < 0:
        raise Refusal(400, "Invalid request payload. Refer to the REST API documentation and try again.")
    return _search(
        ask, str(body.get("jql") or ""), str(body.get("nextPageToken") or ""), most, field_names(body.get("fields")) or ["id"]
    )


def _search(ask: Ask, jql: str, page_token: str, most: int, fields: list[str]) -> Any:
    """No total, no start: the token is all. Ids or keys alone come in large pages."""
    most = max(1, min(most, IDS_A_PAGE if set(fields) <= {"id", "key"} else ISSUES_A_PAGE))
    if page_token:
        left = ask.world.rest_of(page_token, f"jql {jql}")
        if left is None:
            raise Refusal(400, "The provided nextPageToken is invalid or has expired.")
        ids = list(left)
    else:
        ids = [issue.id for issue in _found(ask, jql)]
    rendering = Rendering(ask, cloud=True)
    issues = [ask.world.issues[id] for id in ids[:most] if id in ask.world.issues]
    shown = [rendering.issue(issue, fields) for issue in issues if ask.account.may_read_issue(issue)]
    if len(ids) <= most:
        return {"issues": shown, "isLast": True}
    return {"issues": shown, "nextPageToken": ask.world.new_cursor(f"jql {jql}", ids[most:]), "isLast": False}


def _found(ask: Ask, jql: str) -> list[Any]:
    try:
        return search(ask.world, ask.account, jql, bounded=True)
    except QueryError as error:
        raise Refusal(400, str(error)) from None


def _count(ask: Ask) -> Any:
    return {"count": len(_found(ask, str(_object(ask, {"jql"}).get("jql") or "")))}


def _bulk(ask: Ask) -> Any:
    """Up to 100 issues, in the order of their ids. Those that are not there or not permitted are left out."""
    body = _object(ask, {"issueIdsOrKeys", "fields", "expand", "fieldsByKeys", "properties"})
    wanted = body.get("issueIdsOrKeys")
    if not isinstance(wanted, list) or not wanted:
        raise Refusal(400, "issueIdsOrKeys must not be empty")
    if len(wanted) > BULK:
        raise Refusal(400, f"The number of issues to fetch is limited to {BULK}")
    found = {issue.id: issue for issue in (ask.world.find_issue(str(id)) for id in wanted) if issue is not None}
    issues = [found[id] for id in sorted(found, key=int) if ask.account.may_read(ask.world, found[id])]
    rendering = Rendering(ask, cloud=True)
    fields = field_names(body.get("fields")) or ["*navigable"]
    return {"expand": "names,schema", "issues": [rendering.issue(issue, fields) for issue in issues], "issueErrors": []}


def _issue(ask: Ask) -> Any:
    return Rendering(ask, cloud=True).issue(readable_issue(ask), ask.many("fields") or ["*all"])


def _object(ask: Ask, known: set[str]) -> dict[str, Any]:
    if not isinstance(ask.body, dict) or not set(ask.body) <= known:
        raise Refusal(400, "Invalid request payload. Refer to the REST API documentation and try again.")
    return ask.body


def _unknown(request: Request) -> Response:
    if request.url.path.startswith("/rest/"):
        return JSONResponse({"message": f"null for uri: {request.url}", "status-code": 404}, 404)
    return html_page("Oops, you&#39;ve found a dead link.", "Go back to the previous page.", 404)
