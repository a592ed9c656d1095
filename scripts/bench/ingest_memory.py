#!/usr/bin/env python3
"""The most memory that the daemon and its reading processes take while they ingest mixed files, and how fast that goes.

    .venv/bin/python scripts/bench/ingest_memory.py --megabytes 1000

Makes that many megabytes of PDF (scanned and text), PowerPoint, Word, photos, Excel, Markdown and code, and has a daemon of its
own ingest them with the indexes of the default settings (usearch and tantivy). Vectors are made by the fake embedder, and text
recognition begins no further picture of a document after 2 seconds (--ocr-budget): both are measured elsewhere. Memory is
resident memory, looked at every 0.2 seconds. The folder for temporary files needs three times as much room as the files.

With `--captions rules` the pictures are described next, and a fifth as many files are read after that: what describing leaves in
the processes that read shows beside a run with `--captions none` of the same seed.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import psutil
from ingest_query import ingest, start_daemon
from mixed_files import MEGABYTE, write_bytes

EVERY_S = 0.2
SAMPLES_TOLD = 600


class Watch:
    """Looks at the memory of a daemon and its processes until it is left; each phase has its own peaks."""

    def __init__(self, daemon: psutil.Process) -> None:
        self._daemon = daemon
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.peaks = Peaks()

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def phase(self) -> Peaks:
        """The peaks from now on."""
        self.peaks = Peaks()
        return self.peaks

    def _run(self) -> None:
        while not self._done.wait(EVERY_S):
            peaks = self.peaks
            peaks.look(self._daemon)
            if len(peaks.samples) % SAMPLES_TOLD == 0:
                print(f"  so far: {peaks.told()}", flush=True)


@dataclass(slots=True)
class Peaks:
    """The most bytes that were in use: by the daemon, by any one process that reads, by all of them together."""

    daemon: int = 0
    reader: int = 0
    together: int = 0
    readers: int = 0
    samples: list[int] = field(default_factory=list)

    def look(self, daemon: psutil.Process) -> None:
        own = daemon.memory_info().rss
        reading = []
        for child in daemon.children(recursive=True):
            try:
                reading.append(child.memory_info().rss)
            except psutil.Error:  # it has just ended
                continue
        self.daemon = max(self.daemon, own)
        self.reader = max([self.reader, *reading])
        self.readers = max(self.readers, len(reading))
        self.together = max(self.together, own + sum(reading))
        self.samples.append(own)

    def told(self) -> str:
        daemon, reader, together = (value // MEGABYTE for value in (self.daemon, self.reader, self.together))
        return f"daemon {daemon} MB, one reading process (of {self.readers}) {reader} MB, all together {together} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--ocr-budget", type=int, default=2, help="seconds of text recognition for each document; 0: none")
    parser.add_argument("--captions", choices=("none", "rules"), default="none", help="what describes the pictures afterwards")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    cores, memory = os.cpu_count(), psutil.virtual_memory().total
    print(f"machine: {cores} cores, {memory / 2**30:.0f} GiB")
    with tempfile.TemporaryDirectory(prefix="rag-bench-") as root:
        free = shutil.disk_usage(root).free
        if free < 3 * options.megabytes * MEGABYTE:
            sys.exit(f"{root} has {free // MEGABYTE:,} MB of room; {3 * options.megabytes:,} MB are needed.")
        os.environ["RAG_EMBEDDING__PROVIDER"] = "fake"
        os.environ["RAG_OCR__BUDGET_S"] = str(options.ocr_budget)
        os.environ["RAG_CAPTIONS__PROVIDER"] = options.captions
        if not options.ocr_budget:
            os.environ["RAG_OCR__PROVIDER"] = "none"
        os.environ["RAG_DATA_DIR"] = str(Path(root) / "data")
        run(Path(root), options.megabytes, random.Random(options.seed))


def run(root: Path, megabytes: int, rng: random.Random) -> None:
    start = time.perf_counter()
    written = write_bytes(root / "documents", megabytes * MEGABYTE, rng)
    files, size = sum(count for count, _ in written.values()), sum(size for _, size in written.values()) / MEGABYTE
    for name, (count, of_kind) in written.items():
        print(f"  {name}: {count} files, {of_kind / MEGABYTE:.0f} MB")
    print(f"{files} files, {size:.0f} MB, made in {time.perf_counter() - start:.0f} s", flush=True)
    again = root / "again"
    write_bytes(again, megabytes * MEGABYTE // 5, rng)
    process, info = start_daemon(root / "data")
    daemon = psutil.Process(process.pid)
    try:
        print(f"daemon at its start: {daemon.memory_info().rss / MEGABYTE:.0f} MB", flush=True)
        token = {"Authorization": f"Bearer {info['token']}"}
        with (
            httpx2.Client(base_url=info["url"], headers=token, timeout=120, trust_env=False) as client,
            Watch(daemon) as watch,
        ):
            start, peaks = time.perf_counter(), watch.phase()
            job = ingest(client, root / "documents")
            seconds, left = time.perf_counter() - start, daemon.memory_info().rss
            describing = watch.phase()
            told = described(client)
            after = watch.phase()
            ingest(client, again)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    report(job["result"], job["status"], peaks, seconds, files, size)
    print(f"daemon at the end: {left / MEGABYTE:.0f} MB")
    if told:
        print(f"{told}\npeaks while pictures are described: {describing.told()}")
    print(f"peaks while more is read after that: {after.told()}")


def described(client: httpx2.Client) -> str:
    """Wait until the pictures are described, and say how many were and how long that took; "" where nothing describes them."""
    if os.environ["RAG_CAPTIONS__PROVIDER"] == "none":
        return ""
    start = time.perf_counter()
    # The job of the second pass is queued behind the reading, and again for what it left to others.
    while client.get("/api/assets", params={"state": "missing", "page_size": 1}).raise_for_status().json()["total"]:
        time.sleep(1)
    total = client.get("/api/assets", params={"page_size": 1}).raise_for_status().json()["total"]
    return f"{total} pictures described in {time.perf_counter() - start:.0f} s"


def report(result: dict[str, object], status: str, peaks: Peaks, seconds: float, files: int, size: float) -> None:
    failed = result["failed"]
    assert isinstance(failed, list)
    print(f"{status}: {result['added']} added, {len(failed)} failed, {result['chunks']} chunks in {seconds:.0f} s")
    for failure in failed[:10]:
        print(f"  {failure['source']}: {failure['code']}: {failure['message']}")
    print(f"{files / seconds:.1f} files/s, {size / seconds:.1f} MB/s")
    quarters = [max(part) for part in _quarters(peaks.samples)]
    print(f"peaks while they are read: {peaks.told()}")
    print(f"peak of the daemon in each quarter of the time: {', '.join(str(value // MEGABYTE) for value in quarters)} MB")


def _quarters(samples: list[int]) -> list[list[int]]:
    """In order; a daemon that leaks grows from one to the next."""
    size = -(-len(samples) // 4)
    return [samples[start : start + size] for start in range(0, len(samples), size)]


if __name__ == "__main__":
    main()
