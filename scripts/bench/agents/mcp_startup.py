#!/usr/bin/env python3
"""How long an agent waits for `rag mcp`: from the start of the process to the first answer.

    .venv/bin/python scripts/bench/agents/mcp_startup.py --runs 5

Starts a daemon of its own with the real model, reads data/samples, and then starts `rag mcp` again and again, as a client that
sends the handshake and a query at once: `initialize` is the time to the answer of the handshake, `tools` to the list of tools,
`query` to the passages, `end` from closing stdin to the end of the process. Last, the same without a daemon: what a person waits
who has none. With --light the providers that need no model, for a quick look.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from ragd.core.instance import DaemonInfo, is_owned, read_info

SAMPLES = Path(__file__).resolve().parents[3] / "data" / "samples"
RAG = [sys.executable, "-m", "ragd"]
QUESTION = "How long is a lease before another worker may take the job?"
LIGHT = {
    "RAG_EMBEDDING__PROVIDER": "fake",
    "RAG_DENSE__BACKEND": "exact",
    "RAG_SPARSE__BACKEND": "fts5",
    "RAG_SPARSE__ANALYZER": "bigram",
}
IDLE_S = 5


@dataclass(frozen=True)
class Run:
    """Seconds from the start of the process; `end` from closing stdin."""

    initialize: float
    tools: float
    query: float
    end: float
    passages: int


def ask_once(environment: dict[str, str]) -> Run:
    """One life of `rag mcp`."""
    handshake = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    query = {"name": "query_knowledge_hub", "arguments": {"query": QUESTION}}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": handshake},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
        {"id": 3, "method": "tools/call", "params": query},
    ]
    started = time.perf_counter()
    with subprocess.Popen([*RAG, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"".join(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n" for message in messages))
        process.stdin.flush()
        answers: dict[int, tuple[float, dict[str, Any]]] = {}
        while len(answers) < 3:
            message = json.loads(process.stdout.readline())
            answers[message["id"]] = time.perf_counter() - started, message
        closed = time.perf_counter()
        process.stdin.close()
        process.wait()
        ended = time.perf_counter() - closed
    result = answers[3][1]["result"]
    assert not result.get("isError"), result
    return Run(answers[1][0], answers[2][0], answers[3][0], ended, len(result["structuredContent"]["results"]))


@contextmanager
def daemon(environment: dict[str, str], data_dir: Path) -> Iterator[DaemonInfo]:
    """A daemon that is ready."""
    with subprocess.Popen([*RAG, "serve", "--port", "0"], env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            while (info := read_info(data_dir)) is None or info.url is None:
                assert process.poll() is None, "the daemon can't start; see `rag serve`"
                time.sleep(0.05)
            yield info
        finally:
            process.terminate()


def read_samples(info: DaemonInfo) -> int:
    """Take the samples in; gives how many documents there are."""
    headers = {"Authorization": f"Bearer {info.token}"}
    with httpx2.Client(base_url=str(info.url), headers=headers, trust_env=False, timeout=120) as client:
        job_id = client.post("/api/ingest", json={"paths": [str(SAMPLES)]}).raise_for_status().json()["job_id"]
        while client.get(f"/api/jobs/{job_id}").json()["status"] in {"queued", "running"}:
            time.sleep(0.2)
        return int(client.get("/api/documents").json()["total"])


def show(title: str, runs: list[Run]) -> None:
    print(f"{title}, {len(runs)} runs, seconds: median (least, most); {runs[-1].passages} passages")
    for name in ("initialize", "tools", "query", "end"):
        values = [getattr(run, name) for run in runs]
        print(f"  {name:10} {statistics.median(values):6.2f} ({min(values):.2f}, {max(values):.2f})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--light", action="store_true", help="no real model")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rag-bench-") as folder:
        data_dir = Path(folder) / "data"
        places = {"RAG_DATA_DIR": str(data_dir), "RAG_CONFIG_DIR": str(Path(folder) / "config")}
        on = {"RAG_MCP__ENABLED": "true", "RAG_MCP__DAEMON_IDLE_S": str(IDLE_S)}
        environment = {**os.environ, **places, **on, **(LIGHT if arguments.light else {})}
        with daemon(environment, data_dir) as info:
            print(f"{read_samples(info)} documents")
            show("with a running daemon", [ask_once(environment) for _ in range(arguments.runs)])
        show("with none, which it starts", [ask_once(environment)])
        while is_owned(data_dir):
            time.sleep(0.2)


if __name__ == "__main__":
    main()
