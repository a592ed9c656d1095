"""Pictures of documents: as they stand in the document, as a thumbnail, and what is said of them."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Response
from fastapi.responses import FileResponse

from ragd.api.common import Access, App, Pages
from ragd.api.description import binary
from ragd.api.schemas.assets import AssetDetails, AssetPage, AssetState, CaptionBody, CaptionStarted
from ragd.core.logs import request_id
from ragd.store.assets import Variant

router = APIRouter(prefix="/api/assets", tags=["assets"])

PICTURE_HEADERS: Final = {
    # A picture comes out of somebody's document: an SVG in a tab of its own may run nothing and load nothing.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "private, max-age=3600",
}


@router.get("", response_model=AssetPage)
def list_assets(
    app: App,
    access: Access,
    paging: Pages,
    state: Annotated[AssetState | None, Query()] = None,
    same_as: Annotated[str | None, Query(pattern="^[0-9a-f]{32}$", description="Those that show the same as this one.")] = None,
    fold: Annotated[bool, Query(description="One entry for all that show the same.")] = False,
) -> dict[str, Any]:
    """Pictures of the documents that you may see, with what is said of each."""
    found = app.picture_details.page(access, state, same_as, fold=fold)
    return paging.answer(paging.of(found), len(found))


@router.post("/caption", response_model=CaptionStarted, status_code=202)
def caption_assets(body: CaptionBody, app: App) -> dict[str, str | None]:
    """Have pictures described, in the background: those without a description, and those that failed; or others as well."""
    asked = body.model_dump(exclude_defaults=True)
    job = app.picture_details.caption({"again": True} | asked, request_id.get())
    return {"job_id": job.job_id if job else None}


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


@router.get("/{asset_id}/details", response_model=AssetDetails)
def get_asset_details(asset_id: str, app: App, access: Access) -> dict[str, Any]:
    """What was read in a picture, what is said of it and by whom, where it is shown, and what its descriptions cost."""
    return app.picture_details.of(asset_id, access)


@router.get("/{asset_id}/table", response_class=Response, responses=binary("text/csv", "The cells, or the values."))
def get_asset_table(asset_id: str, app: App, access: Access) -> Response:
    """The table that was read in a picture, or the values of its chart, as CSV; nothing where there is neither."""
    headers = {"Content-Disposition": f'attachment; filename="{asset_id[:8]}.csv"', "Cache-Control": "no-store"}
    return Response(app.picture_details.csv(asset_id, access), media_type="text/csv; charset=utf-8", headers=headers)
