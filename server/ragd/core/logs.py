"""Logs: JSON lines for programs in a file, short lines for people on stderr; every line knows its request."""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from pythonjsonlogger.json import JsonFormatter

DAEMON_LOG = "daemon.jsonl"
CLI_LOG = "cli.jsonl"
"""The log of commands that do the work themselves."""

AUDIT_LOG = "audit.jsonl"
"""Who did what, in server mode."""

_MAX_BYTES = 10 * 1024 * 1024
_KEPT = 3

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
"""Id of the request that is being answered, where there is one."""

# What ends a line for one reader or another, and what a terminal obeys: names and addresses are other people's words.
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")

# What every record has; anything else on a record was handed over as `extra`.
_STANDARD = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "request_id"}


def one_line(text: str) -> str:
    """The text without a control character or an end of line, each written as JSON writes it: `\\u000a`."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class _RequestIdFilter(logging.Filter):
    """Puts the current request's id on a record that does not carry one itself."""

    def filter(self, record: logging.LogRecord) -> bool:
        if not hasattr(record, "request_id"):
            record.request_id = request_id.get()
        return True


class _PeopleFormatter(logging.Formatter):
    """One line: severity, message, extras. A stack trace stays in the JSON log."""

    def format(self, record: logging.LogRecord) -> str:
        extras = " ".join(f"{key}={value}" for key, value in record.__dict__.items() if key not in _STANDARD)
        line = f"{record.levelname.lower()}: {record.getMessage()}" + (f" ({extras})" if extras else "")
        if record.exc_info and record.exc_info[0]:
            line += f" [{record.exc_info[0].__name__}; details in {DAEMON_LOG}]"
        return one_line(line)


class _JsonFormatter(JsonFormatter):
    """JSON leaves some ends of lines as they are."""

    def format(self, record: logging.LogRecord) -> str:
        return one_line(super().format(record))


class _PrivateFileHandler(RotatingFileHandler):
    """A rotating file that only its owner can read, from its first byte on."""

    _refused = False

    def handleError(self, record: logging.LogRecord) -> None:
        """A file that can't be written (a full disk) is reported once: a stack for each record would fill what reads stderr."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            super().handleError(record)
        elif not self._refused:
            self._refused = True
            print(f"warning: the log '{self.baseFilename}' can't be written: {error.strerror}.", file=sys.stderr)

    def _open(self) -> TextIOWrapper:
        return open(self.baseFilename, "a", encoding=self.encoding, opener=_open_private)


def private_file(path: Path, *, kept: int = _KEPT) -> RotatingFileHandler:
    """A file of lines as they are handed over, which rotates and which only its owner can read."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return _PrivateFileHandler(path, maxBytes=_MAX_BYTES, backupCount=kept, encoding="utf-8", delay=True)


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


@contextmanager
def logging_to(folder: Path, file_name: str, level: str, *, people: bool = False) -> Generator[None, None, None]:
    """Log to `<folder>/<file_name>` from `level` on, and with `people` to stderr from WARNING on, until the block is left.

    Other packages' records are kept from WARNING on: below it they may hold addresses and contents of requests.
    """
    file = private_file(folder / file_name)
    names = {"levelname": "level", "name": "logger"}
    fields = ["levelname", "name", "process", "message", "request_id"]
    file.setFormatter(_JsonFormatter(fields, rename_fields=names, timestamp=True, json_ensure_ascii=False))
    handlers: list[logging.Handler] = [file]
    if people:
        shown = logging.StreamHandler(sys.stderr)
        shown.setLevel(logging.WARNING)
        shown.setFormatter(_PeopleFormatter())
        handlers.append(shown)
    root, ours = logging.getLogger(), logging.getLogger("ragd")
    before = root.level, ours.level
    for handler in handlers:
        handler.addFilter(_RequestIdFilter())
        root.addHandler(handler)
    root.setLevel(logging.WARNING)
    ours.setLevel(level)
    try:
        yield
    finally:
        root.setLevel(before[0])
        ours.setLevel(before[1])
        for handler in handlers:
            root.removeHandler(handler)
            handler.close()
