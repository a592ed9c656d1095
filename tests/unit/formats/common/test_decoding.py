"""Bytes to text: encodings told apart, binary refused."""

from __future__ import annotations

import codecs

import pytest

from ragd.core.errors import DocumentEmpty, DocumentUnreadable
from ragd.formats.common.decoding import decode

JAPANESE = "設定ファイルを読み込めません。カタカナもあります。\n"
MIXED = "# Install\n\nRun `pip install foo` and then open the file.\n\n注意: 再起動が必要です。\n"
FRENCH = "Le café est très bon, où êtes-vous allé à l'été dernier ?\n"


@pytest.mark.parametrize("encoding", ["utf-8", "cp932", "euc_jp", "iso2022_jp", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("text", [JAPANESE, MIXED])
def test_japanese_text_is_read_in_every_common_encoding(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding), "a.txt").text == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_told_by_its_nul_bytes(encoding: str) -> None:
    decoded = decode(MIXED.encode(encoding), "a.md")
    assert (decoded.text, decoded.encoding) == (MIXED, encoding)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_western_european_text_is_read(encoding: str) -> None:
    assert decode(FRENCH.encode(encoding), "a.txt").text == FRENCH


def test_typographic_quotes_of_cp1252_are_read() -> None:
    text = "It’s “quoted” – and costs 5 € today…"
    assert decode(text.encode("cp1252"), "a.txt").text == text


def test_simplified_chinese_in_gb18030_is_read() -> None:
    text = "这是一个用于检索文档的系统。配置文件在这里。安装以后请重新启动服务。"
    assert decode(text.encode("gb18030"), "a.txt").text == text


def test_the_declared_charset_decides_when_the_bytes_are_not_utf_8() -> None:
    data = "привет мир".encode("koi8-r")
    decoded = decode(data, "a.html", declared="KOI8-R")
    assert (decoded.text, decoded.encoding) == ("привет мир", "koi8-r")


def test_valid_utf_8_wins_over_a_wrong_declaration() -> None:
    assert decode(JAPANESE.encode(), "a.html", declared="shift_jis").text == JAPANESE


@pytest.mark.parametrize("declared", ["base64", "no-such-charset", "", "rot13"])
def test_a_declaration_that_is_no_charset_is_ignored(declared: str) -> None:
    assert decode(FRENCH.encode("cp1252"), "a.html", declared=declared).text == FRENCH


@pytest.mark.parametrize(("encoding", "declared"), [("utf-8", None), ("cp932", "shift_jis"), ("euc_jp", "euc-jp")])
def test_a_few_broken_bytes_in_a_long_text_are_replaced_and_reported(encoding: str, declared: str | None) -> None:
    decoded = decode((JAPANESE * 20).encode(encoding) + b"\x85\xff end\n", "a.html", declared=declared)
    assert decoded.encoding in (encoding, codecs.lookup(encoding).name)
    assert decoded.text.startswith(JAPANESE * 20)
    assert decoded.text.endswith(" end\n")
    assert "replaced" in decoded.warnings[0]


def test_a_text_of_which_much_is_broken_is_not_forced_into_an_encoding() -> None:
    with pytest.raises(DocumentUnreadable):
        decode("設定ファイル".encode() + b"\xff\xfe\x81\x8d\x8f\x90" * 3, "a.txt")


def test_newlines_of_every_kind_become_line_feeds() -> None:
    assert decode(b"a\r\nb\rc\nd", "a.txt").text == "a\nb\nc\nd"


def test_other_unicode_line_separators_stay_as_they_are() -> None:
    assert decode("a\u2028b\u0085c\fd".encode(), "a.txt").text == "a\u2028b\u0085c\fd"


def test_an_empty_file_is_reported_as_empty() -> None:
    with pytest.raises(DocumentEmpty, match="0 bytes"):
        decode(b"", "a.md")


@pytest.mark.parametrize("data", [b" \n\t\r\n", codecs.BOM_UTF8, "\u200b\u3000\n".encode()])
def test_a_file_of_blanks_is_reported_as_empty(data: bytes) -> None:
    with pytest.raises(DocumentEmpty, match="no text"):
        decode(data, "a.md")


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8,
        b"%PDF-1.7\n1 0 obj",
        b"PK\x03\x04" + b"\0" * 40,
        b"\x00\x01\x02\x03\xff\xfe\xfd" * 200,
        bytes(range(256)) * 20,
        b"MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff" + b"\x00" * 500 + b"This program cannot be run in DOS mode",
        b"\0" * 1000,
    ],
)
def test_binary_data_with_a_text_name_is_refused(data: bytes) -> None:
    with pytest.raises(DocumentUnreadable):
        decode(data, "notes.md")


def test_text_that_breaks_off_inside_a_utf_16_character_is_refused() -> None:
    with pytest.raises(DocumentUnreadable, match="cut off"):
        decode(MIXED.encode("utf-16")[:-1], "a.md")


def test_stray_nul_bytes_are_left_out_and_reported() -> None:
    decoded = decode(("plain text " * 50).encode() + b"\0 end", "a.txt")
    assert "\0" not in decoded.text
    assert decoded.warnings == ("1 NUL characters were left out",)
