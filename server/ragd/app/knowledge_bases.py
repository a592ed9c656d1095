"""Knowledge bases for other programs: collections by id, their clean-up, and documents from the moment of their upload."""

from __future__ import annotations

from dataclasses import dataclass

from ragd.app.documents import Documents, sealed
from ragd.app.search import Search
from ragd.core.errors import CollectionDeleted, DocumentDeleted
from ragd.core.jobs import QueuedUpload
from ragd.core.query import QueryRequest
from ragd.core.storage import Collection
from ragd.formats.registry import doc_type_for
from ragd.ingest.discovery.uploads import Upload, Uploads
from ragd.retrieve.pipeline import QueryResult
from ragd.store.contract.cleanup_tasks import CleanupTasks
from ragd.store.contract.documents import UploadedDocuments, unavailable
from ragd.store.jobs import Job


@dataclass(frozen=True, slots=True)
class KnowledgeBases:
    """The service contract's view of collections, documents and jobs. It stores nothing of its own."""

    tasks: CleanupTasks
    uploaded: UploadedDocuments
    documents: Documents
    uploads: Uploads
    search: Search

    def changeable(self, kb_id: str) -> Collection:
        """The collection, which may be disabled. Raises `CollectionNotFound`, `CollectionDeleted`."""
        found = self.documents.collections.by_id(kb_id)
        if found.status == "deleted":
            raise CollectionDeleted(f"The knowledge base '{kb_id}' is deleted. It can't be changed or brought back.")
        return found

    def available(self, kb_id: str) -> Collection:
        """The collection, which must be enabled. Raises `CollectionNotFound`, `CollectionUnavailable`."""
        found = self.documents.collections.by_id(kb_id)
        if found.status != "enabled":
            raise unavailable(found)
        return found

    def delete(self, kb_id: str, request_id: str | None) -> Job:
        """Delete a collection; gives the task that removes what it held. Raises as `changeable` does."""
        return self.documents.delete_collection_by_id(kb_id, request_id)

    def upload(self, target: Collection, upload: Upload, request_id: str | None) -> str:
        """Queue the reading of a file that was received whole; gives its document's id, which is known from now on.

        The same name in the same collection is a new version of the same document. Raises what `announce` raises.
        """
        with sealed([upload]) as files:
            uri = self.uploads.uri(QueuedUpload(target.kb_id, upload.staged.name, upload.source))
            doc_type = doc_type_for(upload.source) or "text"
            payload = {"files": files, "force": False}
            return self.uploaded.announce(target, upload.source, uri, doc_type, payload, request_id)

    def delete_document(self, doc_id: str, request_id: str | None) -> None:
        """Delete a document: gone from every answer when this returns. Raises `DocumentNotFound`, `DocumentDeleted`."""
        self.uploaded.get(doc_id)
        try:
            self.documents.delete(doc_id, request_id)
        except DocumentDeleted:  # a new upload of it waits, which is to come to nothing
            self.documents.writer.tombstone([doc_id], by_request=True)

    def query(self, request: QueryRequest, target: Collection) -> QueryResult:
        """Find passages of one collection. Raises what `Search.query` raises."""
        return self.search.query(request, [target])
