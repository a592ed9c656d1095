"""Word documents as python-docx and LibreOffice make them, and what a document says about itself."""

from __future__ import annotations

import io
import struct
import zlib
from datetime import datetime
from pathlib import Path

import docx
import pytest
from docx.enum.text import WD_BREAK
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt

from ragd.core.documents import Document
from ragd.core.errors import DocumentEmpty, DocumentEncrypted, ParseFailed
from ragd.core.sections import split_sections
from ragd.formats.word.loader import WordLoader


def png(width: int = 40, height: int = 20) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = (b"\0" + b"\x20\x60\xa0" * width) * height
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def saved(document: docx.document.Document) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def load(data: bytes, name: str = "plans/plan.docx") -> Document:
    return WordLoader().load(data, name)


def handbook(project_root: Path, language: str) -> Document:
    return load((project_root / f"tests/data/word/handbook-{language}.docx").read_bytes(), f"handbook-{language}.docx")


HANDBOOK_EN = """\
# Kestrel operations handbook

# 1. Nodes

A cluster has **three or five** nodes[^1]. The alert fires after sixty seconds without a leader; see the \
[runbook](https://docs.tarnwood.example/kestrel/%28runbook%29).

[^1]: An even number of nodes gains nothing: the majority of four is three.

## 1.1 Adding a node

1. Install the package.
   - (a) On Debian, by apt.
   - (b) On RHEL, by dnf.
2. Join the cluster:

```
kestrelctl node add edge-7 \\
    --token env:KESTREL_TOKEN
```

3. Wait for *in sync*.

- Never add two nodes at once.
  - Not even in tests.
- Keep the clock in sync.

![Three nodes around a leader](asset://7936820bee315d4901cf38bcc5b65af3)

Figure 1: a cluster

The gauge hangs in the hall.

![The hall gauge](asset://b26916f6b16e86a0cb28e0bec6f87fbf)

> A queue that is never empty is a queue that nobody reads.

Call before you restart a leader.

Duty phone: extension 6120

# 2. Backups

| Store | Size, GB / full | Size, GB / daily | Kept |
| --- | --- | --- | --- |
| Segments | 120 | 4 | 30 days<br>then archived \\| offsite |
| Segments | 80 | 2 | weekly / 1 year<br>monthly / 7 years |

Restores are rehearsed each quarter[^e1].
The next one is due in June.

[^e1]: The last rehearsal took 41 minutes.

- Joan Abara, 2026-02-21, "seconds without a leader": Is sixty what the alert rule says?"""

HANDBOOK_JA = """\
# Kestrel 運用手引き

# 1. ノードの追加

クラスターは「**奇数台**」で構成します[^1]。冗長（じょうちょう）構成の考え方は\
[設計資料](https://docs.tarnwood.example/ja/冗長化)を参照してください。

1. パッケージを導入します。
   - (ア) Debian の場合は apt を使います。
   - (イ) RHEL の場合は dnf を使います。
2. クラスターに参加させます。

- 二台を同時に追加しないでください。
- 時刻を同期させておきます。

![リーダーを囲む三台のノード](asset://8424bcce009c6ab0c90d7759394531c5)

[^1]: 4 台の過半数は 3 台なので、偶数にする利点はありません。

# 2. バックアップ

| 項目 | 頻度 | 保存期間 |
| --- | --- | --- |
| セグメント | 毎日 | 三十日 |
| セグメント | 毎週 | 一年 |
| 保存先は第二データセンターです。 |  |  |

復元訓練は四半期ごとに行います。

- 高木 慎, 2026-02-21, "設計資料": 資料の版を確認してください。"""


@pytest.mark.parametrize(("language", "facts"), [("en", HANDBOOK_EN), ("ja", HANDBOOK_JA)])
def test_a_document_of_libreoffice_reads_as_a_careful_person_would_have_typed_it(
    project_root: Path, language: str, facts: str
) -> None:
    document = handbook(project_root, language)
    assert document.markdown == facts
    assert document.language == language


