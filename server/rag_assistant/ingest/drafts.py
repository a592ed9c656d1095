"""From a file, or from kept facts, to a version that is ready to be embedded: the stages dedup to transform_post.

Each stage is one span of the document's trace. Whatever goes wrong here costs the one document.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from rag_assistant.errors import DocumentUnreadable, DocumentVanished, ParseFailed, PayloadTooLarge, RagError
from rag_assistant.ingest.chunk_views import VIEW_PROFILE
from rag_assistant.ingest.chunking import build_chunks
from rag_assistant.ingest.files import FileItem, shown, unsupported
from rag_assistant.ingest.loaders import loader_name_for
from rag_assistant.ingest.sections import split_sections
from rag_assistant.providers.base import Analyzer, Embedder, Loader, Splitter
from rag_assistant.store.documents import Known, StoredFacts
from rag_assistant.text import TEXT_NORM_PROFILE, hash32
from rag_assistant.tracing import NO_PROVIDER, ProviderRef, Trace
from rag_assistant.types import Chunk, Document, Section, Version

log = logging.getLogger(__name__)

Decision = Literal["new", "changed", "unchanged", "rebuild"]


@dataclass(frozen=True, slots=True)
class Draft:
    """One document on its way, with its trace. `was_deleted`: it is a deleted document that comes back."""

    version: Version
    trace: Trace
    is_new: bool
    was_deleted: bool = False


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a document is, before it is read."""

    kb_id: str
    doc_id: str
    source: str
    uri: str
    content_hash: str
    size: int


@dataclass(frozen=True, slots=True)
class Drafter:
    """Makes drafts. `chunk_size` is in tokens, `max_document_size` in bytes."""

    embedder: Embedder
    analyzer: Analyzer
    splitter: Splitter
    loaders: Callable[[str], Loader]
    chunk_size: int
    max_document_size: int

    def profile_id(self, loader: str, loader_version: str) -> str:
        """Hash of everything that shapes what a file becomes."""
        shaping = (loader, loader_version, self.splitter.profile, str(self.chunk_size), VIEW_PROFILE, self.analyzer.profile)
        return hash32(*shaping, self.embedder.model_id, self.embedder.revision, TEXT_NORM_PROFILE)

    def from_file(
        self, kb_id: str, doc_id: str, item: FileItem, known: Known | None, trace: Trace, *, force: bool
    ) -> Draft | None:
        """Read a file; None when the store has it already as it is. Raises `RagError` when it can't be read."""
        loader_name = loader_name_for(item.path.name)
        if loader_name is None:
            raise unsupported(shown(item.path.name))
        loader = self.loaders(loader_name)
        with trace.span("stage.dedup") as span:
            data = read_bytes(item, self.max_document_size)
            identity = Identity(kb_id, doc_id, item.source, item.uri, hash32(data), len(data))
            profile_id = self.profile_id(loader.name, loader.version)
            decision = _decide(known, identity, profile_id, force=force)
            trace.event("ingest.dedup_decision", _decision_payload(identity, decision), span)
        if decision == "unchanged":
            return None
        with (
            trace.span("stage.loader", ProviderRef("loader", loader.name, loader.version)) as span,
            _at_the_cost_of(item.source, f"loader {loader.name}"),
        ):
            document = loader.load(data, shown(item.path.name))
            trace.event("ingest.parse_summary", _parse_payload(document), span)
        draft = self._draft(identity, document, profile_id, trace, is_new=decision == "new")
        return replace(draft, was_deleted=known is not None and known.status == "deleted")

    def from_facts(self, facts: StoredFacts, trace: Trace) -> Draft:
        """Make a live version again from what was read once."""
        identity = Identity(facts.kb_id, facts.doc_id, facts.source, facts.source_uri, facts.content_hash, facts.size)
        with trace.span("stage.dedup") as span:
            trace.event("ingest.dedup_decision", _decision_payload(identity, "rebuild"), span)
        document = facts.document
        with trace.span("stage.loader", ProviderRef("loader", "facts", document.loader_version)) as span:
            trace.event("ingest.parse_summary", _parse_payload(document), span)
        profile_id = self.profile_id(document.loader, document.loader_version)
        draft = self._draft(identity, document, profile_id, trace, is_new=False)
        return replace(draft, version=replace(draft.version, version_id=facts.version_id))

    def _draft(self, identity: Identity, document: Document, profile_id: str, trace: Trace, *, is_new: bool) -> Draft:
        with trace.span("stage.asset_normalize", NO_PROVIDER) as span:
            trace.event("ingest.assets_manifest", {"assets": 0}, span)
        with trace.span("stage.transform_pre", NO_PROVIDER):
            pass
        with (
            trace.span("stage.sectioner", ProviderRef("sectioner", "headings")) as span,
            _at_the_cost_of(identity.source, "sectioner"),
        ):
            sections = split_sections(document, identity.doc_id)
            trace.event("ingest.section_stats", {"sections": len(sections)}, span)
        with (
            trace.span("stage.chunker", ProviderRef("splitter", self.splitter.name, self.splitter.profile)) as span,
            _at_the_cost_of(identity.source, f"splitter {self.splitter.name}"),
        ):
            chunks = build_chunks(
                document,
                sections,
                source=identity.source,
                tags=_tags(document),
                splitter=self.splitter,
                tokenizer=self.embedder.tokenizer,
                analyzer=self.analyzer,
                chunk_size=min(self.chunk_size, self.embedder.max_tokens),
                passage_overhead=self.embedder.passage_overhead,
            )
            trace.event("ingest.chunk_stats", _chunk_payload(chunks), span)
        with trace.span("stage.transform_post", NO_PROVIDER):
            version = _version(identity, document, profile_id, sections, chunks)
        return Draft(version, trace, is_new)


