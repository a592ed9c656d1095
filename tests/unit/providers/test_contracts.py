"""The built-in providers against the contract suites of their kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ragd.config.indexing import IndexServerSettings
from ragd.core.ids import hash32
from ragd.providers.protocols import Analyzer, DenseStore, Embedder, Reranker, SparseStore
from ragd.providers.registry import build
from ragd.testing import AnalyzerContract, DenseStoreContract, EmbedderContract, RerankerContract, SparseStoreContract
from ragd.testing.common import KB, OTHER_KB

from .qdrant_server import QdrantServer

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def qdrant_address() -> Iterator[str]:
    with QdrantServer() as server:
        yield server.url


@pytest.fixture
def index_server(qdrant_address: str, tmp_path: Path) -> IndexServerSettings:
    return IndexServerSettings(url=qdrant_address, prefix=f"t{hash32(str(tmp_path))}")


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


class TestQdrantStore(DenseStoreContract):
    @pytest.fixture
    def open_store(self) -> Callable[[Path], DenseStore]:
        return lambda folder: build("dense", "qdrant", folder=folder, exact_filter_max=50_000, ef_search=400)


class TestQdrantStoreByHttp(DenseStoreContract):
    """The same engine behind HTTP; what a damaged file does is the server's matter."""

    test_overwritten_files_are_reported_as_damage = None
    test_cut_files_are_reported_as_damage_or_seen_by_their_ids = None

    @pytest.fixture
    def open_store(self, index_server: IndexServerSettings) -> Callable[[Path], DenseStore]:
        return lambda folder: build("dense", "qdrant", folder=folder, server=index_server)


@pytest.fixture(scope="module")
def milvus_dense(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DenseStore]:
    with closing(build("dense", "milvus", folder=tmp_path_factory.mktemp("milvus"))) as store:
        yield store


class TestMilvusStore(DenseStoreContract):
    @pytest.fixture
    def open_store(self) -> Callable[[Path], DenseStore]:
        return lambda folder: build("dense", "milvus", folder=folder, exact_filter_max=50_000, ef_search=400)

    @pytest.fixture
    def store(self, milvus_dense: DenseStore) -> DenseStore:
        """One for all tests: opening Milvus takes longer than most of them."""
        milvus_dense.drop(KB)
        milvus_dense.drop(OTHER_KB)
        return milvus_dense


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


class TestQdrantSparseStore(SparseStoreContract):
    @pytest.fixture
    def open_store(self) -> Callable[[Path], SparseStore]:
        return lambda folder: build("sparse", "qdrant", folder=folder)


class TestQdrantSparseStoreByHttp(SparseStoreContract):
    test_overwritten_files_are_reported_as_damage = None
    test_cut_files_are_reported_as_damage_or_seen_by_their_ids = None

    @pytest.fixture
    def open_store(self, index_server: IndexServerSettings) -> Callable[[Path], SparseStore]:
        return lambda folder: build("sparse", "qdrant", folder=folder, server=index_server)


@pytest.fixture(scope="module")
def milvus_sparse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparseStore]:
    with closing(build("sparse", "milvus", folder=tmp_path_factory.mktemp("milvus"))) as store:
        yield store


class TestMilvusSparseStore(SparseStoreContract):
    entries_alike = 1_000  # Milvus Lite reads each of them at each search
    terms_unknown = 2_000  # each is counted by a request of its own

    def test_a_question_of_thousands_of_terms_is_judged_by_those_that_tell_most(
        self, open_store: Callable[[Path], SparseStore], tmp_path: Path
    ) -> None:
        with closing(open_store(tmp_path)) as fresh:  # what the tests before deleted makes each of its counts slower
            super().test_a_question_of_thousands_of_terms_is_judged_by_those_that_tell_most(fresh)

    @pytest.fixture
    def open_store(self) -> Callable[[Path], SparseStore]:
        return lambda folder: build("sparse", "milvus", folder=folder)

    @pytest.fixture
    def store(self, milvus_sparse: SparseStore) -> SparseStore:
        """One for all tests: opening Milvus takes longer than most of them."""
        milvus_sparse.drop(KB)
        milvus_sparse.drop(OTHER_KB)
        return milvus_sparse


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
