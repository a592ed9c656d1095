"""Markdown, plain text and source code: facts are the file, line for line; and the map from names to loaders."""

from __future__ import annotations

import pytest

from ragd.core.documents import Document
from ragd.core.errors import DocumentEmpty, DocumentUnreadable
from ragd.core.sections import split_sections
from ragd.formats.markdown.loader import MarkdownLoader
from ragd.formats.registry import doc_type_for, loader_name_for, supported_extensions
from ragd.formats.text.loader import CodeLoader, TextLoader
from ragd.providers.protocols import Loader
from ragd.providers.registry import provider_class


def load_markdown(text: str, name: str = "docs/guide.md") -> Document:
    return MarkdownLoader().load(text.encode(), name)


def titles(document: Document) -> list[tuple[int, str]]:
    return [(heading.level, heading.title) for heading in document.headings]


@pytest.mark.parametrize(
    ("name", "loader", "doc_type"),
    [
        ("a.MD", "markdown", "markdown"),
        ("dir.x/README", "text", "text"),
        ("C:\\docs\\a.txt", "text", "text"),
        ("Dockerfile", "code", "code"),
        ("CMakeLists.txt", "code", "code"),
        ("a.tar.py", "code", "code"),
        ("index.htm", "html", "html"),
        ("report.pdf", "pdf", "pdf"),
        ("photo.heic", None, None),
        ("noextension", None, None),
        (".md", None, None),
        ("", None, None),
    ],
)
def test_the_loader_is_chosen_by_the_files_name(name: str, loader: str | None, doc_type: str | None) -> None:
    assert (loader_name_for(name), doc_type_for(name)) == (loader, doc_type)


def test_every_loader_that_the_map_names_is_in_the_provider_table() -> None:
    for extension in supported_extensions():
        name = loader_name_for(f"file{extension}")
        assert name is not None
        assert isinstance(provider_class("loader", name)(), Loader)


def test_markdown_facts_are_the_file_itself() -> None:
    text = "# Title\n\nBody  with   blanks \n\n\n\nand `code`\n"
    document = MarkdownLoader().load(text.replace("\n", "\r\n").encode(), "a.md")
    assert document.verbatim
    assert document.markdown == text


def test_atx_and_setext_headings_are_found_with_their_characters() -> None:
    document = load_markdown("One\n===\n\ntext\n\nTwo\nlines\n---\n\n### Three ###\n")
    assert titles(document) == [(1, "One"), (2, "Two lines"), (3, "Three")]
    assert [document.markdown[heading.start : heading.end] for heading in document.headings] == [
        "One\n===\n",
        "Two\nlines\n---\n",
        "### Three ###\n",
    ]


def test_what_only_looks_like_a_heading_is_none() -> None:
    text = (
        "# Real\n\n```sh\n# comment in code\n```\n\n~~~\n## also code\n~~~\n\n    # indented code\n\n"
        "<!--\n# in a comment\n-->\n\n> # quoted\n\n- # in a list\n\n#nospace\n\n#\n"
    )
    assert titles(load_markdown(text)) == [(1, "Real")]


def test_marks_of_inline_markdown_are_not_in_titles() -> None:
    document = load_markdown("# The `run()` **command** [docs](http://x/y) ![logo](a.png) &amp; more\n\ntext")
    assert titles(document) == [(1, "The run() command docs logo & more")]


def test_front_matter_gives_title_tags_and_language_and_belongs_to_no_section() -> None:
    text = "---\ntitle: No\ntags: [setup, ci]\nlang: ja-JP\n---\n\nIntro\n\n# First\n\ntext\n"
    document = load_markdown(text)
    assert (document.title, document.language, document.metadata["tags"]) == ("No", "ja", ["setup", "ci"])
    assert document.markdown == text
    root = split_sections(document, "d")[0]
    assert document.markdown[root.start : root.end].strip() == "Intro"


