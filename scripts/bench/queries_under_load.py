#!/usr/bin/env python3
"""Query latency over HTTP alone, with ten clients, and while three documents are being ingested; with and without reranking.

    .venv/bin/python scripts/bench/queries_under_load.py --chunks 3000

Starts a daemon of its own on documents made of the paragraphs of data/samples, drawn at random and with other figures in them,
and asks it what stands in those paragraphs. Everything is measured in one run, so that the ratios hold on a noisy machine: to one
client alone, and of ingestion to ingestion without queries. `scored` is how many passages the reranker reached on average.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

SAMPLES = Path(__file__).resolve().parents[2] / "data" / "samples"
READABLE = {".md", ".html", ".py", ".sh", ".ts", ".yaml"}
PARAGRAPHS_A_SECTION = 3
SECTIONS_A_DOCUMENT = 40
CLIENTS = 10
JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")


@dataclass
class Measured:
    """Seconds of the queries that were answered, what the reranker scored in each, and how many failed."""

    seconds: list[float] = field(default_factory=list)
    scored: list[int] = field(default_factory=list)
    errors: int = 0

    def percentile(self, share: float) -> float:
        """In milliseconds."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000 if ordered else float("nan")

    def line(self, alone: Measured | None = None) -> str:
        ratio = f" ({self.percentile(0.95) / alone.percentile(0.95):.2f} x)" if alone else ""
        return (
            f"p50 {self.percentile(0.5):6.1f}  p95 {self.percentile(0.95):6.1f} ms{ratio}  n={len(self.seconds)}"
            f"  errors {self.errors}  scored {statistics.fmean(self.scored or [0]):.1f}"
        )


