"""Which collections and documents there are, what each document is, and what it says in short."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from mcp.types import CallToolResult
from pydantic import Field

from ragd.client.asynchronous import AsyncClient
from ragd.client.requests import MAX_PAGE_SIZE, path
from ragd.core.errors import RagError
from ragd.core.storage import DocumentStatus
from ragd.mcp.library import Ctx, Library
from ragd.mcp.results.build import answered, citation_row
from ragd.mcp.results.documents import document_lines, group_lines, groups, heading, selected
from ragd.mcp.results.markdown import DATA_NOTE, counted, cut, fenced, one_line, short
from ragd.mcp.results.types import CollectionList, DocumentList, DocumentSummary, GroupBy, Style, Summarized
from ragd.mcp.tools.search import MaxChars

MAX_EXAMINED: Final = 2_000
"""Documents that are looked at for groups and selections: REST lists them by source alone."""
_MAX_CHUNKS: Final = 1_000
"""Passages from the beginning of a document of which an extract is made."""
_ABOUT: Final = 150
"""Characters of a description in the text; the typed fields have the whole."""
_EXTRACTIVE: Final = "extractive"
_PASSAGES: Final = 20
"""Passages that a language model gets; fewer when `limits.max_top_k` allows fewer."""
_CONTEXT_TOKENS: Final = 12_000
"""Tokens of these passages; `llm.context_tokens` bounds them, too."""

DocId = Annotated[str, Field(min_length=1, max_length=200, description="The document's id, from a citation or list_documents.")]
Page = Annotated[int, Field(ge=1, description="Counted from 1.")]


@dataclass(frozen=True, slots=True)
class DocumentTools:
    """The tools about collections, and about documents as a whole."""

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

    async def list_documents(
        self,
        ctx: Ctx,
        collection: Annotated[str | None, Field(description="This collection alone (names: list_collections).")] = None,
        status: Annotated[DocumentStatus | None, Field(description="`deleted` ones are listed only when asked for.")] = None,
        group_by: Annotated[GroupBy, Field(description="Count and list by tag, type or collection, too.")] = "none",
        tag: Annotated[str | None, Field(description="Only documents with this tag.")] = None,
        path_prefix: Annotated[str | None, Field(description="Only documents whose `source` begins so: `guide/`.")] = None,
        page: Page = 1,
        page_size: Annotated[int, Field(ge=1, le=MAX_PAGE_SIZE)] = 20,
        max_chars: MaxChars = None,
    ) -> Annotated[CallToolResult, DocumentList]:
        """List the documents of the knowledge base, or get an overview of them by tag, type or collection.

        Use it when the user asks what there is, or to get a doc_id by name. To find something inside documents use
        query_knowledge_hub.
        """
        client = self.library.client(ctx)
        limit = self.library.room(max_chars)
        request = {"collection": collection, "status": status}
        grouped: dict[str, Any] = {}
        lines: list[str] = []
        if group_by == "none" and tag is None and path_prefix is None:
            found = await client.get("/api/documents", **request, page=page, page_size=page_size)
            rows, total = found["items"], found["total"]
        else:
            examined, available = await client.rows("/api/documents", MAX_EXAMINED, **request)
            matching = selected(examined, tag, path_prefix)
            rows, total = matching[(page - 1) * page_size :][:page_size], len(matching)
            grouped = {"examined": len(examined), "available": available}
            if len(examined) < available:
                lines.append(
                    f"Only the first {len(examined)} of {available} documents were looked at; choose a collection to see others."
                )
            if group_by != "none":
                made, count = groups(matching, group_by, limit)
                grouped |= {"groups": made, "groups_total": count}
                heading_line = f"{counted(total, 'document')} in {counted(count, 'group')}:"
                lines += [heading_line, *group_lines(made, group_by)]
                if len(made) < count:
                    lines += ["", f"… and {count - len(made)} more groups, which did not fit."]
        if group_by == "none":
            pages = max(-(-total // page_size), 1)
            lines += [f"{counted(total, 'document')}, page {page} of {pages}:", "", *document_lines(rows, limit)]
        result = DocumentList(trace_id=client.trace_id, documents=rows, total=total, page=page, page_size=page_size, **grouped)
        return answered(lines, result)

    async def get_document_summary(self, ctx: Ctx, doc_id: DocId) -> Annotated[CallToolResult, DocumentSummary]:
        """Get what is known of one document: title, source, type, language, size, dates, tags, keywords and its stored summary.

        Quick, and no model takes part. For a longer summary use summarize_document, for the text get_document.
        """
        client = self.library.client(ctx)
        document = await client.get(path("/api/documents", doc_id))
        lines = [
            heading(document),
            *_described(document),
            "",
            DATA_NOTE,
            fenced(document["summary"] or "(no summary)"),
        ]
        result = DocumentSummary(trace_id=client.trace_id, document=document)
        return answered(lines, result)

    async def summarize_document(
        self,
        ctx: Ctx,
        doc_id: DocId,
        style: Annotated[
            Style,
            Field(description="`short`: a few sentences; `bullet`: a line a section; `detailed`: some sentences a section."),
        ] = "short",
        max_chars: MaxChars = None,
    ) -> Annotated[CallToolResult, Summarized]:
        """Summarise one document, with citations of the passages that the summary rests on.

        Made of the document's own sentences, or written by a language model where one is set up. To summarise in your own words
        read the document with get_document instead.
        """
        client = self.library.client(ctx)
        document = await client.get(path("/api/documents", doc_id))
        room = self.library.room(max_chars)
        warnings: list[str] = []
        made = await _written(client, document, style, warnings) or await _extracted(client, document, style, room, warnings)
        trace_id, provider, text, citations = made
        summary, shortened = cut(text, room)
        if shortened:
            warnings.append(f"The summary was cut to {len(summary)} of {len(text)} characters.")
        result = Summarized(
            trace_id=trace_id,
            doc_id=document["id"],
            style=style,
            summary=summary,
            provider=provider,
            citations=[citation_row(citation) for citation in citations],
            warnings=warnings,
        )
        how = "extracts of the document" if provider == _EXTRACTIVE else f"written by a language model ({one_line(provider)})"
        lines = [heading(document), f"Summary ({style}; {how}):", "", DATA_NOTE, fenced(summary), ""]
        # The document is named above; its passages differ in their place.
        lines += [f"[{row.id}] {one_line(row.place)} · chunk_id {', '.join(row.chunk_ids)}" for row in result.citations]
        lines += [f"Note: {one_line(warning)}" for warning in warnings]
        return answered(lines, result)


Made = tuple[str, str, str, Sequence[Mapping[str, Any]]]
"""Trace id, provider, text and citations of a summary."""


async def _written(client: AsyncClient, document: Mapping[str, Any], style: Style, warnings: list[str]) -> Made | None:
    """A language model's summary; none where no model is set, or where it gave none, which `warnings` then say."""
    if (await client.get("/api/status"))["llm"]["provider"] == "none":
        return None
    # Late, here and below: it compiles what a process that is never asked to summarise would wait for at its start.
    from ragd.mcp.results.summaries import question

    request = {
        "query": question(style, document["language"], document["keywords"]),
        "collection": document["collection"],
        "filters": {"doc_id": document["id"]},
        "max_context_tokens": _CONTEXT_TOKENS,
        # All passages are of one document, and a model that ranks them by "summarise" takes time for nothing.
        "rerank": False,
    }
    try:
        events = dict(await _chat(client, request))
    except RagError as error:
        warnings.append(f"The language model was not asked, so these are extracts. {error.code}: {error.message}")
        return None
    if failure := events.get("error"):
        warnings.append(
            f"The language model failed, so these are extracts. {failure['error']['code']}: {failure['error']['message']}"
        )
        return None
    if (done := events.get("done")) is None:
        warnings.append("The language model's answer broke off, so these are extracts.")
        return None
    warnings += [*events["retrieval"]["warnings"], *done["warnings"]]
    if done["provider"] == _EXTRACTIVE or not done["found"] or done["finish"] == "cancelled":
        if not done["warnings"]:
            warnings.append("The language model wrote no summary, so these are extracts.")
        return None
    seen = len(events["retrieval"]["results"])
    if seen < document["chunk_count"]:
        warnings.append(f"The language model was given {seen} of {document['chunk_count']} passages.")
    return done["trace_id"], done["provider"], done["answer"], done["citations"]


