"""Outlook's mails (.msg): the properties that Outlook writes, read as a mail from the internet is."""

from __future__ import annotations

import struct
from datetime import UTC, datetime
from typing import Any

import pytest

from ragd.core.documents import Document
from ragd.core.errors import ParseFailed, WrongType
from ragd.formats.email import outlook
from ragd.formats.email.loader import EmailLoader
from ragd.formats.registry import doc_types_called, loader_name_for

from ..compound_files import compound_file

PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489")
SENT = datetime(2026, 3, 16, 9, 5, tzinfo=UTC)


def fixed(values: dict[int, int], header: int) -> bytes:
    return b"\0" * header + b"".join(struct.pack("<HHIQ", 0x0003, number, 6, value) for number, value in values.items())


def properties(texts: dict[int, str | bytes], numbers: dict[int, int] | None = None, header: int = 32) -> dict[str, Any]:
    """Text is Unicode; bytes are 8-bit text, or the data of what is binary."""
    streams: dict[str, Any] = {"__properties_version1.0": fixed(numbers or {}, header)}
    for number, value in texts.items():
        kind = "001F" if isinstance(value, str) else "0102" if number in (0x1013, 0x3701, 0x1009) else "001E"
        streams[f"__substg1.0_{number:04X}{kind}"] = value.encode("utf-16-le") if isinstance(value, str) else value
    return streams


def filetime(moment: datetime) -> int:
    return int((moment - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10_000_000


MAIL = {
    0x0037: "キューの障害 4417", 0x0C1A: "森下 葵", 0x5D01: "aoi@tarnwood.example", 0x0E04: "運用チーム", 0x0E03: "J. Abara",
    0x1000: "キューが止まりました。\r\n復旧は九時の予定です。",
}  # fmt: skip


def load(streams: dict[str, Any], name: str = "障害.msg") -> Document:
    return EmailLoader().load(compound_file(streams), name)


def test_a_mail_has_its_head_text_and_attachments() -> None:
    attachment = properties({0x3707: "障害報告.pdf", 0x370E: "application/pdf", 0x3701: b"%PDF" * 100}, header=8)
    document = load(properties(MAIL, {0x0039: filetime(SENT)}) | {"__attach_version1.0_#00000000": attachment})
    assert document.markdown == (
        "# キューの障害 4417\n\n- From: 森下 葵 <aoi@tarnwood.example>\n- To: 運用チーム\n- Cc: J. Abara\n"
        "- Date: 2026-03-16 09:05 +0000\n- Attachments: 障害報告.pdf (400 bytes)\n\n"
        "キューが止まりました。\n復旧は九時の予定です。"
    )
    assert (document.title, document.doc_type, document.language) == ("キューの障害 4417", "email", "ja")
    assert document.metadata["attachments"] == [{"name": "障害報告.pdf", "type": "application/pdf", "size": 400}]
    assert document.warnings == ("attachments are not read; add them by themselves: 障害報告.pdf",)


@pytest.mark.parametrize(("codepage", "codec"), [(932, "cp932"), (65001, "utf-8"), (1252, "cp1252")])
def test_text_of_eight_bits_is_read_by_its_code_page(codepage: int, codec: str) -> None:
    subject = "Café" if codec == "cp1252" else "ソフトの一覧"
    document = load(properties({0x0037: subject.encode(codec), 0x1000: subject.encode(codec)}, {0x3FFD: codepage}))
    assert document.title == subject
    assert document.markdown.endswith(subject)


def test_html_with_its_pictures_is_read_where_the_plain_text_says_less() -> None:
    html = (
        f"<p>The plan:</p><img src='cid:plan@1'><table><tr><th>Zone</th><th>Jobs</th></tr><tr><td>{'北' * 300}</td></tr></table>"
    )
    image = properties({0x3707: "plan.png", 0x370E: "image/png", 0x3712: "plan@1", 0x3701: PNG}, header=8)
    streams = properties({0x0037: "Plan", 0x1013: html.encode("cp932")}, {0x3FDE: 932})
    document = load(streams | {"__attach_version1.0_#00000000": image})
    assert "| Zone | Jobs |" in document.markdown
    assert [picture.data for picture in document.pictures] == [PNG]
    assert "Attachments" not in document.markdown


def test_the_fields_that_came_with_a_mail_go_before_outlooks_own() -> None:
    headers = "From: =?utf-8?B?5qOu5LiLIOiRtQ==?= <aoi@tarnwood.example>\r\nDate: Mon, 16 Mar 2026 18:05:00 +0900\r\n"
    headers += "To: ops@x.example\r\n"
    document = load(properties(MAIL | {0x007D: headers}, {0x0039: filetime(SENT)}))
    assert document.metadata["author"] == "森下 葵 <aoi@tarnwood.example>"
    assert document.metadata["date"] == "2026-03-16T18:05:00+09:00"
    assert document.metadata["to"] == "ops@x.example"


def test_a_mail_on_a_mail_is_read_under_its_own_subject() -> None:
    inner = properties({0x0037: "Earlier", 0x1000: "The lease ran out."}, header=24)
    attached = properties({0x3707: "Earlier"}, header=8) | {"__substg1.0_3701000D": inner}
    markdown = load(properties(MAIL) | {"__attach_version1.0_#00000000": attached}).markdown
    assert markdown.endswith("## Earlier\n\nThe lease ran out.")


def test_mails_in_mails_without_end_are_refused() -> None:
    tree = properties({0x1000: "innermost"}, header=24)
    for _ in range(25):
        tree = properties({0x1000: "around"}, header=24) | {
            "__attach_version1.0_#00000000": properties({}, header=8) | {"__substg1.0_3701000D": tree}
        }
    with pytest.raises(ParseFailed, match=r"'障害\.msg' has mails in mails too deeply"):
        load(properties(MAIL) | {"__attach_version1.0_#00000000": properties({}, header=8) | {"__substg1.0_3701000D": tree}})


def test_what_is_no_mail_or_damaged_is_refused_with_its_name() -> None:
    whole = compound_file(properties(MAIL))
    with pytest.raises(WrongType, match=r"'障害\.msg' is an OLE file, but no mail"):
        load({"WordDocument": b"words" * 100})
    for part in (100, 600, len(whole) // 2):
        with pytest.raises(ParseFailed, match=r"'障害\.msg'"):
            EmailLoader().load(whole[:part], "障害.msg")
    with pytest.raises(ParseFailed, match="compressed RTF alone"):
        load(properties({0x0037: "Plan", 0x1009: b"LZFu" * 40}))


def test_a_defect_of_ours_is_not_called_damage_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlook, "_fields", lambda _found: {}["missing"])
    with pytest.raises(KeyError):
        load(properties(MAIL))


def test_they_are_mails_by_type() -> None:
    assert doc_types_called("msg") == ("email",)
    assert loader_name_for("a.MSG") == "email"
