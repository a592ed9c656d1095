"""What a job reports, and how it ends early."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

JobStatus = Literal["queued", "running", "completed", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that could not be ingested, or was left out, and why."""

    source: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class IngestResult:
    """What an ingestion did, counted in documents; `embedded` and `reused` count vectors.

    `moved` were found again under another name or path. `gone` are documents that stay although their files are no more,
    `gone_names` what the first of them are called. `drift` says how the structure of rebuilt documents has changed.
    """

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    moved: int = 0
    deleted: int = 0
    skipped: int = 0
    failed: tuple[Failure, ...] = ()
    chunks: int = 0
    embedded: int = 0
    reused: int = 0
    gone: int = 0
    gone_names: tuple[str, ...] = ()
    drift: Mapping[str, Any] | None = None


class Stopped(Exception):
    """A run was asked to stop. What was committed stays, the rest is taken back."""

    code = "CANCELLED"


class Postponed(Exception):
    """A job yields to others, and goes on after `delay_s` seconds. `reason` says why, for people; None: it waits its turn."""

    def __init__(self, delay_s: float, reason: str | None = None) -> None:
        super().__init__(reason or "")
        self.delay_s = delay_s
        self.reason = reason
