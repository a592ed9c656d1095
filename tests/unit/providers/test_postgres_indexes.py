"""The indexes in PostgreSQL: the contracts of their kinds, and what they do beyond them."""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest

from ragd.core.errors import IndexDamaged, ServiceUnavailable, SettingsError
from ragd.core.ids import hash32
from ragd.providers.dense.pgvector import PgvectorStore
from ragd.providers.protocols import DenseStore, ProviderKind, SparseStore
from ragd.providers.registry import build
from ragd.providers.token_protocols import TokenIndex
from ragd.testing import (
    KB,
    DenseStoreContract,
    SparseStoreContract,
    TokenIndexContract,
    entry_ids,
    unit_vectors,
)
from ragd.testing.token_index import token_codes

from .test_dense import clustered_vectors
from .test_sparse import _ENGLISH as ENGLISH
from .test_sparse import _JAPANESE as JAPANESE
from .test_sparse import technical_texts

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def url(postgres_server: Any) -> Iterator[str]:
    """A database of this module: each folder of a test is an index of its own in it."""
    name = postgres_server.create()
    yield postgres_server.url(name)
    postgres_server.drop(name)


def index_of(folder: Path) -> str:
    return hash32(str(folder))[:16]


class TestPgvectorStore(DenseStoreContract):
    in_files = False

    @pytest.fixture
    def open_store(self, url: str) -> Callable[[Path], DenseStore]:
        return lambda folder: build("dense", "pgvector", url=url, index=index_of(folder))


class TestPgvectorStoreWithoutExactFilters(DenseStoreContract):
    """The same store where everything has a graph, which is asked for every filter."""

    in_files = False

    @pytest.fixture
    def open_store(self, url: str) -> Callable[[Path], DenseStore]:
        return lambda folder: build(
            "dense", "pgvector", url=url, index=index_of(folder), exact_filter_max=0, ef_search=400, graph_least=1
        )


class TestPostgresBm25Store(SparseStoreContract):
    in_files = False

    @pytest.fixture
    def open_store(self, url: str) -> Callable[[Path], SparseStore]:
        return lambda folder: build("sparse", "postgres", url=url, index=index_of(folder))


class TestPostgresTokenIndex(TokenIndexContract):
    in_files = False

    @pytest.fixture
    def open_store(self, url: str) -> Callable[[Path], TokenIndex]:
        return lambda folder: build("token_index", "postgres", url=url, index=index_of(folder))


# Dense


@pytest.fixture
def open_pgvector(url: str, tmp_path: Path) -> Iterator[Callable[..., PgvectorStore]]:
    opened: list[PgvectorStore] = []

    def open_it(**options: Any) -> PgvectorStore:
        opened.append(build("dense", "pgvector", url=url, index=index_of(tmp_path), **options))
        return opened[-1]

    yield open_it
    for store in opened:
        store.close()


@pytest.mark.parametrize("precision", ["halfvec", "vector"])
def test_the_graph_finds_what_exact_search_finds_whatever_is_allowed(
    open_pgvector: Callable[..., PgvectorStore], tmp_path: Path, precision: str
) -> None:
    vectors, queries = clustered_vectors(4000, seed=2), clustered_vectors(40, seed=3)
    ids = entry_ids(4000)
    store = open_pgvector(graph_least=1000, exact_filter_max=0, ef_search=100, precision=precision)
    exact = build("dense", "exact", folder=tmp_path)
    for one in (store, exact):
        for at in range(0, 4000, 500):
            one.upsert(KB, ids[at : at + 500], vectors[at : at + 500])
    assert store._with_graph == {KB}
    for allowed in (None, set(ids[::10]), set(ids[::100])):
        found = 0
        for query in queries:
            right = exact.search(KB, query, 10, allowed)
            got = store.search(KB, query, 10, allowed)
            assert len(got) == 10
            assert [item.score for item in got] == sorted((item.score for item in got), reverse=True)
            assert allowed is None or {item.entry_id for item in got} <= allowed
            found += len({item.entry_id for item in right} & {item.entry_id for item in got})
        assert found / (10 * len(queries)) >= 0.9
    exact.close()


