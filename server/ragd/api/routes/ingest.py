"""Documents in: paths that the daemon reads, or files that are uploaded. Either way the work is a job."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Request
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool

from ragd.access.callers import Caller, Role
from ragd.api.common import App, CallerOf, collection_available, collection_exists, media_type
from ragd.api.errors import validation_failed
from ragd.api.multipart import UploadForm, receive_form
from ragd.api.schemas.jobs import IngestBody, JobStarted, ReindexBody
from ragd.app.container import Application
from ragd.core.errors import FieldProblem, UnsupportedMediaType, ValidationFailed
from ragd.core.logs import request_id
from ragd.ingest.discovery.uploads import Upload
from ragd.store.collections import DEFAULT
from ragd.store.jobs import Job

router = APIRouter(prefix="/api", tags=["ingest"])

_MOST_FILES = 1000

_TRUTH = {"true": True, "1": True, "false": False, "0": False}

_UPLOAD_SCHEMA = {
    "type": "object",
    "required": ["files"],
    "properties": {
        "files": {"type": "array", "items": {"type": "string", "format": "binary"}},
        "collection": {"type": "string", "description": "Best sent before the files."},
        "force": {"type": "boolean", "default": False},
    },
}
_BODY = {
    "required": True,
    "content": {
        "application/json": {"schema": IngestBody.model_json_schema()},
        "multipart/form-data": {"schema": _UPLOAD_SCHEMA},
    },
}


@router.post("/ingest", response_model=JobStarted, status_code=202, openapi_extra={"requestBody": _BODY})
async def ingest(request: Request, app: App, caller: CallerOf) -> dict[str, str]:
    """Ingest files and folders by their paths (JSON), or the files in the request itself (multipart)."""
    content_type = request.headers.get("content-type", "")
    kind = media_type(request)
    if kind == "multipart/form-data":
        job = await _receive_files(request, app, caller, content_type)
    elif kind == "application/json":
        await collection_available(request, app)
        body = await _read_body(request)
        await run_in_threadpool(app.keys.check_quota, caller)
        job = await run_in_threadpool(app.documents.ingest, **body.model_dump(), request_id=request_id.get())
    else:
        raise UnsupportedMediaType("Send JSON (application/json) or files (multipart/form-data). Both are supported here.")
    return {"job_id": job.job_id}


@router.post("/reindex", response_model=JobStarted, status_code=202, dependencies=[Depends(collection_exists)])
def reindex(app: App, body: ReindexBody | None = None) -> dict[str, str]:
    """Make both indexes anew from the stored content, of one collection or of all."""
    return {"job_id": app.reconciler.rebuild(body.collection if body else None, request_id.get()).job_id}


async def _read_body(request: Request) -> IngestBody:
    try:
        return IngestBody.model_validate(await request.json())
    except ValidationError as error:
        raise validation_failed(error.errors()) from error
    except (ValueError, RecursionError) as error:
        problem = FieldProblem("body", "json_invalid", str(error))
        raise ValidationFailed(f"The body is not JSON: {error}.", details=[problem]) from error


async def _receive_files(request: Request, app: Application, caller: Caller, content_type: str) -> Job:
    fields: dict[str, str] = {}

    def on_field(name: str, value: str) -> None:
        if name == "collection":
            caller.require(Role.WRITER, [app.collections.available(value).kb_id])
        elif value.strip().lower() not in _TRUTH:
            raise ValidationFailed("force must be true or false.", details=[FieldProblem(name, "invalid", "true or false.")])
        fields[name] = value

    form = UploadForm(
        content_type,
        receive=app.uploads.receive,
        max_file_size=app.settings.limits.max_document_size,
        file_field="files",
        most_files=_MOST_FILES,
        field_names=("collection", "force"),
        on_field=on_field,
    )
    await run_in_threadpool(app.keys.check_quota, caller)
    return await receive_form(request, form, lambda uploads: _queue(app, caller, uploads, fields))


def _queue(app: Application, caller: Caller, uploads: list[Upload], fields: dict[str, str]) -> Job:
    # The collection may stand after the files in the form, so where they belong is known only now.
    target = app.collections.available(fields.get("collection", DEFAULT))
    caller.require(Role.WRITER, [target.kb_id])
    app.keys.check_quota(caller, len(uploads), sum(upload.size for upload in uploads))
    force = _TRUTH[fields.get("force", "false").strip().lower()]
    return app.documents.ingest_uploads(uploads, target, force=force, request_id=request_id.get())
