"""Documents in: dedup → loader → asset_normalize → transform_pre → sectioner → chunker → transform_post → embedding → upsert.

Files are taken in groups. While one group is embedded, the next is being read and the one before is being stored, so that the
embedding model is the only thing waited for. Within a group texts are embedded sorted by length. A file that can't be read
fails alone; a group becomes visible in one transaction, after both views have it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from rag_assistant.errors import RagError
from rag_assistant.ingest.drafts import Draft, Drafter
from rag_assistant.ingest.files import FileItem, Found
from rag_assistant.ingest.indexes import Indexes
from rag_assistant.ingest.loaders import doc_type_for
from rag_assistant.ingest.prefetch import prefetched
from rag_assistant.ingest.tally import Tally
from rag_assistant.providers.base import Analyzer, Embedder, Loader, Splitter, Vectors
from rag_assistant.store.documents import DocumentWriter, Known, StoredFacts
from rag_assistant.store.vectors import VectorCache
from rag_assistant.text import hash32
from rag_assistant.tracing import ProviderRef, Status, Trace, Tracer, shared_span
from rag_assistant.types import Failure, IngestResult, Version

# A group is closed when it has this many chunks, characters or files: enough that its commits cost little beside its
# embedding, and little enough that progress is seen and memory stays bounded.
GROUP_CHUNKS = 512
GROUP_CHARACTERS = 4_000_000
GROUP_FILES = 512
LOOKUP_FILES = 500

Report = Callable[[str, int, int], None]
"""Called with (stage, done, total) in files, before each file at least; may raise `Stopped` to end the run at a safe point."""

Links = Mapping[str, str | None]


class Stopped(Exception):
    """A run was asked to stop. What was committed stays, the rest is taken back."""

    code = "CANCELLED"


class IngestPipeline:
    """The ingestion line with its collaborators. A run's state lives in its `Tally`."""

    def __init__(
        self,
        *,
        writer: DocumentWriter,
        vectors: VectorCache,
        indexes: Indexes,
        embedder: Embedder,
        analyzer: Analyzer,
        splitter: Splitter,
        loaders: Callable[[str], Loader],
        tracer: Tracer,
        chunk_size: int,
        max_document_size: int,
        strategy_config_id: str,
    ) -> None:
        self._writer = writer
        self._vectors = vectors
        self._indexes = indexes
        self._embedder = embedder
        self._tracer = tracer
        self._strategy_config_id = strategy_config_id
        self._drafter = Drafter(embedder, analyzer, splitter, loaders, chunk_size, max_document_size)
        # Facts and views change together: a deletion waits for the group that is being stored, and the reverse.
        self._storing = threading.Lock()

    def profile_id(self, loader: str, loader_version: str) -> str:
        """Hash of everything that shapes what a file becomes."""
        return self._drafter.profile_id(loader, loader_version)

    def run(self, kb_id: str, found: Found, *, force: bool = False, report: Report, links: Links) -> IngestResult:
        """Ingest the files that were found into one collection.

        Raises what `report` raises, and any `RagError` or `OSError` that keeps the run itself from going on; what was
        committed before stays, what was not is swept away.
        """
        # Two uploads of one name are one file, the later one.
        items = list({item.uri: item for item in found.items}.values())
        tally = Tally(skipped=found.skipped, failed=list(found.failed))
        total = len(items) + len(found.failed)
        self._trace_left_out(found, links)
        drafts = self._read(kb_id, items, tally, force=force, links=links, report=report, total=total)
        self._store(drafts, tally, report=report, total=total)
        self._trace_unchanged(tally, links)
        report("done", total, total)
        return tally.result()

    def rebuild(self, doc_ids: Sequence[str], *, report: Report, links: Links) -> IngestResult:
        """Make sections, chunks and both views of live documents again from their facts; no file is read."""
        tally = Tally()
        total = len(doc_ids)

        def drafts() -> Iterator[Draft]:
            for start in range(0, total, LOOKUP_FILES):
                for facts in self._writer.facts(doc_ids[start : start + LOOKUP_FILES]):
                    report("reading", tally.done, total)
                    if draft := self._redraft(facts, tally, links):
                        yield draft

        self._store(drafts(), tally, report=report, total=total)
        report("done", total, total)
        return tally.result()

    def delete(self, kb_id: str, doc_ids: Sequence[str]) -> None:
        """Delete documents: tombstones first, then the views' entries, then the facts."""
        with self._storing:
            self._writer.tombstone(doc_ids)
            self._indexes.remove({kb_id: self._writer.entries(doc_ids)})
            self._writer.purge(doc_ids)

    # Reading: everything before the embedding

    def _read(
        self, kb_id: str, items: Sequence[FileItem], tally: Tally, *, force: bool, links: Links, report: Report, total: int
    ) -> Iterator[Draft]:
        for start in range(0, len(items), LOOKUP_FILES):
            batch = items[start : start + LOOKUP_FILES]
            doc_ids = {item.uri: hash32(kb_id, item.uri) for item in batch}
            known = self._writer.known(list(doc_ids.values()))
            for item in batch:
                report("reading", tally.done, total)
                doc_id = doc_ids[item.uri]
                if draft := self._read_one(kb_id, doc_id, item, known.get(doc_id), tally, force=force, links=links):
                    yield draft

    def _read_one(
        self, kb_id: str, doc_id: str, item: FileItem, known: Known | None, tally: Tally, *, force: bool, links: Links
    ) -> Draft | None:
        trace = self._start_trace(links)
        try:
            draft = self._drafter.from_file(kb_id, doc_id, item, known, trace, force=force)
        except (RagError, OSError) as error:
            failure = _failure(error, item.source)
            self._note_failure(failure, trace, error, tally)
            self._writer.fail(kb_id, doc_id, item.uri, doc_type_for(item.path.name) or "text", _size(item), failure)
            return None
        if draft is None:
            tally.unchanged += 1
            tally.unchanged_ids.append(doc_id)
        return draft

    def _redraft(self, facts: StoredFacts, tally: Tally, links: Links) -> Draft | None:
        trace = self._start_trace(links)
        try:
            return self._drafter.from_facts(facts, trace)
        except RagError as error:
            self._note_failure(_failure(error, facts.source), trace, error, tally)
            return None

    # Storing: embedding and everything after

    def _store(self, drafts: Iterator[Draft], tally: Tally, *, report: Report, total: int) -> None:
        open_traces: dict[str, Trace] = {}
        try:
            with prefetched(_groups(drafts)) as groups, ThreadPoolExecutor(1, "rag-store") as storer:
                storing: Future[None] | None = None
                for group in groups:
                    open_traces.update((draft.trace.trace_id, draft.trace) for draft in group)
                    vectors = self._embed(group, tally, report=report, total=total)
                    if storing:
                        storing.result()
                    storing = storer.submit(self._upsert, group, vectors, tally, open_traces)
                if storing:
                    report("storing", tally.done, total)
                    storing.result()
        except BaseException as error:
            for trace in open_traces.values():
                trace.error(error)
            status: Status = "cancelled" if isinstance(error, Stopped) else "error"
            self._tracer.record([trace.finish(status) for trace in open_traces.values()])
            self._writer.sweep()
            raise

    def _embed(self, group: Sequence[Draft], tally: Tally, *, report: Report, total: int) -> dict[str, Vectors]:
        texts = {chunk.dense_key: chunk.dense_view for draft in group for chunk in draft.version.chunks}
        provider = ProviderRef("embedder", self._embedder.model_id, self._embedder.revision)
        with shared_span([draft.trace for draft in group], "stage.embedding", provider) as spans:
            vectors = self._vectors.get(list(texts))
            missing = [key for key in texts if key not in vectors]
            report("embedding", tally.done, total)
            new: dict[str, Vectors] = {}
            if missing:
                tell = _embedding_progress(report, tally, documents=len(group), texts=len(missing), total=total)
                made = self._embedder.embed_passages([texts[key] for key in missing], tell)
                new = {key: made[index] for index, key in enumerate(missing)}
                self._vectors.put(new)
                vectors.update(new)
            counted: set[str] = set()
            for draft in group:
                keys = [chunk.dense_key for chunk in draft.version.chunks]
                # A text that stands twice in a group is embedded for the first document and reused by the other.
                embedded = sum(1 for key in dict.fromkeys(keys) if key in new and key not in counted)
                counted.update(keys)
                counts = {"embedded": embedded, "reused": len(keys) - embedded}
                draft.trace.counters.update({**counts, "cache_hits": counts["reused"], "cache_misses": embedded})
                draft.trace.event("ingest.embedding_batch", counts, spans[draft.trace.trace_id])
                tally.embedded += embedded
                tally.reused += counts["reused"]
        tally.past_embedding += len(group)
        return vectors

    def _upsert(
        self, group: Sequence[Draft], vectors: Mapping[str, Vectors], tally: Tally, open_traces: dict[str, Trace]
    ) -> None:
        provider = ProviderRef("indexes", f"{self._indexes.dense.name}+{self._indexes.sparse.name}")
        with self._storing, shared_span([draft.trace for draft in group], "stage.upsert", provider) as spans:
            returning = {draft.version.doc_id for draft in group if draft.was_deleted}
            withdrawn = self._writer.withdrawn([draft.version for draft in group], returning)
            kept = [draft for draft in group if draft.version.doc_id not in withdrawn]
            self._upsert_versions([draft.version for draft in kept], vectors)
            for draft in kept:
                payload = {"version_id": draft.version.version_id, "chunks": len(draft.version.chunks)}
                draft.trace.event("ingest.upsert_result", payload, spans[draft.trace.trace_id])
        for draft in kept:
            tally.chunks += len(draft.version.chunks)
            if draft.is_new:
                tally.added += 1
            else:
                tally.updated += 1
        # A document that was deleted while it was being read stays deleted.
        tally.skipped += len(group) - len(kept)
        for draft in group:
            open_traces.pop(draft.trace.trace_id)
        kept_ids = {draft.trace.trace_id for draft in kept}
        self._tracer.record([draft.trace.finish("ok" if draft.trace.trace_id in kept_ids else "cancelled") for draft in group])

    def _upsert_versions(self, versions: Sequence[Version], vectors: Mapping[str, Vectors]) -> None:
        self._writer.begin(versions)
        self._indexes.upsert(versions, vectors)
        self._indexes.remove(self._writer.flip(versions))

    # Traces of what was not stored

    def _start_trace(self, links: Links) -> Trace:
        return self._tracer.start("ingestion", strategy_config_id=self._strategy_config_id, **links)

    def _note_failure(self, failure: Failure, trace: Trace, error: Exception, tally: Tally) -> None:
        tally.failed.append(failure)
        trace.error(error)
        self._tracer.record([trace.finish("error")])

    def _trace_unchanged(self, tally: Tally, links: Links) -> None:
        if not tally.unchanged:
            return
        trace = self._start_trace(links)
        with trace.span("stage.dedup") as span:
            payload = {"decision": "unchanged", "documents": tally.unchanged, "doc_ids": tally.unchanged_ids[:100]}
            trace.event("ingest.dedup_decision", payload, span)
        trace.counters["unchanged"] = tally.unchanged
        self._tracer.record([trace.finish()])

    def _trace_left_out(self, found: Found, links: Links) -> None:
        if not found.failed:
            return
        trace = self._start_trace(links)
        with trace.span("stage.dedup") as span:
            span.status = "error"
            codes = sorted({failure.code for failure in found.failed})
            payload = {"decision": "failed", "documents": len(found.failed), "codes": codes}
            trace.event("ingest.dedup_decision", payload, span)
        self._tracer.record([trace.finish("error")])


