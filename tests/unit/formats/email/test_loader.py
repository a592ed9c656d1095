"""Mail: the head, the best of several bodies, charsets of Japanese mail, pictures, attachments, and hostile files."""

from __future__ import annotations

import base64
from collections.abc import Callable
from email.message import EmailMessage

import pytest

from ragd.core.documents import Document
from ragd.core.errors import DocumentEmpty, DocumentEncrypted, ParseFailed
from ragd.formats.common.decoding import decode_jis
from ragd.formats.email.loader import EmailLoader

PNG = b"\x89PNG\r\n\x1a\n-not decoded here-"


def load(mail: EmailMessage | bytes | str) -> Document:
    data = mail.encode() if isinstance(mail, str) else mail if isinstance(mail, bytes) else mail.as_bytes()
    return EmailLoader().load(data, "mails/note.eml")


def mail(text: str = "", html: str = "", **fields: str) -> EmailMessage:
    message = EmailMessage()
    for name, value in {"From": "Mara Lindqvist <mara@tarnwood.example>", **fields}.items():
        message[name] = value
    if text:
        message.set_content(text)
    if html and text:
        message.add_alternative(html, subtype="html")
    elif html:
        message.set_content(html, subtype="html")
    return message


def test_the_head_comes_first_and_quoted_replies_stay() -> None:
    document = load(
        mail(
            "It is fixed.\n\n> Is shard 3 back?\n",
            To="Ops <ops@tarnwood.example>, Joan Abara <joan@tarnwood.example>",
            Cc="lead@tarnwood.example",
            Date="Tue, 10 Feb 2026 09:30:00 +0900",
            Subject="Re: shard 3",
        )
    )
    assert document.markdown == (
        "# Re: shard 3\n\n"
        "- From: Mara Lindqvist <mara@tarnwood.example>\n"
        "- To: Ops <ops@tarnwood.example>, Joan Abara <joan@tarnwood.example>\n"
        "- Cc: lead@tarnwood.example\n"
        "- Date: 2026-02-10 09:30 +0900\n\n"
        "It is fixed.\n\n> Is shard 3 back?"
    )
    assert (document.doc_type, document.title, document.language) == ("email", "Re: shard 3", "en")
    assert document.metadata["author"] == "Mara Lindqvist <mara@tarnwood.example>"
    assert document.metadata["date"] == "2026-02-10T09:30:00+09:00"
    assert [(heading.title, document.markdown[heading.start : heading.end]) for heading in document.headings] == [
        ("Re: shard 3", "# Re: shard 3")
    ]


def test_japanese_mail_in_iso_2022_jp_is_read_with_the_characters_of_windows() -> None:
    # NEC's circled numbers and IBM's kanji are in no standard, and in half of the mail.
    subject = base64.b64encode(b"\x1b$B-!>c32\x1b(B").decode()
    head = f"From: =?ISO-2022-JP?B?{base64.b64encode('森下 葵'.encode('iso2022_jp')).decode()}?= <aoi@tarnwood.example>\r\n"
    head += f"Subject: =?ISO-2022-JP?B?{subject}?=\r\nContent-Type: text/plain; charset=ISO-2022-JP\r\n\r\n"
    body = "停止の件、".encode("iso2022_jp") + b'\x1b$B-"|b\x1b(B, \x1b(I1\x1b(B\r\n' + "了解です。\r\n".encode("iso2022_jp")
    document = load(head.encode() + body)
    assert document.markdown == "# ①障害\n\n- From: 森下 葵 <aoi@tarnwood.example>\n\n停止の件、②髙, ｱ\n了解です。"
    assert document.language == "ja"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain", None),
        ("日本語".encode("iso2022_jp"), "日本語"),
        (b'\x1b$B$"\nabc', "あ\nabc"),
        (b"\x1b$(D0!\x1b(B", "丂"),
        (b"\x1b$B~~\x1b(B", None),
        (b"\x1b$B-!\x01\x02\x1b(B", None),
        ("\x1b$B が".encode(), None),
    ],
    ids=["no escape", "standard", "line without an end", "supplement", "no such character", "control characters", "8 bits"],
)
def test_jis_is_decoded_or_left_alone(data: bytes, text: str | None) -> None:
    assert decode_jis(data) == text


