#!/usr/bin/env python3
"""Queries over HTTP on a daemon with very many chunks: how long they take, and in which stage.

    .venv/bin/python scripts/bench/query_scale.py --chunks 100000

To embed 100,000 passages would take an hour, so only the first 2,000 are embedded by the model; each of the others is one of
those with other sentences and figures in it, and has its vector with gaussian noise (cosine 0.94 to it, 0.89 between two of one
origin). That noise lies in all dimensions, which is harder on a nearest-neighbour graph than text is. The sentences are those of
data/samples and docs. Questions are embedded, and passages reranked, by the real model, and everything else is the ordinary
daemon with its ordinary settings: this script starts itself with `--serve`, which adds one embedding provider to `rag serve`.

The token vectors of the others are made likewise, and the measuring begins when no job is left and the daemon has come to rest.
`processor` is the daemon's processor time for each query, with what it does behind the answer.

No question is asked twice. `between the stages` is what an answer's latency holds beside its stages (the two searches run side by
side, so the longer one counts); `outside` is what the client waits beyond that latency: HTTP, JSON, waiting for a thread.
With `--keep DIR` the data stay there, and the next run with as many chunks finds them ingested.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import psutil
from _scale_corpus import Corpus
from ingest_query import ingest, memory, model_alone, percentiles, start_daemon, timed

from ragd.cli import cli
from ragd.providers.registry import TABLE

CLIENTS = 10
AT_REST = 5.0
"""Percent of a core, below which the daemon is at rest."""

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answered:
    """One query as the client saw it, in milliseconds, with what the daemon says of it; `text` is the best passage's."""

    question: str
    wall: float
    latency: float
    stages: Mapping[str, float]
    text: str

    def parts(self) -> Iterator[tuple[str, float]]:
        yield from self.stages.items()
        beside = min(self.stages.get("retrieve_dense", 0.0), self.stages.get("retrieve_sparse", 0.0))
        yield "between the stages", self.latency - sum(self.stages.values()) + beside
        yield "outside", self.wall - self.latency


def ask(client: httpx2.Client, question: str, body: Body) -> Answered | None:
    """None when the daemon answered with an error or not at all."""
    start = time.perf_counter()
    try:
        reply = client.post("/api/query", json={"query": question, **body})
    except httpx2.HTTPError:
        return None
    wall = (time.perf_counter() - start) * 1000
    if not reply.is_success:
        return None
    answer = reply.json()
    best = answer["results"][0]["content"] if answer["results"] else ""
    return Answered(question, wall, answer["latency_ms"], answer["timings_ms"], best)


@dataclass(frozen=True, slots=True)
class Phase:
    """Queries of one kind; `processor` is milliseconds of the daemon's for each."""

    name: str
    answers: Sequence[Answered]
    errors: int
    processor: float

    def line(self, alone: Phase | None = None) -> str:
        p50, p95 = self.walls()
        ratio = f" ({p95 / alone.walls()[1]:.1f} times one client's)" if alone else ""
        times = f"p50 {p50:.1f} ms, p95 {p95:.1f} ms{ratio}, processor {self.processor:.1f} ms"
        return f"{self.name}: {times}, {len(self.answers)} answers, {self.errors} errors"

    def walls(self) -> tuple[float, float]:
        """p50 and p95 of what the client waited, in milliseconds."""
        return percentiles([answer.wall / 1000 for answer in self.answers])

    def stages(self) -> dict[str, tuple[float, float]]:
        """Mean and p95 of each stage, in milliseconds."""
        by_stage: dict[str, list[float]] = {}
        for answer in self.answers:
            for name, value in answer.parts():
                by_stage.setdefault(name, []).append(value)
        return {name: (statistics.fmean(values), percentiles(values)[1] / 1000) for name, values in by_stage.items()}


def run_phase(
    client: httpx2.Client, daemon: psutil.Process, name: str, questions: Sequence[str], body: Body, clients: int = 1
) -> Phase:
    before = processor_time(daemon)
    with ThreadPoolExecutor(clients) as pool:
        answers = list(pool.map(lambda question: ask(client, question, body), questions))
    took = processor_time(daemon) - before
    answered = [answer for answer in answers if answer is not None]
    if not answered:
        sys.exit(f"No query of '{name}' was answered; the daemon's log says why.")
    return Phase(name, answered, len(answers) - len(answered), took * 1000 / len(answers))


def processor_time(daemon: psutil.Process) -> float:
    """Seconds, without its children's."""
    times = daemon.cpu_times()
    return float(times.user + times.system)


def mapped(daemon: psutil.Process) -> str:
    """How much of a process's memory is pages of files, which the system can take back; empty where it does not say."""
    pages = getattr(daemon.memory_info(), "shared", None)
    return "" if pages is None else f", of which {pages >> 20} MB are pages of mapped files"


def settle(client: httpx2.Client, daemon: psutil.Process) -> None:
    """Wait until no job is left, such as the one that makes token vectors, and the daemon is at rest."""
    begun = time.perf_counter()
    while any(
        client.get("/api/jobs", params={"status": status, "page_size": 1}).raise_for_status().json()["total"]
        for status in ("queued", "running")
    ):
        time.sleep(1)
    while daemon.cpu_percent(interval=2) > AT_REST:
        pass
    print(f"at rest after {time.perf_counter() - begun:.0f} s", flush=True)


