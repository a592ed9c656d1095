"""Every tool in one table: its names, what it is called for people, and what it may do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from mcp.types import ToolAnnotations

from ragd.mcp.library import Library
from ragd.mcp.tools.documents import DocumentTools
from ragd.mcp.tools.ingest import IngestTools
from ragd.mcp.tools.pictures import PictureTools
from ragd.mcp.tools.reading import ReadingTools
from ragd.mcp.tools.search import SearchTools

_READS: Final = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_ADDS: Final = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_DELETES: Final = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)


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
    search, documents, reading = SearchTools(library), DocumentTools(library), ReadingTools(library)
    pictures, ingest = PictureTools(library), IngestTools(library)
    return [
        _row("Search the knowledge base", search.query_knowledge_hub, short_name="query"),
        _row("Search by words", search.search_by_keyword),
        _row("Search by meaning", search.search_by_semantic),
        _row("List collections", documents.list_collections),
        _row("List documents", documents.list_documents),
        _row("Describe a document", documents.get_document_summary),
        _row("Summarise a document", documents.summarize_document),
        _row("Read a document", reading.get_document),
        _row("Outline a document", reading.list_document_sections),
        _row("Check an answer", search.verify_answer),
        _row("Search pictures", pictures.search_pictures),
        _row("Look at pictures", pictures.query_assets),
        _row("Take documents in", ingest.ingest, _ADDS),
        _row("See how far a job is", ingest.get_job),
        _row("Remove a document", ingest.delete_document, _DELETES),
    ]


def _row(title: str, run: Callable[..., Any], annotations: ToolAnnotations = _READS, short_name: str = "") -> ToolRow:
    return ToolRow(run.__name__, f"library.{short_name or run.__name__}", title, run, annotations)
