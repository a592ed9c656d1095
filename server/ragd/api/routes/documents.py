"""Documents: what was read, and what it became."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, Path, Query, Response

from ragd.api.common import Access, App, CallerOf, Pages, SourceTokens
from ragd.api.description import binary
from ragd.api.routes.assets import PICTURE_HEADERS
from ragd.api.schemas.documents import (
    ChunkPage,
    DocumentContent,
    DocumentDetail,
    DocumentGuide,
    DocumentPage,
    FolderPage,
    MergedTableCells,
    OutlinePage,
    PageContentPage,
    PageText,
    SectionPage,
    SheetRows,
    SlidePlacesPage,
    VerifyBody,
    VerifyReport,
)
from ragd.api.schemas.jobs import JobStarted
from ragd.core.logs import request_id
from ragd.core.storage import DocumentStatus
from ragd.store.document_reader import no_document

router = APIRouter(prefix="/api/documents", tags=["documents"])


def _readable(doc_id: str, app: App, access: Access) -> None:
    """The document in the address must exist, not be deleted, and be one that the user may see; else there is none."""
    if doc_id not in access.readable([doc_id]):
        raise no_document(doc_id)
    app.document_reader.get(doc_id)


_document = [Depends(_readable)]


_NAMING: Final = {
    "source": "",
    "source_uri": "",
    "title": "",
    "summary": "",
    "tags": (),
    "has_unprocessed_images": False,
    "restricted": True,
}

_MOST_CHARACTERS: Final = 300_000
_WRITTEN = "`model`: the language model writes it, where there is one."
_UNPROCESSED = "Only documents with pictures that are not described yet, or only those without."
_MARKED = "Mark this passage on the page; may be given several times."


def _unnamed(row: Mapping[str, Any]) -> dict[str, Any]:
    """What stands in place of all that says what a document is."""
    return _NAMING | ({"error": {"code": row["error"]["code"], "message": ""}} if "error" in row else {})


def _kb_id(app: App, collection: Annotated[str | None, Query()] = None) -> str | None:
    return None if collection is None else app.collections.get(collection).kb_id


@router.get("", response_model=DocumentPage, response_model_exclude_unset=True)
def list_documents(
    app: App,
    kb_id: Annotated[str | None, Depends(_kb_id)],
    paging: Pages,
    access: Access,
    caller: CallerOf,
    status: Annotated[DocumentStatus | None, Query()] = None,
    text: Annotated[str | None, Query(max_length=1000, description="A part of the path or the title.")] = None,
    folder: Annotated[str | None, Query(max_length=4000, description="Only what lies in it itself; empty: in none.")] = None,
    has_unprocessed_images: Annotated[bool | None, Query(description=_UNPROCESSED)] = None,
) -> dict[str, Any]:
    """Documents by source; deleted ones only when asked for by their status.

    Those of cloud sources that are not public come last, and are named only to a token that may read them. With `text` and with
    `has_unprocessed_images` they are left out: that one is found would disclose what it says.
    """
    found, total = app.documents.page(
        kb_id, status, paging.page, paging.page_size, caller.readable, text, folder, has_unprocessed_images
    )
    readable = access.readable(row["id"] for row in found)
    return paging.answer([row if row["id"] in readable else row | _unnamed(row) for row in found], total)


@router.get("/folders", response_model=FolderPage)
def list_folders(
    app: App,
    kb_id: Annotated[str | None, Depends(_kb_id)],
    paging: Pages,
    caller: CallerOf,
    folder: Annotated[str, Query(max_length=4000, description="The folder they lie in; empty: the outermost.")] = "",
) -> dict[str, Any]:
    """Folders of documents by name, with how many lie in each and below. Those of private cloud sources are in none."""
    folders = app.documents.folders(kb_id, folder.rstrip("/"), caller.readable)
    return paging.answer(paging.of(folders), len(folders))


@router.post("/verify", response_model=VerifyReport)
def verify_documents(app: App, body: VerifyBody | None = None) -> dict[str, Any]:
    """Compare the stored content with the indexes, the vectors and the files. Changes nothing."""
    return app.reconciler.verify(body.collection if body else None)


@router.get("/{doc_id}", response_model=DocumentDetail, response_model_exclude_unset=True, dependencies=_document)
def get_document(doc_id: str, app: App) -> dict[str, Any]:
    """One document with its versions."""
    return app.document_reader.get(doc_id)


@router.get("/{doc_id}/content", response_model=DocumentContent, dependencies=_document)
def get_content(
    doc_id: str,
    app: App,
    version_id: Annotated[str | None, Query(description="An older version that is kept; without it, the live one.")] = None,
) -> dict[str, str]:
    """What was read, as Markdown."""
    return {"id": doc_id, "markdown": app.document_reader.content(doc_id, version_id)}


@router.get("/{doc_id}/guide", response_model=DocumentGuide, dependencies=_document)
def get_guide(
    doc_id: str,
    app: App,
    by: Annotated[Literal["rules", "model"], Query(description=_WRITTEN)] = "rules",
) -> dict[str, Any]:
    """What the document is about: summary, outline, topics, and questions that it answers."""
    return app.guides.document(doc_id, by_model=by == "model")


@router.get("/{doc_id}/sections", response_model=SectionPage, dependencies=_document)
def list_sections(doc_id: str, app: App, paging: Pages) -> dict[str, Any]:
    """The section tree in order; `start` and `end` are characters of the content."""
    sections = app.document_reader.sections(doc_id)
    first = (paging.page - 1) * paging.page_size
    return paging.answer(sections[first : first + paging.page_size], len(sections))


@router.get("/{doc_id}/chunks", response_model=ChunkPage, response_model_exclude_unset=True, dependencies=_document)
def list_chunks(doc_id: str, app: App, paging: Pages) -> dict[str, Any]:
    """The passages in order, with their places."""
    return paging.answer(*app.document_reader.chunks(doc_id, paging.page, paging.page_size))


@router.get("/{doc_id}/outline", response_model=OutlinePage, response_model_exclude_unset=True, dependencies=_document)
def get_outline(doc_id: str, app: App, paging: Pages) -> dict[str, Any]:
    """The headings (of a PDF: its bookmarks, where it has them) in order, with their places."""
    outline = app.pages.outline(doc_id)
    return paging.answer(paging.of(outline), len(outline))


@router.get("/{doc_id}/rows", response_model=SheetRows, dependencies=_document)
def list_rows(
    doc_id: str, app: App, start: Annotated[int, Query(ge=0)], end: Annotated[int, Query(ge=0, description="Exclusive.")]
) -> dict[str, Any]:
    """Which rows of a workbook's sheets the content has between two characters; at most 300,000 lie between them."""
    return {"items": app.pages.rows(doc_id, start, min(end, start + _MOST_CHARACTERS))}


