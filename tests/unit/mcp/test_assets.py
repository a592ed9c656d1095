"""Pictures by tools: what is sent, how much of it, and that one which can't be had fails nothing else."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp.types import ImageContent, TextContent
from PIL import Image, ImageDraw

from ragd.client.asynchronous import AsyncClient
from ragd.mcp.results.pictures import gather

from .conftest import Agent, text_of

pytestmark = pytest.mark.slow

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="90"><rect width="90" height="40" fill="red"/></svg>'


@pytest.fixture
def changes() -> dict[str, Any]:
    return {"ocr.provider": "none"}


def chart(seed: int, kind: str = "PNG", size: tuple[int, int] = (480, 300)) -> bytes:
    picture = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(picture)
    for index in range(12):
        draw.rectangle((index * 32, 200 - (index * seed) % 180, index * 32 + 20, 220), fill=(20 * index, 80, 10 * seed % 255))
    buffer = io.BytesIO()
    picture.save(buffer, kind)
    return buffer.getvalue()


def take_in(agent: Agent, folder: Path, **pictures: bytes) -> dict[str, str]:
    """One document for each picture; gives name -> asset id."""
    folder.mkdir()
    for name, data in pictures.items():
        file = name.replace("__", ".")
        (folder / file).write_bytes(data)
        (folder / f"{file}.md").write_text(f"# Load {file}\n\nThe load of each month: ![Load]({file})\n")
    agent.read(sorted(folder.glob("*.md")))
    shown: dict[str, str] = {}
    for row in agent.fields("search_by_keyword", query="load", top_k=20)["results"]:
        if row["asset_ids"]:
            shown[row["source"].removesuffix(".md")] = row["asset_ids"][0]
    return shown


@pytest.fixture
def pictures(agent: Agent, tmp_path: Path) -> dict[str, str]:
    return take_in(agent, tmp_path / "pictures", a__png=chart(37), b__jpg=chart(23, "JPEG"), c__svg=SVG.encode())


def images(content: list[Any]) -> list[ImageContent]:
    return [item for item in content if isinstance(item, ImageContent)]


def lines(content: list[Any]) -> list[TextContent]:
    """What is said beside the text of the answer."""
    return [item for item in content[1:] if isinstance(item, TextContent)]


def opened(image: ImageContent) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(image.data)))


def test_thumbnails_come_after_the_text_in_the_order_asked_for(agent: Agent, pictures: dict[str, str]) -> None:
    wanted = [pictures["b.jpg"], pictures["a.png"], pictures["b.jpg"]]
    result = agent.call("query_assets", asset_ids=wanted)
    fields = result.structured_content or {}
    assert [row["asset_id"] for row in fields["assets"]] == wanted[:2]
    assert text_of(result).splitlines()[1].startswith(f"1. {wanted[0]} (image/webp, ")
    assert text_of(result).splitlines()[-1] == f"trace_id: {fields['trace_id']}"
    shown = images(result.content[1:])
    assert [image.mime_type for image in shown] == ["image/webp", "image/webp"]
    assert all(max(opened(image).size) <= 320 for image in shown)
    assert [len(base64.b64decode(image.data)) for image in shown] == [row["size"] for row in fields["assets"]]


def test_a_raw_picture_is_what_stands_in_the_document(agent: Agent, pictures: dict[str, str]) -> None:
    result = agent.call("query_assets", asset_ids=[pictures["a.png"]], variant="raw")
    (image,) = images(result.content)
    assert (image.mime_type, base64.b64decode(image.data)) == ("image/png", chart(37))


def test_a_drawing_comes_as_pixels(agent: Agent, pictures: dict[str, str]) -> None:
    for variant, mime in (("raw", "image/png"), ("thumb", "image/webp")):
        (image,) = images(agent.call("query_assets", asset_ids=[pictures["c.svg"]], variant=variant).content)
        assert image.mime_type == mime


class Gallery:
    """A daemon that has one picture for every id."""

    def __init__(self, mime: str, data: bytes = b"data") -> None:
        self._answer = {"headers": {"content-type": mime, "X-Request-ID": "r"}, "content": data}

    async def send(self, request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, request=request, **self._answer)


@pytest.mark.parametrize("mime", ["image/svg+xml", "image/tiff", "text/html", "application/json", ""])
def test_what_is_no_picture_that_can_be_shown_never_goes_out(mime: str) -> None:
    found = anyio.run(gather, AsyncClient(Gallery(mime), {}), ["a"], "raw", 1_000)
    assert (found.shown, found.contents) == ([], [])
    assert [(item.asset_id, item.code) for item in found.missing] == [("a", "UNSUPPORTED_MEDIA_TYPE")]


def test_a_picture_that_just_fits_is_sent() -> None:
    for room, sent in ((3, 0), (4, 1), (7, 1), (8, 2)):
        found = anyio.run(gather, AsyncClient(Gallery("image/png"), {}), ["a", "b", "a"], "raw", room)
        assert (len(found.shown), len(found.omitted)) == (sent, 2 - sent)


def test_a_picture_that_is_not_there_fails_nothing_else(agent: Agent, pictures: dict[str, str]) -> None:
    wrong = ["f" * 32, "../../etc/passwd", "..", ".", "a?variant=raw", "https://example.com/x.png", "絵", "a\0b", " "]
    result = agent.call("query_assets", asset_ids=[*wrong, pictures["a.png"]])
    fields = result.structured_content or {}
    assert not result.is_error
    assert [(row["asset_id"], row["code"]) for row in fields["missing"]] == [(one, "ASSET_NOT_FOUND") for one in wrong]
    assert [row["asset_id"] for row in fields["assets"]] == [pictures["a.png"]]
    assert "Not to be had:" in text_of(result)


def test_only_wrong_ids_are_an_answer_too(agent: Agent) -> None:
    result = agent.call("query_assets", asset_ids=["f" * 32])
    assert not result.is_error
    assert text_of(result).startswith("No picture can be shown.")


def test_what_is_too_large_for_what_is_left_is_listed_and_smaller_ones_are_sent(agent: Agent, pictures: dict[str, str]) -> None:
    sizes = {name: len(agent.rest.get(f"/api/assets/{asset_id}").content) for name, asset_id in pictures.items()}
    assert sizes["b.jpg"] > sizes["a.png"]
    wanted = [pictures["b.jpg"], pictures["a.png"]]
    result = agent.call("query_assets", asset_ids=wanted, variant="raw", max_bytes=sizes["b.jpg"] - 1)
    fields = result.structured_content or {}
    assert [(row["asset_id"], row["size"]) for row in fields["omitted"]] == [(pictures["b.jpg"], sizes["b.jpg"])]
    assert [row["asset_id"] for row in fields["assets"]] == [pictures["a.png"]]
    assert "ask for variant=thumb" in text_of(result)


def test_wrong_arguments_are_told(agent: Agent) -> None:
    wrong: list[dict[str, Any]] = [{"asset_ids": []}, {"asset_ids": ["a"] * 21}, {"asset_ids": "a"}, {"asset_ids": ["\ud800"]}]
    wrong += [{"variant": "huge"}, {"max_bytes": 8_000_001}, {"max_bytes": 0}]
    for one in wrong:
        assert agent.failure("query_assets", **{"asset_ids": ["a"]} | one)["code"] == "VALIDATION_ERROR", one


def test_a_picture_goes_with_its_document(agent: Agent, pictures: dict[str, str]) -> None:
    (doc_id,) = [row["id"] for row in agent.rest.get("/api/documents").json()["items"] if row["source"] == "a.png.md"]
    agent.call("delete_document", doc_id=doc_id)
    assert agent.fields("query_assets", asset_ids=[pictures["a.png"]])["missing"][0]["code"] == "ASSET_NOT_FOUND"


class TestBesideAnAnswer:
    def test_thumbnails_come_with_the_number_of_their_passage(self, agent: Agent, pictures: dict[str, str]) -> None:
        result = agent.call("query_knowledge_hub", query="The load of each month", top_k=3, thumbnails=True)
        citations = {row["source"]: row["id"] for row in (result.structured_content or {})["citations"]}
        labels = [item.text for item in lines(result.content)]
        wanted = {f"[{citations[f'{name}.md']}] picture {asset_id}" for name, asset_id in pictures.items()}
        assert set(labels) == wanted
        assert len(images(result.content)) == 3
        assert [type(item) for item in result.content[1:3]] == [TextContent, ImageContent]

    def test_there_are_none_unless_asked_for(self, agent: Agent, pictures: dict[str, str]) -> None:
        assert pictures
        assert images(agent.call("query_knowledge_hub", query="The load of each month").content) == []

    def test_a_thumbnail_that_is_gone_does_not_fail_the_answer(
        self, agent: Agent, pictures: dict[str, str], tmp_path: Path
    ) -> None:
        for file in (tmp_path / "data" / "assets").rglob("*.thumb"):
            file.unlink()
        result = agent.call("query_knowledge_hub", query="The load of each month", top_k=3, thumbnails=True)
        assert not result.is_error
        assert len((result.structured_content or {})["results"]) == len(pictures)
        assert images(result.content) == []
        assert all(
            item.text.endswith("not shown, ASSET_NOT_FOUND") for item in result.content[1:] if isinstance(item, TextContent)
        )

    def test_five_are_shown_and_the_others_told(self, agent: Agent, tmp_path: Path) -> None:
        seven = {f"p{number}__png": chart(11 + 7 * number) for number in range(7)}
        assert len(take_in(agent, tmp_path / "seven", **seven)) == 7
        result = agent.call("query_knowledge_hub", query="The load of each month", top_k=7, thumbnails=True)
        assert len(images(result.content)) == 5
        assert lines(result.content)[-1].text.startswith("2 more pictures")
