"""Excel's binary formats: `.xls` as LibreOffice wrote it (tests/data/excel), `.xlsb` made here."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest

from ragd.core.documents import Document, Place
from ragd.core.errors import DocumentEmpty, DocumentEncrypted, ParseFailed, TooComplex
from ragd.formats.common.native import panics_fail_one_document
from ragd.formats.common.ole import codepage_name
from ragd.formats.excel.binary import _shown
from ragd.formats.excel.loader import ExcelLoader
from ragd.formats.registry import doc_type_for, doc_types_called, loader_name_for

from .binary_files import cell, ods, row, xlsb

DATA = Path(__file__).resolve().parents[3] / "data" / "excel"
XLS = (DATA / "nouhin-ja.xls").read_bytes()


def load(data: bytes, name: str = "book.xlsb") -> Document:
    return ExcelLoader().load(data, name)


@pytest.mark.parametrize("name", ["deliveries-en", "nouhin-ja"])
def test_old_workbooks_give_the_facts_that_were_read_over_by_eye(name: str) -> None:
    document = load((DATA / f"{name}.xls").read_bytes(), f"{name}.xls")
    assert document.markdown + "\n" == (DATA / f"{name}.xls.facts.md").read_text(encoding="utf-8")


def test_an_old_workbook_is_cited_by_sheet_and_cells_as_a_new_one_is() -> None:
    old, new = load(XLS, "nouhin-ja.xls"), load((DATA / "nouhin-ja.xlsx").read_bytes(), "nouhin-ja.xlsx")
    assert (old.doc_type, old.language, old.metadata["sheets"]) == (new.doc_type, new.language, new.metadata["sheets"])
    assert [heading.title for heading in old.headings] == [heading.title for heading in new.headings]
    cells = [mark.place for mark in old.marks if mark.place.cell_range]
    assert set(cells) <= {mark.place for mark in new.marks}
    assert Place(sheet="価格表", cell_range="A1:F3") in cells
    assert old.warnings == ("sheets left out, hidden: 1 (作業用)",)


def test_title_and_author_are_those_of_the_summary() -> None:
    document = load((DATA / "deliveries-en.xls").read_bytes(), "deliveries-en.xls")
    assert (document.title, document.metadata["title_source"]) == ("Kestrel deliveries", "properties")


def test_a_binary_workbook_keeps_places_below_and_right_of_its_first_cells() -> None:
    rows = [("Model", "Price", "Stocked"), ("Hub", 8500.0, True), ("Edge", 1249.5, False)]
    cells = {(row + 3, column + 2): value for row, values in enumerate(rows) for column, value in enumerate(values)}
    document = load(xlsb(cells, "価格"))
    assert "| Hub | 8500 | TRUE |" in document.markdown
    assert "| Edge | 1249.5 | FALSE |" in document.markdown
    assert document.marks[-1].place == Place(sheet="価格", cell_range="C6:E6")


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (1536000.0, "n", "1536000"), (0.1 + 0.2, "n", "0.3"), (7, "n", "7"), (float("inf"), "n", "inf"),
        (True, "b", "TRUE"), (date(2026, 4, 1), "d", "2026-04-01"),
        (datetime(2026, 4, 1, 9, 5), "d", "2026-04-01 09:05"), (datetime(2026, 4, 1, 9, 5, 7), "d", "2026-04-01 09:05:07"),
        (time(7, 30), "d", "07:30"), (timedelta(hours=30, minutes=5), "d", "30:05:00"),
        (" 北倉庫\x1f\x00 ", "t", "北倉庫"), ("#REF!", "e", "#REF!"),
    ],
)  # fmt: skip
def test_values_are_written_as_the_plain_number_format_shows_them(value: Any, kind: str, text: str) -> None:
    assert _shown(value) == (kind, text)


def test_cells_in_the_short_form_are_refused_rather_than_left_out() -> None:
    with pytest.raises(ParseFailed, match=r"short form that is not read. Save it as \.xlsx"):
        load(xlsb({(0, 0): "Model", (0, 1): 5.0}, short=True))


def test_cells_that_lie_gigabytes_apart_are_refused_before_memory_is_taken() -> None:
    with pytest.raises(ParseFailed, match="lie too far apart"):
        load(xlsb({(0, 0): "first", (1_048_575, 16_383): 1.0}))


@pytest.mark.parametrize("part", [0.01, 0.1, 0.5])
@pytest.mark.parametrize(("name", "data"), [("計画.xls", XLS), ("計画.xlsb", xlsb({(0, 0): "queue"}))])
def test_what_is_cut_off_is_refused_with_its_name(name: str, data: bytes, part: float) -> None:
    with pytest.raises(ParseFailed, match=f"'{re.escape(name)}'"):
        load(data[: int(len(data) * part)], name)


def test_a_password_is_named() -> None:
    protected = XLS.replace(b"\x42\0\x02\0", b"\x2f\0\x02\0", 1)  # FILEPASS in place of a record of the same size
    with pytest.raises(DocumentEncrypted, match="protected by a password"):
        load(protected, "計画.xls")


def test_a_workbook_without_cells_is_empty() -> None:
    with pytest.raises(DocumentEmpty, match="no visible sheet has a cell"):
        load(xlsb({}))


def test_a_panic_in_a_native_library_fails_one_document() -> None:
    panic = type("PanicException", (BaseException,), {})
    with pytest.raises(ParseFailed, match=r"'計画\.xls' can't be read"), panics_fail_one_document("計画.xls"):
        raise panic("index out of range")
    with pytest.raises(KeyboardInterrupt), panics_fail_one_document("計画.xls"):
        raise KeyboardInterrupt


@pytest.mark.parametrize("word", ["xls", "xlsb", ".XLS", "excel"])
def test_they_are_workbooks_by_type_and_by_name(word: str) -> None:
    assert doc_types_called(word) == ("xlsx",)
    assert {doc_type_for(f"a{ending}") for ending in (".xls", ".xlsb", ".xlt")} == {"xlsx"}
    assert loader_name_for("a.xls") == "excel"


@pytest.mark.parametrize(("number", "codec"), [(932, "cp932"), (65001, "utf-8"), (1200, "utf-16-le"), (99999, "cp1252")])
def test_code_pages_have_codecs(number: int, codec: str) -> None:
    assert codepage_name(number) == codec


def test_an_opendocument_spreadsheet_is_read_as_the_others() -> None:
    data = (DATA / "nouhin-ja.ods").read_bytes()
    for name in ("nouhin-ja.ods", "named wrongly.xlsx"):
        document = load(data, name)
        assert "| 北地区 | N-501 | 2026-03-16 | 東海製作所 | 12 | 1536000 | 0.97 | ゲート3に納品 |" in document.markdown
        assert (document.doc_type, document.language) == ("xlsx", "ja")
        assert Place(sheet="価格表", cell_range="A1:F3") in {mark.place for mark in document.marks}
    with pytest.raises(ParseFailed, match="damaged or cut off"):
        load(data[: len(data) // 2], "nouhin-ja.ods")


def test_cells_that_a_spreadsheet_repeats_are_read() -> None:
    document = load(ods(row(cell("Model") + cell("Price")), row(cell("Hub") + cell("5", 3)), row(cell("Edge") * 2, 40)), "a.ods")
    assert "| Hub | 5 | 5 | 5 |" in document.markdown
    assert document.markdown.count("| Edge | Edge |") == 40
    assert load(ods(row(cell("a")), row(cell("", 16_383), 1_048_575)), "a.ods").markdown.endswith("a")


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([row(cell("x"), 1_048_576)], "writes 1 cells and repeats them to 1,048,576"),
        ([row(cell("x", 1000), 20)] * 20, "writes 20 cells and repeats them to 400,000"),
        ([row(cell("word " * 20, 16_384), 100)], "show more than 50,000,000 characters"),
        ([row(cell("x")), row(cell("", 16_384), 1_000_000), row(cell("", 16_383) + cell("y"))], "lie too far apart"),
    ],
)
def test_what_a_spreadsheet_repeats_without_end_is_refused_before_it_is_made(monkeypatch, rows: list[str], reason: str) -> None:
    monkeypatch.setattr("ragd.formats.excel.loader.BinaryWorkbook", None)
    with pytest.raises(TooComplex, match=rf"'a\.ods'.*{reason}"):
        load(ods(*rows), "a.ods")
