"""What a job reports, and how it ends early."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final, Literal

JobStatus = Literal["queued", "running", "completed", "failed", "cancelled"]

EVALUATION: Final = "evaluation"
TUNING: Final = "tuning"
BESIDE: Final = frozenset({EVALUATION, TUNING})
"""Kinds of jobs that only ask: one of them at a time runs beside the others, and keeps no document waiting."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that could not be ingested, or was left out, and why."""

    source: str
    code: str
    message: str


MOST_LEFT_OUT: Final = 500
"""How many files and folders a job names that were left out."""


@dataclass(frozen=True, slots=True)
class IngestResult:
    """What an ingestion did, counted in documents; `embedded` and `reused` count vectors.

    `moved` were found again under another name or path. `gone` are documents that stay although their files are no more,
    `gone_names` what the first of them are called. `left_out` names what was seen and not read, the first `MOST_LEFT_OUT` of
    `left_out_count`; `lacking_ocr` counts documents with scanned pages that nothing could read. `drift` says how the structure of
    rebuilt documents has changed.
    """

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    moved: int = 0
    deleted: int = 0
    skipped: int = 0
    failed: tuple[Failure, ...] = ()
    left_out: tuple[Failure, ...] = ()
    left_out_count: int = 0
    lacking_ocr: int = 0
    chunks: int = 0
    embedded: int = 0
    reused: int = 0
    gone: int = 0
    gone_names: tuple[str, ...] = ()
    drift: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class QueuedUpload:
    """A file of a job of the kind `upload`: its name in the staging folder, and the name that it came with."""

    kb_id: str
    staged: str
    source: str

    @classmethod
    def of(cls, kb_id: str, payload: Mapping[str, Any]) -> list[QueuedUpload]:
        # Earlier releases wrote the whole path, which holds only until the data directory is moved.
        return [cls(kb_id, PurePath(item["staged"]).name, item["source"]) for item in payload["files"]]


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """What an evaluation left: the ids of its runs; of a search for settings what it found, and that as a strategy's file."""

    run_ids: tuple[str, ...] = ()
    tuned: Mapping[str, Any] | None = None
    strategy_file: str = ""


class Stopped(Exception):
    """A run was asked to stop. What was committed stays, the rest is taken back."""

    code = "CANCELLED"


class Postponed(Exception):
    """A job yields to others, and goes on after `delay_s` seconds. `reason` says why, for people; None: it waits its turn."""

    def __init__(self, delay_s: float, reason: str | None = None) -> None:
        super().__init__(reason or "")
        self.delay_s = delay_s
        self.reason = reason


URGENT: Final = 20
"""Of jobs that a person waits for: an uploaded file, a document read once more, the remains of a deleted one."""
_USUAL: Final = 10
_BEHIND: Final = 0
_URGENCY: Final[Mapping[str, int]] = {
    **dict.fromkeys(("upload", "reread", "cleanup"), URGENT),
    **dict.fromkeys(("bulk", "rebuild", "repair", "tokens", "captions"), _BEHIND),
}


def urgency(kind: str) -> int:
    """Which job goes first, the higher number before the lower; of one number, the one that came first.

    Folders and cloud sources come after what is urgent, and before what goes over everything again.
    """
    return _URGENCY.get(kind, _USUAL)


def by_urgency() -> Mapping[str, int]:
    """Every kind whose urgency is not the usual one, with how far it is from that."""
    return {kind: value - _USUAL for kind, value in _URGENCY.items()}
