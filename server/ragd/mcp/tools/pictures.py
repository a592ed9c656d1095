"""Pictures: searched by what is said of them and read in them, and looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final

from mcp.types import CallToolResult
from pydantic import Field

from ragd.mcp.library import Ctx, Library
from ragd.mcp.results.build import answered
from ragd.mcp.results.markdown import DATA_NOTE, counted, cut, notes, one_line
from ragd.mcp.results.pictures import MAX_BYTES, NOTHING_SHOWN, found_picture, gather, picture_lines, pictures_of, thumbnails
from ragd.mcp.results.types import FoundPictures, Pictures, Variant
from ragd.mcp.tools.search import InCollection, MaxChars
from ragd.vision.description import ImageType

_MAX_PICTURES: Final = 20
_FOUND: Final = 5


@dataclass(frozen=True, slots=True)
class PictureTools:
    """The tools about pictures."""

    library: Library

    async def search_pictures(
        self,
        ctx: Ctx,
        query: Annotated[str, Field(description="What the picture shows, in words; may be empty beside `like`.")] = "",
        like: Annotated[
            str | None, Field(description="An asset_id: also by this picture, for where it is shown and what is like it.")
        ] = None,
        image_type: Annotated[ImageType | None, Field(description="Only pictures that were taken for this.")] = None,
        collection: InCollection = None,
        top_k: Annotated[int, Field(ge=1, le=_MAX_PICTURES, description="How many pictures.")] = _FOUND,
        show: Annotated[bool, Field(description="Append up to 5 of them as small pictures.")] = False,
        max_chars: MaxChars = None,
    ) -> Annotated[CallToolResult, FoundPictures]:
        """Find pictures in the user's documents by what they show: charts, flow charts, tables in screenshots, error dialogs.

        Each comes with its description by a captioner, the words read in it, its diagram as Mermaid, and the document that shows
        it. Copies of a picture count as one. To look at one use query_assets.
        """
        client = self.library.client(ctx)
        filters = {"has_image": True} | ({"image_type": image_type} if image_type else {})
        body: dict[str, Any] = {"query": query, "collection": collection, "filters": filters, "top_k": top_k}
        answer = await client.post("/api/query", body | ({"image": {"asset_id": like}} if like else {}))
        shown = pictures_of(answer["results"], image_type)[:top_k]
        lines = [f"{counted(len(shown), 'picture')}, best first:" if shown else NOTHING_SHOWN]
        if shown:
            lines += [] if answer["found"] else ["None of them clearly shows this; these are the nearest."]
            lines += [DATA_NOTE, *picture_lines(shown, self.library.room(max_chars))]
        lines += notes(answer)
        result = FoundPictures(
            trace_id=client.trace_id,
            pictures=[found_picture(one) for one in shown],
            found=answer["found"],
            confidence=answer["confidence"],
            degraded=answer["effective"]["degraded"],
            warnings=answer["warnings"],
        )
        return answered(lines, result, await thumbnails(client, shown) if show else [])

    async def query_assets(
        self,
        ctx: Ctx,
        asset_ids: Annotated[
            list[Annotated[str, Field(min_length=1, max_length=200)]],
            Field(min_length=1, max_length=_MAX_PICTURES, description="As `asset_ids` of passages give them."),
        ],
        variant: Annotated[
            Variant, Field(description="`thumb`: at most 320 pixels wide or high. `raw`: as it stands in the document.")
        ] = "thumb",
        max_bytes: Annotated[
            int, Field(ge=1_000, le=MAX_BYTES, description="Bytes of all pictures together at most, before base64 adds a third.")
        ] = 1_000_000,
    ) -> Annotated[CallToolResult, Pictures]:
        """Look at pictures of documents (figures, diagrams, screenshots, scans) whose ids stand beside passages.

        Begin with thumbnails, and ask for `raw` of the one in which something must be read. Sent are PNG, JPEG, WebP and GIF; a
        drawing (SVG) comes as PNG. What can't be had is listed, and never fails the rest.
        """
        client = self.library.client(ctx)
        found = await gather(client, asset_ids, variant, max_bytes)
        lines = [f"{len(found.shown)} pictures follow, in this order:" if found.shown else "No picture can be shown."]
        lines += [
            f"{number}. {one_line(item.asset_id)} ({item.mime}, {item.size:,} bytes)"
            for number, item in enumerate(found.shown, 1)
        ]
        if found.omitted:
            advice = (
                "ask for variant=thumb, or for fewer at once" if variant == "raw" else "ask for fewer at once, or raise max_bytes"
            )
            lines += ["", f"Left out, because all together may have {max_bytes:,} bytes ({advice}):"]
            lines += [f"- {one_line(item.asset_id)} ({item.mime}, {item.size:,} bytes)" for item in found.omitted]
        if found.missing:
            lines += ["", "Not to be had:"]
            lines += [
                f"- {one_line(item.asset_id)}: {item.code}: {cut(one_line(item.message), 300)[0]}" for item in found.missing
            ]
        result = Pictures(trace_id=client.trace_id, assets=found.shown, missing=found.missing, omitted=found.omitted)
        return answered(lines, result, found.contents)