def test_a_second_process_sees_the_graph_that_a_first_one_made(open_pgvector: Callable[..., PgvectorStore]) -> None:
    first, second = open_pgvector(graph_least=50), open_pgvector(graph_least=50)
    first.upsert(KB, entry_ids(60), unit_vectors(60))
    assert first._with_graph == {KB}
    assert second.search(KB, unit_vectors(60)[7], 1)[0].entry_id == entry_ids(60)[7]
    assert second._with_graph == {KB}
    first.drop(KB)
    assert second.search(KB, unit_vectors(60)[7], 1) == []
    second.upsert(KB, ["again"], unit_vectors(1))
    assert first.ids(KB) == {"again"}


def test_a_graph_of_another_precision_is_not_used_and_is_made_anew(open_pgvector: Callable[..., PgvectorStore]) -> None:
    vectors, ids = unit_vectors(61), entry_ids(61)
    open_pgvector(graph_least=50).upsert(KB, ids[:60], vectors[:60])
    full = open_pgvector(graph_least=50, precision="vector")
    assert full.search(KB, vectors[7], 1)[0].entry_id == ids[7]
    assert full._with_graph == set()
    full.upsert(KB, ids[60:], vectors[60:])
    assert full._with_graph == {KB}
    assert full.search(KB, vectors[60], 1)[0].entry_id == ids[60]
    # Nobody finds the former one any more.
    again = open_pgvector(graph_least=50)
    assert again.search(KB, vectors[7], 1)[0].entry_id == ids[7]
    assert again._with_graph == set()


def test_vectors_of_another_model_are_refused_with_advice(open_pgvector: Callable[..., PgvectorStore]) -> None:
    store = open_pgvector()
    store.upsert(KB, ["a"], unit_vectors(1))
    with pytest.raises(IndexDamaged, match="embedding model was changed"):
        store.upsert(KB, ["b"], unit_vectors(1, dimension=8))
    with pytest.raises(IndexDamaged, match="embedding model was changed"):
        store.search(KB, unit_vectors(1, dimension=8)[0], 1)
    assert store.ids(KB) == {"a"}


@pytest.mark.parametrize("dimension", [1024, 3072, 4096])
def test_vectors_of_large_models_are_kept_and_found(open_pgvector: Callable[..., PgvectorStore], dimension: int) -> None:
    store = open_pgvector(graph_least=1, exact_filter_max=0)
    vectors = unit_vectors(30, dimension=dimension)
    store.upsert(KB, entry_ids(30), vectors)
    assert store.search(KB, vectors[9], 1, set(entry_ids(30)))[0].entry_id == entry_ids(30)[9]
    assert store.vectors(KB, entry_ids(1))[entry_ids(1)[0]] == pytest.approx(vectors[0])


# Sparse


def test_bm25_in_sql_ranks_as_the_oracle_does(url: str, tmp_path: Path) -> None:
    analyzer = build("analyzer", "bigram")
    entries = [(f"e{number}", analyzer.tokens(text)) for number, text in enumerate(technical_texts(400, seed=1))]
    store: SparseStore = build("sparse", "postgres", url=url, index=index_of(tmp_path))
    oracle: SparseStore = build("sparse", "rank_bm25", folder=tmp_path)
    for one in (store, oracle):
        one.upsert(KB, entries)
    rng = random.Random(2)
    overlaps = []
    for number in range(40):
        terms = analyzer.tokens(" ".join(rng.sample(ENGLISH if number % 2 else JAPANESE, 3)))
        right = {item.entry_id for item in oracle.search(KB, terms, 20)}
        overlaps.append(len(right & {item.entry_id for item in store.search(KB, terms, 20)}) / len(right))
    # Measured: 0.98; the package's IDF is another for terms that most entries hold.
    assert sum(overlaps) / len(overlaps) >= 0.95
    store.close()
    oracle.close()


def test_bm25_in_sql_is_the_formula(url: str, tmp_path: Path) -> None:
    store: SparseStore = build("sparse", "postgres", url=url, index=index_of(tmp_path))
    texts = {"a": ["x", "x", "y"], "b": ["x", "z"], "c": ["z"] * 7, "gone": ["x"]}
    store.upsert(KB, [*texts.items(), ("b", ["replaced"])])
    store.upsert(KB, [("b", texts["b"])])
    store.delete(KB, ["gone", "unknown"])
    rarity = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    expected = {
        entry_id: rarity * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length / 4))
        for entry_id, times, length in (("a", 2, 3), ("b", 1, 2))
    }
    assert {item.entry_id: item.score for item in store.search(KB, ["x"], 5)} == pytest.approx(expected)
    assert store.frequencies(KB, ["x", "z", "replaced"]) == (3, {"x": 2, "z": 2, "replaced": 0})
    store.close()


