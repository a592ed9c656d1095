"""The ingestion line on a temporary disk: real stores, a light index on each side, and an embedder that counts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, func, select

from ragd.app.ingestion import encoding_for
from ragd.core.documents import Document
from ragd.core.errors import ParseFailed, RagError
from ragd.core.ids import hash32
from ragd.core.jobs import IngestResult
from ragd.core.query import Filters
from ragd.core.storage import Version
from ragd.core.tracing import ProviderRef, Tracer
from ragd.formats.common.links import LinkedFiles
from ragd.formats.registry import loader_name_for
from ragd.ingest.discovery.files import find_files
from ragd.ingest.discovery.paths import DocumentPaths
from ragd.ingest.drafts import Drafter
from ragd.ingest.indexes import Indexes
from ragd.ingest.interruptions import NOTE_FILE, Interruptions
from ragd.ingest.pictures.extraction import PictureLimits, PictureReader, normalize
from ragd.ingest.pipeline import IngestPipeline
from ragd.ingest.text_stages import TextProviders, TextRun, TextTask
from ragd.ingest.workers.ipc import Normalized, pack_document, unpack_document
from ragd.ingest.workers.pool import KnownAssets, ParseTask
from ragd.providers.dense.exact import ExactStore
from ragd.providers.fakes import FakeEmbedder
from ragd.providers.protocols import LoadContext, Loader, PassageEmbedder
from ragd.providers.registry import build
from ragd.providers.sparse.fts5 import Fts5Store
from ragd.store.assets import Assets
from ragd.store.blobs.folder import BlobFolder
from ragd.store.collections import Collections
from ragd.store.contract.cleanup_tasks import CleanupTasks
from ragd.store.database import schema
from ragd.store.database.engine import open_engine
from ragd.store.document_reader import DocumentReader
from ragd.store.documents import DocumentWriter
from ragd.store.file_documents import FileDocuments
from ragd.store.jobs import Jobs
from ragd.store.passages import Passages
from ragd.store.sources import Sources
from ragd.store.vectors import VectorCache


@dataclass
class Trouble:
    """Raises the error of each named step once, as a full disk or a bug would."""

    steps: dict[str, Exception] = field(default_factory=dict)

    def at(self, step: str) -> None:
        if error := self.steps.pop(step, None):
            raise error


class TroubledDense(ExactStore):
    trouble: Trouble

    def upsert(self, kb_id: str, ids: Sequence[str], vectors: Any) -> None:
        self.trouble.at("dense.before")
        super().upsert(kb_id, ids, vectors)
        self.trouble.at("dense.after")


class TroubledSparse(Fts5Store):
    trouble: Trouble

    def upsert(self, kb_id: str, entries: Sequence[tuple[str, Sequence[str]]]) -> None:
        self.trouble.at("sparse.before")
        super().upsert(kb_id, entries)
        self.trouble.at("sparse.after")


class TroubledWriter(DocumentWriter):
    trouble: Trouble

    def begin(self, batch: Sequence[Version], returning: Collection[str] | None = None) -> None:
        self.trouble.at("begin.before")
        super().begin(batch, returning)

    def flip(self, batch: Sequence[Version], replaced: Sequence[str] = (), returning: Collection[str] | None = None) -> Any:
        self.trouble.at("flip.before")
        stale = super().flip(batch, replaced, returning)
        self.trouble.at("flip.after")
        return stale


class CountingEmbedder(FakeEmbedder):
    """Keeps every text that it embeds. `during` is called before, as other threads act while a model computes."""

    def __init__(self) -> None:
        super().__init__(dimension=32)
        self.texts: list[str] = []
        self.during: Callable[[], None] = lambda: None

    def embed_passages(self, texts: Sequence[str], on_batch: Any = None) -> Any:
        self.during()
        self.texts += texts
        return super().embed_passages(texts, on_batch)


class Envelopes(list[Mapping[str, Any]]):
    """A sink that keeps the traces."""

    def write(self, envelopes: Sequence[Mapping[str, Any]]) -> None:
        self.extend(envelopes)


class InlineParser:
    """Reads files in this process, one at a time, as the processes do that read them for the daemon."""

    size = 1

    def __init__(self, loaders: Callable[[str], Loader]) -> None:
        self._loaders = loaders

    @contextmanager
    def open(self, task: ParseTask, progress: Callable[[int, int], None]) -> Iterator[InlineParsing]:
        yield InlineParsing(self._loaders(task.loader), task)

    @contextmanager
    def open_text(self, task: TextTask, embedder: PassageEmbedder) -> Iterator[TextRun]:
        yield TextRun(task.providers.open(embedder), task)

    def end_busy(self) -> None:
        """There is nothing to stop: reading is over before anybody could."""


class InlineParsing:
    def __init__(self, loader: Loader, task: ParseTask) -> None:
        self._loader = loader
        self._task = task
        self._reader = PictureReader(lambda: build("ocr", "none"), budget_s=10, max_pixels=1_000_000)

    def document(self) -> Document:
        task = self._task
        linked = LinkedFiles(Path(task.folder), Path(task.root), 1_000_000)
        try:
            self._read = self._loader.load(task.data, task.name, LoadContext(linked=linked, read_picture=self._reader.read))
        except RagError:
            raise
        except Exception as error:
            raise ParseFailed(f"the {task.loader} loader failed ({type(error).__name__})") from error
        return unpack_document(*pack_document(self._read))

    def pictures(self, known: KnownAssets) -> Normalized:
        return normalize(self._read, self._reader, known, PictureLimits(100, 1_000_000, 1_000_000))


def quiet(_stage: str, _done: int, _total: int) -> None:
    """A report that nobody reads."""


class Line:
    """One data directory with everything that an ingestion needs."""

    def __init__(self, folder: Path, documents: Path, *, max_document_size: int = 100_000, **options: Any) -> None:
        folder.mkdir()
        documents.mkdir(exist_ok=True)
        self.documents = documents
        self.engine: Engine = open_engine("", folder)
        self.collections = Collections(self.engine)
        self.cleanup_tasks = CleanupTasks(self.engine, self.collections, Sources(self.engine), Jobs(self.engine, 100, 100))
        # A fixed id, so that two lines give the same ids.
        self.kb_id = hash32("collection")
        named = {"name": "default", "description": "", "status": "enabled", "created_at": "", "updated_at": ""}
        with self.engine.begin() as connection:
            connection.execute(schema.collections.insert().values(kb_id=self.kb_id, **named))
        self.trouble = Trouble()
        self.writer = TroubledWriter(self.engine, keep_versions=options.get("keep_versions", 2))
        self.dense = TroubledDense(folder / "dense")
        self.sparse = TroubledSparse(folder / "sparse")
        self.writer.trouble = self.dense.trouble = self.sparse.trouble = self.trouble
        self.embedder = CountingEmbedder()
        self.token_requests: list[int] = []
        self.envelopes = Envelopes()
        self.tracer = Tracer([self.envelopes])
        self.reader = DocumentReader(self.engine)
        self.passages = Passages(self.engine)
        self.vectors = VectorCache(self.engine, self.embedder.model_id, self.embedder.revision)
        self.assets = Assets(self.engine, BlobFolder(folder))
        loaders = options.get("loaders", lambda name: build("loader", name))
        self.encodings = encoding_for(options.get("encodings", {}))
        parser = InlineParser(loaders)
        enricher = options.get("enricher", "none")
        providers = TextProviders("rules", "recursive", enricher, "bigram", splitting={"chunk_overlap": 8})
        drafter = Drafter(
            parser=parser,
            loaders=loader_name_for,
            loader_version=lambda name: loaders(name).version,
            encodings=lambda source, name: self.encodings(source, name),  # noqa: PLW0108 - tests set another
            known_assets=self.assets.known,
            ocr=ProviderRef("ocr", options.get("ocr", "none"), "none"),
            providers=providers,
            stages=providers.open(self.embedder),
            embedder=self.embedder,
            chunk_size=options.get("chunk_size", 64),
            max_document_size=max_document_size,
        )
        self.pipeline = IngestPipeline(
            writer=self.writer,
            vectors=self.vectors,
            assets=self.assets,
            indexes=Indexes(self.dense, self.sparse, tokens=options.get("tokens")),
            embedder=self.embedder,
            drafter=drafter,
            parser=parser,
            paths=DocumentPaths(FileDocuments(self.engine), folder / "uploads", ()),
            tracer=self.tracer,
            interruptions=Interruptions(folder / NOTE_FILE, lambda _key, _begins: None),
            strategy_config_id="0" * 32,
            request_tokens=lambda: self.token_requests.append(1),
        )

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.documents / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def ingest(self, *paths: Path, force: bool = False, report: Any = quiet, **source: Any) -> IngestResult:
        """Ingest paths, or the whole folder of documents. `embedder.texts` and `envelopes` are of this run alone."""
        self.embedder.texts.clear()
        self.envelopes.clear()
        found = find_files([str(path) for path in paths or (self.documents,)], recursive=True, allowed_roots=())
        try:
            return self.pipeline.run(self.kb_id, found, force=force, report=report, links={"job_id": "j1"}, **source)
        finally:
            self.tracer.flush()

    def doc_id(self, source: str) -> str:
        (found,) = (row["id"] for row in self.reader.page(page_size=1000)[0] if row["source"] == source)
        return str(found)

    def texts(self) -> set[str]:
        """Every text that may be served."""
        rows = self.writer.live_entries(self.kb_id)
        resolved = self.passages.resolve("dense", [row[1] for row in rows], Filters())
        chunk_ids = [live.chunk_id for live in resolved.values()]
        return {passage.content for passage in self.passages.passages(chunk_ids).values()}

    def check(self) -> None:
        """The database holds nothing half done, and both indexes hold exactly what it calls live."""
        rows = self.writer.live_entries(self.kb_id)
        assert self.dense.ids(self.kb_id) == {row[1] for row in rows}
        assert self.sparse.ids(self.kb_id) == {row[3] for row in rows}
        self.check_facts()

    def check_facts(self) -> None:
        with self.engine.connect() as connection:
            held = select(schema.occurrences.c.chunk_id)
            for query in (
                select(func.count()).select_from(schema.versions).where(schema.versions.c.status == "pending"),
                select(func.count()).select_from(schema.documents).where(schema.documents.c.status == "processing"),
                select(func.count()).select_from(schema.chunks).where(schema.chunks.c.chunk_id.not_in(held)),
            ):
                assert connection.scalar(query) == 0

    def close(self) -> None:
        self.tracer.close()
        self.dense.close()
        self.sparse.close()
        self.engine.dispose()


@pytest.fixture
def new_line(tmp_path: Path) -> Iterator[Callable[..., Line]]:
    """Opens lines with data directories of their own, on one folder of documents."""
    opened: list[Line] = []

    def open_it(**options: Any) -> Line:
        opened.append(Line(tmp_path / f"data{len(opened)}", tmp_path / "documents", **options))
        return opened[-1]

    yield open_it
    for line in opened:
        line.close()


@pytest.fixture
def line(new_line: Callable[..., Line]) -> Line:
    return new_line()
