"""From a file, or from stored content, to a version that is ready to be embedded: the stages dedup to transform_post.

Each stage is one span of the document's trace. Whatever goes wrong here costs the one document.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ragd.core.documents import Document, Piece
from ragd.core.errors import ParseFailed, RagError
from ragd.core.ids import TEXT_NORM_PROFILE, hash32
from ragd.core.sections import split_sections
from ragd.core.storage import Asset, PictureLink, Version, VersionContent
from ragd.core.tracing import ProviderRef, Trace
from ragd.ingest.chunking.cuts import merged, without
from ragd.ingest.chunking.recursive import build_pieces
from ragd.ingest.chunking.views import VIEW_PROFILE, PictureNote, Shown, build_chunks
from ragd.ingest.discovery.file_rules import shown
from ragd.ingest.discovery.files import unsupported
from ragd.ingest.discovery.items import Item
from ragd.ingest.workers.ipc import KnownAssets, Normalized
from ragd.ingest.workers.pool import Parser, ParseTask
from ragd.providers.protocols import Analyzer, Cleaner, Embedder, Enricher, Splitter
from ragd.store.document_state import OCR_PROFILE, OCR_SKIPPED, Known

log = logging.getLogger(__name__)

_Decision = Literal["new", "changed", "unchanged", "rebuild"]


@dataclass(frozen=True, slots=True)
class Draft:
    """One document on its way, with its trace. `was_deleted`: it is a deleted document that comes back.

    `replaces` are documents that are this one under the name that its file had before.
    """

    version: Version
    trace: Trace
    is_new: bool
    was_deleted: bool = False
    replaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Identity:
    """Who a document is, before it is read."""

    kb_id: str
    doc_id: str
    source: str
    uri: str
    content_hash: str
    size: int
    source_id: str | None = None
    label: str = ""
    """What errors and logs call it; empty: as `source`."""

    @property
    def called(self) -> str:
        return self.label or self.source


@dataclass(frozen=True, slots=True)
class _Pictures:
    """What was kept of a document's pictures, and where each stands."""

    assets: tuple[Asset, ...] = ()
    links: tuple[PictureLink, ...] = ()

    def notes(self) -> dict[str, PictureNote]:
        """What the content's references stand for, by link."""
        texts = {asset.asset_id: asset.text for asset in self.assets}
        return {link.link: PictureNote(link.asset_id, texts.get(link.asset_id, "")) for link in self.links}


