"""Files that the daemon died on: who reads says so beforehand, and who was being read too often is set aside."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ragd.core.errors import ParseInterrupted
from ragd.core.ids import hash32

NOTE_FILE: Final = "interrupted.json"
_MOST: Final = 2

Tell = Callable[[str, bool], None]
"""`(key, begins)`: the file of this key is being read from now on, or no longer."""


class Interruptions:
    """Counts by job and file: in another job, which somebody asked for, the file is read once more."""

    def __init__(self, note_file: Path, tell: Tell) -> None:
        """`note_file` holds what a watchdog counted until this process began: `{KEY: times}`."""
        self._tell = tell
        try:
            self._counts: dict[str, int] = json.loads(note_file.read_text("utf-8"))
        except (OSError, ValueError):
            self._counts = {}

    @contextmanager
    def reading(self, job_id: str | None, uri: str, name: str) -> Generator[None]:
        """A file is read for as long as the block runs. Raises `ParseInterrupted` for one that is set aside."""
        key = hash32(job_id or "", uri)
        if (times := self._counts.get(key, 0)) >= _MOST:
            raise ParseInterrupted(
                f"'{name}' was set aside: the daemon ended {times} times while it read it. Nothing of the file is indexed. "
                "Ingest it again to try once more, or convert it to another format first."
            )
        self._tell(key, True)
        try:
            yield
        finally:
            self._tell(key, False)
