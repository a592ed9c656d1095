#!/usr/bin/env python3
"""A steady load on a daemon for minutes: latency and refusals of each kind of request, and memory, minute by minute.

    .venv/bin/python scripts/bench/mixed_load.py --minutes 30 --mixed 20
    .venv/bin/python scripts/bench/mixed_load.py --minutes 5 --queries 25 --bar-ms 300
    .venv/bin/python scripts/bench/mixed_load.py --minutes 5 --mixed 5 --hostile

`--mixed RATE`: of ten requests six queries, two answers in words, one look at the status and one at a page of documents, beside
an ingestion: `--files` documents are written anew whenever they have been ingested, so that the index does not grow. `--queries
RATE`: default queries alone, nothing else. In both a request comes when it is due, whether those before were answered or not, and
140 streams of events are read. `--hostile`: three files of 34 MB in all are ingested, too, in which no words are to be found:
lines of base64, one run of blanks, HTML of great depth.

Exit code 1: an answer other than 200 and 503, an answer in words that ended in an error, a stream that broke off, a job that
failed, memory of the daemon that grew (by more than a tenth and 50 MB from the second sixth of the time to the last); with
`--bar-ms` also a refusal, or a 95th percentile of queries above it. Memory is what the system has given, without mapped files.
"""

from __future__ import annotations

import argparse
import base64
import itertools
import os
import random
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import psutil
from _loaded_daemon import Daemon, Loaded, Measured, Texts, loaded_daemon

Work = Callable[[threading.Event], "dict[str, Any] | None"]
"""Does something once; None when the event came before it was done."""

MIX = ("query",) * 6 + ("chat",) * 2 + ("status", "documents")
STREAMS = 140
MOST_AT_ONCE = 600
LOOK_EVERY_S = 2.0
MEGABYTE = 2**20
GROWTH, GROWTH_MB = 1.1, 50


@dataclass
class Seen:
    """What became of the requests of one minute, or of all."""

    kinds: dict[str, Measured] = field(default_factory=lambda: {kind: Measured() for kind in dict.fromkeys(MIX)})
    refused: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)

    def line(self) -> str:
        parts = [
            f"{kind} {measured.percentile(0.5):.0f}/{measured.percentile(0.95):.0f}/{measured.percentile(1):.0f} ms n={count}"
            f" refused {self.refused[kind]}"
            for kind, measured in self.kinds.items()
            if (count := len(measured.seconds)) or self.refused[kind]
        ]
        scored = statistics.fmean(self.kinds["query"].scored or [0])
        return "; ".join([*parts, f"reranked passages a query {scored:.1f}", f"errors {len(self.errors)}"])


@dataclass
class Load:
    """Requests to one daemon, and what was seen of them; `minutes` has one entry a minute. Safe to use from several threads."""

    client: httpx2.Client
    minutes: list[Seen] = field(default_factory=lambda: [Seen()])
    lock: threading.Lock = field(default_factory=threading.Lock)

    def one(self, kind: str, question: str) -> None:
        started = time.perf_counter()
        error = ""
        try:
            if kind in ("query", "chat"):
                answer = self.client.post(f"/api/{kind}", json={"query": question})
            else:
                answer = self.client.get(f"/api/{kind}")
        except httpx2.TransportError as failure:
            self.fail(f"{kind}: {failure!r}")
            return
        took = time.perf_counter() - started
        if answer.status_code not in (200, 503) or (kind == "chat" and answer.is_success and "event: done" not in answer.text):
            error = f"{kind}: {answer.status_code} {answer.text[-300:]}"
        with self.lock:
            seen = self.minutes[-1]
            if error:
                seen.errors.append(error)
            elif answer.status_code == 503:
                seen.refused[kind] += 1
            else:
                seen.kinds[kind].seconds.append(took)
                if kind == "query":
                    seen.kinds[kind].scored.append(answer.json()["effective"].get("rerank_scored", 0))

    def fail(self, what: str) -> None:
        with self.lock:
            self.minutes[-1].errors.append(what)

    def whole(self) -> Seen:
        whole = Seen()
        for minute in self.minutes:
            for kind, measured in minute.kinds.items():
                whole.kinds[kind].seconds += measured.seconds
                whole.kinds[kind].scored += measured.scored
            whole.refused += minute.refused
            whole.errors += minute.errors
        return whole


