"""Whether the daemon lives, and what it has loaded."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from rag_assistant.api.common import Core
from rag_assistant.api.schemas import Health, Status

router = APIRouter(tags=["status"])


@router.get("/health", response_model=Health)
@router.get("/api/health", response_model=Health)
async def health() -> dict[str, str]:
    """Answers as soon as the process does; `/health` without a token."""
    return {"status": "ok"}


@router.get("/api/status", response_model=Status, response_model_exclude_unset=True)
def status(core: Core) -> dict[str, Any]:
    """What is loaded, where it is, and how much it holds."""
    return core.status()
