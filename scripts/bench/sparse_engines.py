"""The sparse back ends side by side over synthetic chunks: building, size, queries, filters, one addition, and how much of the
first ten is rank_bm25's. Ratios are against the first back end.

    python scripts/bench/sparse_engines.py --chunks 10000
    python scripts/bench/sparse_engines.py --chunks 50000 --engines tantivy,qdrant --server http://127.0.0.1:6333
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import numpy as np
from dense_engines import add_places, place

from ragd.providers.protocols import SparseStore
from ragd.providers.registry import build

KB = "0" * 32
ENGINES = "rank_bm25,fts5,tantivy,qdrant,milvus"
VOCABULARY = 50_000
BATCH = 2_000
TERMS_OF_A_CHUNK = 130
TOP_K = 100
LONG_QUESTION = 8_000
LONG_QUESTIONS = 5
COLUMNS = (
    *("chunks/s", "size MB", "3 words ms", "p95", "12 words ms", "p95", "1 % filter", "p95", "10 % filter", "p95"),
    *("3 + phrase ms", "p95", "8,000 words ms", "p95", "one add ms", "overlap@10"),
)


@dataclass(frozen=True)
class Questions:
    short: list[list[str]]
    long: list[list[str]]
    phrases: list[list[str]]
    """Three words that stand side by side in a chunk, for each of the short ones."""
    longest: list[list[str]]


def texts(count: int, length: int, rng: np.random.Generator) -> list[list[str]]:
    """Words as frequent as Zipf's law has it."""
    ranks = np.arange(1, VOCABULARY + 1)
    shares = 1 / (ranks + 2.7)
    return [[f"w{word}" for word in row] for row in rng.choice(VOCABULARY, size=(count, length), p=shares / shares.sum())]


def p50_p95_ms(
    store: SparseStore,
    queries: Sequence[Sequence[str]],
    phrases: Sequence[Sequence[str]] = (),
    allowed: Collection[str] | None = None,
) -> tuple[float, float]:
    times = []
    for terms, phrase in zip_longest(queries, phrases, fillvalue=()):
        start = time.perf_counter()
        store.search(KB, terms, TOP_K, allowed, phrases=[phrase])
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times), 1000 * float(np.quantile(times, 0.95))


def measure(
    engine: str, chunks: Sequence[tuple[str, list[str]]], asked: Questions, options: argparse.Namespace
) -> tuple[list[float], list[set[str]]]:
    """Figures of `COLUMNS` but the last, and the first ten of each question. An addition lasts until it is found."""
    with tempfile.TemporaryDirectory() as folder:
        store: SparseStore = build("sparse", engine, **place("sparse", engine, Path(folder), options))
        start = time.perf_counter()
        for at in range(0, len(chunks), BATCH):
            store.upsert(KB, chunks[at : at + BATCH])
        store.search(KB, asked.short[0], TOP_K)
        figures = [len(chunks) / (time.perf_counter() - start)]
        figures.append(sum(path.stat().st_blocks for path in Path(folder).rglob("*") if path.is_file()) * 512 / 1e6)
        figures += [*p50_p95_ms(store, asked.short), *p50_p95_ms(store, asked.long)]
        for share in (100, 10):
            figures += p50_p95_ms(store, asked.long, allowed={entry_id for entry_id, _ in chunks[::share]})
        figures += [*p50_p95_ms(store, asked.short, asked.phrases), *p50_p95_ms(store, asked.longest)]
        first = [{item.entry_id for item in store.search(KB, terms, 10)} for terms in (*asked.short, *asked.long)]
        start = time.perf_counter()
        store.upsert(KB, [("added", ["entirely-new", *chunks[0][1]])])
        if not store.search(KB, ["entirely-new"], 1):
            raise SystemExit(f"{engine} does not find what was added")
        figures.append(1000 * (time.perf_counter() - start))
        store.drop(KB)
        store.close()
    return figures, first


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    add_places(parser, ENGINES)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    chunks = [(f"{number:032x}", words) for number, words in enumerate(texts(options.chunks, TERMS_OF_A_CHUNK, rng))]
    for _, words in chunks:
        del words[TERMS_OF_A_CHUNK - int(rng.integers(0, TERMS_OF_A_CHUNK // 2)) :]  # real chunks are not all of one length
    short, long = ([[f"w{word}" for word in rng.integers(20, 5_000, size)] for _ in range(options.queries)] for size in (3, 12))
    phrases = [words[:3] for _, words in chunks[: options.queries]]
    asked = Questions(short, long, phrases, texts(LONG_QUESTIONS, LONG_QUESTION, rng))
    print(
        f"{options.chunks} chunks of {TERMS_OF_A_CHUNK} terms; {os.cpu_count()} cores, {platform.machine()}, {platform.system()}"
    )
    oracle: list[float] = []
    right: list[set[str]] = []
    for engine in options.engines.split(","):
        figures, first = measure(engine, chunks, asked, options)
        right = right or first
        figures.append(sum(len(a & b) for a, b in zip(right, first, strict=True)) / sum(map(len, right)))
        oracle = oracle or figures
        print(engine)
        for column, value, base in zip(COLUMNS, figures, oracle, strict=True):
            print(f"  {column:16} {value:10.2f}  {value / base:8.3f}x", flush=True)


if __name__ == "__main__":
    main()
