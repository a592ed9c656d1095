"""What there is to search in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mcp.types import CallToolResult

from rag_assistant.mcp.answering import answered
from rag_assistant.mcp.library import Ctx, Library
from rag_assistant.mcp.markdown import one_line
from rag_assistant.mcp.rest import MAX_PAGE_SIZE
from rag_assistant.mcp.results import CollectionList


@dataclass(frozen=True, slots=True)
class CollectionTools:
    """The tools about collections."""

    library: Library

    async def list_collections(self, ctx: Ctx) -> Annotated[CallToolResult, CollectionList]:
        """List the collections (knowledge bases) with what each is about and how many documents it holds.

        Use it to choose `collection` for a search when the user means one part of the documents.
        """
        caller = self.library.caller(ctx)
        page = await caller.get("/api/collections", page_size=MAX_PAGE_SIZE)
        lines = [f"{page['total']} collections:", ""]
        for row in page["items"]:
            about = f": {one_line(row['description'])}" if row["description"] else ""
            state = "" if row["status"] == "enabled" else f" ({row['status']})"
            lines.append(f"- {one_line(row['name'])}{state}, {row['document_count']} documents{about}")
        if len(page["items"]) < page["total"]:
            lines.append(f"… and {page['total'] - len(page['items'])} more.")
        result = CollectionList(trace_id=caller.trace_id, collections=page["items"], total=page["total"])
        return answered("\n".join([*lines, "", f"trace_id: {caller.trace_id}"]), result)
