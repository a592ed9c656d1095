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
from ragd.mcp.results.markdown import cut, fenced, one_line
from ragd.mcp.results.types import FoundPicture, MissingPicture, OmittedPicture, Picture, Variant
from ragd.retrieve.context import place_of

SHOWN_AS_IMAGES: Final = ("image/png", "image/jpeg", "image/webp", "image/gif")
"""What models and clients show. The daemon keeps pictures of other formats as PNG; an SVG, which is a program, never goes out."""

MAX_BYTES: Final = 8_000_000
"""Of pictures in one answer, before base64 adds a third."""

NOTHING_SHOWN: Final = "No picture was found. Try other words, another collection (list_collections), or no image_type."

_MOST_THUMBNAILS: Final = 5
_THUMBNAIL_BYTES: Final = 500_000
"""Of all thumbnails beside an answer together."""
_FRAME: Final = 200
"""Characters around what is told of a picture: its number, its document, its fence."""
_LEAST_TOLD: Final = 200


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


@dataclass(slots=True)
class ShownPicture:
    """A picture of passages. `number` is that of the first passage which shows it: its citation, or its place among results.

    `more` counts other files that show the same.
    """

    image: Mapping[str, Any]
    passage: Mapping[str, Any]
    number: int
    more: int = 0


def pictures_of(passages: Iterable[Mapping[str, Any]], image_type: str | None = None) -> list[ShownPicture]:
    """The pictures of results or citations in order, one for all that show the same, and only those of a type if one is given."""
    shown: dict[str, ShownPicture] = {}
    seen: set[str] = set()
    for number, passage in enumerate(passages, 1):
        for image in passage["images"]:
            if image_type is not None and image.get("image_type") != image_type:
                continue
            original = image.get("same_as") or image["asset_id"]
            if original not in shown:
                shown[original] = ShownPicture(image, passage, passage.get("id", number))
            elif image["asset_id"] not in seen:
                shown[original].more += 1
            seen.add(image["asset_id"])
    return list(shown.values())


def found_picture(shown: ShownPicture) -> FoundPicture:
    """A picture with its document, as results have it."""
    own = {"more": shown.more, "place": place_of(shown.passage), "mermaid": shown.image.get("mermaid")}
    return FoundPicture.model_validate({**shown.passage, **shown.image, **own})


def picture_lines(pictures: Sequence[ShownPicture], room: int) -> list[str]:
    """Each picture with its number, and what is known of it fenced as data, in its share of about `room` characters."""
    lines: list[str] = []
    share = max(room // max(len(pictures), 1) - _FRAME, _LEAST_TOLD)
    for number, one in enumerate(pictures, 1):
        image, passage = one.image, one.passage
        kind = f" ({image['image_type']})" if image.get("image_type") else ""
        where = ", ".join(one_line(part) for part in (passage["source"], place_of(passage)) if part)
        more = f", and {one.more} more like it" if one.more else ""
        lines += ["", f"{number}. picture {image['asset_id']}{kind} in {where} · doc_id {passage['doc_id']}{more}"]
        said = image.get("description")
        told = [
            f"By its document: {image['caption']}" if image.get("caption") else "",
            f"Description by {image['described_by']}, not the document's words: {said}" if said else "Not described.",
            f"Read in it: {image['text']}" if image.get("text") else "",
        ]
        text, _ = cut("\n".join(filter(None, told)), share)
        lines.append(fenced(text))
        mermaid = image.get("mermaid") or ""
        if 0 < len(mermaid) <= share - len(text):
            lines.append(fenced(mermaid, "mermaid"))
    return lines


async def thumbnails(client: AsyncClient, pictures: Sequence[ShownPicture]) -> list[ContentBlock]:
    """Thumbnails of the first pictures, each behind a line that says which passage shows it."""
    labels = {one.image["asset_id"]: f"[{one.number}] picture {one.image['asset_id']}" for one in pictures}
    wanted = list(labels)[:_MOST_THUMBNAILS]
    found = await gather(client, wanted, "thumb", _THUMBNAIL_BYTES)
    more = {one.image["asset_id"]: f", and {one.more} more like it" if one.more else "" for one in pictures}
    blocks: list[ContentBlock] = []
    for picture, content in zip(found.shown, found.contents, strict=True):
        blocks += [_line(labels[picture.asset_id] + more[picture.asset_id]), content]
    blocks += [_line(f"{labels[item.asset_id]}: not shown, {item.code}") for item in found.missing]
    left_out = len(labels) - len(wanted) + len(found.omitted)
    return [*blocks, _line(f"{left_out} more pictures: query_assets with their ids.")] if left_out else blocks


def _line(text: str) -> TextContent:
    return TextContent(type="text", text=text)
