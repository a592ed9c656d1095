"""Pictures of documents: what is kept and what is left out, thumbnails, and when text is read in them."""

from __future__ import annotations

import base64
import io
import logging
import struct
import subprocess
import sys
import textwrap
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from ragd.core.documents import Document, Mark, OcrLine, Picture, Place
from ragd.core.errors import SettingsError
from ragd.core.storage import Asset
from ragd.formats.common.pictures import picture, reference
from ragd.formats.images.loader import ImageLoader
from ragd.ingest.pictures.extraction import THUMBNAIL_SIDE, PictureLimits, PictureReader, normalize, shared_engine
from ragd.ingest.workers.ipc import Normalized
from ragd.providers.protocols import LoadContext, OcrEngine, Pixels

DATA = Path(__file__).resolve().parents[3] / "data" / "image"
LIMITS = PictureLimits(count=50, size=5_000_000, pixels=4_000_000)


class SizeReader:
    """An engine that reads nothing but a picture's size, and counts how often it was asked."""

    name = "size"
    profile = "size-1"

    def __init__(self) -> None:
        self.asked: list[tuple[int, int]] = []

    def recognize(self, pixels: Pixels) -> list[OcrLine]:
        self.asked.append((pixels.shape[1], pixels.shape[0]))
        return [OcrLine(f"{pixels.shape[1]} by {pixels.shape[0]}", 1.0, (0.0, 0.0, 1.0, 1.0))]


