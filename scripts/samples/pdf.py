"""The PDF samples that hold their text, laid out by reportlab.

Japanese is set in the CID fonts that PDF readers bring or replace, so no font file is needed; the reader's machine needs some
Japanese font to show those pages. Their text can be extracted anywhere, because each line is one string in one font: pdfium
drops a lone Japanese character where no Japanese font is installed. Files are the same byte for byte on every machine: no
dates or random ids (`invariant`), and no compression, whose bytes depend on the zlib in use.

A text is written in a few marks: `# ` title, `## ` and `### ` headings (they become the outline), `- ` items, `| ` rows of a
table (the first is its head), `---` a new page; other blocks are paragraphs.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterator
from typing import Any

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table

from samples.pdf_texts import OPERATIONS_MANUAL, SPEC_SHEET, WHITEPAPER

JAPANESE_FONTS = {"body": "HeiseiMin-W3", "head": "HeiseiKakuGo-W5"}
WESTERN_FONTS = {"body": "Times-Roman", "head": "Helvetica-Bold"}
TEXT_WIDTH = A4[0] - 44 * mm

TEXTS = {
    "papers/architecture-whitepaper.pdf": ("en", "Kestrel: architecture of a replicated job queue", WHITEPAPER),
    "papers/operations-manual-ja.pdf": ("ja", "Kestrel 運用マニュアル", OPERATIONS_MANUAL),
    "papers/edge-box-spec-sheet.pdf": ("ja", "Kestrel Edge Box KE-200 仕様書", SPEC_SHEET),
}


def markup(text: str) -> str:
    """Paragraph markup of a block: lines joined with a blank between Western words only."""
    text = re.sub(r"(?<![\x21-\x7e])\n|\n(?![\x21-\x7e])", "", text).replace("\n", " ")
    return html.escape(text, quote=False)


def styles(language: str) -> dict[str, ParagraphStyle]:
    """One style for each kind of block; headings know their level in the outline."""
    fonts = JAPANESE_FONTS if language == "ja" else WESTERN_FONTS
    wrap = "CJK" if language == "ja" else None
    body: dict[str, Any] = {"fontName": fonts["body"], "fontSize": 10.5, "leading": 16, "spaceAfter": 7, "wordWrap": wrap}
    head = body | {"fontName": fonts["head"], "spaceBefore": 8, "keepWithNext": 1}
    return {
        "": ParagraphStyle("body", **body),
        "- ": ParagraphStyle("item", **body | {"leftIndent": 14, "bulletIndent": 2, "spaceAfter": 3}),
        "| ": ParagraphStyle("cell", **body | {"fontSize": 9.5, "leading": 13, "spaceAfter": 0}),
        "# ": ParagraphStyle("title", **head | {"fontSize": 19, "leading": 25}),
        "## ": ParagraphStyle("chapter", **head | {"fontSize": 14.5, "leading": 20}),
        "### ": ParagraphStyle("section", **head | {"fontSize": 11.5, "leading": 17}),
    }


def table(block: str, style: ParagraphStyle) -> Table:
    """A table with a shaded head; columns share the width in proportion to their longest cells."""
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in block.split("\n")]
    longest = [
        max(pdfmetrics.stringWidth(cell, style.fontName, style.fontSize) for cell in column) for column in zip(*rows, strict=True)
    ]
    look = [
        ("GRID", (0, 0), (-1, -1), 0.5, colors.grey),
        ("BACKGROUND", (0, 0), (-1, 0), colors.whitesmoke),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ]
    cells = [[Paragraph(markup(cell), style) for cell in row] for row in rows]
    return Table(
        cells, colWidths=[TEXT_WIDTH * width / sum(longest) for width in longest], style=look, repeatRows=1, spaceAfter=8
    )


def flowables(text: str, language: str) -> list[Any]:
    """The blocks of a text in order, ready to be laid out."""
    by_mark = styles(language)
    story: list[Any] = []
    for block in re.split(r"\n{2,}|\n(?=---\n|- )|(?<=---)\n", text.strip()):
        mark = match.group() if (match := re.match(r"#{1,3} |- |\| ", block)) else ""
        if block == "---":
            story.append(PageBreak())
        elif mark == "| ":
            story += [table(block, by_mark[mark]), Spacer(1, 4)]
        else:
            bullet = "•" if mark == "- " else None
            story.append(Paragraph(markup(block.removeprefix(mark)), by_mark[mark], bulletText=bullet))
            story[-1].outline = (block.removeprefix(mark), len(mark) - 3) if mark in ("## ", "### ") else None
    return story


def make_pdf(language: str, title: str, text: str) -> bytes:
    """A PDF with an outline, running foot and page numbers."""
    target = io.BytesIO()
    margins = {"leftMargin": 22 * mm, "rightMargin": 22 * mm, "topMargin": 20 * mm, "bottomMargin": 20 * mm}
    document = SimpleDocTemplate(
        target, pagesize=A4, title=title, author="Tarnwood", invariant=1, pageCompression=0, lang=language, **margins
    )

    def add_to_outline(flowable: Any) -> None:
        if entry := getattr(flowable, "outline", None):
            key = f"heading-{document.canv.getPageNumber()}-{entry[0]}"
            document.canv.bookmarkPage(key)
            document.canv.addOutlineEntry(entry[0], key, level=entry[1])

    def draw_foot(canvas: Any, _: Any) -> None:
        canvas.setFont(JAPANESE_FONTS["head"] if language == "ja" else "Helvetica", 8)
        canvas.drawString(22 * mm, 11 * mm, title)
        canvas.setFont("Helvetica", 8)
        canvas.drawRightString(A4[0] - 22 * mm, 11 * mm, str(canvas.getPageNumber()))

    document.afterFlowable = add_to_outline
    document.build(flowables(text, language), onFirstPage=draw_foot, onLaterPages=draw_foot)
    return target.getvalue()


def documents() -> Iterator[tuple[str, bytes]]:
    """Path and bytes of each."""
    for font in JAPANESE_FONTS.values():
        pdfmetrics.registerFont(UnicodeCIDFont(font))
    for path, (language, title, text) in TEXTS.items():
        yield path, make_pdf(language, title, text)
