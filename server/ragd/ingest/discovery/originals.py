"""The files that documents were read from: where they are, and whether they are what was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragd.core.errors import DocumentChanged, DocumentUnreadable, DocumentVanished, ValidationFailed
from ragd.core.ids import hash32
from ragd.formats.registry import shape_of
from ragd.ingest.discovery.drives import Step, ask
from ragd.ingest.discovery.file_rules import shown
from ragd.ingest.discovery.files import check_allowed
from ragd.ingest.discovery.items import FileItem
from ragd.ingest.discovery.uploads import Uploads
from ragd.store.document_reader import DocumentReader
from ragd.store.file_documents import file_path

_Box = tuple[float, float, float, float]


class Originals:
    """Finds and reads the files of documents, uploaded ones included."""

    def __init__(self, documents: DocumentReader, allowed_roots: Sequence[str], uploads: Uploads, max_size: int) -> None:
        self._documents = documents
        self._allowed_roots = allowed_roots
        self._uploads = uploads
        self._max_size = max_size

    def find(self, document: Mapping[str, Any]) -> FileItem:
        """The file of a document as `DocumentReader.get` gives it.

        Raises `DocumentVanished` when it is gone, `DocumentUnreadable` when it can't be looked at, `BlobsUnavailable` when an
        uploaded one can't be had, `ForbiddenPath` when it may no longer be read, and `ValidationFailed` for what is no file.
        """
        source = document["source"]
        if not document["source_uri"].startswith("file:"):
            raise ValidationFailed(f"'{source}' is not a file on this machine. Sync its source to read it again.")
        path = file_path(document["source_uri"])
        if is_ours := path.is_relative_to(self._uploads.folder.resolve()):
            self._uploads.fetch(path)

        def look(_step: Step) -> tuple[Path, bool]:
            place = path if is_ours else check_allowed(path, self._allowed_roots)
            return place, place.is_file()

        try:
            path, there = ask(path, look)
        except OSError as error:  # a folder above it may not be entered
            raise DocumentUnreadable(f"The file of '{source}' can't be read: {error.strerror or error}.") from error
        if not there:
            raise DocumentVanished(
                f"The file of '{source}' is gone ({shown(str(path))}). Put it back, add it from where it is now, or delete the "
                "document."
            )
        return FileItem(path, source)

    def page(self, doc_id: str, chunk_ids: Sequence[str], number: int) -> tuple[bytes, str, list[_Box]]:
        """The bytes of a PDF, its name, and the rectangles of the passages on a page, as fractions of it.

        Raises what `find` raises, `DocumentNotFound`, `ValidationFailed` for what has no pages, and `DocumentChanged` for a file
        that is no longer what was read.
        """
        document = self._documents.get(doc_id)
        source = document["source"]
        if shape_of(document["doc_type"]) != "pages":
            raise ValidationFailed(f"'{source}' has no page images: only PDF documents have.")
        if document["version_id"] is None:
            why = document["error"]["message"] if document["error"] else "It is being read."
            raise ValidationFailed(f"There are no pages of '{source}' to show. {why}")
        data = self.find(document).read(self._max_size)
        if hash32(data) != document["versions"][0]["content_hash"]:
            raise DocumentChanged(f"'{source}' was changed after it was read. Ingest it again to see its pages.")
        return data, source, self._documents.boxes(doc_id, chunk_ids, number)
