"""Files of many formats with text, tables and pictures, the same for the same seed: what the benchmarks of ingestion read."""

from __future__ import annotations

import io
import random
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import docx
import openpyxl
import pptx
from ingest_query import ENGLISH, sentence
from PIL import Image, ImageDraw, ImageFont
from pptx.util import Inches
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

MEGABYTE = 1024 * 1024
A4 = (595, 842)
_JAPANESE_FONT = "HeiseiMin-W3"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file: its share of all bytes in percent, and what makes one (of 0.02 to 15 MB, as such files are)."""

    extension: str
    share: float
    make: Callable[[random.Random], bytes]


def paragraph(rng: random.Random, sentences: int = 5) -> str:
    return " ".join(sentence(rng) for _ in range(sentences))


def title(rng: random.Random) -> str:
    return " ".join(rng.choices(ENGLISH, k=3)).capitalize()


# Pictures: a few are drawn, each file gets copies that differ in a comment, so that no two are the same picture to the store.


def photo(rng: random.Random, width: int, height: int) -> bytes:
    """A JPEG as cameras make them: 2 to 3 bits a pixel."""
    return _numbered(_photo(rng.randrange(4), width, height), rng)


def scan(rng: random.Random) -> bytes:
    """A page of text as a scanner gives it: 200 dots an inch, grey, noisy, about 700 KB."""
    return _numbered(_scan(rng.randrange(6)), rng)


@cache
def _photo(number: int, width: int, height: int) -> bytes:
    rng = random.Random(f"photo {number}")
    coarse = Image.frombytes("RGB", (16, 12), rng.randbytes(16 * 12 * 3)).resize((width, height), Image.Resampling.BICUBIC)
    grain = Image.frombytes("RGB", (width // 2, height // 2), rng.randbytes(width * height // 4 * 3)).resize((width, height))
    return _jpeg(Image.blend(coarse, grain, 0.15), 85)


@cache
def _scan(number: int) -> bytes:
    rng = random.Random(f"scan {number}")
    page = Image.new("L", (1654, 2339), 235)
    draw, font = ImageDraw.Draw(page), ImageFont.load_default(size=34)
    for line in range(40):
        draw.text((150, 150 + line * 50), " ".join(rng.choices(ENGLISH, k=9)), fill=30, font=font)
    grain = Image.frombytes("L", (827, 1170), rng.randbytes(827 * 1170)).resize(page.size)
    return _jpeg(Image.blend(page, grain, 0.08), 80)


def _jpeg(image: Image.Image, quality: int) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=quality)
    return buffer.getvalue()


def _numbered(jpeg: bytes, rng: random.Random) -> bytes:
    """The same picture with other bytes: a comment segment (ITU-T T.81, B.2.4.5) after the first one, which is JFIF's."""
    comment = rng.randbytes(8)
    at = 4 + struct.unpack_from(">H", jpeg, 4)[0]
    return jpeg[:at] + b"\xff\xfe" + struct.pack(">H", len(comment) + 2) + comment + jpeg[at:]


# Files


def markdown(rng: random.Random, sections: int = 25) -> bytes:
    parts = [f"## {title(rng)}\n\n{paragraph(rng)}\n\n- {sentence(rng)}\n- {sentence(rng)}\n" for _ in range(sections)]
    return (f"# {title(rng)}\n\n" + "\n".join(parts)).encode()


def code(rng: random.Random, functions: int = 60) -> bytes:
    def function(number: int) -> str:
        name, argument = f"{rng.choice(ENGLISH)}_{number}", rng.choice(ENGLISH)
        body = "".join(f"    # {sentence(rng)}\n    {argument} = {argument} + {rng.randint(1, 99)}\n" for _ in range(5))
        return f'def {name}({argument}: int) -> int:\n    """{sentence(rng)}"""\n{body}    return {argument}\n'

    return "\n\n".join(function(number) for number in range(functions)).encode()


def word(rng: random.Random, sections: int = 20, pictures: int = 6, size: tuple[int, int] = (2000, 1500)) -> bytes:
    document = docx.Document()
    document.core_properties.author = "Tarnwood"
    for number in range(sections):
        document.add_heading(title(rng), level=1 + number % 2)
        for _ in range(4):
            document.add_paragraph(paragraph(rng))
        if number < pictures:
            document.add_picture(io.BytesIO(photo(rng, *size)), width=docx.shared.Inches(5))
    table = document.add_table(rows=12, cols=4)
    for row in table.rows:
        for cell in row.cells:
            cell.text = rng.choice(ENGLISH)
    return _saved(document.save)