def read_bytes(item: FileItem, limit: int) -> bytes:
    """The file's bytes. Raises `PayloadTooLarge` without reading on beyond `limit`, `DocumentVanished`, `DocumentUnreadable`."""
    try:
        with item.path.open("rb") as file:
            too_large = os.fstat(file.fileno()).st_size > limit
            data = b"" if too_large else file.read(limit + 1)
    except FileNotFoundError as error:
        raise DocumentVanished(f"'{item.source}' was there when the folder was read and is gone now.") from error
    except OSError as error:
        raise DocumentUnreadable(f"'{item.source}' can't be read: {error.strerror}.") from error
    if too_large or len(data) > limit:
        raise PayloadTooLarge(f"'{item.source}' is larger than {limit:,} bytes. Split it, or raise limits.max_document_size.")
    return data


@contextmanager
def _at_the_cost_of(source: str, part: str) -> Generator[None, None, None]:
    """A defect in a loader or a splitter, or in the library beneath it, costs this one file and not the job."""
    try:
        yield
    except RagError:
        raise
    except Exception as error:
        log.exception("document not ingested", extra={"part": part, "document": source})
        kind = type(error).__name__
        raise ParseFailed(f"'{source}' could not be taken in: {part} failed ({kind}); the log has the details.") from error


def _decide(known: Known | None, identity: Identity, profile_id: str, *, force: bool) -> Decision:
    if known is None or known.version_id is None:
        return "new"
    same = known.content_hash == identity.content_hash and known.profile_id == profile_id and known.source == identity.source
    if same and known.status == "ready" and not known.failed and not force:
        return "unchanged"
    return "changed"


def _version(
    identity: Identity, document: Document, profile_id: str, sections: Sequence[Section], chunks: Sequence[Chunk]
) -> Version:
    return Version(
        kb_id=identity.kb_id,
        doc_id=identity.doc_id,
        version_id=hash32(identity.doc_id, identity.content_hash, f"{document.loader} {document.loader_version}"),
        profile_id=profile_id,
        source=identity.source,
        source_uri=identity.uri,
        content_hash=identity.content_hash,
        size=identity.size,
        document=document,
        sections=tuple(sections),
        chunks=tuple(chunks),
        tags=_tags(document),
    )


def _tags(document: Document) -> tuple[str, ...]:
    tags: Any = document.metadata.get("tags") or ()
    return tuple(str(tag) for tag in tags) if isinstance(tags, list | tuple) else (str(tags),)


def _decision_payload(identity: Identity, decision: Decision) -> dict[str, Any]:
    return {"doc_id": identity.doc_id, "file_sha256": identity.content_hash, "size": identity.size, "decision": decision}


def _parse_payload(document: Document) -> dict[str, Any]:
    return {
        "doc_type": document.doc_type,
        "characters": len(document.markdown),
        "md_sha256": hash32(document.markdown),
        "headings": len(document.headings),
        "warnings": len(document.warnings),
    }


def _chunk_payload(chunks: Sequence[Chunk]) -> dict[str, Any]:
    lengths = np.array([len(chunk.text) for chunk in chunks] or [0])
    return {
        "chunks": len(chunks),
        "chunk_hash": hash32(*(chunk.chunk_id for chunk in chunks)),
        "characters_min": int(lengths.min()),
        "characters_mean": round(float(lengths.mean()), 1),
        "characters_max": int(lengths.max()),
    }
