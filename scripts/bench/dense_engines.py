"""The dense back ends side by side over synthetic clustered vectors: upserts, searches, filters, disk, memory.

    python scripts/bench/dense_engines.py --vectors 10000
    python scripts/bench/dense_engines.py --vectors 50000 --engines exact,qdrant --server http://127.0.0.1:6333

A back end of a server runs inside this process where `--server` names none; one of PostgreSQL needs `--database`. Ratios and
recall are against the first.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ragd.config.indexing import IndexServerSettings
from ragd.providers.dense.usearch import UsearchStore
from ragd.providers.protocols import DenseStore, ProviderKind, Vectors
from ragd.providers.registry import build, provider_class

KB = "0" * 32
ENGINES = "exact,usearch,qdrant,milvus"
DIMENSION = 384
LATENT = 24
CLUSTERS = 300
BATCH = 256
TOP_K = 100
Filters: TypeAlias = dict[str, set[str]]


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


def p50_p95_ms(run: Callable[[Vectors], object], queries: Vectors) -> tuple[float, float]:
    times = []
    for query in queries:
        start = time.perf_counter()
        run(query)
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times), 1000 * float(np.quantile(times, 0.95))


def disk_mb(folder: Path) -> float:
    """What the files take, holes left out."""
    return sum(path.stat().st_blocks for path in folder.rglob("*") if path.is_file()) * 512 / 1e6


def add_places(parser: argparse.ArgumentParser, engines: str) -> None:
    """The arguments that `place` reads."""
    parser.add_argument("--engines", default=engines, help="names of the provider table, the first as the measure of the others")
    parser.add_argument("--server", default="", help="address of the server that back ends of servers use")
    parser.add_argument("--database", default="", help="URL of the PostgreSQL that back ends in a database use")


def place(kind: ProviderKind, engine: str, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Where a back end keeps its index, as the arguments of its constructor."""
    made_by = provider_class(kind, engine)
    if getattr(made_by, "in_database", False):
        return {"url": options.database, "index": f"{kind}-{engine}-bench"}
    if options.server and getattr(made_by, "needs_server", False):
        return {"folder": folder, "server": IndexServerSettings(url=options.server)}
    return {"folder": folder}


def measure(
    open_store: Callable[[], DenseStore], folder: Path, ids: Sequence[str], vectors: Vectors, queries: Vectors, filters: Filters
) -> tuple[dict[str, float], dict[str, list[set[str]]]]:
    """Figures by name, and the first ten of each query without and with each filter."""
    before = resident_mb()
    store = open_store()
    times = []
    for at in range(0, len(ids), BATCH):
        start = time.perf_counter()
        store.upsert(KB, ids[at : at + BATCH], vectors[at : at + BATCH])
        times.append(time.perf_counter() - start)
    start = time.perf_counter()
    while isinstance(store, UsearchStore) and store.pending(KB):
        time.sleep(0.01)
    if not isinstance(store, UsearchStore):
        store.close()  # which waits for what fills a graph in the background
        store = open_store()
        store.search(KB, queries[0], TOP_K)
    filling = time.perf_counter() - start
    figures = {"upsert ms/batch": 1000 * statistics.median(times), "build s": sum(times) + filling}
    figures["chunks/s"] = len(ids) / figures["build s"]
    found: dict[str, list[set[str]]] = {}
    for name, allowed in {"search": None, **filters}.items():

        def ask(query: Vectors, k: int = TOP_K, *, store: DenseStore = store, among: set[str] | None = allowed) -> set[str]:
            return {item.entry_id for item in store.search(KB, query, k, among)}

        figures[f"{name} p50"], figures[f"{name} p95"] = p50_p95_ms(ask, queries)
        found[name] = [ask(query, 10) for query in queries]
    store.close()
    figures["disk MB"] = disk_mb(folder)
    start = time.perf_counter()
    store = open_store()
    store.search(KB, queries[0], TOP_K)
    figures["reopen ms"] = 1000 * (time.perf_counter() - start)
    start = time.perf_counter()
    store.search(KB, queries[0], TOP_K, filters["filter 1%"])
    figures["first filter ms"] = 1000 * (time.perf_counter() - start)
    figures["RSS MB"] = resident_mb() - before
    store.drop(KB)
    store.close()
    return figures, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--vectors", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--exact-filter-max", type=int, default=50_000)
    parser.add_argument("--ef-search", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    add_places(parser, ENGINES)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    vectors = clustered(options.vectors, rng, np.random.default_rng(1))
    queries = clustered(options.queries, rng, np.random.default_rng(1))
    ids = [f"{number:032x}" for number in range(options.vectors)]
    filters = {f"filter {share:.0%}": set(rng.permutation(ids)[: int(share * len(ids))].tolist()) for share in (0.01, 0.1, 0.6)}
    print(f"{len(ids)} vectors of {DIMENSION}, top {TOP_K}; {os.cpu_count()} cores, {platform.machine()}, {platform.system()}")
    right: dict[str, list[set[str]]] = {}
    base: dict[str, float] = {}
    for engine in options.engines.split(","):
        with tempfile.TemporaryDirectory() as folder:
            limits = {"exact_filter_max": options.exact_filter_max, "ef_search": options.ef_search}
            open_store = partial(build, "dense", engine, **place("dense", engine, Path(folder), options), **limits)
            figures, found = measure(open_store, Path(folder), ids, vectors, queries, filters)
        right, base = right or found, base or figures
        recall = {
            name: sum(len(a & b) for a, b in zip(right[name], found[name], strict=True)) / (10 * len(queries)) for name in right
        }
        print(f"{engine}: recall@10 " + ", ".join(f"{name} {value:.3f}" for name, value in recall.items()))
        for name, value in figures.items():
            print(f"  {name:18} {value:10.2f}  {value / base[name]:8.3f}x", flush=True)


if __name__ == "__main__":
    main()
