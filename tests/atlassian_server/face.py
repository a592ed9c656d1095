"""What the four faces share: routes that run under the world's lock, who asks, refusals, pages of a listing."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from .model import User
from .rights import Account
from .world import World


class Refusal(Exception):
    """An answer other than 200; each face gives it the shape of its product."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


@dataclass(slots=True)
class Ask:
    """One request: its parameters, its JSON body (None without), and who asks."""

    world: World
    request: Request
    account: Account
    body: Any

    @property
    def host(self) -> str:
        return str(self.request.base_url).rstrip("/")

    def path(self, name: str) -> str:
        return str(self.request.path_params[name])

    def text(self, name: str, default: str = "") -> str:
        return self.request.query_params.get(name, default)

    def many(self, name: str) -> list[str]:
        """A parameter that is repeated, or holds several parted by commas, or both."""
        return [part for value in self.request.query_params.getlist(name) for part in value.split(",") if part]

    def number(self, name: str, default: int, most: int | None = None) -> int:
        """A whole number, not below 0; more than `most` counts as `most`."""
        value = self.text(name, str(default))
        if not re.fullmatch(r"\d+", value):
            raise Refusal(400, f"Invalid value for the parameter {name}: a whole number is expected")
        return int(value) if most is None else min(int(value), most)

    def numbers(self, name: str) -> list[str]:
        """Ids, which are numbers."""
        ids = self.many(name)
        if not all(re.fullmatch(r"\d+", id) for id in ids):
            raise Refusal(400, f"Provided value for '{name}' is not the correct type. Expected type is Long")
        return ids

    def flag(self, name: str, default: bool = False) -> bool:
        return self.text(name, str(default)).lower() == "true"


Handler = Callable[[Ask], Any]


class Face:
    """One product in one deployment below `prefix`. `kinds` are the tokens that it takes."""

    def __init__(self, world: World, prefix: str, kinds: Sequence[str], shape: Callable[[int, str], Any]) -> None:
        self.world = world
        self.prefix = prefix
        self.router = APIRouter(prefix=prefix)
        self._kinds = kinds
        self._shape = shape

    def get(self, path: str, handler: Handler, *, anonymous: bool = False) -> None:
        self._add("GET", path, handler, anonymous)

    def post(self, path: str, handler: Handler) -> None:
        self._add("POST", path, handler, False)

    def refused(self, status: int, message: str) -> Response:
        """The error as this product words it."""
        headers = {"WWW-Authenticate": 'OAuth realm="atlassian"'} if status == 401 else None
        return JSONResponse(self._shape(status, message), status, headers)

    def unknown(self, handler: Callable[[Request], Response]) -> None:
        """What answers any other path below the prefix."""

        async def answer(request: Request) -> Response:
            return handler(request)

        self.router.add_api_route(
            "/{rest:path}", answer, methods=["GET", "POST", "PUT", "DELETE", "PATCH"], include_in_schema=False
        )

    def _add(self, method: str, path: str, handler: Handler, anonymous: bool) -> None:
        async def answer(request: Request) -> Response:
            body = None
            try:
                with self.world.lock:
                    account = self._who(request)
                if account is None and not anonymous:
                    raise Refusal(401, "Client must be authenticated to access this resource.")
                if method == "POST":
                    body = await _json(request)
                with self.world.lock:
                    found = handler(Ask(self.world, request, account or _NOBODY, body))
            except Refusal as refusal:
                return self.refused(refusal.status, refusal.message)
            return found if isinstance(found, Response) else JSONResponse(found)

        self.router.add_api_route(path, answer, methods=[method], include_in_schema=False)

    def _who(self, request: Request) -> Account | None:
        scheme, _, rest = request.headers.get("authorization", "").partition(" ")
        email = ""
        token = rest.strip()
        if scheme.lower() == "basic":
            try:
                email, _, token = base64.b64decode(token, validate=True).decode().partition(":")
            except (binascii.Error, UnicodeDecodeError):
                return None
        account = self.world.accounts.get(token)
        if account is None or account.kind not in self._kinds:
            return None
        if (scheme.lower() == "basic") != (account.kind == "api_token"):
            return None
        return account if account.kind != "api_token" or account.user.email.lower() == email.lower() else None


_NOBODY = Account("", "pat", User("", "", "anonymous", "Anonymous", ""))


async def _json(request: Request) -> Any:
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise Refusal(415, "Unsupported Media Type")
    try:
        return await request.json()
    except ValueError:
        raise Refusal(400, "Unable to parse the request body as JSON") from None


def html_page(title: str, text: str, status: int) -> Response:
    page = f"<!DOCTYPE html><html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p></body></html>"
    return Response(page, status, media_type="text/html")


def sliced(ask: Ask, scope: str, ids: Callable[[], Iterable[str]], limit: int) -> tuple[list[str], str | None]:
    """The next ids of a listing that is paged by cursors, and the cursor for what is left of it."""
    cursor = ask.text("cursor")
    if cursor:
        found = ask.world.rest_of(cursor, scope)
        if found is None:
            raise Refusal(400, "The provided cursor is invalid or has expired")
        left: Sequence[str] = found
    else:
        left = list(ids())
    limit = max(limit, 1)
    return list(left[:limit]), ask.world.new_cursor(scope, left[limit:]) if len(left) > limit else None


def next_address(ask: Ask, path: str, changes: dict[str, Any]) -> str:
    """This request's path and parameters, some of them changed."""
    kept = [(name, value) for name, value in ask.request.query_params.multi_items() if name not in changes]
    return f"{path}?{urlencode([*kept, *((name, value) for name, value in changes.items())])}"


def utc(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def zoned(moment: datetime, ask: Ask, *, colon: bool) -> str:
    """In the zone of the account: `+09:00` as Confluence Data Center has it, `+0900` as Jira."""
    local = moment.astimezone(ask.world.zone(ask.account))
    offset = local.strftime("%z")
    return (
        local.strftime("%Y-%m-%dT%H:%M:%S.")
        + f"{local.microsecond // 1000:03d}"
        + (offset[:3] + ":" + offset[3:] if colon else offset)
    )


def check_whole(ask: Ask, id: str) -> None:
    """A broken item fails whatever would show its content."""
    if ask.world.faults.is_broken(id):
        raise Refusal(500, "Internal server error")