@contextmanager
def streams(load: Load) -> Iterator[None]:
    """Streams of events that are open and read; one that ends before the others is an error."""
    closing = threading.Event()

    def read(answer: httpx2.Response) -> None:
        try:
            for _ in answer.iter_raw():
                pass
        except httpx2.HTTPError as error:
            reason = repr(error)
        else:
            reason = "ended"
        if not closing.is_set():
            load.fail(f"stream: {reason}")

    opened = [load.client.send(load.client.build_request("GET", "/api/events"), stream=True) for _ in range(STREAMS)]
    for answer in opened:
        if not answer.is_success:
            load.fail(f"stream: {answer.status_code}")
        threading.Thread(target=read, args=[answer], daemon=True).start()
    print(f"streams of events: {sum(answer.is_success for answer in opened)} of {STREAMS} open", flush=True)
    yield
    closing.set()


@contextmanager
def beside(load: Load, what: str, work: Work) -> Iterator[None]:
    """`work` again and again in a thread, until the load is over; how often it was done is printed."""
    done, count = threading.Event(), itertools.count(1)
    last = 0

    def run() -> None:
        nonlocal last
        while not done.is_set():
            try:
                job = work(done)
            except httpx2.HTTPError as error:
                load.fail(f"{what}: {error!r}")
                done.wait(1)
                continue
            if job is not None and job["status"] != "completed":
                load.fail(f"{what}: {job['status']} {job.get('error')}")
            if job is not None:
                last = next(count)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join(60)
        print(f"{what}: done {last} times")


def ingestion(daemon: Daemon, texts: Texts, folder: Path, files: int) -> Work:
    def once(done: threading.Event) -> dict[str, Any] | None:
        folder.mkdir(exist_ok=True)
        for number in range(files):
            texts.write(folder, f"mixed{number}", 4)
        return finished(daemon, folder, done)

    return once


def hostile(daemon: Daemon, folder: Path) -> Work:
    def once(done: threading.Event) -> dict[str, Any] | None:
        folder.mkdir(exist_ok=True)
        rows = base64.encodebytes(random.randbytes(24 * MEGABYTE))
        (folder / "mail.txt").write_bytes(rows)
        (folder / "blanks.txt").write_text("begin" + " " * MEGABYTE + "end\n", encoding="utf-8")
        (folder / "deep.html").write_text("<div>" * 100_000 + "text" + "</div>" * 100_000, encoding="utf-8")
        started = time.perf_counter()
        job = finished(daemon, folder, done)
        if job is not None:
            print(f"  hostile files: {time.perf_counter() - started:.0f} s, {job['result']}"[:400], flush=True)
            done.wait()
        return job

    return once


def finished(daemon: Daemon, folder: Path, done: threading.Event) -> dict[str, Any] | None:
    """The job once it has ended; None when the load is over before."""
    look = daemon.ingest(folder)
    while (job := look()) is None:
        if done.wait(0.5):
            return None
    return job


