"""A copy of everything that was taken in, made while it is in use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import StreamingResponse

from ragd.api.common import App
from ragd.api.description import binary
from ragd.app.backup import Snapshot

router = APIRouter(tags=["backup"])

SIZE_HEADER = "X-Unpacked-Size"


def _snapshot(app: App) -> Iterator[Snapshot]:
    """It is held for as long as the request lasts. The stream's own `finally` does not always run: see `chat`."""
    with app.backup.snapshot() as snapshot:
        yield snapshot


@router.get(
    "/api/backup",
    response_class=StreamingResponse,
    responses=binary("application/zip", "The archive; its manifest comes last."),
)
def get_backup(snapshot: Annotated[Snapshot, Depends(_snapshot)]) -> StreamingResponse:
    """All content as of one moment, for `rag restore`. `X-Unpacked-Size`: its bytes before compression."""
    headers = {SIZE_HEADER: str(snapshot.size), "Cache-Control": "no-store"}
    return StreamingResponse(snapshot.stream(), media_type="application/zip", headers=headers)
