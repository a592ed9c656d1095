"""Documents in and out of the index, and the jobs that take them in."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Annotated, Any, Final

import anyio
import anyio.lowlevel
import anyio.to_thread
from mcp.types import CallToolResult
from pydantic import Field

from ragd.api.schemas.jobs import MAX_PATHS, GivenPath
from ragd.client.asynchronous import AsyncClient
from ragd.client.requests import path
from ragd.core.errors import RagError, ServiceUnavailable
from ragd.mcp.library import Ctx, Library
from ragd.mcp.results.build import answered
from ragd.mcp.results.jobs import JOBS, follow, outcome
from ragd.mcp.results.markdown import one_line
from ragd.mcp.results.types import DeletedDocument, JobState
from ragd.mcp.roots import confined

log = logging.getLogger(__name__)

MAX_WAIT_S: Final = 3600
DEFAULT_WAIT_S: Final = 45
"""Some clients give a call up after a minute, and with it the job."""

_QUEUE_S: Final = 60.0
"""Seconds within which the daemon must take a job. So long a call can't be cancelled: nobody would know whether it was taken."""
_CANCEL_S: Final = 5.0
"""Seconds that a cancelled call spends on cancelling its job."""

_WAITING: Final = "Seconds to wait for the end. A job that is not done by then goes on; get_job looks again."


@dataclass(frozen=True, slots=True)
class IngestTools:
    """The tools that change what is indexed."""

    library: Library

    async def ingest(
        self,
        ctx: Ctx,
        paths: Annotated[
            list[GivenPath],
            Field(min_length=1, max_length=MAX_PATHS, description="Absolute paths of files and folders; no `~`, no addresses."),
        ],
        collection: Annotated[str | None, Field(description="Where to; `default` when left out. It must exist.")] = None,
        force: Annotated[bool, Field(description="Read again what has not changed.")] = False,
        recursive: Annotated[bool, Field(description="Folders with all that lies below.")] = True,
        wait_s: Annotated[int, Field(ge=0, le=MAX_WAIT_S, description=_WAITING)] = DEFAULT_WAIT_S,
    ) -> Annotated[CallToolResult, JobState]:
        """Take files and folders of this machine into the knowledge base, so that they can be searched.

        Use it only when the user asks for it. What has not changed since the last time is passed over, so it is safe to repeat.
        Only folders that the user has opened to agents (security.allowed_roots) can be read. It tells progress; cancelling the
        call cancels the job. For large folders give wait_s=0 and look with get_job.
        """
        # It touches the disk, which may be a slow network drive.
        within = await anyio.to_thread.run_sync(confined, paths, self.library.allowed_roots)
        client = self.library.client(ctx)
        body = {"paths": paths, "collection": collection, "force": force, "recursive": recursive, "within": within}
        job_id = await _queue(client, body)
        trace_id = client.trace_id
        try:
            # A call that was cancelled while the job was queued ends here.
            await anyio.lowlevel.checkpoint()
            job = await follow(ctx, self.library, client, job_id, wait_s)
        except anyio.get_cancelled_exc_class():
            if not self.library.ending():
                await _cancel(client, job_id)
            raise
        except RagError as error:
            if not error.retryable:
                raise
            message = f"{error.message} The job {job_id} was queued before and goes on: look at it with get_job."
            raise ServiceUnavailable(message) from error
        return outcome(job, trace_id, self.library.settings.max_chars)

    async def get_job(
        self,
        ctx: Ctx,
        job_id: Annotated[str, Field(min_length=1, description="As ingest gave it.")],
        wait_s: Annotated[int, Field(ge=0, le=MAX_WAIT_S, description=_WAITING)] = 0,
    ) -> Annotated[CallToolResult, JobState]:
        """See how far a job is that ingest started, or what it did: documents added, updated, unchanged, failed and why.

        It changes nothing: cancelling this call leaves the job alone.
        """
        client = self.library.client(ctx)
        job = await follow(ctx, self.library, client, job_id, wait_s)
        return outcome(job, client.trace_id, self.library.settings.max_chars)

    async def delete_document(
        self, ctx: Ctx, doc_id: Annotated[str, Field(min_length=1, description="From a citation or list_documents.")]
    ) -> Annotated[CallToolResult, DeletedDocument]:
        """Remove a document from the index, so that no answer uses it any more. The file on the disk stays untouched.

        Use it only when the user asks for it. It can't be undone, but the document can be taken in again from its file.
        """
        client = self.library.client(ctx)
        address = path("/api/documents", doc_id)
        document = await client.get(address)
        await client.delete(address)
        deleted = DeletedDocument.model_validate({**document, "doc_id": document["id"], "trace_id": client.trace_id})
        lines = [
            f"Removed from the index: {one_line(deleted.title)} ({one_line(deleted.source)}), collection "
            f"'{one_line(deleted.collection)}', doc_id {deleted.doc_id}.",
            "The file itself was not touched. Taking it in again brings it back.",
        ]
        return answered(lines, deleted)


async def _queue(client: AsyncClient, body: dict[str, Any]) -> str:
    """The id of a job that the daemon has taken for sure."""
    try:
        with anyio.fail_after(_QUEUE_S, shield=True):
            started = await client.post("/api/ingest", body)
    except TimeoutError as error:
        raise ServiceUnavailable("The daemon did not take the job in time. See `rag jobs list` before you try again.") from error
    return str(started["job_id"])


async def _cancel(client: AsyncClient, job_id: str) -> None:
    with anyio.move_on_after(_CANCEL_S, shield=True):
        try:
            await client.delete(path(JOBS, job_id))
        except RagError as error:
            # Nobody waits for an answer any more.
            log.warning("job of a cancelled call not cancelled", extra={"job_id": job_id, "code": error.code})
