"""Documents in: dedup → loader → asset_normalize → transform_pre → sectioner → chunker → transform_post → embedding → upsert.

Files are taken in groups. While one group is embedded, the next is being read and the one before is being stored, so that the
embedding model is the only thing waited for. Within a group texts are embedded sorted by length. A file that can't be read
fails alone; a group becomes visible in one transaction, after every view has it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ragd.core.errors import RagError, ServiceUnavailable
from ragd.core.jobs import IngestResult, Stopped
from ragd.core.storage import Version, VersionContent
from ragd.core.tracing import ProviderRef, Status, Trace, Tracer, shared_span
from ragd.ingest.chunking.structure import Shape, drift
from ragd.ingest.discovery.files import Found
from ragd.ingest.discovery.items import Item
from ragd.ingest.discovery.paths import DocumentPaths, Named
from ragd.ingest.drafts import Draft, Drafter
from ragd.ingest.embedding import Embedding
from ragd.ingest.indexes import Indexes
from ragd.ingest.interruptions import Interruptions
from ragd.ingest.prefetch import prefetched
from ragd.ingest.reading import INDEXING, LOOKUP_FILES, Elsewhere, FileReading, Files, Report, Tally, counted, failure_of
from ragd.ingest.workers.pool import Parser
from ragd.providers.protocols import Embedder, Vectors
from ragd.providers.token_protocols import TokenCodes
from ragd.store.assets import Assets
from ragd.store.documents import DocumentWriter
from ragd.store.vectors import VectorCache
from ragd.store.version_rows import section_hash

# A group is closed when it has this many chunks, characters or files: enough that its commits cost little beside its
# embedding, and little enough that progress is seen and memory stays bounded.
_GROUP_CHUNKS = 512
_GROUP_CHARACTERS = 4_000_000
_GROUP_FILES = 512

_Links = Mapping[str, str | None]


class IngestPipeline:
    """The ingestion line with its collaborators. A run's state lives in its `Tally`."""

    def __init__(
        self,
        *,
        writer: DocumentWriter,
        vectors: VectorCache,
        assets: Assets,
        indexes: Indexes,
        embedder: Embedder,
        drafter: Drafter,
        parser: Parser,
        paths: DocumentPaths,
        tracer: Tracer,
        interruptions: Interruptions,
        strategy_config_id: str,
        request_tokens: Callable[[], None],
        request_captions: Callable[[], None] = lambda: None,
        is_alone: Callable[[], bool] = lambda: True,
    ) -> None:
        """`request_tokens` has the token codes made that a run has left out, `request_captions` its pictures described.

        `is_alone` says whether no other process ingests now, nor can begin to: only then what nothing refers to is removed.
        """
        self._is_alone = is_alone
        self._writer = writer
        self._vectors = vectors
        self._assets = assets
        self._indexes = indexes
        self.embedding = Embedding(vectors, indexes, embedder)
        self._drafter = drafter
        self._paths = paths
        self.reading = FileReading(drafter, parser, writer, tracer, interruptions)
        self._tracer = tracer
        self._strategy_config_id = strategy_config_id
        self._request_tokens = request_tokens
        self._request_captions = request_captions
        # Content and views change together: a deletion waits for the group that is being stored, and the reverse.
        self._storing = threading.Lock()
        self._runs = 0

    def profile_id(self, loader: str, loader_version: str) -> str:
        """Hash of everything that shapes what a file becomes."""
        return self._drafter.profile_id(loader, loader_version)

    def run(
        self,
        kb_id: str,
        found: Found,
        *,
        force: bool = False,
        report: Report,
        links: _Links,
        source_id: str | None = None,
        gone: Sequence[str] = (),
        queued: int | None = None,
        elsewhere: Elsewhere | None = None,
    ) -> IngestResult:
        """Ingest the files that were found into one collection.

        `source_id` is the source that they come from, `gone` are ids of its documents whose files are no more: one whose content
        is found under another name has moved, the others are deleted. `queued` is explained at `Files`. With `elsewhere` the
        stages of each file run in other processes. Raises what `report` raises, and any error that keeps the run itself from
        going on; what was committed stays, what was not is swept away.
        """
        named = self._paths.name(kb_id, found, gone)
        tally = Tally.of(found)
        total = len(named.items) + len(found.failed)
        self._trace_left_out(found, links)
        files = Files(kb_id, named.items, named.ids, frozenset(gone), source_id, force, total, queued, links.get("job_id"))
        with self._running():
            self._rename(named, tally, report, links)
            self._paths.keep(kb_id, named)
            if elsewhere:
                for part in elsewhere(files, links):
                    tally.add(part)
                    report(INDEXING, tally.done, total)
            else:
                drafts = self.reading.drafts(files, tally, lambda: self.start_trace(links), report)
                self._store(drafts, tally, report=report, total=total)
            if remaining := [doc_id for doc_id in gone if doc_id not in tally.replaced]:
                report("deleting", total, total)
                self.delete(kb_id, remaining)
                tally.deleted = len(remaining)
        self._trace_unchanged(tally, links)
        if tally.uncoded:
            self._request_tokens()
        if tally.pictures:
            self._request_captions()
        report("done", total, total)
        return tally.result()

    def rebuild(self, doc_ids: Sequence[str], *, report: Report, links: _Links, tokens: bool = False) -> IngestResult:
        """Make sections, chunks and views of live documents again from their stored content; no file is read.

        With `tokens`, the model runs for passages without token codes, too; else only for those without a vector.
        The result's `drift` says how the structure of the documents differs from what it was.
        """
        tally, total = Tally(), len(doc_ids)
        shapes: list[tuple[Shape, Shape]] = []

        def drafts() -> Iterator[Draft]:
            for start in range(0, total, LOOKUP_FILES):
                batch = doc_ids[start : start + LOOKUP_FILES]
                before = {values["doc_id"]: Shape(**values) for values in self._writer.shapes(batch)}
                for stored in self._writer.contents(batch):
                    report(INDEXING, tally.done, total)
                    if draft := self._redraft(stored, tally, links):
                        shapes.append((before[stored.doc_id], _shape(draft.version)))
                        yield draft

        with self._running():
            self._store(drafts(), tally, report=report, total=total, tokens=tokens)
        report("done", total, total)
        return replace(tally.result(), drift=drift([old for old, _ in shapes], [new for _, new in shapes]))

    def preview(self, kb_id: str, doc_id: str, item: Item | None) -> tuple[Version, dict[str, Any]]:
        """What a file would become now, or without one the stored content of a live document, and the trace of it.

        Nothing is stored, and nothing embedded but by a splitter that needs it. Raises what reading raises.
        """
        trace = self.start_trace({})
        if item is None:
            draft: Draft | None = self._drafter.from_stored(self._writer.contents([doc_id])[0], trace)
        else:
            draft = self._drafter.from_file(kb_id, doc_id, item, None, trace, force=True)
        assert draft is not None  # what is not known can't be unchanged
        return draft.version, trace.finish()

    def tombstone(self, doc_ids: Sequence[str]) -> None:
        """Mark documents as deleted: gone from every answer when this returns. `clean_up` does the rest."""
        self._writer.tombstone(doc_ids)

    def delete(self, kb_id: str, doc_ids: Sequence[str]) -> None:
        """Delete documents: tombstones first, then everything that they left."""
        self.tombstone(doc_ids)
        self.clean_up(kb_id, doc_ids)

    def clean_up(self, kb_id: str, doc_ids: Sequence[str]) -> None:
        """Remove what deleted documents left: the views' entries, the content, vectors and pictures. May be done again."""
        with self._storing:
            self._indexes.remove({kb_id: self._writer.entries(doc_ids)})
            self._writer.purge(doc_ids)
        self.sweep()

    def sweep(self) -> None:
        """Remove vectors and pictures that nothing refers to; after the run, while one is going on that may count on them."""
        with self._storing:
            if not self._runs and self._is_alone():
                self._vectors.prune()
                self._assets.sweep()

    @contextmanager
    def _running(self) -> Generator[None, None, None]:
        with self._storing:
            self._runs += 1
        try:
            yield
        finally:
            with self._storing:
                self._runs -= 1
        # Not after a run that was cut off: it will be taken up again, and counts on the vectors that it has made.
        self.sweep()

    def _rename(self, named: Named, tally: Tally, report: Report, links: _Links) -> None:
        """Store documents anew, from what was read of them, under the names that they have now."""
        renamed, doc_ids = Tally(), list(named.renamed)

        def drafts() -> Iterator[Draft]:
            for start in range(0, len(doc_ids), LOOKUP_FILES):
                for stored in self._writer.contents(doc_ids[start : start + LOOKUP_FILES]):
                    report("renaming", renamed.done, len(doc_ids))
                    if draft := self._redraft(replace(stored, source=named.renamed[stored.doc_id]), renamed, links):
                        yield draft

        if doc_ids:
            self._store(drafts(), renamed, report=report, total=len(doc_ids))
        tally.moved += renamed.updated
        tally.failed += renamed.failed

    def _redraft(self, stored: VersionContent, tally: Tally, links: _Links) -> Draft | None:
        trace = self.start_trace(links)
        try:
            return self._drafter.from_stored(stored, trace)
        except ServiceUnavailable:  # says nothing of the document: the daemon is stopping, or can start no process
            raise
        except RagError as error:
            tally.failed.append(failure_of(error, stored.source))
            trace.error(error)
            self._tracer.record([trace.finish("error")])
            return None

    # Storing: embedding and everything after

    def _store(self, drafts: Iterator[Draft], tally: Tally, *, report: Report, total: int, tokens: bool = False) -> None:
        open_traces: dict[str, Trace] = {}
        try:
            with prefetched(_groups(counted(drafts, tally))) as groups, ThreadPoolExecutor(1, "rag-store") as storer:
                storing: Future[None] | None = None
                for group in groups:
                    open_traces.update((draft.trace.trace_id, draft.trace) for draft in group)
                    vectors, codes = self.embedding.embed(group, tally, report=report, total=total, tokens=tokens)
                    if storing:
                        storing.result()
                    storing = storer.submit(self.upsert, group, vectors, codes, tally, open_traces)
                if storing:
                    report("storing", tally.done, total)
                    storing.result()
        except BaseException as error:
            for trace in open_traces.values():
                trace.error(error)
            status: Status = "cancelled" if isinstance(error, Stopped) else "error"
            self._tracer.record([trace.finish(status) for trace in open_traces.values()])
            raise

    def upsert(
        self,
        group: Sequence[Draft],
        vectors: Mapping[str, Vectors],
        codes: Mapping[str, TokenCodes],
        tally: Tally,
        open_traces: dict[str, Trace],
    ) -> None:
        provider = ProviderRef("indexes", f"{self._indexes.dense.name}+{self._indexes.sparse.name}")
        with self._storing, shared_span([draft.trace for draft in group], "stage.upsert", provider) as spans:
            returning = {draft.version.doc_id for draft in group if draft.was_deleted}
            withdrawn = self._writer.withdrawn([draft.version for draft in group], returning)
            kept = [draft for draft in group if draft.version.doc_id not in withdrawn]
            try:
                self._upsert_versions(kept, vectors, codes, returning)
            except BaseException:
                self._writer.sweep([draft.version.doc_id for draft in kept])
                raise
            for draft in kept:
                payload = {"version_id": draft.version.version_id, "chunks": len(draft.version.chunks)}
                draft.trace.event("ingest.upsert_result", payload, spans[draft.trace.trace_id])
        for draft in kept:
            tally.count(draft)
        # A document that was deleted while it was being read stays deleted.
        tally.skipped += len(group) - len(kept)
        for draft in group:
            open_traces.pop(draft.trace.trace_id)
        kept_ids = {draft.trace.trace_id for draft in kept}
        self._tracer.record([draft.trace.finish("ok" if draft.trace.trace_id in kept_ids else "cancelled") for draft in group])

    def _upsert_versions(
        self, drafts: Sequence[Draft], vectors: Mapping[str, Vectors], codes: Mapping[str, TokenCodes], returning: set[str]
    ) -> None:
        versions = [draft.version for draft in drafts]
        replaced = [doc_id for draft in drafts for doc_id in draft.replaces]
        self._assets.put(asset for version in versions for asset in version.assets)
        self._writer.begin(versions, returning)
        self._indexes.upsert(versions, vectors, codes)
        left = self._writer.entries(replaced)
        self._indexes.remove(self._writer.flip(versions, replaced, returning))
        if replaced:
            self._indexes.remove({versions[0].kb_id: left})
            self._writer.purge(replaced)

    # Traces of what was not stored

    def start_trace(self, links: _Links) -> Trace:
        return self._tracer.start("ingestion", strategy_config_id=self._strategy_config_id, **links)

    def _trace_unchanged(self, tally: Tally, links: _Links) -> None:
        if not tally.unchanged:
            return
        trace = self.start_trace(links)
        with trace.span("stage.dedup") as span:
            payload = {"decision": "unchanged", "documents": tally.unchanged, "doc_ids": tally.unchanged_ids[:100]}
            trace.event("ingest.dedup_decision", payload, span)
        trace.counters["unchanged"] = tally.unchanged
        self._tracer.record([trace.finish()])

    def _trace_left_out(self, found: Found, links: _Links) -> None:
        if not found.failed:
            return
        trace = self.start_trace(links)
        with trace.span("stage.dedup") as span:
            span.status, codes = "error", sorted({failure.code for failure in found.failed})
            payload = {"decision": "failed", "documents": len(found.failed), "codes": codes}
            trace.event("ingest.dedup_decision", payload, span)
        self._tracer.record([trace.finish("error")])


def _shape(version: Version) -> Shape:
    chunk_ids, tokens = [chunk.chunk_id for chunk in version.chunks], [chunk.tokens for chunk in version.chunks]
    return Shape(version.doc_id, section_hash(version), len(version.sections), chunk_ids, tokens)


def _groups(drafts: Iterable[Draft]) -> Iterator[list[Draft]]:
    group: list[Draft] = []
    chunks = characters = 0
    for draft in drafts:
        group.append(draft)
        chunks += len(draft.version.chunks)
        characters += len(draft.version.document.markdown)
        if chunks >= _GROUP_CHUNKS or characters >= _GROUP_CHARACTERS or len(group) >= _GROUP_FILES:
            yield group
            group, chunks, characters = [], 0, 0
    if group:
        yield group
