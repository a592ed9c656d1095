"""Results as MCP wants them: text for a model first, typed fields beside it, failures with their code."""

from __future__ import annotations

from collections.abc import Sequence

from mcp.types import CallToolResult, ContentBlock, TextContent
from pydantic import BaseModel

from rag_assistant.errors import RagError
from rag_assistant.mcp.results import Failed, Failure


def answered(text: str, result: BaseModel, more: Sequence[ContentBlock] = ()) -> CallToolResult:
    """A result: the text, then further content such as pictures, with the typed fields beside them."""
    content: list[ContentBlock] = [TextContent(type="text", text=text), *more]
    return CallToolResult(content=content, structured_content=result.model_dump(mode="json", exclude_none=True))


def failed(error: RagError, trace_id: str) -> CallToolResult:
    """A failure that the model reads, with the same code as any other door gives it."""
    details = [{"field": item.field, "code": item.code, "message": item.message} for item in error.details]
    failure = Failure.model_validate({"code": error.code, "message": error.message, "details": details})
    told = Failed(trace_id=trace_id, error=failure, retryable=error.retryable)
    again = " A later try may work." if error.retryable else ""
    text = f"{error.code}: {error.message}{again}\ntrace_id: {trace_id}"
    content: list[ContentBlock] = [TextContent(type="text", text=text)]
    return CallToolResult(content=content, structured_content=told.model_dump(mode="json"), is_error=True)
