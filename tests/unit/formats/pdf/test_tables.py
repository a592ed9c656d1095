"""PDF tables, with lines and without: rows stay rows. Files by LibreOffice Writer and Calc, and by reportlab."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table

from ragd.core.documents import Document
from ragd.formats.pdf.loader import PdfLoader

FIXTURES = Path(__file__).parents[3] / "data" / "pdf"
GRID = ("GRID", (0, 0), (-1, -1), 0.5, colors.black)
SALES = [
    ["Region", "Q1", "Q2", "Note"],
    ["North", "1,204", "1,377", "includes the harbour"],
    ["South", "988", "1,012", "two shops closed in May"],
    ["West", "77", "80", ""],
]
CHECKS = [
    ["項目", "正常の範囲", "範囲を外れたとき"],
    ["ノードの状態", "すべて稼働中", "第5章に従って報告する"],
    ["複製の遅れ", "2,000件以下", "30分後に再確認する"],
    ["待ち時間", "10分以内", "担当チームに連絡する"],
]

pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3"))


def load(data: bytes) -> Document:
    return PdfLoader().load(data, "table.pdf")


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def with_table(rows: Sequence[Sequence[Any]], style: Sequence[Any], **options: Any) -> bytes:
    """A PDF with a sentence, a table, and another sentence."""
    target = io.BytesIO()
    cells = [cell for row in rows for cell in row]
    japanese = any(isinstance(cell, str) and not cell.isascii() for cell in cells)
    font = [("FONT", (0, 0), (-1, -1), "HeiseiMin-W3", 10)] if japanese else []
    text = ParagraphStyle("body", fontName="Times-Roman", fontSize=10, leading=13)
    SimpleDocTemplate(target, pagesize=A4, invariant=1).build(
        [
            Paragraph("This is what was counted before the table.", text),
            Spacer(1, 10),
            Table(rows, style=[*font, *style], **options),
            Spacer(1, 10),
            Paragraph("And this is what was said after it.", text),
        ]
    )
    return target.getvalue()


STYLES = {
    "all lines": [GRID],
    "lines below rows": [("LINEBELOW", (0, 0), (-1, -1), 0.5, colors.black)],
    "lines around the head": [("LINEABOVE", (0, 0), (-1, 0), 1, colors.black), ("LINEBELOW", (0, 0), (-1, 0), 1, colors.black)],
    "columns ruled, rows not": [
        ("BOX", (0, 0), (-1, -1), 0.5, colors.black),
        ("LINEBEFORE", (1, 0), (-1, -1), 0.5, colors.black),
        ("LINEBELOW", (0, 0), (-1, 0), 0.5, colors.black),
    ],
    "shaded head": [("BACKGROUND", (0, 0), (-1, 0), colors.lightgrey)],
    "no lines": [],
}


@pytest.mark.parametrize("rows", [SALES, CHECKS], ids=["english", "japanese"])
@pytest.mark.parametrize("style", STYLES)
def test_a_table_becomes_a_markdown_table(style: str, rows: list[list[str]]) -> None:
    document = load(with_table(rows, STYLES[style]))
    assert document.markdown == (
        f"This is what was counted before the table.\n\n{markdown_table(rows)}\n\nAnd this is what was said after it."
    )


@pytest.mark.parametrize("language", ["en", "ja"])
def test_tables_of_libreoffice_writer_with_and_without_lines_are_the_same_table(language: str) -> None:
    markdown = load((FIXTURES / f"tables-{language}.pdf").read_bytes()).markdown
    tables = [block for block in markdown.split("\n\n") if block.startswith("|")]
    assert len(tables) == 2
    assert tables[0] == tables[1]
    expected = {
        "en": "| Support, one year | KE-SUP-1 | 96 | working days, nine to five; spare parts are sent overnight |",
        "ja": "| 保守契約(一年) | KE-SUP-1 | 12,000 | 営業日の九時から十七時まで。交換部品は翌日に発送 |",
    }
    assert tables[0].split("\n")[-1] == expected[language]
    assert len(tables[0].split("\n")) == 6


@pytest.mark.parametrize(
    ("language", "row"),
    [
        ("en", "| Optical port | KE-200-SFP | 212 | one for each box |"),
        ("ja", "| 光ポート | KE-200-SFP | 26500 | 装置一台につき一個 |"),
    ],
)
def test_rows_of_libreoffice_calc_stay_rows_though_numbers_touch_the_next_cell(language: str, row: str) -> None:
    assert row in load((FIXTURES / f"sheet-{language}.pdf").read_bytes()).markdown.split("\n")


def test_cells_that_span_others_are_told_once() -> None:
    rows = [
        ["Sales", "2025", "", "2026", ""],
        ["", "H1", "H2", "H1", "H2"],
        ["North", "1", "2", "3", "4"],
        ["South", "5", "6", "7", "8"],
    ]
    document = load(with_table(rows, [GRID, ("SPAN", (1, 0), (2, 0)), ("SPAN", (3, 0), (4, 0)), ("SPAN", (0, 0), (0, 1))]))
    assert markdown_table(rows) in document.markdown


@pytest.mark.parametrize("style", [[GRID], []], ids=["ruled", "unruled"])
def test_lines_of_one_cell_are_one_text(style: list[Any]) -> None:
    text = ParagraphStyle("cell", fontName="Times-Roman", fontSize=10, leading=12)
    notes = [
        "a shard is the unit of replication and of order, and a node holds many of them while it leads only some",
        "a claim of one worker on one job, which ends by itself when the worker says nothing for half a minute",
        "the engine that keeps every shard as a log of segments, none of which is ever written to again",
    ]
    rows = [[name, Paragraph(note, text)] for name, note in zip(["Shard", "Lease", "Roost"], notes, strict=True)]
    document = load(with_table(rows, [*style, ("VALIGN", (0, 0), (-1, -1), "TOP")], colWidths=[90, 220]))
    for name, note in zip(["Shard", "Lease", "Roost"], notes, strict=True):
        assert f"| {name} | {note} |" in document.markdown


def test_bars_in_cells_are_escaped() -> None:
    assert r"| a \| b | c |" in load(with_table([["x", "y"], ["a | b", "c"], ["d", "e"]], [GRID])).markdown


def test_each_row_has_its_place() -> None:
    document = load(with_table(SALES, [GRID]))
    rows = [document.markdown.index(f"| {name} |") for name in ("North", "South", "West")]
    boxes = {mark.offset: mark.place.bbox for mark in document.marks}
    tops = [box[1] for row in rows if (box := boxes[row])]
    assert tops == sorted(tops)
    assert len(set(tops)) == 3


def test_a_numbered_list_is_no_table() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", 10)
        for index, text in enumerate(["Stop the node.", "Copy the folder.", "Start it again."]):
            canvas.drawString(72, 700 - 14 * index, f"{index + 1}.")
            canvas.drawString(100, 700 - 14 * index, text)

    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4)
    draw(canvas)
    canvas.save()
    assert "|" not in load(target.getvalue()).markdown


def test_a_row_that_is_no_table_stays_one_line() -> None:
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4)
    canvas.setFont("Times-Roman", 10)
    canvas.drawString(72, 700, "Aldmoor")
    canvas.drawString(400, 700, "15 January 2026")
    canvas.drawString(72, 650, "Dear colleagues, the boxes are on their way and will be with you before the end of the week.")
    canvas.save()
    assert load(target.getvalue()).markdown.startswith("Aldmoor  15 January 2026\n\nDear colleagues")


def test_a_frame_around_text_is_no_table() -> None:
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4)
    canvas.setFont("Times-Roman", 10)
    canvas.rect(60, 600, 450, 120)
    canvas.drawString(72, 700, "Please note that the office is closed on Friday, and that nobody will answer the telephone")
    canvas.drawString(72, 687, "until Monday morning.")
    canvas.save()
    assert load(target.getvalue()).markdown == (
        "Please note that the office is closed on Friday, and that nobody will answer the telephone until Monday morning."
    )
