"""A daemon that holds documents made of the paragraphs of data/samples, and what its answers took."""

from __future__ import annotations

import os
import random
import re
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
from ingest_query import start_daemon

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
        os.environ["RAG_DATA_DIR"] = str(data)
        self.process, info = start_daemon(data, errors=subprocess.DEVNULL)
        token = {"Authorization": f"Bearer {info['token']}"}
        limits = httpx2.Limits(max_connections=2 * CLIENTS)
        self.client = httpx2.Client(base_url=info["url"], headers=token, timeout=120, trust_env=False, limits=limits)

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


class Loaded(NamedTuple):
    """A daemon with documents, which took so many seconds to ingest as so many chunks; `root` is for more of them."""

    daemon: Daemon
    texts: Texts
    root: Path
    chunks: int
    seconds: float


@contextmanager
def loaded_daemon(chunks: int) -> Iterator[Loaded]:
    """A daemon of its own that has ingested about so many chunks, in a folder that goes with it."""
    texts = Texts(random.Random(7))
    print(f"machine: {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the run")
    with tempfile.TemporaryDirectory(prefix="rag-bench-") as folder:
        root = Path(folder)
        base = root / "base"
        base.mkdir()
        for number in range(max(1, chunks // SECTIONS_A_DOCUMENT)):
            texts.write(base, f"base{number}", SECTIONS_A_DOCUMENT)
        daemon = Daemon(root / "data")
        try:
            made, seconds = wait(daemon.ingest(base))
            print(f"ingestion alone: {made} chunks in {seconds:.1f} s ({made / seconds:.1f}/s)", flush=True)
            yield Loaded(daemon, texts, root, made, seconds)
        finally:
            daemon.close()
