"""What the repositories share: a reading and a writing engine, and rows read whole, by page, and by many ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from sqlalchemy import Column, ColumnElement, Connection, Engine, Row, Select, Table, bindparam, delete, func, select, update
from sqlalchemy.sql import Executable

from ragd.store.database.engine import batches, reading

T = TypeVar("T")

_AnyRow: TypeAlias = Row[*tuple[Any, ...]]


class Repository:
    """Some tables of the database, and what is asked of them. Each method is one transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reader = reading(engine)

    def _rows(self, query: Select[Any]) -> list[_AnyRow]:
        with self._reader.connect() as connection:
            return list(connection.execute(query))

    def _rows_in(self, query: Select[Any], column: ColumnElement[Any], ids: Iterable[str]) -> list[_AnyRow]:
        """The query's rows whose column is one of the ids, however many there are."""
        with self._reader.connect() as connection:
            return list(rows_in(connection, query, column, ids))

    def _values(self, query: Select[Any]) -> list[Any]:
        """The first column of the query's rows."""
        with self._reader.connect() as connection:
            return list(connection.scalars(query))

    def _first(self, query: Select[Any]) -> _AnyRow | None:
        with self._reader.connect() as connection:
            return connection.execute(query).first()

    def _count(self, query: Select[Any]) -> int:
        with self._reader.connect() as connection:
            return count_of(connection, query)

    def _page(self, query: Select[Any], page: int, page_size: int, made_of: Callable[[_AnyRow], T]) -> tuple[list[T], int]:
        """One page of the query's rows, each as what is made of it, and how many rows it has in all."""
        with self._reader.connect() as connection:
            rows = connection.execute(query.limit(page_size).offset((page - 1) * page_size))
            return [made_of(row) for row in rows], count_of(connection, query)

    def _write(self, statement: Executable) -> int:
        """Change rows in a transaction of their own. Returns how many."""
        with self._engine.begin() as connection:
            return connection.execute(statement).rowcount


def rows_in(connection: Connection, query: Select[Any], column: ColumnElement[Any], ids: Iterable[str]) -> Iterator[_AnyRow]:
    """The query's rows whose column is one of the ids, asked for in batches."""
    for batch in batches(iter(ids)):
        yield from connection.execute(query.where(column.in_(batch)))


def any_of(column: ColumnElement[Any]) -> ColumnElement[bool]:
    """The column is one of the ids, which come later: a statement that is made once and not for each question."""
    return column.in_(bindparam("ids", expanding=True))


def rows_of(connection: Connection, query: Select[Any], ids: Iterable[str]) -> Iterator[_AnyRow]:
    """As `rows_in`, of a query with the condition `any_of`."""
    for batch in batches(iter(ids)):
        yield from connection.execute(query, {"ids": batch})


def as_dict(row: _AnyRow) -> dict[str, Any]:
    return dict(row._mapping)


def insert_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add rows, if there are any."""
    if rows:
        connection.execute(table.insert(), rows)


def update_rows(
    connection: Connection, key: Column[Any], rows: Mapping[str, Mapping[str, Any]], **also: ColumnElement[Any]
) -> None:
    """Change rows of the key's table, each to its own values, by as few statements as these have sets of columns.

    `also` are values that the database computes; they may name the new ones by `bindparam`.
    """
    by_columns: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for value, values in rows.items():
        by_columns.setdefault(tuple(values), []).append({"key_": value, **values})
    for columns, changed in by_columns.items():
        named: dict[str, ColumnElement[Any]] = {name: bindparam(name) for name in columns}
        connection.execute(update(key.table).where(key == bindparam("key_")).values({**named, **also}), changed)


def count_of(connection: Connection, query: Select[Any]) -> int:
    counted = query.with_only_columns(func.count(), maintain_column_froms=True).order_by(None)
    return connection.scalar(counted) or 0


def forget_oldest(
    connection: Connection, key: Column[Any], oldest_first: Column[Any], keep: int, *where: ColumnElement[bool]
) -> None:
    """Delete rows of the key's table beyond the newest `keep`, of those that meet the conditions."""
    ids = select(key).where(*where)
    surplus = count_of(connection, ids) - keep
    if surplus > 0:
        # Whoever deletes the same rows just now will: two that wait for each other's would be refused.
        oldest = ids.order_by(oldest_first).limit(surplus).with_for_update(skip_locked=True)
        for batch in batches(list(connection.scalars(oldest))):
            connection.execute(delete(key.table).where(key.in_(batch)))
