"""The REST application: every route, the middleware in front of them, and the app behind them."""

from __future__ import annotations

from functools import cache
from typing import Any

from fastapi import Depends
from starlette.routing import BaseRoute

from ragd import __version__
from ragd.api import dashboard, docs, errors
from ragd.api.description import Described, operation_id
from ragd.api.lifecycle import Lifecycle
from ragd.api.middleware.browser import BrowserSessions
from ragd.api.middleware.dashboard import DashboardSessions
from ragd.api.middleware.security import AuthMiddleware
from ragd.api.middleware.server_mode import ServerRules
from ragd.api.middleware.sessions import SessionTable
from ragd.api.permissions import permitted
from ragd.api.routes import (
    assets,
    backup,
    chat,
    collections,
    datasets,
    documents,
    evaluation_jobs,
    evaluations,
    ingest,
    jobs,
    keys,
    labels,
    lending,
    query,
    sources,
    status,
    suggest,
    traces,
)
from ragd.api.routes.contract import documents as contract_documents
from ragd.api.routes.contract import knowledge_bases, operation, search
from ragd.api.routes.openai import chat as openai_chat
from ragd.api.routes.openai import models as openai_models
from ragd.api.routes.openai import vectors as openai_vectors
from ragd.api.schemas.base import ErrorBody
from ragd.api.state_events import StateEvents
from ragd.app.container import Application

# The framework can send telemetry of its own; nothing here does.
_NO_TELEMETRY: Any = {"tracing": False, "metrics": False, "logs": False, "operation_spans": False, "auto_configure": False}


def create_api(
    app: Application,
    *,
    token: str,
    lifecycle: Lifecycle | None = None,
    counted: bool = True,
    sessions: SessionTable | None = None,
) -> Described:
    """The ASGI application in front of an open `app`. Without `lifecycle` it is ready from the start.

    With `counted` its requests are in the metrics and in their caller's rate; those that never left the process should not be.
    `sessions` are those of browsers, where other processes answer at the same address.
    """
    if lifecycle is None:
        lifecycle = Lifecycle()
        lifecycle.ready.set()
    api = routes()
    api.state.application = app
    api.state.lifecycle = lifecycle
    api.state.state_events = StateEvents(app.overviews)
    api.state.browser = browser = BrowserSessions(table=sessions)
    api.state.dashboard = pages = DashboardSessions(table=sessions)
    answered = app.metrics.answered if counted and app.settings.observability.metrics else None
    is_server = app.settings.security.mode == "server"
    api.add_middleware(
        AuthMiddleware,
        callers=app.authenticator(token),
        lifecycle=lifecycle,
        limits=app.settings.limits,
        browser=browser,
        pages=pages,
        answered=answered,
        server=ServerRules(app.settings, app.audit, app.rates) if is_server else None,
        counted=counted,
    )
    return api


def routes(*, service_contract: bool = True) -> Described:
    """Every route and the shape of failures, without an app behind them and without middleware; enough to be described."""
    api = _without_routes()
    # Nothing of an app is in them: it is found by the request. Nor have the routers anything to start.
    api.router.routes.extend(_included(service_contract=service_contract))
    return api


def _without_routes() -> Described:
    api = Described(
        title="RAG Assistant",
        version=__version__,
        summary="Search over private documents, with citations.",
        responses={"default": {"model": ErrorBody, "description": "Any failure"}},
        # A redirect would be made of the Host header, and the usual documentation pages load scripts from the internet.
        redirect_slashes=False,
        docs_url=None,
        redoc_url=None,
        telemetry=_NO_TELEMETRY,
        generate_unique_id_function=operation_id,
        dependencies=[Depends(permitted)],
    )
    errors.install(api)
    return api


@cache
def _included(*, service_contract: bool) -> tuple[BaseRoute, ...]:
    """The routes of all routers, once for a process: the framework reads the signature of each at its first match, slowly."""
    api = _without_routes()
    own = len(api.router.routes)
    measured = (evaluation_jobs, evaluations, datasets)
    kept = (collections, documents, assets, lending, ingest, sources, jobs)
    for part in (status, query, suggest, chat, *kept, traces, *measured, labels, backup, docs, dashboard):
        api.include_router(part.router)
    others = (keys, knowledge_bases, contract_documents, search, operation, openai_models, openai_chat, openai_vectors)
    for part in others if service_contract else ():
        api.include_router(part.router)
    return tuple(api.router.routes[own:])
