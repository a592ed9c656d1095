"""Documents in and out: files that are queued to be read, and documents and collections that are deleted."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ragd.access.context import LiveAccess
from ragd.config.settings import Settings
from ragd.core.errors import RagError
from ragd.core.storage import Collection
from ragd.ingest.discovery.files import check_paths, narrowed
from ragd.ingest.discovery.uploads import Upload
from ragd.jobs.ingest import Reread
from ragd.jobs.removal import Cleanup
from ragd.sources.service import SourceService
from ragd.store.collections import DEFAULT, Collections
from ragd.store.contract.cleanup_tasks import CleanupTasks
from ragd.store.document_reader import DocumentReader
from ragd.store.documents import DocumentWriter
from ragd.store.jobs import Job, Jobs


@dataclass(frozen=True, slots=True)
class Documents:
    """What clients do with documents. What takes long becomes a job."""

    settings: Settings
    reader: DocumentReader
    writer: DocumentWriter
    collections: Collections
    jobs: Jobs
    sources: SourceService
    access: LiveAccess
    reread_job: Reread
    cleanup: Cleanup
    cleanup_tasks: CleanupTasks

    def page(
        self,
        kb_id: str | None,
        status: str | None,
        page: int,
        page_size: int,
        among: frozenset[str] | None = None,
        text: str | None = None,
        folder: str | None = None,
        unprocessed: bool | None = None,
    ) -> tuple[list[dict[str, Any]], int]:
        """One page of documents by source, those that need a token behind them, and how many there are in all.

        `among` are ids of collections that the others are left out for; `text` is a part of a path or a title, `folder`
        where they lie, "" for in none; `unprocessed` whether they have pictures that are not described yet.
        """
        unnamed = self.access.origins.private_ids()
        return self.reader.page(
            kb_id,
            status,
            page,
            page_size,
            unnamed=unnamed,
            among=among,
            text=text,
            folder=folder,
            unprocessed=unprocessed,
        )

    def folders(self, kb_id: str | None, folder: str, among: frozenset[str] | None = None) -> list[dict[str, Any]]:
        """The folders in a folder by name, with how many documents lie in each and below; private ones do not count."""
        return self.reader.folders(kb_id, folder, unnamed=self.access.origins.private_ids(), among=among)

    def ingest(
        self,
        paths: Sequence[str],
        *,
        collection: str | None = None,
        force: bool = False,
        recursive: bool = True,
        gitignore: bool = True,
        prune: bool = False,
        within: Sequence[str] | None = None,
        request_id: str | None = None,
        kind: str = "ingest",
    ) -> Job:
        """Queue the ingestion of files and folders. With `gitignore`, what `.gitignore` files name is left out of folders.

        With `prune`, documents of these folders whose files are no more are deleted. `within` narrows the allowed roots. Raises
        `ForbiddenPath` for a path outside of them, `ValidationFailed` for none there.
        """
        target = self.collections.available(collection or DEFAULT)
        check_paths(paths, narrowed(self.settings.security.path_roots(), within))
        payload: dict[str, Any] = {"paths": list(paths), "force": force, "recursive": recursive, "gitignore": gitignore}
        payload |= {"prune": prune} | ({"within": list(within)} if within else {})
        return self._queue(kind, target, payload, request_id)

    def ingest_uploads(
        self, uploads: Sequence[Upload], target: Collection, *, force: bool = False, request_id: str | None = None
    ) -> Job:
        """Queue the ingestion of files that were uploaded whole. When the queue is full the files are thrown away."""
        with sealed(uploads) as files:
            return self._queue("upload", target, {"files": files, "force": force}, request_id)

    def reread(self, doc_id: str, tokens: Mapping[str, str] | None = None, request_id: str | None = None) -> Job:
        """Queue the reading of one document again: of its file, by force (see `Reread.queue`), or of its item of a source."""
        if origin := self.sources.ledger.of_documents([doc_id]).get(doc_id):
            source_id, item = origin
            return self.sources.sync_items(source_id, [item.item_id], (tokens or {}).get(source_id), request_id)
        return self.reread_job.queue(doc_id, request_id)

    def delete(self, doc_id: str, request_id: str | None = None) -> None:
        """Delete a document: gone from every answer when this returns. A job removes what can't be removed at once.

        Raises `DocumentNotFound` or `DocumentDeleted`.
        """
        document = self.reader.get(doc_id)
        target = self.collections.get(document["collection"])
        self.writer.tombstone([doc_id], by_request=True)
        self.cleanup.remove_or_queue(target, doc_id, document["source_uri"], request_id)

    def delete_collection(self, name: str) -> None:
        """Delete a collection: gone at once, what it held after the running job. `default` can't be deleted.

        Raises `CollectionNotFound` or `ValidationFailed`.
        """
        self.delete_collection_by_id(self.collections.get(name).kb_id)

    def delete_collection_by_id(self, kb_id: str, request_id: str | None = None) -> Job:
        """As `delete_collection`; gives the clean-up task. Raises `CollectionDeleted`, too."""
        task, sources = self.cleanup_tasks.begin(kb_id, request_id)
        self.sources.removed(sources)
        return task

    def _queue(self, kind: str, target: Collection, payload: Mapping[str, Any], request_id: str | None) -> Job:
        return self.jobs.add(kind, collection=target.name, kb_id=target.kb_id, payload=payload, request_id=request_id)


@contextmanager
def sealed(uploads: Sequence[Upload]) -> Generator[list[dict[str, Any]], None, None]:
    """Put what was received on the disk for good, and give it as a job of the kind `upload` names its files.

    When the block fails, the files are thrown away.
    """
    for upload in uploads:
        upload.seal()
    try:
        yield [{"staged": upload.staged.name, "source": upload.source, "size": upload.size} for upload in uploads]
    except RagError:
        for upload in uploads:
            upload.abandon()
        raise