@pytest.mark.parametrize("charset", ["utf-8", "shift_jis", "euc-jp", "iso-2022-jp"])
@pytest.mark.parametrize("encoding", ["8bit", "base64", "quoted-printable"])
def test_texts_are_read_in_every_charset_and_encoding(charset: str, encoding: str) -> None:
    text = "夜間メンテナンスを実施します。再起動は二十二時です。"
    data = text.encode(charset)
    if encoding == "base64":
        data = base64.encodebytes(data)
    elif encoding == "quoted-printable":
        data = "".join(f"={byte:02X}" for byte in data).encode()
    head = f"Subject: x\nContent-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: {encoding}\n\n"
    assert load(head.encode() + data).markdown == f"# x\n\n{text}"


@pytest.mark.parametrize("charset", ["utf-8", "cp932"])
def test_fields_that_were_never_encoded_are_read(charset: str) -> None:
    assert load("Subject: 定例会議\n\ntext".encode(charset)).title == "定例会議"


def test_long_fields_in_pieces_are_joined() -> None:
    pieces = "\r\n ".join(f"=?UTF-8?B?{base64.b64encode(part.encode()).decode()}?=" for part in ("夜間メン", "テナンス"))
    assert load(f"Subject: {pieces}\r\n\r\ntext").title == "夜間メンテナンス"


def test_the_plain_text_is_preferred() -> None:
    assert load(mail("今夜 22 時から停止します。", "<p>今夜 <b>22 時</b>から停止します。</p>")).markdown.endswith(
        "\n\n今夜 22 時から停止します。"
    )


def test_a_plain_text_that_only_points_to_the_html_is_not() -> None:
    html = "<h2>Backlog</h2><table><tr><th>Queue</th><th>Jobs</th></tr><tr><td>orders</td><td>41</td></tr></table><p>" + "x " * 99
    assert "## Backlog\n\n| Queue | Jobs |\n| --- | --- |\n| orders | 41 |" in load(mail("See HTML.", html)).markdown


def test_html_alone_becomes_markdown_with_quotations() -> None:
    html = "<p>See <a href='https://docs.tarnwood.example'>the guide</a>.</p><blockquote type='cite'><p>Where?</p></blockquote>"
    assert load(mail(html=html)).markdown.endswith("See [the guide](https://docs.tarnwood.example).\n\n> Where?")


def test_pictures_elsewhere_are_counted_and_never_referred_to() -> None:
    document = load(mail(html="<p>Hello <img src='https://track.example/p.gif' alt='logo'></p>"))
    assert "track.example" not in document.markdown
    assert document.metadata["remote_pictures"] == 1


def with_picture(text: str, html: str) -> EmailMessage:
    message = mail(text, html)
    part = message.get_payload()[1] if text else message
    part.add_related(PNG, "image", "png", cid="<fig1@tarnwood>", filename="gauge.png")
    return message


def test_pictures_of_the_html_stand_in_it() -> None:
    document = load(with_picture("", "<p>The gauge: <img src='cid:fig1@tarnwood' alt='計器'> reads 7.</p>"))
    assert document.markdown.endswith(f"The gauge: ![計器]({document.pictures[0].link}) reads 7.")
    assert document.pictures[0].data == PNG


def test_pictures_of_a_plain_text_stand_where_it_names_them_or_at_the_end() -> None:
    html = "<p>The gauge: <img src='cid:fig1@tarnwood'></p>"
    named = load(with_picture("The gauge: [cid:fig1@tarnwood] reads 7.", html))
    assert named.markdown.endswith(f"The gauge: ![gauge.png]({named.pictures[0].link}) reads 7.")
    unnamed = load(with_picture("The gauge reads 7.", html))
    assert unnamed.markdown.endswith(f"The gauge reads 7.\n\n![gauge.png]({unnamed.pictures[0].link})")
    assert len(named.pictures) == len(unnamed.pictures) == 1


