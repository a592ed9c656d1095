"""Confluence Cloud below /wiki: spaces, pages and comments by v2, CQL search and downloads by v1."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse, Response

from .confluence_v1 import add_common, attachment_by_name, by_cursor, cap_of, find, found_by_cql, redirect, search_hit, v1_shape
from .confluence_v2 import confluence_v2
from .content import V1, readable
from .face import Ask, Face, Refusal, html_page
from .media import media_address
from .model import Attachment
from .world import World


def confluence_cloud(world: World, media: str) -> list[Face]:
    face = Face(world, "/wiki", ("api_token", "oauth"), v1_shape)

    def content_search(ask: Ask) -> Any:
        v1, expand = V1(ask, cloud=True), ask.many("expand")
        found = found_by_cql(ask, cloud=True)
        return by_cursor(ask, found, lambda item: v1.content(item, expand), cap_of(ask, without=250), total=False)

    def full_search(ask: Ask) -> Any:
        v1, expand = V1(ask, cloud=True), ask.many("expand")
        found = found_by_cql(ask, cloud=True)
        return by_cursor(ask, found, lambda item: search_hit(v1, item, expand), cap_of(ask, without=250), total=True)

    def download(ask: Ask) -> Any:
        page = readable(ask, ask.path("id"))
        part = find(ask, ask.path("attachment"))
        if not isinstance(part, Attachment) or part.owner != page.id:
            raise Refusal(404, "The attachment does not exist")
        return redirect(media_address(world, media, part))

    def old_download(ask: Ask) -> Any:
        part = attachment_by_name(ask, readable(ask, ask.path("id")).id, ask.path("name"))
        if part is None:
            raise Refusal(404, "The attachment does not exist")
        return redirect(media_address(world, media, part))

    def me(ask: Ask) -> Any:
        user = V1(ask, cloud=True).user(ask.account.user.account_id)
        return {**user, "email": ask.account.user.email, "timeZone": world.zone(ask.account).key}

    def user(ask: Ask) -> Any:
        return V1(ask, cloud=True).user(_known(world, ask.text("accountId")))

    def users(ask: Ask) -> Any:
        v1 = V1(ask, cloud=True)
        known = [id for id in ask.many("accountId") if id in world.users]
        return v1.listing([v1.user(id) for id in known[: ask.number("limit", 200, 200)]])

    def gone(_ask: Ask) -> Any:
        raise Refusal(410, "This deprecated endpoint has been removed.")

    face.get("/rest/api/search", full_search)
    face.get("/rest/api/content/search", content_search)
    face.get("/rest/api/content", gone)
    face.get("/rest/api/space", gone)
    face.get("/rest/api/content/{id}/child/attachment/{attachment}/download", download)
    face.get("/download/attachments/{id}/{name}", old_download)
    face.get("/rest/api/user/current", me)
    face.get("/rest/api/user", user)
    face.get("/rest/api/user/bulk", users)
    add_common(face, cloud=True)
    face.unknown(_unknown)
    return [confluence_v2(world), face]


def _known(world: World, account_id: str) -> str:
    if account_id not in world.users:
        raise Refusal(404, f"No user found with account id: {account_id}")
    return account_id


def _unknown(request: Request) -> Response:
    if request.url.path.startswith("/wiki/rest/"):
        return JSONResponse({"message": f"null for uri: {request.url}", "status-code": 404}, 404)
    return html_page("Page Not Found", "The page you were looking for was not found.", 404)
