"""The text of a document, its outline, its passages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from mcp.types import CallToolResult
from pydantic import Field

from ragd.client.asynchronous import AsyncClient
from ragd.client.requests import MAX_PAGE_SIZE, path
from ragd.core.errors import ValidationFailed
from ragd.mcp.library import Ctx, Library
from ragd.mcp.results.build import answered
from ragd.mcp.results.documents import Contents, chunk_rows, heading, outline, passages, piece
from ragd.mcp.results.markdown import DATA_NOTE, fenced, one_line
from ragd.mcp.results.types import DocumentText, Format, SectionList
from ragd.mcp.tools.documents import DocId, Page
from ragd.mcp.tools.search import MaxChars

_CHUNKS: Final = 10
"""Passages of a page that no size was asked for."""
_LEAST: Final = 200
"""Characters of text that are given however long a document's title and summary are."""

_PageSize = Annotated[int, Field(ge=1, le=MAX_PAGE_SIZE)]


@dataclass(frozen=True, slots=True)
class ReadingTools:
    """The tools that read on where a passage ends."""

    library: Library
    contents: Contents = field(default_factory=Contents)

    async def get_document(
        self,
        ctx: Ctx,
        doc_id: DocId,
        format: Annotated[
            Format, Field(description="`markdown`: the text; `sections`: the outline; `chunks`: numbered passages with places.")
        ] = "markdown",
        offset: Annotated[int, Field(ge=0, description="Of markdown: the character to begin at, such as a section's start.")] = 0,
        page: Annotated[int, Field(ge=1, description="Of sections and chunks, counted from 1.")] = 1,
        page_size: Annotated[_PageSize | None, Field(description="Of sections (100) and chunks (10).")] = None,
        max_chars: MaxChars = None,
        include_summary: bool = False,
    ) -> Annotated[CallToolResult, DocumentText]:
        """Read a document: its text piece by piece, or its outline, or its passages.

        Use it when a passage that query_knowledge_hub found is not enough. Long documents come in pieces: go on with
        `offset` = next_offset, or jump to a section's start from list_document_sections.
        """
        if (offset and format != "markdown") or (page > 1 and format == "markdown"):
            name, formats = ("offset", "markdown") if offset else ("page", "sections and chunks")
            message = f"'{name}' is for the format {formats}, and this is {format}."
            raise ValidationFailed.of_field(name, "not_for_this_format", message)
        client = self.library.client(ctx)
        document = await client.get(path("/api/documents", doc_id))
        lines = [heading(document)]
        if include_summary:
            lines += ["", "Summary:", fenced(document["summary"] or "(no summary)")]
        room = max(self.library.room(max_chars) - sum(len(line) + 1 for line in lines), _LEAST)
        match format:
            case "markdown":
                found, more = await _markdown(client, self.contents, document, offset, room)
            case "sections":
                found, more = await _sections(client, document["id"], page, page_size or MAX_PAGE_SIZE, room)
            case "chunks":
                found, more = await _chunks(client, document["id"], page, page_size or _CHUNKS, room)
        summary = document["summary"] if include_summary else None
        typed = {"trace_id": client.trace_id, "doc_id": document["id"], "format": format, "summary": summary, **found}
        result = DocumentText.model_validate({**document, **typed})
        return answered([*lines, *more], result)

    async def list_document_sections(
        self, ctx: Ctx, doc_id: DocId, page: Page = 1, page_size: _PageSize = MAX_PAGE_SIZE
    ) -> Annotated[CallToolResult, SectionList]:
        """Get a document's outline: its headings in order, with the characters where the text of each begins and ends.

        Use it to find the right part of a long document, then read on with get_document and `offset` = the start.
        """
        client = self.library.client(ctx)
        found, lines = await _sections(client, doc_id, page, page_size, self.library.room(None))
        result = SectionList(trace_id=client.trace_id, doc_id=doc_id, **found)
        return answered(lines, result)


_Part = tuple[dict[str, Any], list[str]]
"""Typed fields of a part of a document, and its text."""


async def _markdown(client: AsyncClient, contents: Contents, document: Mapping[str, Any], offset: int, room: int) -> _Part:
    # The live version is the first one.
    live = document["versions"][0]["md_sha256"] if document["version_id"] else ""
    whole = contents.get(live)
    held = whole is not None
    if whole is None:
        whole = (await client.get(path("/api/documents", document["id"], "content")))["markdown"]
    text = piece(whole, offset, room)
    end = offset + len(text)
    if not whole:
        return {"markdown": "", "offset": 0, "total_chars": 0}, ["", f"There is no text: it is {_why_empty(document)}."]
    found = {"markdown": text, "offset": offset, "total_chars": len(whole)}
    lines = [f"Characters {offset}-{end} of {len(whole)}.", "", DATA_NOTE, fenced(text)]
    if end < len(whole):
        found["next_offset"] = end
        lines.append(f"Read on: get_document with offset {end}.")
        if not held:
            contents.keep(live, whole)
    else:
        contents.drop(live)
    return found, lines


async def _sections(client: AsyncClient, doc_id: str, page: int, page_size: int, room: int) -> _Part:
    found = await client.get(path("/api/documents", doc_id, "sections"), page=page, page_size=page_size)
    lines, left_out = outline(found["items"], room)
    text = [f"{found['total']} sections, page {page} of {_pages(found)}; characters and section id behind each:", "", *lines]
    if left_out:
        text.append(f"… and {left_out} more of this page, which did not fit: ask for a smaller page_size.")
    return _page("sections", found["items"], found), text


async def _chunks(client: AsyncClient, doc_id: str, page: int, page_size: int, room: int) -> _Part:
    found = await client.get(path("/api/documents", doc_id, "chunks"), page=page, page_size=page_size)
    rows = chunk_rows(found["items"], room)
    text = [f"{found['total']} passages, page {page} of {_pages(found)}.", "", DATA_NOTE, *passages(rows)]
    return _page("chunks", rows, found), text


def _page(name: str, rows: list[Any], found: Mapping[str, Any]) -> dict[str, Any]:
    return {name: rows, "total": found["total"], "page": found["page"], "page_size": found["page_size"]}


def _pages(found: Mapping[str, Any]) -> int:
    return max(-(-int(found["total"]) // int(found["page_size"])), 1)


def _why_empty(document: Mapping[str, Any]) -> str:
    if error := document.get("error"):
        return f"{document['status']}, {error['code']} {one_line(error['message'])}"
    return "empty" if document["status"] == "ready" else str(document["status"])
