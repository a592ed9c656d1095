"""Confluence Cloud's v2 API: everything paged by cursors, `_links.next` relative to the host."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from fastapi.responses import JSONResponse

from .content import download_address, viewed, web_address
from .face import Ask, Face, Refusal, check_whole, next_address, sliced, utc
from .model import Attachment, Comment, Item, Page, Space
from .world import World

MOST = 250
_CODES = {400: "INVALID_REQUEST_PARAMETER", 401: "UNAUTHORIZED", 403: "FORBIDDEN", 404: "NOT_FOUND"}


def _shape(status: int, message: str) -> dict[str, Any]:
    return {"errors": [{"status": status, "code": _CODES.get(status, "INTERNAL_SERVER_ERROR"), "title": message, "detail": None}]}


def confluence_v2(world: World) -> Face:
    face = Face(world, "/wiki/api/v2", ("api_token", "oauth"), _shape)
    face.get("/spaces", _spaces)
    face.get("/spaces/{id}", lambda ask: _space(_visible_space(ask, ask.path("id"))))
    for kind, path in (("page", "pages"), ("blogpost", "blogposts")):
        _add_contents(face, kind, path)
    face.get("/pages/{id}/children", _children)
    face.get("/folders/{id}", _folder)
    face.get("/pages/{id}/ancestors", _ancestors)
    for kind in ("footer", "inline"):
        _add_comments(face, kind)
    face.get("/attachments", lambda ask: _listed(ask, _attachment_ids(ask), _attachment))
    face.get("/attachments/{id}", lambda ask: _attachment(ask, _readable_part(ask, ask.world.attachments)))
    face.post("/users-bulk", _users)
    face.unknown(lambda request: face.refused(404, "Not Found"))
    return face


def _add_contents(face: Face, kind: str, path: str) -> None:
    """Pages or blog posts: all, of a space, one, and the parts of one."""

    def every(ask: Ask) -> Any:
        spaces, ids = set(ask.numbers("space-id")), ask.numbers("id")
        if len(ids) > MOST:
            raise Refusal(400, f"The parameter 'id' takes at most {MOST} values")
        keys = {space.key for space in ask.world.spaces.values() if space.id in spaces}
        return contents(ask, lambda page: (not spaces or page.space in keys) and (not ids or page.id in ids))

    def of_space(ask: Ask) -> Any:
        key = _visible_space(ask, ask.path("id")).key
        return contents(ask, lambda page: page.space == key)

    def contents(ask: Ask, wanted: Callable[[Page], bool]) -> Any:
        _check_format(ask, ("storage", "atlas_doc_format"))
        statuses = ask.many("status") or ["current", "archived"]
        title = ask.text("title")
        pages = [
            page
            for page in ask.world.pages.values()
            if page.kind == kind
            and page.status in statuses
            and ask.account.may_see_space(page.space)
            and wanted(page)
            and (not title or page.title == title)
        ]
        order = ask.text("sort", "id")
        pages.sort(key=lambda page: page.updated if "modified" in order else int(page.id), reverse=order.startswith("-"))
        return _listed(ask, [page.id for page in pages], _page)

    def one(ask: Ask) -> Any:
        _check_format(ask, ("storage", "atlas_doc_format", "view", "export_view", "anonymous_export_view"))
        page = _readable_page(ask, kind)
        made = _page(ask, page)
        if ask.flag("include-labels"):
            made["labels"] = {
                "results": [_label(name) for name in page.labels],
                "meta": {"hasMore": False},
                "_links": {"self": ""},
            }
        return {**made, "_links": {**made["_links"], "base": f"{ask.host}/wiki"}}

    def labels(ask: Ask) -> Any:
        return _plain_list(ask, [_label(name) for name in _readable_page(ask, kind).labels])

    def attachments(ask: Ask) -> Any:
        page = _readable_page(ask, kind)
        return _listed(ask, [part.id for part in ask.world.children(page.id, Attachment)], _attachment)

    def comments(ask: Ask, where: str) -> Any:
        page = _readable_page(ask, kind)
        parts = ask.world.children(page.id, Comment)
        return _listed(ask, [part.id for part in parts if part.kind == where and part.parent is None], _comment)

    face.get(f"/{path}", every)
    face.get(f"/spaces/{{id}}/{path}", of_space)
    face.get(f"/{path}/{{id}}", one)
    face.get(f"/{path}/{{id}}/labels", labels)
    face.get(f"/{path}/{{id}}/attachments", attachments)
    face.get(f"/{path}/{{id}}/footer-comments", lambda ask: comments(ask, "footer"))
    face.get(f"/{path}/{{id}}/inline-comments", lambda ask: comments(ask, "inline"))


def _add_comments(face: Face, kind: str) -> None:
    def every(ask: Ask) -> Any:
        parts = [part for part in ask.world.comments.values() if part.kind == kind and part.parent is None]
        return _listed(ask, [part.id for part in parts if part.owner in ask.world.pages], _comment)

    def replies(ask: Ask) -> Any:
        comment = _readable_part(ask, ask.world.comments)
        parts = ask.world.children(comment.owner, Comment)
        return _listed(ask, [part.id for part in parts if part.parent == comment.id], _comment)

    face.get(f"/{kind}-comments", every)
    face.get(f"/{kind}-comments/{{id}}", lambda ask: _comment(ask, _readable_part(ask, ask.world.comments)))
    face.get(f"/{kind}-comments/{{id}}/children", replies)


def _listed(ask: Ask, ids: Iterable[str], render: Callable[[Ask, Any], Any]) -> JSONResponse:
    """One page of a listing. What the caller may not read is left out of it afterwards, so a page may be short."""
    path = ask.request.url.path
    limit = max(1, ask.number("limit", 25, MOST))
    part, cursor = sliced(ask, path, lambda: ids, limit)
    found = [item for item in (_find(ask.world, id) for id in part) if item is not None]
    results = [render(ask, item) for item in found if _may_read(ask, item)]
    links = {"base": f"{ask.host}/wiki"}
    headers = {}
    if cursor:
        links["next"] = next_address(ask, path, {"cursor": cursor, "limit": limit})
        headers["Link"] = f'<{links["next"]}>; rel="next", <{links["base"]}>; rel="base"'
    return JSONResponse({"results": results, "_links": links}, headers=headers)


def _find(world: World, id: str) -> Any:
    spaces = (space for space in world.spaces.values() if space.id == id)
    return world.pages.get(id) or world.comments.get(id) or world.attachments.get(id) or next(spaces, None)


def _may_read(ask: Ask, item: object) -> bool:
    return ask.account.may_see_space(item.key) if isinstance(item, Space) else ask.account.may_read(ask.world, item)


def _spaces(ask: Ask) -> Any:
    keys, ids = set(ask.many("keys")), set(ask.numbers("ids"))
    spaces = [space for space in ask.world.spaces.values() if (not keys or space.key in keys) and (not ids or space.id in ids)]
    return _listed(ask, [space.id for space in spaces if ask.account.may_see_space(space.key)], lambda _ask, space: _space(space))


def _children(ask: Ask) -> Any:
    page = _readable_page(ask, "page")
    below = [other.id for other in ask.world.pages.values() if other.parent == page.id and other.status == "current"]

    def short(_ask: Ask, child: Page) -> Any:
        space = ask.world.spaces[child.space]
        return {"id": child.id, "status": child.status, "title": child.title, "spaceId": space.id, "childPosition": int(child.id)}

    return _listed(ask, below, short)


def _ancestors(ask: Ask) -> Any:
    page = _readable_page(ask, "page")
    return _plain_list(ask, [{"id": above.id, "type": above.kind} for above in ask.world.ancestors(page)])


def _users(ask: Ask) -> Any:
    wanted = ask.body.get("accountIds") if isinstance(ask.body, dict) else None
    if not isinstance(wanted, list) or len(wanted) > MOST:
        raise Refusal(400, "accountIds must be a list of at most 250 account ids")
    users = [ask.world.users[id] for id in wanted if id in ask.world.users]
    return _plain_list(
        ask, [{"accountId": user.account_id, "displayName": user.display_name, "accountType": "atlassian"} for user in users]
    )


def _plain_list(ask: Ask, results: list[Any]) -> dict[str, Any]:
    return {"results": results, "_links": {"base": f"{ask.host}/wiki"}}


def _visible_space(ask: Ask, id: str) -> Space:
    space = next((space for space in ask.world.spaces.values() if space.id == id), None)
    if space is None or not ask.account.may_see_space(space.key):
        raise Refusal(404, "Space not found")
    return space


def _readable_page(ask: Ask, kind: str) -> Page:
    page = ask.world.pages.get(ask.path("id"))
    statuses = ask.many("status") or ["current", "archived"]
    if page is None or page.kind != kind or page.status not in statuses or not ask.account.may_read_page(ask.world, page):
        raise Refusal(404, f"Can't find the {kind} with id {ask.path('id')}")
    return page


def _readable_part(ask: Ask, store: dict[str, Any]) -> Any:
    part = store.get(ask.path("id"))
    if part is None or part.owner not in ask.world.pages or not ask.account.may_read(ask.world, part):
        raise Refusal(404, "Not Found")
    return part


def _attachment_ids(ask: Ask) -> list[str]:
    return [part.id for part in ask.world.attachments.values() if part.owner in ask.world.pages]


def _check_format(ask: Ask, known: tuple[str, ...]) -> None:
    wanted = ask.text("body-format")
    if wanted and wanted not in known:
        raise Refusal(
            400, f"Provided value {{{wanted}}} for 'body-format' is not the correct type. Expected type is one of {list(known)}"
        )


def _space(space: Space) -> dict[str, Any]:
    return {
        "id": space.id,
        "key": space.key,
        "name": space.name,
        "type": "global",
        "status": "current",
        "createdAt": utc(space.created),
        "homepageId": space.homepage or None,
        "description": None,
        "icon": None,
        "_links": {"webui": f"/spaces/{space.key}"},
    }


def _page(ask: Ask, page: Page) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": page.id,
        "status": page.status,
        "title": page.title,
        "spaceId": ask.world.spaces[page.space].id,
        "authorId": page.author,
        "createdAt": utc(page.created),
        "version": _version(page, page.editor or page.author),
        "body": _body(ask, page, page.without_storage),
        "_links": {"webui": web_address(page, cloud=True), "tinyui": f"/x/{int(page.id):x}"},
    }
    if page.kind != "blogpost":
        world = ask.world
        parent = page.parent if page.status == "current" else None
        made |= {
            "parentId": parent,
            "parentType": _type_of(world, parent),
            "position": int(page.id),
            "ownerId": page.author,
        }
    return made


def _type_of(world: World, id: str | None) -> str | None:
    above = world.pages.get(id or "")
    return above.kind if above else None


def _folder(ask: Ask) -> Any:
    """A folder is shown as a page without a body."""
    made = _page(ask, _readable_page(ask, "folder"))
    del made["body"]
    return {**made, "type": "folder", "_links": {**made["_links"], "base": f"{ask.host}/wiki"}}


def _comment(ask: Ask, comment: Comment) -> dict[str, Any]:
    page = ask.world.pages[comment.owner]
    made: dict[str, Any] = {
        "id": comment.id,
        "status": comment.status,
        "title": f"Re: {page.title}",
        "pageId" if page.kind == "page" else "blogPostId": page.id,
        "version": _version(comment, comment.author),
        "body": _body(ask, comment, False),
        "_links": {"webui": f"{web_address(page, cloud=True)}?focusedCommentId={comment.id}"},
    }
    if comment.parent:
        made["parentCommentId"] = comment.parent
    if comment.kind == "inline":
        made["resolutionStatus"] = "resolved" if comment.resolved else "open"
        made["properties"] = {"inlineMarkerRef": f"marker-{comment.id}", "inlineOriginalSelection": comment.selection}
    return made


def _attachment(ask: Ask, part: Attachment) -> dict[str, Any]:
    page = ask.world.pages[part.owner]
    return {
        "id": part.id,
        "status": part.status,
        "title": part.name,
        "createdAt": utc(part.created),
        "pageId" if page.kind == "page" else "blogPostId": page.id,
        "mediaType": part.media_type,
        "mediaTypeDescription": "",
        "comment": "",
        "fileId": f"file-{part.id}",
        "fileSize": len(part.data),
        "webuiLink": f"/pages/viewpageattachments.action?pageId={page.id}&preview=%2F{page.id}%2F{part.id}",
        "downloadLink": download_address(part),
        "version": _version(part, part.author),
        "_links": {"download": download_address(part), "webui": f"/pages/viewpageattachments.action?pageId={page.id}"},
    }


def _version(item: Item, author: str) -> dict[str, Any]:
    number = getattr(item, "version", 1)
    return {"createdAt": utc(item.updated), "message": "", "number": number, "minorEdit": False, "authorId": author}


def _body(ask: Ask, item: Any, without_storage: bool) -> dict[str, Any]:
    """What was asked for and is there. The editor's own format is made of the words alone."""
    wanted = ask.text("body-format")
    if not wanted:
        return {}
    check_whole(ask, item.id)
    if wanted == "storage":
        return {} if without_storage else {"storage": {"representation": "storage", "value": item.body}}
    return {wanted: {"representation": wanted, "value": viewed(item)}}


def _label(name: str) -> dict[str, str]:
    return {"id": str(sum(name.encode()) * 7919 % 1_000_000), "name": name, "prefix": "global"}
