"""What a client raises: the API's own errors, and that nobody answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ragd.core.errors import FieldProblem, RagError, ServiceUnavailable

if TYPE_CHECKING:
    import httpx2


class ApiError(RagError):
    """The API answered with an error: it has that error's code, status, details and request id."""

    def __init__(self, status: int, error: Mapping[str, Any]) -> None:
        details = [FieldProblem(item["field"], item["code"], item["message"]) for item in error.get("details") or ()]
        super().__init__(error["message"], details=details)
        self.code = error["code"]
        self.status = status
        self.retryable = status == ServiceUnavailable.status
        self.request_id: str = error.get("request_id") or ""


def checked(response: httpx2.Response) -> httpx2.Response:
    """The same response when it is no error. Raises `ApiError`, or `ServiceUnavailable` for an error that is not the API's."""
    if not response.is_error:
        return response
    try:
        error = {"request_id": response.headers.get("X-Request-ID"), **response.json()["error"]}
        refused: RagError = ApiError(response.status_code, error)
    except (ValueError, KeyError, TypeError):
        path, status = response.request.url.path, response.status_code
        refused = ServiceUnavailable(f"The daemon answered {path} with status {status} and nothing that can be read.")
    raise refused


def unanswered(error: httpx2.TransportError) -> ServiceUnavailable:
    """The failure of a connection as ours."""
    reason = str(error) or type(error).__name__
    return ServiceUnavailable(
        f"The daemon did not answer ({reason}). It may have done what was asked: see its log, or run `rag doctor`."
    )
