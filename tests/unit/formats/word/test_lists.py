"""Lists: the numbers that Word shows but doesn't store, and how items nest."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ragd.core.documents import Document
from ragd.formats.common.numerals import numeral

Read = Callable[..., Document]


def level(index: int, form: str = "decimal", text: str = "", more: str = "") -> str:
    text = text or f"%{index + 1}."
    return f'<w:lvl w:ilvl="{index}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/>{more}</w:lvl>'


def abstract(abstract_id: int, *levels: str, more: str = "") -> str:
    return f'<w:abstractNum w:abstractNumId="{abstract_id}">{more}{"".join(levels)}</w:abstractNum>'


def num(num_id: int, abstract_id: int, more: str = "") -> str:
    return f'<w:num w:numId="{num_id}"><w:abstractNumId w:val="{abstract_id}"/>{more}</w:num>'


def item(text: str, num_id: int = 1, index: int = 0, more: str = "") -> str:
    place = f'<w:numPr><w:ilvl w:val="{index}"/><w:numId w:val="{num_id}"/></w:numPr>'
    return f"<w:p><w:pPr>{place}{more}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def plain(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def styled(text: str, style: str, more: str = "") -> str:
    return f'<w:p><w:pPr><w:pStyle w:val="{style}"/>{more}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'


def test_levels_nest_and_are_numbered_anew_under_each_item(read: Read) -> None:
    numbering = abstract(0, level(0), level(1, "lowerLetter", "(%2)"), level(2, "lowerRoman", "%3)")) + num(1, 0)
    body = item("install") + item("download", index=1) + item("check", index=2) + item("run", index=1)
    body += item("join") + item("ask", index=1)
    assert read(body, numbering=numbering).markdown == (
        "1. install\n   - (a) download\n     - i) check\n   - (b) run\n2. join\n   - (a) ask"
    )


def test_japanese_labels_are_shown_as_word_shows_them(read: Read) -> None:
    levels = level(0, "decimalFullWidth", "第%1条"), level(1, "japaneseCounting", "%2"), level(2, "aiueo", "（%3）")
    body = item("目的") + item("範囲", index=1) + item("社員", index=2) + item("役員", index=2) + item("定義")
    assert read(body, numbering=abstract(0, *levels) + num(1, 0)).markdown == (
        "- 第１条 目的\n  - 一 範囲\n    - （ア） 社員\n    - （イ） 役員\n- 第２条 定義"
    )


def test_a_list_goes_on_after_a_paragraph_and_a_list_of_the_same_kind_goes_on_with_its_numbers(read: Read) -> None:
    numbering = abstract(0, level(0)) + num(1, 0) + num(2, 0)
    body = item("one") + plain("A remark.") + item("two") + plain("Another.") + item("three", num_id=2)
    assert read(body, numbering=numbering).markdown == "1. one\n\nA remark.\n\n2. two\n\nAnother.\n\n3. three"


def test_a_list_with_a_start_of_its_own_begins_there_once(read: Read) -> None:
    own = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>'
    numbering = abstract(0, level(0)) + num(1, 0) + num(2, 0, own)
    body = item("one") + item("five", num_id=2) + item("six", num_id=2)
    assert read(body, numbering=numbering).markdown == "1. one\n5. five\n6. six"


def test_a_list_may_change_a_whole_level(read: Read) -> None:
    own = f'<w:lvlOverride w:ilvl="0">{level(0, "upperLetter", "%1)")}</w:lvlOverride>'
    assert read(item("x", num_id=2), numbering=abstract(0, level(0)) + num(2, 0, own)).markdown == "- A) x"


def test_labels_of_several_levels_and_legal_ones(read: Read) -> None:
    levels = level(0, "upperRoman", "%1."), level(1, "decimal", "%1.%2", "<w:isLgl/>"), level(2, "decimalZero", "%2.%3")
    body = item("a") + item("b", index=1) + item("c", index=2) + item("d", index=1)
    assert read(body, numbering=abstract(0, *levels) + num(1, 0)).markdown == ("- I. a\n  - 1.1 b\n    - 1.01 c\n  - 1.2 d")


def test_a_level_that_never_restarts_goes_on_under_the_next_item(read: Read) -> None:
    levels = level(0), level(1, "decimal", "(%2)", '<w:lvlRestart w:val="0"/>')
    body = item("a") + item("b", index=1) + item("c") + item("d", index=1)
    assert read(body, numbering=abstract(0, *levels) + num(1, 0)).markdown == "1. a\n   - (1) b\n2. c\n   - (2) d"


def test_a_blank_item_counts(read: Read) -> None:
    blank = '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr></w:p>'
    assert read(item("one") + blank + item("three"), numbering=abstract(0, level(0)) + num(1, 0)).markdown == "1. one\n3. three"


def test_lists_of_different_kinds_nest_by_their_indents(read: Read) -> None:
    indent = '<w:pPr><w:ind w:left="{}"/></w:pPr>'
    numbering = abstract(0, level(0, more=indent.format(360))) + num(1, 0)
    numbering += abstract(1, level(0, "bullet", "•", indent.format(720))) + num(2, 1)
    body = item("join") + item("token", num_id=2) + item("wait")
    assert read(body, numbering=numbering).markdown == "1. join\n   - token\n2. wait"


def test_lists_side_by_side_are_apart(read: Read) -> None:
    numbering = abstract(0, level(0)) + num(1, 0) + abstract(1, level(0, "bullet", "•")) + num(2, 1)
    assert read(item("a") + item("b", num_id=2), numbering=numbering).markdown == "1. a\n\n- b"


def test_boxes_for_bullets_are_tasks(read: Read) -> None:
    numbering = abstract(0, level(0, "bullet", "☐")) + num(1, 0) + abstract(1, level(0, "bullet", "☒")) + num(2, 1)
    assert read(item("open") + item("done", num_id=2), numbering=numbering).markdown == "- [ ] open\n\n- [x] done"


def test_a_style_may_number_its_paragraphs(read: Read) -> None:
    numbering = abstract(0, level(0), level(1, "lowerLetter", "%2)", '<w:pStyle w:val="Sub"/>')) + num(1, 0)
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{name}"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
        for name in ("Top", "Sub")
    )
    none = '<w:numPr><w:numId w:val="0"/></w:numPr>'
    body = styled("a", "Top") + styled("b", "Sub") + styled("c", "Top", none) + styled("d", "Top")
    assert read(body, numbering=numbering, styles=styles).markdown == "1. a\n   - a) b\n\nc\n\n2. d"


def test_a_definition_may_be_that_of_a_list_style(read: Read) -> None:
    numbering = abstract(0, more='<w:numStyleLink w:val="Steps"/>')
    numbering += abstract(1, level(0, "upperLetter"), more='<w:styleLink w:val="Steps"/>') + num(1, 0)
    assert read(item("first"), numbering=numbering).markdown == "- A. first"


def test_numbers_of_headings_are_part_of_their_titles(read: Read) -> None:
    levels = [
        level(0, "chineseCounting", "第%1章", '<w:pStyle w:val="H1"/>'),
        level(1, "decimal", "%1.%2", '<w:isLgl/><w:pStyle w:val="H2"/>'),
    ]
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="H{number}"><w:name w:val="heading {number}"/>'
        f'<w:pPr><w:numPr><w:ilvl w:val="{number - 1}"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
        for number in (1, 2)
    )
    body = styled("概要", "H1") + styled("目的", "H2") + styled("範囲", "H2") + styled("手順", "H1")
    document = read(body, styles=styles, numbering=abstract(0, *levels) + num(1, 0))
    assert [heading.title for heading in document.headings] == ["第一章 概要", "1.1 目的", "1.2 範囲", "第二章 手順"]


def test_a_list_that_is_defined_nowhere_is_text(read: Read) -> None:
    assert read(item("text", num_id=7), numbering=abstract(0, level(0)) + num(1, 0)).markdown == "text"


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("decimal", "1 2 12"),
        ("decimalZero", "01 02 12"),
        ("lowerLetter", "a b l"),
        ("upperRoman", "I II XII"),
        ("ordinal", "1st 2nd 12th"),
        ("aiueo", "ア イ シ"),
        ("irohaFullWidth", "イ ロ ヲ"),
        ("decimalFullWidth", "１ ２ １２"),
        ("decimalEnclosedCircle", "① ② ⑫"),
        ("ideographTraditional", "甲 乙 乙乙"),
        ("japaneseCounting", "一 二 十二"),
        ("japaneseLegal", "壱 弐 壱拾弐"),
        ("chineseCountingThousand", "一 二 十二"),
        ("noSuchFormat", "1 2 12"),
    ],
)
def test_numbers_in_the_formats_of_word(form: str, shown: str) -> None:
    assert " ".join(numeral(number, form) for number in (1, 2, 12)) == shown


@pytest.mark.parametrize(
    ("number", "form", "shown"),
    [
        (28, "lowerLetter", "bb"),
        (1999, "lowerRoman", "mcmxcix"),
        (105, "chineseCounting", "一百零五"),
        (2040, "japaneseCounting", "二千四十"),
        (36, "decimalEnclosedCircle", "㊱"),
        (0, "upperRoman", "0"),
        (5000, "upperRoman", "5000"),
        (10**9, "lowerLetter", "1000000000"),
        (7, "none", ""),
    ],
)
def test_numbers_at_the_edges_of_a_format(number: int, form: str, shown: str) -> None:
    assert numeral(number, form) == shown


def test_a_format_of_ones_own_has_leading_zeros() -> None:
    assert numeral(7, "custom", "001, 002, ...") == "007"