def test_how_many_entries_hold_a_term_is_counted_again_after_any_process_has_written(url: str, tmp_path: Path) -> None:
    here, there = (build("sparse", "postgres", url=url, index=index_of(tmp_path)) for _ in range(2))
    here.upsert(KB, [("a", ["x", "y"]), ("b", ["x", "z"])])
    assert here.frequencies(KB, ["x", "z"]) == (2, {"x": 2, "z": 1})
    # As many entries and terms as before.
    there.upsert(KB, [("b", ["y", "z"])])
    assert here.frequencies(KB, ["x", "y"]) == (2, {"x": 1, "y": 2})
    asked: list[str] = []
    with _listening(asked):
        assert here.frequencies(KB, ["x", "y"]) == (2, {"x": 1, "y": 2})
    assert not any("postings" in statement for statement in asked)
    there.drop(KB)
    there.upsert(KB, [("c", ["y", "q"]), ("d", ["q", "q"])])
    assert here.frequencies(KB, ["x", "q"]) == (2, {"x": 0, "q": 2})
    here.close(), there.close()


@contextmanager
def _listening(asked: list[str]) -> Iterator[None]:
    """Every statement that a connection of this process executes."""
    execute = psycopg.Cursor.execute

    def noted(self: Any, query: Any, *values: Any, **options: Any) -> Any:
        asked.append(query if isinstance(query, str) else query.as_string(self))
        return execute(self, query, *values, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.Cursor, "execute", noted)
        yield


def test_a_connection_that_was_used_a_moment_ago_is_not_asked_whether_it_lives(url: str, tmp_path: Path) -> None:
    store: SparseStore = build("sparse", "postgres", url=url, index=index_of(tmp_path))
    store.upsert(KB, [("a", ["x"])])
    asked: list[str] = []
    with _listening(asked):
        store.ids(KB), store.ids(KB)
    assert len(asked) == 2
    with _listening(asked), pytest.MonkeyPatch.context() as patch:
        patch.setattr("ragd.providers.pooled._TRUSTED_S", 0.0)
        store.ids(KB)
    assert len(asked) == 4
    store.close()


