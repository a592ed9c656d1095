"""What each route needs: one table, asked in one place, before any route's own work.

The order of the service contract holds: what a request names must exist (404) and be available (403, 410) before it is asked
whether the caller may (403), and only then whether the request is valid (400). So somebody else's collection is 403 `FORBIDDEN`,
not 404: ids are random, and that a name is taken everybody learns who wants to use it. What stands in no collection's name (a
picture, a passage) is looked for among the caller's own alone, and is 404 or left out.

A route without a row is refused to everybody but a whole-service administrator; a test holds that each has one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from ragd.access.callers import Caller, Role
from ragd.api.common import App, caller_of, json_body
from ragd.api.middleware.headers import AUDIT
from ragd.api.middleware.security import AGENTS_PATH
from ragd.app.container import Application
from ragd.core.errors import Forbidden
from ragd.core.storage import Collection

_MOST_NOTED_CHARS: Final = 500
_MOST_NOTED: Final = 20
_Found = Sequence[str] | None
"""Ids of collections; None is the service as a whole."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a request says of the collections that it is about: its address, its parameters, its body as JSON."""

    app: Application
    path: dict[str, Any]
    query: dict[str, str]
    body: Any

    def named(self, find: Callable[[str], Collection]) -> list[str]:
        """Ids of the collections that the body names by `collection`, each found by `find`."""
        value = self.body.get("collection") if isinstance(self.body, dict) else None
        names = value if isinstance(value, list) else [value]
        return [find(name).kb_id for name in names if isinstance(name, str) and name]


def _service(_asked: _Asked) -> _Found:
    return None


def _nothing(_asked: _Asked) -> _Found:
    """The route answers with what the caller may read, and no more."""
    return ()


def _collection(asked: _Asked) -> _Found:
    return [asked.app.collections.get(asked.path["name"]).kb_id]


def _knowledge_base(asked: _Asked) -> _Found:
    return [asked.app.collections.by_id(asked.path["kb_id"]).kb_id]


def _available_knowledge_base(asked: _Asked) -> _Found:
    return [asked.app.knowledge_bases.available(asked.path["kb_id"]).kb_id]


def _document(asked: _Asked) -> _Found:
    return [asked.app.knowledge_bases.uploaded.get(asked.path["doc_id"]).kb_id]


def _source(asked: _Asked) -> _Found:
    return [asked.app.sources.get(asked.path["source_id"]).kb_id]


def _job(asked: _Asked) -> _Found:
    kb_id = asked.app.jobs.get(asked.path["job_id"]).kb_id
    return [kb_id] if kb_id else None


def _cleanup_task(asked: _Asked) -> _Found:
    return [asked.app.knowledge_bases.tasks.get(asked.path["task_id"]).kb_id]


def _by_parameter(asked: _Asked) -> _Found:
    name = asked.query.get("collection")
    return () if name is None else [asked.app.collections.get(name).kb_id]


def _by_body(asked: _Asked) -> _Found:
    return asked.named(asked.app.collections.available)


def _by_body_existing(asked: _Asked) -> _Found:
    return asked.named(asked.app.collections.get)


def _by_body_or_service(asked: _Asked) -> _Found:
    return asked.named(asked.app.collections.get) or None


def _by_body_id(asked: _Asked) -> _Found:
    kb_id = asked.body.get("knowledge_base_id") if isinstance(asked.body, dict) else None
    return [asked.app.knowledge_bases.available(kb_id).kb_id] if isinstance(kb_id, str) else ()


def _label(asked: _Asked) -> _Found:
    return [asked.app.labels.get(asked.path["label_id"]).kb_id]


def _by_model(asked: _Asked) -> _Found:
    model = asked.body.get("model") if isinstance(asked.body, dict) else None
    return [asked.app.collections.available(model).kb_id] if isinstance(model, str) else ()


def _ingested(asked: _Asked) -> _Found:
    """Paths are the server's own, whatever collection they go to. A form's collection is checked as it comes: see the route."""
    if asked.body is None:
        return ()
    asked.named(asked.app.collections.available)
    return None


@dataclass(frozen=True, slots=True)
class Rule:
    """The role that a route needs (None: whoever is known may ask), and in what."""

    role: Role | None
    of: Callable[[_Asked], _Found] = _service
    making: bool = False
    """Whether it makes a collection, which a key that has its own may do, too."""


