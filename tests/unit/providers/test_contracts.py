"""The built-in providers against the contract suites of their kinds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ragd.providers.protocols import Analyzer, DenseStore, Embedder, Reranker, SparseStore
from ragd.providers.registry import build
from ragd.testing import AnalyzerContract, DenseStoreContract, EmbedderContract, RerankerContract, SparseStoreContract

pytestmark = pytest.mark.slow


class TestExactStore(DenseStoreContract):
    @pytest.fixture
    def open_store(self) -> Callable[[Path], DenseStore]:
        return lambda folder: build("dense", "exact", folder=folder, exact_filter_max=50_000, ef_search=100)


class TestUsearchStore(DenseStoreContract):
    @pytest.fixture
    def open_store(self) -> Callable[[Path], DenseStore]:
        return lambda folder: build("dense", "usearch", folder=folder, exact_filter_max=50_000, ef_search=400)


class TestUsearchStoreWithoutExactFilters(DenseStoreContract):
    """The same store where everything has a graph and every filter is too large to be scored exactly at once."""

    @pytest.fixture
    def open_store(self) -> Callable[[Path], DenseStore]:
        return lambda folder: build("dense", "usearch", folder=folder, exact_filter_max=0, ef_search=400, graph_least=1)


class TestTantivyStore(SparseStoreContract):
    @pytest.fixture
    def open_store(self) -> Callable[[Path], SparseStore]:
        return lambda folder: build("sparse", "tantivy", folder=folder)


class TestFts5Store(SparseStoreContract):
    @pytest.fixture
    def open_store(self) -> Callable[[Path], SparseStore]:
        return lambda folder: build("sparse", "fts5", folder=folder)


class TestRankBm25Store(SparseStoreContract):
    @pytest.fixture
    def open_store(self) -> Callable[[Path], SparseStore]:
        return lambda folder: build("sparse", "rank_bm25", folder=folder)


class TestSudachiAnalyzer(AnalyzerContract):
    @pytest.fixture
    def analyzer(self) -> Analyzer:
        analyzer: Analyzer = build("analyzer", "sudachi")
        return analyzer


class TestBigramAnalyzer(AnalyzerContract):
    @pytest.fixture
    def analyzer(self) -> Analyzer:
        analyzer: Analyzer = build("analyzer", "bigram")
        return analyzer


class TestFakeEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        embedder: Embedder = build("embedder", "fake", threads=1, device="auto")
        return embedder


class TestNoReranker(RerankerContract):
    @pytest.fixture
    def reranker(self) -> Reranker:
        reranker: Reranker = build("reranker", "none")
        return reranker