class BrokenReader:
    """Fails at pictures that begin with black."""

    name = "broken"
    profile = "broken-1"

    def recognize(self, pixels: Pixels) -> list[OcrLine]:
        return [OcrLine("read", 1.0, (0.0, 0.0, float(1 // int(pixels[0, 0, 0])), 1.0))]


def reader(engine: OcrEngine, budget_s: float = 60.0) -> PictureReader:
    return PictureReader(lambda: engine, budget_s=budget_s, max_pixels=LIMITS.pixels)


def chart(width: int = 200, height: int = 120, seed: int = 0) -> Image.Image:
    """A picture with something in it; another one for each seed."""
    image = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(image)
    for bar in range(8):
        high = (seed * 37 + bar * 53) % (height - 20)
        draw.rectangle((5 + bar * width // 9, height - 10 - high, bar * width // 9 + width // 12, height - 10), fill="#336699")
    return image


def encoded(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    target = io.BytesIO()
    image.save(target, kind, **options)
    return target.getvalue()


def document(*pictures: Picture, text: str | None = None, verbatim: bool = False, pages: int = 0) -> Document:
    facts = "Before.\n\n" + "\n\n".join(map(reference, pictures)) + "\n\nAfter." if text is None else text
    marks = tuple(Mark(number, Place(page=number + 1)) for number in range(pages))
    return Document("docx", "T", facts, "word", "1", pictures=pictures, verbatim=verbatim, marks=marks)


def nothing_known(_asset_ids: Sequence[str]) -> Mapping[str, Asset]:
    return {}


def normalized(
    found: Document,
    engine: OcrEngine | None = None,
    known: Callable[[Sequence[str]], Mapping[str, Asset]] = nothing_known,
    limits: PictureLimits = LIMITS,
) -> Normalized:
    return normalize(found, reader(engine or SizeReader()), known, limits)


def only_asset(data: bytes, engine: OcrEngine | None = None) -> Asset:
    (asset,) = normalized(document(picture(data)), engine).assets
    return asset


def opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


class TestReading:
    def test_the_same_picture_is_read_once(self) -> None:
        engine = SizeReader()
        reading = reader(engine)
        pixels = np.asarray(chart())
        assert reading.read(pixels) == reading.read(pixels.copy())
        assert reading.read(pixels).text == "200 by 120"
        assert len(engine.asked) == 1

    def test_beyond_the_budget_nothing_more_is_read(self) -> None:
        reading = reader(SizeReader(), budget_s=1e-9)
        first, second = np.asarray(chart()), np.asarray(chart(seed=1))
        assert reading.read(first).skipped is None
        assert reading.read(second).skipped == "the 1e-09 seconds of text recognition for one document are used up"
        assert reading.read(first).text == "200 by 120"

    def test_a_failure_is_told_and_logged_and_costs_one_picture(self, caplog: pytest.LogCaptureFixture) -> None:
        reading = reader(BrokenReader())
        with caplog.at_level(logging.WARNING):
            assert reading.read(np.zeros((20, 20, 3), np.uint8)).skipped == "text recognition failed (ZeroDivisionError)"
        assert caplog.records[0].exc_info is not None
        assert reading.read(np.ones((20, 20, 3), np.uint8)).text == "read"

    def test_an_engine_that_cannot_be_had_is_tried_once_and_its_reason_is_given(self) -> None:
        tried = []

        def missing() -> OcrEngine:
            tried.append(1)
            raise SettingsError("The packages for text recognition are missing.")

        reading = PictureReader(missing, budget_s=60, max_pixels=LIMITS.pixels)
        for seed in range(2):
            assert reading.read(np.asarray(chart(seed=seed))).skipped == "The packages for text recognition are missing."
        assert (reading.profile, len(tried)) == ("none", 1)

    def test_the_engine_none_reads_nothing_and_says_that_it_is_switched_off(self) -> None:
        reading = PictureReader(lambda: shared_engine("none", 1), budget_s=60, max_pixels=LIMITS.pixels)
        assert "switched off" in str(reading.read(np.asarray(chart())).skipped)
        assert reading.profile == "none"

    @pytest.mark.parametrize(("shape", "reason"), [((7, 500), "too small"), ((2001, 2000), "too large")])
    def test_a_picture_of_an_unfit_size_is_not_read(self, shape: tuple[int, int], reason: str) -> None:
        engine = SizeReader()
        assert reason in str(reader(engine).read(np.zeros((*shape, 3), np.uint8)).skipped)
        assert engine.asked == []

    def test_the_engine_is_made_when_there_is_something_to_read(self) -> None:
        made = []

        def make() -> OcrEngine:
            made.append(1)
            return SizeReader()

        reading = PictureReader(make, budget_s=60, max_pixels=LIMITS.pixels)
        assert not made
        reading.read(np.asarray(chart()))
        assert made == [1]


class TestKept:
    def test_a_picture_in_two_places_is_one_asset_with_two_links(self) -> None:
        data = encoded(chart())
        places = [Place(page=1), Place(page=3)]
        engine = SizeReader()
        found = normalized(document(*(picture(data, f"chart {place.page}", place) for place in places)), engine)
        (asset,) = found.assets
        assert (asset.mime, asset.width, asset.height, asset.text) == ("image/png", 200, 120, "200 by 120")
        assert (asset.ocr_skipped, asset.ocr_profile, asset.data) == (None, "size-1", data)
        assert [(link.asset_id, link.alt, link.place) for link in found.links] == [
            (asset.asset_id, "chart 1", places[0]),
            (asset.asset_id, "chart 3", places[1]),
        ]
        assert (found.ranges, found.warnings, found.metadata) == ((), (), {})
        assert len(engine.asked) == 1

    @pytest.mark.parametrize(
        ("kind", "mime"), [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("GIF", "image/gif"), ("WEBP", "image/webp")]
    )
    def test_what_browsers_show_is_kept_as_it_is(self, kind: str, mime: str) -> None:
        data = encoded(chart(), kind)
        asset = only_asset(data)
        assert (asset.mime, asset.data) == (mime, data)

    @pytest.mark.parametrize("kind", ["BMP", "TIFF", "JPEG2000"])
    def test_what_browsers_do_not_show_is_kept_as_png(self, kind: str) -> None:
        asset = only_asset(encoded(chart(), kind))
        assert (asset.mime, opened(asset.data).format, opened(asset.data).size) == ("image/png", "PNG", (200, 120))

    @pytest.mark.parametrize(("size", "small"), [((1000, 500), (320, 160)), ((300, 900), (107, 320)), ((200, 120), (200, 120))])
    def test_a_thumbnail_is_a_small_webp_of_the_same_shape(self, size: tuple[int, int], small: tuple[int, int]) -> None:
        thumbnail = opened(only_asset(encoded(chart(*size))).thumbnail)
        assert (thumbnail.format, thumbnail.size) == ("WEBP", small)
        assert max(small) <= THUMBNAIL_SIDE

    def test_a_photograph_is_turned_upright_for_reading_and_showing_and_its_file_stays(self) -> None:
        exif = Image.Exif()
        exif[0x0112] = 6  # lies on its left side
        data = encoded(chart(), "JPEG", exif=exif)
        engine = SizeReader()
        asset = only_asset(data, engine)
        assert (asset.width, asset.height, asset.text) == (120, 200, "120 by 200")
        assert opened(asset.thumbnail).size == (120, 200)
        assert asset.data == data

    @pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
    def test_of_a_moving_picture_the_first_frame_is_shown_and_all_is_kept(self, kind: str) -> None:
        data = encoded(chart(), kind, save_all=True, append_images=[Image.new("RGB", (200, 120), "black")])
        asset = only_asset(data)
        assert asset.data == data
        assert opened(asset.thumbnail).convert("L").getpixel((199, 0)) > 240  # type: ignore[operator] # a level of grey

    def test_light_writing_on_nothing_is_read_on_a_dark_ground(self) -> None:
        image = Image.new("RGBA", (200, 100), (0, 0, 0, 0))
        ImageDraw.Draw(image).text((20, 40), "KESTREL STATUS", fill=(255, 255, 255, 255))
        seen: list[Pixels] = []

        class Looking(SizeReader):
            def recognize(self, pixels: Pixels) -> list[OcrLine]:
                seen.append(pixels)
                return []

        only_asset(encoded(image), Looking())
        assert seen[0][0, 0].max() == 0
        assert seen[0].max() > 240

    @pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "CMYK", "I;16"])
    def test_every_mode_of_pixels_is_kept(self, mode: str) -> None:
        if mode == "I;16":
            image = Image.fromarray(np.asarray(chart().convert("L")).astype(np.uint16) * 257)
        else:
            image = chart().convert(mode)
        asset = only_asset(encoded(image, "TIFF" if mode == "CMYK" else "PNG"))
        levels = np.asarray(opened(asset.thumbnail).convert("L"))
        assert (levels.min() < 140, levels.max() > 240) == (True, True)


class TestLeftOut:
    @pytest.mark.parametrize(
        ("image", "reason"),
        [
            (chart(200, 31), "too small"),
            (chart(60, 60), "too small"),
            (chart(1000, 45), "mere lines"),
            (Image.new("RGB", (400, 300), "#224466"), "blank"),
            (Image.linear_gradient("L").resize((600, 400)), "blank"),
            (Image.new("RGBA", (400, 300), (255, 0, 0, 3)), "transparent"),
        ],
        ids=["low", "icon", "rule", "plain", "gradient", "transparent"],
    )
    def test_a_picture_that_says_nothing_is_left_out_and_counted(self, image: Image.Image, reason: str) -> None:
        engine = SizeReader()
        found = normalized(document(picture(encoded(image))), engine)
        assert (found.assets, found.links, engine.asked) == ((), (), [])
        (warning,) = found.warnings
        assert warning.startswith("1 picture left out: ")
        assert reason in warning
        assert found.metadata == {"pictures_left_out": 1}

    @pytest.mark.parametrize("name", ["faint.png", "table.png", "dark.png"])
    def test_a_picture_of_a_few_words_is_kept(self, name: str) -> None:
        assert only_asset((DATA / name).read_bytes()).text

    @pytest.mark.parametrize(("shown_on", "pages", "kept"), [(6, 10, False), (5, 10, True), (3, 3, True), (4, 4, False)])
    def test_what_stands_on_most_pages_is_a_logo(self, shown_on: int, pages: int, kept: bool) -> None:
        data = encoded(chart())
        found = normalized(document(*(picture(data, place=Place(page=number + 1)) for number in range(shown_on)), pages=pages))
        assert bool(found.assets) == kept
        assert kept or found.warnings == ("1 picture left out: on most of the pages (a logo or background)",)

    def test_slides_count_as_pages(self) -> None:
        logo, content = encoded(chart()), encoded(chart(seed=1))
        shown = [picture(logo, place=Place(slide=number)) for number in range(1, 6)]
        found = normalized(document(*shown, picture(content, place=Place(slide=2))))
        assert [link.place.slide for link in found.links] == [2]

    def test_references_to_what_was_left_out_are_ranges_of_the_facts(self) -> None:
        blank, kept = picture(encoded(Image.new("RGB", (99, 99)))), picture(encoded(chart()))
        text = f"図1 {reference(blank)}\n{reference(kept)}\n<img alt='x' src=\"{blank.link}\"> ![](asset://other) end"
        found = normalized(document(blank, kept, text=text))
        assert [text[start:end] for start, end in found.ranges] == [reference(blank), f"<img alt='x' src=\"{blank.link}\">"]

    def test_facts_that_are_the_source_itself_lose_nothing(self) -> None:
        blank = picture(encoded(Image.new("RGB", (99, 99))), link="images/blank.png")
        found = normalized(document(blank, verbatim=True))
        assert (found.ranges, len(found.warnings)) == ((), 1)

    def test_damaged_and_unknown_pictures_cost_only_themselves(self) -> None:
        noise = encoded(Image.effect_noise((200, 200), 80))
        emf = b"\x01\0\0\0" + bytes(36) + b" EMF" + bytes(60)
        wmf = b"\xd7\xcd\xc6\x9a" + bytes(60)
        shown = [noise[: len(noise) // 2], b"no picture at all", emf, wmf, encoded(chart()), b"<svg><broken"]
        found = normalized(document(*map(picture, shown)))
        assert len(found.assets) == 1
        assert found.warnings == (
            "3 pictures left out: damaged or in no known format",
            "2 pictures left out: EMF or WMF drawings, which only Windows can show",
        )

    def test_the_first_pictures_are_kept_and_further_ones_counted(self) -> None:
        shown = [picture(encoded(chart(seed=seed))) for seed in range(5)]
        found = normalized(document(*shown, shown[0]), limits=PictureLimits(2, 5_000_000, 4_000_000))
        assert [asset.asset_id for asset in found.assets] == [shown[0].asset_id, shown[1].asset_id]
        assert len(found.links) == 3
        assert found.warnings == ("3 pictures left out: beyond the first 2 of a document",)

    def test_a_picture_of_too_many_bytes_is_left_out(self) -> None:
        found = normalized(document(picture(encoded(chart(600, 400), "BMP"))), limits=PictureLimits(9, 2**19, 4_000_000))
        assert found.warnings == ("1 picture left out: more than 0.5 MiB",)

    def test_a_picture_of_too_many_pixels_is_left_out_and_a_jpeg_decoded_smaller(self) -> None:
        limits = PictureLimits(9, 5_000_000, 100_000)
        found = normalized(document(picture(encoded(chart(800, 600), "JPEG")), picture(encoded(chart(800, 600)))), limits=limits)
        (asset,) = found.assets
        assert (asset.mime, asset.width, asset.height, asset.text) == ("image/jpeg", 800, 600, "200 by 150")
        assert found.warnings == ("1 picture left out: too many pixels",)

    @pytest.mark.slow
    def test_a_bomb_of_900_million_pixels_costs_no_memory(self, tmp_path: Path) -> None:
        (tmp_path / "bomb.png").write_bytes(png_bomb(30_000))
        program = textwrap.dedent("""
            import resource, sys
            from pathlib import Path
            from ragd.formats.images.rasters import PictureRefused, read_raster
            data = Path(sys.argv[1]).read_bytes()
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            try:
                read_raster(data, 50_000_000)
            except PictureRefused as refused:
                print(refused.reason)
            print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000)
        """)
        command = [sys.executable, "-c", program, str(tmp_path / "bomb.png")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
        assert done.stdout.splitlines() == ["too many pixels", "True"]


def png_bomb(side: int) -> bytes:
    """A whole PNG of `side` x `side` black pixels; a hundred kilobytes for thirty thousand."""
    packer = zlib.compressobj(9)
    rows = b"".join(packer.compress(bytes(side // 8 + 1)) for _ in range(side)) + packer.flush()

    def part(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", header) + part(b"IDAT", rows) + part(b"IEND", b"")


class TestKnown:
    def known_as(self, data: bytes, skipped: str | None, profile: str = "size-1") -> Asset:
        asset_id = picture(data).asset_id
        return Asset(asset_id, "image/png", 200, 120, "" if skipped else "read before", skipped, profile)

    def test_a_picture_that_is_kept_already_is_not_read_again(self) -> None:
        data, new = encoded(chart()), encoded(chart(seed=1))
        kept = self.known_as(data, None)
        asked: list[Sequence[str]] = []
        engine = SizeReader()

        def known(asset_ids: Sequence[str]) -> Mapping[str, Asset]:
            asked.append(asset_ids)
            return {kept.asset_id: kept}

        found = normalized(document(picture(data), picture(data), picture(new)), engine, known)
        assert found.assets[0] == kept
        assert [len(asset.data) > 0 for asset in found.assets] == [False, True]
        assert len(found.links) == 3
        assert asked == [[kept.asset_id, picture(new).asset_id]]
        assert len(engine.asked) == 1

    def test_a_picture_that_could_not_be_read_is_tried_again(self) -> None:
        data = encoded(chart())
        kept = self.known_as(data, "the time was used up")
        (asset,) = normalized(document(picture(data)), known=lambda _: {kept.asset_id: kept}).assets
        assert (asset.text, asset.ocr_skipped, asset.data) == ("200 by 120", None, data)

    def test_without_text_recognition_it_is_not(self) -> None:
        data = encoded(chart())
        kept = self.known_as(data, "switched off", "none")
        found = normalized(document(picture(data)), known=lambda _: {kept.asset_id: kept})
        assert found.assets == (kept,)
        assert found.metadata == {"ocr_skipped": True}


class TestUnread:
    def test_what_was_not_read_is_kept_marked_and_told(self) -> None:
        shown = [picture(encoded(chart(seed=seed))) for seed in range(3)]
        found = normalize(document(*shown), reader(SizeReader(), 1e-9), nothing_known, LIMITS)
        assert [asset.ocr_skipped is None for asset in found.assets] == [True, False, False]
        assert found.metadata == {"ocr_skipped": True}
        assert found.warnings == (
            "the text of 2 pictures was not read: the 1e-09 seconds of text recognition for one document are used up",
        )


class TestDrawings:
    SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="200" height="200">{}</svg>'

    def drawn(self, content: str) -> bytes:
        return self.SVG.format(content).encode()

    def levels(self, asset: Asset) -> set[tuple[int, ...]]:
        return {colour for _, colour in opened(asset.data).convert("RGBA").getcolors(100_000) or () if isinstance(colour, tuple)}

    def test_a_drawing_is_kept_as_png_with_the_text_of_its_xml(self) -> None:
        engine = SizeReader()
        asset = only_asset((DATA / "cluster.svg").read_bytes(), engine)
        assert (asset.mime, asset.width, asset.height) == ("image/png", 480, 200)
        assert opened(asset.data).format == "PNG"
        assert asset.text == "Kestrel cluster / クラスター構成\nLeader of shard 7\n書き込みを受け付ける\nFollower"
        assert (asset.ocr_skipped, engine.asked) == (None, [])

    def test_a_drawing_without_text_is_read_like_any_picture(self) -> None:
        outlines = "".join(f'<path d="M{x} 20 L{x + 9} 180" stroke="black"/>' for x in range(20, 180, 20))
        assert only_asset(self.drawn(outlines)).text == "400 by 400"

    @pytest.mark.parametrize(
        "content",
        [
            '<image href="{path}" width="200" height="200"/>',
            '<image xlink:href="{path}" width="200" height="200"/>',
            '<image href="file://{path}" width="200" height="200"/>',
            '<filter id="f"><feImage href="{path}"/></filter><rect width="200" height="200" filter="url(#f)"/>',
            '<image width="200" height="200" href="data:image/svg+xml;utf8,&lt;svg xmlns=&quot;http://www.w3.org/2000/svg&quot;&gt;'
            '&lt;image href=&quot;{path}&quot; width=&quot;200&quot; height=&quot;200&quot;/&gt;&lt;/svg&gt;"/>',
        ],
    )
    def test_a_drawing_shows_nothing_of_the_machine_that_draws_it(self, content: str, tmp_path: Path) -> None:
        secret = tmp_path / "secret.png"
        Image.new("RGB", (200, 200), (201, 3, 7)).save(secret)
        lines = "".join(f'<path d="M{x} 20 L{x} 180" stroke="black"/>' for x in range(20, 180, 20))
        asset = only_asset(self.drawn(content.format(path=secret) + lines))
        assert not [colour for colour in self.levels(asset) if colour[:3] == (201, 3, 7)]

    def test_a_picture_inside_a_drawing_is_drawn(self) -> None:
        inside = "data:image/png;base64," + base64.b64encode(encoded(chart())).decode()
        asset = only_asset(self.drawn(f'<image href="{inside}" width="200" height="120"/>'))
        assert (0x33, 0x66, 0x99, 255) in self.levels(asset)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("svg", "reason"),
        [
            (
                '<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><svg xmlns="http://www.w3.org/2000/svg">&b;</svg>',
                "entities",
            ),
            (SVG.format("<g>" * 5000 + "</g>" * 5000), "too many parts"),
            (SVG.format("<g/>" * 100_001), "too many parts"),
            (SVG.format("".join(f'<pattern id="p{n}"/>' for n in range(301))), "too many parts"),
            (SVG.format("<g>"), "damaged"),
            ('<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0"/>', "damaged"),
            ('<html><svg xmlns="http://www.w3.org/2000/svg"/></html>', "damaged"),
        ],
        ids=["entities", "deep", "many", "patterns", "cut off", "no size", "html"],
    )
    def test_a_hostile_or_damaged_drawing_is_left_out(self, svg: str, reason: str) -> None:
        found = normalized(document(picture(svg.encode())))
        assert found.assets == ()
        assert reason in found.warnings[0]

    @pytest.mark.slow
    def test_groups_and_uses_as_deep_as_is_allowed_are_drawn(self) -> None:
        nested = '<g opacity="0.9">' * 190 + '<rect width="150" height="150"/>' + "</g>" * 190
        chain = "".join(f'<g id="a{n}" opacity="0.9"><use href="#a{n - 1}"/></g>' for n in range(1, 200))
        lines = "".join(f'<path d="M{x} 20 L{x} 180" stroke="black"/>' for x in range(20, 180, 20))
        for content in (nested, f'<defs><g id="a0"><rect width="9" height="9"/></g>{chain}</defs><use href="#a199"/>'):
            assert only_asset(self.drawn(content + lines)).width == 200

    def test_of_html_in_a_drawing_the_text_is_taken_and_its_plain_copy_is_not(self) -> None:
        label = "<div xmlns='http://www.w3.org/1999/xhtml'>Lease store<br/>リース管理</div>"
        lines = "".join(f'<path d="M{x} 20 L{x} 180" stroke="black"/>' for x in range(20, 180, 20))
        content = (
            f"{lines}<switch><foreignObject>{label}</foreignObject><text>Lease st...</text></switch><script>alert(1)</script>"
        )
        assert only_asset(self.drawn(content)).text == "Lease store\nリース管理"


def test_a_picture_file_is_read_once_for_its_facts_and_as_an_asset() -> None:
    engine = SizeReader()
    reading = reader(engine)
    loaded = ImageLoader().load(encoded(chart(), "JPEG"), "chart.jpg", LoadContext(read_picture=reading.read))
    found = normalize(loaded, reading, nothing_known, LIMITS)
    assert "200 by 120" in loaded.markdown
    assert found.assets[0].text == "", "what the content holds is not said again in their views"
    assert loaded.markdown.endswith("200 by 120")
    assert found.links[0].link in loaded.markdown
    assert len(engine.asked) == 1
