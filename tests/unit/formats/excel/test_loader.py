"""Excel: sheets, tables and their places, values as shown, and files that can't be read.

The workbooks are made here by openpyxl, or come from tests/data/excel, where other programs made them.
"""

from __future__ import annotations

import io
import random
import re
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment
from openpyxl.styles import Font, PatternFill
from openpyxl.worksheet.table import Table

from ragd.core.documents import Document, Place
from ragd.core.errors import DocumentEmpty, DocumentEncrypted, ParseFailed
from ragd.formats.excel.loader import ExcelLoader
from ragd.formats.excel.stream import Budget
from ragd.formats.tables.blocks import PART_TOKENS, TableContent, estimated_tokens
from ragd.providers.protocols import LoadContext, Loader

DATA = Path(__file__).resolve().parents[3] / "data" / "excel"
SHEET = "xl/worksheets/sheet1.xml"
BOLD = Font(bold=True)


def workbook(*sheets: list[list[Any]], edit: Callable[[Any], None] | None = None) -> bytes:
    """A workbook with a sheet for each list of rows; `edit` changes it before it is saved."""
    book = openpyxl.Workbook()
    for number, rows in enumerate(sheets, 1):
        sheet = book.active if number == 1 else book.create_sheet()
        sheet.title = f"Sheet{number}"
        for row in rows:
            sheet.append(row)
    if edit:
        edit(book)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def load(data: bytes, name: str = "book.xlsx") -> Document:
    return ExcelLoader().load(data, name)


