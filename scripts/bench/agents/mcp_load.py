#!/usr/bin/env python3
"""A hundred questions at the same moment by REST, by MCP over HTTP in both generations of the protocol, and by MCP over stdio.

    RAG_MCP__ENABLED=true .venv/bin/rag serve &
    .venv/bin/python scripts/bench/agents/mcp_load.py --data-dir DIRECTORY

Asks the daemon that runs on the directory. The ways take turns, so that the ratios to REST hold on a noisy machine. Each way is
one client with all its questions under way at once; `all` is the time until the last is answered. Ends with status 1 when one
failed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

QUESTION = "How long are snapshots kept?"
REST = "REST"

Ask = Callable[[str, int], Awaitable[None]]
"""Asks one question for so many passages; raises when that fails."""


@dataclass
class Measured:
    """Seconds of what was answered, of whole rounds, and what went wrong."""

    seconds: list[float] = field(default_factory=list)
    rounds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def percentile(self, share: float) -> float:
        """In milliseconds."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000 if ordered else float("nan")

    def cells(self, rest: Measured) -> list[str]:
        told = [
            f"{self.percentile(share):.0f} ({self.percentile(share) / rest.percentile(share):.2f} x)" for share in (0.5, 0.95)
        ]
        whole, of_rest = statistics.median(self.rounds), statistics.median(rest.rounds)
        return [*told, f"{whole * 1000:.0f} ({whole / of_rest:.2f} x)", str(len(self.seconds)), str(len(self.errors))]


@asynccontextmanager
async def by_rest(info: dict[str, Any], headers: dict[str, str]) -> AsyncIterator[Ask]:
    limits = httpx2.Limits(max_connections=None)
    async with httpx2.AsyncClient(base_url=info["url"], headers=headers, timeout=120, limits=limits, trust_env=False) as http:

        async def ask(question: str, top_k: int) -> None:
            (await http.post("/api/query", json={"query": question, "top_k": top_k})).raise_for_status()

        yield ask


@asynccontextmanager
async def by_http(info: dict[str, Any], headers: dict[str, str], mode: str) -> AsyncIterator[Ask]:
    async with (
        httpx2.AsyncClient(headers=headers, timeout=120, trust_env=False) as http,
        Client(streamable_http_client(f"{info['url']}/mcp", http_client=http), mode=mode) as client,
    ):
        yield asking(client)


@asynccontextmanager
async def by_stdio(data_dir: Path) -> AsyncIterator[Ask]:
    environment = os.environ | {"RAG_DATA_DIR": str(data_dir), "RAG_MCP__ENABLED": "true"}
    rag = StdioServerParameters(command=sys.executable, args=["-m", "ragd", "mcp"], env=dict(environment))
    async with Client(stdio_client(rag)) as client:
        yield asking(client)


def asking(client: Client) -> Ask:
    async def ask(question: str, top_k: int) -> None:
        result = await client.call_tool("query_knowledge_hub", {"query": question, "top_k": top_k})
        if result.is_error:
            raise RuntimeError(str(result.structured_content))

    return ask


async def round_of(ask: Ask, measured: Measured, calls: int, question: str, top_k: int) -> None:
    async def one() -> None:
        began = time.perf_counter()
        try:
            await ask(question, top_k)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is counted and shown
            measured.errors.append(f"{type(error).__name__}: {error}")
        else:
            measured.seconds.append(time.perf_counter() - began)

    began = time.perf_counter()
    async with anyio.create_task_group() as group:
        for _ in range(calls):
            group.start_soon(one)
    measured.rounds.append(time.perf_counter() - began)


async def measure(data_dir: Path, calls: int, rounds: int, question: str, top_k: int) -> dict[str, Measured]:
    info = json.loads((data_dir / "daemon.json").read_text(encoding="utf-8"))
    headers = {"Authorization": f"Bearer {info['token']}"}
    async with AsyncExitStack() as clients:
        ways = {
            REST: await clients.enter_async_context(by_rest(info, headers)),
            "MCP HTTP, 2026-07-28": await clients.enter_async_context(by_http(info, headers, "2026-07-28")),
            "MCP HTTP, 2025": await clients.enter_async_context(by_http(info, headers, "legacy")),
            "MCP stdio": await clients.enter_async_context(by_stdio(data_dir)),
        }
        measured = {way: Measured() for way in ways}
        for ask in ways.values():
            await round_of(ask, Measured(), 5, question, top_k)
        for _ in range(rounds):
            for way, ask in ways.items():
                await round_of(ask, measured[way], calls, question, top_k)
    return measured


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", type=Path, required=True, help="of the daemon that runs, with MCP on")
    parser.add_argument("--calls", type=int, default=100, help="at the same moment (100; the daemon answers at most 128)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--query", default=QUESTION)
    parser.add_argument("--top-k", type=int, default=5)
    given = parser.parse_args()
    measured = anyio.run(measure, given.data_dir.absolute(), given.calls, given.rounds, given.query, given.top_k)
    print(f"{os.cpu_count()} cores; {given.rounds} rounds of {given.calls} calls at once; milliseconds (times REST)\n")
    print("| way | p50 | p95 | all | answered | errors |\n|---|---|---|---|---|---|")
    for way, came in measured.items():
        print(f"| {way} | {' | '.join(came.cells(measured[REST]))} |")
    for way, came in measured.items():
        for error in sorted(set(came.errors))[:3]:
            print(f"{way}: {error}", file=sys.stderr)
    return 1 if any(came.errors for came in measured.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
