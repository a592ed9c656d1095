"""Confluence Data Center below /confluence: v1 throughout, paged by start and limit, pages of a site with a context path."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse, Response

from .confluence_v1 import add_common, attachment_by_name, by_start, cap_of, found_by_cql, redirect, search_hit, v1_shape
from .content import V1, readable
from .face import Ask, Face, Refusal, html_page
from .media import file_answer
from .model import Page, Space, User
from .world import World


def _shape(status: int, message: str) -> Any:
    if status == 401:
        return {"message": message, "status-code": 401}
    return {**v1_shape(status, message), "message": message, "reason": {400: "Bad Request", 404: "Not Found"}.get(status, "")}


def confluence_dc(world: World) -> list[Face]:
    face = Face(world, "/confluence", ("pat",), _shape)
    face.get("/rest/api/space", _spaces)
    face.get("/rest/api/space/{key}", lambda ask: V1(ask, cloud=False).space(_visible_space(ask, ask.path("key"))))
    face.get("/rest/api/space/{key}/content/{kind}", _of_space)
    face.get("/rest/api/content", _contents)
    face.get("/rest/api/content/search", _content_search)
    face.get("/rest/api/search", _search)
    face.get("/rest/api/user/current", lambda ask: V1(ask, cloud=False).user(ask.account.user.account_id))
    face.get("/rest/api/user", _user)
    face.get("/download/attachments/{id}/{name}", _download)
    face.get(
        "/login.action",
        lambda _ask: html_page("Log In - Confluence", "<form><input name='os_username'></form>", 200),
        anonymous=True,
    )
    add_common(face, cloud=False)
    face.unknown(_unknown)
    return [face]


def _spaces(ask: Ask) -> Any:
    keys = ask.many("spaceKey")
    spaces = [
        space for space in ask.world.spaces.values() if ask.account.may_see_space(space.key) and (not keys or space.key in keys)
    ]
    v1 = V1(ask, cloud=False)
    return by_start(ask, spaces, cloud=False, most=500, render=v1.space)


def _visible_space(ask: Ask, key: str) -> Space:
    space = ask.world.spaces.get(key)
    if space is None or not ask.account.may_see_space(key):
        raise Refusal(404, f"No space with key : {key}")
    return space


def _contents(ask: Ask) -> Any:
    kind, key, title = ask.text("type", "page"), ask.text("spaceKey"), ask.text("title")
    if kind not in ("page", "blogpost"):
        raise Refusal(400, f"Invalid content type: {kind}")
    if key:
        _visible_space(ask, key)
    return _list_pages(
        ask, [page for page in _pages(ask, kind) if (not key or page.space == key) and (not title or page.title == title)]
    )


def _of_space(ask: Ask) -> Any:
    key = _visible_space(ask, ask.path("key")).key
    return _list_pages(ask, [page for page in _pages(ask, ask.path("kind")) if page.space == key])


def _pages(ask: Ask, kind: str) -> list[Page]:
    statuses = ask.many("status") or ["current"]
    pages = ask.world.pages.values()
    return [page for page in pages if page.kind == kind and (page.status in statuses or "any" in statuses)]


def _list_pages(ask: Ask, pages: list[Page]) -> Any:
    """As the real one, this pages first and leaves out what the caller may not read afterwards."""
    visible = [page for page in pages if ask.account.may_see_space(page.space)]
    return by_start(
        ask, visible, cloud=False, most=cap_of(ask, without=1000), keep=lambda page: ask.account.may_read_page(ask.world, page)
    )


def _content_search(ask: Ask) -> Any:
    return by_start(ask, found_by_cql(ask, cloud=False), cloud=False, most=cap_of(ask, without=1000))


def _search(ask: Ask) -> Any:
    found = found_by_cql(ask, cloud=False)
    v1 = V1(ask, cloud=False)
    more = {"totalSize": len(found), "cqlQuery": ask.text("cql")}
    expand = ask.many("expand")
    return by_start(
        ask, found, cloud=False, most=cap_of(ask, without=1000), render=lambda item: search_hit(v1, item, expand), more=more
    )


def _user(ask: Ask) -> Any:
    user = _found_user(ask.world, ask.text("key"), ask.text("username"))
    if user is None:
        raise Refusal(404, f"No user found with key : {ask.text('key')}")
    return V1(ask, cloud=False).user(user.account_id)


def _found_user(world: World, key: str, name: str) -> User | None:
    return next((user for user in world.users.values() if (key and user.key == key) or (name and user.name == name)), None)


def _download(ask: Ask) -> Any:
    """The file itself. A page that one may not read is refused here with 403, unlike by the API."""
    page = ask.world.pages.get(ask.path("id"))
    if page is not None and not ask.account.may_read_page(ask.world, page):
        return html_page("Page Not Permitted", "You are not permitted to view this page.", 403)
    part = attachment_by_name(ask, readable(ask, ask.path("id")).id, ask.path("name"))
    return file_answer(part) if part is not None else html_page("Page Not Found", "The attachment does not exist.", 404)


def _unknown(request: Request) -> Response:
    """An unknown address of the API is 404; any other leads to the log-in page, as for people without a session."""
    if request.url.path.startswith("/confluence/rest/"):
        return JSONResponse({"message": f"null for uri: {request.url}", "status-code": 404}, 404)
    return redirect(f"/confluence/login.action?os_destination={request.url.path.removeprefix('/confluence')}")
