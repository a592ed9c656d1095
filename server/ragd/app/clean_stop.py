"""Whether the last process left database and indexes in agreement, so that questions need not wait until they are compared again.

A process that ends as it should, with every index compared and no job left, leaves a file that names the sizes and times of what
it closed. The next one removes it before it opens anything; a killed process leaves none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ragd import __version__
from ragd.config.settings import Settings
from ragd.core.files import sweep_staged, sync, write_whole
from ragd.core.ids import hash32

_FILE: Final = "clean-stop.json"
_DATABASE: Final = "rag.db*"


class CleanStop:
    """Of one data directory, for the process that owns it.

    `found`: the last process left it clean, and nothing has changed since; from here on only `leave` says so again. `agreed` is
    for whoever compares: database and indexes agree, or what differs is in the queue.
    """

    def __init__(self, data: Path, settings: Settings) -> None:
        self._data = data
        # What a server keeps is not to be seen by the times of files. Other settings may want other entries.
        self._seen = not settings.store.url
        self._made_by = hash32(__version__, settings.model_dump_json())
        self._path = data / _FILE
        self.found = self._seen and self._taken()
        self.agreed = self.found

    @property
    def to_be_left(self) -> bool:
        """Whether `leave` has anything to say: never of a database server, which may be away by then."""
        return self._seen and self.agreed

    def leave(self) -> None:
        """Say that everything is closed and agrees."""
        if self.to_be_left:
            self.agreed = False  # what changes the files after this is not of this process
            write_whole(self._path, json.dumps(self._state()).encode(), durable=True)
            sync(self._data)

    def _taken(self) -> bool:
        sweep_staged(self._path)
        try:
            left = json.loads(self._path.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            left = None
        if self._path.exists():
            self._path.unlink()
            sync(self._data)
        return bool(left == self._state())

    def _state(self) -> dict[str, object]:
        return {"made_by": self._made_by, "files": dict(sorted(self._files()))}

    def _files(self) -> Iterator[tuple[str, list[int]]]:
        paths = list(self._data.glob(_DATABASE))
        for folder, _, names in os.walk(self._data / "index"):
            paths += [Path(folder, name) for name in names]
        for path in paths:
            status = path.stat()
            yield path.relative_to(self._data).as_posix(), [status.st_size, status.st_mtime_ns]
