"""The processes that read files, seen from the daemon: started when needed, watched, ended when a file takes too much."""

from __future__ import annotations

import contextlib
import logging
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, Final, Protocol

import psutil

from ragd.core.documents import Document
from ragd.core.errors import PARSE_FAILURES, ParseFailed, ParseOutOfMemory, ParseTimeout, RagError, ServiceUnavailable
from ragd.ingest.workers.ipc import KnownAssets, Normalized, pack_known, read_frame, unpack_document, write_frame
from ragd.ingest.workers.process import WorkerOptions

log = logging.getLogger(__name__)

# A worker is replaced after so many files: some libraries leak.
_FILES_OF_A_WORKER = 500
IDLE_S = 20.0
_WATCH_EVERY_S = 0.1
_END_S = 2.0


if sys.platform == "win32":
    _CREATION_FLAGS: Final = subprocess.CREATE_NEW_PROCESS_GROUP
else:
    _CREATION_FLAGS: Final = 0


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


class Parser(Protocol):
    """Reads files. Safe to use from several threads."""

    size: int
    """How many files it reads at a time."""

    def open(self, task: ParseTask, progress: Callable[[int, int], None]) -> contextlib.AbstractContextManager[_Parsing]: ...

    def end_busy(self) -> None:
        """Stop reading what is being read: nobody waits for it."""
        ...


class _Worker:
    def __init__(self, options: WorkerOptions) -> None:
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process that writes to it
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ragd.ingest.workers.process", options.encoded()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env=_environment(),
            # Ctrl-C in a terminal is for the daemon alone, which brings its work to a safe point first.
            start_new_session=sys.platform != "win32",
            creationflags=_CREATION_FLAGS,
        )
        self.memory = psutil.Process(self.process.pid)
        self.files = 0
        self.name = ""
        self.deadline = float("inf")
        self.idle_since = time.monotonic()
        self.ended_for: type[RagError] | None = None

    def end(self, reason: type[RagError] | None = None) -> None:
        self.ended_for = self.ended_for or reason
        self.process.kill()

    def close(self) -> None:
        self.process.kill()
        self.process.wait(_END_S)
        for stream in (self.process.stdin, self.process.stdout, self.errors):
            if stream:
                with contextlib.suppress(OSError):  # what was still to be sent has nowhere to go
                    stream.close()

    def last_words(self) -> str:
        self.errors.seek(0, os.SEEK_END)
        self.errors.seek(max(0, self.errors.tell() - 2000))
        return self.errors.read().decode("utf-8", "replace").strip()


def _environment() -> dict[str, str]:
    """What a worker needs to know. Not our token, nor anything else that may be a secret."""
    secret = ("TOKEN", "SECRET", "PASSWORD", "KEY", "CREDENTIAL")
    kept = {name: value for name, value in os.environ.items() if not any(word in name.upper() for word in secret)}
    paths = [path for path in sys.path if path]
    return kept | {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}


class WorkerPool:
    """At most `size` processes. `timeout_s` and `options.memory` (bytes) bound what one file may take."""

    def __init__(self, size: int, timeout_s: float, options: WorkerOptions) -> None:
        self.size = size
        self._timeout_s = timeout_s
        self._options = options
        self._free = threading.Semaphore(size)
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._watcher: threading.Thread | None = None
        self._closed = threading.Event()

    @contextmanager
    def open(self, task: ParseTask, progress: Callable[[int, int], None]) -> Iterator[_Parsing]:
        """Have a file read. Leaving early ends the process that reads it."""
        header = {"op": "parse", "loader": task.loader, "name": task.name, "folder": task.folder, "root": task.root}
        with self._worker(task.label or task.name) as worker:
            yield _RemoteParsing(worker, header, task.data, progress)

    def render_page(self, data: bytes, name: str, page: int, width: int, highlights: Sequence[Sequence[float]]) -> bytes:
        """A page of a PDF as PNG, `width` pixels wide, with rectangles marked. Raises `ParseFailed`."""
        with self._worker(name) as worker:
            header = {"op": "render", "name": name, "page": page, "width": width, "highlights": [list(box) for box in highlights]}
            exchange = _Exchange(worker)
            exchange.send(header, [data])
            _, blobs = exchange.receive("image")
            exchange.finish()
            return blobs[0]

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

    def end_busy(self) -> None:
        """End the processes that are reading now."""
        with self._lock:
            for worker in self._busy:
                worker.end(ServiceUnavailable)

    @contextmanager
    def _worker(self, name: str) -> Iterator[_Worker]:
        self._free.acquire()
        try:
            worker = self._take(name)
            try:
                yield worker
            finally:
                self._give_back(worker)
        finally:
            self._free.release()

    def _take(self, name: str) -> _Worker:
        with self._lock:
            if self._closed.is_set():
                raise ServiceUnavailable("The daemon is stopping.")
            worker = self._idle.pop() if self._idle else None
            if worker is None:
                try:
                    worker = _Worker(self._options)
                except OSError as error:
                    raise ServiceUnavailable(f"No process to read files could be started: {error.strerror}.") from error
            worker.name, worker.deadline = name, time.monotonic() + self._timeout_s
            self._busy.add(worker)
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, name="rag-workers", daemon=True)
                self._watcher.start()
            return worker

    def _give_back(self, worker: _Worker) -> None:
        worker.files += 1
        with self._lock:
            self._busy.discard(worker)
            # `name` is cleared by an exchange that came to its end; else there may be half an answer in the pipe. A worker may be
            # ended at the very moment in which it has answered.
            is_fit = worker.name == "" and worker.ended_for is None
            if is_fit and worker.files < _FILES_OF_A_WORKER and not self._closed.is_set():
                worker.deadline, worker.idle_since = float("inf"), time.monotonic()
                self._idle.append(worker)
                return
        worker.close()

    def _watch(self) -> None:
        """End what takes too long or too much, and what has had nothing to do for a while."""
        while not self._closed.wait(_WATCH_EVERY_S):
            now = time.monotonic()
            with self._lock:
                for worker in self._busy:
                    if now > worker.deadline:
                        worker.end(ParseTimeout)
                    elif _memory(worker) > self._options.memory:
                        worker.end(ParseOutOfMemory)
                unused = [worker for worker in self._idle if now - worker.idle_since > IDLE_S]
                self._idle = [worker for worker in self._idle if worker not in unused]
            for worker in unused:
                worker.close()


