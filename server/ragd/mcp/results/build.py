"""Results as MCP wants them: text for a model first, typed fields beside it. Failures have the same codes as everywhere.

What has no result to carry a failure, resources, prompts and completions, gets JSON-RPC errors with our codes in `data`.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS, CallToolResult, ContentBlock, TextContent
from pydantic import BaseModel

from ragd.client.errors import ApiError
from ragd.core.errors import DocumentDeleted, NotFound, RagError
from ragd.mcp.results.types import CitationRow, Result
from ragd.retrieve.context import place_of

log = logging.getLogger(__name__)

# The protocol of 2026-07-28 retired this number; the ones before it ask for it.
_RESOURCE_NOT_FOUND: Final = -32002
_FIRST_WITHOUT: Final = "2026-07-28"

_MISSING: Final = (NotFound.status, DocumentDeleted.status)


def answered(lines: Sequence[str], result: Result, more: Sequence[ContentBlock] = ()) -> CallToolResult:
    """A result: the text, with the trace id as its end; further content, such as pictures; and the typed fields beside them."""
    text = "\n".join([*lines, "", f"trace_id: {result.trace_id}"])
    content: list[ContentBlock] = [TextContent(type="text", text=text), *more]
    return CallToolResult(content=content, structured_content=_fields(result))


def citation_row(citation: Mapping[str, Any]) -> CitationRow:
    """A citation of the API, or of a single passage, as results have it."""
    chunk_ids = citation.get("chunk_ids") or [citation["chunk_id"]]
    return CitationRow.model_validate({**citation, "chunk_ids": chunk_ids, "place": place_of(citation)})


def _fields(value: Any) -> Any:
    """As JSON. What may be left out is left out when it is null; a null that the schema requires stays."""
    match value:
        case BaseModel():
            found = {name: (getattr(value, name), field.is_required()) for name, field in type(value).model_fields.items()}
            return {name: _fields(item) for name, (item, required) in found.items() if required or item is not None}
        case Mapping():
            return {name: _fields(item) for name, item in value.items()}
        case list() | tuple():
            return [_fields(item) for item in value]
        case _:
            return value


def failed(error: RagError, trace_id: str) -> CallToolResult:
    """A failure that the model reads. Its typed fields are those of `schemas.with_failure`."""
    failure = {"code": error.code, "message": error.message, "details": [asdict(item) for item in error.details]}
    typed = {"trace_id": trace_id, "error": failure, "retryable": error.retryable}
    again = " A later try may work." if error.retryable else ""
    text = f"{error.code}: {error.message}{again}\ntrace_id: {trace_id}"
    content: list[ContentBlock] = [TextContent(type="text", text=text)]
    return CallToolResult(content=content, structured_content=typed, is_error=True)


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
        number = _RESOURCE_NOT_FOUND
    ours = {"code": error.code, "retryable": error.retryable, "trace_id": trace_id}
    return MCPError(number, f"{error.code}: {error.message}", ours | data)
