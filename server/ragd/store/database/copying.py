"""Copies a store into another database: every row of every table, as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import JSON, Column, Connection, Engine, Insert, Table, bindparam, select
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.types import TypeEngine

from ragd.core.errors import ServiceUnavailable, ValidationFailed
from ragd.store.database.engine import batches, open_engine, reading
from ragd.store.database.repository import count_of
from ragd.store.database.schema import metadata

Report = Callable[[str, int, int], None]
"""Told of the table that is copied, and how many of all rows are."""


def copy_store(source_url: str, target_url: str, data_dir: Path, password: str, report: Report) -> dict[str, int]:
    """Copy everything from one database into another, which must be empty; gives the number of rows by table.

    The password is that of a database server.

    What is read is of one moment, and what is written appears whole or not at all. Raises `ValidationFailed` when the target
    holds something, is the source or can't take a row, and what `open_engine` raises.
    """
    if make_url(source_url) == make_url(target_url):
        raise ValidationFailed("A store can't be copied into itself. Name two databases.")
    source = open_engine(source_url, data_dir, password)
    try:
        target = open_engine(target_url, data_dir, password)
        try:
            return _copy(source, target, report)
        finally:
            target.dispose()
    finally:
        source.dispose()


def _copy(source: Engine, target: Engine, report: Report) -> dict[str, int]:
    with reading(source).connect() as read, target.begin() as write:
        tables = metadata.sorted_tables
        if held := [table.name for table in tables if count_of(write, select(table))]:
            raise ValidationFailed(
                f"{target.url.render_as_string()} holds something already (in {', '.join(held)}). Name an empty database."
            )
        rows = {table.name: count_of(read, select(table)) for table in tables}
        done = 0
        for table in tables:
            for batch in _batches(read, table):
                try:
                    write.execute(_insert(table), batch)
                except DBAPIError as error:
                    raise ValidationFailed(
                        f"{target.url.render_as_string()} refused a row of '{table.name}': {error.orig}. Nothing was copied."
                    ) from error
                done += len(batch)
                report(table.name, done, sum(rows.values()))
        if rows != {table.name: count_of(write, select(table)) for table in tables}:
            raise ServiceUnavailable("The copy has other numbers of rows than the store. Nothing was copied; try again.")
    return rows


def _batches(read: Connection, table: Table) -> Iterator[list[dict[str, object]]]:
    with read.execution_options(yield_per=500).execute(select(table)) as found:
        for batch in batches(iter(found)):
            yield [dict(row._mapping) for row in batch]


def _insert(table: Table) -> Insert:
    # Without a type that says otherwise, None in a column for JSON is written as JSON's null instead of SQL's.
    def type_of(column: Column[Any]) -> TypeEngine[Any]:
        return JSON(none_as_null=True) if isinstance(column.type, JSON) and column.nullable else column.type

    return table.insert().values({column.name: bindparam(column.name, type_=type_of(column)) for column in table.c})
