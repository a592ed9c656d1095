"""What a run of the ingestion line counts."""

from __future__ import annotations

from dataclasses import dataclass, field

from rag_assistant.types import Failure, IngestResult


@dataclass(slots=True)
class Tally:
    """Counts of a run so far. Written by the threads of one run, each counter by one of them."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    skipped: int = 0
    failed: list[Failure] = field(default_factory=list)
    chunks: int = 0
    embedded: int = 0
    reused: int = 0
    unchanged_ids: list[str] = field(default_factory=list)
    past_embedding: int = 0
    """Documents whose vectors are there, stored or on their way to be."""

    @property
    def done(self) -> int:
        """Documents that progress counts as done."""
        return self.past_embedding + self.unchanged + len(self.failed)

    def result(self) -> IngestResult:
        """The counts as they go into the job."""
        return IngestResult(
            self.added, self.updated, self.unchanged, self.skipped, tuple(self.failed), self.chunks, self.embedded, self.reused
        )
