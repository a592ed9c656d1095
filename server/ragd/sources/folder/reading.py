"""One reading of a folder source: which of its files are new, changed or moved, and which of its documents are gone."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragd.core.errors import ServiceUnavailable
from ragd.core.ids import hash32
from ragd.ingest.discovery.file_rules import shown
from ragd.ingest.discovery.files import Found, Part
from ragd.ingest.pipeline import IngestPipeline
from ragd.ingest.reading import Report, Tally
from ragd.sources.folder.config import FolderConfig
from ragd.sources.handler import Reading
from ragd.store.document_state import SourceDocument
from ragd.store.documents import DocumentWriter
from ragd.store.file_documents import file_path
from ragd.store.jobs import Job
from ragd.store.sources import Source


@dataclass(frozen=True, slots=True)
class FolderReading:
    """Reads folder sources. A document is gone only when its folder could be looked at and it was not there."""

    documents: DocumentWriter
    ingestion: Callable[[], IngestPipeline]
    allowed_roots: Sequence[str]
    avoid: Collection[Path]

    def read(self, source: Source, job: Job, names: frozenset[str] | None, report: Report) -> Reading:
        """Look at everything or, with `names` (relative to the folder), at these and what is below them.

        Raises `ServiceUnavailable`, and deletes nothing, when the folder is not there, can't be read, or is found empty where
        documents came from; `ForbiddenPath` when it may not be read any more; and what the ingestion pipeline raises.
        """
        report("searching files", 0, 0)
        config = FolderConfig.stored(source.config)
        root = config.check_root(source.name, self.allowed_roots)
        documents = self.documents.of_source(source.source_id)
        found, gone, everything = self._look(source, config, documents, names)
        if config.check_root(source.name, self.allowed_roots) != root:
            raise ServiceUnavailable(
                f"The folder '{shown(config.path)}' was exchanged while it was read. It is to be read again."
            )
        if gone and not found.items and len(gone) == len(documents) and not job.payload.get("allow_empty"):
            self._check_emptied(source, config, root, len(documents))
        result = Tally.of(found).result()
        if found.items or gone:
            doc_ids = [document.doc_id for document in gone]
            result = self.ingestion().run(
                source.kb_id, found, report=report, links=job.links, source_id=source.source_id, gone=doc_ids
            )
        return Reading.of(result, job, ignored=found.ignored, everything=everything, root=list(root))

    def _look(
        self, source: Source, config: FolderConfig, documents: Sequence[SourceDocument], names: frozenset[str] | None
    ) -> tuple[Found, list[SourceDocument], bool]:
        """What is there, which documents are no more, and whether everything was looked at."""
        if names is not None and not any(config.is_below_link(name) for name in names):
            found = config.scan(self.allowed_roots, self.avoid, names)
            part = Part(names)
            candidates = [document for document in documents if any(map(part.holds, _names(document, config.folder)))]
            gone = _gone(source.kb_id, found, candidates, config.folder)
            # A file that is still there may have another name by a link, or be ignored now, and others with it.
            if not any(file_path(document.source_uri).exists() for document in gone):
                return found, gone, False
        found = config.scan(self.allowed_roots, self.avoid)
        return found, _gone(source.kb_id, found, documents, config.folder), True

    def _check_emptied(self, source: Source, config: FolderConfig, root: tuple[int, int], count: int) -> None:
        """Raises `ServiceUnavailable` unless it is the very folder that was read before: where a drive is not mounted, there is
        another one of that name, and it is empty."""
        if list(root) != (source.last_result or {}).get("root"):
            raise ServiceUnavailable(
                f"The folder '{shown(config.path)}' holds no documents now, but {count} came from it. Is its drive not "
                f"connected? Nothing was deleted. If it is meant to be empty: rag sync '{source.name}' --allow-empty"
            )


def _gone(kb_id: str, found: Found, documents: Sequence[SourceDocument], folder: Path) -> list[SourceDocument]:
    """The documents that were not found, but for those below what could not be looked at."""
    there = {hash32(kb_id, item.uri) for item in found.items}
    unread = Part([name for name in found.unread if name])
    if "" in found.unread:
        return []
    missing = [document for document in documents if document.doc_id not in there]
    return [document for document in missing if not any(map(unread.holds, _names(document, folder)))]


def _names(document: SourceDocument, folder: Path) -> list[str]:
    """What a document's file is called below its source's folder; of one that was found by a link, what it may be called."""
    path, real = file_path(document.source_uri), Path(os.path.realpath(folder))
    if path.is_relative_to(real):
        return [shown(path.relative_to(real).as_posix())]
    parts, above = document.source.split("/"), [shown(part) for part in real.parts]
    return ["/".join(parts[count:]) for count in range(len(parts)) if parts[:count] == above[len(above) - count :]]
