"""Results as MCP wants them: text for a model first, typed fields beside it. Failures have the same codes as everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from mcp.types import CallToolResult, ContentBlock, TextContent
from pydantic import BaseModel

from ragd.core.errors import RagError
from ragd.mcp.results.types import CitationRow, Result
from ragd.retrieve.context import place_of


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