_ANY: Final = Rule(None)
_OWN: Final = Rule(Role.READER, _nothing)
_READ_DOCUMENT: Final = Rule(Role.READER, _document)
_WRITE_DOCUMENT: Final = Rule(Role.WRITER, _document)
_SEE_LABELS: Final = Rule(Role.WRITER, _by_parameter)
_READ_SERVICE: Final = Rule(Role.READER)
_ADMIN: Final = Rule(Role.ADMIN)
_MAKE: Final = Rule(Role.ADMIN, making=True)
_ASK: Final = Rule(Role.READER, _by_body)
_SEE_SOURCE: Final = Rule(Role.ADMIN, _source)
_CHANGE_KNOWLEDGE_BASE: Final = Rule(Role.ADMIN, _knowledge_base)

RULES: Final[dict[tuple[str, str], Rule]] = {
    # The service itself
    ("GET", "/health"): _ANY,
    ("GET", "/api/health"): _ANY,
    ("GET", "/ready"): _ANY,
    ("GET", "/docs"): _ANY,
    ("GET", "/open"): _ANY,
    ("GET", "/openapi.json"): _ANY,
    ("POST", "/api/browser-link"): _ANY,
    ("GET", "/dashboard"): _ANY,  # the files of the pages, which ask these routes as their caller
    ("GET", "/dashboard/open"): _ANY,
    ("GET", "/dashboard/{name}"): _ANY,
    ("POST", "/api/dashboard-link"): _ANY,
    ("*", AGENTS_PATH): _ANY,  # its tools ask these routes as their caller
    ("GET", "/metrics"): _READ_SERVICE,
    ("GET", "/api/status"): _READ_SERVICE,
    ("GET", "/api/events"): _READ_SERVICE,
    ("GET", "/api/checks"): _ADMIN,
    ("GET", "/api/overview"): _ADMIN,
    ("POST", "/api/stop"): _ADMIN,
    ("GET", "/api/backup"): _ADMIN,
    ("GET", "/api/keys"): _ADMIN,
    ("POST", "/api/keys"): _ADMIN,
    ("POST", "/api/keys/{key_id}/rotate"): _ADMIN,
    ("DELETE", "/api/keys/{key_id}"): _ADMIN,
    # Questions
    ("POST", "/api/query"): _ASK,
    ("POST", "/api/chat"): _ASK,
    ("POST", "/api/prompt"): _ASK,
    ("POST", "/search"): Rule(Role.READER, _by_body_id),
    ("GET", "/api/suggest"): Rule(Role.READER, _by_parameter),
    ("POST", "/api/answers/verify"): _OWN,
    # OpenAI's interface: a collection is a model. The models themselves know nothing of any collection.
    ("GET", "/v1/models"): _OWN,
    ("GET", "/v1/models/{model}"): _OWN,
    ("POST", "/v1/chat/completions"): Rule(Role.READER, _by_model),
    ("POST", "/v1/embeddings"): _ANY,
    ("POST", "/v1/rerank"): _ANY,
    # Collections
    ("GET", "/api/collections"): _OWN,
    ("POST", "/api/collections"): _MAKE,
    ("GET", "/api/collections/{name}/guide"): Rule(Role.READER, _collection),
    ("PATCH", "/api/collections/{name}"): Rule(Role.ADMIN, _collection),
    ("DELETE", "/api/collections/{name}"): Rule(Role.ADMIN, _collection),
    ("GET", "/knowledge_bases"): _OWN,
    ("POST", "/knowledge_bases"): _MAKE,
    ("GET", "/knowledge_bases/{kb_id}"): Rule(Role.READER, _knowledge_base),
    ("PATCH", "/knowledge_bases/{kb_id}"): _CHANGE_KNOWLEDGE_BASE,
    ("DELETE", "/knowledge_bases/{kb_id}"): _CHANGE_KNOWLEDGE_BASE,
    ("GET", "/cleanup_tasks/{task_id}"): Rule(Role.READER, _cleanup_task),
    ("POST", "/cleanup_tasks/{task_id}/retry"): Rule(Role.ADMIN, _cleanup_task),
    # Documents
    ("GET", "/knowledge_bases/{kb_id}/documents"): Rule(Role.READER, _knowledge_base),
    ("POST", "/knowledge_bases/{kb_id}/documents"): Rule(Role.WRITER, _available_knowledge_base),
    ("GET", "/documents/{doc_id}"): _READ_DOCUMENT,
    ("DELETE", "/documents/{doc_id}"): _WRITE_DOCUMENT,
    ("GET", "/api/documents"): Rule(Role.READER, _by_parameter),
    ("GET", "/api/documents/folders"): Rule(Role.READER, _by_parameter),
    ("POST", "/api/documents/verify"): Rule(Role.ADMIN, _by_body_or_service),
    ("GET", "/api/documents/{doc_id}"): _READ_DOCUMENT,
    ("DELETE", "/api/documents/{doc_id}"): _WRITE_DOCUMENT,
    ("GET", "/api/documents/{doc_id}/guide"): _READ_DOCUMENT,
    ("GET", "/api/documents/{doc_id}/content"): _READ_DOCUMENT,
    ("GET", "/api/documents/{doc_id}/sections"): _READ_DOCUMENT,
    ("GET", "/api/documents/{doc_id}/chunks"): _READ_DOCUMENT,
    ("GET", "/api/documents/{doc_id}/outline"): _READ_DOCUMENT,
    ("GET", "/api/documents/{doc_id}/rows"): _READ_DOCUMENT,
    ("GET", "/api/documents/{doc_id}/merged-cells"): _READ_DOCUMENT,
    ("GET", "/api/documents/{doc_id}/slides"): _READ_DOCUMENT,
    ("GET", "/api/documents/{doc_id}/pages"): _READ_DOCUMENT,
    ("GET", "/api/documents/{doc_id}/pages/{page}"): _READ_DOCUMENT,
    ("GET", "/api/documents/{doc_id}/pages/{page}/text"): _READ_DOCUMENT,
    ("POST", "/api/documents/{doc_id}/reindex"): _WRITE_DOCUMENT,
    ("GET", "/api/assets"): _ADMIN,
    ("POST", "/api/assets/caption"): _ADMIN,
    ("GET", "/api/assets/{asset_id}"): _OWN,
    ("GET", "/api/assets/{asset_id}/details"): _OWN,
    ("GET", "/api/assets/{asset_id}/table"): _OWN,
    # Whoever lends a model reads every picture that is to be described, and says what they show.
    ("POST", "/api/captions/requests"): _ADMIN,
    ("PATCH", "/api/captions/requests/{lease_id}"): _ADMIN,
    ("POST", "/api/captions/requests/{lease_id}/answer"): _ADMIN,
    ("POST", "/api/captions/requests/{lease_id}/failure"): _ADMIN,
    ("DELETE", "/api/captions/lenders/{lender}"): _ADMIN,
    ("POST", "/api/ingest"): Rule(Role.WRITER, _ingested),
    ("POST", "/api/reindex"): Rule(Role.ADMIN, _by_body_or_service),
    # Sources read folders of the server, or use its secrets.
    ("GET", "/api/sources"): Rule(Role.ADMIN, _nothing),
    ("POST", "/api/sources"): _ADMIN,
    ("GET", "/api/sources/{source_id}"): _SEE_SOURCE,
    ("PATCH", "/api/sources/{source_id}"): _ADMIN,
    ("DELETE", "/api/sources/{source_id}"): _ADMIN,
    ("POST", "/api/sources/{source_id}/sync"): _SEE_SOURCE,
    ("POST", "/api/sources/{source_id}/retry"): _SEE_SOURCE,
    ("GET", "/api/sources/{source_id}/ledger"): _SEE_SOURCE,
    ("GET", "/api/sources/{source_id}/ledger/items"): _SEE_SOURCE,
    # Work, and what was kept of questions, which are other people's
    ("GET", "/api/jobs"): _OWN,
    ("GET", "/api/jobs/{job_id}"): Rule(Role.READER, _job),
    ("DELETE", "/api/jobs/{job_id}"): Rule(Role.WRITER, _job),
    ("GET", "/api/jobs/{job_id}/events"): Rule(Role.READER, _job),
    ("GET", "/api/traces"): _ADMIN,
    ("GET", "/api/traces/{trace_id}"): _ADMIN,
    ("GET", "/api/traces/{trace_id}/flow"): _ADMIN,
    ("GET", "/api/traces/{trace_id}/passages"): _ADMIN,
    ("GET", "/api/traces/{trace_id}/whereabouts"): _ADMIN,
    ("POST", "/api/traces/{trace_id}/replay"): _ADMIN,
    ("GET", "/api/settings"): _ADMIN,
    ("GET", "/api/evaluations"): _ADMIN,
    ("POST", "/api/evaluations"): _ADMIN,
    ("GET", "/api/evaluations/{run_id}"): _ADMIN,
    ("GET", "/api/evaluations/{run_id}/figures"): _ADMIN,
    ("GET", "/api/evaluations/{run_id}/questions"): _ADMIN,
    ("GET", "/api/evaluations/{run_id}/comparison"): _ADMIN,
    ("POST", "/api/evaluations/query"): _ADMIN,
    ("POST", "/api/evaluations/answer"): _ADMIN,
    ("GET", "/api/evaluations/choices"): _ADMIN,
    ("POST", "/api/evaluations/cost"): _ADMIN,
    ("GET", "/api/evaluations/jobs"): _ADMIN,
    ("POST", "/api/evaluations/jobs"): _ADMIN,
    ("GET", "/api/evaluations/jobs/{job_id}"): _ADMIN,
    ("POST", "/api/evaluations/jobs/{job_id}/strategy"): _ADMIN,
    ("POST", "/api/evaluations/tuning"): _ADMIN,
    ("GET", "/api/datasets"): _ADMIN,
    ("POST", "/api/datasets"): _ADMIN,
    ("POST", "/api/datasets/sample"): _ADMIN,
    ("GET", "/api/datasets/{name}"): _ADMIN,
    ("GET", "/api/datasets/{name}/text"): _ADMIN,
    ("PATCH", "/api/datasets/{name}"): _ADMIN,
    ("DELETE", "/api/datasets/{name}"): _ADMIN,
    ("GET", "/api/feedback"): _ADMIN,
    ("POST", "/api/feedback"): Rule(Role.READER, _by_body_existing),
    ("DELETE", "/api/feedback/{feedback_id}"): _ADMIN,
    # Labels are a collection's content: whoever may change that may label, and sees the questions that were labelled.
    ("GET", "/api/labels"): _SEE_LABELS,
    ("POST", "/api/labels"): Rule(Role.WRITER, _by_body_existing),
    ("GET", "/api/labels/questions"): _SEE_LABELS,
    ("GET", "/api/labels/agreement"): _SEE_LABELS,
    ("DELETE", "/api/labels/{label_id}"): Rule(Role.WRITER, _label),
}


