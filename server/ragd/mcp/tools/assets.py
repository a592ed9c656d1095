"""Pictures of documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from mcp.types import CallToolResult
from pydantic import Field

from ragd.mcp.library import Ctx, Library
from ragd.mcp.results.build import answered
from ragd.mcp.results.markdown import cut, one_line
from ragd.mcp.results.pictures import MAX_BYTES, gather
from ragd.mcp.results.types import Pictures, Variant

MAX_PICTURES: Final = 20


@dataclass(frozen=True, slots=True)
class AssetTools:
    """The tools about pictures."""

    library: Library

    async def query_assets(
        self,
        ctx: Ctx,
        asset_ids: Annotated[
            list[Annotated[str, Field(min_length=1, max_length=200)]],
            Field(min_length=1, max_length=MAX_PICTURES, description="As `asset_ids` of passages give them."),
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
