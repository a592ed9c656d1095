"""What a job that describes pictures has done so far."""

from __future__ import annotations

from dataclasses import replace

from ragd.core.jobs import Failure, IngestResult


class Counts:
    """What a job has done so far."""

    def __init__(self, total: int = 0, done: int = 0) -> None:
        self.total = total
        self.done = done
        self.failed: list[Failure] = []
        self._made = IngestResult()

    def add(self, made: IngestResult) -> None:
        before = self._made
        self._made = replace(
            before,
            updated=before.updated + made.updated,
            chunks=before.chunks + made.chunks,
            embedded=before.embedded + made.embedded,
            failed=(*before.failed, *made.failed),
        )

    def result(self) -> IngestResult:
        return replace(self._made, failed=(*self._made.failed, *self.failed))
