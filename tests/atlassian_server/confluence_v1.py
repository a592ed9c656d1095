"""Addresses of Confluence's v1 API that Cloud and Data Center have in common."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from fastapi.responses import Response

from .content import V1, readable
from .cql import kind_of, search
from .face import Ask, Face, Refusal, next_address, sliced
from .model import Attachment, Comment, Item
from .query import QueryError

MOST_START = 100_000
_MADE: dict[int, str] = {
    400: "com.atlassian.confluence.api.service.exceptions.BadRequestException",
    403: "com.atlassian.confluence.api.service.exceptions.PermissionException",
    404: "com.atlassian.confluence.api.service.exceptions.NotFoundException",
}


def v1_shape(status: int, message: str) -> dict[str, Any]:
    """An error of v1."""
    text = f"{_MADE[status]}: {message}" if status in _MADE else message
    return {
        "statusCode": status,
        "data": {"authorized": status != 401, "valid": True, "errors": [], "successful": False},
        "message": text,
    }


def add_common(face: Face, *, cloud: bool) -> None:
    """Single content, its parts, and search by CQL."""

    def one(ask: Ask) -> Any:
        v1 = V1(ask, cloud=cloud)
        item = find(ask, ask.path("id"), *_statuses(ask))
        links = {"base": v1.base, "context": v1.context}
        made = v1.content(item, ask.many("expand") or _DEFAULTS)
        return {**made, "_links": {**made["_links"], **links}}

    def children(ask: Ask) -> Any:
        kind, id = ask.path("kind"), ask.path("id")
        if kind not in ("comment", "attachment", "page"):
            raise Refusal(404, f"No children of type {kind}")
        owner = find(ask, id)
        parts = _parts(ask, owner, kind)
        return by_start(ask, parts, cloud=cloud, most=200)

    def labels(ask: Ask) -> Any:
        page = readable(ask, ask.path("id"))
        v1 = V1(ask, cloud=cloud)
        return v1.listing([v1.label(name) for name in page.labels])

    face.get("/rest/api/content/{id}", one)
    face.get("/rest/api/content/{id}/child/{kind}", children)
    face.get("/rest/api/content/{id}/label", labels)


# What one content comes with unless `expand` says something else.
_DEFAULTS = ("history", "space", "version")


def find(ask: Ask, id: str, *statuses: str) -> Item:
    """Content of any type that the caller may read, or 404."""
    part: Any = ask.world.comments.get(id) or ask.world.attachments.get(id)
    if part is not None and part.owner in ask.world.pages:
        readable(ask, part.owner)
        if part.id not in ask.account.denied:
            return part  # type: ignore[no-any-return]
    return readable(ask, id, *statuses)


def found_by_cql(ask: Ask, *, cloud: bool) -> list[Item]:
    """Data Center has no folders."""
    try:
        found = search(ask.world, ask.account, ask.text("cql"))
        return found if cloud else [item for item in found if kind_of(item) != "folder"]
    except QueryError as error:
        raise Refusal(400, str(error)) from None


def cap_of(ask: Ask, *, without: int) -> int:
    """How many a search gives at most: few with bodies, more with other expansions, most without."""
    expand = ask.many("expand")
    if any(name.removeprefix("content.").startswith("body") for name in expand):
        return 50
    return min(200, without) if expand else without


def by_start(
    ask: Ask,
    items: list[Any],
    *,
    cloud: bool,
    most: int,
    render: Callable[[Any], Any] | None = None,
    keep: Callable[[Any], bool] = lambda _item: True,
    more: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """A page by `start` and `limit`. `keep` is applied afterwards, so that a page may be short and yet not the last."""
    v1 = V1(ask, cloud=cloud)
    start, limit = ask.number("start", 0), max(1, ask.number("limit", 25, most))
    if start > MOST_START:
        raise Refusal(400, f"start must not be more than {MOST_START}")
    show = render or (lambda item: v1.content(item, ask.many("expand")))
    results = [show(item) for item in items[start : start + limit] if keep(item)]
    path = ask.request.url.path.removeprefix(v1.context)
    links = {"self": f"{ask.host}{ask.request.url.path}", "base": v1.base, "context": v1.context}
    if start + limit < len(items):
        links["next"] = next_address(ask, path, {"limit": limit, "start": start + limit})
    return {"results": results, "start": start, "limit": limit, "size": len(results), **(more or {}), "_links": links}


def by_cursor(ask: Ask, items: list[Item], render: Callable[[Item], Any], most: int, *, total: bool) -> dict[str, Any]:
    """A page of Cloud's search. `next` is relative to the base, unlike that of v2; `start` is ignored without a word.

    As on the real one, a large page may be short and yet not the last.
    """
    v1 = V1(ask, cloud=True)
    limit = max(1, ask.number("limit", 25, most))
    path = ask.request.url.path.removeprefix(v1.context)
    short = limit - 2 if limit >= 50 and len(items) > limit else limit
    part, cursor = sliced(ask, f"{path} {ask.text('cql')}", lambda: [item.id for item in items], short)
    results = [render(item) for item in (_by_id(ask, id) for id in part) if item is not None]
    start = ask.number("start", 0)
    links = {"base": v1.base, "context": v1.context, "self": str(ask.request.url)}
    if cursor:
        links["next"] = next_address(ask, path, {"next": "true", "cursor": cursor, "limit": limit, "start": start + limit})
    more = {"totalSize": len(items), "cqlQuery": ask.text("cql")} if total else {}
    return {"results": results, "start": start, "limit": limit, "size": len(results), **more, "_links": links}


def search_hit(v1: V1, item: Item, expand: list[str]) -> dict[str, Any]:
    """One result of /rest/api/search."""
    space = v1.world.spaces[v1.page_of(item).space]
    inner = {name.removeprefix("content.") for name in expand if name.startswith("content.")}
    content = v1.content(item, inner)
    return {
        "content": content,
        # Escaped here, as the real one does, and plain in the content.
        "title": escape(content["title"]),
        "excerpt": "",
        "url": content["_links"]["webui"],
        "resultGlobalContainer": {"title": space.name, "displayUrl": f"/spaces/{space.key}"},
        "breadcrumbs": [],
        "entityType": "content",
        "lastModified": v1.date(item.updated),
        "score": 0.0,
    }


def redirect(address: str) -> Response:
    return Response(status_code=302, headers={"Location": address})


def attachment_by_name(ask: Ask, owner: str, name: str) -> Attachment | None:
    return next(
        (part for part in ask.world.children(owner, Attachment) if part.name == name and part.id not in ask.account.denied), None
    )


def _statuses(ask: Ask) -> list[str]:
    wanted = ask.many("status")
    return ["current", "trashed"] if "any" in wanted else wanted


def _parts(ask: Ask, owner: Item, kind: str) -> list[Any]:
    world, account = ask.world, ask.account
    if kind == "page":
        pages = (page for page in world.pages.values() if page.parent == owner.id and page.status == "current")
        return [page for page in pages if account.may_read_page(world, page)]
    if kind == "attachment":
        name = ask.text("filename")
        parts = [part for part in world.children(owner.id, Attachment) if account.may_read(world, part)]
        return [part for part in parts if not name or part.name == name]
    if isinstance(owner, Comment):
        return [part for part in world.children(owner.owner, Comment) if part.parent == owner.id]
    places = ask.many("location")
    comments = [part for part in world.children(owner.id, Comment) if account.may_read(world, part)]
    comments = [part for part in comments if ask.text("depth") == "all" or part.parent is None]
    return [part for part in comments if not places or _location(part) in places]


def _location(comment: Comment) -> str:
    return "footer" if comment.kind == "footer" else "resolved" if comment.resolved else "inline"


def _by_id(ask: Ask, id: str) -> Item | None:
    """What a cursor still points to, if it is there and may be read."""
    world = ask.world
    item: Any = world.pages.get(id) or world.comments.get(id) or world.attachments.get(id)
    return item if item is not None and ask.account.may_read(world, item) else None
