"""Tables: merged cells, headers, captions, tables in tables, and tables that only place text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ragd.core.documents import Document
from ragd.core.errors import ParseFailed

Read = Callable[..., Document]


def cell(text: str = "", *, span: int = 1, merge: str = "", inner: str = "") -> str:
    merged = f'<w:vMerge w:val="{merge}"/>' if merge else ""
    paragraphs = "".join(f"<w:p><w:r><w:t>{line}</w:t></w:r></w:p>" for line in text.split("\n"))
    return f'<w:tc><w:tcPr><w:gridSpan w:val="{span}"/>{merged}</w:tcPr>{inner}{paragraphs}</w:tc>'


def row(*cells: str, more: str = "") -> str:
    return f"<w:tr><w:trPr>{more}</w:trPr>{''.join(part if part.startswith('<w:') else cell(part) for part in cells)}</w:tr>"


def table(*rows: str) -> str:
    return f"<w:tbl>{''.join(rows)}</w:tbl>"


HEADER = "<w:tblHeader/>"


def test_cells_become_a_pipe_table_with_bars_escaped_and_lines_kept(read: Read) -> None:
    body = table(row("項目", "値"), row("ポート", "7420\n7421 | 予備"))
    assert read(body).markdown == "| 項目 | 値 |\n| --- | --- |\n| ポート | 7420<br>7421 \\| 予備 |"


def test_cells_merged_over_rows_are_repeated_in_each(read: Read) -> None:
    body = table(
        row("Store", "Size"),
        row(cell("Segments", merge="restart"), "1"),
        row(cell(merge="continue"), "2"),
        row("Logs", "3"),
    )
    assert read(body).markdown.split("\n")[2:] == ["| Segments | 1 |", "| Segments | 2 |", "| Logs | 3 |"]


def test_cells_merged_over_columns_stand_in_the_first(read: Read) -> None:
    body = table(row("a", "b", "c"), row(cell("wide", span=2), "x"), row("1", "2", "3"))
    assert "| wide |  | x |" in read(body).markdown


def test_header_rows_become_one_with_the_name_of_each_column_whole(read: Read) -> None:
    body = table(
        row(cell("Store", merge="restart"), cell("Size", span=2)),
        row(cell(merge="continue"), "full", "daily"),
        row("Logs", "1", "2"),
        row("Segments", "3", "4"),
    )
    assert read(body).markdown.split("\n")[0] == "| Store | Size / full | Size / daily |"


def test_rows_that_say_so_are_the_header(read: Read) -> None:
    body = table(row("Q1", "Q2", more=HEADER), row("Jan", "Apr", more=HEADER), row("1", "2"))
    assert read(body).markdown.split("\n")[0] == "| Q1 / Jan | Q2 / Apr |"


def test_a_first_row_over_the_whole_width_is_a_caption(read: Read) -> None:
    body = table(row(cell("Table 3: queues", span=2)), row("Queue", "Jobs"), row("orders", "41"))
    assert read(body).markdown == "Table 3: queues\n\n| Queue | Jobs |\n| --- | --- |\n| orders | 41 |"


def test_blank_rows_and_columns_are_dropped(read: Read) -> None:
    body = table(row("", "", ""), row("Queue", "", "Jobs"), row("", "", ""), row("orders", "", "41"))
    assert read(body).markdown == "| Queue | Jobs |\n| --- | --- |\n| orders | 41 |"


def test_a_table_in_a_cell_becomes_lines_of_the_cell(read: Read) -> None:
    inner = table(row("weekly", "1 year"), row("monthly", "7 years"))
    body = table(row("Store", "Kept"), row("Logs", cell("see policy", inner=inner)))
    assert "| Logs | weekly / 1 year<br>monthly / 7 years<br>see policy |" in read(body).markdown


def test_a_table_of_one_column_is_a_frame_around_text(read: Read) -> None:
    assert read(table(row("注意"), row("再起動の前に確認する"))).markdown == "注意\n\n再起動の前に確認する"


def test_a_table_in_a_frame_is_a_table(read: Read) -> None:
    assert read(table(row(cell("Below", inner=table(row("a", "b"), row("1", "2")))))).markdown == (
        "| a | b |\n| --- | --- |\n| 1 | 2 |\n\nBelow"
    )


def test_a_form_whose_rows_are_all_divided_differently_is_text(read: Read) -> None:
    body = table(
        row(cell("Name", span=4), cell("Date", span=2)),
        row(cell("Team", span=3), cell("Phone", span=3)),
        row(cell("From", span=1), cell("To", span=5)),
        row(cell("a", span=5), cell("b", span=1)),
    )
    assert read(body).markdown == "Name\n\nDate\n\nTeam\n\nPhone\n\nFrom\n\nTo\n\na\n\nb"


def test_a_table_that_places_columns_of_text_is_text(read: Read) -> None:
    body = table(row(cell("left " * 200), cell("right")))
    assert read(body).markdown == f"{('left ' * 200).strip()}\n\nright"


def test_lists_in_cells_keep_their_marks(read: Read) -> None:
    numbering = (
        '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
        '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    )
    step = '<w:p><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>{}</w:t></w:r></w:p>'
    body = table(row("Task", "Steps"), row("join", cell("then wait", inner=step.format("ask") + step.format("add"))))
    assert "| join | 1. ask<br>2. add<br>then wait |" in read(body, numbering=numbering).markdown


def test_deleted_rows_are_gone_and_rows_in_content_controls_stay(read: Read) -> None:
    body = table(
        row("a", "b"),
        row("old", "old", more="<w:del/>"),
        f"<w:sdt><w:sdtContent>{row('1', '2')}</w:sdtContent></w:sdt>",
    )
    assert read(body).markdown == "| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_a_long_table_says_its_header_again(read: Read) -> None:
    rows = [row(f"queue-{number}", "waits for the second shard to come back") for number in range(80)]
    facts = read(table(row("Queue", "State"), *rows)).markdown
    parts = facts.split("\n\n")
    assert len(parts) > 2
    assert all(part.startswith("| Queue | State |\n|---|---|") for part in parts)
    assert facts.count("| queue-") == 80


def test_columns_in_a_table_that_goes_over_pages_have_the_page_of_their_row(read: Read) -> None:
    mark = "<w:r><w:lastRenderedPageBreak/></w:r>"
    split = "<w:tc><w:p><w:r><w:t>begins</w:t></w:r>" + mark + "<w:r><w:t> ends</w:t></w:r></w:p></w:tc>"
    document = read(table(row("a", "b"), row(split, split), row("next", "row")))
    # Both cells go on on page 2: the row after them is there, not on page 3.
    assert [(document.markdown[mark.offset :][:6], mark.place.page) for mark in document.marks] == [("| a | ", 1), ("| next", 2)]


@pytest.mark.parametrize("span", ["2000000000", "-5", "x"])
def test_a_span_of_any_size_costs_nothing(read: Read, span: str) -> None:
    wide = cell("wide").replace('w:val="1"', f'w:val="{span}"')
    assert len(read(table(row("a", "b"), *[row(wide, "x")] * 50)).markdown) < 50_000


@pytest.mark.slow
def test_merged_cells_do_not_make_a_small_file_large(read: Read) -> None:
    rows = [row("a", "b"), row(cell("x" * 199, merge="restart"), "1")]
    facts = read(table(*rows, *[row(cell(merge="continue"), "1")] * 8000)).markdown
    assert len(facts) < 1_300_000


def test_tables_nested_without_end_are_refused(read: Read) -> None:
    body = "<w:tbl><w:tr><w:tc><w:p/></w:tc><w:tc>" * 30 + "<w:p/>" + "</w:tc></w:tr></w:tbl>" * 30
    with pytest.raises(ParseFailed, match="more than 20 deep"):
        read(body)