def test_a_connection_that_the_server_has_closed_is_replaced_by_a_new_one(
    url: str, tmp_path: Path, postgres_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    store: SparseStore = build("sparse", "postgres", url=url, index=index_of(tmp_path))
    store.upsert(KB, [("a", ["x"])])
    end_all = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    database = url.partition("?")[0].rpartition("/")[2]
    postgres_server.run(database, end_all)
    # Trusted, since it was used a moment ago: one request hears of it, and the next one has another connection at once.
    with pytest.raises(ServiceUnavailable):
        store.ids(KB)
    assert store.ids(KB) == {"a"}
    postgres_server.run(database, end_all)
    monkeypatch.setattr("ragd.providers.pooled._TRUSTED_S", 0.0)
    assert store.ids(KB) == {"a"}
    store.close()


def test_terms_that_the_database_can_not_hold_are_found_all_the_same(url: str, tmp_path: Path) -> None:
    store: SparseStore = build("sparse", "postgres", url=url, index=index_of(tmp_path))
    long, other = "".join(random.Random(1).choices("abcdefgh", k=9000)), "".join(random.Random(2).choices("abcdefgh", k=9000))
    store.upsert(KB, [("long", [long, "z"]), ("nul", ["a\0b"])])
    assert [item.entry_id for item in store.search(KB, [long], 5)] == ["long"]
    assert [item.entry_id for item in store.search(KB, [], 5, phrases=[[long, "z"]])] == ["long"]
    assert store.search(KB, [other], 5) == []
    assert [item.entry_id for item in store.search(KB, ["a\0b"], 5)] == ["nul"]
    store.close()


# All of them


_WRITER = """
import sys
import numpy as np
from ragd.providers.registry import build
from ragd.testing.token_index import token_codes

url, index = sys.argv[1:]
dense, sparse, tokens = (
    build(kind, name, url=url, index=f"{kind}-{index}")
    for kind, name in (("dense", "pgvector"), ("sparse", "postgres"), ("token_index", "postgres"))
)
rows = np.random.default_rng(0).standard_normal((64, 32)).astype(np.float32)
for batch in range(10_000):
    ids = [f"{batch}-{row}" for row in range(64)]
    dense.upsert("kb", ids, rows + batch)
    sparse.upsert("kb", [(entry_id, ["x", entry_id]) for entry_id in ids])
    tokens.upsert("kb", {entry_id: token_codes(3, seed=row) for row, entry_id in enumerate(ids)})
    print(batch, flush=True)
"""


def test_a_writer_killed_in_the_middle_leaves_what_it_acknowledged_whole(url: str, tmp_path: Path) -> None:
    index = index_of(tmp_path)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", _WRITER, url, index]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as writer:
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline()) for _ in range(12)]
        writer.kill()
        acknowledged += [int(line) for line in writer.stdout.read().split()]
    expected = {f"{batch}-{row}" for batch in acknowledged for row in range(64)}
    dense = build("dense", "pgvector", url=url, index=f"dense-{index}")
    sparse = build("sparse", "postgres", url=url, index=f"sparse-{index}")
    tokens = build("token_index", "postgres", url=url, index=f"token_index-{index}")
    for store in (dense, sparse, tokens):
        # A batch is there whole or not at all; the server may still be at the commit of the one that was under way.
        found = store.ids("kb")
        assert expected <= found
        assert len(found - expected) in {0, 64}
    assert tokens.damaged("kb") == []
    entries, held = sparse.frequencies("kb", ["x", "3-7"])
    assert entries == held["x"]
    assert held["3-7"] == 1
    assert {item.entry_id for item in dense.search("kb", np.ones(32, np.float32), 10_000, expected)} == expected
    for store in (dense, sparse, tokens):
        store.close()


def test_codes_that_are_not_as_they_were_written_are_named(postgres_server: Any, postgres_database: str) -> None:
    store: TokenIndex = build("token_index", "postgres", url=postgres_server.url(postgres_database), index="codes")
    store.upsert(KB, {name: token_codes(4, seed=number) for number, name in enumerate("abc")})
    changed = f"UPDATE rag_codes.entries_{KB} SET codes = set_byte(codes, 7, 255 - get_byte(codes, 7)) WHERE id = 'b'"
    postgres_server.run(postgres_database, changed)
    assert store.damaged(KB) == ["b"]
    store.close()


@pytest.mark.parametrize(("kind", "name"), [("dense", "pgvector"), ("sparse", "postgres"), ("token_index", "postgres")])
def test_a_database_that_is_away_is_said_to_be_unavailable(kind: ProviderKind, name: str, tmp_path: Path) -> None:
    store = build(kind, name, url=f"postgresql://rag@/rag?host={tmp_path}", index="x", password="hush")
    with pytest.raises(ServiceUnavailable, match="in PostgreSQL could not be used") as caught:
        store.ids(KB)
    assert "hush" not in str(caught.value)
    store.close()


@pytest.mark.parametrize("url", ["", "sqlite:///x.db", "no address"])
def test_without_postgresql_the_setting_is_named(url: str) -> None:
    with pytest.raises(SettingsError, match=r"dense\.backend 'pgvector'.*store\.url"):
        build("dense", "pgvector", url=url, index="x")


def test_a_user_who_may_not_make_the_extension_is_told_who_may(postgres_server: Any) -> None:
    name = postgres_server.create()
    postgres_server.run("postgres", f'CREATE ROLE "{name}" LOGIN')
    store = build("dense", "pgvector", url=postgres_server.url(name).replace("rag@", f"{name}@"), index="x")
    with pytest.raises(SettingsError, match="let an administrator run 'CREATE EXTENSION vector'"):
        store.upsert(KB, ["a"], unit_vectors(1))
    store.close()
    postgres_server.drop(name)
    postgres_server.run("postgres", f'DROP ROLE "{name}"')
