"""From a file, or from stored content, to a version that is ready to be embedded: the stages dedup to transform_post.

Each stage is one span of the document's trace. Whatever goes wrong here costs the one document.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, Literal

from ragd.core.documents import Document
from ragd.core.errors import EncodingUnknown, ParseFailed, RagError
from ragd.core.ids import TEXT_NORM_PROFILE, hash32
from ragd.core.storage import Version, VersionContent
from ragd.core.tracing import ProviderRef, Trace
from ragd.formats.common.guessing import decode_as
from ragd.ingest.chunking.cuts import merged
from ragd.ingest.chunking.views import VIEW_PROFILE, PictureNote
from ragd.ingest.discovery.file_rules import shown
from ragd.ingest.discovery.files import unsupported
from ragd.ingest.discovery.items import Item
from ragd.ingest.text_stages import TextProviders, TextStages, TextTask
from ragd.ingest.workers.ipc import KnownAssets, Normalized
from ragd.ingest.workers.pool import Parser, ParseTask
from ragd.providers.protocols import Embedder
from ragd.store.document_state import OCR_PROFILE, OCR_SKIPPED, Known
from ragd.store.pictures.descriptions import StoredDescription

log = logging.getLogger(__name__)

Described = Callable[[Sequence[str]], Mapping[str, StoredDescription]]
"""Gives what captioners say of those of these assets that they have described."""

_Decision = Literal["new", "changed", "unchanged", "rebuild"]


@dataclass(frozen=True, slots=True)
class Draft:
    """One document on its way, with its trace. `was_deleted`: it is a deleted document that comes back.

    `replaces` are documents that are this one under the name that its file had before. `lacks_ocr`: it has scanned pages, and no
    text recognition is installed.
    """

    version: Version
    trace: Trace
    is_new: bool
    was_deleted: bool = False
    replaces: tuple[str, ...] = ()
    lacks_ocr: bool = False


@dataclass(frozen=True, slots=True)
class Drafter:
    """Makes drafts. `chunk_size` is in tokens, `max_document_size` in bytes; `loaders` gives the loader's name for a file's,
    `encodings` the encoding that was set for a path and a name. `stages` are the `providers`, opened for what they say of
    themselves: a process that reads files opens its own."""

    parser: Parser
    loaders: Callable[[str], str | None]
    loader_version: Callable[[str], str]
    encodings: Callable[[str, str], str | None]
    known_assets: KnownAssets
    ocr: ProviderRef
    providers: TextProviders
    stages: TextStages
    embedder: Embedder
    chunk_size: int
    max_document_size: int
    described: Described = lambda _asset_ids: {}

    def profile_id(self, loader: str, loader_version: str) -> str:
        """Hash of everything that shapes what a file becomes."""
        stages = self.stages
        shaping = (loader, loader_version, stages.splitter.profile, str(self.chunk_size), VIEW_PROFILE, stages.analyzer.profile)
        model = (self.embedder.model_id, self.embedder.revision, TEXT_NORM_PROFILE)
        return hash32(*shaping, *model, stages.cleaner.profile, stages.enricher.profile)

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
        encoding = self.encodings(item.source, item.name)
        loader_version = self.loader_version(loader) + (f"+{encoding}" if encoding else "")
        with trace.span("stage.dedup") as span:
            data = item.read(self.max_document_size)
            content_hash, profile_id = hash32(data), self.profile_id(loader, loader_version)
            stands = (content_hash, profile_id, item.source)
            same = known is not None and (known.content_hash, known.profile_id, known.source) == stands
            decision = _decide(known, self.ocr.profile, same=same, force=force)
            trace.event("ingest.dedup_decision", _decision_payload(doc_id, content_hash, len(data), decision), span)
        if decision == "unchanged":
            return None
        text = _as_utf8(data, encoding, item.label or item.source) if encoding else data
        task = ParseTask(loader, shown(item.name), text, item.folder, item.links_root, item.label)
        read, found = self._read(task, loader_version, trace, progress)
        document = _with_pictures(replace(read, loader_version=loader_version), found, self.ocr.profile)
        content = VersionContent(
            kb_id=kb_id,
            doc_id=doc_id,
            version_id=hash32(doc_id, content_hash, f"{document.loader} {document.loader_version}"),
            profile_id=profile_id,
            source=item.source,
            source_uri=item.uri,
            content_hash=content_hash,
            size=len(data),
            document=document,
            source_id=source_id,
            assets=found.assets,
            picture_links=found.links,
        )
        version = self._version(content, item.label or item.source, trace)
        was_deleted = known is not None and known.status == "deleted"
        lacks_ocr = bool(read.metadata.get(OCR_SKIPPED)) and self.ocr.profile == "none" != self.ocr.id
        return Draft(version, trace, decision == "new", was_deleted=was_deleted, lacks_ocr=lacks_ocr)

    def _read(
        self, task: ParseTask, loader_version: str, trace: Trace, progress: Callable[[int, int], None]
    ) -> tuple[Document, Normalized]:
        """What the loader makes of a file, and its pictures."""
        with self.parser.open(task, progress) as parsing:
            with trace.span("stage.loader", ProviderRef("loader", task.loader, loader_version)) as span:
                document = parsing.document()
                trace.event("ingest.parse_summary", _parse_payload(document), span)
            with trace.span("stage.asset_normalize", self.ocr) as span:
                found = parsing.pictures(self.known_assets)
                trace.event("ingest.assets_manifest", _assets_payload(found), span)
        return document, found

    def from_stored(self, stored: VersionContent, trace: Trace) -> Draft:
        """Make a live version again from what was read once."""
        with trace.span("stage.dedup") as span:
            payload = _decision_payload(stored.doc_id, stored.content_hash, stored.size, "rebuild")
            trace.event("ingest.dedup_decision", payload, span)
        document = stored.document
        with trace.span("stage.loader", ProviderRef("loader", "facts", document.loader_version)) as span:
            trace.event("ingest.parse_summary", _parse_payload(document), span)
        with trace.span("stage.asset_normalize", ProviderRef("ocr", "facts")) as span:
            trace.event("ingest.assets_manifest", {"assets": len(stored.assets), "known": len(stored.assets)}, span)
        profile_id = self.profile_id(document.loader, document.loader_version)
        return Draft(self._version(replace(stored, profile_id=profile_id), stored.source, trace), trace, is_new=False)

    def _version(self, content: VersionContent, label: str, trace: Trace) -> Version:
        """The content with its sections and chunks. Errors and logs call it `label`."""
        texts = {asset.asset_id: asset.text for asset in content.assets}
        said = self.described([link.asset_id for link in content.picture_links]) if content.picture_links else {}
        links = [replace(link, description_id=_description_id(said.get(link.asset_id))) for link in content.picture_links]
        content = replace(content, picture_links=tuple(links))
        notes = {link.link: _note(link.asset_id, texts.get(link.asset_id, ""), said.get(link.asset_id)) for link in links}
        task = TextTask(self.providers, content.document, content.doc_id, content.source, label, notes, self._room)
        stages = self.stages
        cleaning, sectioning, cutting, enriching = (partial(_wrap_parse_errors, label, part) for part in stages.parts)
        with self.parser.open_text(task, self.embedder) as run:
            cleaner = ProviderRef("cleaner", stages.cleaner.name, stages.cleaner.profile)
            with trace.span("stage.transform_pre", cleaner), cleaning():
                run.clean()
            with trace.span("stage.sectioner", ProviderRef("sectioner", "headings")) as span, sectioning():
                sections = run.sections()
                trace.event("ingest.section_stats", {"sections": len(sections)}, span)
            splitter = ProviderRef("splitter", stages.splitter.name, stages.splitter.profile)
            with trace.span("stage.chunker", splitter) as span, cutting():
                trace.event("ingest.chunk_stats", run.cut(), span)
            enricher = ProviderRef("enricher", stages.enricher.name, stages.enricher.profile)
            with trace.span("stage.transform_post", enricher), enriching():
                enrichment, chunks = run.enrich()
        read = {field.name: getattr(content, field.name) for field in fields(content)}
        return Version(**read, sections=sections, chunks=tuple(chunks), enrichment=enrichment)

    @property
    def _room(self) -> int:
        return min(self.chunk_size, self.embedder.max_tokens) - self.embedder.passage_overhead


def _description_id(said: StoredDescription | None) -> str | None:
    return said.description_id if said else None


def _note(asset_id: str, text: str, said: StoredDescription | None) -> PictureNote:
    """What a picture adds to the views. A description that says little adds nothing."""
    if said is None or said.description.low_quality:
        return PictureNote(asset_id, text)
    description = said.description
    return PictureNote(asset_id, text, " ".join(description.summary.split()), description.words)


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


def _as_utf8(data: bytes, encoding: str, name: str) -> bytes:
    """Text in the encoding that was set for it as UTF-8 with a mark, which every loader knows. Raises `DocumentUnreadable`."""
    try:
        return decode_as(data, encoding).removeprefix("\ufeff").encode("utf-8-sig", "replace") if data else data
    except UnicodeError:
        message = f"'{name}' is not in {encoding}, as ingest.encodings says it is. Change or remove the pattern there."
        raise EncodingUnknown(message) from None


def _decide(known: Known | None, ocr_profile: str, *, same: bool, force: bool) -> _Decision:
    if known is None or known.version_id is None:
        return "new"
    # Pictures that could not be read are worth another look once there is another way to read them.
    unread = known.ocr_skipped_under not in (None, ocr_profile)
    if same and known.status == "ready" and not known.failed and not unread and not force:
        return "unchanged"
    return "changed"


def _with_pictures(document: Document, found: Normalized, ocr_profile: str) -> Document:
    """With what its pictures add. The profile is kept of what could not read them: another one may."""
    metadata = {**document.metadata, **(found.metadata or {})}
    return replace(
        document,
        boilerplate=tuple(merged([*document.boilerplate, *found.ranges], len(document.markdown))),
        diagrams=tuple(sorted((*document.diagrams, *found.diagrams), key=lambda placed: placed.start)),
        metadata=metadata | {OCR_PROFILE: ocr_profile} if metadata.get(OCR_SKIPPED) else metadata,
        warnings=(*document.warnings, *found.warnings),
    )


def _decision_payload(doc_id: str, content_hash: str, size: int, decision: _Decision) -> dict[str, Any]:
    return {"doc_id": doc_id, "file_sha256": content_hash, "size": size, "decision": decision}


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
