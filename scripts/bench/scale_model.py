#!/usr/bin/env python3
"""What 10 million to 10 billion chunks take: bytes, machines, time to embed, delay of a query, money.

    .venv/bin/python scripts/bench/scale_model.py
    .venv/bin/python scripts/bench/scale_model.py --chunks 5e7 --embed-per-s 3000 --embedder-per-hour 2.5

Arithmetic from measured bytes and delays, and from assumptions: each is an argument, and what it is at is printed. Bytes were
measured on 98,147 chunks of 132 tokens (docs/scale.md has the commands). A query over several shards waits for the slowest, whose
delay is drawn from the measured one of one shard (lognormal, by p50 and p95) and, for a share of the requests, stalls: see
J. Dean and L. A. Barroso, "The Tail at Scale" (CACM 56(2), 2013). A hedged request is sent again to another replica when it takes
longer than 95 of 100 do.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

# The 95th of 100 of a normal distribution lies so many standard deviations above the middle.
_Z95 = 1.6449
_DRAWS = 20_000
_HOURS_A_MONTH = 730


@dataclass(frozen=True)
class Assumed:
    """Measured where the comment says so; else prices and machines to replace by your own."""

    content_bytes: float = 2450  # measured: text, places, versions and their indexes, a chunk, SQLite
    kept_vector_bytes: float = 2170  # measured: the float32 vector that is kept, with its key
    word_index_bytes: float = 300  # measured: tantivy, a chunk
    token_bytes: float = 2600  # measured: token codes, a chunk
    dimensions: float = 384  # multilingual-e5-small
    link_bytes: float = 916  # measured: the graph's links (usearch, connectivity 16), a chunk
    embed_per_s: float = 76  # measured: chunks of 100 tokens a second on 2 cores, int8
    embedder_per_hour: float = 0.10  # money for what embeds at that rate
    shard_p50_ms: float = 27  # measured: a default query at 98,147 chunks
    shard_p95_ms: float = 38
    stall_share: float = 0.002  # of the requests to a shard: merges, garbage, a restart
    stall_ms: float = 400
    queries_per_s: float = 25  # measured: default queries a second that 2 cores answer
    machine_memory_gb: float = 256
    machine_disk_gb: float = 7600
    machine_cores: float = 32
    machine_per_month: float = 900
    replicas: float = 2
    filled: float = 0.7  # of memory and disk


@dataclass(frozen=True)
class Layout:
    """How the nearest vectors are kept in memory and on disk."""

    name: str
    memory: str
    vector_bytes: float  # a dimension, in memory
    links_in_memory: bool
    disk_vector_bytes: float  # a dimension, on the disk
    most_chunks: float
    """More than so many are not to be had with it on a shard."""


LAYOUTS = (
    Layout("one process: usearch, tantivy, SQLite", "float32 vectors and graph", 4, True, 4, 3e6),
    Layout("PostgreSQL, pgvector halfvec, partitioned by collection", "float16 vectors and graph", 2, True, 2, 2e7),
    Layout("Qdrant or Milvus cluster, int8 in memory, float32 on disk", "int8 vectors and graph", 1, True, 4, 5e7),
    Layout("disk index (DiskANN, Milvus), 1 bit a dimension in memory", "1-bit codes", 0.125, False, 4, 5e8),
)


@dataclass(frozen=True)
class Needed:
    chunks: float
    layout: Layout
    memory_gb: float
    disk_gb: float
    shards: int
    machines: int

    @classmethod
    def of(cls, chunks: float, layout: Layout, assumed: Assumed) -> Needed:
        links = assumed.link_bytes
        memory = assumed.dimensions * layout.vector_bytes + (links if layout.links_in_memory else 0)
        index = assumed.dimensions * layout.disk_vector_bytes + links
        kept = assumed.content_bytes + assumed.kept_vector_bytes + assumed.word_index_bytes + assumed.token_bytes
        memory_gb, disk_gb = chunks * memory / 1e9, chunks * (kept + index) / 1e9
        by_memory = memory_gb / (assumed.machine_memory_gb * assumed.filled)
        by_disk = disk_gb / (assumed.machine_disk_gb * assumed.filled)
        shards = math.ceil(max(by_memory, by_disk, chunks / layout.most_chunks))
        return cls(chunks, layout, memory_gb, disk_gb, shards, math.ceil(shards * assumed.replicas))


def slowest_of(shards: int, assumed: Assumed, *, hedged: bool) -> tuple[float, float]:
    """The p50 and the p99 of a query in milliseconds, which waits for the slowest of its shards."""
    draw = np.random.default_rng(7)
    spread = math.log(assumed.shard_p95_ms / assumed.shard_p50_ms) / _Z95

    def delays() -> FloatArray:
        stalls = draw.random(_DRAWS) < assumed.stall_share
        return draw.lognormal(math.log(assumed.shard_p50_ms), spread, _DRAWS) + assumed.stall_ms * stalls

    worst = np.zeros(_DRAWS)
    for _shard in range(shards):
        answered = delays()
        if hedged:
            answered = np.minimum(answered, assumed.shard_p95_ms + delays())
        worst = np.maximum(worst, answered)
    p50, p99 = np.percentile(worst, (50, 99))
    return float(p50), float(p99)


def table(chunks: float, assumed: Assumed) -> list[str]:
    seconds = chunks / assumed.embed_per_s
    lines = [
        f"## {chunks:,.0f} chunks (about {chunks * 132 / 1e9:,.1f} billion tokens)",
        "",
        f"Embedding all of it: {seconds / 3600:,.0f} hours of one embedder, "
        f"{seconds / 3600 * assumed.embedder_per_hour:,.0f} in money; "
        f"in a week with {math.ceil(seconds / (7 * 86_400)):,} of them. The same again for another model.",
        "",
        "| layout | memory | disk | shards | machines | a month | p50, p99 of a query | p99 hedged | a million queries |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for layout in LAYOUTS:
        needed = Needed.of(chunks, layout, assumed)
        p50, p99 = slowest_of(needed.shards, assumed, hedged=False)
        hedged = slowest_of(needed.shards, assumed, hedged=True)[1]
        # A query takes the time of every shard; of each, the cores of one replica answer so many a second.
        rate = assumed.queries_per_s * assumed.machine_cores / 2
        money = assumed.machine_per_month / _HOURS_A_MONTH / 3600 * needed.shards / rate * 1e6
        cells = (
            *(layout.name, f"{needed.memory_gb:,.0f} GB ({layout.memory})", f"{needed.disk_gb:,.0f} GB"),
            *(f"{needed.shards:,}", f"{needed.machines:,}", f"{needed.machines * assumed.machine_per_month:,.0f}"),
            *(f"{p50:.0f}, {p99:.0f} ms", f"{hedged:.0f} ms", f"{money:,.2f}"),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=float, nargs="+", default=[1e7, 1e8, 1e10])
    for field in fields(Assumed):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=float, default=field.default)
    given = vars(parser.parse_args())
    sizes = given.pop("chunks")
    if min(*sizes, *given.values(), math.inf) <= 0:
        parser.error("every number must be above 0")
    assumed = Assumed(**given)
    print("Assumed:", ", ".join(f"{field.name} {getattr(assumed, field.name):g}" for field in fields(assumed)))
    print()
    for chunks in sizes:
        print("\n".join(table(chunks, assumed)))


if __name__ == "__main__":
    main()
