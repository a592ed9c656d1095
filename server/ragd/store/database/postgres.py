"""What is PostgreSQL's own: how it is connected to, what its text can't hold, and how writers take turns."""

from __future__ import annotations

import re
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError, OperationalError

from ragd.core.errors import ServiceUnavailable
from ragd.providers.pooled import ask_before_use
from ragd.store.database.columns import as_json
from ragd.store.database.migrate import migrate

READING: Final = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
"""Options of transactions that only read. Such a snapshot never fails for what others write."""

OLDEST: Final = 15
# Unless the URL says otherwise.
_CONNECTION: Final = {
    "connect_timeout": 10,
    "application_name": "rag-assistant",
    "client_encoding": "utf8",
    # Who only listens, for changes of others, would wait for hours for a server that is gone without a word.
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
}
# How long a writer waits for its turn and for rows, and a process for another one that migrates.
_WAIT: Final = "15s"
_MIGRATION_WAIT: Final = "10min"
# "ragd" and a number. Of one database; it ends with its transaction, however that ends.
_WRITERS: Final = 0x7261676400000001
# Who stands still in the middle, a machine asleep say, loses its turn after a minute.
_TAKE_TURN: Final = (
    "SELECT set_config('lock_timeout', '{wait}', true), set_config('idle_in_transaction_session_timeout', '60s', true), "
    "pg_advisory_xact_lock({writers})"
)
# The server looks whether who asked still lives, so that a process that was killed, or a machine that is gone, holds no lock.
_NOTICE_DEATHS: Final = (
    "SELECT set_config('client_connection_check_interval', '2s', false), set_config('tcp_keepalives_idle', '30', false), "
    "set_config('tcp_keepalives_interval', '10', false), set_config('tcp_keepalives_count', '3', false)"
)
# Serialization, deadlock, lock not available.
_BUSY: Final = frozenset({"40001", "40P01", "55P03"})
# Connection exceptions, too many connections, shutdown, crash, start, and a server that became a standby one.
_AWAY: Final = ("08", "53300", "57P", "25006")
# Valid in JSON, and refused by PostgreSQL as soon as it looks into it. Before it stand whole pairs of backslashes, or none.
_NUL: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")


def open_engine(url: str, password: str) -> Engine:
    """Connect, set up, and migrate. Raises `ServiceUnavailable` that says how to mend it when the database can't be used."""
    address = make_url(url).set(drivername="postgresql+psycopg")
    if password:
        address = address.set(password=password)
    shown = address.render_as_string()
    try:
        engine = create_engine(
            address,
            hide_parameters=True,
            json_serializer=_to_json,
            connect_args={name: value for name, value in _CONNECTION.items() if name not in address.query},
        )
    except ImportError as error:
        raise ServiceUnavailable(f"{shown} needs the driver of PostgreSQL: run `rag extras add postgres`.") from error
    _prepare(engine)
    try:
        _check(engine, shown)
        migrate(engine.execution_options(migrating=True))
    except DBAPIError as error:
        engine.dispose()
        raise ServiceUnavailable(
            f"The database {shown} can't be used: {str(error.orig).splitlines()[0]}. Start it, give its user the right to make "
            "tables, or correct store.url and store.password."
        ) from error
    except BaseException:
        engine.dispose()
        raise
    return engine


def _check(engine: Engine, shown: str) -> None:
    with engine.execution_options(reading=True).connect() as connection:
        encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
        version = int(connection.exec_driver_sql("SHOW server_version_num").scalar_one()) // 10_000
    if version < OLDEST:
        raise ServiceUnavailable(f"The database {shown} is PostgreSQL {version}; {OLDEST} or newer is needed.")
    if encoding != "UTF8":
        raise ServiceUnavailable(f"The database {shown} is encoded in {encoding}. Make one with ENCODING 'UTF8'.")


def _prepare(engine: Engine) -> None:
    ask_before_use(engine)

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _record: Any) -> None:
        from psycopg.types.string import StrDumperUnknown

        class WithoutNul(StrDumperUnknown):
            """Text of PostgreSQL has no NUL: what is written has the replacement character there, what is asked finds nothing."""

            def dump(self, text: str) -> Any:
                return super().dump(text.replace("\0", "\ufffd"))

        connection.adapters.register_dumper(str, WithoutNul)
        try:
            connection.execute(_NOTICE_DEATHS)
            connection.commit()
        except connection.Error:  # servers on Windows can't
            connection.rollback()

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        options = connection.get_execution_options()
        if not options.get("reading") and not options.get("independent"):
            # Read committed: each statement after this one sees what the writer before has committed.
            wait = _MIGRATION_WAIT if options.get("migrating") else _WAIT
            connection.exec_driver_sql(_TAKE_TURN.format(wait=wait, writers=_WRITERS))


def _to_json(value: Any) -> str:
    return _NUL.sub(r"\1\\ufffd", as_json(value))


def is_busy(error: DBAPIError) -> bool:
    return _state(error) in _BUSY


def is_away(error: DBAPIError) -> bool:
    if isinstance(error, OperationalError) and type(error.orig).__module__.startswith("psycopg") and not _state(error):
        return True  # the server said nothing: the connection broke, or was never made
    return _state(error).startswith(_AWAY)


def _state(error: DBAPIError) -> str:
    """The code of https://www.postgresql.org/docs/current/errcodes-appendix.html; "" for errors without one, as SQLite's."""
    return getattr(error.orig, "sqlstate", None) or ""
