"""What there is to search in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from mcp.types import CallToolResult
from pydantic import Field

from ragd.client.requests import MAX_PAGE_SIZE
from ragd.mcp.library import Ctx, Library
from ragd.mcp.results.build import answered
from ragd.mcp.results.markdown import counted, one_line, short
from ragd.mcp.results.types import CollectionList

_ABOUT: Final = 150
"""Characters of a description in the text; the typed fields have the whole."""


@dataclass(frozen=True, slots=True)
class CollectionTools:
    """The tools about collections."""

    library: Library

    async def list_collections(
        self,
        ctx: Ctx,
        page: Annotated[int, Field(ge=1)] = 1,
        page_size: Annotated[int, Field(ge=1, le=MAX_PAGE_SIZE)] = MAX_PAGE_SIZE,
    ) -> Annotated[CallToolResult, CollectionList]:
        """List the collections (knowledge bases) with what each is about and how many documents it holds.

        Use it to choose `collection` for a search when the user means one part of the documents.
        """
        client = self.library.client(ctx)
        listed = await client.get("/api/collections", page=page, page_size=page_size)
        lines = [f"{counted(listed['total'], 'collection')}:", ""]
        for row in listed["items"]:
            about = f": {short(row['description'], _ABOUT)}" if row["description"] else ""
            state = "" if row["status"] == "enabled" else f" ({row['status']})"
            lines.append(f"- {one_line(row['name'])}{state}, {counted(row['document_count'], 'document')}{about}")
        if page * page_size < listed["total"]:
            lines.append(f"There are more: page={page + 1}.")
        result = CollectionList(trace_id=client.trace_id, collections=listed["items"], total=listed["total"])
        return answered(lines, result)
