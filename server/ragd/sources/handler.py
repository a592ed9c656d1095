"""What a type of source does in its own way: one interface, which `registry.py` gives each type an implementation of."""

# What only some types need has an empty body here.
# ruff: noqa: ARG002, B027

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from ragd.config.secrets import AllowedSecrets
from ragd.config.settings import Settings
from ragd.core.jobs import IngestResult
from ragd.ingest.pipeline import IngestPipeline
from ragd.ingest.reading import Report
from ragd.sources.queue import Changes, SyncQueue
from ragd.store.documents import DocumentWriter
from ragd.store.jobs import Job, Jobs
from ragd.store.ledger import Ledger
from ragd.store.sources import Source, Sources

_FAILURES_KEPT: Final = 20
"""Failures that are kept with a source; the job has them all."""


@dataclass(frozen=True, slots=True)
class HandlerContext:
    """What handlers work with. Folders in `avoid` (our own, resolved) are never read."""

    settings: Settings
    avoid: Sequence[Path]
    sources: Sources
    documents: DocumentWriter
    ledger: Ledger
    jobs: Jobs
    queue: SyncQueue
    ingestion: Callable[[], IngestPipeline]
    secrets: AllowedSecrets


@dataclass(frozen=True, slots=True)
class AccessOptions:
    """When a source is read, and who may see it; None: as it was before, or as the settings say."""

    schedule: str | None = None
    live: str | None = None
    public: bool | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reading did, and what is kept of it with the source."""

    result: IngestResult
    note: dict[str, Any]

    @classmethod
    def of(cls, result: IngestResult, job: Job, **more: Any) -> Reading:
        """A reading by this job; `more` is kept besides its counts and first failures."""
        note = asdict(result)
        note.pop("drift", None)
        failed = note.pop("failed")
        kept = {"failed_count": len(failed), "failed": list(failed[:_FAILURES_KEPT]), "job_id": job.job_id}
        return cls(result, note | kept | more)


class Watching(Protocol):
    """How a source is followed at this moment. `problem` says why it is not, or not as it should be."""

    @property
    def state(self) -> str: ...
    @property
    def polling(self) -> bool: ...
    @property
    def problem(self) -> str | None: ...


class SourceHandler(ABC):
    """What is done with sources of some types. Safe to use from several threads."""

    is_remote: bool
    """Whether the sources are places elsewhere, with a ledger of items and rights of their own."""

    @abstractmethod
    def __init__(self, context: HandlerContext) -> None: ...

    def start(self) -> None:
        """From now on, follow sources."""

    def start_schedule(self) -> None:
        """From now on, read sources when they are due."""

    @abstractmethod
    def stop(self) -> None:
        """Follow and read no source any more."""

    # Configuration

    def check_change(self, before: Source, values: Mapping[str, Any]) -> None:
        """Raises `ValidationFailed` for parts of a configuration that can't be changed without others."""

    @abstractmethod
    def preview(self, type_: str, values: Mapping[str, Any], token: str | None) -> Any:
        """What a source of this configuration would read, as a dataclass. Nothing is stored. Raises as `parse_config` does."""

    @abstractmethod
    def parse_config(self, type_: str, values: Mapping[str, Any], kb_id: str, source_id: str | None = None) -> dict[str, Any]:
        """The configuration that a person gave, checked and JSON-ready; `source_id` is of the source that it changes.

        Raises `ValidationFailed` and `ForbiddenPath`.
        """

    @abstractmethod
    def access(self, options: AccessOptions, before: Source | None = None) -> dict[str, Any]:
        """Checked values of the columns `schedule`, `live` and `public`. Raises `ValidationFailed`."""

    @abstractmethod
    def default_name(self, type_: str, config: Mapping[str, Any]) -> str:
        """What a source is called that was given no name."""

    # Life of a source

    def follow(self, source: Source) -> None:
        """Follow a source that is there since before."""

    def watching(self, source_id: str) -> Watching | None:
        """How a source is followed; None when it is not."""
        return None

    @abstractmethod
    def added(self, source: Source, token: str | None, request_id: str | None) -> None:
        """Have a new source read, and follow it from now on."""

    @abstractmethod
    def changed(self, before: Source, after: Source, token: str | None, request_id: str | None) -> None:
        """Have a source read that is read in another way now, and follow it so."""

    def removed(self, source_id: str) -> None:
        """A source is about to go."""

    # Reading

    def waits_for_token(self, source: Source) -> bool:
        """Whether the source's token comes with each request, so that whoever keeps it has to ask for the reading."""
        return False

    def requested(self, source: Source, token: str | None, *, everything: bool = False) -> None:
        """Somebody asked for a reading, of everything or of some items, and brought this token."""

    def retry(self, source: Source, item_ids: Sequence[str] | None) -> list[str]:
        """Let items that were left out, all or these, be read once more; gives their ids."""
        return []

    @abstractmethod
    def read(self, source: Source, job: Job, names: Changes, report: Report) -> Reading:
        """Do what a job says: look at everything or, with `names`, at these alone.

        Raises `Postponed` when other jobs are to go first, `Stopped`, and `RagError`; nothing is deleted then.
        """
