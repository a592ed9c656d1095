"""reStructuredText, AsciiDoc, Org and TeX: headings by their lines, in facts that are the file itself."""

from __future__ import annotations

import pytest

from ragd.core.documents import Document
from ragd.formats.text.loader import TextLoader


def load(text: str, name: str) -> Document:
    document = TextLoader().load(text.encode(), name)
    assert document.markdown == text
    return document


def headings(text: str, name: str) -> list[tuple[int, str, str]]:
    document = load(text, name)
    return [(found.level, found.title, text[found.start : found.end]) for found in document.headings]


def test_titles_of_restructuredtext_have_the_level_of_their_style() -> None:
    text = "====\nRoot\n====\n\n導入\n----\n\ntext\n\nSub ``code``\n~~~~~~~~~~~~\n\nSecond\n------\n"
    assert headings(text, "a.rst") == [
        (1, "Root", "====\nRoot\n====\n"),
        (2, "導入", "導入\n----\n"),
        (3, "Sub code", "Sub ``code``\n~~~~~~~~~~~~\n"),
        (2, "Second", "Second\n------\n"),
    ]


def test_tables_transitions_and_literal_blocks_of_restructuredtext_are_no_titles() -> None:
    text = "Title\n=====\n\n===== =====\na     b\n===== =====\n\n----\n\nlike::\n\n    Code\n    ====\n\ntwo\nlines\n-----\n"
    assert [title for _, title, _ in headings(text, "a.rst")] == ["Title"]


def test_titles_of_asciidoc_stand_outside_of_its_blocks() -> None:
    text = "= Guide\n\n== 手順 ==\n\n----\n== no\n----\n\n====\n== no\n====\n\n=== Sub\n"
    assert [(level, title) for level, title, _ in headings(text, "a.adoc")] == [(1, "Guide"), (2, "手順"), (3, "Sub")]


def test_underlined_titles_of_old_asciidoc_are_told_from_blocks() -> None:
    text = "Guide\n=====\n\nStart\n-----\n\n-----\ncode\n-----\n"
    assert [(level, title) for level, title, _ in headings(text, "a.asciidoc")] == [(1, "Guide"), (2, "Start")]


def test_headings_of_org_lose_keywords_tags_and_links() -> None:
    text = "#+TITLE: 運用\n* TODO [#A] One :tag:\n#+begin_src sh\n* no\n#+end_src\n** [[https://x][Two]]\n"
    document = load(text, "a.org")
    assert [(found.level, found.title) for found in document.headings] == [(1, "One"), (2, "Two")]
    assert document.title == "運用"


def test_sections_of_tex_are_found_outside_of_comments_and_verbatim() -> None:
    text = (
        "\\title{設計 \\textbf{書}}\n% \\section{no}\n\\section*{One \\emph{two}}\ntext\n"
        "\\begin{verbatim}\n\\section{no}\n\\end{verbatim}\n\\subsection[s]{三} text\n"
    )
    document = load(text, "a.tex")
    assert [(found.level, found.title) for found in document.headings] == [(3, "One two"), (4, "三")]
    assert [text[found.start : found.end] for found in document.headings] == [
        "\\section*{One \\emph{two}}\n",
        "\\subsection[s]{三}",
    ]
    assert document.title == "設計 書"


def test_pictures_of_these_formats_are_reported_as_not_read() -> None:
    assert load("T\n=\n\n.. image:: a.png\n", "a.rst").warnings[0].endswith("1 (a.png)")
    assert load("image::b.png[alt]\n", "a.adoc").warnings[0].endswith("1 (b.png)")


@pytest.mark.parametrize("name", ["a.log", "a.srt", "a.vtt"])
def test_the_first_line_of_logs_and_subtitles_is_no_title(name: str) -> None:
    assert load("1\n00:00:01 --> 00:00:02\nこんにちは\n", name).title == name


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.rst", "a.adoc", "a.org", "a.tex"])
@pytest.mark.parametrize("piece", ["==\n", "\\section{", "`", "[[", "image::", ":a:", "* a\n", "\\begin{verbatim}"])
def test_hostile_repetition_costs_no_more_than_its_length(name: str, piece: str) -> None:
    load(piece * 10_000, name)
