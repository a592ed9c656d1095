"""Picture files as documents: the picture itself, the text in it with its places, and what can't be read."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw
from PIL.TiffImagePlugin import ImageFileDirectory_v2

from ragd.core.documents import Document, OcrLine, PictureText, Place
from ragd.core.errors import DocumentEmpty, ParseFailed
from ragd.formats.common.pictures import picture
from ragd.formats.images.loader import ImageLoader
from ragd.providers.protocols import LoadContext, Loader, Pixels
from ragd.providers.registry import build

DATA = Path(__file__).resolve().parents[3] / "data" / "image"


def line(text: str, left: float, top: float, right: float, height: float = 0.05) -> OcrLine:
    return OcrLine(text, 0.99, (left, top, right, round(top + height, 3)))


def reads(*lines: OcrLine) -> LoadContext:
    """What a reader finds in every picture."""
    return LoadContext(read_picture=lambda _pixels: PictureText(lines))


def looked_at(load: Callable[[LoadContext], Document]) -> list[Pixels]:
    """The pixels that a loader has read."""
    seen: list[Pixels] = []

    def read(pixels: Pixels) -> PictureText:
        seen.append(pixels)
        return PictureText((line(f"page {len(seen)}", 0.1, 0.1, 0.5),))

    load(LoadContext(read_picture=read))
    return seen


def drawn(width: int = 200, height: int = 120) -> Image.Image:
    image = Image.new("RGB", (width, height), "white")
    ImageDraw.Draw(image).rectangle((5, 5, width // 2, height // 3), fill="black")
    return image


def encoded(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    target = io.BytesIO()
    image.save(target, kind, **options)
    return target.getvalue()


def load(data: bytes, name: str = "shots/screen 1.png", context: LoadContext | None = None) -> Document:
    return ImageLoader().load(data, name, context or reads())


def places(document: Document) -> list[tuple[str, Place]]:
    """Each stretch of the content with its place."""
    ends = [mark.offset for mark in document.marks[1:]] + [len(document.markdown)]
    return [(document.markdown[mark.offset : end].strip(), mark.place) for mark, end in zip(document.marks, ends, strict=True)]


class TestFacts:
    def test_the_picture_comes_first_and_its_text_below_it_line_by_line(self) -> None:
        data = encoded(drawn())
        context = reads(line("Lease settings", 0.1, 0.1, 0.5), line("リース期限は45秒です。", 0.1, 0.17, 0.6))
        document = load(data, context=context)
        shown = picture(data, "screen 1.png")
        assert document.markdown == f"![screen 1.png]({shown.link})\n\nLease settings\nリース期限は45秒です。"
        assert document.pictures == (shown,)
        assert (document.doc_type, document.loader, document.verbatim) == ("image", "image", False)
        assert document.parser.startswith("pillow ")

    def test_each_row_has_its_rectangle(self) -> None:
        document = load(encoded(drawn()), context=reads(line("one", 0.1, 0.1, 0.5), line("二", 0.1, 0.3, 0.2)))
        assert places(document)[1:] == [
            ("one", Place(bbox=(0.1, 0.1, 0.5, 0.15))),
            ("二", Place(bbox=(0.1, 0.3, 0.2, 0.35))),
        ]
        assert places(document)[0][1] == Place()

    def test_boxes_on_one_row_are_one_line_with_one_rectangle(self) -> None:
        cells = [
            line("Queue", 0.1, 0.1, 0.2),
            line("Limit", 0.4, 0.11, 0.5),
            line("監査", 0.1, 0.17, 0.2),
            line("800", 0.4, 0.17, 0.45),
        ]
        document = load(encoded(drawn()), context=reads(*cells))
        assert document.markdown.endswith("\n\nQueue  Limit\n監査  800")
        assert document.marks[1].place.bbox == (0.1, 0.1, 0.5, 0.16)

    def test_a_gap_makes_a_paragraph_and_so_does_a_new_column(self) -> None:
        lines = [line(text, 0.1, top, 0.4) for text, top in (("a", 0.1), ("b", 0.17), ("c", 0.3))]
        document = load(encoded(drawn()), context=reads(*lines, line("d", 0.6, 0.1, 0.9)))
        assert document.markdown.endswith("\n\na\nb\n\nc\n\nd")

    def test_a_picture_without_text_is_still_a_document_that_has_its_name(self) -> None:
        document = load(encoded(drawn()), "図/配置図.png")
        assert (document.title, document.metadata["title_source"]) == ("配置図.png", "file_name")
        assert document.markdown.startswith("![配置図.png](asset://")
        assert (document.warnings, document.language) == ((), None)

    @pytest.mark.parametrize(
        ("text", "language"),
        [
            ("Kestrel keeps every job until its lease ends and it is acknowledged.", "en"),
            ("設定を変更するには再起動します。", "ja"),
        ],
    )
    def test_the_language_is_that_of_the_text(self, text: str, language: str) -> None:
        assert load(encoded(drawn()), "日本語の名前.png", reads(line(text, 0.1, 0.1, 0.9))).language == language

    def test_what_could_not_be_read_is_marked_and_told(self) -> None:
        document = ImageLoader().load(encoded(drawn()), "a.png")
        assert document.metadata["ocr_skipped"] is True
        assert document.warnings == ("the text of the picture was not read: OCR is switched off",)


class TestFormats:
    @pytest.mark.parametrize("kind", ["PNG", "JPEG", "BMP", "TIFF", "WEBP", "GIF"])
    def test_a_format_is_told_by_the_bytes(self, kind: str) -> None:
        document = load(encoded(drawn(), kind), "picture.png", reads(line("text", 0.1, 0.1, 0.5)))
        assert document.markdown.endswith("\n\ntext")
        assert {key: document.metadata[key] for key in ("width", "height", "format")} == {
            "width": 200,
            "height": 120,
            "format": kind,
        }

    def test_the_pages_of_a_tiff_are_places(self) -> None:
        data = encoded(drawn(), "TIFF", save_all=True, append_images=[drawn(150, 200).convert("1"), drawn(90, 90)])
        seen: list[tuple[int, ...]] = []

        def read(pixels: Pixels) -> PictureText:
            seen.append(pixels.shape)
            return PictureText((line(f"page {len(seen)}", 0.1, 0.1, 0.5),))

        document = load(data, "scan.tif", LoadContext(read_picture=read))
        assert seen == [(120, 200, 3), (200, 150, 3), (90, 90, 3)]
        assert document.metadata["page_count"] == 3
        assert [(text, place.page) for text, place in places(document)[1:]] == [("page 1", 1), ("page 2", 2), ("page 3", 3)]
        assert places(document)[0][1] == Place(page=1)

    def test_small_copies_beside_the_pages_of_a_tiff_are_no_pages(self) -> None:
        copy = drawn(50, 30)
        pages = encoded(drawn(), "TIFF", save_all=True, append_images=[copy])
        assert len(looked_at(lambda context: load(pages, "scan.tif", context))) == 2
        tags = ImageFileDirectory_v2()
        tags[254] = 1  # "a reduced-resolution version of another image in this file"
        copy.encoderinfo = {"tiffinfo": tags}
        page = encoded(drawn(), "TIFF", save_all=True, append_images=[copy])
        assert len(looked_at(lambda context: load(page, "scan.tif", context))) == 1

    def test_of_a_moving_picture_the_first_frame_is_read(self) -> None:
        data = encoded(drawn(), "GIF", save_all=True, append_images=[Image.new("RGB", (200, 120), "black")])
        (pixels,) = looked_at(lambda context: load(data, "a.gif", context))
        assert pixels[100, 190].min() > 240

    def test_a_photograph_is_read_upright_and_keeps_its_day_but_not_where_it_was_taken(self) -> None:
        exif = Image.Exif()
        exif[0x0112] = 8
        exif[0x0132] = "2026:02:03 10:11:12"
        exif.get_ifd(0x8825).update({1: "N", 2: (35.0, 39.0, 31.0)})
        data = encoded(drawn(), "JPEG", exif=exif)
        (pixels,) = looked_at(lambda context: load(data, "photo.jpg", context))
        assert pixels.shape == (200, 120, 3)
        assert load(data, "photo.jpg").metadata == {
            "width": 120,
            "height": 200,
            "format": "JPEG",
            "created": "2026-02-03T10:11:12",
            "title_source": "file_name",
        }

    def test_a_drawing_states_its_text_and_title_and_is_not_read(self) -> None:
        data = (DATA / "cluster.svg").read_bytes()
        assert looked_at(lambda context: load(data, "cluster.svg", context)) == []
        document = load(data, "cluster.svg")
        assert document.title == "Kestrel cluster / クラスター構成"
        assert document.markdown.endswith(
            ")\n\nKestrel cluster / クラスター構成\nLeader of shard 7\n書き込みを受け付ける\nFollower"
        )
        assert (document.metadata["format"], document.metadata["width"], document.warnings) == ("SVG", 480, ())

    def test_a_drawing_without_text_is_drawn_and_read(self) -> None:
        data = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 100"><path d="M0 0L300 100" stroke="red"/></svg>'
        (pixels,) = looked_at(lambda context: load(data, "a.svg", context))
        assert pixels.shape == (200, 600, 3)
        assert pixels[0, 599].min() == 255


class TestFailures:
    def fails(self, data: bytes, *words: str, name: str = "写真.png") -> None:
        with pytest.raises(ParseFailed) as raised:
            load(data, name)
        assert all(word in raised.value.message for word in (f"'{name}'", *words))

    def test_an_empty_file_is_empty(self) -> None:
        with pytest.raises(DocumentEmpty, match=r"'a\.png' is empty"):
            load(b"", "a.png")

    @pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF"])
    def test_half_a_picture_is_refused(self, kind: str) -> None:
        data = encoded(Image.effect_noise((200, 200), 80).convert("RGB"), kind)
        self.fails(data[: len(data) // 2], "Get the file again")

    def test_what_is_no_picture_is_refused(self) -> None:
        self.fails(b"%PDF-1.7 not a picture", "no known format")
        self.fails(b"<svg xmlns='http://www.w3.org/2000/svg'><g>", "not well-formed SVG")
        self.fails(b"\xd7\xcd\xc6\x9a" + bytes(50), "EMF or WMF", "save it as PNG")

    def test_a_picture_of_30000_pixels_a_side_is_refused_by_its_header(self) -> None:
        small = encoded(Image.new("1", (64, 64)))
        header = small[12:16] + (30_000).to_bytes(4, "big") * 2 + small[24:29]
        self.fails(small[:12] + header + zlib.crc32(header).to_bytes(4, "big") + small[33:], "more than 179 million pixels")

    def test_a_large_jpeg_is_decoded_smaller(self) -> None:
        data = encoded(Image.new("L", (10_000, 6_000), 255), "JPEG")
        (pixels,) = looked_at(lambda context: load(data, "poster.jpg", context))
        assert pixels.shape == (3000, 5000, 3)
        assert load(data, "poster.jpg").metadata["width"] == 10_000


def test_it_is_the_loader_of_the_table() -> None:
    loader = build("loader", "image")
    assert isinstance(loader, Loader)
    assert np.array_equal(looked_at(lambda context: loader.load(encoded(drawn()), "a.png", context))[0], np.asarray(drawn()))