def _embedding_progress(report: Report, tally: Tally, *, documents: int, texts: int, total: int) -> Callable[[int], None]:
    """Progress while a group is embedded: its documents as far as its texts are done; of a single document, the texts."""
    embedded = 0

    def tell(count: int) -> None:
        nonlocal embedded
        embedded += count
        if total == 1:
            report("embedding passages", embedded, texts)
        else:
            report("embedding", tally.done + documents * embedded // texts, total)

    return tell


def _size(item: FileItem) -> int:
    try:
        return item.path.stat().st_size
    except OSError:  # it is gone or closed to us, which the failure says already
        return 0


def _failure(error: RagError | OSError, source: str) -> Failure:
    if isinstance(error, RagError):
        return Failure(source, error.code, error.message)
    return Failure(source, "UNREADABLE", f"'{source}' can't be read: {error.strerror or error}.")


def _groups(drafts: Iterable[Draft]) -> Iterator[list[Draft]]:
    group: list[Draft] = []
    chunks = characters = 0
    for draft in drafts:
        group.append(draft)
        chunks += len(draft.version.chunks)
        characters += len(draft.version.document.markdown)
        if chunks >= GROUP_CHUNKS or characters >= GROUP_CHARACTERS or len(group) >= GROUP_FILES:
            yield group
            group, chunks, characters = [], 0, 0
    if group:
        yield group
