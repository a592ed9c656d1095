"""Documents in unusual packages, and such as can't be read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ragd.core.documents import Document
from ragd.core.errors import ParseFailed
from ragd.formats.word.loader import WordLoader

Read = Callable[..., Document]
DocxOf = Callable[..., bytes]

TEXT = "<w:p><w:r><w:t>手順書</w:t></w:r></w:p>"


@pytest.mark.parametrize(
    "content_type",
    [
        "application/vnd.ms-word.document.macroEnabled.main+xml",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
    ],
    ids=["with macros", "template"],
)
def test_documents_with_macros_and_templates_are_read(read: Read, content_type: str) -> None:
    assert read(TEXT, content_type=content_type).markdown == "手順書"


def test_the_strict_variant_is_read(read: Read) -> None:
    heading = '<w:p><w:pPr><w:outlineLvl w:val="0"/><w:ind w:start="12pt"/></w:pPr><w:r><w:t>Install</w:t></w:r></w:p>'
    document = read(heading + TEXT, strict=True)
    assert document.markdown == "# Install\n\n手順書"


def test_a_relation_that_leads_nowhere_costs_nothing(read: Read) -> None:
    assert read(TEXT, relations=[("rId9", "styles", "../NULL"), ("rId8", "comments", "gone.xml")]).markdown == "手順書"


def test_part_names_are_compared_without_regard_to_case(read: Read) -> None:
    style = '<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>'
    styles = f"<w:styles NAMESPACES>{style}</w:styles>"
    document = read(TEXT, parts={"word/Styles.XML": styles}, relations=[("rId1", "styles", "/WORD/styles.xml")])
    assert document.markdown == "## 手順書"


def test_parts_in_utf_16_are_read(read: Read) -> None:
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    xml = f'<?xml version="1.0" encoding="UTF-16"?><w:document xmlns:w="{space}"><w:body>{TEXT}</w:body></w:document>'
    assert read("", parts={"word/document.xml": xml.encode("utf-16")}).markdown == "手順書"


def test_a_workbook_with_the_wrong_extension_is_named_as_such(docx_of: DocxOf) -> None:
    workbook = '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>'
    with pytest.raises(ParseFailed, match=r"is an Excel workbook: give it the extension \.xlsx"):
        WordLoader().load(docx_of(TEXT, parts={"word/document.xml": workbook}), "plan.docx")


def test_markup_that_is_not_well_formed_is_refused(docx_of: DocxOf) -> None:
    with pytest.raises(ParseFailed, match=r"'word/document\.xml' in 'plan\.docx' isn't well-formed"):
        WordLoader().load(docx_of("<w:p>"), "plan.docx")


def test_markup_nested_without_end_is_refused(docx_of: DocxOf) -> None:
    body = "<w:sdt><w:sdtContent>" * 300 + "</w:sdtContent></w:sdt>" * 300
    with pytest.raises(ParseFailed, match="nested more than 256 levels deep"):
        WordLoader().load(docx_of(body), "plan.docx")


@pytest.mark.parametrize("tag", ["ins", "smartTag", "hyperlink"])
def test_markup_nested_as_deep_as_is_let_through_is_read(read: Read, tag: str) -> None:
    depth = 245
    inner = "<w:r><w:t>deep</w:t></w:r>"
    assert read(f"<w:p>{f'<w:{tag}>' * depth}{inner}{f'</w:{tag}>' * depth}</w:p>").markdown == "deep"


def test_a_formula_nested_as_deep_as_is_let_through_is_read(read: Read) -> None:
    depth = 110
    assert (
        read(
            f"<w:p><m:oMath>{'<m:d><m:e>' * depth}<m:r><m:t>x</m:t></m:r>{'</m:e></m:d>' * depth}</m:oMath></w:p>"
        ).markdown.count("x")
        == 1
    )


def test_an_entity_bomb_is_refused(docx_of: DocxOf) -> None:
    bomb = '<!DOCTYPE d [<!ENTITY a "kestrel"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><w:document NAMESPACES>&b;</w:document>'
    with pytest.raises(ParseFailed, match="document type definition"):
        WordLoader().load(docx_of(TEXT, parts={"word/document.xml": bomb}), "plan.docx")


def test_a_zip_bomb_is_refused(docx_of: DocxOf) -> None:
    with pytest.raises(ParseFailed, match="zip bomb"):
        WordLoader().load(docx_of(TEXT, parts={"word/media/a.bmp": bytes(60_000_000)}), "plan.docx")


@pytest.mark.slow
def test_a_part_that_is_too_long_for_a_tree_is_refused(docx_of: DocxOf) -> None:
    long = TEXT + "".join(f"<!--{number:0990}-->" for number in range(66_000))
    with pytest.raises(ParseFailed, match="up to 64,000,000 are read"):
        WordLoader().load(docx_of(long), "plan.docx")


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        "<w:p>" + "<w:r><w:fldChar w:fldCharType='begin'/><w:fldChar w:fldCharType='separate'/></w:r>" * 50_000 + "</w:p>" + TEXT,
        "<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>some more text</w:t></w:r></w:p>" * 20_000,
        "<w:p>" + "".join(f"<w:commentRangeStart w:id='{number}'/><w:r><w:t>a</w:t></w:r>" for number in range(8_000)) + "</w:p>",
        "<w:tbl><w:tr><w:tc><w:p/></w:tc><w:tc><w:p/></w:tc></w:tr><w:tr>"
        + "<w:tc><w:p/></w:tc>" * 30_000
        + "</w:tr></w:tbl>"
        + TEXT,
    ],
    ids=["fields", "deleted breaks", "comments", "cells"],
)
@pytest.mark.timeout(60)
def test_very_much_of_anything_takes_time_in_proportion(read: Read, body: str) -> None:
    assert read(body).markdown