class Texts:
    """Documents and questions made of the sample texts."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        files = sorted(path for path in SAMPLES.rglob("*") if path.suffix in READABLE)
        whole = "\n\n".join(re.sub("<[^>]+>", " ", path.read_text(encoding="utf-8")) for path in files)
        self._paragraphs = [part.strip() for part in re.split(r"\n\s*\n", whole) if 80 <= len(part.strip()) <= 900]

    def write(self, folder: Path, name: str, sections: int) -> None:
        parts = [f"# {name}"]
        for number in range(sections):
            drawn = self._rng.sample(self._paragraphs, PARAGRAPHS_A_SECTION)
            varied = [re.sub(r"\d", lambda _: str(self._rng.randrange(10)), text) for text in drawn]
            parts.append(f"## {name} part {number}\n\n" + "\n\n".join(re.sub("^#+ ", "", text) for text in varied))
        (folder / f"{name}.md").write_text("\n\n".join(parts), encoding="utf-8")

    def question(self) -> str:
        text = " ".join(self._rng.choice(self._paragraphs).split())
        if JAPANESE.search(text):
            start = self._rng.randrange(max(1, len(text) - 30))
            return text[start : start + self._rng.randint(8, 30)]
        words = text.split()
        start = self._rng.randrange(max(1, len(words) - 6))
        return " ".join(words[start : start + self._rng.randint(2, 10)])


class Daemon:
    """A running daemon on a free port, and a client of it."""

    def __init__(self, data: Path) -> None:
        environment = {**os.environ, "RAG_DATA_DIR": str(data)}
        command = [sys.executable, "-m", "ragd", "serve", "--port", "0"]
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        info = self._ready(data / "daemon.json")
        token = {"Authorization": f"Bearer {info['token']}"}
        limits = httpx2.Limits(max_connections=2 * CLIENTS)
        self.client = httpx2.Client(base_url=info["url"], headers=token, timeout=120, trust_env=False, limits=limits)

    def _ready(self, path: Path) -> dict[str, Any]:
        for _ in range(6000):
            if self.process.poll() is not None:
                sys.exit("The daemon did not start; `rag serve` says why.")
            if path.exists() and "url" in (info := json.loads(path.read_text(encoding="utf-8") or "{}")):
                return dict(info)
            time.sleep(0.05)
        sys.exit("The daemon was not ready within five minutes.")

    def ask(self, question: str, rerank: bool, into: Measured) -> None:
        started = time.perf_counter()
        answer = self.client.post("/api/query", json={"query": question, "rerank": rerank})
        took = time.perf_counter() - started
        if answer.is_success:
            into.seconds.append(took)
            into.scored.append(answer.json()["effective"].get("rerank_scored", 0))
        else:
            into.errors += 1

    def ingest(self, folder: Path) -> Callable[[], dict[str, Any] | None]:
        """Begin an ingestion; returns what tells the finished job, or None while it runs."""
        path = self.client.post("/api/ingest", json={"paths": [str(folder)]}).raise_for_status().json()["job_id"]

        def finished() -> dict[str, Any] | None:
            job: dict[str, Any] = self.client.get(f"/api/jobs/{path}").raise_for_status().json()
            return None if job["status"] in {"queued", "running"} else job

        return finished

    def close(self) -> None:
        self.client.close()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


def wait(finished: Callable[[], dict[str, Any] | None]) -> tuple[int, float]:
    """Chunks of a job that was just begun, and its seconds."""
    started = time.perf_counter()
    while (job := finished()) is None:
        time.sleep(0.05)
    return job["result"]["chunks"], time.perf_counter() - started


def one_client(daemon: Daemon, questions: Sequence[str], rerank: bool) -> Measured:
    measured = Measured()
    for question in questions:
        daemon.ask(question, rerank, measured)
    return measured


def ten_clients(daemon: Daemon, questions: Sequence[str], rerank: bool) -> Measured:
    with ThreadPoolExecutor(CLIENTS) as pool:
        shares = [questions[number::CLIENTS] for number in range(CLIENTS)]
        parts = list(pool.map(lambda share: one_client(daemon, share, rerank), shares))
    return Measured(
        [value for part in parts for value in part.seconds],
        [value for part in parts for value in part.scored],
        sum(part.errors for part in parts),
    )


def while_ingesting(daemon: Daemon, texts: Texts, folder: Path, rerank: bool) -> tuple[Measured, float, float]:
    """Queries until three documents are ingested; and the ingestion's chunks a second, with what the queries took from it."""
    measured, done = Measured(), threading.Event()
    folder.mkdir()
    for number in range(3):
        texts.write(folder, f"{folder.name}{number}", SECTIONS_A_DOCUMENT)

    def ask() -> None:
        while not done.is_set():
            daemon.ask(texts.question(), rerank, measured)

    finished = daemon.ingest(folder)
    asking = threading.Thread(target=ask)
    asking.start()
    chunks, seconds = wait(finished)
    done.set()
    asking.join()
    return measured, chunks / seconds, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=3000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--no-rerank", action="store_true", help="measure without reranking only")
    options = parser.parse_args()
    texts = Texts(random.Random(7))
    print(f"machine: {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the run")
    with tempfile.TemporaryDirectory(prefix="rag-bench-") as root:
        base = Path(root) / "base"
        base.mkdir()
        for number in range(max(1, options.chunks // SECTIONS_A_DOCUMENT)):
            texts.write(base, f"base{number}", SECTIONS_A_DOCUMENT)
        daemon = Daemon(Path(root) / "data")
        try:
            run(daemon, texts, Path(root), options.queries, (False,) if options.no_rerank else (False, True))
        finally:
            daemon.close()


def run(daemon: Daemon, texts: Texts, root: Path, queries: int, reranking: Sequence[bool]) -> None:
    chunks, seconds = wait(daemon.ingest(root / "base"))
    print(f"ingestion alone: {chunks} chunks in {seconds:.1f} s ({chunks / seconds:.1f}/s)")
    one_client(daemon, [texts.question() for _ in range(30)], rerank=True)
    for rerank in reranking:
        name = "with rerank" if rerank else "no rerank"
        questions = [texts.question() for _ in range(queries)]
        alone = one_client(daemon, questions, rerank)
        print(f"{name:11} one client       {alone.line()}")
        print(f"{name:11} ten clients      {ten_clients(daemon, questions, rerank).line(alone)}")
        beside, pace, took = while_ingesting(daemon, texts, root / f"more{rerank:d}", rerank)
        print(f"{name:11} while ingesting  {beside.line(alone)}")
        print(f"{name:11}   ingestion meanwhile {pace:.1f} chunks/s in {took:.0f} s ({pace * seconds / chunks:.0%} of alone)")


if __name__ == "__main__":
    main()