async def _chat(client: AsyncClient, request: Mapping[str, Any]) -> list[tuple[str, Any]]:
    try:
        return await client.events("/api/chat", {**request, "top_k": _PASSAGES})
    except RagError as error:
        if not any(item.field == "top_k" for item in error.details):
            raise
        return await client.events("/api/chat", request)


async def _extracted(client: AsyncClient, document: Mapping[str, Any], style: Style, room: int, warnings: list[str]) -> Made:
    from ragd.mcp.results.summaries import extract

    chunks, total = await client.rows(path("/api/documents", document["id"], "chunks"), _MAX_CHUNKS)
    made = extract(style, document["summary"], chunks, room)
    if len(chunks) < total and style != "short":
        warnings.append(f"Only the first {len(chunks)} of {total} passages were looked at.")
    if made.left_out:
        warnings.append(f"{made.left_out} sections did not fit; list_document_sections names all.")
    if not made.text:
        warnings.append("Nothing in this document can be quoted.")
    named = {name: document[name] for name in ("collection", "source", "source_uri", "title")}
    cited = [{**chunk, **named, "doc_id": document["id"], "id": number} for number, chunk in enumerate(made.chunks, 1)]
    return client.trace_id, _EXTRACTIVE, made.text, cited


def _described(document: Mapping[str, Any]) -> list[str]:
    size, passages = f"{document['size']} bytes", f"{document['chunk_count']} passages"
    state = document["status"] if document["status"] != "ready" else ""
    language = document["language"] or "language unknown"
    parts = [document["doc_type"], language, size, passages, f"updated {document['updated_at']}", state]
    lines = ["", " · ".join(filter(None, parts))]
    if error := document.get("error"):
        lines.append(f"Reading it failed: {error['code']} {one_line(error['message'])}")
    for name in ("tags", "keywords", "warnings"):
        if values := document[name]:
            lines.append(f"{name.capitalize()}: {cut(', '.join(map(one_line, values)), 1_000)[0]}")
    return lines
