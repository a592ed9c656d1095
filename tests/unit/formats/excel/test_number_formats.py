"""Numbers as spreadsheets show them; what is expected was compared with what LibreOffice shows for the same cells."""

from __future__ import annotations

import pytest

from ragd.formats.excel.formats import BUILT_IN, display_of, is_date_code, text_display_of


@pytest.mark.parametrize(
    ("code", "number", "shown"),
    [
        ("General", 0.1 + 0.2, "0.3"),
        ("General", 3.14159265358979, "3.141592654"),
        ("General", 1234567890123, "1234567890123"),
        ("General", 1e20, "1E+20"),
        ("0", 2.5, "3"),
        ("0", -0.4, "0"),
        ("0.00", 1.005, "1.01"),
        ("#,##0", 1234567.891, "1,234,568"),
        ("#,##0.00", -1234.5, "-1,234.50"),
        ("#,##0.##", 5, "5"),
        ("00000", 42, "00042"),
        ("0%", 0.125, "13%"),
        ("0.0%", 0.125, "12.5%"),
        ("0.00E+00", 12345.678, "1.23E+04"),
        ("##0.0E+0", 12345678, "12.3E+6"),
        ("# ?/?", 2.25, "2 1/4"),
        ("# ??/??", 1 / 3, "1/3"),
        ("# ?/8", 2.3, "2 2/8"),
        ('0.0,,"M"', 12345678, "12.3M"),
        ("000-0000", 1000001, "100-0001"),
        ("00\\.00", 1234, "12.34"),
        ('0.00" kg"', 1.5, "1.50 kg"),
        ("#", 0, ""),
        (";;;", 5, ""),
    ],
)
def test_figures_are_rounded_grouped_and_scaled_by_their_code(code: str, number: float, shown: str) -> None:
    assert display_of(code)(number) == shown


@pytest.mark.parametrize(
    ("code", "number", "shown"),
    [
        ("$#,##0.00", 1234.5, "$1,234.50"),
        ("[$€-407] #,##0.00", 12.3, "€ 12.30"),
        ("#,##0.00 [$USD]", 5, "5.00 USD"),
        ("[$¥-411]#,##0", 98000, "¥98,000"),
        ('"¥"#,##0;[Red]"¥"-#,##0', -500, "¥-500"),
        ('#,##0"円"', 3000, "3,000円"),
        ('_(* #,##0.00_);_(* \\(#,##0.00\\);_(* "-"??_);_(@_)', -3.5, "(3.50)"),
        ('_(* #,##0.00_);_(* \\(#,##0.00\\);_(* "-"??_);_(@_)', 0, "-"),
        ("#,##0_);(#,##0)", -77, "(77)"),
        ('#,##0;"▲ "#,##0', -77, "▲ 77"),
    ],
)
def test_currencies_and_negative_figures_look_as_in_the_sheet(code: str, number: float, shown: str) -> None:
    assert display_of(code)(number) == shown


def test_a_figure_that_is_negative_by_its_red_colour_alone_gets_a_minus() -> None:
    assert display_of("#,##0;[Red]#,##0")(-77) == "-77"


@pytest.mark.parametrize(
    ("code", "number", "shown"),
    [
        ("yyyy-mm-dd", 46027, "2026-01-05"),
        ("d-mmm-yy", 46027, "5-Jan-26"),
        ("dddd, mmmm dd, yyyy", 46027, "Monday, January 05, 2026"),
        ("m/d/yyyy h:mm", 46027.75, "1/5/2026 18:00"),
        ("h:mm AM/PM", 0.5, "12:00 PM"),
        ("[h]:mm:ss", 1.5, "36:00:00"),
        ("[h]:mm", -0.5, "-12:00"),
        ("mm:ss.0", 30.3 / 86400, "00:30.3"),
        ('yyyy"年"m"月"d"日"', 46027, "2026年1月5日"),
        ('[$-411]ggge"年"m"月"d"日";@', 46027, "令和8年1月5日"),
        ("[$-411]ge.m.d", 32515, "S64.1.7"),
        ("[$-411]ge.m.d", 32516, "H1.1.8"),
        ('[$-ja-JP-x-gannen]ggge"年"m"月"d"日"', 43586, "令和元年5月1日"),
        ('m"月"d"日"(aaa)', 46027, "1月5日(月)"),
        ("[$-411]dddd", 46027, "月曜日"),
        ("[$-804]dddd", 46027, "星期一"),
        ("[$-F800]dddd, mmmm dd, yyyy", 46027, "2026-01-05"),
        ("yyyy-mm-dd", 61, "1900-03-01"),
        ("yyyy-mm-dd", 1, "1900-01-01"),
        ("yyyy-mm-dd", -3, "-3"),
        ("yyyy-mm-dd", 1e300, "1E+300"),
    ],
)
def test_days_and_times_are_written_by_their_code(code: str, number: float, shown: str) -> None:
    assert display_of(code)(number) == shown


def test_the_short_date_whose_look_depends_on_the_reader_is_written_by_iso_8601() -> None:
    assert display_of(BUILT_IN[14])(46027) == "2026-01-05"
    assert display_of(BUILT_IN[22])(46027.5) == "2026-01-05 12:00"


def test_workbooks_that_count_from_1904_are_four_years_ahead() -> None:
    assert display_of("yyyy-mm-dd", from_1904=True)(0) == "1904-01-01"


def test_the_first_section_whose_condition_holds_is_taken() -> None:
    show = display_of('[<1000]0;[<1000000]0.0,"k";0.0,,"M"')
    assert [show(number) for number in (5, 5200, 5_200_000)] == ["5", "5.2k", "5.2M"]


def test_texts_can_have_something_around_them() -> None:
    assert text_display_of('@" 様"') == ("", " 様")
    assert text_display_of("@") is None


@pytest.mark.parametrize(
    ("code", "is_date"), [("h:mm", True), ("[h]:mm", True), ("0.00", False), ('0"d"', False), ("[Red]0", False)]
)
def test_dates_are_told_from_figures(code: str, is_date: bool) -> None:
    assert is_date_code(code) is is_date


@pytest.mark.parametrize("code", ["0" * 255, "?" * 255 + "/", "[" * 100, '"' * 99, "y" * 300, "0." + "0" * 253, "E+" * 50, "\\"])
def test_strange_codes_show_something_and_raise_nothing(code: str) -> None:
    for number in (0, -1.5, 46027, 1e300, -1e-300):
        assert isinstance(display_of(code)(number), str)
