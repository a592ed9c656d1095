"""Reading files, several at a time, to drafts, and counting them. One that cannot be read fails alone; one that was moved is
recognised."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Final

from ragd.core.errors import RagError, ServiceUnavailable
from ragd.core.ids import hash32
from ragd.core.jobs import MOST_LEFT_OUT, Failure, IngestResult
from ragd.core.tracing import Trace, Tracer
from ragd.formats.common.naming import base_name
from ragd.formats.registry import doc_type_for
from ragd.ingest.discovery.file_rules import shown
from ragd.ingest.discovery.files import Found
from ragd.ingest.discovery.items import Item, file_is_gone
from ragd.ingest.drafts import Draft, Drafter
from ragd.ingest.interruptions import Interruptions
from ragd.ingest.prefetch import side_by_side
from ragd.ingest.workers.pool import Parser
from ragd.store.document_state import Known
from ragd.store.documents import DocumentWriter
from ragd.store.file_documents import file_path

log = logging.getLogger(__name__)

LOOKUP_FILES = 500
_LOGGED: Final = 100
"""Names in one line of the log."""
INDEXING: Final = "indexing"
"""The stage in which files are read and embedded: both go on side by side, so progress has one name for them and one count."""
Report = Callable[[str, int, int], None]
"""Called with (stage, done, total) in files, before each file at least; may raise `Stopped` to end the run at a safe point."""


@dataclass(slots=True)
class Tally:
    """Counts of a run so far. Written by the threads of one run, each counter by one of them."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    moved: int = 0
    deleted: int = 0
    skipped: int = 0
    left_out: Sequence[Failure] = ()
    lacking_ocr: int = 0
    failed: list[Failure] = field(default_factory=list)
    chunks: int = 0
    embedded: int = 0
    reused: int = 0
    unchanged_ids: list[str] = field(default_factory=list)
    uncoded: int = 0
    """Passages that have a vector and no token codes yet."""
    pictures: int = 0
    read: int = 0
    """Documents that were read and go on to be embedded."""
    past_embedding: int = 0
    """Documents whose vectors are there, stored or on their way to be."""
    replaced: set[str] = field(default_factory=set)
    """Documents that are others now: their files were found under another name."""

    @classmethod
    def of(cls, found: Found) -> Tally:
        """Before the first file is read; what was left out is named in the log, too."""
        left_out = found.left_out
        if left_out:
            names = [f"{one.source}: {one.message}" for one in left_out[:_LOGGED]]
            log.info("files were left out", extra={"left_out": len(left_out), "files": names})
        return cls(skipped=found.skipped, left_out=left_out, failed=list(found.failed))

    def add(self, other: Tally) -> None:
        """Count what another run has done with a part of the files."""
        for one in fields(self):
            if one.type == "int":
                setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))
        self.failed += other.failed
        self.unchanged_ids += other.unchanged_ids
        self.replaced |= other.replaced

    def count(self, draft: Draft) -> None:
        """Count a document that was stored."""
        self.chunks += len(draft.version.chunks)
        self.pictures += len(draft.version.assets)
        self.lacking_ocr += draft.lacks_ocr
        if draft.replaces:
            self.moved += 1
        elif draft.is_new:
            self.added += 1
        else:
            self.updated += 1

    @property
    def done(self) -> int:
        """Documents that progress counts as done. One that was read counts half: many are read before the first is embedded."""
        return (self.read + self.past_embedding) // 2 + self.unchanged + len(self.failed)

    def result(self) -> IngestResult:
        """The counts as they go into the job."""
        return IngestResult(
            added=self.added,
            updated=self.updated,
            unchanged=self.unchanged,
            moved=self.moved,
            deleted=self.deleted,
            skipped=self.skipped,
            failed=tuple(self.failed),
            left_out=tuple(self.left_out[:MOST_LEFT_OUT]),
            left_out_count=len(self.left_out),
            lacking_ocr=self.lacking_ocr,
            chunks=self.chunks,
            embedded=self.embedded,
            reused=self.reused,
        )


def counted(drafts: Iterable[Draft], tally: Tally) -> Iterator[Draft]:
    """The drafts, each counted as read."""
    for draft in drafts:
        tally.read += 1
        yield draft


def embedding_progress(report: Report, tally: Tally, *, documents: int, texts: int, total: int) -> Callable[[int], None]:
    """Progress while a group is embedded: its documents as far as its texts are done; of a single document, the texts."""
    embedded, before = 0, tally.past_embedding

    def progress(count: int) -> None:
        nonlocal embedded
        embedded += count
        if total == 1:
            report("embedding passages", embedded, texts)
        else:
            # Counted at once: what is said of reading meanwhile must not go back behind it.
            tally.past_embedding = before + documents * embedded // texts
            report(INDEXING, tally.done, total)

    return progress


@dataclass(frozen=True, slots=True)
class Files:
    """What one run is to take in. `gone` are documents of the source whose files are no more; `total` is for progress.

    `ids` are of documents, by URI. With `queued`, the sequence number of a job, what was deleted since it was queued stays so.
    """

    kb_id: str
    items: Sequence[Item]
    ids: Mapping[str, str]
    gone: frozenset[str]
    source_id: str | None
    force: bool
    total: int
    queued: int | None
    job_id: str | None


