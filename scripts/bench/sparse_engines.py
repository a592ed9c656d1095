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
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import numpy as np

from ragd.providers.protocols import SparseStore
from ragd.providers.registry import build

KB = "0" * 32
ENGINES = ("rank_bm25", "fts5", "tantivy")
VOCABULARY = 50_000
BATCH = 2_000
TERMS_OF_A_CHUNK = 130
TOP_K = 100
LONG_QUESTION = 8_000
LONG_QUESTIONS = 5
COLUMNS = ("build s", "size MB", "3 words ms", "12 words ms", "3 + phrase ms", "8,000 words ms", "one add ms")


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


def p50_ms(store: SparseStore, queries: Sequence[Sequence[str]], phrases: Sequence[Sequence[str]] = ()) -> float:
    times = []
    for terms, phrase in zip_longest(queries, phrases, fillvalue=()):
        start = time.perf_counter()
        store.search(KB, terms, TOP_K, phrases=[phrase])
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times)


def measure(engine: str, chunks: Sequence[tuple[str, list[str]]], asked: Questions) -> list[float]:
    """Figures of `COLUMNS`: times of questions are p50, of an addition until it is found."""
    with tempfile.TemporaryDirectory() as folder:
        store: SparseStore = build("sparse", engine, folder=Path(folder))
        start = time.perf_counter()
        for at in range(0, len(chunks), BATCH):
            store.upsert(KB, chunks[at : at + BATCH])
        store.search(KB, asked.short[0], TOP_K)
        built = time.perf_counter() - start
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()) / 1e6
        queries = [p50_ms(store, asked.short), p50_ms(store, asked.long), p50_ms(store, asked.short, asked.phrases)]
        queries.append(p50_ms(store, asked.longest))
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
    chunks = [(f"{number:032x}", words) for number, words in enumerate(texts(options.chunks, TERMS_OF_A_CHUNK, rng))]
    short, long = ([[f"w{word}" for word in rng.integers(20, 5_000, size)] for _ in range(options.queries)] for size in (3, 12))
    phrases = [words[:3] for _, words in chunks[: options.queries]]
    asked = Questions(short, long, phrases, texts(LONG_QUESTIONS, LONG_QUESTION, rng))
    print(
        f"{options.chunks} chunks of {TERMS_OF_A_CHUNK} terms; {os.cpu_count()} cores, {platform.machine()}, {platform.system()}"
    )
    print(f"{'engine':10} " + " ".join(f"{column:>17}" for column in COLUMNS))
    oracle: list[float] | None = None
    for engine in ENGINES:
        figures = measure(engine, chunks, asked)
        oracle = oracle or figures
        cells = (f"{value:.2f} ({value / base:.3f}x)" for value, base in zip(figures, oracle, strict=True))
        print(f"{engine:10} " + " ".join(f"{cell:>17}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
