#!/usr/bin/env python3
"""A steady load on the service with PostgreSQL, which is restarted meanwhile, and whose processes are killed: what is lost.

    .venv/bin/python scripts/bench/service_load.py --chunks 50000 --minutes 10

Makes a PostgreSQL (of the tests' package, with fsync), `--answering` processes at one address (`rag serve --workers`) and
`--workers` workers, ingests `--chunks` chunks, whose vectors are made as in query_scale.py, and asks for a minute with nothing
beside, then for half a minute while three documents are always being read. Then nine of ten requests are searches (`POST
/search`, five passages), one is an upload of a new document, at `--rate` a second: a request comes when it is due, whether those
before were answered or not. A load generator whose users wait for their answers would ask less of a slow service, and so report
less of its slowness. At 30 % of the time PostgreSQL is stopped for five seconds, at 55 % a process that answers and at 75 % a
worker is killed with SIGKILL; `--faults none` leaves that out.

With `--keep DIR`, which other users must be able to enter, database and data stay there, and the next run finds them ingested;
`--prepare` ends then. Exit code 1: an upload that was acknowledged is not there in the end, an answer other than the expected
one, or more than one request of a hundred failed outside of the outages, which last from the fault until a second of requests
has gone well.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
from _scale_corpus import Corpus
from _service import Service
from ingest_query import ingest
from query_scale import machine, settle

from ragd.cli import cli

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
    known, is_new = root / "database", not (root / "database").exists()
    if is_new:
        corpus.write(root / "documents")
        known.write_text(server.create(), "utf-8")
    program = [__file__, "--rag"]
    service = Service(root, server.url(known.read_text("utf-8")), program, answering=options.answering, workers=options.workers)
    try:
        limits = httpx2.Limits(max_connections=None, keepalive_expiry=1.0)
        token = {"Authorization": f"Bearer {service.token}"}
        with httpx2.Client(base_url=service.url, headers=token, timeout=60, trust_env=False, limits=limits) as client:
            if is_new:
                begun = time.perf_counter()
                job = ingest(client, root / "documents")
                took, chunks = time.perf_counter() - begun, job["result"]["chunks"]
                print(f"ingestion: {job['status']}, {chunks} chunks in {took:.0f} s, {service.memory()}", flush=True)
            settle(client, service.ingesting())
            return 0 if options.prepare else measure(options, server, service, client, corpus)
    finally:
        service.close()


def measure(options: argparse.Namespace, server: PostgresServer, service: Service, client: httpx2.Client, corpus: Corpus) -> int:
    kb_id = client.get("/knowledge_bases").raise_for_status().json()["items"][0]["id"]
    for question in corpus.questions(30):
        client.post("/search", json={"query": question, "knowledge_base_id": kb_id}).raise_for_status()
    idle = Load(client, kb_id)
    spent = service.processor_s()
    offer(idle, corpus, options.rate, options.alone_s, uploads=False, faults=[])
    spent = (service.processor_s() - spent) / max(1, len(idle.seen))
    print(f"alone:     {line(idle.seen)}; {spent * 1000:.1f} ms of processor of those that answer a search", flush=True)
    beside(options, client, kb_id, corpus, idle)
    seconds = options.minutes * 60
    load = Load(client, kb_id)

    def restart_database() -> None:
        server.stop()
        time.sleep(DOWN_S)
        server.start()
        print(f"  PostgreSQL is back at {time.perf_counter() - load.started:.0f} s", flush=True)

    kinds = {
        "database": (0.3, restart_database),
        "answering": (0.55, service.kill_answering),
        "worker": (0.75, service.kill_worker),
    }
    wanted = [kind for kind in options.faults.split(",") if kind in kinds and (kind != "worker" or service.workers)]
    begins = {kind: seconds * kinds[kind][0] for kind in wanted}
    offer(load, corpus, options.rate, seconds, uploads=True, faults=[(begins[kind], kinds[kind][1]) for kind in wanted])
    for minute in range(round(options.minutes)):
        print(f"minute {minute + 1:2}: {line([one for one in load.seen if minute * 60 <= one.due < minute * 60 + 60])}")
    down = outages(load.seen, list(begins.values()))
    for kind, (begin, end) in zip(begins, down, strict=True):
        hit = [one for one in load.seen if begin <= one.due <= end]
        print(f"{kind}: {end - begin - 2 - QUIET_S:.1f} s until all went well; of {len(hit)} requests: {line(hit)}")
    between = [one for one in load.seen if not any(begin <= one.due <= end for begin, end in down)]
    print(f"outside of outages: {line(between)}")
    where(client)
    wrong = []
    failed = sum(one.status not in (200, 202) for one in between)
    if failed > len(between) / 100:
        wrong.append(f"{failed} of {len(between)} requests failed outside of the outages.")
    if odd := {one.status for one in load.seen} - {0, 200, 202, 503}:
        wrong.append(f"Answers with {sorted(odd)}.")
    wrong += lost(client, load.uploaded)
    print(f"memory: {service.memory()}")
    print("\n".join(["FAILED", *wrong]) if wrong else "held")
    return 1 if wrong else 0


def beside(options: argparse.Namespace, client: httpx2.Client, kb_id: str, corpus: Corpus, idle: Load) -> None:
    """Searches while three documents are always being read, each of forty sections that the model has not seen."""
    ended = threading.Event()
    read = []

    def keep_reading(lane: int) -> None:
        rng, number = random.Random(lane), 0
        while not ended.is_set():
            number += 1
            sections = [
                f"## Lane {lane} page {number} part {part}\n\n{' '.join(rng.sample(corpus.english, 5))}" for part in range(40)
            ]
            file = (f"lane-{lane}-{number}.md", "\n\n".join(sections).encode())
            doc_id = (
                client.post(f"/knowledge_bases/{kb_id}/documents", files={"file": file}).raise_for_status().json()["document_id"]
            )
            while client.get(f"/documents/{doc_id}").json()["status"] == "processing" and not ended.is_set():
                time.sleep(0.2)
            read.append(doc_id)

    lanes = [threading.Thread(target=keep_reading, args=(lane,)) for lane in range(3)]
    for lane in lanes:
        lane.start()
    load = Load(client, kb_id)
    try:
        offer(load, corpus, options.rate, options.alone_s / 2, uploads=False, faults=[])
    finally:
        ended.set()
        for lane in lanes:
            lane.join()
    ratio = percentile(load.seen, 0.95) / percentile(idle.seen, 0.95)
    print(f"beside three documents ({len(read)} read): {line(load.seen)}; p95 {ratio:.2f} times that alone", flush=True)


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
    if sys.argv[1:2] == ["--rag"]:
        cli(sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=50_000)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--rate", type=float, default=20, help="requests a second")
    parser.add_argument("--answering", type=int, default=2, help="processes that answer")
    parser.add_argument("--workers", type=int, default=1, help="processes that run jobs; none: the daemon itself does")
    parser.add_argument("--alone-s", type=float, default=60, help="seconds of the measurement with nothing beside")
    parser.add_argument("--faults", default="database,answering,worker", help="what is stopped or killed, or none")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep database and data there, and use what is there already")
    parser.add_argument("--prepare", action="store_true", help="end when all is ingested")
    options = parser.parse_args()
    if options.answering > 1 and not options.workers:
        parser.error("Several processes that answer need --workers.")
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from tests.postgres_server.server import PostgresServer

    print(f"machine before: {machine()}", flush=True)
    with ExitStack() as stack:
        root = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rag-bench-")))
        root.mkdir(exist_ok=True, mode=0o755)
        server = PostgresServer(durable=True, kept=root / "postgres" if options.keep else None)
        stack.callback(server.close)
        code = run(options, server, root)
    print(f"machine after: {machine()}")
    return code


if __name__ == "__main__":
    sys.exit(main())
