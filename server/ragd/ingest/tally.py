"""What a run of the ingestion line counts."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragd.core.jobs import Failure, IngestResult


@dataclass(slots=True)
class Tally:
    """Counts of a run so far. Written by the threads of one run, each counter by one of them."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    moved: int = 0
    deleted: int = 0
    skipped: int = 0
    failed: list[Failure] = field(default_factory=list)
    chunks: int = 0
    embedded: int = 0
    reused: int = 0
    unchanged_ids: list[str] = field(default_factory=list)
    past_embedding: int = 0
    """Documents whose vectors are there, stored or on their way to be."""
    replaced: set[str] = field(default_factory=set)
    """Documents that are others now: their files were found under another name."""

    @property
    def done(self) -> int:
        """Documents that progress counts as done."""
        return self.past_embedding + self.unchanged + len(self.failed)

    def result(self) -> IngestResult:
        """The counts as they go into the job."""
        return IngestResult(
            added=self.added,
            updated=self.updated,
            unchanged=self.unchanged,
            moved=self.moved,
            deleted=self.deleted,
            skipped=self.skipped,
            failed=tuple(self.failed),
            chunks=self.chunks,
            embedded=self.embedded,
            reused=self.reused,
        )
