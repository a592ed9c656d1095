"""Failures of what has no result to carry them, resources, prompts and completions: JSON-RPC errors with our codes in `data`."""

from __future__ import annotations

import logging
import uuid
from typing import Any, Final

from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS

from ragd.client.errors import ApiError
from ragd.core.errors import DocumentDeleted, NotFound, RagError

log = logging.getLogger(__name__)

# The protocol of 2026-07-28 retired this number; the ones before it ask for it.
RESOURCE_NOT_FOUND: Final = -32002
_FIRST_WITHOUT: Final = "2026-07-28"

_MISSING: Final = (NotFound.status, DocumentDeleted.status)


def trace_of(error: RagError) -> str:
    """The request that was refused, else a fresh id under which the log has it."""
    return (error.request_id if isinstance(error, ApiError) else "") or str(uuid.uuid4())


def crashed(crash: BaseException, **about: Any) -> tuple[RagError, str]:
    """What may be said of a failure that nobody saw coming, and the id under which the log has the rest."""
    trace_id = str(uuid.uuid4())
    log.error("mcp request crashed", exc_info=crash, extra=about | {"trace_id": trace_id})
    return RagError("Something went wrong inside; the log has the details under this trace_id."), trace_id


def refusal(error: RagError, trace_id: str = "", *, protocol: str | None = None, **data: Any) -> MCPError:
    """The error as JSON-RPC has it. With `protocol` something was to be read: older versions number what is missing."""
    trace_id = trace_id or trace_of(error)
    log.info("mcp request failed", extra={"code": error.code, "trace_id": trace_id})
    number = INTERNAL_ERROR if error.status >= RagError.status else INVALID_PARAMS
    if protocol and protocol < _FIRST_WITHOUT and error.status in _MISSING:
        number = RESOURCE_NOT_FOUND
    ours = {"code": error.code, "retryable": error.retryable, "trace_id": trace_id}
    return MCPError(number, f"{error.code}: {error.message}", ours | data)
