"""The log of commands that do the work themselves: JSON lines beside the daemon's log. Nothing is logged to the terminal."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from pythonjsonlogger.json import JsonFormatter

from rag_assistant.logs import request_id

LOG_FILE = "cli.jsonl"

_LIMIT = 10 * 1024 * 1024


class _CliLogHandler(RotatingFileHandler):
    """A rotating file that only its owner can read; every line knows its request."""

    def _open(self) -> TextIOWrapper:
        return open(self.baseFilename, "a", encoding=self.encoding, opener=lambda path, flags: os.open(path, flags, 0o600))

    def emit(self, record: logging.LogRecord) -> None:
        record.request_id = request_id.get()
        super().emit(record)


@contextmanager
def logging_to_file(folder: Path, level: str = "INFO") -> Iterator[None]:
    """Send what is logged in the block into the folder: ours from `level` on, other packages' from WARNING on."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = _CliLogHandler(folder / LOG_FILE, maxBytes=_LIMIT, backupCount=1, encoding="utf-8", delay=True)
    fields = ["levelname", "name", "process", "message", "request_id"]
    names = {"levelname": "level", "name": "logger"}
    file.setFormatter(JsonFormatter(fields, rename_fields=names, timestamp=True, json_ensure_ascii=False))
    root, ours = logging.getLogger(), logging.getLogger("rag_assistant")
    before = root.level, ours.level
    root.addHandler(file)
    root.setLevel(logging.WARNING)
    ours.setLevel(level)
    try:
        yield
    finally:
        root.setLevel(before[0])
        ours.setLevel(before[1])
        root.removeHandler(file)
        file.close()
