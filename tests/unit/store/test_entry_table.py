"""The table of live entries says what the database says, and nothing while it may be out of date."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sqlalchemy import Engine, event

from ragd.core.ids import hash32
from ragd.core.query import Filters
from ragd.core.storage import Version
from ragd.store.collections import Collections
from ragd.store.documents import DocumentWriter
from ragd.store.live.entry_table import _Lookup
from ragd.store.passages import Passages

Make = Callable[..., Version]
Ingest = Callable[[Version], object]


class Later(Executor):
    """Does what it is given when it is told to."""

    def __init__(self) -> None:
        self.given: list[Callable[[], object]] = []

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.given.append(lambda: function(*args, **kwargs))
        return Future()

    def do(self) -> None:
        while self.given:
            self.given.pop(0)()


@pytest.fixture
def later() -> Later:
    return Later()


@pytest.fixture
def statements(engine: Engine) -> list[str]:
    seen: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda _c, _cursor, statement, *_: seen.append(statement))
    return seen


@pytest.fixture
def same(engine: Engine, later: Later, statements: list[str]) -> Callable[..., int]:
    """`same(versions, from_memory=True)`: both ways give the same chunks of these versions, whose number it returns."""
    table, database = Passages(engine, later), Passages(engine)

    def check(made: Sequence[Version], *, from_memory: bool) -> int:
        count = 0
        for side in ("dense", "sparse"):
            ids = ["0" * 32, *(getattr(chunk, f"{side}_id") for version in made for chunk in version.chunks)]
            expected = database.resolve(side, ids, Filters())
            statements.clear()
            assert table.resolve(side, ids, Filters()) == expected
            assert bool(statements) is not from_memory
            count = len(expected)
        return count

    return check


def test_entries_come_from_memory_until_something_is_written(
    later: Later, same: Callable[..., int], make_version: Make, ingest: Ingest, writer: DocumentWriter, collections: Collections
) -> None:
    first = make_version("a.md", "one", "two")
    first = replace(first, document=replace(first.document, language="ja"))
    other = make_version("b.md", "three")
    made = [first, other, make_version("empty.md")]
    for version in made:
        ingest(version)
    assert same(made, from_memory=False) == 3
    later.do()
    assert same(made, from_memory=True) == 3
    # The same version, made anew under another profile: its old entries are served no more.
    again = make_version("a.md", "one", "two", view="2")
    assert again.version_id == first.version_id
    ingest(again)
    assert same([first, again, other], from_memory=False) == 3
    later.do()
    assert same([first, again, other], from_memory=True) == 3
    writer.tombstone([other.doc_id])
    assert same([again, other], from_memory=False) == 2
    later.do()
    assert same([again, other], from_memory=True) == 2
    collections.change("default", status="disabled")
    assert same([again, other], from_memory=False) == 0
    later.do()
    assert same([again, other], from_memory=True) == 0
    collections.change("default", status="enabled")
    same([again], from_memory=False)
    later.do()
    assert same([again], from_memory=True) == 2


def test_only_versions_that_are_new_are_read(
    later: Later, same: Callable[..., int], statements: list[str], make_version: Make, ingest: Ingest
) -> None:
    first, second = make_version("a.md", "one"), make_version("b.md", "two")
    ingest(first)
    same([first], from_memory=False)
    later.do()
    ingest(second)
    same([first, second], from_memory=False)
    statements.clear()
    later.do()
    assert sum("chunk_occurrences" in statement for statement in statements) == 1
    assert same([first, second], from_memory=True) == 2


def test_what_is_written_while_the_table_is_made_is_seen_by_the_next_question(
    later: Later, same: Callable[..., int], make_version: Make, ingest: Ingest
) -> None:
    first, second = make_version("a.md", "one"), make_version("b.md", "two")
    ingest(first)
    same([first], from_memory=False)
    ingest(second)  # after the question that asked for the table
    later.do()
    assert same([first, second], from_memory=False) == 2


def test_a_table_that_can_not_be_made_leaves_the_answer_to_the_database(
    engine: Engine,
    later: Later,
    same: Callable[..., int],
    make_version: Make,
    ingest: Ingest,
    caplog: pytest.LogCaptureFixture,
) -> None:
    version = make_version("a.md", "one")
    ingest(version)
    same([version], from_memory=False)

    def refuse(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "language" in statement and "chunk_occurrences" not in statement:
            raise RuntimeError("no")

    event.listen(engine, "before_cursor_execute", refuse)
    later.do()
    event.remove(engine, "before_cursor_execute", refuse)
    assert "could not be brought up to date" in caplog.text
    assert same([version], from_memory=False) == 1
    later.do()
    assert same([version], from_memory=True) == 1


def test_ids_are_found_in_a_large_table_and_strangers_are_not() -> None:
    ids = np.array([hash32(str(number)) for number in range(5000)], "S32")
    lookup = _Lookup.of(ids)
    strangers = np.array([hash32(f"stranger {number}") for number in range(500)], "S32")
    assert lookup.find(ids[::7]).tolist() == list(range(0, 5000, 7))
    assert set(lookup.find(strangers).tolist()) == {-1}
    assert set(_Lookup.of(ids[:0]).find(strangers).tolist()) == {-1}


def test_what_a_filter_left_is_not_asked_again_until_something_is_written(
    engine: Engine, later: Later, statements: list[str], make_version: Make, ingest: Ingest, kb_id: str, writer: DocumentWriter
) -> None:
    passages = Passages(engine, later)
    version, other = make_version("a.md", "one", "two"), make_version("b.md", "three")
    ingest(version)
    ingest(other)
    passages.resolve("dense", [], Filters())
    later.do()
    filters = Filters(source=("a.md",))
    ids = [chunk.dense_id for chunk in version.chunks]
    allowed = passages.allowed(kb_id, filters)
    assert allowed.dense == set(ids)
    statements.clear()
    assert set(passages.resolve("dense", ids, filters, [allowed])) == set(ids)
    assert statements == []
    # Without it, and once a document is gone, each entry is held against the filters.
    every = [*ids, other.chunks[0].dense_id]
    assert set(passages.resolve("dense", every, filters)) == set(ids)
    writer.tombstone([version.doc_id])
    later.do()
    passages.resolve("dense", [], Filters())
    later.do()
    assert passages.resolve("dense", ids, filters, [allowed]) == {}
