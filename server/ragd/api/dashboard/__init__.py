"""`/dashboard`: the files of the pages in `app/`, which ask the API of this daemon and nothing else."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import RedirectResponse, Response

from ragd.api.common import App
from ragd.api.middleware.dashboard import COOKIE, LINK_PATH, PATH, SESSION_LIFETIME_S
from ragd.core.errors import Forbidden, NotFound, Unauthorized

router = APIRouter(tags=["status"])

_TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
}
# No page of ours makes elements from text, so no script can, either: the browser refuses (`require-trusted-types-for`).
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)


class DashboardLink(BaseModel):
    path: str = Field(description="Behind the daemon's URL; it works once, within two minutes.")


@router.post("/api/dashboard-link", status_code=201, operation_id="dashboard_link")
def dashboard_link(request: Request, app: App) -> DashboardLink:
    """A link by which a browser gets to the dashboard, which then asks with the rights of whoever asked for the link."""
    if not app.settings.server.dashboard:
        raise Forbidden("The dashboard is switched off by server.dashboard.")
    authorization = request.headers.get("authorization", "").encode("latin-1")
    return DashboardLink(path=request.app.state.dashboard.new_link(authorization))


@router.get(LINK_PATH, include_in_schema=False)
def _open(request: Request, code: str = "") -> Response:
    """Exchange a link for a cookie and a key, and go on to the page."""
    opened = request.app.state.dashboard.exchange(code)
    if opened is None:
        raise Unauthorized("This link was used already, or is too old. `rag dashboard` gives another one.")
    # What stands behind # is sent to no server, and the page takes it out of the address at once.
    answer = RedirectResponse(f"{PATH}#key={opened.key}", 303, headers={"Referrer-Policy": "no-referrer"})
    answer.set_cookie(COOKIE, opened.cookie, max_age=round(SESSION_LIFETIME_S), httponly=True, samesite="strict")
    return answer


@router.get(PATH, include_in_schema=False)
def _page(app: App) -> Response:
    return _file(app, "index.html")


@router.get(f"{PATH}/{{name:path}}", include_in_schema=False)
def _part(app: App, name: str) -> Response:
    return _file(app, name)


def _file(app: App, name: str) -> Response:
    """A file of the dashboard. Raises `NotFound` for one that there is not, and for all where it is switched off."""
    found = _files().get(name) if app.settings.server.dashboard else None
    if found is None:
        raise NotFound(f"There is no {PATH}/{name}.")
    headers = {"Content-Security-Policy": _POLICY, "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin"}
    return Response(found.read_bytes(), media_type=_TYPES[name.rpartition(".")[2]], headers=headers)


@cache
def _files() -> dict[str, Traversable]:
    """What is served, by name: a name is looked up and never made into a path."""
    found: dict[str, Traversable] = {}
    folders = [("", files(__name__) / "app")]
    for above, folder in folders:
        for entry in folder.iterdir():
            if entry.is_dir():
                folders.append((f"{above}{entry.name}/", entry))
            elif entry.name.rpartition(".")[2] in _TYPES:
                found[f"{above}{entry.name}"] = entry
    return found
