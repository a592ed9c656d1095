"""Numbers that are looked up when somebody asks for the metrics."""

from __future__ import annotations

import logging
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from ragd.sources.registry import local_types
from ragd.store.collections import Collections
from ragd.store.database.sizes import DatabaseSizes, bytes_of
from ragd.store.ledger import Ledger
from ragd.store.overview import Overviews
from ragd.store.sources import Source, Sources

log = logging.getLogger(__name__)

Values = Mapping[tuple[str, ...], float]
"""By the values of the labels; () where there are none."""

_GPU_TIMEOUT_S: Final = 5.0
_GPU: Final = ("utilization.gpu", "memory.used", "memory.total")


@dataclass(frozen=True, slots=True)
class Gauge:
    """One name with its numbers."""

    name: str
    help: str
    values: Callable[[], Values]
    labels: tuple[str, ...] = ()


def gauges(
    collections: Collections, overviews: Overviews, sources: Sources, ledger: Ledger, data_folder: Path, sizes: DatabaseSizes
) -> list[Gauge]:
    def of(value: Callable[[], float]) -> Callable[[], Values]:
        return lambda: {(): value()}

    own = [
        Gauge("knowledge_bases_active", "Enabled knowledge bases.", of(lambda: len(collections.enabled()))),
        Gauge("chunks_total", "Chunks that can be found.", of(lambda: overviews.get().counts["chunks"])),
        Gauge("documents_failed", "Documents that could not be read.", of(lambda: overviews.get().failed_documents)),
        Gauge("jobs_unfinished", "Jobs that wait or run.", of(lambda: overviews.get().unfinished_jobs)),
        Gauge("jobs_oldest_seconds", "Age of the oldest unfinished job, 0 without one.", of(lambda: _oldest_s(overviews))),
        Gauge("index_bytes", "Size of each index.", lambda: _index_bytes(data_folder / "index", sizes.indexes()), ("index",)),
        Gauge("database_bytes", "Size of the database.", lambda: {(): sizes.database()}),
        Gauge("sync_lag_seconds", "Since a cloud source was last read whole.", lambda: _lags(sources, ledger), ("source",)),
    ]
    return own + (_gpu_gauges() if shutil.which("nvidia-smi") else [])


def _oldest_s(overviews: Overviews) -> float:
    jobs = overviews.get().jobs
    return _age_s(jobs[0].created_at) if jobs else 0.0


def _age_s(moment: str) -> float:
    return max(0.0, (datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds())


def _index_bytes(folder: Path, in_database: Mapping[str, float]) -> Values:
    """`dense`, `sparse` and `tokens`: the beginnings of the folders' names. One in a server of its own is not counted."""
    found: dict[tuple[str, ...], float] = {(name,): size for name, size in in_database.items()}
    for index in folder.iterdir() if folder.exists() else ():
        name = (index.name.partition("-")[0],)
        # A folder without files stands for an index elsewhere: nothing is known of one that is not in the database.
        if size := bytes_of(index.rglob("*")):
            found[name] = found.get(name, 0) + size
    return found


def _lags(sources: Sources, ledger: Ledger) -> Values:
    local = local_types()
    return {(one.name,): _lag_s(one, ledger) for one in sources.all() if one.enabled and one.type not in local}


def _lag_s(source: Source, ledger: Ledger) -> float:
    """Since the last complete cycle began, which is when what it read was so; since the source was added, before the first."""
    last = ledger.last_complete(source.source_id)
    return _age_s(last.started_at if last else source.created_at)


def _gpu_gauges() -> list[Gauge]:
    """Of each GPU, as its driver's own program tells."""
    names = ("gpu_utilization_ratio", "gpu_memory_used_bytes", "gpu_memory_total_bytes")
    helps = ("Share of the last moments in which the GPU worked.", "GPU memory in use.", "GPU memory.")
    units = (0.01, 1024.0**2, 1024.0**2)

    def values(column: int) -> Callable[[], Values]:
        return lambda: {(row[0],): float(row[1 + column]) * units[column] for row in _gpu_rows()}

    return [Gauge(name, text, values(column), ("gpu",)) for column, (name, text) in enumerate(zip(names, helps, strict=True))]


def _gpu_rows() -> list[list[str]]:
    """Index and the columns of `_GPU`. What the driver does not know, as of a GPU that is cut in parts, leaves the row out."""
    command = ["nvidia-smi", f"--query-gpu=index,{','.join(_GPU)}", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True, timeout=_GPU_TIMEOUT_S)
    except (OSError, subprocess.SubprocessError) as error:
        log.warning("nvidia-smi tells nothing of GPUs", extra={"reason": type(error).__name__})
        return []
    rows = [[cell.strip() for cell in line.split(",")] for line in done.stdout.splitlines()]
    return [row for row in rows if len(row) == 1 + len(_GPU) and all(cell.replace(".", "", 1).isdigit() for cell in row)]