def test_sections_and_pages_of_a_document_of_libreoffice(project_root: Path) -> None:
    document = handbook(project_root, "en")
    assert [section.path for section in split_sections(document, "d")] == [
        ("Kestrel operations handbook",),
        ("1. Nodes",),
        ("1. Nodes", "1.1 Adding a node"),
        ("2. Backups",),
        ("Comments",),
    ]
    backups = document.markdown.index("# 2. Backups")
    comment = document.markdown.index("- Joan Abara")
    assert [(mark.offset, mark.place.page) for mark in document.marks] == [(0, 1), (backups, 2), (comment, 1)]
    assert document.metadata["pages"] == "as last saved by the editor"
    assert [(found.alt, found.place.page) for found in document.pictures] == [
        ("Three nodes around a leader", 1),
        ("The hall gauge", 1),
    ]


def test_what_was_left_out_is_said(project_root: Path) -> None:
    assert handbook(project_root, "en").warnings == (
        "lines of tables of contents and indexes left out: 3",
        "tracked changes are read as accepted; deleted passages left out: 1",
        "page headers and footers were left out: 'Tarnwood internal', 'Page 2'",
    )


def test_title_author_tags_and_dates_are_those_of_the_document(project_root: Path) -> None:
    document = handbook(project_root, "ja")
    assert document.title == "Kestrel 運用手引き"
    assert {key: document.metadata[key] for key in ("author", "tags", "created", "modified", "comment_count")} == {
        "author": "森下 葵",
        "tags": ["運用", "バックアップ"],
        "created": "2026-02-10T09:30:00Z",
        "modified": "2026-03-02T17:45:00Z",
        "comment_count": 1,
    }


def test_a_document_of_python_docx_is_read_in_order() -> None:
    document = docx.Document()
    document.add_heading("障害対応手順", 0)
    document.add_heading("初動", 1)
    document.add_paragraph("当番に連絡します。")
    document.add_paragraph("内線 6120", style="List Bullet")
    document.add_paragraph("夜間のみ", style="List Bullet 2")
    document.add_paragraph("記録する", style="List Number")
    document.add_paragraph("報告する", style="List Number")
    table = document.add_table(2, 2)
    for cell, text in zip([cell for row in table.rows for cell in row.cells], ["時刻", "作業", "21:05", "再起動"], strict=True):
        cell.text = text
    document.add_picture(io.BytesIO(png()))
    found = load(saved(document))
    picture = found.pictures[0]
    assert found.markdown == (
        "# 障害対応手順\n\n# 初動\n\n当番に連絡します。\n\n- 内線 6120\n  - 夜間のみ\n\n1. 記録する\n2. 報告する\n\n"
        f"| 時刻 | 作業 |\n| --- | --- |\n| 21:05 | 再起動 |\n\n![]({picture.link})"
    )
    assert picture.data == png()
    assert (found.doc_type, found.loader, found.parser[:4]) == ("docx", "word", "lxml")


def test_the_titles_are_tried_in_order() -> None:
    document = docx.Document()
    document.add_paragraph("First line")
    assert load(saved(document)).title == "First line"
    document.add_heading("A heading", 2)
    assert load(saved(document)).title == "A heading"
    document.core_properties.title = "Word Document"
    assert load(saved(document)).title == "A heading"
    document.core_properties.title = "Stated title"
    assert load(saved(document)).title == "Stated title"
    document.add_paragraph("Title on the page", style="Title")
    assert load(saved(document)).title == "Title on the page"


def test_a_table_alone_gives_no_title() -> None:
    document = docx.Document()
    document.add_table(2, 2).rows[0].cells[0].text = "x"
    assert load(saved(document)).metadata["title_source"] == "file_name"


def test_headings_keep_their_levels_and_lines() -> None:
    document = docx.Document()
    for level, text in ((1, "Install"), (2, "Linux"), (9, "Deep")):
        document.add_heading(text, level)
    found = load(saved(document))
    assert found.markdown == "# Install\n\n## Linux\n\n###### Deep"
    assert [(heading.level, found.markdown[heading.start : heading.end]) for heading in found.headings] == [
        (1, "# Install"),
        (2, "## Linux"),
        (9, "###### Deep"),
    ]


