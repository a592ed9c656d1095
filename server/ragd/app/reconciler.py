"""Keeping facts, views and files in step: what a start mends, what a deletion leaves to do, and the report of both."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy.exc import DBAPIError

from ragd.app.container import Parts
from ragd.core.errors import RagError
from ragd.core.jobs import IngestResult
from ragd.ingest.discovery.uploads import Uploads
from ragd.ingest.indexes import find_drift
from ragd.store.collections import Collections
from ragd.store.documents import DocumentWriter
from ragd.store.jobs import Job, Jobs

log = logging.getLogger(__name__)

# Names in a report at most; the counts are of all.
_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What is done to the stores together."""

    parts: Parts
    collections: Collections
    writer: DocumentWriter
    uploads: Uploads
    jobs: Jobs

    def reconcile(self) -> Job | None:
        """Finish or roll back what a crash left, and repair views that differ from the facts.

        Returns the job that rebuilds documents whose entries are missing or were made under other settings, if any are.
        """
        self.uploads.sweep(self.jobs.staged_files())
        # What an earlier start found to repair is found again below, as far as it still needs it.
        self.jobs.end_kind("repair", "cancelled")
        swept = self.writer.sweep()
        if swept:
            log.warning("rows of an unfinished ingestion removed", extra={"rows": swept})
        for kb_id, doc_ids in self.writer.deleted_with_content().items():
            self.parts.ingestion.delete(kb_id, doc_ids)
        rebuild: list[str] = []
        for kb_id, status in self.collections.all_ids().items():
            if status == "deleted":
                self.purge_collection(kb_id)
                continue
            drift = find_drift(self.parts.indexes, kb_id, self.writer.live_entries(kb_id))
            self.parts.indexes.remove({kb_id: drift.surplus})
            rebuild += sorted({*drift.incomplete_documents, *self._outdated(kb_id)})
        for kind in ("purge", "cleanup"):
            self.jobs.end_kind(kind, "completed", asdict(IngestResult()))
        if not self.jobs.unfinished():
            # A job that was cut off counts on the vectors that it has made.
            self.parts.ingestion.sweep()
        self.parts.assets.sweep_files()
        if not rebuild:
            return None
        if self.parts.model_changed:
            self.parts.notices.append(
                "The embedding model is another one than the documents were indexed with. Until they are indexed again, search "
                "finds them by their words alone. That has begun by itself; if its job fails, run `rag reindex`."
            )
        self.parts.notices.append(f"{len(rebuild)} documents are being indexed again from their facts.")
        log.warning("views differ from the facts; rebuilding", extra={"documents": len(rebuild)})
        return self.jobs.add("repair", collection="", kb_id="", payload={"doc_ids": rebuild}, request_id=None)

    def _outdated(self, kb_id: str) -> list[str]:
        return [
            doc_id
            for doc_id, profile_id, loader, version in self.writer.live_profiles(kb_id)
            if profile_id != self.parts.ingestion.profile_id(loader, version)
        ]

    def clean_up(self, kb_id: str, doc_ids: Sequence[str], uris: Sequence[str]) -> None:
        """Remove everything that deleted documents left, their kept uploads too. May be done again."""
        self.parts.ingestion.clean_up(kb_id, doc_ids)
        for uri in uris:
            self.uploads.discard(uri)

    def clean_up_document(self, document: Mapping[str, Any], kb_id: str, retry_s: float, request_id: str | None) -> None:
        """As `clean_up`, of one document as `DocumentReader.get` tells it; what can't be removed now, a job removes later."""
        payload = {"doc_ids": [document["id"]], "uris": [document["source_uri"]]}
        try:
            self.clean_up(kb_id, payload["doc_ids"], payload["uris"])
        except (RagError, OSError, DBAPIError):
            log.exception(
                "a deleted document's remains could not be removed; trying again later", extra={"doc_id": document["id"]}
            )
            name = document["collection"]
            self.jobs.add("cleanup", collection=name, kb_id=kb_id, payload=payload, request_id=request_id, delay_s=retry_s)

    def purge_collection(self, kb_id: str) -> None:
        """Remove everything that a deleted collection left. May be done again."""
        self.parts.indexes.drop(kb_id)
        self.writer.forget(kb_id)
        self.uploads.discard_collection(kb_id)
        self.parts.ingestion.sweep()
        self.collections.forget(kb_id)

    def verify(self, kb_ids: Mapping[str, str]) -> dict[str, Any]:
        """Hold facts, views, vectors and files against each other, for these collections (kb_id -> name). Changes nothing.

        The report's `ok` is whether all agree; each collection says what does not.
        """
        reports = [self._verify(kb_id, name) for kb_id, name in kb_ids.items()]
        pictures = self.parts.assets.missing()
        return {
            "ok": all(report["ok"] for report in reports) and not pictures,
            "collections": reports,
            "missing_pictures": {"count": len(pictures), "asset_ids": pictures[:_SHOWN]},
        }

    def _verify(self, kb_id: str, name: str) -> dict[str, Any]:
        live = self.writer.live_entries(kb_id)
        drift = find_drift(self.parts.indexes, kb_id, live)
        without_vector = set(self.parts.vectors.missing([row[2] for row in live]))
        problems = {
            "damaged_facts": self.writer.damaged(kb_id),
            "missing_from_views": list(drift.incomplete_documents),
            "outdated_profile": self._outdated(kb_id),
            "missing_vectors": sorted({row[0] for row in live if row[2] in without_vector}),
        }
        surplus = {"dense": len(drift.surplus.dense), "sparse": len(drift.surplus.sparse)}
        return {
            "collection": name,
            "ok": not any(problems.values()) and not any(surplus.values()),
            "documents": len(self.writer.live_documents(kb_id)),
            "chunks": len(live),
            "surplus_entries": surplus,
            **{kind: {"count": len(doc_ids), "doc_ids": doc_ids[:_SHOWN]} for kind, doc_ids in problems.items()},
        }
