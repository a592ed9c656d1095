"""The dense engines side by side over synthetic clustered vectors: upserts, searches, filters, memory. Ratios: against `exact`.

python scripts/bench/dense_engines.py --vectors 10000
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ragd.providers.dense.usearch import UsearchStore
from ragd.providers.protocols import DenseStore, Vectors
from ragd.providers.registry import build

KB = "0" * 32
ENGINES = ("exact", "usearch")
DIMENSION = 384
LATENT = 24
CLUSTERS = 300
BATCH = 256
TOP_K = 100


def clustered(count: int, rng: np.random.Generator, shape: np.random.Generator) -> Vectors:
    """Like embeddings of text: clusters in few true dimensions, a little noise in all of them."""
    centres = shape.standard_normal((CLUSTERS, LATENT), dtype=np.float32)
    projection = shape.standard_normal((LATENT, DIMENSION), dtype=np.float32) / 5
    latent = centres[rng.integers(0, CLUSTERS, count)] + np.float32(0.6) * rng.standard_normal((count, LATENT), dtype=np.float32)
    return latent @ projection + np.float32(0.05) * rng.standard_normal((count, DIMENSION), dtype=np.float32)


def resident_mb() -> float:
    """Memory of this process in RAM; Linux only, elsewhere not a number."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except FileNotFoundError:
        return float("nan")
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def p50_ms(run: Callable[[Vectors], object], queries: Vectors) -> float:
    times = []
    for query in queries:
        start = time.perf_counter()
        run(query)
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--vectors", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--exact-filter-max", type=int, default=50_000)
    parser.add_argument("--ef-search", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    vectors = clustered(options.vectors, rng, np.random.default_rng(1))
    queries = clustered(options.queries, rng, np.random.default_rng(1))
    ids = [f"{number:032x}" for number in range(options.vectors)]
    filters = {f"filter {share:.0%}": set(rng.permutation(ids)[: int(share * len(ids))].tolist()) for share in (0.01, 0.1, 0.6)}
    print(f"{len(ids)} vectors of {DIMENSION}, top {TOP_K}; {os.cpu_count()} cores, {platform.machine()}, {platform.system()}")
    right: list[set[str]] = []
    base: dict[str, float] = {}
    for engine in ENGINES:
        with tempfile.TemporaryDirectory() as folder:
            before = resident_mb()
            store: DenseStore = build(
                "dense", engine, folder=Path(folder), exact_filter_max=options.exact_filter_max, ef_search=options.ef_search
            )
            times = []
            for at in range(0, len(ids), BATCH):
                start = time.perf_counter()
                store.upsert(KB, ids[at : at + BATCH], vectors[at : at + BATCH])
                times.append(time.perf_counter() - start)
            start = time.perf_counter()
            while isinstance(store, UsearchStore) and store.pending(KB):
                time.sleep(0.01)
            filling = time.perf_counter() - start
            figures = {"upsert ms/batch": 1000 * statistics.median(times), "build s": sum(times) + filling}
            figures["search ms"] = p50_ms(lambda query, store=store: store.search(KB, query, TOP_K), queries)  # type: ignore[misc]
            for name, allowed in filters.items():
                figures[f"{name} ms"] = p50_ms(
                    lambda query, store=store, allowed=allowed: store.search(KB, query, TOP_K, allowed),  # type: ignore[misc]
                    queries,
                )
            found = [{item.entry_id for item in store.search(KB, query, 10)} for query in queries]
            right = right or found
            store.close()
            start = time.perf_counter()
            store = build(
                "dense", engine, folder=Path(folder), exact_filter_max=options.exact_filter_max, ef_search=options.ef_search
            )
            store.search(KB, queries[0], TOP_K)
            figures["reopen ms"] = 1000 * (time.perf_counter() - start)
            start = time.perf_counter()
            store.search(KB, queries[0], TOP_K, filters["filter 1%"])
            figures["first filter ms"] = 1000 * (time.perf_counter() - start)
            figures["RSS MB"] = resident_mb() - before
            store.close()
        base = base or figures
        recall = sum(len(a & b) for a, b in zip(right, found, strict=True)) / (10 * len(right))
        print(f"{engine}: recall@10 {recall:.3f}")
        for name, value in figures.items():
            print(f"  {name:18} {value:10.2f}  {value / base[name]:8.3f}x", flush=True)


if __name__ == "__main__":
    main()
