"""CSV and TSV: what divides the cells, exact lines, encodings, and files that are written badly."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path

import pytest

from ragd.core.documents import Document
from ragd.core.errors import DocumentEmpty, DocumentUnreadable
from ragd.formats.tables.blocks import PART_TOKENS, estimated_tokens
from ragd.formats.tables.loader import CsvLoader
from ragd.providers.protocols import Loader

DATA = Path(__file__).resolve().parents[3] / "data" / "excel"


def load(text: str | bytes, name: str = "table.csv") -> Document:
    return CsvLoader().load(text.encode() if isinstance(text, str) else text, name)


def lines(document: Document) -> list[tuple[int, int] | None]:
    return [mark.place.line_range for mark in document.marks]


def line_of(document: Document, text: str) -> tuple[int, int] | None:
    at = document.markdown.index(text)
    return [mark for mark in document.marks if mark.offset <= at][-1].place.line_range


def test_it_keeps_to_the_contract_of_loaders() -> None:
    assert isinstance(CsvLoader(), Loader)
    document = load("a,b\n1,2\n")
    assert (document.doc_type, document.loader, document.verbatim, document.title) == ("csv", "csv", False, "table.csv")
    assert document.parser.startswith("csv of Python ")


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("name,price\nhub,12\nkit,3\n", ","),
        ("name;price\nhub;1.249,00\nkit;39,95\n", ";"),
        ("name\tprice\nhub, large\t12\nkit\t3\n", "\t"),
        ("name|price\nhub|12\nkit|3\n", "|"),
        ('品名,価格\n"ハブ, 大","1,249"\nケーブル,300\n', ","),
    ],
)
def test_the_delimiter_is_the_one_that_gives_regular_rows(text: str, delimiter: str) -> None:
    document = load(text)
    assert document.metadata["delimiter"] == delimiter
    assert document.metadata["column_count"] == 2
    assert document.markdown.count("\n|") == 3


def test_excels_line_that_states_the_delimiter_is_no_row() -> None:
    document = load("sep=;\nname;price\nhub, large;12\n")
    assert document.markdown == "| name | price |\n|---|---|\n| hub, large | 12 |"
    assert lines(document) == [(2, 3)]


def test_a_tsv_file_is_tried_with_tabs_first() -> None:
    assert load("a,b\tc,d\n1,2\t3,4\n", "table.tsv").metadata["delimiter"] == "\t"


def test_lines_are_counted_as_in_the_file_even_inside_quotes() -> None:
    document = load('番号,備考\n1,"一行目\n二行目\n三行目"\n\n2,終わり\n')
    assert "| 1 | 一行目<br>二行目<br>三行目 |\n| 2 | 終わり |" in document.markdown
    assert lines(document) == [(1, 4), (6, 6)]


def test_windows_and_old_mac_line_ends_count_as_lines() -> None:
    assert lines(load(b"a,b\r\n1,2\r\n3,4\r\n")) == [(1, 2), (3, 3)]
    assert lines(load(b"a,b\r1,2\r3,4")) == [(1, 2), (3, 3)]


def test_a_long_file_is_written_in_parts_each_with_the_header() -> None:
    rows = [f"KO-{number:05},配送先{number % 7},{number * 3}" for number in range(3000)]
    document = load("\n".join(["order,送付先,amount", *rows]))
    parts = document.markdown.split("\n\n")
    assert len(parts) > 100
    assert all(part.startswith("| order | 送付先 | amount |\n|---|---|---|\n| KO-") for part in parts)
    assert all(estimated_tokens(part) <= PART_TOKENS for part in parts)
    assert line_of(document, "| KO-02999 |") == (3001, 3001)
    assert document.metadata["row_count"] == 3001


def test_every_cell_of_a_file_that_python_wrote_is_read_in_its_line() -> None:
    choose = random.Random(4)
    words = ["語", "a,b", 'say "hi"', "x\ny", "", "12.5", "a;b", "-", "2026-01-05"]
    rows = [[str(number), *(choose.choice(words) for _ in range(4))] for number in range(400)]
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([["id", "c1", "c2", "c3", "c4"], *rows])
    document = load(stream.getvalue())
    at = 2
    for number, *cells in rows:
        line = f"| {number} | {' | '.join(cell.replace(chr(10), '<br>') for cell in cells)}".rstrip(" |")
        height = 1 + sum(cell.count("\n") for cell in cells)
        assert line in document.markdown
        assert line_of(document, line) == (at if at > 2 else 1, at + height - 1)
        at += height


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "euc_jp", "utf-16"])
def test_japanese_files_are_read_in_their_encodings(encoding: str) -> None:
    text = "受注番号,得意先,金額,備考\n" + 'KJ-1,東海製作所,"1,280,000",分割でお届けします\nKJ-2,株式会社青葉,4980,まとめて\n' * 5
    document = load(text.encode(encoding))
    assert "| KJ-1 | 東海製作所 | 1,280,000 | 分割でお届けします |" in document.markdown
    assert document.language == "ja"


def test_names_without_kana_in_a_japanese_encoding_are_japanese() -> None:
    assert load("番号,得意先\n1,東海製作所\n2,北浜電機株式会社\n".encode("cp932")).language == "ja"


@pytest.mark.parametrize("name", ["deliveries-en", "nouhin-ja"])
def test_what_libreoffice_exports_is_the_same_table_as_in_its_workbook(name: str) -> None:
    document = load((DATA / f"{name}.csv").read_bytes(), f"{name}.csv")
    workbook = (DATA / f"{name}.facts.md").read_text(encoding="utf-8")
    rows = [row for row in document.markdown.split("\n") if row.startswith("| ") and not row.startswith("|  ")]
    assert len(rows) >= 4
    assert [row for row in rows if row not in workbook] == []
    assert document.markdown.split("\n")[1] in ("Warehouse: Tarnwood North", "倉庫：北倉庫")


def test_a_cell_is_text_whatever_it_begins_with() -> None:
    assert "| =1+1 | @SUM(A1) | +cmd\\|' /C calc'!A0 |" in load("a,b,c\n=1+1,@SUM(A1),+cmd|' /C calc'!A0\n").markdown


def test_bars_and_backslashes_leave_the_table_a_table() -> None:
    assert "| a \\| b | c\\\\\\| d | e\\f |" in load("x,y,z\na | b,c\\| d,e\\f\n").markdown


def test_short_rows_are_filled_and_long_ones_are_lists() -> None:
    document = load("id,name,who\n1,a,b\n2\n3,c,d,more,\n4,e\n")
    assert "| 2 |  |  |" in document.markdown
    assert "- id: 3\n- name: c\n- who: d\n- Column 4: more" in document.markdown
    assert document.warnings == ("rows with more cells than the header, written as lists: 1",)
    assert line_of(document, "- id: 3") == (4, 4)


def test_columns_that_are_empty_in_all_rows_are_left_out_at_the_end() -> None:
    assert load("a,b,,,\n1,2,,,\n3,4,,,\n,,,,\n").markdown == "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |"


def test_lines_above_the_table_are_kept_as_lines() -> None:
    document = load("Report: orders\nCreated,2026-01-05\n\nid,date,amount,who\n1,2026-01-05,10.5,A\n2,2026-01-06,11.5,B\n")
    assert document.markdown.startswith("Report: orders\nCreated, 2026-01-05\n\n| id | date | amount | who |\n")
    assert lines(document) == [(1, 1), (2, 2), (4, 5), (6, 6)]


@pytest.mark.parametrize(
    ("text", "first_line"),
    [
        ("1,2,3\n4,5,6\n", "|  |  |  |"),
        (",2024,2025\nNorth,1,2\n", "|  | 2024 | 2025 |"),
        ("Region,2024,2025\nNorth,1,2\n", "| Region | 2024 | 2025 |"),
        ("2026-01-05,open\n2026-01-06,done\n", "|  |  |"),
        ("番号,名前\n", "| 番号 | 名前 |"),
    ],
)
def test_the_first_row_is_the_header_when_it_names_the_columns(text: str, first_line: str) -> None:
    assert load(text).markdown.split("\n")[0] == first_line


def test_one_column_has_a_header_when_its_first_line_is_a_word() -> None:
    assert load("temperature\n1.5\n2.5\n").markdown == "| temperature |\n|---|\n| 1.5 |\n| 2.5 |"
    assert (
        load("今日は晴れ、明日は雨。\nあさっては雪、その後は晴れ。\n").markdown
        == "今日は晴れ、明日は雨。\nあさっては雪、その後は晴れ。"
    )


def test_a_quote_that_is_never_closed_swallows_nothing() -> None:
    document = load('id,text\n1,"broken\n' + "".join(f"{number},word {number}\n" for number in range(2, 400)))
    assert '| 1 | "broken |\n| 2 | word 2 |' in document.markdown
    assert line_of(document, "| 399 |") == (400, 400)
    assert document.warnings == ("the quote in line 2 is never closed; quotes were read as characters like others",)


def test_a_file_that_is_cut_off_inside_quotes_keeps_its_rows() -> None:
    document = load('id,text\n1,"two\nlines"\n2,"cut\noff')
    assert document.markdown == "| id | text |\n|---|---|\n| 1 | two<br>lines |\n| 2 | cut<br>off |"
    assert document.warnings == ("the quote in line 4 is never closed",)


def test_nul_characters_are_dropped_with_a_warning() -> None:
    document = load("id,text\n" + "1,some words about the gateway\n" * 20 + "2,a\0b\n3,語\n")
    assert "| 2 | ab |" in document.markdown
    assert document.warnings == ("1 NUL characters were left out",)


@pytest.mark.parametrize("text", [b"", b"\n\n  \n"])
def test_a_file_without_content_is_empty(text: bytes) -> None:
    with pytest.raises(DocumentEmpty):
        load(text)


def test_a_file_of_nothing_but_delimiters_is_empty() -> None:
    with pytest.raises(DocumentEmpty, match="only delimiters"):
        load(",,,\n,,,\n")


def test_a_workbook_with_the_extension_csv_is_refused() -> None:
    with pytest.raises(DocumentUnreadable, match="Office file"):
        load((DATA / "parts-en.xlsx").read_bytes())


def test_a_line_of_many_megabytes_is_refused() -> None:
    with pytest.raises(DocumentUnreadable, match="can't be read as a table"):
        load("id,text\n1," + "x" * 10_000_001)


def test_a_long_header_that_every_row_would_repeat_is_shortened() -> None:
    document = load("word " * 20_000 + ",b\n" + "1,2\n" * 300)
    assert len(document.markdown) < 300 * 300 + 200_000
