"""One process that reads files, seen from the daemon, and the exchange with it about one file."""

from __future__ import annotations

import contextlib
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, Any, Final

import psutil

from ragd.core.errors import PARSE_FAILURES, ParseFailed, ParseOutOfMemory, ParseTimeout, RagError, ServiceUnavailable
from ragd.ingest.workers.ipc import read_frame, write_frame
from ragd.ingest.workers.process import WorkerOptions

log = logging.getLogger(__name__)

_END_S: Final = 2.0

if sys.platform == "win32":
    _CREATION_FLAGS: Final = subprocess.CREATE_NEW_PROCESS_GROUP
else:
    _CREATION_FLAGS: Final = 0


class Worker:
    """A process, which file it reads, and until when it may. `looks`: it is for looking at pictures."""

    def __init__(self, options: WorkerOptions, *, looks: bool = False) -> None:
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
        self._process_info = psutil.Process(self.process.pid)
        self.looks = looks
        self.tasks = 0
        self.name = ""
        self.deadline = float("inf")
        self.idle_since = time.monotonic()
        self.ended_for: type[RagError] | None = None

    def end(self, reason: type[RagError] | None = None) -> None:
        """Kill it; the first reason that was given is the one that counts."""
        self.ended_for = self.ended_for or reason
        self.process.kill()

    def close(self) -> None:
        """Kill it and let go of its pipes."""
        self.process.kill()
        self.process.wait(_END_S)
        for stream in (self.process.stdin, self.process.stdout, self.errors):
            if stream:
                with contextlib.suppress(OSError):  # what was still to be sent has nowhere to go
                    stream.close()

    def used_memory(self) -> int:
        """Bytes that it holds now."""
        try:
            return int(self._process_info.memory_info().rss)
        except psutil.Error:  # it has ended, which whoever reads from it is about to see
            return 0

    def last_words(self) -> str:
        """The end of what it wrote to its standard error."""
        self.errors.seek(0, os.SEEK_END)
        self.errors.seek(max(0, self.errors.tell() - 2000))
        return self.errors.read().decode("utf-8", "replace").strip()


def _environment() -> dict[str, str]:
    """What a worker needs to know. Not our token, nor anything else that may be a secret."""
    secret = ("TOKEN", "SECRET", "PASSWORD", "KEY", "CREDENTIAL")
    kept = {name: value for name, value in os.environ.items() if not any(word in name.upper() for word in secret)}
    paths = [path for path in sys.path if path]
    return kept | {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}


class Exchange:
    """One request and its answers. Whatever breaks it is turned into what happened to the file."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._name = worker.name

    def send(self, header: Mapping[str, Any], blobs: Sequence[bytes] = ()) -> None:
        """Send a frame."""
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

    @contextmanager
    def paused(self) -> Iterator[None]:
        """While the daemon does something for the file the file's time stands still."""
        left, self._worker.deadline = self._worker.deadline - time.monotonic(), float("inf")
        yield
        self._worker.deadline = time.monotonic() + left

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
