"""The processes that read files, seen from the daemon: started when needed, watched, ended when a file takes too much."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from ragd.core.documents import Chunk, Document, Enrichment, Section
from ragd.core.errors import ParseOutOfMemory, ParseTimeout, ServiceUnavailable
from ragd.ingest.text_stages import TextTask
from ragd.ingest.workers.ipc import KnownAssets, Normalized
from ragd.ingest.workers.looks import Look, LookTask
from ragd.ingest.workers.process import WorkerOptions
from ragd.ingest.workers.remote import RemoteParsing, RemoteText
from ragd.ingest.workers.worker import Exchange, Worker
from ragd.providers.protocols import PassageEmbedder

# After so many files and texts a worker is replaced if it holds half of what one file may use: some libraries leak. To begin one
# takes more than a second of the processor.
_LOOK_AFTER = 1000
IDLE_S = 20.0
_WATCH_EVERY_S = 0.1


@dataclass(frozen=True, slots=True)
class ParseTask:
    """A file to read. `folder` is where it stands and `root` what its relative links may not leave; empty: none are followed."""

    loader: str
    name: str
    data: bytes
    folder: str = ""
    root: str = ""
    label: str = ""
    """What logs call it; empty: as `name`."""


class _Parsing(Protocol):
    """A file being read: first its text, then its pictures."""

    def document(self) -> Document:
        """Raises `ParseFailed` or one of its kinds."""
        ...

    def pictures(self, known: KnownAssets) -> Normalized: ...


class TextSteps(Protocol):
    """A text going through its stages, each called once, in this order; `TextRun` says what they do."""

    def clean(self) -> None:
        """Each raises `ParseFailed` or one of its kinds."""
        ...

    def sections(self) -> tuple[Section, ...]: ...

    def cut(self) -> dict[str, Any]: ...

    def enrich(self) -> tuple[Enrichment, list[Chunk]]: ...


class Parser(Protocol):
    """Reads files, and takes their texts through the stages before embedding. Safe to use from several threads."""

    size: int
    """How many files it reads at a time."""

    def open(self, task: ParseTask, progress: Callable[[int, int], None]) -> contextlib.AbstractContextManager[_Parsing]: ...

    def open_text(self, task: TextTask, embedder: PassageEmbedder) -> contextlib.AbstractContextManager[TextSteps]: ...

    def end_busy(self) -> None:
        """Stop reading what is being read: nobody waits for it."""
        ...


class WorkerPool:
    """At most `size` processes. `timeout_s` and `options.memory` (bytes) bound what one file may take.

    A process looks at pictures or reads files, never both: what looking loads stays out of the memory of those that read.
    """

    def __init__(self, size: int, timeout_s: float, options: WorkerOptions) -> None:
        self.size = size
        self._timeout_s = timeout_s
        self._options = options
        self._free = threading.Semaphore(size)
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._watcher: threading.Thread | None = None
        self._closed = threading.Event()

    @contextmanager
    def open(self, task: ParseTask, progress: Callable[[int, int], None]) -> Iterator[_Parsing]:
        """Have a file read. Leaving early ends the process that reads it."""
        header = {"op": "parse", "loader": task.loader, "name": task.name, "folder": task.folder, "root": task.root}
        with self._worker(task.label or task.name) as worker:
            yield RemoteParsing(Exchange(worker), header, task.data, progress)

    @contextmanager
    def open_text(self, task: TextTask, embedder: PassageEmbedder) -> Iterator[TextSteps]:
        """Have a text go through its stages. `embedder` counts its tokens. Leaving early ends the process."""
        with self._worker(task.label) as worker:
            yield RemoteText(Exchange(worker), task, embedder)

    def render_page(self, data: bytes, name: str, page: int, width: int, highlights: Sequence[Sequence[float]]) -> bytes:
        """A page of a PDF as PNG, `width` pixels wide, with rectangles marked. Raises `ParseFailed`."""
        with self._worker(name) as worker:
            header = {"op": "render", "name": name, "page": page, "width": width, "highlights": [list(box) for box in highlights]}
            exchange = Exchange(worker)
            exchange.send(header, [data])
            _, blobs = exchange.receive("image")
            exchange.finish()
            return blobs[0]

    def page_texts(self, data: bytes, name: str, first: int, count: int) -> list[bytes]:
        """The lines of up to `count` pages of a PDF from `first` on, as JSON (see `read_page_texts`). Raises `ParseFailed`."""
        with self._worker(name) as worker:
            exchange = Exchange(worker)
            exchange.send({"op": "page_texts", "name": name, "first": first, "count": count}, [data])
            _, blobs = exchange.receive("page_texts")
            exchange.finish()
            return blobs

    def look(self, task: LookTask) -> Look:
        """Have a picture looked at. Raises `ParseFailed` or one of its kinds."""
        with self._worker(task.name, looks=True) as worker:
            exchange = Exchange(worker)
            exchange.send(*task.packed())
            header, blobs = exchange.receive("look")
            exchange.finish()
            return Look.unpacked(header, blobs)

    def close(self) -> None:
        """End every process."""
        self._closed.set()
        with self._lock:
            idle, self._idle = self._idle, []
            for worker in self._busy:
                worker.end(ServiceUnavailable)
        for worker in idle:
            worker.close()
        if self._watcher:
            self._watcher.join()

    def end_busy(self, name: str | None = None) -> None:
        """End the processes that are reading now, or what is called `name` alone."""
        with self._lock:
            for worker in self._busy:
                if name in (None, worker.name):
                    worker.end(ServiceUnavailable)

    @contextmanager
    def _worker(self, name: str, *, looks: bool = False) -> Iterator[Worker]:
        self._free.acquire()
        try:
            worker = self._take(name, looks=looks)
            try:
                yield worker
            finally:
                self._give_back(worker)
        finally:
            self._free.release()

    def _take(self, name: str, *, looks: bool) -> Worker:
        with self._lock:
            if self._closed.is_set():
                raise ServiceUnavailable("The daemon is stopping.")
            worker = next((worker for worker in reversed(self._idle) if worker.looks == looks), None)
            if worker is not None:
                self._idle.remove(worker)
            else:
                if self._idle and len(self._idle) + len(self._busy) >= self.size:
                    self._idle.pop(0).close()
                try:
                    worker = Worker(self._options, looks=looks)
                except OSError as error:
                    raise ServiceUnavailable(f"No process to read files could be started: {error.strerror}.") from error
            worker.name, worker.deadline = name, time.monotonic() + self._timeout_s
            self._busy.add(worker)
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, name="rag-workers", daemon=True)
                self._watcher.start()
            return worker

    def _give_back(self, worker: Worker) -> None:
        worker.tasks += 1
        with self._lock:
            self._busy.discard(worker)
            # `name` is cleared by an exchange that came to its end; else there may be half an answer in the pipe. A worker may be
            # ended at the very moment in which it has answered.
            is_fit = worker.name == "" and worker.ended_for is None and not self._is_worn(worker)
            if is_fit and not self._closed.is_set():
                worker.deadline, worker.idle_since = float("inf"), time.monotonic()
                self._idle.append(worker)
                return
        worker.close()

    def _is_worn(self, worker: Worker) -> bool:
        return worker.tasks % _LOOK_AFTER == 0 and worker.used_memory() > self._options.memory // 2

    def _watch(self) -> None:
        """End what takes too long or too much, and what has had nothing to do for a while."""
        while not self._closed.wait(_WATCH_EVERY_S):
            now = time.monotonic()
            with self._lock:
                for worker in self._busy:
                    if now > worker.deadline:
                        worker.end(ParseTimeout)
                    elif worker.used_memory() > self._options.memory:
                        worker.end(ParseOutOfMemory)
                unused = [worker for worker in self._idle if now - worker.idle_since > IDLE_S]
                self._idle = [worker for worker in self._idle if worker not in unused]
            for worker in unused:
                worker.close()
