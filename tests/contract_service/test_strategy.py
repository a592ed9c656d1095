"""`config/strategies/service.yaml` has every value of the requirement, and PostgreSQL gets the graph that it asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragd.config.loading import load_settings

# By the requirement's conventions and criteria: what one flag must give.
_VALUES = {
    "embedding.model": "bge-m3",
    "splitter.chunk_size": 512,
    "splitter.chunk_overlap": 64,
    "dense.ef_search": 40,
    "dense.graph_precision": "vector",
    "retrieval.strategy": "dense_only",
    "retrieval.top_k": 5,
    "retrieval.min_score": 0,
    "rerank.provider": "cross_encoder",
    "rerank.model": "bge-reranker-v2-m3",
    "rerank.per_result": 3,
    "limits.max_top_k": 20,
    "limits.max_rerank_candidates": 100,
    "limits.max_document_size": 50 * 1024 * 1024,
    "jobs.cleanup_retries_s": (60, 120, 240),
    "observability.metrics": True,
}
# With the names that the requirement gives them.
_ENVIRONMENT = {
    "RAG_HNSW_EF_SEARCH": ("dense.ef_search", 77),
    "RAG_MAX_TOP_K": ("limits.max_top_k", 30),
    "RAG_MAX_RERANK_CANDIDATES": ("limits.max_rerank_candidates", 50),
    "RAG_MAX_DOCUMENT_SIZE": ("limits.max_document_size", 1_000_000),
}


def _strategy(project_root: Path, environment: dict[str, str]) -> dict[str, Any]:
    values = load_settings(project_root / "config", strategy="service", environment=environment).model_dump()
    return {f"{group}.{name}": value for group, own in values.items() if isinstance(own, dict) for name, value in own.items()}


def test_every_value_of_the_strategy_is_the_requirements(project_root: Path) -> None:
    values = _strategy(project_root, {})
    assert {name: values[name] for name in _VALUES} == _VALUES


def test_the_requirements_variables_count_more_than_the_strategy(project_root: Path) -> None:
    values = _strategy(project_root, {name: str(value) for name, (_, value) in _ENVIRONMENT.items()})
    assert {name: values[name] for name, _ in _ENVIRONMENT.values()} == dict(_ENVIRONMENT.values())


@pytest.mark.slow
@pytest.mark.parametrize("opened_in", ["postgres"], indirect=True, scope="session")
def test_pgvectors_graph_is_the_requirements(opened: Any, project_root: Path) -> None:
    values = _strategy(project_root, {})
    asked = {f"dense.{name}": values[f"dense.{name}"] for name in ("backend", "ef_search", "graph_precision")}
    vectors = np.random.default_rng(1).standard_normal((10_000, 8), dtype=np.float32)
    with opened(asked, runs=False) as service:
        dense = service.app.indexes().dense
        dense.upsert("graphs", [f"{number:032x}" for number in range(len(vectors))], vectors)
        [(definition,)] = service.store.run("SELECT indexdef FROM pg_indexes WHERE indexname = 'graph_graphs'")
        assert "USING hnsw" in definition
        assert " vector_cosine_ops)" in definition
        assert "m='16'" in definition
        assert "ef_construction='64'" in definition
        # The very connection that searches.
        assert dense._schema.read(lambda connection: connection.execute("SHOW hnsw.ef_search").fetchone(), None) == ("40",)
        plan = dense._schema.read(lambda connection: _plan(connection, dense, vectors[0]), "")
        assert "graph_graphs" in plan
        assert dense.search("graphs", vectors[3], 5)[0].entry_id == f"{3:032x}"


def _plan(connection: Any, dense: Any, vector: Any) -> str:
    statement = dense._near("graphs", len(vector), "").as_string(connection)
    values = {"vector": str(vector.tolist()), "k": 15}
    return "\n".join(row[0] for row in connection.execute("EXPLAIN " + statement, values))
