"""The sparse engines side by side over synthetic chunks: building, size, queries, one addition. Ratios are against rank_bm25.

python scripts/bench/sparse_engines.py --chunks 10000
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rag_assistant.providers import build
from rag_assistant.providers.base import SparseStore

KB = "0" * 32
ENGINES = ("rank_bm25", "fts5", "tantivy")
VOCABULARY = 50_000
BATCH = 2_000
TERMS_OF_A_CHUNK = 130
TOP_K = 100


def synthetic_chunks(count: int, rng: np.random.Generator) -> list[tuple[str, list[str]]]:
    """Chunks whose words are as frequent as Zipf's law has it."""
    ranks = np.arange(1, VOCABULARY + 1)
    shares = 1 / (ranks + 2.7)
    words = rng.choice(VOCABULARY, size=(count, TERMS_OF_A_CHUNK), p=shares / shares.sum())
    return [(f"{number:032x}", [f"w{word}" for word in row]) for number, row in enumerate(words)]


def p50_ms(store: SparseStore, queries: Sequence[Sequence[str]]) -> float:
    times = []
    for terms in queries:
        start = time.perf_counter()
        store.search(KB, terms, TOP_K)
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times)


def measure(engine: str, chunks: Sequence[tuple[str, list[str]]], short: list[list[str]], long: list[list[str]]) -> list[float]:
    """Seconds to build, MB, p50 of 3 words and of 12, ms from one addition until it is found."""
    with tempfile.TemporaryDirectory() as folder:
        store: SparseStore = build("sparse", engine, folder=Path(folder))
        start = time.perf_counter()
        for at in range(0, len(chunks), BATCH):
            store.upsert(KB, chunks[at : at + BATCH])
        store.search(KB, short[0], TOP_K)
        built = time.perf_counter() - start
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()) / 1e6
        queries = p50_ms(store, short), p50_ms(store, long)
        start = time.perf_counter()
        store.upsert(KB, [("added", ["entirely-new", *chunks[0][1]])])
        if not store.search(KB, ["entirely-new"], 1):
            raise SystemExit(f"{engine} does not find what was added")
        added = 1000 * (time.perf_counter() - start)
        store.close()
    return [built, size, *queries, added]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    chunks = synthetic_chunks(options.chunks, rng)
    short, long = ([[f"w{word}" for word in rng.integers(20, 5_000, size)] for _ in range(options.queries)] for size in (3, 12))
    print(
        f"{options.chunks} chunks of {TERMS_OF_A_CHUNK} terms; {os.cpu_count()} cores, {platform.machine()}, {platform.system()}"
    )
    print(f"{'engine':10} {'build s':>16} {'size MB':>16} {'3 words ms':>16} {'12 words ms':>16} {'one add ms':>16}")
    oracle: list[float] | None = None
    for engine in ENGINES:
        figures = measure(engine, chunks, short, long)
        oracle = oracle or figures
        cells = (f"{value:.2f} ({value / base:.3f}x)" for value, base in zip(figures, oracle, strict=True))
        print(f"{engine:10} " + " ".join(f"{cell:>16}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
