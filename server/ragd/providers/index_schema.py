"""A schema of a PostgreSQL database that holds one index, with tables for each collection that are made when first written to.

Several processes, on several machines, may use it at once. Tables are made one process at a time, by an advisory lock.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, LiteralString, TypeVar

from sqlalchemy import URL, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from ragd.core.errors import IndexDamaged, ServiceUnavailable, SettingsError
from ragd.providers.pooled import ask_before_use

if TYPE_CHECKING:
    import psycopg
    from psycopg.sql import Composed

T = TypeVar("T")

# Any number will do, as long as all who make tables here use the same: "ragindex" in hexadecimal ASCII.
_MAKING_TABLES = 0x726167696E646578
_CONNECT_S = 10
# A search takes milliseconds, the making of a graph over a large collection minutes.
_STATEMENT_MS = 30 * 60 * 1000
# PostgreSQL cuts longer names off, and so makes one of two.
_LONGEST_NAME = 63
_ODD = re.compile(r"\W+")


class IndexSchema:
    """Connections to the database `url`, and the schema there that belongs to the index `name`.

    `tables` are statements that make the tables of a collection, `extension` what they need of the server beside PostgreSQL
    itself, `session` the settings of each connection. In a statement `{schema}` is the schema, and `{name}` the collection's
    table or index of that name.
    """

    def __init__(
        self,
        url: str,
        name: str,
        *,
        password: str = "",
        provider: str,
        tables: Sequence[LiteralString] = (),
        extension: str = "",
        session: Sequence[LiteralString] = (),
    ) -> None:
        """Connects to nothing yet. Raises `SettingsError` where `url` names no PostgreSQL, or its driver is not installed."""
        self.name = f"rag_{_ODD.sub('_', name)}".lower()
        self._provider = provider
        self._tables = tables
        self._extension = extension
        self._session = session
        self._made: set[str] = set()
        address = _address(url, provider)
        self._engine = self._opened(address.set(password=password) if password else address)

    @contextmanager
    def connection(self) -> Iterator[psycopg.Connection[Any]]:
        """A connection where each statement is a transaction of its own. What fails by it is raised as a `RagError`.

        But for `psycopg.errors.UndefinedTable` and `InvalidSchemaName`: nothing was written of that collection yet.
        """
        import psycopg
        from sqlalchemy.exc import DBAPIError

        try:
            borrowed = self._engine.raw_connection()
        except (DBAPIError, psycopg.Error) as error:
            raise self._unusable(error) from error
        try:
            connection = borrowed.driver_connection
            assert connection is not None
            yield connection
        except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
            raise
        except (psycopg.errors.DataCorrupted, psycopg.errors.IndexCorrupted) as error:
            raise IndexDamaged(f"The index {self.name} is damaged: {_said(error)}. Rebuild it with 'rag reindex'.") from error
        except psycopg.Error as error:
            raise self._unusable(error) from error
        finally:
            borrowed.close()

    def read(self, look: Callable[[psycopg.Connection[Any]], T], otherwise: T) -> T:
        """What `look` finds; `otherwise` where nothing was written of the collection yet."""
        import psycopg

        try:
            with self.connection() as connection:
                return look(connection)
        except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
            return otherwise

    def write(self, kb_id: str, change: Callable[[psycopg.Connection[Any]], None], *, create: bool, **values: Any) -> None:
        """Carry `change` out in one transaction. With `create`, the tables are made if they are not there: `values` are theirs.

        It is durable when this returns, unless an administrator gave that up for the whole server.
        """
        import psycopg

        if create and kb_id not in self._made:
            self._make_tables(kb_id, values)
        for attempt in range(2):
            try:
                with self.connection() as connection, connection.transaction():
                    change(connection)
                    return
            except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
                if not create:
                    return
                if attempt:
                    raise ServiceUnavailable(f"Tables of the index {self.name} are dropped while it is written to.") from None
                self._make_tables(kb_id, values)  # another process has dropped them

    def sql(self, statement: LiteralString, kb_id: str, **values: Any) -> Composed:
        """A statement with the collection's names put in, and `values` of ours: numbers, and names such as a type's."""
        from psycopg import sql

        names = {name: sql.Identifier(self.name, self.table(name, kb_id)) for name in ("entries", "postings", "state")}
        bare = {"graph": sql.Identifier(self.table("graph", kb_id)), "schema": sql.Identifier(self.name)}
        own = {name: sql.Identifier(value) if isinstance(value, str) else sql.Literal(value) for name, value in values.items()}
        return sql.SQL(statement).format(**names, **bare, **own)

    @contextmanager
    def making(self) -> Iterator[psycopg.Connection[Any]]:
        """A transaction in which nobody else makes tables or indexes."""
        with self.connection() as connection, connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", [_MAKING_TABLES])
            yield connection

    def drop(self, kb_id: str) -> None:
        """Remove the tables of a collection."""
        with self.making() as connection:
            connection.execute(self.sql("DROP TABLE IF EXISTS {entries}, {postings}, {state}", kb_id))
        self._made.discard(kb_id)

    def remove_siblings(self, prefix: str) -> None:
        """Remove the other indexes of this database whose names begin with `prefix`."""
        from psycopg import sql

        with self.making() as connection:
            found = connection.execute(
                "SELECT nspname FROM pg_namespace WHERE starts_with(nspname::text, %s) AND nspname <> %s",
                [f"rag_{prefix}", self.name],
            ).fetchall()
            for (name,) in found:
                connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(name)))

    def close(self) -> None:
        self._engine.dispose()

    def _make_tables(self, kb_id: str, values: dict[str, Any]) -> None:
        import psycopg
        from psycopg import sql

        with self.making() as connection:
            here = "SELECT 1 FROM pg_tables WHERE schemaname = %s AND tablename = %s"
            if connection.execute(here, [self.name, self.table("entries", kb_id)]).fetchone():
                self._made.add(kb_id)
                return
            if self._extension:
                try:
                    with connection.transaction():
                        statement = sql.SQL("CREATE EXTENSION IF NOT EXISTS {}")
                        connection.execute(statement.format(sql.Identifier(self._extension)))
                except psycopg.Error as error:
                    raise SettingsError(
                        f"{self._provider} needs the extension '{self._extension}' in PostgreSQL, and it can't be made: "
                        f"{_said(error)}. Install it on the server, and let an administrator run "
                        f"'CREATE EXTENSION {self._extension}' in this database."
                    ) from error
            connection.execute(self.sql("CREATE SCHEMA IF NOT EXISTS {schema}", kb_id))
            for statement_text in self._tables:
                connection.execute(self.sql(statement_text, kb_id, **values))
        self._made.add(kb_id)

    @staticmethod
    def table(name: str, kb_id: str) -> str:
        """The name that a table or index of a collection has in the database."""
        full = f"{name}_{kb_id}"
        if len(full.encode()) > _LONGEST_NAME:
            raise ValueError(f"a collection's id of more than {_LONGEST_NAME - len(name) - 1} bytes: {kb_id}")
        return full

    def _opened(self, address: URL) -> Engine:
        patience = {} if "connect_timeout" in address.query else {"connect_timeout": _CONNECT_S}
        try:
            engine = create_engine(address, pool_size=4, max_overflow=12, connect_args=patience)
        except ModuleNotFoundError as error:
            raise SettingsError(
                f"{self._provider} needs a package that is not installed. Run: rag extras add postgres"
            ) from error

        ask_before_use(engine)

        @event.listens_for(engine, "connect")
        def _connected(connection: Any, _record: Any) -> None:
            connection.autocommit = True
            # A plan for ten allowed entries is none for ten thousand; and a pooler between us may not know prepared statements.
            connection.prepare_threshold = None
            for statement in (f"SET statement_timeout = {_STATEMENT_MS}", *self._session):
                connection.execute(statement)

        return engine

    def _unusable(self, error: Exception) -> ServiceUnavailable:
        return ServiceUnavailable(f"The index {self.name} in PostgreSQL could not be used: {_said(error)}")


def _address(url: str, provider: str) -> URL:
    try:
        address = make_url(url)
    except ArgumentError:
        address = None
    if address is None or address.get_backend_name() != "postgresql":
        raise SettingsError(
            f"{provider} keeps its entries in PostgreSQL: set store.url to one, such as "
            "'postgresql://rag@db.example.com/rag', or choose another backend."
        )
    return address.set(drivername="postgresql+psycopg")


def _said(error: Exception) -> str:
    """The first line of what the database said, without SQLAlchemy's address of its help."""
    return (str(getattr(error, "orig", None) or error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
