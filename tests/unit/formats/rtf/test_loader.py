"""Rich text: what LibreOffice wrote (tests/data/word), what Word and older programs write, and files that can't be read."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ragd.core.documents import Document
from ragd.core.errors import DocumentEmpty, ParseFailed, WrongType
from ragd.formats.rtf.loader import RtfLoader

WORD = Path(__file__).resolve().parents[3] / "data" / "word"
PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489")
HEAD = r"\rtf1\ansi\ansicpg932\deff0{\fonttbl{\f0\fnil\fcharset128 MS Mincho;}{\f1\fcharset0 Arial;}{\f2\fcharset204 Arial;}}"


def load(body: str, name: str = "手引き.rtf", head: str = HEAD) -> Document:
    return RtfLoader().load(f"{{{head}{body}}}".encode("latin-1"), name)


def escaped(text: str, codec: str) -> str:
    return "".join(f"\\'{byte:02x}" for byte in text.encode(codec))


def test_a_text_of_libreoffice_gives_the_facts_that_were_read_over_by_eye() -> None:
    document = RtfLoader().load((WORD / "handbook-ja.rtf").read_bytes(), "handbook-ja.rtf")
    assert document.markdown + "\n" == (WORD / "handbook-ja.rtf.facts.md").read_text(encoding="utf-8")
    assert (document.title, document.doc_type, document.language) == ("Kestrel 運用手引き", "rtf", "ja")
    assert document.metadata["author"] == "森下 葵"
    for heading in document.headings[:-1]:
        assert heading.title in document.markdown[heading.start : heading.end]


@pytest.mark.parametrize("text", ["ソフト一覧表", "能率と十分な表示", "ｹｽﾄﾚﾙ①㈱"])
def test_japanese_bytes_are_read_whole_or_half_escaped(text: str) -> None:
    assert load(rf"\f0 {escaped(text, 'cp932')}\par").markdown == text
    half = "".join(
        chr(byte) if 0x40 <= byte < 0x7F and chr(byte) not in "\\{}" else f"\\'{byte:02x}" for byte in text.encode("cp932")
    )
    assert load(rf"\f0 {half}\par").markdown == text


def test_the_font_says_which_code_page_and_unicode_goes_before_its_stand_in() -> None:
    assert load(rf"\f2 {escaped('Очередь', 'cp1251')}\f0  {escaped('表', 'cp932')}\par").markdown == "Очередь 表"
    assert load(r"\uc1\u12465?\u12473 ?\u12488\'83\par").markdown == "ケスト"
    assert load(r"{\uc2\u12465\'83\'50}\u-10179?\u-8704?\par").markdown == "ケ😀"


def test_headings_lists_links_and_marked_words() -> None:
    body = (
        r"{\stylesheet{\s1\outlinelevel0 heading 1;}}\pard\s1 Nodes\par\pard\outlinelevel1 Adding one\par\pard "
        r"{\listtext\'b7\tab}Drain {\b the} queues\par\pard {\listtext 1.\tab}Join\par\pard "
        r'{\field{\*\fldinst HYPERLINK "https://tarnwood.example/"}{\fldrslt the {\i site}}} after\par'
    )
    assert load(body, head=HEAD.replace("932", "1252")).markdown == (
        "# Nodes\n\n## Adding one\n\n- Drain **the** queues\n\n1. Join\n\n[the *site*](https://tarnwood.example/) after"
    )


def test_tables_notes_boxes_and_comments() -> None:
    row = r"\trowd\trhdr\cellx1\cellx2\pard\intbl Store\cell Size\cell\row\trowd\pard\intbl Segments\par kept\cell 120\cell\row"
    body = (
        rf"{row}\pard After{{\footnote Never {{\b even}}.}}\par{{\*\atnauthor Joan}}{{\*\annotation Is it so?}}"
        r"{\shp{\*\shpinst{\sp{\sn name}{\sv value}}{\shptxt \pard Duty phone\par}}}Last\par"
    )
    markdown = load(body).markdown
    assert "| Store | Size |" in markdown
    assert "kept | 120 |" in markdown
    assert "After[^1]\n\n[^1]: Never **even**." in markdown
    assert "Last\n\nDuty phone" in markdown
    assert markdown.endswith("- Joan: Is it so?")
    assert "value" not in markdown


def test_what_is_not_shown_is_left_out() -> None:
    body = (
        r"{\info{\title Plan}{\author A. Mori}{\keywords run; back up}}{\header top}{\footer bottom}{\v hidden}{\deleted gone}"
        r"{\*\generator Program 1;}{\*\unknown x}{\object{\*\objdata 0102}{\result shown}}\par"
    )
    document = load(body)
    assert document.markdown == "shown"
    assert document.title == "Plan"
    assert document.metadata["tags"] == ["run", "back up"]


def test_pictures_stand_where_they_are_and_others_are_counted() -> None:
    png = rf"{{\pict\pngblip\picw1 {PNG.hex()}}}"
    shape = rf"{{\sp{{\sn pib}}{{\sv {png}}}}}{{\sp{{\sn fillBlip}}{{\sv {png}}}}}{{\sp{{\sn wzDescription}}{{\sv The plan}}}}"
    other = r"{\pict\wmetafile8 0102}"
    body = rf"{{\*\shppict{png}}}{{\nonshppict{other}}}{other}\par{{\shp{{\*\shpinst{shape}}}}}\par"
    document = load(body)
    assert [(picture.alt, picture.data) for picture in document.pictures] == [("", PNG), ("The plan", PNG)]
    assert document.warnings == ("pictures in other forms than PNG and JPEG were left out: 1",)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.95])
def test_half_a_file_is_refused(share: float) -> None:
    data = (WORD / "handbook-ja.rtf").read_bytes()
    with pytest.raises(ParseFailed, match=r"'手引き\.rtf' is damaged or cut off"):
        RtfLoader().load(data[: int(len(data) * share)], "手引き.rtf")


def test_other_files_and_depth_are_refused_with_their_name() -> None:
    with pytest.raises(WrongType, match=r"'a\.rtf' is not rich text"):
        RtfLoader().load(b"plain words", "a.rtf")
    for empty in (b" ", rb"{\rtf1\par}"):
        with pytest.raises(DocumentEmpty):
            RtfLoader().load(empty, "a.rtf")
    with pytest.raises(ParseFailed, match="groups deep"):
        load("{" * 10_000 + "}" * 10_000)


def test_garbage_within_is_read_or_refused_and_never_fails_otherwise() -> None:
    data = (WORD / "handbook-ja.rtf").read_bytes()
    choose = random.Random(7)
    for _ in range(30):
        damaged = bytearray(data)
        for _ in range(40):
            damaged[choose.randrange(6, len(data))] = choose.choice(b"\\{}'u09azZ \x00\xff*")
        try:
            assert RtfLoader().load(bytes(damaged), "a.rtf").markdown
        except ParseFailed as failed:
            assert "'a.rtf'" in failed.message  # noqa: PT017 - both outcomes are right