def _memory(worker: _Worker) -> int:
    try:
        return int(worker.memory.memory_info().rss)
    except psutil.Error:  # it has ended, which whoever reads from it is about to see
        return 0


class _Exchange:
    """One request and its answers. Whatever breaks it is turned into what happened to the file."""

    def __init__(self, worker: _Worker) -> None:
        self._worker = worker
        self._name = worker.name

    def send(self, header: Mapping[str, Any], blobs: Sequence[bytes] = ()) -> None:
        assert self._worker.process.stdin
        try:
            write_frame(self._worker.process.stdin, header, blobs)
        except OSError as error:
            raise self._ended() from error

    def receive(self, *kinds: str) -> tuple[dict[str, Any], list[bytes]]:
        """The next answer, which is of one of `kinds`. Raises what the worker reports."""
        assert self._worker.process.stdout
        try:
            frame = read_frame(self._worker.process.stdout)
        except (EOFError, ValueError, OSError) as error:
            raise self._ended() from error
        if frame is None:
            raise self._ended()
        header, blobs = frame
        if header["kind"] == "failed":
            self.finish()
            if header["details"]:
                log.error("document not ingested", extra={"document": self._name, "details": header["details"]})
            raise PARSE_FAILURES.get(header["code"], ParseFailed)(header["message"])
        if header["kind"] not in kinds:
            raise ParseFailed(f"Reading '{self._name}' went wrong: the reading process gave '{header['kind']}' out of turn.")
        return header, blobs

    def finish(self) -> None:
        """The last answer has come: the worker may be used again."""
        self._worker.name = ""

    def _ended(self) -> RagError:
        worker = self._worker
        worker.end()
        status = worker.process.wait(_END_S)
        if worker.ended_for is ParseTimeout:
            return ParseTimeout(
                f"Reading '{self._name}' took too long and was stopped. Split the file, or raise ingest.timeout_s."
            )
        if worker.ended_for is ParseOutOfMemory:
            return ParseOutOfMemory(
                f"Reading '{self._name}' took more memory than one file may use. Split the file, or raise ingest.memory_mb."
            )
        if worker.ended_for is ServiceUnavailable:
            return ServiceUnavailable(f"Reading '{self._name}' was stopped.")
        log.error("reading process ended", extra={"document": self._name, "status": status, "details": worker.last_words()})
        return ParseFailed(
            f"The process that was reading '{self._name}' ended unexpectedly (status {status}); the log has the details."
        )


class _RemoteParsing:
    def __init__(self, worker: _Worker, header: Mapping[str, Any], data: bytes, progress: Callable[[int, int], None]) -> None:
        self._exchange = _Exchange(worker)
        self._header = header
        self._data = data
        self._progress = progress

    def document(self) -> Document:
        self._exchange.send(self._header, [self._data])
        while True:
            header, blobs = self._exchange.receive("progress", "document")
            if header["kind"] == "document":
                return unpack_document(header, blobs)
            self._progress(header["done"], header["total"])

    def pictures(self, known: KnownAssets) -> Normalized:
        while True:
            header, blobs = self._exchange.receive("known", "progress", "assets")
            if header["kind"] == "known":
                self._exchange.send({"known": pack_known(known(header["asset_ids"]).values())})
            elif header["kind"] == "progress":
                self._progress(header["done"], header["total"])
            else:
                self._exchange.finish()
                return Normalized() if header.get("none") else Normalized.unpacked(header, blobs)
