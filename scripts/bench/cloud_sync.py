#!/usr/bin/env python3
"""Reading Confluence and Jira: throughput and what bounds it, the cost of a later cycle, what live access adds to a query.

    .venv/bin/python scripts/bench/cloud_sync.py --pages 5000 --issues 5000

Runs the double of the tests (both Cloud) in a process of its own and a daemon with the real model and the indexes of the
default settings. Prints the machine's size, then for each product: items a second of the first cycle, its requests, and the
same with the fake embedder, which is what everything but the model takes; a cycle with 20 changes; the p95 of a query while a
cycle runs against alone; and what a query takes when the current content is asked for at each hit (`live`), when access is
proved (`cached`) and when nobody is asked (`off`), in one run. The daemon and the double share the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import psutil
from ingest_query import start_daemon

ROOT = Path(__file__).resolve().parents[2]
CHANGES = 20
QUERIES = 40

# The double in a process of its own, told what to change by lines on its stdin.
SERVER = """
import json, sys
sys.path.insert(0, sys.argv[1])
from tests.atlassian_server import World, serve
sizes = json.loads(sys.argv[2])
world = World(seed=11, spaces=5, projects=5, **sizes)
token = world.token("indexer", kind="api_token")
world.grant(token, "space:*", "project:*")
facts = [page.fact.question for page in world.pages.values() if page.fact][:200]
with serve(world) as served:
    told = {"token": token, "confluence": served.confluence_cloud, "jira": served.jira_cloud, "questions": facts}
    print(json.dumps(told), flush=True)
    for turn, line in enumerate(sys.stdin):
        number = int(line)
        pages = [page for page in world.readable_pages(token) if page.kind == "page" and page.parent][:number]
        for page in pages:
            world.edit_page(page.id, body=f"<p>Another text of {page.id}, written in turn {turn}.</p>")
        for issue in sorted(world.readable_issues(token), key=lambda issue: issue.id)[:number]:
            world.edit_issue(issue.key, description=f"Description {turn} of {issue.key}.")
        print("{}", flush=True)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=5000)
    parser.add_argument("--issues", type=int, default=5000)
    parser.add_argument(
        "--embedder", choices=("both", "fake", "onnx"), default="both", help="queries are measured with the real model alone"
    )
    options = parser.parse_args()
    print(f"machine: {os.cpu_count()} cores, {psutil.virtual_memory().total / 2**30:.0f} GiB, load {os.getloadavg()[0]:.1f}")
    with double(options.pages, options.issues) as (told, change):
        rates: dict[str, dict[str, float]] = {}
        for provider in ("fake", "onnx") if options.embedder == "both" else (options.embedder,):
            rates[provider] = measure(provider, told, change)
        if len(rates) > 1:
            for product, rate in rates["onnx"].items():
                share = 1 - rate / rates["fake"][product]
                print(f"{product}: embedding takes {share:.0%} of the time of a first cycle")


@contextmanager
def double(pages: int, issues: int) -> Generator[tuple[dict[str, Any], Callable[[int], None]], None, None]:
    """The double with what it told of itself, and a way to have it change some pages and issues."""
    command = [sys.executable, "-c", SERVER, str(ROOT), json.dumps({"pages": pages, "issues": issues})]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if process.stdin is None or process.stdout is None:
        raise OSError("the double has no pipes")
    given, told = process.stdin, process.stdout

    def change(count: int) -> None:
        given.write(f"{count}\n")
        given.flush()
        told.readline()

    try:
        line = told.readline()
        if not line:
            sys.exit("The double did not start; the lines above say why.")
        yield json.loads(line), change
    finally:
        given.close()
        process.terminate()
        process.wait(timeout=30)


def measure(provider: str, told: dict[str, Any], change: Callable[[int], None]) -> dict[str, float]:
    """Items a second of the first cycle, by product; prints everything else."""
    with tempfile.TemporaryDirectory(prefix="rag-bench-") as root:
        data = Path(root) / "data"
        os.environ |= {"RAG_DATA_DIR": str(data), "RAG_EMBEDDING__PROVIDER": provider, "RAG_SYNC__SCHEDULE": "off"}
        os.environ["RAG_SECURITY__ALLOWED_HOSTS"] = "[127.0.0.1]"
        os.environ["RAG_SYNC__REQUESTS_PER_MINUTE"] = "60000"
        os.environ["RAG_SECRET_BENCH"] = told["token"]
        process, info = start_daemon(data)
        headers = {"Authorization": f"Bearer {info['token']}"}
        client = httpx2.Client(base_url=info["url"], headers=headers, timeout=120, trust_env=False)
        try:
            return {product: one(client, provider, product, told, change) for product in ("confluence", "jira")}
        finally:
            client.close()
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)