@router.get("/{doc_id}/merged-cells", response_model=MergedTableCells, response_model_exclude_unset=True, dependencies=_document)
def list_merged_cells(
    doc_id: str, app: App, start: Annotated[int, Query(ge=0)], end: Annotated[int, Query(ge=0, description="Exclusive.")]
) -> dict[str, Any]:
    """Which cells of tables the source shows as one, in the rows that begin between two characters of the content; at most
    300,000 lie between them. A row says so again of a cell that began above it."""
    return {"items": app.pages.merged(doc_id, start, min(end, start + _MOST_CHARACTERS))}


@router.get("/{doc_id}/slides", response_model=SlidePlacesPage, dependencies=_document)
def list_slides(doc_id: str, app: App, paging: Pages) -> dict[str, Any]:
    """Where the texts, tables and pictures of a presentation stand on its slides, as far as it is known."""
    slides = app.pages.slides(doc_id)
    return paging.answer(paging.of(slides), len(slides))


@router.get("/{doc_id}/pages", response_model=PageContentPage, dependencies=_document)
def list_pages(doc_id: str, app: App, paging: Pages) -> dict[str, Any]:
    """The text that was read on each page, scanned ones too; none for a document without pages."""
    first = (paging.page - 1) * paging.page_size + 1
    return paging.answer(*app.pages.texts(doc_id, first, paging.page_size))


@router.get("/{doc_id}/pages/{page}/text", response_model=PageText, dependencies=_document)
def get_page_text(doc_id: str, page: Annotated[int, Path(ge=1)], app: App) -> dict[str, Any]:
    """The words of a PDF's page with their places on it."""
    return app.pages.page(doc_id, page)


@router.get(
    "/{doc_id}/pages/{page}",
    response_class=Response,
    responses=binary("image/png", "The page as PNG."),
    dependencies=_document,
)
def get_page(
    doc_id: str,
    page: int,
    app: App,
    chunk_id: Annotated[list[str], Query(default_factory=list, max_length=50, description=_MARKED)],
    width: Annotated[int, Query(ge=100, le=3000, description="Pixels.")] = 1000,
) -> Response:
    """A page of a PDF as a picture, with passages marked."""
    return Response(app.pictures.page(doc_id, page, width, chunk_id), media_type="image/png", headers=PICTURE_HEADERS)


@router.post("/{doc_id}/reindex", response_model=JobStarted, status_code=202, dependencies=_document)
def reread_document(doc_id: str, app: App, tokens: SourceTokens) -> dict[str, str]:
    """Read the document again: its file, changed or not, or its item of a cloud source."""
    return {"job_id": app.documents.reread(doc_id, tokens, request_id.get()).job_id}


@router.delete("/{doc_id}", status_code=204, dependencies=_document)
def delete_document(doc_id: str, app: App) -> None:
    """Delete a document; it is gone from every answer when this returns."""
    app.documents.delete(doc_id, request_id.get())