@dataclass(frozen=True, slots=True)
class Drafter:
    """Makes drafts. `chunk_size` is in tokens, `max_document_size` in bytes; `loaders` gives the loader's name for a file's."""

    parser: Parser
    loaders: Callable[[str], str | None]
    loader_version: Callable[[str], str]
    known_assets: KnownAssets
    ocr: ProviderRef
    cleaner: Cleaner
    splitter: Splitter
    enricher: Enricher
    embedder: Embedder
    analyzer: Analyzer
    chunk_size: int
    max_document_size: int

    def profile_id(self, loader: str, loader_version: str) -> str:
        """Hash of everything that shapes what a file becomes."""
        shaping = (loader, loader_version, self.splitter.profile, str(self.chunk_size), VIEW_PROFILE, self.analyzer.profile)
        model = (self.embedder.model_id, self.embedder.revision, TEXT_NORM_PROFILE)
        return hash32(*shaping, *model, self.cleaner.profile, self.enricher.profile)

    def from_file(
        self,
        kb_id: str,
        doc_id: str,
        item: Item,
        known: Known | None,
        trace: Trace,
        *,
        force: bool,
        source_id: str | None = None,
        progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> Draft | None:
        """Read a file; None when the store has it already as it is. Raises `RagError` when it can't be read."""
        loader = item.loader or self.loaders(item.name)
        if loader is None:
            raise unsupported(shown(item.name))
        loader_version = self.loader_version(loader)
        with trace.span("stage.dedup") as span:
            data = item.read(self.max_document_size)
            identity = _Identity(kb_id, doc_id, item.source, item.uri, hash32(data), len(data), source_id, item.label)
            profile_id = self.profile_id(loader, loader_version)
            decision = _decide(known, identity, profile_id, self.ocr.profile, force=force)
            trace.event("ingest.dedup_decision", _decision_payload(identity, decision), span)
        if decision == "unchanged":
            return None
        task = ParseTask(loader, shown(item.name), data, item.folder, item.links_root, item.label)
        with self.parser.open(task, progress) as parsing:
            with trace.span("stage.loader", ProviderRef("loader", loader, loader_version)) as span:
                document = parsing.document()
                trace.event("ingest.parse_summary", _parse_payload(document), span)
            with trace.span("stage.asset_normalize", self.ocr) as span:
                found = parsing.pictures(self.known_assets)
                trace.event("ingest.assets_manifest", _assets_payload(found), span)
        document = replace(
            document,
            boilerplate=tuple(merged([*document.boilerplate, *found.ranges], len(document.markdown))),
            metadata=_with_ocr({**document.metadata, **(found.metadata or {})}, self.ocr.profile),
            warnings=(*document.warnings, *found.warnings),
        )
        draft = self._draft(identity, document, _Pictures(found.assets, found.links), profile_id, trace, is_new=decision == "new")
        return replace(draft, was_deleted=known is not None and known.status == "deleted")

    def from_stored(self, stored: VersionContent, trace: Trace) -> Draft:
        """Make a live version again from what was read once."""
        identity = _Identity(
            stored.kb_id, stored.doc_id, stored.source, stored.source_uri, stored.content_hash, stored.size, stored.source_id
        )
        with trace.span("stage.dedup") as span:
            trace.event("ingest.dedup_decision", _decision_payload(identity, "rebuild"), span)
        document = stored.document
        with trace.span("stage.loader", ProviderRef("loader", "facts", document.loader_version)) as span:
            trace.event("ingest.parse_summary", _parse_payload(document), span)
        pictures = _Pictures(stored.assets, stored.picture_links)
        with trace.span("stage.asset_normalize", ProviderRef("ocr", "facts")) as span:
            trace.event("ingest.assets_manifest", {"assets": len(stored.assets), "known": len(stored.assets)}, span)
        profile_id = self.profile_id(document.loader, document.loader_version)
        draft = self._draft(identity, document, pictures, profile_id, trace, is_new=False)
        return replace(draft, version=replace(draft.version, version_id=stored.version_id))

    def _draft(
        self, identity: _Identity, document: Document, pictures: _Pictures, profile_id: str, trace: Trace, *, is_new: bool
    ) -> Draft:
        with (
            trace.span("stage.transform_pre", ProviderRef("cleaner", self.cleaner.name, self.cleaner.profile)),
            _wrap_parse_errors(identity.called, f"cleaner {self.cleaner.name}"),
        ):
            text = without(document, self.cleaner.boilerplate(document))
        with (
            trace.span("stage.sectioner", ProviderRef("sectioner", "headings")) as span,
            _wrap_parse_errors(identity.called, "sectioner"),
        ):
            sections = split_sections(text.document, identity.doc_id)
            trace.event("ingest.section_stats", {"sections": len(sections)}, span)
        notes = pictures.notes()
        with (
            trace.span("stage.chunker", ProviderRef("splitter", self.splitter.name, self.splitter.profile)) as span,
            _wrap_parse_errors(identity.called, f"splitter {self.splitter.name}"),
        ):
            shown_texts = Shown.within(notes, identity.source, self.embedder.tokenizer, self._room)
            pieces = build_pieces(
                text.document,
                sections,
                shown=shown_texts,
                splitter=self.splitter,
                tokenizer=self.embedder.tokenizer,
                room=self._room,
            )
            trace.event("ingest.chunk_stats", _chunk_payload(pieces), span)
        with (
            trace.span("stage.transform_post", ProviderRef("enricher", self.enricher.name, self.enricher.profile)),
            _wrap_parse_errors(identity.called, f"enricher {self.enricher.name}"),
        ):
            enrichment, of_pieces = self.enricher.enrich(text.document, pieces)
            chunks = build_chunks(
                pieces,
                document=enrichment,
                enrichments=of_pieces,
                source=identity.source,
                shown=shown_texts,
                analyzer=self.analyzer,
            )
        stored_sections = tuple(
            replace(section, start=text.origin(section.start), end=text.origin_end(section.end)) for section in sections
        )
        version = Version(
            kb_id=identity.kb_id,
            doc_id=identity.doc_id,
            version_id=hash32(identity.doc_id, identity.content_hash, f"{document.loader} {document.loader_version}"),
            profile_id=profile_id,
            source=identity.source,
            source_uri=identity.uri,
            content_hash=identity.content_hash,
            size=identity.size,
            document=document,
            sections=stored_sections,
            chunks=tuple(chunks),
            enrichment=enrichment,
            assets=pictures.assets,
            picture_links=pictures.links,
            source_id=identity.source_id,
        )
        return Draft(version, trace, is_new)

    @property
    def _room(self) -> int:
        return min(self.chunk_size, self.embedder.max_tokens) - self.embedder.passage_overhead


@contextmanager
def _wrap_parse_errors(source: str, part: str) -> Generator[None, None, None]:
    """A defect in a loader or a splitter, or in the library beneath it, costs this one file and not the job."""
    try:
        yield
    except RagError:
        raise
    except Exception as error:
        log.exception("document not ingested", extra={"part": part, "document": source})
        kind = type(error).__name__
        raise ParseFailed(f"'{source}' could not be taken in: {part} failed ({kind}); the log has the details.") from error


def _decide(known: Known | None, identity: _Identity, profile_id: str, ocr_profile: str, *, force: bool) -> _Decision:
    if known is None or known.version_id is None:
        return "new"
    same = known.content_hash == identity.content_hash and known.profile_id == profile_id and known.source == identity.source
    # Pictures that could not be read are worth another look once there is another way to read them.
    unread = known.ocr_skipped_under not in (None, ocr_profile)
    if same and known.status == "ready" and not known.failed and not unread and not force:
        return "unchanged"
    return "changed"


def _with_ocr(metadata: dict[str, Any], ocr_profile: str) -> dict[str, Any]:
    return metadata | {OCR_PROFILE: ocr_profile} if metadata.get(OCR_SKIPPED) else metadata


def _decision_payload(identity: _Identity, decision: _Decision) -> dict[str, Any]:
    return {"doc_id": identity.doc_id, "file_sha256": identity.content_hash, "size": identity.size, "decision": decision}


def _parse_payload(document: Document) -> dict[str, Any]:
    return {
        "doc_type": document.doc_type,
        "characters": len(document.markdown),
        "md_sha256": hash32(document.markdown),
        "headings": len(document.headings),
        "warnings": len(document.warnings),
    }


def _assets_payload(found: Normalized) -> dict[str, Any]:
    skipped = sum(1 for asset in found.assets if asset.ocr_skipped)
    return {"assets": len(found.assets), "left_out": len(found.ranges), "ocr_skipped": skipped, "warnings": len(found.warnings)}


def _chunk_payload(chunks: Sequence[Piece]) -> dict[str, Any]:
    lengths = np.array([len(chunk.text) for chunk in chunks] or [0])
    return {
        "chunks": len(chunks),
        "chunk_hash": hash32(*(chunk.chunk_id for chunk in chunks)),
        "characters_min": int(lengths.min()),
        "characters_mean": round(float(lengths.mean()), 1),
        "characters_max": int(lengths.max()),
    }