class Memory:
    """Megabytes of the daemon and of all its processes, and the highest of each, looked at every few seconds."""

    def __init__(self, process: int) -> None:
        self.daemon: list[float] = []
        self.children: list[float] = []
        self._process = psutil.Process(process)
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def look(self) -> tuple[float, float, int]:
        """Of the daemon, of its children together, and how many these are."""
        children = []
        for child in self._process.children(recursive=True):
            try:
                children.append(_own_memory(child))
            except psutil.Error:  # it has just ended
                continue
        return _own_memory(self._process), sum(children), len(children)

    def close(self) -> None:
        self._done.set()
        self._thread.join()

    def growth(self) -> tuple[float, float]:
        """Of the daemon: the median of the second sixth of the time, and that of the last."""
        sixth = max(1, len(self.daemon) // 6)
        return statistics.median(self.daemon[sixth : 2 * sixth] or self.daemon), statistics.median(self.daemon[-sixth:])

    def _watch(self) -> None:
        while not self._done.wait(LOOK_EVERY_S):
            daemon, children, _ = self.look()
            self.daemon.append(daemon)
            self.children.append(children)


def _own_memory(process: psutil.Process) -> float:
    info = process.memory_info()
    return (info.rss - getattr(info, "shared", 0)) / MEGABYTE


def offer(load: Load, texts: Texts, memory: Memory, kinds: Sequence[str], rate: int, seconds: float) -> None:
    """An open load: a request comes when it is due, however long those before it take."""
    rng = random.Random(3)
    started = time.perf_counter()
    with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
        for number in range(round(seconds * rate)):
            due = number / rate
            time.sleep(max(0.0, started + due - time.perf_counter()))
            if due // 60 + 1 > len(load.minutes):
                _report(load, memory)
                with load.lock:
                    load.minutes.append(Seen())
            pool.submit(load.one, rng.choice(kinds), texts.question())
    _report(load, memory)


def _report(load: Load, memory: Memory) -> None:
    daemon, children, count = memory.look()
    with load.lock:
        print(f"minute {len(load.minutes):2}: {load.minutes[-1].line()}")
    print(f"           daemon {daemon:.0f} MB, {count} processes {children:.0f} MB, load {os.getloadavg()[0]:.1f}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5)
    rates = parser.add_mutually_exclusive_group(required=True)
    rates.add_argument("--mixed", type=int, metavar="RATE", help="mixed requests a second, beside an ingestion")
    rates.add_argument("--queries", type=int, metavar="RATE", help="queries a second, and nothing else")
    parser.add_argument("--chunks", type=int, default=3000)
    parser.add_argument("--files", type=int, default=300, help="documents that are ingested again and again beside a mixed load")
    parser.add_argument("--hostile", action="store_true", help="ingest 34 MB without any words, too")
    parser.add_argument("--bar-ms", type=float, help="the 95th percentile that queries may have; nothing may be refused then")
    options = parser.parse_args()
    with loaded_daemon(options.chunks) as loaded:
        return run(loaded, options)


def run(loaded: Loaded, options: argparse.Namespace) -> int:
    daemon, texts, root, _, _ = loaded
    # The daemon closes a connection that is idle for 5 seconds, perhaps just when it would be used again.
    unbounded = httpx2.Limits(max_connections=None, keepalive_expiry=1.0)
    client = httpx2.Client(base_url=daemon.client.base_url, headers=daemon.client.headers, timeout=180, limits=unbounded)
    load, memory = Load(client), Memory(daemon.process.pid)
    before = memory.look()[0]
    kinds, rate = (MIX, options.mixed) if options.mixed else (("query",), options.queries)
    with ExitStack() as opened:
        opened.enter_context(streams(load))
        if options.mixed and options.files:
            opened.enter_context(beside(load, "ingestion", ingestion(daemon, texts, root / "mixed", options.files)))
        if options.hostile:
            opened.enter_context(beside(load, "hostile files", hostile(daemon, root / "hostile")))
        offer(load, texts, memory, kinds, rate, options.minutes * 60)
    memory.close()
    return verdict(load.whole(), memory, before, options.bar_ms)


def verdict(whole: Seen, memory: Memory, before: float, bar_ms: float | None) -> int:
    early, late = memory.growth()
    print(f"all: {whole.line()}")
    print(
        f"memory of the daemon: {before:.0f} MB before, {early:.0f} MB in the second sixth, {late:.0f} MB in the last, "
        f"{max(memory.daemon):.0f} MB at most; of its processes {max(memory.children):.0f} MB at most"
    )
    wrong = [f"{count} x {error}" for error, count in Counter(whole.errors).most_common(10)]
    if late > GROWTH * early and late > early + GROWTH_MB:
        wrong.append("The memory of the daemon grew.")
    if bar_ms is not None and whole.refused:
        wrong.append(f"Refused: {dict(whole.refused)}")
    if bar_ms is not None and not whole.kinds["query"].percentile(0.95) <= bar_ms:
        wrong.append(f"The 95th percentile of queries is {whole.kinds['query'].percentile(0.95):.0f} ms.")
    print("\n".join(["FAILED", *wrong]) if wrong else "held")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