def excel(rng: random.Random, rows: int = 20_000) -> bytes:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Orders")
    sheet.append(["Order", "Item", "項目", "Quantity", "Price", "Note"])
    for number in range(rows):
        item = rng.choice(ENGLISH)
        sheet.append([f"A-{number:06}", item, "数量", rng.randint(1, 500), round(rng.uniform(1, 900), 2), f"{item} {number}"])
    return _saved(book.save)


def powerpoint(rng: random.Random, slides: int = 15, size: tuple[int, int] = (2400, 1600)) -> bytes:
    show = pptx.Presentation()
    for _ in range(slides):
        slide = show.slides.add_slide(show.slide_layouts[5])
        slide.shapes.title.text = title(rng)
        box = slide.shapes.add_textbox(Inches(0.5), Inches(1.5), Inches(4), Inches(4))
        box.text_frame.text = paragraph(rng)
        slide.shapes.add_picture(io.BytesIO(photo(rng, *size)), Inches(5), Inches(2), width=Inches(4))
        slide.notes_slide.notes_text_frame.text = sentence(rng)
    return _saved(show.save)


def pdf(rng: random.Random, pages: int = 60, pictures: int = 3, size: tuple[int, int] = (1600, 1200)) -> bytes:
    """Text with a picture on some of its pages."""
    buffer = io.BytesIO()
    pdfmetrics.registerFont(UnicodeCIDFont(_JAPANESE_FONT))
    canvas = Canvas(buffer, pagesize=A4, invariant=1)
    for page in range(pages):
        canvas.setFont(_JAPANESE_FONT, 16)
        canvas.drawString(60, 780, f"{page + 1}. {title(rng)}")
        canvas.setFont(_JAPANESE_FONT, 9)
        for line in range(40 if page >= pictures else 15):
            canvas.drawString(60, 750 - line * 15, sentence(rng)[:90])
        if page < pictures:
            canvas.drawImage(ImageReader(io.BytesIO(photo(rng, *size))), 60, 100, 480, 360)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def scanned_pdf(rng: random.Random, pages: int = 20) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1)
    for _ in range(pages):
        canvas.drawImage(ImageReader(io.BytesIO(scan(rng))), 0, 0, *A4)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _saved(save: Callable[[io.BytesIO], object]) -> bytes:
    buffer = io.BytesIO()
    save(buffer)
    return buffer.getvalue()


KINDS = {
    "PDF, scanned": Kind(".pdf", 25, scanned_pdf),
    "PDF, text": Kind(".pdf", 8, pdf),
    "PowerPoint": Kind(".pptx", 24, powerpoint),
    "Word": Kind(".docx", 15, word),
    "photos": Kind(".jpg", 22, lambda rng: photo(rng, 4000, 3000)),
    "Excel": Kind(".xlsx", 3, excel),
    "Markdown": Kind(".md", 1.5, markdown),
    "code": Kind(".py", 1.5, code),
}
SMALL = {
    "Markdown": Kind(".md", 60, lambda rng: markdown(rng, 8)),
    "code": Kind(".py", 10, lambda rng: code(rng, 8)),
    "Word": Kind(".docx", 8, lambda rng: word(rng, 6, 2, (320, 240))),
    "Excel": Kind(".xlsx", 7, lambda rng: excel(rng, 60)),
    "PowerPoint": Kind(".pptx", 5, lambda rng: powerpoint(rng, 4, (320, 240))),
    "PDF, text": Kind(".pdf", 5, lambda rng: pdf(rng, 4, 1, (320, 240))),
    "photos": Kind(".jpg", 5, lambda rng: photo(rng, 320, 240)),
}
"""The same in small; the share is of the files."""


def write_bytes(folder: Path, total: int, rng: random.Random) -> dict[str, tuple[int, int]]:
    """Write files of all kinds until they have about `total` bytes. Returns kind -> how many files, how many bytes."""
    written: dict[str, tuple[int, int]] = {}
    for name, kind in KINDS.items():
        files = size = 0
        while size < total * kind.share / 100:
            data = kind.make(rng)
            _write(folder, name, files, kind, data)
            files, size = files + 1, size + len(data)
        written[name] = (files, size)
    return written


def write_files(folder: Path, count: int, rng: random.Random) -> int:
    """Write about `count` small files, in shuffled folders of mixed kinds. Returns how many."""
    names = [name for name, kind in SMALL.items() for _ in range(round(count * kind.share / 100))]
    rng.shuffle(names)
    for number, name in enumerate(names):
        _write(folder, f"group {number % 7}", number, SMALL[name], SMALL[name].make(rng))
    return len(names)


def _write(folder: Path, group: str, number: int, kind: Kind, data: bytes) -> None:
    place = folder / group
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{number:05}{kind.extension}").write_bytes(data)