def test_page_breaks_alone_give_no_page_numbers() -> None:
    # Nobody knows how many pages lie between them.
    document = docx.Document()
    document.add_paragraph("one").add_run().add_break(WD_BREAK.PAGE)
    document.add_paragraph("two")
    found = load(saved(document))
    assert found.marks == ()
    assert "pages" not in found.metadata


def test_the_editors_marks_give_page_numbers_within_a_paragraph() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("ends here ")
    run = paragraph.add_run("and goes on there")
    run._r.insert(0, OxmlElement("w:lastRenderedPageBreak"))
    document.add_paragraph("next")
    found = load(saved(document))
    assert found.markdown == "ends here and goes on there\n\nnext"
    assert [(mark.offset, mark.place.page) for mark in found.marks] == [(0, 1), (10, 2)]


def test_code_in_a_monospaced_font_keeps_its_lines_and_indents() -> None:
    document = docx.Document()
    document.add_paragraph("再試行の関数です。この章では、その使い方と注意点を説明します。呼び出しは ")
    document.paragraphs[0].add_run("retry()").font.name = "Consolas"
    for line in ("def retry(job):", "    job.run()", "", "    return job"):
        run = document.add_paragraph().add_run(line)
        run.font.name = "Courier New"
        run.font.size = Pt(9)
    document.add_paragraph("End.")
    assert load(saved(document)).markdown == (
        "再試行の関数です。この章では、その使い方と注意点を説明します。呼び出しは `retry()`\n\n"
        "```\ndef retry(job):\n    job.run()\n\n    return job\n```\n\nEnd."
    )


def test_a_document_set_in_a_typewriter_font_is_prose() -> None:
    document = docx.Document()
    run = document.add_paragraph().add_run("Dear colleagues, the meeting is on Monday.")
    run.font.name = "Courier New"
    assert load(saved(document)).markdown == "Dear colleagues, the meeting is on Monday."


def test_hidden_text_is_left_out_and_counted() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Shown. ")
    paragraph.add_run("Hidden.").font.hidden = True
    found = load(saved(document))
    assert found.markdown == "Shown."
    assert found.warnings == ("passages of hidden text left out: 1",)


def test_a_run_may_show_what_its_paragraphs_style_hides() -> None:
    document = docx.Document()
    document.styles["Quote"].font.hidden = True
    document.add_paragraph("hidden", style="Quote")
    document.add_paragraph(style="Quote").add_run("shown").font.hidden = False
    assert load(saved(document)).markdown == "> shown"


def test_a_document_without_text_is_reported_as_empty() -> None:
    with pytest.raises(DocumentEmpty, match=r"'plans/plan\.docx' holds no text"):
        load(saved(docx.Document()))


def test_a_document_of_pictures_alone_is_read() -> None:
    document = docx.Document()
    document.add_picture(io.BytesIO(png()))
    assert len(load(saved(document)).pictures) == 1


@pytest.mark.parametrize("share", [0.2, 0.5, 0.95])
def test_half_a_document_is_reported_as_cut_off(project_root: Path, share: float) -> None:
    data = (project_root / "tests/data/word/handbook-en.docx").read_bytes()
    with pytest.raises(ParseFailed, match="cut off"):
        load(data[: int(len(data) * share)])


def test_a_protected_document_is_reported_as_encrypted(project_root: Path) -> None:
    with pytest.raises(DocumentEncrypted, match="Save a copy without protection"):
        load((project_root / "tests/data/word/protected.docx").read_bytes())


def test_east_asian_paragraph_properties_do_not_disturb() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("　字下げした段落。")
    paragraph._p.get_or_add_pPr().set(qn("w:rsidR"), "00AA")
    document.core_properties.created = datetime(2026, 1, 2, 3, 4, 5)
    found = load(saved(document))
    assert found.markdown == "字下げした段落。"
    assert found.metadata["created"] == "2026-01-02T03:04:05Z"
