"""A job followed on behalf of a call: how far it is as the protocol wants to hear it, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import anyio
from mcp.types import CallToolResult

from ragd.api.schemas.jobs import Job
from ragd.client.asynchronous import AsyncClient
from ragd.client.requests import path
from ragd.core.errors import RagError, ServiceUnavailable
from ragd.mcp.library import Ctx, Library
from ragd.mcp.results.build import answered, failed
from ragd.mcp.results.markdown import cut, fitting, one_line
from ragd.mcp.results.types import JobState

JOBS: Final = "/api/jobs"

_POLL_S: Final = 0.3
"""Seconds between two looks; no thread is held meanwhile."""
_REPORT_AGAIN_S: Final = 10.0
"""Seconds after which a job that does not move is reported again: clients give up a call of which they hear nothing."""
_MOST_FAILED: Final = 50

_UNFINISHED: Final = frozenset(("queued", "running"))
# These count pages and passages; all other stages count documents.
_INSIDE_DOCUMENTS: Final = frozenset(("reading pages", "embedding passages"))


class _JobEnded(RagError):
    """A job that could not go on, or that somebody cancelled."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.retryable = code == ServiceUnavailable.code


@dataclass(slots=True)
class Steps:
    """Stages of a job on one scale that only grows, as the protocol demands of progress: whole documents, and between two of them
    smaller and smaller steps. The total is reached by the end alone."""

    _whole: int = 0
    _total: int = 0
    _within: int = 0

    @property
    def total(self) -> float | None:
        return self._total or None

    def next(self, progress: Mapping[str, Any]) -> float:
        """The value for a job that has moved."""
        if progress["stage"] not in _INSIDE_DOCUMENTS and progress["total"]:
            self._total = max(self._total, progress["total"])
            done = min(progress["done"], self._total - 1)
            if done > self._whole:
                self._whole, self._within = done, -1
        self._within += 1
        return self._whole + self._within / (self._within + 1)

    def last(self) -> float:
        """The value for a job that is finished."""
        return float(max(self._total, self._whole + 1))


async def follow(ctx: Ctx, library: Library, client: AsyncClient, job_id: str, wait_s: float) -> Mapping[str, Any]:
    """The job when it is finished, else as it stands after `wait_s`, or when this process ends. The client hears of each step."""
    end = anyio.current_time() + wait_s
    steps = Steps()
    reported: Any = None
    reported_at = 0.0
    while True:
        job: Mapping[str, Any] = await client.get(path(JOBS, job_id))
        now = anyio.current_time()
        if _is_finished(job):
            await ctx.report_progress(steps.last(), steps.total, job["status"])
            return job
        if job["progress"] != reported or now - reported_at >= _REPORT_AGAIN_S:
            reported, reported_at = job["progress"], now
            await ctx.report_progress(steps.next(reported), steps.total, _stage_of(reported))
        if now < end and not library.ending():
            await anyio.sleep(min(_POLL_S, end - now))
        # An API that is about to end is not asked again: it would refuse.
        if now >= end or library.ending():
            return job


def _is_finished(job: Mapping[str, Any]) -> bool:
    return job["status"] not in _UNFINISHED


def _stage_of(progress: Mapping[str, Any]) -> str:
    """Where a job is, as people say it."""
    count = f", {progress['done']} of {progress['total']}" if progress["total"] else ""
    return f"{progress['stage']}{count}"


def outcome(job: Mapping[str, Any], trace_id: str, max_chars: int) -> CallToolResult:
    """What became of a job, or how far it is. One that failed or was cancelled is a failure with its code."""
    if job["status"] in ("failed", "cancelled"):
        return failed(_ended(job), trace_id)
    result = job["result"]
    failures = result["failed"] if result else []
    bounded = (
        {**result, "failed": failures[:_MOST_FAILED], "left_out": result.get("left_out", [])[:_MOST_FAILED]} if result else None
    )
    state = JobState(
        trace_id=trace_id,
        finished=_is_finished(job),
        job=Job.model_validate({**job, "result": bounded}),
        failed_left_out=max(len(failures) - _MOST_FAILED, 0),
    )
    if not state.finished:
        note = f" {job['error']['message']}" if job["error"] else ""
        going_on = f"The job goes on in '{one_line(job['collection'])}': {_stage_of(job['progress'])}.{one_line(note)}"
        return answered([going_on, f"Look again with get_job, job_id {job['job_id']}."], state)
    lines = [f"Job {job['job_id']} ({job['kind']}) is done.", *_counts(job, result or {})]
    room = max_chars - sum(len(line) + 1 for line in lines) - 200
    return answered([*lines, *_failures(failures, room)], state)


def _ended(job: Mapping[str, Any]) -> _JobEnded:
    if job["status"] == "cancelled":
        message = (
            f"The job {job['job_id']} was cancelled. What it had taken in by then stays; the same call again goes on from there."
        )
        return _JobEnded("CANCELLED", message)
    trouble = job["error"] or {"code": RagError.code, "message": "The log has the details."}
    return _JobEnded(trouble["code"], f"The job {job['job_id']} failed. {trouble['message']}")


def _counts(job: Mapping[str, Any], result: Mapping[str, Any]) -> list[str]:
    where = f" in collection '{one_line(job['collection'])}'" if job["collection"] else ""
    names = ("added", "updated", "unchanged", "moved", "deleted")
    counts = [f"{result[name]} {name}" for name in names if result.get(name)]
    lines = [f"Documents{where}: {', '.join(counts) or 'none'}; {result.get('chunks', 0)} passages."]
    if result.get("skipped"):
        lines.append(f"Skipped: {result['skipped']} files of types that can't be read.")
    return lines


def _failures(failures: Sequence[Mapping[str, Any]], room: int) -> list[str]:
    """A line for each file that failed, as many as there is room for."""
    if not failures:
        return []
    listed = (f"- {one_line(item['source'])}: {item['code']}: {one_line(item['message'])}" for item in failures[:_MOST_FAILED])
    shown = fitting((cut(line, 500)[0] for line in listed), room)
    lines = [f"Failed: {len(failures)}. The others are searchable.", *shown]
    if more := len(failures) - len(shown):
        lines.append(f"… and {more} more (GET /api/jobs/ID has all).")
    return lines
