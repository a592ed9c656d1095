"""The gauges beyond the contract's, and the dashboard that draws them."""

from __future__ import annotations

import json
import os
import re
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from ragd.api.application import routes
from ragd.app.gauges import gauges
from ragd.app.metrics import Metrics
from ragd.core.tracing import utc_now
from ragd.providers.registry import build
from ragd.store.collections import Collections
from ragd.store.database.engine import open_engine
from ragd.store.database.sizes import DatabaseSizes
from ragd.store.jobs import Jobs
from ragd.store.ledger import Ledger
from ragd.store.overview import Overviews
from ragd.store.passages import Passages
from ragd.store.sources import Sources
from ragd.testing.common import entry_ids, unit_vectors

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the driver's program is a shell script here")

DASHBOARD = Path(__file__).resolve().parents[3] / "deploy" / "grafana" / "dashboard.json"
_SUFFIXES = re.compile(r"_(?:bucket|sum|count)$")
# In a query: names of functions, of labels and of what stands in quotes or brackets are no metrics.
_NAME = re.compile(r"\b([a-z][a-z_]*[a-z])\{")


# What every process finds in the database, and not what it has counted itself.
SHARED = (
    *("jobs_unfinished", "jobs_oldest_seconds", "chunks_total", "knowledge_bases_active", "documents_failed"),
    *("database_bytes", "index_bytes", "sync_lag_seconds"),
)


class Stores:
    def __init__(self, folder: Path) -> None:
        engine = open_engine("", folder)
        self.engine = engine
        self.collections = Collections(engine)
        self.collections.ensure_default()
        self.sources = Sources(engine)
        self.ledger = Ledger(engine)
        overviews = Overviews(engine, Passages(engine), Jobs(engine, 10, 10), ThreadPoolExecutor(1))
        own = gauges(self.collections, overviews, self.sources, self.ledger, folder, DatabaseSizes(engine))
        self.metrics = Metrics(own)

    def samples(self) -> dict[Any, float]:
        families = text_string_to_metric_families(self.metrics.text().decode())
        return {(one.name, *one.labels.values()): one.value for family in families for one in family.samples}


@pytest.fixture
def stores(tmp_path: Path, migrated: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "rag.db").write_bytes(migrated.read_bytes())
    # A driver's program that tells of two GPUs, the second one cut in parts.
    program = tmp_path / "bin" / "nvidia-smi"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho '0, 50, 1024, 2048'\necho '1, [N/A], 1024, 2048'\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    opened = Stores(tmp_path)
    yield opened
    opened.engine.dispose()


def test_sizes_are_those_of_the_files(stores: Stores, tmp_path: Path) -> None:
    for name, size in (("dense-usearch-1/a", 10), ("dense-usearch-1/b", 5), ("sparse-tantivy/c", 7), ("tokens-file-2/d", 3)):
        (tmp_path / "index" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "index" / name).write_bytes(b"x" * size)
    found = stores.samples()
    assert [found["index_bytes", kind] for kind in ("dense", "sparse", "tokens")] == [15, 7, 3]
    assert found["database_bytes",] == sum(file.stat().st_size for file in tmp_path.glob("rag.db*"))


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["qdrant", "milvus"])
def test_an_engine_that_runs_in_a_folder_has_its_files(stores: Stores, tmp_path: Path, backend: str) -> None:
    folder = tmp_path / "index" / f"dense-{backend}-1"
    with closing(build("dense", backend, folder=folder)) as store:
        store.upsert("kb", entry_ids(500), unit_vectors(500, dimension=64))
    # Of 500 vectors of 64 numbers of four bytes.
    assert stores.samples()["index_bytes", "dense"] >= 500 * 64 * 4


def test_an_index_in_a_server_has_no_size_instead_of_a_wrong_one(stores: Stores, tmp_path: Path) -> None:
    (tmp_path / "index" / "dense-milvus-1").mkdir(parents=True)
    assert not [key for key in stores.samples() if key[0] == "index_bytes"]


def test_the_lag_of_a_cloud_source_is_since_it_was_last_read_whole(stores: Stores) -> None:
    kb_id = stores.collections.get("default").kb_id
    old = stores.sources.add("confluence", "Wiki", kb_id, {})
    stores.sources.add("jira", "Off", kb_id, {}, enabled=False)
    stores.sources.add("folder", "Docs", kb_id, {})
    lags = {key[1]: value for key, value in stores.samples().items() if key[0] == "sync_lag_seconds"}
    assert set(lags) == {"Wiki"}
    cycle = stores.ledger.begin(old.source_id, "full", None)
    stores.ledger.save(replace(cycle, started_at=utc_now(-3600), phase="done"))
    assert 3600 <= stores.samples()["sync_lag_seconds", "Wiki"] < 3600 + 600


def test_gpus_are_told_of_where_their_driver_tells(stores: Stores) -> None:
    found = stores.samples()
    assert found["gpu_utilization_ratio", "0"] == 0.5
    assert found["gpu_memory_used_bytes", "0"] == 1024**3
    assert ("gpu_memory_used_bytes", "1") not in found


def test_without_a_gpu_there_are_no_such_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    nothing: Any = None
    assert not [one.name for one in gauges(nothing, nothing, nothing, nothing, tmp_path, nothing) if one.name.startswith("gpu")]


def test_a_driver_that_fails_is_no_failure_of_the_metrics(stores: Stores, tmp_path: Path) -> None:
    (tmp_path / "bin" / "nvidia-smi").write_text("#!/bin/sh\nexit 9\n")
    assert not any(name.startswith("gpu") for name, *_ in stores.samples())


def test_texts_are_counted_by_what_they_were_embedded_for(stores: Stores) -> None:
    trace = {"trace_type": "ingestion", "aggregates": {"counters": {"embedded": 12}}, "spans": []}
    span = {"name": "stage.retrieve_dense", "start_ms": 0.0, "end_ms": 1.0}
    stores.metrics.write([trace, {"trace_type": "query", "aggregates": {"counters": {}}, "spans": [span]}])
    found = stores.samples()
    assert (found["embedding_texts_total", "passage"], found["embedding_texts_total", "query"]) == (12, 1)


def test_the_dashboard_asks_for_nothing_that_is_not_exposed(stores: Stores) -> None:
    exposed = set(re.findall(r"^# TYPE (\w+) ", stores.metrics.text().decode(), flags=re.MULTILINE))
    dashboard = json.loads(DASHBOARD.read_text("utf-8"))
    asked = {name for panel in dashboard["panels"] for target in panel["targets"] for name in _NAME.findall(target["expr"])}
    assert asked
    assert {name for name in asked if name not in exposed and _SUFFIXES.sub("", name) not in exposed} == set()
    # And every name is drawn by some panel, so that none is forgotten.
    drawn = {_SUFFIXES.sub("", name) for name in asked}
    assert {name for name in exposed - drawn if not name.endswith("_created")} == set()


def test_the_dashboard_names_routes_that_are_there_and_counts_what_all_processes_share_once() -> None:
    dashboard = json.loads(DASHBOARD.read_text("utf-8"))
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    named = {path for one in asked for paths in re.findall(r'endpoint=~"([^"]+)"', one) for path in paths.split("|")}
    assert named
    assert named <= set(routes().openapi()["paths"])
    # Each process says the same of the database: their lines would lie upon each other, and a sum would be wrong.
    shared = [one for one in asked if any(f"{name}{{" in one for name in SHARED)]
    assert len(shared) == len(SHARED)
    assert [one for one in shared if not one.startswith("max")] == []