def test_attachments_are_listed_and_said_not_to_be_read() -> None:
    message = mail("See attached.", Subject="Files")
    message.add_attachment(b"x" * 12_345, maintype="application", subtype="pdf", filename="手順書.pdf")
    message.add_attachment(PNG, maintype="image", subtype="png", filename="../../photo.png")
    message.add_attachment("BEGIN:VCALENDAR", subtype="calendar")
    document = load(message)
    assert "- Attachments: 手順書.pdf (12 KB), photo.png (26 bytes), unnamed (text/calendar) (16 bytes)\n" in document.markdown
    assert document.metadata["attachments"][0] == {"name": "手順書.pdf", "type": "application/pdf", "size": 12_345}
    assert document.warnings == (
        "attachments are not read; add them by themselves: 手順書.pdf, photo.png, unnamed (text/calendar)",
    )
    assert document.pictures == ()


def test_a_mail_in_a_mail_is_read_under_its_own_subject() -> None:
    inner = mail("Shard 3 is down.", Subject="Alert")
    message = mail("Please look.", Subject="Fwd: Alert")
    message.add_attachment(inner)
    document = load(message)
    assert document.markdown.endswith(
        "Please look.\n\n## Alert\n\n- From: Mara Lindqvist <mara@tarnwood.example>\n\nShard 3 is down."
    )
    assert [(heading.level, heading.title) for heading in document.headings] == [(1, "Fwd: Alert"), (2, "Alert")]


def test_a_mail_in_a_mail_may_be_encoded() -> None:
    inner = base64.encodebytes(mail("Shard 3 is down.", Subject="Alert").as_bytes()).decode()
    head = "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n"
    data = f"Subject: Fwd\nContent-Type: multipart/mixed; boundary=b\n\n--b\n{head}{inner}\n--b--\n"
    assert "## Alert\n" in load(data).markdown
    assert "Shard 3 is down." in load(data).markdown


def test_a_file_that_hangs_on_the_html_alone_is_listed() -> None:
    message = mail("The report is attached.", "<p>The report is attached.</p>")
    html = message.get_payload()[1]
    html.make_mixed()
    html.add_attachment(b"x", maintype="application", subtype="pdf", filename="report.pdf")
    document = load(message)
    assert document.markdown.endswith("- Attachments: report.pdf (1 bytes)\n\nThe report is attached.")


def test_lines_that_flow_are_joined_within_their_quotation() -> None:
    head = "Subject: x\nContent-Type: text/plain; format=flowed\n\n"
    text = "A line that \ngoes on.\n> quoted \n> too\n>> deeper\n-- \nMara\n"
    assert load(head + text).markdown == "# x\n\nA line that goes on.\n> quoted too\n>> deeper\n-- \nMara"


def test_a_mail_without_a_subject_is_called_by_its_first_line() -> None:
    assert load(mail("Lunch at noon?\nIn the hall.")).title == "Lunch at noon?"


def test_a_mail_without_a_text_keeps_its_head() -> None:
    assert load(mail(Subject="Call me")).markdown.startswith("# Call me\n\n- From: Mara")


def test_a_date_that_is_none_is_shown_as_it_stands() -> None:
    document = load("Subject: x\nDate: yesterday\n\ntext")
    assert "- Date: yesterday" in document.markdown
    assert "date" not in document.metadata


@pytest.mark.parametrize(
    "kind",
    [
        'multipart/encrypted; protocol="application/pgp-encrypted"; boundary=b',
        "application/pkcs7-mime; smime-type=enveloped-data",
    ],
)
def test_an_encrypted_mail_is_reported_as_such(kind: str) -> None:
    with pytest.raises(DocumentEncrypted, match="encrypted mail"):
        load(f"Subject: x\nContent-Type: {kind}\n\n--b\n\nabc\n--b--\n")


