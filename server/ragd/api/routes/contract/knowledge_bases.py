"""Knowledge bases (collections, by id) and the tasks that remove what deleted ones held."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query

from ragd.api.common import App, CallerOf, Pages
from ragd.api.routes.contract import TAG
from ragd.api.schemas.contract import (
    CleanupStarted,
    CleanupTask,
    KnowledgeBase,
    KnowledgeBaseChange,
    KnowledgeBaseCreate,
    KnowledgeBasePage,
)
from ragd.core.jobs import JobStatus
from ragd.core.logs import request_id
from ragd.core.storage import Collection, CollectionStatus, named
from ragd.store.jobs import Job

router = APIRouter(tags=[TAG])

_STATUS: dict[JobStatus, str] = {"queued": "pending", "running": "running", "completed": "completed", "failed": "failed"}


def _changeable(kb_id: str, app: App) -> None:
    """The knowledge base in the address must exist and not be deleted."""
    app.knowledge_bases.changeable(kb_id)


@router.post("/knowledge_bases", response_model=KnowledgeBase, status_code=201)
def create_knowledge_base(body: KnowledgeBaseCreate, app: App, caller: CallerOf) -> dict[str, Any]:
    """Make a knowledge base; 409 for a name in use."""
    return _knowledge_base(app.keys.made(caller, app.collections.create(body.name, body.description)))


@router.get("/knowledge_bases", response_model=KnowledgeBasePage)
def list_knowledge_bases(
    app: App,
    paging: Pages,
    caller: CallerOf,
    name_contains: Annotated[str | None, Query(max_length=255)] = None,
    status: Annotated[CollectionStatus | None, Query()] = None,
) -> dict[str, Any]:
    """Knowledge bases by name, deleted ones included."""
    found, total = app.collections.find(
        paging.page, paging.page_size, name_contains=name_contains, status=status, among=caller.readable
    )
    return paging.answer([_knowledge_base(item) for item in found], total)


@router.get("/knowledge_bases/{kb_id}", response_model=KnowledgeBase)
def get_knowledge_base(kb_id: str, app: App) -> dict[str, Any]:
    """One knowledge base, also one that is deleted."""
    return _knowledge_base(app.collections.by_id(kb_id))


@router.patch("/knowledge_bases/{kb_id}", response_model=KnowledgeBase, dependencies=[Depends(_changeable)])
def change_knowledge_base(kb_id: str, body: KnowledgeBaseChange, app: App) -> dict[str, Any]:
    """Rename, describe, enable or disable a knowledge base; 409 for one that is deleted."""
    changed = app.collections.change_by_id(kb_id, new_name=body.name, description=body.description, status=body.status)
    return _knowledge_base(changed)


@router.delete("/knowledge_bases/{kb_id}", response_model=CleanupStarted, status_code=202, dependencies=[Depends(_changeable)])
def delete_knowledge_base(kb_id: str, app: App) -> dict[str, str]:
    """Delete a knowledge base: gone from every answer at once, what it held by a task."""
    return {"cleanup_task_id": app.knowledge_bases.delete(kb_id, request_id.get()).job_id}


@router.get("/cleanup_tasks/{task_id}", response_model=CleanupTask)
def get_cleanup_task(task_id: str, app: App) -> dict[str, Any]:
    """How far the removal is."""
    return _task(app.knowledge_bases.tasks.get(task_id))


@router.post("/cleanup_tasks/{task_id}/retry", response_model=CleanupTask, status_code=202)
def retry_cleanup_task(task_id: str, app: App) -> dict[str, Any]:
    """Begin a task again that failed; 409 for any other."""
    return _task(app.knowledge_bases.tasks.retry(task_id))


def _knowledge_base(collection: Collection) -> dict[str, Any]:
    names = ("name", "description", "status", "document_count", "chunk_count", "created_at", "updated_at")
    return {"id": collection.kb_id, **named(collection, *names)}


def _task(job: Job) -> dict[str, Any]:
    # A task that waits for its next attempt is pending again, and begins anew: what is gone already is counted when it runs.
    is_counted = job.status != "queued" and job.progress["stage"] != "queued"
    total = job.progress["total"] if is_counted else None
    processed = job.progress["done"] if is_counted else 0
    if job.status == "completed":
        # The last report of progress may have been one too soon after another to be written.
        processed = total = (job.result or {}).get("deleted", 0)
    return {
        "task_id": job.job_id,
        "knowledge_base_id": job.kb_id,
        "status": _STATUS[job.status],
        "progress": {
            "processed": processed,
            "total": total,
            "percentage": None if total is None else processed / total if total else 1.0,
        },
        "error_message": None if job.error is None else job.error["message"],
        "created_at": job.created_at,
        "updated_at": job.updated_at or job.finished_at or job.created_at,
    }