def patched(data: bytes, part: str, change: Callable[[bytes], bytes]) -> bytes:
    """The same archive with one part (or all, for `*`) changed."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            content = old.read(entry)
            new.writestr(entry.filename, change(content) if part in (entry.filename, "*") else content)
    return stream.getvalue()


def body(document: Document) -> str:
    """The facts without the heading of their one sheet."""
    return document.markdown.removeprefix("# Sheet1\n\n")


def table(document: Document) -> list[list[str]]:
    """The cells of the first table, its header first."""
    lines = [line for line in document.markdown.split("\n") if line.startswith("|") and not line.startswith("|--")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def place_of(document: Document, text: str) -> Place:
    at = document.markdown.index(text)
    return [mark for mark in document.marks if mark.offset <= at][-1].place


# Sheets


def test_it_keeps_to_the_contract_of_loaders() -> None:
    assert isinstance(ExcelLoader(), Loader)
    document = load(workbook([["a", "b"], [1, 2]]))
    assert (document.doc_type, document.loader, document.verbatim) == ("xlsx", "excel", False)
    assert document.parser.startswith("expat ")
    assert [mark.offset for mark in document.marks] == sorted(mark.offset for mark in document.marks)


def test_visible_sheets_are_read_in_order_each_under_its_name() -> None:
    def edit(book: Any) -> None:
        book.worksheets[0].title = "売上"
        book.move_sheet("Sheet2", -1)

    document = load(workbook([["kana", "かな"], ["x", "y"]], [["first"], ["line"]], edit=edit))
    assert [(heading.level, heading.title) for heading in document.headings] == [(1, "Sheet2"), (1, "売上")]
    for heading in document.headings:
        assert document.markdown[heading.start : heading.end] == f"# {heading.title}"


def test_hidden_sheets_are_left_out_and_named() -> None:
    def edit(book: Any) -> None:
        book.worksheets[1].sheet_state = "hidden"
        book.worksheets[2].sheet_state = "veryHidden"

    document = load(workbook([["shown"]], [["secret one"]], [["secret two"]], edit=edit))
    assert "secret" not in document.markdown
    assert document.warnings == ("sheets left out, hidden: 2 (Sheet2, Sheet3)",)


def test_hidden_rows_and_columns_are_read_and_counted() -> None:
    def edit(book: Any) -> None:
        book.active.row_dimensions[2].hidden = True
        book.active.column_dimensions["B"].hidden = True

    document = load(workbook([["name", "price"], ["a", 1], ["b", 2]], edit=edit))
    assert table(document) == [["name", "price"], ["a", "1"], ["b", "2"]]
    assert document.warnings == ("hidden rows, read like the others: 1", "hidden columns, read like the others: 1")


def test_progress_is_reported_by_sheets() -> None:
    seen: list[tuple[int, int]] = []
    context = LoadContext(report=lambda done, total: seen.append((done, total)))
    ExcelLoader().load(workbook([["a"]], [["b"]]), "book.xlsx", context)
    assert seen == [(0, 2), (1, 2), (2, 2)]


def test_the_title_is_what_the_properties_state_else_the_files_name() -> None:
    def edit(book: Any) -> None:
        book.properties.title, book.properties.creator, book.properties.keywords = "Orders of 2026", "M. Hale", "orders, kestrel"

    document = load(workbook([["a"]], edit=edit))
    assert document.title == "Orders of 2026"
    assert document.metadata["author"] == "M. Hale"
    assert document.metadata["tags"] == ["orders", "kestrel"]
    assert load(workbook([["a"]]), "注文.xlsx").title == "注文.xlsx"


# Tables and places


def test_each_row_has_its_exact_range_and_the_first_one_has_the_header_too() -> None:
    document = load(workbook([["Item", "Price"], ["cable", 3], ["hub", 90], ["kit", 12]]))
    assert [mark.place.cell_range for mark in document.marks] == [None, "A1:B2", "A3:B3", "A4:B4"]
    assert {mark.place.sheet for mark in document.marks} == {"Sheet1"}
    assert place_of(document, "| hub") == Place(sheet="Sheet1", cell_range="A3:B3")


def long_rows(count: int) -> list[list[Any]]:
    return [[f"KO-{number:05}", f"配送先{number % 7}", number * 3, f"note on order {number}"] for number in range(count)]


HEADER = ["Order", "送付先", "Amount", "Note"]


def test_a_long_table_is_written_in_parts_that_fit_a_chunk_each_with_the_header() -> None:
    document = load(workbook([HEADER, *long_rows(500)]))
    parts = body(document).split("\n\n")
    assert len(parts) > 20
    for part in parts:
        assert part.startswith("| Order | 送付先 | Amount | Note |\n|---|---|---|---|\n| KO-")
        assert estimated_tokens(part) <= PART_TOKENS
    assert [row[0] for row in table(document) if row[0] != "Order"] == [f"KO-{number:05}" for number in range(500)]


def test_a_row_put_in_changes_only_the_parts_around_it() -> None:
    rows = [HEADER, *long_rows(2000)]
    before = set(body(load(workbook(rows))).split("\n\n"))
    after = set(body(load(workbook([*rows[:30], ["KO-X", "新規", 1, "put in"], *rows[30:]]))).split("\n\n"))
    assert len(after) > 80
    assert len(after - before) < 10


def test_only_the_used_range_is_read_however_far_away_a_cell_is() -> None:
    def edit(book: Any) -> None:
        book.active["B3"], book.active["C3"], book.active["B4"], book.active["C4"] = "Name", "Size", "a", 5
        book.active["A1"].font = BOLD  # a style, but nothing in the cell
        book.active["XFD1048576"] = "far"

    document = load(workbook([[]], edit=edit))
    assert body(document) == "| Name | Size |\n|---|---|\n| a | 5 |\n\nfar"
    assert place_of(document, "far").cell_range == "XFD1048576"
    assert place_of(document, "| a |").cell_range == "B3:C4"


def test_blank_rows_divide_tables() -> None:
    document = load(workbook([["Item", "Price"], ["a", 1], [], [], [], ["Person", "Room"], ["Hale", 12], ["Corven", 14]]))
    assert body(document).split("\n\n")[1].startswith("| Person | Room |")


def test_tables_side_by_side_are_told_apart_where_they_end_in_other_rows() -> None:
    rows = [["Item", "Price", None, "Status", "Count"], ["a", 1, None, "open", 2], ["b", 2, None, "done", 1], ["c", 3], ["d", 4]]
    document = load(workbook(rows))
    assert [part.split("\n")[0] for part in body(document).split("\n\n")] == ["| Item | Price |", "| Status | Count |"]
    assert place_of(document, "| done").cell_range == "D3:E3"


def test_a_blank_column_inside_a_table_does_not_divide_it() -> None:
    document = load(workbook([["Item", None, "Price"], ["a", None, 1], ["b", None, 2]]))
    assert table(document) == [["Item", "Price"], ["a", "1"], ["b", "2"]]


def test_rows_after_a_gap_belong_to_the_table_above_when_they_have_no_header() -> None:
    document = load(workbook([["品名", "数量", "金額"], ["ケーブル", 2, 300], ["ハブ", 1, 900], [], ["合計", 3, 1200]]))
    assert table(document) == [["品名", "数量", "金額"], ["ケーブル", "2", "300"], ["ハブ", "1", "900"], ["合計", "3", "1200"]]
    assert place_of(document, "合計").cell_range == "A5:C5"


def test_titles_above_all_tables_become_headings() -> None:
    document = load(workbook([["Prices of cables"], ["valid until May"], ["Item", "Price"], ["a", 1], [], [], [],
                              ["Staff"], [], ["Name", "Room"], ["Hale", 12], ["Corven", 3]]))  # fmt: skip
    assert [(heading.level, heading.title) for heading in document.headings] == [
        (1, "Sheet1"), (2, "Prices of cables"), (2, "Staff"),
    ]  # fmt: skip
    assert "valid until May" in document.markdown


def test_a_title_stays_a_line_where_another_table_has_none() -> None:
    document = load(workbook([["Item", "Price"], ["a", 1], [], [], [], ["Staff"], [], ["Name", "Room"], ["Hale", 12], ["B", 3]]))
    assert len(document.headings) == 1
    assert "\n\nStaff\n\n| Name | Room |" in document.markdown


@pytest.mark.parametrize(
    ("rows", "header"),
    [
        ([["Item", "Price"], ["a", 1], ["b", 2]], ["Item", "Price"]),
        ([["用語", "意味"], ["索引", "検索のための表"], ["断片", "文書の一部"]], ["用語", "意味"]),
        ([["Region", 2024, 2025], ["North", 1, 2], ["South", 3, 4]], ["Region", "2024", "2025"]),
        ([[1, 2, 3], [4, 5, 6], [7, 8, 9]], ["", "", ""]),
    ],
)
def test_a_header_is_told_by_words_above_figures_or_by_its_words(rows: list[list[Any]], header: list[str]) -> None:
    assert table(load(workbook(rows)))[0] == header


def test_a_header_is_told_by_its_looks() -> None:
    def edit(book: Any) -> None:
        for cell in book.active[1]:
            cell.font, cell.fill = BOLD, PatternFill("solid", fgColor="DDDDDD")

    document = load(workbook([["Room", 12, 14], ["Seats", 3, 4], ["Desks", 5, 6]], edit=edit))
    assert table(document)[0] == ["Room", "12", "14"]
    assert [mark.place.cell_range for mark in document.marks][1] == "A1:C2"


def test_an_excel_table_states_its_header_and_what_is_above_it_is_none() -> None:
    def edit(book: Any) -> None:
        book.active.add_table(Table(displayName="Parts", ref="A3:B5"))

    rows = [["Parts", "May"], ["in", "stock"], ["Part", "Place"], ["bolt", "shelf one"], ["nut", "shelf two"]]
    document = load(workbook(rows, edit=edit))
    assert table(document)[0] == ["Part", "Place"]
    assert "Parts, May\nin, stock\n\n| Part" in document.markdown


@pytest.mark.parametrize("by", ["filter", "panes"])
def test_filters_and_frozen_rows_state_the_header(by: str) -> None:
    def edit(book: Any) -> None:
        if by == "filter":
            book.active.auto_filter.ref = "A1:B3"
        else:
            book.active.freeze_panes = "A2"

    assert table(load(workbook([["No.", 7], ["1", 8], ["2", 9]], edit=edit)))[0] == ["No.", "7"]


def test_merged_header_rows_are_joined_as_group_and_column() -> None:
    def edit(book: Any) -> None:
        for area in ("A1:A2", "B1:C1", "D1:E1"):
            book.active.merge_cells(area)

    rows = [["地域", "令和7年", None, "令和8年", None], [None, "上期", "下期", "上期", "下期"], ["関東", 1, 2, 3, 4]]
    document = load(workbook([*rows, ["関西", 5, 6, 7, 8]], edit=edit))
    assert table(document)[0] == ["地域", "令和7年 / 上期", "令和7年 / 下期", "令和8年 / 上期", "令和8年 / 下期"]
    assert place_of(document, "| 関東").cell_range == "A1:E3"


def test_a_group_in_the_first_of_its_columns_alone_holds_for_the_names_that_repeat() -> None:
    rows = [
        [None, "2025", None, "2026"],
        ["Region", "H1", "H2", "H1", "H2", "Total"],
        ["North", 1, 2, 3, 4, 10],
        ["South", 1, 2, 3, 4, 10],
    ]
    assert table(load(workbook(rows)))[0] == ["Region", "2025 / H1", "2025 / H2", "2026 / H1", "2026 / H2", "Total"]


def test_the_value_of_merged_cells_is_repeated_in_each_row_and_column() -> None:
    def edit(book: Any) -> None:
        for area in ("A2:A3", "B4:C4"):
            book.active.merge_cells(area)

    rows = [["Route", "Mon", "Tue"], ["North", 1, 2], [None, 3, 4], ["South", "closed", None], ["West", 5, 6]]
    assert table(load(workbook(rows, edit=edit)))[1:] == [
        ["North", "1", "2"], ["North", "3", "4"], ["South", "closed", "closed"], ["West", "5", "6"],
    ]  # fmt: skip


def test_a_form_is_a_list_of_labels_and_values() -> None:
    document = load(workbook([["Company:", "Tarnwood"], ["Since:", 2014], ["Hotline:", "+44 20 5550 0100"]]))
    assert body(document) == "- Company: Tarnwood\n- Since: 2014\n- Hotline: +44 20 5550 0100"
    assert place_of(document, "2014").cell_range == "A2:B2"


def test_a_form_on_grid_paper_is_read_by_its_merged_cells() -> None:
    def edit(book: Any) -> None:
        sheet = book.active
        for area, value in (("A1:D1", "申請日"), ("E1:J1", 46113), ("K1:N1", "申請者"), ("O1:T1", "佐伯 由美"),
                            ("A2:D2", "部署"), ("E2:J2", "技術部"), ("K2:N2", "内線"), ("O2:T2", 1234)):  # fmt: skip
            sheet.merge_cells(area)
            sheet[area.split(":")[0]] = value

    document = load(workbook([[]], edit=edit))
    assert body(document) == "- 申請日: 46113\n- 申請者: 佐伯 由美\n- 部署: 技術部\n- 内線: 1234"


def test_rows_of_a_very_wide_table_are_lists_that_begin_with_what_the_row_is_about() -> None:
    names = [f"Measurement {number}" for number in range(120)]
    document = load(workbook([["Station", *names], ["North", *range(120)], ["南", *range(120)]]))
    blocks = body(document).split("\n\n")
    assert all(block.startswith(("- Station: North\n- Measure", "- Station: 南\n- Measure")) for block in blocks)
    assert all(estimated_tokens(block) <= PART_TOKENS for block in blocks)
    assert "- Measurement 119: 119" in blocks[-1]
    assert place_of(document, "- Station: 南").cell_range == "A3:DQ3"


def test_a_row_with_a_very_long_cell_is_a_list_between_the_parts_of_its_table() -> None:
    text = "The gateway keeps the readings. " * 80
    document = load(workbook([["Id", "Text"], ["one", "short"], ["two", text], ["three", "short"]]))
    parts = body(document).split("\n\n")
    assert parts[1].startswith("- Id: two\n- Text: The gateway")
    assert parts[2] == "| Id | Text |\n|---|---|\n| three | short |"


# Values


def test_values_look_as_in_the_sheet() -> None:
    def edit(book: Any) -> None:
        formats = ["dd/mm/yyyy", "#,##0.00", "0.0%", '[$-411]ggge"年"m"月"d"日"', '"¥"#,##0', "General", "General", "@"]
        for cell, code in zip(book.active[2], formats, strict=True):
            cell.number_format = code
        for cell in book.active[1]:
            cell.font = BOLD

    row = [datetime(2026, 1, 5), -1234.5, 0.125, datetime(2026, 1, 5), 98000, True, "#REF!", "007"]
    document = load(workbook([[f"c{number}" for number in range(8)], row], edit=edit))
    assert table(document)[1] == ["05/01/2026", "-1,234.50", "12.5%", "令和8年1月5日", "¥98,000", "TRUE", "#REF!", "007"]


def test_a_formula_without_a_stored_value_is_shown_as_itself_and_counted() -> None:
    document = load(workbook([["Item", "Price"], ["a", 1], ["b", 2], ["Sum", "=SUM(B2:B3)"]]))
    assert table(document)[-1] == ["Sum", "=SUM(B2:B3)"]
    assert any(warning.endswith("(open the file in Excel and save it): 1") for warning in document.warnings)


def test_a_cell_that_begins_like_a_formula_is_text() -> None:
    def edit(book: Any) -> None:
        book.active["A2"].data_type = "s"

    document = load(workbook([["Item", "Price"], ["=cmd|'/c calc'!A1", 1], ["b", 2]], edit=edit))
    assert "| =cmd\\|'/c calc'!A1 | 1 |" in document.markdown
    assert document.warnings == ()


def test_bars_and_line_breaks_in_cells_leave_the_table_a_table() -> None:
    document = load(workbook([["Name", "Text"], ["a | b", "first\nsecond"], ["c\\|d", "行1\r\n行2"]]))
    assert "| a \\| b | first<br>second |\n| c\\\\\\|d | 行1<br>行2 |" in document.markdown


def test_links_show_their_address_unless_they_would_run_something() -> None:
    def edit(book: Any) -> None:
        book.active["A2"].hyperlink = "https://tarnwood.example/a(1)"
        book.active["A3"].hyperlink = "javascript:alert(1)"
        book.active["A4"].hyperlink = "mailto:orders@tarnwood.example"

    rows = [["Page", "Size"], ["Guide", 1], ["Trick", 2], ["orders@tarnwood.example", 3]]
    assert [row[0] for row in table(load(workbook(rows, edit=edit)))[1:]] == [
        "[Guide](https://tarnwood.example/a%281%29)", "Trick", "orders@tarnwood.example",
    ]  # fmt: skip


def test_comments_follow_their_table_with_their_cells() -> None:
    def edit(book: Any) -> None:
        book.active["B2"].comment = Comment("川原:\n担当は営業一課", "川原")
        book.active["A3"].comment = Comment("two\nlines", "M. Hale")

    document = load(workbook([["品名", "価格"], ["ハブ", 1], ["線", 2], [], [], [], ["end"]], edit=edit))
    assert "| 線 | 2 |\n\n- B2: 担当は営業一課 (川原)\n- A3: two lines (M. Hale)\n\nend" in document.markdown
    assert place_of(document, "- A3") == Place(sheet="Sheet1", cell_range="A3")


def test_rich_text_is_read_without_its_looks() -> None:
    def edit(book: Any) -> None:
        book.active["A1"] = CellRichText("plain ", TextBlock(InlineFont(b=True), "bold"), " end")

    assert body(load(workbook([[]], edit=edit))) == "plain bold end"


def test_phonetic_hints_are_left_out() -> None:
    hint = '東海製作所</t></r><rPh sb="0" eb="2"><t>トウカイ</t></rPh><phoneticPr fontId="1"/></si>'.encode()
    plain = re.compile("<t[^>]*>東海製作所</t></si>".encode())
    data = (DATA / "nouhin-ja.xlsx").read_bytes()
    data = patched(data, "xl/sharedStrings.xml", lambda xml: plain.sub(b"<r><t>" + hint, xml))
    assert "| N-501 | 2026年3月16日 | 東海製作所 | 12 |" in load(data).markdown
    assert "トウカイ" not in load(data).markdown


def test_escaped_characters_and_controls_are_read_as_what_they_are_meant() -> None:
    data = patched(workbook([["abc"]]), SHEET, lambda xml: xml.replace(b"abc", b"a_x0009_b_x000D_c_x005F_x_x001F_"))
    assert body(load(data)) == "a\tbc_x"


def test_what_a_number_format_hides_is_counted() -> None:
    def edit(book: Any) -> None:
        book.active["B2"].number_format = ";;;"

    document = load(workbook([["Item", "Price"], ["a", 77], ["b", 2]], edit=edit))
    assert "77" not in document.markdown
    assert document.warnings == ("numbers left out because their number format shows nothing: 1",)


def test_random_cells_are_all_read_in_order() -> None:
    choose = random.Random(5)
    rows = [[choose.choice((None, "語", "word", 7, 2.5, True)) for _ in range(6)] for _ in range(60)]
    expected = [str(value).upper() if value is True else str(value) for row in rows for value in row if value is not None]
    facts = re.sub(r"^\|-.*$", "", body(load(workbook([[f"h{number}" for number in range(6)], *rows]))), flags=re.MULTILINE)
    assert [cell for cell in re.split(r"[|\s,:]+", facts) if cell and not re.fullmatch(r"h\d", cell)] == expected


# Files of other programs


@pytest.mark.parametrize("name", ["deliveries-en", "nouhin-ja", "parts-en"])
def test_workbooks_of_other_programs_give_the_facts_that_were_read_over_by_eye(name: str) -> None:
    document = load((DATA / f"{name}.xlsx").read_bytes(), f"{name}.xlsx")
    assert document.markdown + "\n" == (DATA / f"{name}.facts.md").read_text(encoding="utf-8")


def test_stored_values_of_formulas_are_read() -> None:
    document = load((DATA / "deliveries-en.xlsx").read_bytes())
    assert "| Total |  |  |  | 61 | €73,691.50 |  |  |" in document.markdown
    assert "| Ratio | 85.0% |  | #DIV/0! |  |" in document.markdown
    assert document.title == "Kestrel deliveries"


def test_pictures_stand_where_they_are_anchored() -> None:
    document = load((DATA / "nouhin-ja.xlsx").read_bytes())
    (picture,) = document.pictures
    assert picture.place == Place(sheet="納品実績", cell_range="A11")
    assert f"![配送ルート図]({picture.link})" in document.markdown
    assert picture.data.startswith(b"\x89PNG")
    assert document.language == "ja"


def test_pictures_placed_in_cells_stand_in_their_row() -> None:
    document = load((DATA / "parts-en.xlsx").read_bytes())
    first, second = document.pictures
    assert (first.place.cell_range, second.place.cell_range) == ("B2", "B3")
    assert f"| Antenna | ![Photo of the antenna]({second.link}) | $48.00 |" in document.markdown
    assert document.warnings == ()


def test_the_strict_variant_of_the_format_is_read() -> None:
    def strict(xml: bytes) -> bytes:
        xml = xml.replace(
            b"http://schemas.openxmlformats.org/spreadsheetml/2006/main", b"http://purl.oclc.org/ooxml/spreadsheetml/main"
        )
        return xml.replace(
            b"http://schemas.openxmlformats.org/officeDocument/2006/", b"http://purl.oclc.org/ooxml/officeDocument/"
        )

    assert table(load(patched(workbook([["Item", "価格"], ["a", 1]]), "*", strict))) == [["Item", "価格"], ["a", "1"]]


def test_cells_that_do_not_say_where_they_stand_follow_each_other() -> None:
    def without_references(xml: bytes) -> bytes:
        return re.sub(rb' r="[A-Z]*\d+"', b"", xml)

    data = patched(workbook([["Item", "Price"], ["a", 1]]), SHEET, without_references)
    assert table(load(data)) == [["Item", "Price"], ["a", "1"]]


def test_days_of_workbooks_that_count_from_1904_are_right() -> None:
    data = workbook([["Day", "Units"], [datetime(2026, 1, 5), 1], [datetime(2026, 1, 6), 2]])
    data = patched(data, "xl/workbook.xml", lambda xml: re.sub(rb"<workbookPr[^>]*>", b'<workbookPr date1904="1"/>', xml))
    assert table(load(data))[1][0].startswith("2030-01-06")  # openpyxl wrote the number that counts from 1900


# Files that can't be read


def test_a_workbook_without_content_is_empty() -> None:
    with pytest.raises(DocumentEmpty, match=r"'book\.xlsx' holds nothing that is shown"):
        load(workbook([[]]))


def test_zero_bytes_are_empty() -> None:
    with pytest.raises(DocumentEmpty):
        load(b"")


def compound_file(stream: str) -> bytes:
    """The beginning of an OLE file with one stream's directory entry."""
    name = stream.encode("utf-16-le")
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + name.ljust(64, b"\0") + struct.pack("<H", len(name) + 2) + bytes(62)


