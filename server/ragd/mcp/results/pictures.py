"""Pictures of documents as content that a model can look at, bounded in size. One that can't be had never fails the others."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from mcp.types import ContentBlock, ImageContent, TextContent

from ragd.client.asynchronous import AsyncClient
from ragd.client.requests import path
from ragd.core.errors import RagError, UnsupportedMediaType
from ragd.mcp.results.types import MissingPicture, OmittedPicture, Picture, Variant

SHOWN_AS_IMAGES: Final = ("image/png", "image/jpeg", "image/webp", "image/gif")
"""What models and clients show. The daemon keeps pictures of other formats as PNG; an SVG, which is a program, never goes out."""

MAX_BYTES: Final = 8_000_000
"""Of pictures in one answer, before base64 adds a third."""

_MOST_THUMBNAILS: Final = 5
_THUMBNAIL_BYTES: Final = 500_000
"""Of all thumbnails beside an answer together."""


@dataclass(slots=True)
class _Gathered:
    """What was found of the pictures that were asked for; `shown` and `contents` in the same order."""

    shown: list[Picture] = field(default_factory=list)
    contents: list[ImageContent] = field(default_factory=list)
    missing: list[MissingPicture] = field(default_factory=list)
    omitted: list[OmittedPicture] = field(default_factory=list)


async def gather(client: AsyncClient, asset_ids: Iterable[str], variant: Variant, max_bytes: int) -> _Gathered:
    """Each picture once, in order, as long as all together have at most `max_bytes`."""
    gathered = _Gathered()
    left = max_bytes
    for asset_id in dict.fromkeys(asset_ids):
        try:
            data, mime = await client.bytes(path("/api/assets", asset_id), variant=variant)
        except RagError as error:
            gathered.missing.append(MissingPicture(asset_id=asset_id, code=error.code, message=error.message))
            continue
        if mime not in SHOWN_AS_IMAGES:
            known = ", ".join(kind.removeprefix("image/") for kind in SHOWN_AS_IMAGES)
            message = f"It is {mime}, which is not sent ({known} are). Ask for variant=thumb."
            gathered.missing.append(MissingPicture(asset_id=asset_id, code=UnsupportedMediaType.code, message=message))
        elif len(data) > left:
            gathered.omitted.append(OmittedPicture(asset_id=asset_id, mime=mime, size=len(data)))
        else:
            left -= len(data)
            gathered.shown.append(Picture(asset_id=asset_id, mime=mime, size=len(data), variant=variant))
            coded = base64.b64encode(data).decode("ascii")
            gathered.contents.append(ImageContent(type="image", data=coded, mime_type=mime))
    return gathered


async def thumbnails(client: AsyncClient, citations: Sequence[Mapping[str, Any]]) -> list[ContentBlock]:
    """Thumbnails for the first pictures of an answer, each behind a line that says which citation shows it."""
    shown_by: dict[str, int] = {}
    for citation in citations:
        for image in citation["images"]:
            shown_by.setdefault(image["asset_id"], citation["id"])
    wanted = list(shown_by)[:_MOST_THUMBNAILS]
    found = await gather(client, wanted, "thumb", _THUMBNAIL_BYTES)
    blocks: list[ContentBlock] = []
    for picture, content in zip(found.shown, found.contents, strict=True):
        blocks += [_line(f"[{shown_by[picture.asset_id]}] picture {picture.asset_id}"), content]
    blocks += [_line(f"[{shown_by[item.asset_id]}] picture {item.asset_id}: not shown, {item.code}") for item in found.missing]
    left_out = len(shown_by) - len(wanted) + len(found.omitted)
    return [*blocks, _line(f"{left_out} more pictures: query_assets with their ids.")] if left_out else blocks


def _line(text: str) -> TextContent:
    return TextContent(type="text", text=text)