def one(client: httpx2.Client, provider: str, product: str, told: dict[str, Any], change: Callable[[int], None]) -> float:
    auth = {"kind": "api_token", "email": "indexer@example.com", "token": "env:RAG_SECRET_BENCH"}
    config = {"base_url": told[product], "deployment": "cloud", "auth": auth}
    body = {"type": product, "name": product, "config": config, "live": "live"}
    began = time.perf_counter()
    source = client.post("/api/sources", json=body).raise_for_status().json()
    busy: list[float] = []
    token = {"X-RAG-Source-Token": f"{source['id']}=indexer@example.com:{told['token']}"}
    questions = told["questions"]
    while client.get(f"/api/jobs/{source['job_id']}").json()["status"] in {"queued", "running"}:
        if provider == "onnx":
            busy.append(asked(client, questions[len(busy) % len(questions)], {}))
        time.sleep(0.2)
    seconds = time.perf_counter() - began
    cycle = cycles(client, source["id"])[0]
    chunks = client.get("/api/status").json()["counts"]["chunks"]
    rate = cycle["indexed"] / seconds
    print(
        f"{product}, {provider} embedder: {cycle['remote']} items ({cycle['indexed']} indexed, "
        f"{cycle['skipped_count']} left out) in {seconds:.0f} s, {rate:.1f} items/s; {cycle['requests']} requests, "
        f"{cycle['throttled_s']:.1f} s throttled; "
        f"{cycle['embedded']} texts embedded, {chunks} chunks in all; complete: {cycle['complete']}",
        flush=True,
    )
    change(CHANGES)
    job = client.post(f"/api/sources/{source['id']}/sync").json()["job_id"]
    while client.get(f"/api/jobs/{job}").json()["status"] in {"queued", "running"}:
        time.sleep(0.05)
    cycle = cycles(client, source["id"])[0]
    print(
        f"{product}: a cycle with {CHANGES} changes: {cycle['requests']} requests, {cycle['embedded']} texts embedded, "
        f"{cycle['updated']} updated, {cycle['active_s']:.1f} s",
        flush=True,
    )
    if provider == "onnx" and product == "confluence":
        queries(client, source["id"], questions, token, busy)
    return float(rate)


def queries(client: httpx2.Client, source_id: str, questions: list[str], token: dict[str, str], busy: list[float]) -> None:
    def run(headers: dict[str, str]) -> list[float]:
        return [asked(client, question, headers) for question in questions[:QUERIES]]

    def p(values: list[float], share: float) -> float:
        return sorted(values)[min(len(values) - 1, int(share * len(values)))]

    def mode(name: str, *, public: bool) -> None:
        client.patch(f"/api/sources/{source_id}", json={"live": name, "public": public}).raise_for_status()

    mode("off", public=True)
    run({})
    off = run({})
    mode("cached", public=False)
    cached = run(token)
    mode("live", public=False)
    live = run(token)
    for name, values in (("off", off), ("cached", cached), ("live", live)):
        print(f"query, {name}: p50 {statistics.median(values):.0f} ms, p95 {p(values, 0.95):.0f} ms", flush=True)
    added = [more - less for more, less in zip(live, off, strict=True)]
    print(f"live adds p50 {statistics.median(added):.0f} ms, p95 {p(added, 0.95):.0f} ms", flush=True)
    if busy:
        ratio = p(busy, 0.95) / p(off, 0.95)
        print(f"query while the first cycle runs: p95 {p(busy, 0.95):.0f} ms, {ratio:.1f} times that of one alone", flush=True)


def asked(client: httpx2.Client, question: str, headers: dict[str, str]) -> float:
    """Milliseconds of one query."""
    began = time.perf_counter()
    client.post("/api/query", json={"query": question}, headers=headers).raise_for_status()
    return (time.perf_counter() - began) * 1000


def cycles(client: httpx2.Client, source_id: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(f"/api/sources/{source_id}/ledger").raise_for_status().json()["cycles"]
    return found


if __name__ == "__main__":
    main()
