"""How fast PDF text becomes facts, in pages per second of processor time, and against pdfium's bare text of the same pages.

python scripts/bench/pdf_parse.py --pages 200 [FILE.pdf ...]

Without files, reports are made for it: English in one column and in two, Japanese, and tables, with headers and page numbers.
The content has reading order, paragraphs, tables, boilerplate, headings and the place of every line. For a Japanese font that is
not in the file pdfium looks up every character in one of the system's, which takes it longer than all the rest;
`--japanese-font FILE.ttf` puts one into the file, as office programs do.
"""

from __future__ import annotations

import argparse
import io
import os
import platform
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pypdfium2
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import BaseDocTemplate, Frame, PageBreak, PageTemplate, Paragraph, Table

from ragd.formats.pdf.loader import PdfLoader

ENGLISH = (
    "the a of to in queue shard leader lease record segment snapshot drive commit node cluster worker tenant retry delay window"
    " job is was has keeps reads writes moves waits fails returns accepts refuses every each another before after while because"
).split()
JAPANESE = (
    "回線が切れている間も装置は仕事を受け付け、番号を付けて記録し、あとから本社へ順序どおりに引き渡します。"
    "設定を確認してください。"
)
CID_FONT = "HeiseiMin-W3"
REPEATS = 3


def english(rng: random.Random, words: int) -> str:
    text = " ".join(rng.choice(ENGLISH) for _ in range(words))
    return f"{text[0].upper()}{text[1:]}."


def japanese(rng: random.Random, characters: int) -> str:
    begin = rng.randrange(len(JAPANESE))
    return "".join(JAPANESE[(begin + index) % len(JAPANESE)] for index in range(characters))


def report(pages: int, rng: random.Random, kind: str, japanese_font: str) -> bytes:
    """A report of so many pages of about 2,500 characters (Japanese: 1,300)."""
    font = japanese_font if kind == "japanese" else "Times-Roman"
    body = ParagraphStyle(
        "body", fontName=font, fontSize=10, leading=13, spaceAfter=6, wordWrap="CJK" if kind == "japanese" else None
    )
    head = ParagraphStyle("head", parent=body, fontSize=15, leading=20)
    story: list[Any] = []
    for page in range(pages):
        story.append(
            Paragraph(f"{page + 1}. {english(rng, 4)[:-1]}" if kind != "japanese" else f"{page + 1}. 運用の手引き", head)
        )
        if kind == "tables":
            rows = [["Node", "Leaders", "Records", "State"]]
            for _ in range(34):
                state = rng.choice(["active", "draining"])
                rows.append([f"node-{rng.randrange(99)}", str(rng.randrange(500)), f"{rng.randrange(10**6):,}", state])
            story.append(Table(rows, colWidths=[110] * 4, style=[("GRID", (0, 0), (-1, -1), 0.5, "#888888")]))
        else:
            count, size = (5, 250) if kind == "japanese" else (5, 85)
            story += [Paragraph(japanese(rng, size) if kind == "japanese" else english(rng, size), body) for _ in range(count)]
        story.append(PageBreak())
    target = io.BytesIO()
    columns = 2 if kind == "two columns" else 1
    gap, margin = 20, 60
    width = (A4[0] - 2 * margin - gap * (columns - 1)) / columns
    frames = [Frame(margin + (width + gap) * index, 60, width, A4[1] - 130) for index in range(columns)]

    def edge(canvas: Any, _: Any) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.drawString(margin, A4[1] - 40, "Kestrel field report")
        canvas.drawCentredString(A4[0] / 2, 30, f"- {canvas.getPageNumber()} -")

    document = BaseDocTemplate(target, pagesize=A4, invariant=1)
    document.addPageTemplates(PageTemplate(frames=frames, onPage=edge))
    document.build(story)
    return target.getvalue()


def bare_text(data: bytes) -> int:
    """All text of the pages by pdfium alone; the number of pages."""
    pdf = pypdfium2.PdfDocument(data)
    for index in range(len(pdf)):
        page = pdf[index]
        text_page = page.get_textpage()
        text_page.get_text_range()
        text_page.close()
        page.close()
    count = len(pdf)
    pdf.close()
    return count


def facts(data: bytes) -> int:
    return int(PdfLoader().load(data, "bench.pdf").metadata["page_count"])


def best_rate(read: Callable[[bytes], int], data: bytes) -> float:
    """Pages per second of processor time: the best of some runs, since other programs only make it slower."""
    rates = []
    for _ in range(REPEATS):
        start = time.process_time()
        pages = read(data)
        rates.append(pages / (time.process_time() - start))
    return max(rates)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--japanese-font", type=Path, help="a TrueType font to put into the Japanese report")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    japanese_font = CID_FONT
    if options.japanese_font:
        japanese_font = options.japanese_font.stem
        pdfmetrics.registerFont(TTFont(japanese_font, str(options.japanese_font)))
    else:
        pdfmetrics.registerFont(UnicodeCIDFont(CID_FONT))
    rng = random.Random(options.seed)
    if options.files:
        documents = {path.name: path.read_bytes() for path in options.files}
    else:
        kinds = ("one column", "two columns", "japanese", "tables")
        documents = {kind: report(options.pages, rng, kind, japanese_font) for kind in kinds}
    print(f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}; pages per second of processor time")
    print(f"{'document':32} {'pages':>6} {'pdfium text':>12} {'facts':>8} {'ratio':>7}")
    for name, data in documents.items():
        pages = bare_text(data)
        bare, whole = best_rate(bare_text, data), best_rate(facts, data)
        print(f"{name[:32]:32} {pages:6} {bare:12.0f} {whole:8.0f} {whole / bare:7.2f}", flush=True)


if __name__ == "__main__":
    main()
