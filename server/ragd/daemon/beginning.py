"""What a daemon needs before it begins: an address that it may have, a token, and a folder of its own."""

from __future__ import annotations

import logging
import os
import secrets
import sys
from collections.abc import Callable
from dataclasses import replace

from ragd.config.loading import PROCESSES, Directories
from ragd.config.settings import Settings
from ragd.core.errors import DaemonAlreadyRunning, RagError, SettingsError
from ragd.core.files import own_folder
from ragd.core.http import is_loopback
from ragd.core.instance import Ownership, own_process
from ragd.core.logs import DAEMON_LOG, logging_to

log = logging.getLogger(__name__)


def begin(
    settings: Settings,
    directories: Directories,
    *,
    port: int | None,
    host: str | None,
    run: Callable[[Settings, Directories, Ownership, str], int],
) -> int:
    """What `run` returns for the settings with this address, the folder that is the process' own, the hold on it, and a token.

    Of an error its exit code; it is logged, and said on standard error.
    """
    # Before the log makes it: what is made on the way to a folder has the usual mode.
    own_folder(directories.data)
    changes = {name: value for name, value in (("port", port), ("host", host)) if value is not None}
    served = settings.model_copy(update={"server": settings.server.model_copy(update=changes)})
    level = settings.observability.log_level
    try:
        require_private(served)
        token = new_token(os.environ.get("RAG_TOKEN"))
        own, ownership = owned(served, directories)
    except RagError as error:
        with logging_to(directories.logs, DAEMON_LOG, level, people=True):
            return failed(error)
    with logging_to(own.logs, DAEMON_LOG, level, people=True):
        try:
            return run(served, own, ownership, token)
        except RagError as error:
            return failed(error)


def require_private(settings: Settings) -> None:
    """Raises `SettingsError` where other machines could reach a daemon of one user."""
    host = settings.server.host
    if settings.security.mode == "local" and not is_loopback(host):
        raise SettingsError(
            f"'{host}' can be reached from other machines, which needs security.mode: server with API keys or a sign-on "
            "(docs/server.md). On this machine alone, listen on 127.0.0.1."
        )


def new_token(fixed: str | None) -> str:
    """`fixed` when it is set, else 256 random bits. Raises `SettingsError` for one that no header can carry."""
    if not fixed:
        return secrets.token_hex(32)
    if not fixed.isascii() or not fixed.isprintable() or " " in fixed:
        raise SettingsError("RAG_TOKEN may hold only printable ASCII characters without blanks.")
    return fixed


def owned(settings: Settings, directories: Directories) -> tuple[Directories, Ownership]:
    """The data directory; where another daemon has it and workers run the jobs, a folder of this process in it.

    Raises `DaemonAlreadyRunning`.
    """
    try:
        return directories, Ownership(directories.data)
    except DaemonAlreadyRunning:
        if settings.jobs.queue != "procrastinate":
            raise
    return one_of_several(directories)


def one_of_several(directories: Directories) -> tuple[Directories, Ownership]:
    """A folder of this process in the data directory, which others use as well."""
    own_folder(directories.data / PROCESSES)
    name, ownership = own_process(directories.data / PROCESSES, "api")
    return replace(directories, process=name), ownership


def failed(error: RagError) -> int:
    log.info("daemon can't start", extra={"code": error.code, "reason": error.message})
    print(error.message, file=sys.stderr)
    return error.exit_code
