"""Documents in, and the jobs that take them in."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import BaseModel, Field

from ragd.api.schemas.base import Page, RequestBody, StreamEnd, Trouble
from ragd.core.jobs import JobStatus

GivenPath = Annotated[str, Field(min_length=1, max_length=4096, pattern=r"^[^\x00]*$")]
MAX_PATHS: Final = 10_000


class IngestBody(RequestBody):
    paths: list[GivenPath] = Field(min_length=1, max_length=MAX_PATHS, description="Absolute paths of files and folders.")
    collection: str | None = None
    force: bool = Field(default=False, description="Read again what has not changed.")
    recursive: bool = True
    gitignore: bool = Field(default=True, description="In folders, leave out what `.gitignore` files name.")
    prune: bool = Field(default=False, description="Delete documents of the given folders whose files are no more.")
    within: list[GivenPath] | None = Field(
        default=None,
        min_length=1,
        max_length=1_000,
        description="Absolute paths of folders that nothing may lie outside of, also not behind a link. It narrows what the "
        "daemon allows and never widens it.",
    )


class ReindexBody(RequestBody):
    collection: str | None = None


class Progress(BaseModel):
    stage: str
    done: int
    total: int


class FailedFile(BaseModel):
    source: str
    code: str
    message: str


class JobResult(BaseModel):
    added: int
    updated: int
    unchanged: int
    moved: int = 0
    deleted: int = 0
    skipped: int
    failed: list[FailedFile]
    left_out: list[FailedFile] = Field(default=[], description="Seen and not read, with the reason; at most 500.")
    left_out_count: int = 0
    lacking_ocr: int = Field(default=0, description="Documents with scans that need `rag extras add ocr`.")
    chunks: int
    embedded: int
    reused: int
    gone: int = Field(default=0, description="Documents whose files are no more.")
    gone_names: list[str] = Field(default=[], description="The first of them.")
    drift: dict[str, Any] | None = Field(default=None, description="Of a rebuild: how structure and lengths changed.")


class Job(BaseModel):
    job_id: str
    kind: str
    status: JobStatus
    collection: str
    progress: Progress
    result: JobResult | None
    error: Trouble | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    attempts: int = 1
    not_before: str | None = None


class JobPage(Page[Job]): ...


class JobEvents(BaseModel):
    """The events of `GET /api/jobs/{job_id}/events`, and the data of each."""

    progress: Job
    end: Job
    stopping: StreamEnd


class JobStarted(BaseModel):
    job_id: str
