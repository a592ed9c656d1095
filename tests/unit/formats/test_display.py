"""What documents keep for display beside their text: merged cells of tables, and places on slides."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import openpyxl
import pytest
from PIL import Image
from pptx import Presentation
from pptx.util import Inches
from tests.unit.formats.confluence import test_loader as confluence
from tests.unit.formats.word.conftest import make
from tests.unit.formats.word.test_tables import cell, row, table

from ragd.core.documents import Document, MergedCell
from ragd.formats.excel.loader import ExcelLoader
from ragd.formats.html.loader import HtmlLoader
from ragd.formats.jira.content import Cell, IssueContent
from ragd.formats.powerpoint.loader import PowerPointLoader
from ragd.formats.tables.merged import Span, header_cells, moved, reaching
from ragd.formats.word.loader import WordLoader
from ragd.store.places import decode_document, encode_places

Shown = dict[str, list[tuple[int, int, int]]]


def word(*rows: str) -> Document:
    return WordLoader().load(make(table(*rows)), "a.docx")


def html(body: str) -> Document:
    return HtmlLoader().load(body.encode(), "a.html")


def sheet(rows: list[list[Any]], *areas: str) -> Document:
    book: Any = openpyxl.Workbook()
    for values in rows:
        book.active.append(values)
    for area in areas:
        book.active.merge_cells(area)
    return ExcelLoader().load(saved(book), "a.xlsx")


def slides(*fill: Callable[[Any], object], layout: int = 5) -> Document:
    deck = Presentation()
    for function in fill:
        function(deck.slides.add_slide(deck.slide_layouts[layout]))
    return PowerPointLoader().load(saved(deck), "a.pptx")


def saved(made: Any) -> bytes:
    buffer = io.BytesIO()
    made.save(buffer)
    return buffer.getvalue()


def line_at(document: Document, start: int) -> str:
    assert start == 0 or document.markdown[start - 1] == "\n"
    return document.markdown[start:].partition("\n")[0]


def spans(document: Document) -> Shown:
    """By their row: column, rows and columns of what is merged in it; levels of headers aside."""
    found: Shown = {}
    for one in document.merged:
        if one.level is None:
            found.setdefault(line_at(document, one.start), []).append((one.column, one.rows, one.columns))
    return found


def header(document: Document) -> list[tuple[int | None, int, int, int, str]]:
    return [(one.level, one.column, one.rows, one.columns, one.text) for one in document.merged if one.level is not None]


def test_cells_of_word_say_over_which_rows_and_columns_they_reach_and_rows_below_what_is_left() -> None:
    document = word(
        row("Store", "Size", "Kept"),
        row(cell("Segments", merge="restart"), "1", "2"),
        row(cell(merge="continue"), cell("none", span=2)),
        row(cell(merge="continue"), "5", "6"),
        row("Logs", "7", "8"),
    )
    assert spans(document) == {"| Segments | 1 | 2 |": [(0, 3, 1)], "| Segments | none |  |": [(0, 2, 1), (1, 1, 2)]}


def test_a_header_of_several_rows_keeps_its_rows_for_display() -> None:
    header_of_word = word(
        row(cell("Store", merge="restart"), cell("Size", span=2)),
        row(cell(merge="continue"), "full", "a | b"),
        row("Logs", "1", "2"),
        row("Segments", "3", "4"),
    )
    expected = [(0, 0, 2, 1, "Store"), (0, 1, 1, 2, "Size"), (1, 1, 1, 1, "full"), (1, 2, 1, 1, "a \\| b")]
    assert header(header_of_word) == expected
    assert {line_at(header_of_word, one.start) for one in header_of_word.merged} == {"| Store | Size / full | Size / a \\| b |"}
    of_html = html("<table><tr><th rowspan=2>Store<th colspan=2>Size<tr><th>full<th>a | b<tr><td>Logs<td>1<td>2</table>")
    assert header(of_html) == expected
    rows: list[list[Any]] = [["Store", "Size", None], [None, "full", "a | b"], ["Logs", 1, 2], ["Segments", 3, 4]]
    assert header(sheet(rows, "A1:A2", "B1:C1")) == expected


def test_the_merges_of_a_sheet_are_counted_in_the_rows_and_columns_that_are_read() -> None:
    rows: list[list[Any]] = [
        ["Route", None, "Mon", "Tue"],
        ["North", None, 1, 2],
        [None, None, 3, 4],
        ["South", None, "closed", None],
    ]
    document = sheet([*rows, ["West", None, 5, 6]], "A2:B3", "C4:D4")
    assert document.markdown.split("\n")[2:] == [
        "| Route | Mon | Tue |", "|---|---|---|",
        "| North | 1 | 2 |", "| North | 3 | 4 |", "| South | closed | closed |", "| West | 5 | 6 |",
    ]  # fmt: skip
    assert spans(document) == {"| North | 1 | 2 |": [(0, 2, 1)], "| South | closed | closed |": [(1, 1, 2)]}


def test_merges_go_on_in_each_part_of_a_long_table() -> None:
    rows: list[list[Any]] = [
        ["Area", "Reading", "Note"],
        *(["North", number, f"measured by hand {number}"] for number in range(60)),
    ]
    document = sheet(rows, "A2:A61")
    heads = [one for one in document.markdown.split("\n") if one.startswith("| Area")]
    assert len(heads) > 1
    left = [one.rows for one in document.merged]
    assert left == list(range(60, 1, -1))
    assert all(f"by hand {60 - one.rows} |" in line_at(document, one.start) for one in document.merged)
    of_word = word(row("Area", "Note"), row(cell("North", merge="restart"), "first " * 60),
                   *(row(cell(merge="continue"), f"no. {number} " * 60) for number in range(8)))  # fmt: skip
    assert [one.rows for one in of_word.merged] == list(range(9, 1, -1))
    assert all(line_at(of_word, one.start).startswith("| North |") for one in of_word.merged)


def test_tables_of_web_pages_and_wikis_keep_their_spans_also_inside_of_lists() -> None:
    body = "<table><tr><th>a</th><th>b</th></tr><tr><td rowspan='2'>x</td><td>1</td></tr><tr><td>2</td></tr></table>"
    assert spans(html(f"<h1>T</h1>{body}")) == {"| x | 1 |": [(0, 2, 1)]}
    assert spans(html(f"<ul><li>item{body}</li></ul>")) == {"  | x | 1 |": [(0, 2, 1)]}
    assert spans(confluence.load(f"<p>before</p>{body}<h2>next</h2>{body}")) == {"| x | 1 |": [(0, 2, 1)] * 2}


def test_tables_of_issues_keep_their_spans_where_they_are_indented() -> None:
    out = IssueContent()
    rows = [
        [Cell("a", header=True), Cell("b", header=True)],
        [Cell("x", rows=2), Cell("1")],
        [Cell("2")],
        [Cell("wide", columns=2)],
    ]
    for _ in range(2):
        with out.inside("- ", once=True):
            out.paragraph("item")
            out.table(rows)
    lines = [out.markdown[one.start :].partition("\n")[0] for one in out.merged]
    assert lines == ["  | x | 1 |", "  | wide |  |"] * 2
    assert [(one.rows, one.columns) for one in out.merged] == [(2, 1), (1, 2)] * 2


def test_rows_and_columns_that_are_left_out_are_not_counted() -> None:
    document = html("<table><tr><th>a<th><th>b<tr><td rowspan=3 colspan=2>x<td>1<tr><td><tr><td>2<tr><td>y<td><td>3</table>")
    assert "| x | 1 |\n| x |  |\n| x | 2 |\n| y | 3 |" in document.markdown
    assert spans(document) == {"| x | 1 |": [(0, 3, 1)], "| x |  |": [(0, 2, 1)]}


@pytest.mark.parametrize("span", ["2000000000", "-1", "0", "x", "99999999999999999999"])
def test_absurd_spans_cost_nothing_and_stay_small(span: str) -> None:
    documents = [
        html(f"<table><tr><th>a<th>b<tr><td rowspan={span} colspan={span}>x<td>1<tr><td>2<td>3</table>"),
        word(row("a", "b"), row(cell("x", span=int(span) if span.isdecimal() and len(span) < 11 else 3), "1"), row("2", "3")),
        slides(lambda slide: damaged_table(slide, span)),
    ]
    for document in documents:
        assert all(0 < one.rows <= 3 and 0 < one.columns <= 60 for one in document.merged)
        assert len(document.merged) <= 4


def damaged_table(slide: Any, span: str) -> None:
    slide.shapes.title.text = "T"
    made = slide.shapes.add_table(3, 2, Inches(1), Inches(2), Inches(4), Inches(2)).table
    for number in range(6):
        made.cell(number // 2, number % 2).text = str(number)
    made.cell(1, 0)._tc.set("rowSpan", span)
    made.cell(1, 0)._tc.set("gridSpan", span)


def test_a_table_of_very_many_merged_cells_is_shown_cell_by_cell() -> None:
    rows = "".join(f"<tr>{'<td rowspan=1000>x' * 40}" for _ in range(10))
    document = html(f"<table><tr><th>a<th>b{rows}</table>")
    assert "| x | x |" in document.markdown
    assert document.merged == ()


def test_merges_that_overlap_each_other_make_a_header_without_overlaps() -> None:
    overlapping = [[Span(0, 9, 3), Span(1, 1, 2)], [Span(1, 1, 1)]]
    cells = header_cells([["a", "b", "c", "d"], ["e", "f", "g", "h"]], overlapping)
    taken = [
        (level, column)
        for one in cells
        for level in range(one.level or 0, (one.level or 0) + one.rows)
        for column in range(one.column, one.column + one.columns)
    ]
    assert sorted(taken) == [(level, column) for level in range(2) for column in range(4)]


def test_spans_reach_into_the_rows_below_and_push_their_cells_aside() -> None:
    first = reaching([(2, 1), (1, 2)], [])
    assert first == [Span(0, 2, 1), Span(1, 1, 2)]
    assert reaching([(1, 1)], first) == [Span(0, 1, 1)]
    assert moved([Span(1, 2, 3), Span(5, 1, 1)], [0, 2, 3]) == [Span(1, 2, 2)]


def picture(width: int, height: int) -> io.BytesIO:
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), "teal").save(buffer, "PNG")
    buffer.seek(0)
    return buffer


def full(slide: Any) -> None:
    slide.shapes.title.text = "Routes"
    box = slide.shapes.add_textbox(Inches(5), Inches(2), Inches(4), Inches(1))
    box.text_frame.text = "beside the picture"
    slide.shapes.add_picture(picture(40, 30), Inches(0), Inches(1.875), Inches(5), Inches(3.75))
    made = slide.shapes.add_table(3, 2, Inches(5), Inches(4), Inches(4), Inches(2)).table
    for number, text in enumerate(("Line", "Stops", "North", "4", "", "5")):
        made.cell(number // 2, number % 2).text = text
    made.cell(1, 0).merge(made.cell(2, 0))
    slide.notes_slide.notes_text_frame.text = "said aloud"


def test_a_slide_keeps_where_title_text_picture_and_table_stand_and_the_tables_merges() -> None:
    document = slides(full)
    [layout] = document.slides
    assert (layout.slide, round(layout.ratio, 2)) == (1, 1.33)
    at = {document.markdown[block.start : block.end].partition("\n")[0]: block.box for block in layout.blocks}
    assert list(at) == ["## Routes", next(text for text in at if text.startswith("![")), "beside the picture", "| Line | Stops |"]
    assert at["beside the picture"] == (0.5, 0.2667, 0.9, 0.4)
    assert next(box for text, box in at.items() if text.startswith("![")) == (0.0, 0.25, 0.5, 0.75)
    assert spans(document) == {"| North | 4 |": [(0, 2, 1)]}
    assert document.markdown.endswith("Notes: said aloud")
    assert layout.blocks[-1].end < document.markdown.index("Notes:")


def test_a_presentation_that_does_not_say_how_large_its_slides_are_has_no_layout() -> None:
    deck = Presentation()
    full(deck.slides.add_slide(deck.slide_layouts[5]))
    size = deck.part._element.sldSz
    for width in ("0", "-5", "99999999999999"):
        size.set("cx", width)
        assert PowerPointLoader().load(saved(deck), "a.pptx").slides == ()


def test_what_is_for_display_is_stored_and_read_back_and_older_documents_have_none() -> None:
    document = slides(full)
    places = encode_places(document)
    names = ("doc_type", "title", "markdown", "loader", "loader_version", "parser", "language", "metadata", "warnings")
    stored = {name: getattr(document, name) for name in names}
    again = decode_document({**stored, "places": places})
    assert (again.merged, again.slides) == (document.merged, document.slides)
    assert again.merged == (MergedCell(document.markdown.index("| North"), 0, 2, 1),)
    older = {name: value for name, value in places.items() if name not in ("merged", "slides")}
    assert (decode_document({**stored, "places": older}).merged, decode_document({**stored, "places": older}).slides) == ((), ())