async def permitted(request: Request, app: App) -> None:
    """Raises what is wrong with the things that the request names, then `Forbidden`. Of every route, before all else."""
    caller = caller_of(request)
    if (noted := request.scope.get(AUDIT)) is not None:
        _note(noted, await json_body(request))
    if caller.everywhere is Role.ADMIN:
        return
    rule = RULES.get((request.method, request.scope["route"].path_format))
    if rule is None:
        raise Forbidden("Only an administrator of the whole service may ask this.")
    if rule.role is not None:
        await _require(rule.role, rule, caller, request, app)


def _note(noted: dict[str, Any], body: Any) -> None:
    """What the audit log has of a request's body: the collection that it names, and the question where the settings say so."""
    names = ("collection", "knowledge_base_id", "name", *(("query",) if noted["questions"] else ()))
    if isinstance(body, dict):
        noted |= {name: _short(body[name]) for name in names if isinstance(body.get(name), str | list)}


def _short(given: str | list[Any]) -> str | list[str]:
    # The log keeps so many bytes in all: long bodies of one caller would push out what others did.
    if isinstance(given, str):
        return given[:_MOST_NOTED_CHARS]
    return [str(one)[:_MOST_NOTED_CHARS] for one in given[:_MOST_NOTED]]


async def _require(role: Role, rule: Rule, caller: Caller, request: Request, app: Application) -> None:
    if rule.making:
        caller.require_making()
    elif rule.of is _service:
        caller.require(role, None)
    else:
        asked = _Asked(app, request.path_params, dict(request.query_params), await json_body(request))
        caller.require(role, await run_in_threadpool(rule.of, asked))