def test_a_password_protected_workbook_says_so() -> None:
    with pytest.raises(DocumentEncrypted, match="password"):
        load(compound_file("EncryptedPackage"))


def test_an_old_workbook_with_a_new_extension_says_how_to_save_it() -> None:
    with pytest.raises(ParseFailed, match=r"save it as \.xlsx"):
        load(compound_file("Workbook"))


def test_half_a_file_is_refused() -> None:
    data = workbook([HEADER, *long_rows(200)])
    with pytest.raises(ParseFailed, match="cut off"):
        load(data[: len(data) // 2])


def test_a_damaged_part_is_refused() -> None:
    data = bytearray(workbook([HEADER, *long_rows(200)]))
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as archive:
        entry = archive.getinfo(SHEET)
    start = entry.header_offset + 200
    data[start : start + 40] = bytes(40)
    with pytest.raises(ParseFailed, match=r"sheet1\.xml"):
        load(bytes(data))


@pytest.mark.parametrize(
    ("part", "change", "message"),
    [
        (SHEET, lambda xml: xml[: len(xml) // 2], "well-formed"),
        ("xl/workbook.xml", lambda xml: xml[: len(xml) // 2], "well-formed"),
        (SHEET, lambda xml: xml.replace(b'r="1"', b'r="9999999"'), "is damaged"),
        ("xl/_rels/workbook.xml.rels", lambda xml: xml.replace(b"sheet1.xml", b"sheet9.xml"), "sheet9.xml' is missing"),
        ("xl/_rels/workbook.xml.rels", lambda xml: xml.replace(b"rId1", b"rId77"), "sheet 'Sheet1' is missing"),
    ],
)
def test_a_workbook_with_something_missing_is_never_read_in_part(
    part: str, change: Callable[[bytes], bytes], message: str
) -> None:
    with pytest.raises(ParseFailed, match=message):
        load(patched(workbook([["word", "語"], ["a", "b"]]), part, change))


def test_a_workbook_whose_texts_are_missing_is_refused() -> None:
    data = (DATA / "nouhin-ja.xlsx").read_bytes()
    with pytest.raises(ParseFailed, match="The sheet '納品実績' of"):
        load(patched(data, "xl/sharedStrings.xml", lambda _: b"<sst/>"))


def test_entities_are_refused() -> None:
    bomb = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]>'
    with pytest.raises(ParseFailed, match="DOCTYPE"):
        load(patched(workbook([["a"]]), SHEET, lambda xml: bomb + xml))


@pytest.mark.slow
def test_a_zip_bomb_is_refused() -> None:
    with pytest.raises(ParseFailed, match="zip bomb"):
        load(patched(workbook([["a"]]), SHEET, lambda xml: xml + b" " * 80_000_000))


@pytest.mark.slow
def test_a_text_of_many_megabytes_in_one_cell_is_refused() -> None:
    noise = random.Random(1).randbytes(6_000_000).hex().encode()
    data = patched(workbook([["abc"]]), SHEET, lambda xml: xml.replace(b"abc", noise))
    with pytest.raises(ParseFailed, match="a text of many megabytes"):
        load(data)


def test_a_word_document_with_the_extension_of_a_workbook_is_named_as_such() -> None:
    path = DATA.parent / "word" / "handbook-en.docx"
    with pytest.raises(ParseFailed, match="a Word document"):
        load(path.read_bytes())


def test_cells_that_show_more_than_memory_should_hold_end_in_a_clear_failure() -> None:
    budget = Budget("book.xlsx", 10)
    budget.spend(10)
    with pytest.raises(ParseFailed, match=r"'book\.xlsx' show more than 10 characters"):
        budget.spend(1)
    with pytest.raises(ParseFailed, match="more than 10 characters"):
        TableContent("book.xlsx", 10).block([("x" * 11, Place())])


@pytest.mark.slow
def test_merged_cells_that_overlap_a_thousand_times_cost_little() -> None:
    def overlapping(xml: bytes) -> bytes:
        merges = "".join(f'<mergeCell ref="A1:XFD{row}"/>' for row in range(2, 2000))
        return xml.replace(b"</sheetData>", f"</sheetData><mergeCells>{merges}</mergeCells>".encode())

    rows: list[list[Any]] = [["Item", "Price"], *([f"i{number}", number] for number in range(300))]
    document = load(patched(workbook(rows), SHEET, overlapping))
    assert "i299" in document.markdown


@pytest.mark.slow
def test_a_large_sheet_takes_little_memory() -> None:
    """30,000 rows of 10 cells in a process of its own; openpyxl's tree of the same sheet takes 190 MB."""
    program = """
import io, resource, zipfile
from ragd.formats.excel.loader import ExcelLoader
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
P = "http://schemas.openxmlformats.org/package/2006/relationships"
M = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
data = io.BytesIO()
with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("[Content_Types].xml", "<Types/>")
    z.writestr("_rels/.rels", f'<r xmlns="{P}"><s Id="a" Type="{R}/officeDocument" Target="w.xml"/></r>')
    z.writestr("w.xml", f'<workbook xmlns="{M}" xmlns:r="{R}"><sheets><sheet name="S" r:id="b"/></sheets></workbook>')
    z.writestr("_rels/w.xml.rels", f'<r xmlns="{P}"><s Id="b" Type="{R}/worksheet" Target="s.xml"/></r>')
    with z.open("s.xml", "w") as s:
        s.write(f'<worksheet xmlns="{M}"><sheetData>'.encode())
        for row in range(30_000):
            s.write(b"<row>" + b"".join(b"<c><v>%d</v></c>" % (row * column) for column in range(10)) + b"</row>")
        s.write(b"</sheetData></worksheet>")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
document = ExcelLoader().load(data.getvalue(), "s.xlsx")
print(document.metadata["row_count"], (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=600)
    rows, megabytes = map(int, done.stdout.split())
    assert rows == 30_000
    assert megabytes < 60
