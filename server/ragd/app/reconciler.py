"""Keeping database, indexes and files consistent: what a start repairs, and a report of what does not agree."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ragd.app.clean_stop import CleanStop
from ragd.app.ingestion import remove_put_aside
from ragd.core.jobs import IngestResult
from ragd.core.lazy import Lazy
from ragd.core.storage import Collection
from ragd.ingest.discovery.uploads import Uploads
from ragd.ingest.indexes import Indexes, find_drift
from ragd.ingest.pipeline import IngestPipeline
from ragd.jobs.captions import DescribePictures
from ragd.jobs.tokens import KIND as TOKENS
from ragd.jobs.tokens import BuildTokens
from ragd.store.assets import Assets
from ragd.store.collections import Collections
from ragd.store.contract.cleanup_tasks import CleanupTasks
from ragd.store.documents import DocumentWriter
from ragd.store.file_documents import FileDocuments
from ragd.store.jobs import Job, Jobs
from ragd.store.vectors import VectorCache

log = logging.getLogger(__name__)

# Names in a report at most; the counts are of all.
_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Reconciler:
    """Compares the database with the indexes and the files, and repairs what differs. `notices` report it to people."""

    collections: Collections
    writer: DocumentWriter
    files: FileDocuments
    uploads: Uploads
    jobs: Jobs
    assets: Assets
    vectors: Lazy[VectorCache]
    indexes: Lazy[Indexes]
    ingestion: Lazy[IngestPipeline]
    cleanup_tasks: CleanupTasks
    tokens: BuildTokens
    captions: DescribePictures
    index_folder: Path
    notices: list[str]
    clean_stop: CleanStop
    shared: bool
    """Whether other processes take requests and run jobs. Nothing may run while this one reconciles; requests may come."""

    def is_clean(self) -> bool:
        """Whether questions are answered right before `reconcile`: the last process left nothing that it would repair."""
        return (
            self.clean_stop.found
            and not self.indexes().model_changed
            and not self.notices
            and not self.writer.deleted_with_content()
        )

    def prepare(self) -> None:
        """What comes before any request: uploads are where the data directory is now, and those that nothing needs are gone."""
        if moved := self.files.relocate(self.uploads.folder):
            log.info("the data directory was moved, and its uploads with it", extra={"documents": moved})
        self.uploads.sweep(self.jobs.waiting_uploads(), self.files.kept(self.uploads.folder))

    def reconcile(self, *, outdated: bool = True, clean: bool = False) -> Job | None:
        """Finish or roll back what a crash left, and repair indexes that differ from the database.

        With `clean` (what `is_clean` said, and after `prepare`) requests may come meanwhile, as long as no job runs.

        Returns the job that rebuilds documents whose entries are missing or were made under other settings, if any are. Without
        `outdated` the latter stay as they are, and a notice says so: whoever only asks did not want hours of work.
        """
        if not clean:
            self._recover()
        if swept := self.writer.sweep():
            log.warning("rows of an unfinished ingestion removed", extra={"rows": swept})
        rebuild: list[str] = []
        left = uncoded = 0
        self.cleanup_tasks.queue_missing()
        for kb_id in self.collections.live_ids():
            drift = find_drift(self.indexes(), kb_id, self.writer.live_entries(kb_id))
            self.indexes().remove({kb_id: drift.surplus})
            old = self._outdated(kb_id)
            rebuild += sorted({*drift.incomplete_documents, *(old if outdated else ())})
            uncoded += len(drift.without_tokens)
            left += 0 if outdated else len({*old} - {*drift.incomplete_documents})
        if not clean and not self.shared:
            self.jobs.end_kind("cleanup", "completed", asdict(IngestResult()))
        if not self.jobs.unfinished():
            # A job that was cut off counts on the vectors that it has made.
            self.ingestion().sweep()
        self.assets.sweep_files()
        if left:
            self.notices.append(
                f"{left} documents were indexed under other settings than today's (model, splitter, loaders or version), and are "
                "searched as they are. `rag reindex` indexes them again."
            )
        self.writer.truncate_log()
        job = self._queue_repair(rebuild) if rebuild else None
        if uncoded and outdated:
            # Behind the repair, which makes the rest searchable at once.
            self.tokens.request()
        if outdated:
            self.captions.request()
        if job is None:
            remove_put_aside(self.index_folder)
        self.clean_stop.agreed = not left
        return job

    def _recover(self) -> None:
        """Finish the deletions that were cut off."""
        if not self.shared:
            self.prepare()
        # What an earlier start found to repair is found again, as far as it still needs it.
        for kind in ("repair", TOKENS):
            self.jobs.end_kind(kind, "cancelled")
        for kb_id, doc_ids in self.writer.deleted_with_content().items():
            self.ingestion().delete(kb_id, doc_ids)

    def _queue_repair(self, rebuild: Sequence[str]) -> Job:
        if self.indexes().model_changed:
            self.notices.append(
                "The embedding model is another one than the documents were indexed with. Until they are indexed again, search "
                "finds them by their words alone. That has begun by itself; if its job fails, run `rag reindex`."
            )
        self.notices.append(f"{len(rebuild)} documents are being indexed again from their stored content.")
        log.warning("indexes differ from the database; rebuilding", extra={"documents": len(rebuild)})
        return self.jobs.add("repair", collection="", kb_id="", payload={"doc_ids": list(rebuild)}, request_id=None)

    def remove_damaged_tokens(self) -> None:
        """Remove the token codes that are not as they were written, so that they are made anew."""
        if (view := self.indexes().tokens) is not None:
            for kb_id in self.collections.live_ids():
                view.index.delete(kb_id, view.index.damaged(kb_id))

    def rebuild(self, collection: str | None = None, request_id: str | None = None) -> Job:
        """Queue the making anew of both indexes from the stored content, for one collection or all."""
        doc_ids = [doc_id for target in self._targets(collection) for doc_id in self.writer.live_documents(target.kb_id)]
        payload = {"doc_ids": doc_ids}
        return self.jobs.add("rebuild", collection=collection or "", kb_id="", payload=payload, request_id=request_id)

    def _targets(self, collection: str | None) -> Sequence[Collection]:
        return [self.collections.get(collection)] if collection else self.collections.enabled()

    def _outdated(self, kb_id: str) -> list[str]:
        return [
            doc_id
            for doc_id, profile_id, loader, version in self.writer.live_profiles(kb_id)
            if profile_id != self.ingestion().profile_id(loader, version)
        ]

    def verify(self, collection: str | None = None) -> dict[str, Any]:
        """Compare database, indexes, vectors and files, of one collection or of all. Changes nothing.

        The report's `ok` is whether all agree; each collection says what does not, and which token vectors are yet to be made.
        Raises `CollectionNotFound`.
        """
        reports = [self._verify(target.kb_id, target.name) for target in self._targets(collection)]
        pictures = self.assets.missing()
        return {
            "ok": all(report["ok"] for report in reports) and not pictures,
            "collections": reports,
            "missing_pictures": {"count": len(pictures), "asset_ids": pictures[:_SHOWN]},
        }

    def _verify(self, kb_id: str, name: str) -> dict[str, Any]:
        live = self.writer.live_entries(kb_id)
        drift = find_drift(self.indexes(), kb_id, live)
        view = self.indexes().tokens
        false_codes = set() if view is None else set(view.index.damaged(kb_id))
        without_vector = set(self.vectors().missing([row[2] for row in live]))
        problems = {
            "damaged_facts": self.writer.damaged(kb_id),
            "missing_from_views": list(drift.incomplete_documents),
            "outdated_profile": self._outdated(kb_id),
            "missing_vectors": sorted({row[0] for row in live if row[2] in without_vector}),
            "missing_tokens": list(drift.without_tokens),
            "damaged_tokens": sorted({row[0] for row in live if row[1] in false_codes}),
        }
        # What lacks token vectors gets them in the background, and is found meanwhile: no difference to mend.
        wrong = any(found for kind, found in problems.items() if kind != "missing_tokens")
        surplus = {side: len(getattr(drift.surplus, side)) for side in ("dense", "sparse", "tokens")}
        return {
            "collection": name,
            "ok": not wrong and not any(surplus.values()),
            "documents": len(self.writer.live_documents(kb_id)),
            "chunks": len(live),
            "surplus_entries": surplus,
            **{kind: {"count": len(doc_ids), "doc_ids": doc_ids[:_SHOWN]} for kind, doc_ids in problems.items()},
        }