@pytest.mark.slow
@pytest.mark.parametrize("front", ["---\n: [unclosed\n---\n", "---\n" + "[" * 5000 + "\n---\n"])
def test_front_matter_that_is_not_yaml_is_read_as_text_and_reported(front: str) -> None:
    document = load_markdown(front + "\nBody\n")
    assert document.metadata["body_start"] == 0
    assert "front matter" in document.warnings[0]


def test_a_thematic_break_at_the_top_is_not_front_matter() -> None:
    document = load_markdown("---\njust text\n---\n\nmore\n")
    assert document.metadata["body_start"] == 0
    assert not document.warnings


def test_the_title_is_the_first_level_one_heading_else_the_file_name() -> None:
    assert load_markdown("## Sub\n\n# Main\n\ntext").title == "Main"
    nameless = load_markdown("just text", name="docs/guide.md")
    assert (nameless.title, nameless.metadata["title_source"]) == ("guide.md", "file_name")


def test_markdown_of_front_matter_alone_is_reported_as_empty() -> None:
    with pytest.raises(DocumentEmpty, match="front matter"):
        load_markdown("---\ntitle: x\n---\n\n")


def test_headings_after_a_deeply_nested_list_are_found() -> None:
    nested = "".join("  " * level + "- item\n" for level in range(40))
    assert titles(load_markdown(nested + "\n# After\n\ntext\n")) == [(1, "After")]


@pytest.mark.parametrize("text", ["> " * 10_000 + "deep", "".join("  " * level + "- a\n" for level in range(1000)), "[" * 50_000])
def test_hostile_nesting_does_no_harm(text: str) -> None:
    assert load_markdown(text).markdown == text


def test_a_markdown_file_of_one_five_megabyte_line_is_read() -> None:
    assert len(load_markdown("word " * 1_000_000).markdown) == 5_000_000


@pytest.mark.parametrize("loader", [MarkdownLoader(), TextLoader(), CodeLoader()])
def test_binary_and_empty_files_are_refused_by_every_text_loader(loader: Loader) -> None:
    with pytest.raises(DocumentUnreadable):
        loader.load(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" * 50, "a.md")
    with pytest.raises(DocumentEmpty):
        loader.load(b"", "a.md")


def test_text_takes_a_short_first_line_as_title_else_the_file_name() -> None:
    assert TextLoader().load("\n\n  運用手順書 \n\n本文です。".encode(), "a.txt").title == "運用手順書"
    assert TextLoader().load(b"long " * 100, "notes/a.txt").title == "a.txt"


def test_text_in_shift_jis_becomes_facts_in_unicode() -> None:
    document = TextLoader().load("運用手順書\r\n再起動してください。\r\n".encode("cp932"), "a.txt")
    assert document.markdown == "運用手順書\n再起動してください。\n"
    assert (document.language, document.metadata["encoding"]) == ("ja", "cp932")


def test_python_functions_and_classes_become_sections_without_losing_a_character() -> None:
    source = (
        '"""Doc."""\nimport os\n\n# explains f\n@decorate\ndef f():\n    return 1\n\nX = f()\n\n\nclass A:\n'
        "    def g(self): ...\nasync def h(): ...\n"
    )
    document = CodeLoader().load(source.encode(), "a.py")
    sections = split_sections(document, "d")
    assert [section.path for section in sections] == [(), ("def f",), ("module level",), ("class A",), ("def h",)]
    assert "".join(source[section.start : section.end] for section in sections) == source
    assert source[sections[1].start :].startswith("# explains f\n@decorate\ndef f")


@pytest.mark.parametrize("source", ["def broken(:\n", "x = " + "(" * 5000, "-" * 20_000 + "1", 'x = "\\d"\n'])
def test_python_that_does_not_parse_is_still_read(source: str) -> None:
    document = CodeLoader().load(source.encode(), "a.py")
    assert document.markdown == source
    assert document.headings == ()


def test_code_knows_its_programming_language_and_its_declared_charset() -> None:
    source = "# -*- coding: euc-jp -*-\n# 設定を読み込む\nx = 1\n"
    document = CodeLoader().load(source.encode("euc_jp"), "src/a.py")
    assert document.markdown == source
    assert (document.metadata["programming_language"], document.title) == ("python", "a.py")
