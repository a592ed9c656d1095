"""What the writing side has to know of documents: what there is of each, where it came from, and all of a live version."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, exists, func, select

from ragd.core.ids import hash32
from ragd.core.storage import Entries, VersionContent
from ragd.store.assets import stored_pictures
from ragd.store.database.engine import batches
from ragd.store.database.repository import Repository
from ragd.store.database.schema import documents, occurrences, versions
from ragd.store.places import decode_document
from ragd.store.version_rows import live_entries

OCR_SKIPPED: Final = "ocr_skipped"
"""Metadata key: whether pictures or pages of a document were left unread."""
OCR_PROFILE: Final = "ocr_profile"
"""Metadata key: under which profile of text recognition they were."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the store holds of a document: of its live version, when it has one."""

    doc_id: str
    status: str
    source: str
    version_id: str | None
    content_hash: str | None
    profile_id: str | None
    failed: bool
    source_id: str | None
    ocr_skipped_under: str | None
    """The profile of text recognition under which pictures of the document were left unread; None when none were."""
    deleted_after_job: int | None = None
    """The sequence number of the newest job that there was when a person deleted it."""

    def was_deleted_after(self, queued: int | None) -> bool:
        """Whether it is deleted, by a person who did so after a job with this sequence number had been queued."""
        last = self.deleted_after_job
        return self.status == "deleted" and queued is not None and last is not None and queued <= last


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document as the source knows it that it came from."""

    doc_id: str
    source: str
    source_uri: str
    content_hash: str | None
    status: str


class DocumentState(Repository):
    """Reads; `DocumentWriter` adds what changes things."""

    def known(self, doc_ids: Sequence[str]) -> dict[str, Known]:
        """What the store holds of these documents; ids that it has never seen are absent."""
        live = documents.outerjoin(versions, versions.c.version_id == documents.c.version_id)
        columns = (documents, versions.c.content_hash, versions.c.profile_id, versions.c.metadata)
        names = ("doc_id", "status", "source", "version_id", "content_hash", "profile_id", "source_id", "deleted_after_job")
        return {
            row.doc_id: Known(
                **{name: row._mapping[name] for name in names},
                failed=row.error_code is not None,
                ocr_skipped_under=(row.metadata or {}).get(OCR_PROFILE),
            )
            for row in self._rows_in(select(*columns).select_from(live), documents.c.doc_id, doc_ids)
        }

    def same_content(self, kb_id: str, content_hash: str) -> list[SourceDocument]:
        """Live documents of a collection whose file held exactly this."""
        return self._source_documents(documents.c.kb_id == kb_id, versions.c.content_hash == content_hash)

    def of_source(self, source_id: str) -> list[SourceDocument]:
        """Every document of a source that is not deleted, failed ones too."""
        return self._source_documents(documents.c.source_id == source_id)

    def _source_documents(self, *where: ColumnElement[bool]) -> list[SourceDocument]:
        columns = (documents.c.doc_id, documents.c.source, documents.c.source_uri, versions.c.content_hash, documents.c.status)
        query = select(*columns).outerjoin(versions, versions.c.version_id == documents.c.version_id)
        rows = self._rows(query.where(documents.c.status != "deleted", *where).order_by(documents.c.source))
        return [SourceDocument(*row) for row in rows]

    def entries(self, doc_ids: Sequence[str]) -> Entries:
        with self._reader.connect() as connection:
            found = live_entries(connection, doc_ids)
        return Entries(tuple(found.dense_ids), tuple(found.sparse_ids))

    def deleted_with_content(self) -> dict[str, list[str]]:
        """kb_id -> ids of deleted documents whose content is still there: deletions that were cut off."""
        left = documents.c.status == "deleted", exists().where(versions.c.doc_id == documents.c.doc_id)
        found: dict[str, list[str]] = {}
        for kb_id, doc_id in self._rows(select(documents.c.kb_id, documents.c.doc_id).where(*left)):
            found.setdefault(kb_id, []).append(doc_id)
        return found

    def live_entries(self, kb_id: str) -> list[tuple[str, str, str, str]]:
        """(doc_id, dense_id, dense_key, sparse_id) of every chunk that may be served from this collection."""
        columns = (documents.c.doc_id, occurrences.c.dense_id, occurrences.c.dense_key, occurrences.c.sparse_id)
        query = select(*columns).join(occurrences, occurrences.c.version_id == documents.c.version_id)
        rows = self._rows(query.where(documents.c.kb_id == kb_id, documents.c.status == "ready"))
        return [(doc_id, dense_id, dense_key, sparse_id) for doc_id, dense_id, dense_key, sparse_id in rows]

    def live_profiles(self, kb_id: str) -> list[tuple[str, str, str, str]]:
        """(doc_id, profile_id, loader, loader_version) of every live version of a collection."""
        columns = (documents.c.doc_id, versions.c.profile_id, versions.c.loader, versions.c.loader_version)
        query = select(*columns).join(versions, versions.c.version_id == documents.c.version_id)
        rows = self._rows(query.where(documents.c.kb_id == kb_id, documents.c.status == "ready"))
        return [(doc_id, profile_id, loader, loader_version) for doc_id, profile_id, loader, loader_version in rows]

    def damaged(self, kb_id: str) -> list[str]:
        """Ids of documents whose content is not what was stored: another text, or not as many chunks as were counted."""
        counted = select(func.count()).where(occurrences.c.version_id == versions.c.version_id).scalar_subquery().label("counted")
        columns = (versions.c.doc_id, versions.c.markdown, versions.c.md_sha256, versions.c.chunk_count, counted)
        with self._reader.connect() as connection:
            rows = connection.execution_options(yield_per=100).execute(
                select(*columns)
                .join(documents, documents.c.version_id == versions.c.version_id)
                .where(documents.c.kb_id == kb_id, documents.c.status == "ready")
            )
            return [row.doc_id for row in rows if hash32(row.markdown) != row.md_sha256 or row.counted != row.chunk_count]

    def live_documents(self, kb_id: str) -> list[str]:
        """Ids of the documents of a collection that have a live version."""
        live = documents.c.kb_id == kb_id, documents.c.status == "ready", documents.c.version_id.is_not(None)
        return self._values(select(documents.c.doc_id).where(*live).order_by(documents.c.source))

    def contents(self, doc_ids: Iterable[str]) -> list[VersionContent]:
        """The live versions of these documents, as they were read."""
        found: list[VersionContent] = []
        own = (documents.c[name] for name in ("kb_id", "source", "source_uri", "source_id"))
        live = documents.join(versions, versions.c.version_id == documents.c.version_id)
        query = select(*own, versions).select_from(live).where(documents.c.status == "ready")
        with self._reader.connect() as connection:
            for batch in batches(list(doc_ids)):
                rows = connection.execute(query.where(documents.c.doc_id.in_(batch)))
                stored = [dict(row._mapping) for row in rows]
                pictures = stored_pictures(connection, [values["version_id"] for values in stored])
                for values in stored:
                    names = ("kb_id", "doc_id", "version_id", "profile_id", "source", "source_uri", "content_hash", "size")
                    kept, links = pictures.get(values["version_id"], ((), ()))
                    found.append(
                        VersionContent(
                            **{name: values[name] for name in (*names, "source_id")},
                            document=decode_document(values),
                            assets=kept,
                            picture_links=links,
                        )
                    )
        return found

    def shapes(self, doc_ids: Sequence[str]) -> list[dict[str, Any]]:
        """What the live versions of these documents are made of: doc_id, section_hash, section_count, chunk ids, their tokens."""
        found: dict[str, dict[str, Any]] = {}
        columns = (versions.c.doc_id, versions.c.section_hash, versions.c.section_count)
        with self._reader.connect() as connection:
            for batch in batches(doc_ids):
                live = documents.c.doc_id.in_(batch), documents.c.status == "ready"
                joined = select(*columns).join(documents, documents.c.version_id == versions.c.version_id).where(*live)
                for row in connection.execute(joined):
                    found[row.doc_id] = {**row._mapping, "chunk_ids": [], "chunk_tokens": []}
                chunk_rows = (
                    select(documents.c.doc_id, occurrences.c.chunk_id, occurrences.c.tokens)
                    .join(documents, documents.c.version_id == occurrences.c.version_id)
                    .where(*live)
                    .order_by(occurrences.c.ordinal)
                )
                for row in connection.execute(chunk_rows):
                    found[row.doc_id]["chunk_ids"].append(row.chunk_id)
                    found[row.doc_id]["chunk_tokens"].append(row.tokens)
        return list(found.values())
