#!/usr/bin/env python3
"""Ingestion against the embedding model alone, and query latency over HTTP, on a daemon of its own with synthetic text.

    .venv/bin/python scripts/bench/ingest_query.py --chunks 10000

Prints the machine's size, then: seconds until ready, chunks a second by the whole line and by the model alone on the same texts
(all cores for each run, and runs of its own for each core, as an ingestion has it), their ratios, the same in processor time, the
time of an ingestion that finds everything unchanged, p50 and p95 of a query by one client and by ten, as times and as multiples
of embedding the same queries without a daemon, and the daemon's memory.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import psutil

from ragd.config.loading import Directories, load_settings
from ragd.models.store import ensure_model
from ragd.providers.model_queue import ModelQueue
from ragd.providers.protocols import Embedder
from ragd.providers.queued_embedder import queued
from ragd.providers.registry import build

CONFIG = Path(__file__).resolve().parents[2] / "config"
SERVE = (sys.executable, "-m", "ragd", "serve", "--port", "0")
SECTIONS = 10
LONGEST_PAUSE_S = 0.5
"""Between two looks at a job. Twenty a second took the daemon and this script a twentieth of two cores."""
ENGLISH = (
    "queue worker lease broker token retry index shard replica leader follower commit offset cursor batch timeout backoff "
    "limit quota cluster node region zone probe metric alert audit policy secret certificate rotation drain upgrade "
    "rollback snapshot restore schedule trigger payload header schema registry consumer producer partition latency throughput "
    "budget window"
).split()
JAPANESE = (
    "設定 項目 接続 切断 再試行 証明書 更新 監視 通知 障害 復旧 手順 管理者 利用者 権限 承認 申請 期限 上限 容量 "
    "配信 受信 送信 保存 削除 検索 索引 文書 版 履歴 監査 記録 出力 入力 検証 確認 起動 停止"
).split()


def sentence(rng: random.Random) -> str:
    """One sentence of English or Japanese words, sometimes with an identifier."""
    if rng.random() < 0.5:
        words = rng.choices(ENGLISH, k=rng.randint(8, 16))
        if rng.random() < 0.3:
            words[rng.randrange(len(words))] = f"`--{rng.choice(ENGLISH)}-{rng.choice(ENGLISH)}`"
        return " ".join(words).capitalize() + "."
    return "を".join(rng.choices(JAPANESE, k=rng.randint(3, 6))) + f"する場合は E{rng.randint(1000, 9999)} を確認します。"


def write_documents(folder: Path, chunks: int, rng: random.Random) -> None:
    """Markdown files of ten sections, each section one chunk."""
    for number in range(-(-chunks // SECTIONS)):
        count = min(SECTIONS, chunks - number * SECTIONS)
        parts = [f"## {rng.choice(ENGLISH)} {index}\n\n{' '.join(sentence(rng) for _ in range(5))}\n" for index in range(count)]
        (folder / f"document-{number:05}.md").write_text(f"# Document {number}\n\n" + "\n".join(parts), encoding="utf-8")


def timed(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def percentiles(seconds: Sequence[float]) -> tuple[float, float]:
    """p50 and p95 in milliseconds."""
    ordered = sorted(seconds)
    return statistics.median(ordered) * 1000, ordered[int(len(ordered) * 0.95) - 1] * 1000


def start_daemon(
    data: Path, command: Sequence[str] = SERVE, errors: int | None = None
) -> tuple[subprocess.Popen[bytes], dict[str, Any]]:
    """A daemon on a free port, once it is ready. `errors` is where its log goes, as `subprocess` has it."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
    for _ in range(6000):
        if process.poll() is not None:
            sys.exit("The daemon did not start; the lines above say why.")
        try:
            info: dict[str, Any] = json.loads((data / "daemon.json").read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            info = {}
        if "url" in info and info["pid"] == process.pid:  # else it is what a killed one left
            return process, info
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    sys.exit("The daemon was not ready within five minutes.")


def ingest(client: httpx2.Client, folder: Path) -> dict[str, Any]:
    """Ingest a folder and wait for the end. Returns the job."""
    job_id = client.post("/api/ingest", json={"paths": [str(folder)]}).raise_for_status().json()["job_id"]
    pause = 0.02
    while True:
        job: dict[str, Any] = client.get(f"/api/jobs/{job_id}").raise_for_status().json()
        if job["status"] not in {"queued", "running"}:
            return job
        time.sleep(pause)
        pause = min(LONGEST_PAUSE_S, 1.2 * pause)


def memory(pid: int) -> int:
    """Resident memory of a process in MB (Linux)."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0]) // 1024


def processor_seconds(pid: int) -> tuple[float, float]:
    """Processor time so far of a process, and of all that it started, those that have ended among them."""
    process = psutil.Process(pid)
    own = process.cpu_times()
    of_others = own.children_user + own.children_system
    for child in process.children(recursive=True):
        of_others += sum(child.cpu_times()[:4])
    return own.user + own.system, of_others


def embedded_texts(client: httpx2.Client) -> list[str]:
    """What was embedded, near enough: heading path and text of every chunk."""
    texts: list[str] = []
    page, total = 1, 1
    while (page - 1) * 100 < total:
        listing = client.get("/api/documents", params={"page": page, "page_size": 100}).raise_for_status().json()
        total, page = listing["total"], page + 1
        for document in listing["items"]:
            chunks = client.get(f"/api/documents/{document['id']}/chunks", params={"page_size": 100}).raise_for_status().json()
            texts += [" > ".join(chunk["section_path"]) + "\n" + chunk["content"] for chunk in chunks["items"]]
    return texts


def model_alone() -> Embedder:
    """The embedding model as the daemon loads it."""
    options = load_settings(CONFIG).embedding
    files = ensure_model(options.model, Directories.default().models)
    embedder: Embedder = build(
        "embedder",
        options.provider,
        files=files,
        device=options.device,
        threads=options.threads,
        batch_tokens=options.batch_tokens,
    )
    return embedder


def model_times(embedder: Embedder, texts: Sequence[str]) -> tuple[float, float]:
    """Seconds, and seconds of the processor, for these passages."""
    embedder.embed_passages(texts[:20])
    started = time.process_time()
    return timed(lambda: embedder.embed_passages(texts)), time.process_time() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=200)
    options = parser.parse_args()
    rng = random.Random(7)
    print(f"machine: {os.cpu_count()} cores, {os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB")
    with tempfile.TemporaryDirectory(prefix="rag-bench-") as root:
        run(Path(root), options.chunks, options.queries, rng)


def run(root: Path, chunks: int, queries: int, rng: random.Random) -> None:
    data, folder = root / "data", root / "documents"
    folder.mkdir()
    write_documents(folder, chunks, rng)
    os.environ["RAG_DATA_DIR"] = str(data)
    start = time.perf_counter()
    process, info = start_daemon(data)
    print(f"daemon ready after {time.perf_counter() - start:.1f} s, {memory(process.pid)} MB")
    texts = [sentence(rng) for _ in range(queries)]
    try:
        token = {"Authorization": f"Bearer {info['token']}"}
        with httpx2.Client(base_url=info["url"], headers=token, timeout=120, trust_env=False) as client:
            before, start = processor_seconds(process.pid), time.perf_counter()
            job = ingest(client, folder)
            whole = time.perf_counter() - start
            spent = [now - then for now, then in zip(processor_seconds(process.pid), before, strict=True)]
            again = timed(lambda: ingest(client, folder))

            def ask(text: str) -> float:
                return timed(lambda: client.post("/api/query", json={"query": text}).raise_for_status())

            for text in texts[:20]:
                ask(text)
            one = percentiles([ask(text) for text in texts])
            with ThreadPoolExecutor(10) as pool:
                ten = percentiles(list(pool.map(ask, texts * 2)))
            resident = memory(process.pid)
            views = embedded_texts(client)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
    embedder = model_alone()
    by_core = queued(embedder, ModelQueue())
    alone, model_spent = model_times(embedder, views)
    alone_by_core, spent_by_core = model_times(by_core, views)
    embedding = percentiles([timed(partial(embedder.embed_queries, [text])) for text in texts])
    result = job["result"]
    print(f"ingestion: {result['chunks']} chunks in {whole:.1f} s ({result['chunks'] / whole:.1f}/s)")
    print(f"the model alone on the same texts: {alone:.1f} s ({len(views) / alone:.1f}/s) with all cores for each run,")
    print(f"  {alone_by_core:.1f} s ({len(views) / alone_by_core:.1f}/s) with runs of its own for each core")
    print(f"the whole line reaches {alone / whole:.0%} and {alone_by_core / whole:.0%} of the model alone")
    print(
        f"processor time: {sum(spent):.1f} s, {spent[0]:.1f} of the daemon and {spent[1]:.1f} of its processes; "
        f"the model alone {model_spent:.1f} s ({sum(spent) / model_spent:.2f} times it) and "
        f"{spent_by_core:.1f} s ({sum(spent) / spent_by_core:.2f} times it)"
    )
    print(f"again, unchanged: {again:.2f} s for {chunks // SECTIONS} files")
    print(f"embedding a query: p50 {embedding[0]:.1f} ms, p95 {embedding[1]:.1f} ms")
    print(f"one client: p50 {one[0]:.1f} ms, p95 {one[1]:.1f} ms ({one[1] / embedding[1]:.1f} times the embedding)")
    print(f"ten clients: p50 {ten[0]:.1f} ms, p95 {ten[1]:.1f} ms ({ten[1] / one[1]:.1f} times one client's)")
    print(f"daemon's memory: {resident} MB")


if __name__ == "__main__":
    main()