@pytest.mark.parametrize("data", [b"", b" \r\n\n"])
def test_an_empty_file_is_reported_as_empty(data: bytes) -> None:
    with pytest.raises(DocumentEmpty, match="is empty"):
        load(data)


def test_a_message_of_outlook_is_reported_with_what_to_do() -> None:
    with pytest.raises(ParseFailed, match=r"save it as \.eml"):
        load(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))


def test_what_is_no_mail_is_refused() -> None:
    with pytest.raises(ParseFailed, match="no field of a mail"):
        load("ただの文章です。\nColour: red\n")


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_mail_that_is_cut_off_gives_what_is_there(share: float) -> None:
    data = with_picture("", "<p>The gauge: <img src='cid:fig1@tarnwood'> reads 7.</p>").as_bytes()
    assert load(data[: int(len(data) * share)]).markdown


def nested(depth: int) -> str:
    parts = "".join(f'Content-Type: multipart/mixed; boundary="b{number}"\n\n--b{number}\n' for number in range(depth))
    return f"Subject: deep\n{parts}\ninnermost text\n"


def test_parts_within_parts_are_read_to_a_depth() -> None:
    assert "innermost text" in load(nested(20)).markdown
    document = load(nested(60))
    assert "innermost text" not in document.markdown
    assert document.warnings == ("parts more than 30 deep in others were left out",)


def test_parts_nested_without_end_are_refused() -> None:
    with pytest.raises(ParseFailed, match="parts in parts"):
        load(nested(3000))


def test_very_many_lines_in_very_many_parts_are_refused() -> None:
    with pytest.raises(ParseFailed, match="too many parts in parts"):
        load(nested(100) + "line\n" * 200_000)


HOSTILE: dict[str, Callable[[], str]] = {
    "To": lambda: ", ".join(f'"{"a" * 10}{number}" <u{number}@tarnwood.example>' for number in range(100_000)),
    "Subject": lambda: "=?utf-8?q?" + "=41" * 1_000_000,
    "Content-Type": lambda: 'text/plain; x="' + 'a\\"' * 500_000,
    "Content-Disposition": lambda: "inline; " + "filename*0*=a;" * 100_000,
    "Cc": lambda: "(" * 1_000_000,
    "Date": lambda: "1 " * 1_000_000,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.timeout(20)
def test_a_field_of_any_length_is_shortened(name: str) -> None:
    document = load(f"From: a@tarnwood.example\n{name}: {HOSTILE[name]()}\n\ntext")
    assert "text" in document.markdown
    assert len(document.markdown) < 20_000


@pytest.mark.slow
@pytest.mark.timeout(20)
def test_very_many_fields_and_parts_take_time_in_proportion() -> None:
    fields = "".join(f"X-Field-{number}: a\n" for number in range(50_000))
    parts = "--b\nContent-Type: text/plain\n\nline\n" * 5_000
    document = load(f'Subject: x\nContent-Type: multipart/mixed; boundary="b"\n{fields}\n{parts}--b--\n')
    assert document.markdown.count("line") == 5_000


def test_a_charset_that_does_not_exist_and_bytes_that_fit_none_do_no_harm() -> None:
    assert load("Subject: x\nContent-Type: text/plain; charset=klingon\n\n日本語のメールです。").markdown.endswith(
        "日本語のメールです。"
    )
    assert load("Subject: x\nContent-Type: text/plain; charset*0*=x''%ff\n\n日本語です。").markdown.endswith("日本語です。")
    document = load(b"Subject: x\nContent-Type: text/plain; charset=utf-8\n\nhead \xff\xfe\x81\x00\x01\x02\x03\x04\x05 tail")
    assert "head" in document.markdown
    assert document.warnings == ("the encoding of a text is not clear; some characters were lost",)
