"""Word and PowerPoint files of before Office 2007, with the extra `legacy-office` and without it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ragd.core.documents import Document, Place
from ragd.core.errors import DocumentEmpty, OldFormat, ParseFailed
from ragd.formats.registry import doc_type_for, doc_types_called, loader_name_for
from ragd.providers.registry import build

DATA = Path(__file__).resolve().parents[2] / "data"
DOC = (DATA / "word" / "handbook-ja.doc").read_bytes()
PPT = (DATA / "powerpoint" / "old-ja.ppt").read_bytes()


def load(data: bytes, name: str) -> Document:
    document: Document = build("loader", str(loader_name_for(name))).load(data, name)
    return document


def test_an_old_word_file_has_its_headings_lists_tables_and_links() -> None:
    document = load(DOC, "手引き.doc")
    assert [(head.level, head.title) for head in document.headings] == [
        (1, "Kestrel 運用手引き"), (1, "ノードの追加"), (1, "バックアップ"),
    ]  # fmt: skip
    assert "[設計資料](https://docs.tarnwood.example/ja/冗長化)" in document.markdown
    assert "1. パッケージを導入します。\n   1. Debian の場合は apt を使います。" in document.markdown
    assert "| セグメント | 毎週 | 一年 |" in document.markdown
    assert "4 台の過半数は 3 台なので" in document.markdown
    assert (document.title, document.language, document.doc_type) == ("Kestrel 運用手引き", "ja", "docx")
    assert document.warnings == (
        "of an old Word file pictures and the places of notes are not read; save it as .docx to have them",
        "words with furigana are not read; save it as .docx to have them",
    )


def test_an_old_presentation_is_cited_by_slide_and_its_hidden_ones_are_left_out() -> None:
    document = load(PPT, "展開.ppt")
    titles = {head.title: head.start for head in document.headings}
    assert [*titles] == ["Kestrel 3.4 の展開計画", "ワーカーの変更点"]
    assert [(mark.offset, mark.place) for mark in document.marks] == [
        (start, Place(slide=number)) for number, start in enumerate(titles.values(), 1)
    ]
    assert "[移行ガイド](https://docs.tarnwood.example/kestrel/migrate-ja)" in document.markdown
    assert "表示しないでください" not in document.markdown
    assert document.warnings[1:] == ("hidden slides were left out: slide 3",)
    assert document.doc_type == "pptx"


@pytest.mark.parametrize(("data", "name", "modern"), [(DOC, "手引き.doc", "docx"), (PPT, "展開.ppt", "pptx")])
def test_without_the_extra_the_reason_names_it(monkeypatch: pytest.MonkeyPatch, data: bytes, name: str, modern: str) -> None:
    monkeypatch.setitem(sys.modules, "office_oxide", None)
    with pytest.raises(OldFormat, match=rf"'{name}' .*`rag extras add legacy-office`.* save it as \.{modern}"):
        load(data, name)


@pytest.mark.parametrize("share", [0.01, 0.2, 0.6])
@pytest.mark.parametrize(("data", "name"), [(DOC, "手引き.doc"), (PPT, "展開.ppt")])
def test_what_is_cut_off_is_refused_with_its_name(data: bytes, name: str, share: float) -> None:
    with pytest.raises(ParseFailed, match=f"'{name}'"):
        load(data[: int(len(data) * share)], name)


def test_an_old_file_by_a_new_name_is_read_and_an_empty_one_refused() -> None:
    assert "# バックアップ" in load(DOC, "手引き.docx").markdown
    with pytest.raises(DocumentEmpty):
        load(b"", "手引き.doc")


def test_they_are_of_the_types_of_their_successors() -> None:
    assert (doc_type_for("a.doc"), doc_type_for("a.ppt"), doc_type_for("a.pps")) == ("docx", "pptx", "pptx")
    assert (doc_types_called("doc"), doc_types_called("ppt")) == (("docx",), ("pptx",))
