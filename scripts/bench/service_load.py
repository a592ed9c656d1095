#!/usr/bin/env python3
"""A steady load on the service with PostgreSQL, which is restarted meanwhile, and whose daemon is killed: what is lost.

    .venv/bin/python scripts/bench/service_load.py --chunks 50000 --minutes 10

Makes a PostgreSQL (of the tests' package, with fsync) and a daemon with its indexes there, ingests `--chunks` chunks, whose
vectors are made as in query_scale.py, and asks for a minute with nothing beside. Then nine of ten requests are searches (`POST
/search`, five passages), one is an upload of a new document, at `--rate` a second: a request comes when it is due, whether those
before were answered or not. A load generator whose users wait for their answers would ask less of a slow service, and so report
less of its slowness. At 40 % of the time PostgreSQL is stopped for five seconds, at 70 % the daemon is killed with SIGKILL and
started again.

Exit code 1: an upload that was acknowledged is not there in the end, an answer other than the expected one, or more than one
request of a hundred failed outside of the two outages, which last from the fault until a second of requests has gone well.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import psutil
from _scale_corpus import Corpus
from ingest_query import ingest, start_daemon
from query_scale import machine, settle

from ragd.cli import cli
from ragd.providers.registry import TABLE

if TYPE_CHECKING:
    from tests.postgres_server.server import PostgresServer

MOST_AT_ONCE = 400
DOWN_S = 5.0
UPLOADS_OF_TEN = 1
QUIET_S = 1.0


@dataclass(frozen=True, slots=True)
class Request:
    """One request: when it was due and how long it took from then, in seconds; `status` is 0 without an answer."""

    kind: str
    due: float
    took: float
    status: int


@dataclass
class Load:
    """Requests to the service, and what became of them. Safe to use from several threads."""

    client: httpx2.Client
    kb_id: str
    started: float = field(default_factory=time.perf_counter)
    seen: list[Request] = field(default_factory=list)
    uploaded: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def search(self, due: float, question: str) -> None:
        body = {"query": question, "knowledge_base_id": self.kb_id, "top_k": 5}
        self._done("search", due, self._answer(lambda: self.client.post("/search", json=body)), 200)

    def upload(self, due: float, name: str, text: str) -> None:
        path = f"/knowledge_bases/{self.kb_id}/documents"
        answer = self._answer(lambda: self.client.post(path, files={"file": (name, text.encode())}))
        if self._done("upload", due, answer, 202) and answer is not None:
            with self.lock:
                self.uploaded.append(answer.json()["document_id"])

    @staticmethod
    def _answer(ask: Callable[[], httpx2.Response]) -> httpx2.Response | None:
        try:
            return ask()
        except httpx2.TransportError:
            return None

    def _done(self, kind: str, due: float, answer: httpx2.Response | None, expected: int) -> bool:
        status = 0 if answer is None else answer.status_code
        with self.lock:
            self.seen.append(Request(kind, due, time.perf_counter() - self.started - due, status))
        return status == expected


def percentile(requests: list[Request], share: float) -> float:
    """In milliseconds."""
    ordered = sorted(request.took for request in requests)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000 if ordered else float("nan")


def line(requests: list[Request]) -> str:
    parts = []
    for kind in ("search", "upload"):
        good = [request for request in requests if request.kind == kind and request.status in (200, 202)]
        parts.append(
            f"{kind} p50 {percentile(good, 0.5):.0f} p95 {percentile(good, 0.95):.0f} p99 {percentile(good, 0.99):.0f} ms"
            f" n={len(good)}"
        )
    wrong = Counter(request.status for request in requests if request.status not in (200, 202))
    return "; ".join([*parts, f"others {dict(wrong)}"])


def offer(
    load: Load, corpus: Corpus, rate: float, seconds: float, *, uploads: bool, faults: list[tuple[float, Callable[[], None]]]
) -> None:
    """An open load of so many seconds; each fault begins at its time."""
    rng = random.Random(5)
    questions = corpus.questions(round(seconds * rate))
    waiting = sorted(faults, key=lambda fault: fault[0])
    with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
        for number, question in enumerate(questions):
            due = number / rate
            time.sleep(max(0.0, load.started + due - time.perf_counter()))
            while waiting and waiting[0][0] <= due:
                threading.Thread(target=waiting.pop(0)[1]).start()
            if uploads and rng.randrange(10) < UPLOADS_OF_TEN:
                name = f"upload-{number}.md"
                pool.submit(load.upload, due, name, f"# Upload {number}\n\n{question}\n\n{rng.choice(corpus.english)}\n")
            else:
                pool.submit(load.search, due, question)


class Service:
    """The daemon, at one address over its lives."""

    def __init__(self, root: Path, store: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        os.environ |= {"RAG_DATA_DIR": str(root / "data"), "RAG_STORE__URL": store, "RAG_TOKEN": "t" * 43}
        self._data = root / "data"
        self.start()

    def start(self) -> None:
        command = [sys.executable, __file__, "--serve", str(self.port)]
        self.process, info = start_daemon(self._data, command, subprocess.DEVNULL)
        self.token: str = info["token"]

    def memory(self) -> int:
        return psutil.Process(self.process.pid).memory_info().rss // 2**20


def outages(requests: list[Request], begins: list[float]) -> list[tuple[float, float]]:
    """From each fault until a second in which every request that was due went well."""
    found = []
    for begin in begins:
        bad = [request.due for request in requests if request.due >= begin - 2 and request.status not in (200, 202)]
        end = begin
        for due in sorted(bad):
            if due > end + QUIET_S + DOWN_S * (end == begin):
                break
            end = max(end, due)
        found.append((begin - 2, end + QUIET_S))
    return found


def run(options: argparse.Namespace, server: PostgresServer, root: Path) -> int:
    corpus = Corpus(options.chunks)
    corpus.write(root / "documents")
    service = Service(root, server.url(server.create()))
    try:
        limits = httpx2.Limits(max_connections=None, keepalive_expiry=1.0)
        token = {"Authorization": f"Bearer {service.token}"}
        url = f"http://127.0.0.1:{service.port}"
        with httpx2.Client(base_url=url, headers=token, timeout=60, trust_env=False, limits=limits) as client:
            begun = time.perf_counter()
            job = ingest(client, root / "documents")
            took = time.perf_counter() - begun
            print(
                f"ingestion: {job['status']}, {job['result']['chunks']} chunks in {took:.0f} s, {service.memory()} MB", flush=True
            )
            settle(client, psutil.Process(service.process.pid))
            return measure(options, server, service, client, corpus)
    finally:
        service.process.send_signal(signal.SIGTERM)
        service.process.wait(60)


def measure(options: argparse.Namespace, server: PostgresServer, service: Service, client: httpx2.Client, corpus: Corpus) -> int:
    kb_id = client.get("/knowledge_bases").raise_for_status().json()["items"][0]["id"]
    for question in corpus.questions(30):
        client.post("/search", json={"query": question, "knowledge_base_id": kb_id}).raise_for_status()
    idle = Load(client, kb_id)
    offer(idle, corpus, options.rate, 60, uploads=False, faults=[])
    print(f"alone:     {line(idle.seen)}", flush=True)
    seconds = options.minutes * 60
    load = Load(client, kb_id)

    def restart_database() -> None:
        server.stop()
        time.sleep(DOWN_S)
        server.start()
        print(f"  PostgreSQL is back at {time.perf_counter() - load.started:.0f} s", flush=True)

    def kill() -> None:
        service.process.kill()
        service.process.wait()
        begun = time.perf_counter()
        service.start()
        print(f"  the daemon was killed, and ready again after {time.perf_counter() - begun:.1f} s", flush=True)

    begins = [seconds * 0.4, seconds * 0.7]
    offer(load, corpus, options.rate, seconds, uploads=True, faults=[(begins[0], restart_database), (begins[1], kill)])
    for minute in range(round(options.minutes)):
        print(f"minute {minute + 1:2}: {line([one for one in load.seen if minute * 60 <= one.due < minute * 60 + 60])}")
    down = outages(load.seen, begins)
    print("outages: " + ", ".join(f"{begin:.0f} to {end:.0f} s" for begin, end in down))
    between = [one for one in load.seen if not any(begin <= one.due <= end for begin, end in down)]
    print(f"outside of them: {line(between)}")
    where(client)
    wrong = []
    failed = sum(one.status not in (200, 202) for one in between)
    if failed > len(between) / 100:
        wrong.append(f"{failed} of {len(between)} requests failed outside of the outages.")
    if odd := {one.status for one in load.seen} - {0, 200, 202, 503}:
        wrong.append(f"Answers with {sorted(odd)}.")
    wrong += lost(client, load.uploaded)
    print(f"memory: {service.memory()} MB")
    print("\n".join(["FAILED", *wrong]) if wrong else "held")
    return 1 if wrong else 0


def where(client: httpx2.Client) -> None:
    """Where the slowest hundredth of the last 2,000 queries spent its time."""
    pages = [
        client.get("/api/traces", params={"type": "query", "page": page, "page_size": 100}).json()["items"]
        for page in range(1, 21)
    ]
    traces = sorted((trace for page in pages for trace in page), key=lambda trace: -trace["latency_ms"])
    traces = traces[: max(1, len(traces) // 100)]
    slowest = [client.get(f"/api/traces/{trace['trace_id']}").json() for trace in traces]
    stages: Counter[str] = Counter()
    for trace in slowest:
        for span in trace["spans"]:
            stages[span["name"]] += span["end_ms"] - span["start_ms"]
    shares = ", ".join(f"{name} {total / len(slowest):.0f}" for name, total in stages.most_common(6))
    print(f"the slowest hundredth, {traces[-1]['latency_ms']} ms or more, ms by stage: {shares}")


def lost(client: httpx2.Client, uploaded: list[str]) -> list[str]:
    """What is wrong with the uploads that were acknowledged, once all are read."""
    begun = time.perf_counter()
    states: dict[str, str] = dict.fromkeys(uploaded, "processing")
    while waiting := [doc_id for doc_id, status in states.items() if status == "processing"]:
        for doc_id in waiting:
            answer = client.get(f"/documents/{doc_id}")
            states[doc_id] = answer.json()["status"] if answer.is_success else f"HTTP {answer.status_code}"
            if states[doc_id] == "processing":
                time.sleep(1)
                break
        if time.perf_counter() - begun > 900:
            break
    counted = Counter(states.values())
    print(f"uploads that were acknowledged: {dict(counted)}, all read {time.perf_counter() - begun:.0f} s after the load")
    return [] if set(counted) <= {"completed"} else [f"Uploads: {dict(counted)}."]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=50_000)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--rate", type=float, default=20, help="requests a second")
    parser.add_argument("--serve", metavar="PORT", help="run the daemon that is measured; for this script itself")
    options = parser.parse_args()
    if options.serve:
        TABLE["embedder", "perturbed"] = "_perturbed:PerturbedEmbedder"
        os.environ["RAG_EMBEDDING__PROVIDER"] = "perturbed"
        cli(["serve", "--port", options.serve])
        return 0
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from tests.postgres_server.server import PostgresServer

    print(f"machine before: {machine()}", flush=True)
    server = PostgresServer(durable=True)
    try:
        with tempfile.TemporaryDirectory(prefix="rag-bench-") as root:
            return run(options, server, Path(root))
    finally:
        server.close()
        print(f"machine after: {machine()}")


if __name__ == "__main__":
    sys.exit(main())
