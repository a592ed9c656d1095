"""Documents of a knowledge base: uploaded one by one, followed until they are read, deleted."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from starlette.concurrency import run_in_threadpool

from ragd.api.common import Access, App, CallerOf, Pages
from ragd.api.multipart import UploadForm, receive_form
from ragd.api.routes.contract import TAG
from ragd.api.schemas.contract import DocumentAccepted, KnowledgeBaseDocument, KnowledgeBaseDocumentPage
from ragd.core.errors import UnsupportedMediaType
from ragd.core.logs import request_id
from ragd.core.storage import Collection, UploadStatus
from ragd.ingest.discovery.uploads import Upload
from ragd.store.contract.documents import UploadedDocument
from ragd.store.document_reader import no_document

router = APIRouter(tags=[TAG])

_FILE = {
    "required": True,
    "content": {
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "required": ["file"],
                "properties": {"file": {"type": "string", "format": "binary", "description": "One file, with its name."}},
            }
        }
    },
}


def _available(kb_id: str, app: App) -> Collection:
    """The knowledge base in the address must exist and be enabled."""
    return app.knowledge_bases.available(kb_id)


def _exists(kb_id: str, app: App) -> None:
    """The knowledge base in the address must exist."""
    app.collections.by_id(kb_id)


def _readable(doc_id: str, app: App, access: Access) -> UploadedDocument:
    """The document in the address must exist, not be deleted, and be one that the user may see; else there is none."""
    if doc_id not in access.readable([doc_id]):
        raise no_document(doc_id)
    return app.knowledge_bases.uploaded.get(doc_id)


@router.post(
    "/knowledge_bases/{kb_id}/documents",
    response_model=DocumentAccepted,
    status_code=202,
    openapi_extra={"requestBody": _FILE},
)
async def upload_document(
    request: Request, target: Annotated[Collection, Depends(_available)], app: App, caller: CallerOf
) -> dict[str, str]:
    """Upload one file to be read and indexed. The same name in the same knowledge base is a new version of the same document."""
    content_type = request.headers.get("content-type", "")
    if content_type.partition(";")[0].strip().lower() != "multipart/form-data":
        raise UnsupportedMediaType("Send the file as multipart/form-data, in the field 'file'.")
    limit = app.settings.limits.max_document_size
    form = UploadForm(content_type, receive=app.uploads.receive, max_file_size=limit, file_field="file", most_files=1)
    await run_in_threadpool(app.keys.check_quota, caller)

    def take(uploads: list[Upload]) -> str:
        app.keys.check_quota(caller, 1, uploads[0].size)
        return app.knowledge_bases.upload(target, uploads[0], request_id.get())

    doc_id = await receive_form(request, form, take)
    return {"document_id": doc_id, "status": "processing"}


@router.get("/knowledge_bases/{kb_id}/documents", response_model=KnowledgeBaseDocumentPage, dependencies=[Depends(_exists)])
def list_knowledge_base_documents(
    kb_id: str, app: App, paging: Pages, access: Access, status: Annotated[UploadStatus | None, Query()] = None
) -> dict[str, Any]:
    """Documents of a knowledge base, the oldest first, deleted ones included."""
    found, total = app.knowledge_bases.uploaded.page(kb_id, status, paging.page, paging.page_size)
    readable = access.readable(document.doc_id for document in found)
    return paging.answer([_document(document, named=document.doc_id in readable) for document in found], total)


@router.get("/documents/{doc_id}", response_model=KnowledgeBaseDocument)
def get_knowledge_base_document(document: Annotated[UploadedDocument, Depends(_readable)]) -> dict[str, Any]:
    """One document; 410 for one that was deleted."""
    return _document(document)


@router.delete("/documents/{doc_id}", status_code=204, dependencies=[Depends(_readable)])
def delete_knowledge_base_document(doc_id: str, app: App) -> None:
    """Delete a document; it is gone from every answer when this returns."""
    app.knowledge_bases.delete_document(doc_id, request_id.get())


def _document(document: UploadedDocument, *, named: bool = True) -> dict[str, Any]:
    return {
        "id": document.doc_id,
        "knowledge_base_id": document.kb_id,
        "filename": document.filename if named else "",
        "status": document.status,
        "error_message": document.error_message if named else None,
        "chunk_count": document.chunk_count,
        "metadata": {"ocr_skipped": document.ocr_skipped},
        "created_at": document.created_at,
        "updated_at": document.updated_at,
    }