def table(phases: Sequence[Phase]) -> str:
    """A line for each stage, mean and p95 for each phase."""
    columns = [phase.stages() for phase in phases]
    names = list(dict.fromkeys(name for column in columns for name in column))
    lines = [" " * 20 + "".join(f"{phase.name:>19}" for phase in phases), " " * 20 + "        mean    p95" * len(phases)]
    for name in names:
        cells = [f"{column[name][0]:>12.1f}{column[name][1]:>7.1f}" if name in column else " " * 19 for column in columns]
        lines.append(f"{name:20}" + "".join(cells))
    return "\n".join(lines)


def start(data: Path) -> tuple[subprocess.Popen[bytes], dict[str, Any]]:
    os.environ["RAG_DATA_DIR"] = str(data)
    begun = time.perf_counter()
    process, info = start_daemon(data, [sys.executable, __file__, "--serve"])
    print(f"daemon ready after {time.perf_counter() - begun:.1f} s, {memory(process.pid)} MB", flush=True)
    return process, info


def measure(client: httpx2.Client, daemon: psutil.Process, corpus: Corpus, queries: int) -> list[Phase]:
    """One phase after the other; each is printed as soon as it is known."""
    prefix = client.get("/api/documents", params={"page_size": 1}).raise_for_status().json()["items"][0]["source"]
    prefix = prefix[: prefix.index("0-originals")]
    run_phase(client, daemon, "warm", corpus.questions(30), {})
    settle(client, daemon)
    few = max(10, queries // 3)
    plain: Body = {"rerank": False}
    plan: list[tuple[str, list[str], Body, int]] = [
        ("no rerank", corpus.questions(queries), plain, 1),
        ("default rerank", corpus.questions(queries), {}, 1),
        ("ten clients", corpus.questions(queries), plain, CLIENTS),
    ]
    for place in ("1-hundredth", "2-half"):
        filtered = {**plain, "filters": {"path_prefix": f"{prefix}{place}/"}}
        plan.append((f"filter {corpus.share(place):.1%}", corpus.questions(few), filtered, 1))
    plan.append(("identifier", corpus.identifiers(few), plain, 1))
    phases: list[Phase] = []
    for name, questions, body, clients in plan:
        phases.append(run_phase(client, daemon, name, questions, body, clients))
        print(f"{phases[-1].line(phases[0] if clients > 1 else None)}, load {os.getloadavg()[0]:.1f}", flush=True)
    exact = phases[-1].answers
    found = sum(answer.question in answer.text for answer in exact)
    print(f"identifier in the best passage: {found} of {len(exact)}")
    return phases


def run(root: Path, chunks: int, queries: int) -> None:
    corpus = Corpus(chunks)
    folder = root / f"documents-{chunks}"
    print(f"corpus: {len(corpus.english)} English and {len(corpus.japanese)} Japanese sentences, {corpus.documents} documents")
    if not folder.exists():
        corpus.write(folder)
    process, info = start(root / f"data-{chunks}")
    try:
        token = {"Authorization": f"Bearer {info['token']}"}
        limits = httpx2.Limits(max_connections=2 * CLIENTS)
        with httpx2.Client(base_url=info["url"], headers=token, timeout=120, trust_env=False, limits=limits) as client:
            begun = time.perf_counter()
            job = ingest(client, folder)
            if job["status"] != "completed":
                sys.exit(f"The ingestion {job['status']}: {job['error']}")
            new, seconds = job["result"]["chunks"], time.perf_counter() - begun
            print(f"ingestion: {new} new chunks in {seconds:.1f} s ({new / seconds:.0f}/s)")
            print(f"daemon's memory after it: {memory(process.pid)} MB", flush=True)
            daemon = psutil.Process(process.pid)
            settle(client, daemon)
            phases = measure(client, daemon, corpus, queries)
            print(f"daemon's memory: {memory(process.pid)} MB{mapped(daemon)}")
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    embedder = model_alone()
    questions = corpus.questions(min(queries, 100))
    embedder.embed_queries(["warm"])
    alone = percentiles([timed(partial(embedder.embed_queries, [question])) for question in questions])
    print(f"embedding such a question alone: p50 {alone[0]:.1f} ms, p95 {alone[1]:.1f} ms\n\nmilliseconds by stage")
    print(table(phases))


def machine() -> str:
    size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores, {size:.0f} GiB, load {' '.join(f'{value:.1f}' for value in os.getloadavg())}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep documents and data there, and use what is there already")
    parser.add_argument("--serve", action="store_true", help="run the daemon that is measured; for this script itself")
    options = parser.parse_args()
    if options.serve:
        TABLE["embedder", "perturbed"] = "_perturbed:PerturbedEmbedder"
        os.environ["RAG_EMBEDDING__PROVIDER"] = "perturbed"
        cli(["serve", "--port", "0"])
        return
    print(f"machine before: {machine()}", flush=True)
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        run(options.keep.absolute(), options.chunks, options.queries)
    else:
        with tempfile.TemporaryDirectory(prefix="rag-bench-") as root:
            run(Path(root), options.chunks, options.queries)
    print(f"machine after: {machine()}")


if __name__ == "__main__":
    main()