Elsewhere = Callable[[Files, Mapping[str, str | None]], Iterator[Tally]]
"""Ingests files in other processes, with the links of a trace, and gives what became of each part of them."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of reading one file: a draft, an error, or neither when it is unchanged."""

    item: Item
    doc_id: str
    trace: Trace
    known: Known | None
    draft: Draft | None = None
    error: RagError | OSError | None = None


class FileReading:
    """Reads files for the pipeline, as many at a time as the parser does."""

    def __init__(
        self, drafter: Drafter, parser: Parser, writer: DocumentWriter, tracer: Tracer, interruptions: Interruptions
    ) -> None:
        self._drafter = drafter
        self._parser = parser
        self._writer = writer
        self._tracer = tracer
        self._interruptions = interruptions

    def drafts(self, files: Files, tally: Tally, start_trace: Callable[[], Trace], report: Report) -> Iterator[Draft]:
        """A draft for each file that is new or changed, in the order in which they are read. The tally counts the others."""
        inside: list[tuple[int, int]] = []

        def progress(done: int, pages: int) -> None:
            inside[:] = [(done, pages)]

        def tick() -> None:
            # Of a single long file its pages are reported; several files are counted.
            if files.total == 1 and inside:
                report("reading pages", *inside[0])
            else:
                report(INDEXING, tally.done, files.total)

        def calls() -> Iterator[Callable[[], _Outcome]]:
            for start in range(0, len(files.items), LOOKUP_FILES):
                batch = files.items[start : start + LOOKUP_FILES]
                doc_ids = [files.ids.get(item.uri) or hash32(files.kb_id, item.uri) for item in batch]
                known = self._writer.known(doc_ids)
                for item, doc_id in zip(batch, doc_ids, strict=True):
                    report(INDEXING, tally.done, files.total)
                    if doc_id in known and known[doc_id].was_deleted_after(files.queued):
                        tally.skipped += 1
                        continue
                    yield partial(self._read, files, doc_id, item, known.get(doc_id), start_trace(), progress)

        adopted: list[str] = []
        for outcome in side_by_side(calls(), self._parser.size, tick=tick, abandon=self._parser.end_busy):
            if outcome.error:
                self._note_failure(outcome, outcome.error, files, tally)
            elif outcome.draft is None:
                tally.unchanged += 1
                tally.unchanged_ids.append(outcome.doc_id)
                if files.source_id and outcome.known and outcome.known.source_id != files.source_id:
                    adopted.append(outcome.doc_id)
            else:
                yield self._detect_move(outcome.draft, files, tally)
        self._writer.adopt(adopted, files.source_id)

    def _read(
        self,
        files: Files,
        doc_id: str,
        item: Item,
        known: Known | None,
        trace: Trace,
        progress: Callable[[int, int], None],
    ) -> _Outcome:
        outcome = _Outcome(item, doc_id, trace, known)
        try:
            with self._interruptions.reading(files.job_id, item.uri, item.label):
                draft = self._drafter.from_file(
                    files.kb_id, doc_id, item, known, trace, force=files.force, source_id=files.source_id, progress=progress
                )
        except ServiceUnavailable:  # says nothing of the file: the daemon is stopping, or can start no process
            raise
        except (RagError, OSError) as error:
            return replace(outcome, error=error)
        return replace(outcome, draft=draft)

    def _note_failure(self, outcome: _Outcome, error: RagError | OSError, files: Files, tally: Tally) -> None:
        item = outcome.item
        failure = failure_of(error, item.label)
        if item.label != item.source:  # its name is not for everybody, and loaders call it by that
            failure = replace(failure, message=failure.message.replace(shown(item.name), item.label))
        tally.failed.append(failure)
        doc_type = doc_type_for(item.name) or item.loader or "text"
        self._writer.fail(files.kb_id, outcome.doc_id, item.uri, doc_type, item.size(), failure, files.source_id)
        outcome.trace.error(error)
        self._tracer.record([outcome.trace.finish("error")])

    def _detect_move(self, draft: Draft, files: Files, tally: Tally) -> Draft:
        """The draft, with the document that it was before its file was moved or renamed, if it was."""
        if not draft.is_new:
            return draft
        version = draft.version
        former = [
            known
            for known in self._writer.same_content(version.kb_id, version.content_hash)
            if known.doc_id not in tally.replaced
            and known.doc_id != version.doc_id
            and (known.doc_id in files.gone or _is_gone(known.source_uri))
        ]
        if not former:
            return draft
        # Of several equal files that went, the one of the same name is the likeliest.
        name = base_name(version.source)
        chosen = min(former, key=lambda known: base_name(known.source) != name)
        tally.replaced.add(chosen.doc_id)
        return replace(draft, replaces=(chosen.doc_id,))


def failure_of(error: RagError | OSError, source: str) -> Failure:
    """What a job says of a file that could not be read."""
    if isinstance(error, RagError):
        return Failure(source, error.code, error.message)
    return Failure(source, "UNREADABLE", f"'{source}' can't be read: {error.strerror or error}.")


def _is_gone(uri: str) -> bool:
    return uri.startswith("file:") and file_is_gone(file_path(uri))
