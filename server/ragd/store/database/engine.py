"""The engine of the database: SQLite in WAL mode by default, or PostgreSQL. Nothing that builds on it knows which one it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Engine, create_engine
from sqlalchemy.exc import DatabaseError, DBAPIError, InterfaceError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from ragd.core.errors import ServiceUnavailable
from ragd.store.database import postgres, sqlite
from ragd.store.database.columns import as_json
from ragd.store.database.migrate import migrate

T = TypeVar("T")

# Parameters of one statement: SQLite's oldest builds allow 32,766, PostgreSQL's protocol 65,535.
_BATCH = 500


def open_engine(url: str, data_dir: Path, password: str = "") -> Engine:
    """Connect, set up, and migrate. An empty `url` means `<data_dir>/rag.db`.

    Raises `ServiceUnavailable` that says how to mend it when the database can't be used.
    """
    if url and not url.startswith("sqlite:"):
        return postgres.open_engine(url, password)
    # What the statements hold is people's documents: errors and logs have none of it.
    address = url or f"sqlite:///{data_dir / 'rag.db'}"
    engine = create_engine(address, hide_parameters=True, json_serializer=as_json)
    sqlite.prepare(engine)
    try:
        migrate(engine)
        sqlite.rewrite_once(engine)
    except DatabaseError as error:
        engine.dispose()
        raise ServiceUnavailable(
            f"The database {engine.url.render_as_string()} can't be opened: {error.orig}. "
            "Put back a copy of the file, or move it away to start anew and ingest your documents again."
        ) from error
    except BaseException:
        engine.dispose()
        raise
    return engine


def truncate_log(engine: Engine) -> bool:
    """Empty SQLite's log, which has pages as they were before: then no file of the database holds what was deleted.

    False when somebody reads by it just now. Other databases look after this themselves.
    """
    return engine.dialect.name != "sqlite" or sqlite.truncate_log(engine)


def reading(engine: Engine) -> Engine:
    """The engine for transactions that only read: they wait for no writer, and see one state of the database throughout."""
    options = {} if engine.dialect.name == "sqlite" else postgres.READING
    return engine.execution_options(reading=True, **options)


def independent(engine: Engine) -> Engine:
    """The engine for short writing transactions that are right whatever others write meanwhile.

    Without it one transaction writes at a time, in all processes together. SQLite has no other.
    """
    return engine.execution_options(independent=True)


def is_busy(error: DBAPIError) -> bool:
    """Whether the database refused because another transaction held it for too long; nothing is wrong with it."""
    return getattr(error.orig, "sqlite_errorname", "").startswith("SQLITE_BUSY") or postgres.is_busy(error)


def is_away(error: BaseException) -> bool:
    """Whether the database could not be reached, or was lost in the middle: what was begun can be begun again later."""
    if isinstance(error, PoolTimeout):
        return True
    return isinstance(error, DBAPIError) and (
        error.connection_invalidated or isinstance(error, InterfaceError) or postgres.is_away(error)
    )


def batches(items: Sequence[T] | Iterator[T], size: int = _BATCH) -> Iterator[list[T]]:
    """The items in lists of at most `size`, for statements with one parameter an item."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
