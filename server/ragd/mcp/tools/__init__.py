"""Every tool in one table: its names, what it is called for people, and what it may do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from mcp.types import ToolAnnotations

from ragd.mcp.library import Library
from ragd.mcp.tools.assets import AssetTools
from ragd.mcp.tools.collections import CollectionTools
from ragd.mcp.tools.documents import DocumentTools
from ragd.mcp.tools.ingest import IngestTools
from ragd.mcp.tools.reading import ReadingTools
from ragd.mcp.tools.search import SearchTools

READS: Final = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
ADDS: Final = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
DELETES: Final = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)


@dataclass(frozen=True, slots=True)
class ToolRow:
    """A tool. It is listed under one of its two names and answers to both; its docstring is what a model reads."""

    name: str
    library_name: str
    title: str
    run: Callable[..., Any]
    annotations: ToolAnnotations


def tools_of(library: Library) -> list[ToolRow]:
    """All tools, in the order in which they are listed."""
    search, collections = SearchTools(library), CollectionTools(library)
    documents, reading = DocumentTools(library), ReadingTools(library)
    assets, ingest = AssetTools(library), IngestTools(library)
    return [
        ToolRow("query_knowledge_hub", "library.query", "Search the knowledge base", search.query_knowledge_hub, READS),
        ToolRow("search_by_keyword", "library.search_by_keyword", "Search by words", search.search_by_keyword, READS),
        ToolRow("search_by_semantic", "library.search_by_semantic", "Search by meaning", search.search_by_semantic, READS),
        ToolRow("list_collections", "library.list_collections", "List collections", collections.list_collections, READS),
        ToolRow("list_documents", "library.list_documents", "List documents", documents.list_documents, READS),
        ToolRow(
            "get_document_summary", "library.get_document_summary", "Describe a document", documents.get_document_summary, READS
        ),
        ToolRow("summarize_document", "library.summarize_document", "Summarise a document", documents.summarize_document, READS),
        ToolRow("get_document", "library.get_document", "Read a document", reading.get_document, READS),
        ToolRow(
            "list_document_sections",
            "library.list_document_sections",
            "Outline a document",
            reading.list_document_sections,
            READS,
        ),
        ToolRow("verify_answer", "library.verify_answer", "Check an answer", search.verify_answer, READS),
        ToolRow("query_assets", "library.query_assets", "Look at pictures", assets.query_assets, READS),
        ToolRow("ingest", "library.ingest", "Take documents in", ingest.ingest, ADDS),
        ToolRow("get_job", "library.get_job", "See how far a job is", ingest.get_job, READS),
        ToolRow("delete_document", "library.delete_document", "Remove a document", ingest.delete_document, DELETES),
    ]
