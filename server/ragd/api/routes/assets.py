"""Pictures of documents: as they stand in the document, or as a thumbnail."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Query
from fastapi.responses import FileResponse

from ragd.api.common import Access, App
from ragd.api.description import binary
from ragd.store.assets import Variant

router = APIRouter(prefix="/api/assets", tags=["assets"])

PICTURE_HEADERS: Final = {
    # A picture comes out of somebody's document: an SVG in a tab of its own may run nothing and load nothing.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "private, max-age=3600",
}


@router.get(
    "/{asset_id}",
    response_class=FileResponse,
    responses=binary("image/*", "The picture."),
)
def get_asset(asset_id: str, app: App, access: Access, variant: Annotated[Variant, Query()] = "raw") -> FileResponse:
    """A picture that a live document shows which the caller may see; `thumb` is a WebP of at most 320 pixels."""
    found = app.pictures.find(asset_id, variant, access)
    # Rights can end at any moment, and no cache is asked then.
    headers = PICTURE_HEADERS if found.for_all else PICTURE_HEADERS | {"Cache-Control": "no-store"}
    return FileResponse(found.path, media_type=found.mime, headers=headers)
