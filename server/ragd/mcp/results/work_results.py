"""The typed fields of what the tools for jobs, documents and pictures give."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from ragd.api.schemas.jobs import Job
from ragd.mcp.results.types import Result

Variant = Literal["thumb", "raw"]


class JobState(Result):
    """A job as it stands."""

    finished: bool = Field(description="When false the job goes on: look again with get_job.")
    job: Job = Field(description="As GET /api/jobs/{id} tells it; `result` is there when it is finished.")
    failed_left_out: int = Field(description="Files that failed beyond those in `job.result.failed`.")


class DeletedDocument(Result):
    """What is no longer in the index. Its file is where it was."""

    doc_id: str
    title: str
    source: str
    source_uri: str
    collection: str


class Picture(BaseModel):
    """A picture that was sent. The pictures of a result come in this order."""

    asset_id: str
    mime: str
    size: int = Field(description="Bytes, before they are coded for the transport.")
    variant: Variant


class MissingPicture(BaseModel):
    """A picture that can't be sent, and why."""

    asset_id: str
    code: str
    message: str


class OmittedPicture(BaseModel):
    """A picture that did not fit into `max_bytes`."""

    asset_id: str
    mime: str
    size: int


class Pictures(Result):
    """Pictures by their ids."""

    assets: list[Picture]
    missing: list[MissingPicture]
    omitted: list[OmittedPicture]
