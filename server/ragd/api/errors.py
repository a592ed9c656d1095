"""The one error shape of REST, whatever went wrong: our errors, a wrong request, an unknown address, an unforeseen failure."""

from __future__ import annotations

import errno
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from http import HTTPMethod
from math import ceil
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DBAPIError, OperationalError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.routing import Match
from starlette.types import Scope

from ragd.api.middleware import browser, dashboard
from ragd.core.errors import (
    FieldProblem,
    NotFound,
    PayloadTooLarge,
    RagError,
    RateLimited,
    ServiceUnavailable,
    Unauthorized,
    ValidationFailed,
)
from ragd.core.logs import request_id
from ragd.retrieve.filters import nearest
from ragd.store.database.engine import is_away, is_busy

log = logging.getLogger(__name__)

RETRY_AFTER_S = 2

_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}


OPENAI_PATHS: Final = "/v1/"
"""Below this address failures are in OpenAI's shape, whose clients read no other."""

_OPENAI_CODES: Final = {"UNAUTHORIZED": "invalid_api_key", "KNOWLEDGE_BASE_NOT_FOUND": "model_not_found"}
_OPENAI_TYPES: Final = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


class _ErrorResponse(JSONResponse):
    """What it quotes of a request may hold halves of surrogate pairs, which JSON can write and UTF-8 can not."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


class _MethodNotAllowed(RagError):
    code, status = "METHOD_NOT_ALLOWED", 405


def install(api: FastAPI) -> None:
    """Make every failure that reaches the routing layer an answer in our shape."""
    api.add_exception_handler(RagError, _rag_error)
    api.add_exception_handler(RequestValidationError, _invalid)
    api.add_exception_handler(HTTPException, _http_error)


def error_response(error: RagError, headers: Mapping[str, str] | None = None, *, path: str = "") -> JSONResponse:
    """An error as its status and `{"error": {code, message, request_id, details}}`; below `/v1/` in OpenAI's shape."""
    body: dict[str, Any] = {"code": error.code, "message": error.message, "request_id": request_id.get()}
    if path.startswith(OPENAI_PATHS):
        code = _OPENAI_CODES.get(error.code, error.code.lower())
        param = error.details[0].field if error.details else None
        body |= {"code": code, "type": _OPENAI_TYPES.get(error.status, _openai_type(error.status)), "param": param}
    else:
        body["details"] = [asdict(item) for item in error.details]
    sent = dict(headers or {})
    if isinstance(error, Unauthorized):
        sent["WWW-Authenticate"] = "Bearer"
    if isinstance(error, RateLimited):
        sent["Retry-After"] = str(max(1, ceil(error.retry_after_s)))
    if error.retryable:
        sent["Retry-After"] = str(RETRY_AFTER_S)
    return _ErrorResponse({"error": body}, error.status, sent)


def failure_response(error: Exception, scope: Scope) -> JSONResponse:
    """The answer to a failure that nobody foresaw: nothing of the inside, which goes to the log with the request's id.

    Of the request the log has the address with its parameters; bodies hold what people ask and upload.
    """
    if isinstance(error, RagError) and error.status != RagError.status:
        return error_response(error, path=scope["path"])
    parameters = scope["query_string"].decode("latin-1") if scope["path"] not in (browser.LINK_PATH, dashboard.LINK_PATH) else ""
    asked = {"method": scope["method"], "path": scope["path"], "parameters": parameters}
    if (away := is_away(error)) or (isinstance(error, DBAPIError) and is_busy(error)):
        log.warning("the database refused", extra=asked | {"reason": str(getattr(error, "orig", error))})
        why = "The database does not answer." if away else "The database is busy with other changes."
        return error_response(ServiceUnavailable(f"{why} Try again in a moment."), path=scope["path"])
    log.error("request failed", exc_info=error, extra=asked)
    if isinstance(error, OperationalError) or (isinstance(error, OSError) and error.errno in _DISK):
        return error_response(
            ServiceUnavailable("The disk or the database refused to work. Look for free space, then try again; see the log."),
            path=scope["path"],
        )
    unforeseen = RagError("Something went wrong inside. The log has the details under this request_id.")
    return error_response(unforeseen, path=scope["path"])


def _openai_type(status: int) -> str:
    return "invalid_request_error" if status < 500 else "server_error"


def validation_failed(problems: Sequence[Any], known: Sequence[str] = ()) -> ValidationFailed:
    """Problems as pydantic reports them, as one error with one detail for each. `known` are the names of the body's fields."""
    details = []
    for problem in problems:
        field = ".".join(str(part) for part in problem["loc"]) or "body"
        if problem["type"] == "json_invalid":
            details.append(FieldProblem("body", "json_invalid", f"Not JSON at character {field}: {problem['ctx']['error']}."))
        elif problem["type"] == "extra_forbidden" and field == problem["loc"][-1] and known:
            details.append(FieldProblem(field, "unknown", f"There is no such field.{nearest(field, known)}"))
        else:
            details.append(FieldProblem(field, problem["type"], f"{problem['msg']}."))
    return ValidationFailed.of_fields("The request can't be used.", details)


async def _rag_error(request: Request, error: Exception) -> JSONResponse:
    return failure_response(error, request.scope)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    body = getattr(request.scope.get("route"), "body_field", None)
    known = list(getattr(body.field_info.annotation, "model_fields", ())) if body else []
    # The framework puts in front where a field was: body, query or path.
    ours = validation_failed([{**problem, "loc": problem["loc"][1:]} for problem in error.errors()], known)
    return error_response(ours, path=request.scope["path"])


async def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    method, path = request.method, request.scope["path"]
    ours: RagError
    if error.status_code == 404:
        ours = NotFound(f"There is nothing at {path}. See /docs for what there is.")
    elif error.status_code == 405:
        ours = _MethodNotAllowed(f"{method} can't be used at {path}. See /docs for what can.")
        # The framework names those of the first route that has the path alone.
        return error_response(ours, {"Allow": ", ".join(_methods_at(request))}, path=path)
    elif error.status_code == 413:
        ours = PayloadTooLarge(str(error.detail))
    elif error.status_code < 500:
        ours = ValidationFailed(f"The request can't be read: {error.detail}.")
    else:
        ours = RagError(str(error.detail))
    return error_response(ours, error.headers, path=path)


def _methods_at(request: Request) -> list[str]:
    """Every method that is answered at the request's path: of the routes at just this one, or else of those with parameters."""
    if at_this_path := request.app.openapi()["paths"].get(request.scope["path"]):
        return sorted(method.upper() for method in at_this_path)
    answered = []
    for method in HTTPMethod:
        scope = {**request.scope, "method": method.value}
        if any(route.matches(scope)[0] == Match.FULL for route in request.app.routes):
            answered.append(method.value)
    return sorted(answered)
