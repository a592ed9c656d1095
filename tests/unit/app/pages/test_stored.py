"""Plain text of pages, and outlines, out of what is stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragd.app.pages.stored import StoredPages


def stored(*pieces: tuple[str, int | None], headings: list[list[Any]] | None = None, boxed: tuple[int, ...] = ()) -> StoredPages:
    """Content of these pieces, each at a place on its page; its box says which piece it is."""
    text = ""
    marks: list[tuple[int, Mapping[str, Any]]] = []
    for number, (piece, page) in enumerate(pieces):
        if page:
            marks.append((len(text), {"page": page, "bbox": [0.1, number / 10, 0.9, (number + 1) / 10]}))
        text += piece
    return StoredPages(text, {"marks": marks, "headings": headings or []}, boxed)


def test_a_page_has_its_own_lines_and_no_others() -> None:
    pages = stored(("one ", 1), ("two\n\n", 1), ("three\n\n", 2), ("four", 4))
    assert [pages.text(number) for number in range(1, 6)] == ["one\ntwo", "three", "", "four", ""]
    assert pages.count == 4


def test_a_paragraph_begins_after_a_blank_line() -> None:
    assert stored(("one ", 1), ("two\n\n", 1), ("three", 1)).text(1) == "one\ntwo\n\nthree"


def test_a_word_that_a_line_divided_is_whole() -> None:
    assert stored(("the hyphen", 1), ("ated word ", 1), ("日本", 1), ("語", 1)).text(1) == "the hyphenated word\n日本語"


def test_signs_of_markdown_that_were_made_are_taken_away_and_those_that_were_printed_stay() -> None:
    pages = stored(
        ("## Names\n\n", 1),
        ("<foo>_<bar> # *x* ", 1),
        ("[the site](https://example.com/a) [1](not a link)\n\n", 1),
        ("| a \\| b | c<br>d |\n| --- | --- |\n", 1),
        ("| 1 |  |\n\n", 1),
        ("![page 1](asset://ab12)", 1),
        headings=[[0, 8, 2, "Names"]],
    )
    assert pages.text(1) == "Names\n\n<foo>_<bar> # *x*\nthe site [1](not a link)\n\na | b  c d\n1"


def test_boxes_are_those_of_the_pages_that_need_them() -> None:
    pages = stored(("one\n\n", 1), ("two", 2), boxed=(2,))
    assert [line.box for line in pages.lines(1)] == [None]
    assert [line.box for line in pages.lines(2)] == [(0.1, 0.1, 0.9, 0.2)]


def test_headings_have_their_place() -> None:
    pages = stored(("# A\n\n", 1), ("text\n\n", 2), ("## B", 3), headings=[[0, 3, 1, "A"], [11, 15, 2, "B"]])
    assert [(entry["title"], entry["level"], entry["start"], entry["page"]) for entry in pages.outline] == [
        ("A", 1, 0, 1),
        ("B", 2, 11, 3),
    ]


def test_what_has_no_places_has_an_outline_without_them() -> None:
    pages = StoredPages("# A\n\ntext", {"marks": [], "headings": [[0, 3, 1, "A"]]})
    assert pages.outline == [{"title": "A", "level": 1, "start": 0}]
    assert (pages.count, pages.text(1)) == (0, "")


def test_merged_cells_are_those_of_the_rows_that_begin_in_a_stretch() -> None:
    cells = [[0, 0, 1, 2, 0, "head"], [10, 1, 3, 1], [10, 2, 1, 2], [20, 1, 2, 1]]
    pages = StoredPages("", {"marks": [], "headings": [], "merged": cells})
    assert pages.merged(0, 1) == [{"start": 0, "column": 0, "rows": 1, "columns": 2, "level": 0, "text": "head"}]
    assert [(cell["start"], cell["column"]) for cell in pages.merged(1, 20)] == [(10, 1), (10, 2)]
    assert pages.merged(21, 99) == []


def test_documents_of_older_releases_have_neither_merged_cells_nor_layouts() -> None:
    pages = stored(("text", 1))
    assert (pages.merged(0, 99), pages.slides) == ([], [])


def test_paragraphs_are_joined_as_they_were_when_the_page_was_read() -> None:
    pages = stored(
        ("the hyphen", 1), ("ated word ", 1), ("goes on\n\n", 1), ("日本", 1), ("語\n\n", 1), ("another", 2), headings=[]
    )
    assert pages.paragraphs(1) == [("text", "the hyphenated word goes on"), ("text", "日本語")]
    assert (pages.paragraphs(2), pages.paragraphs(3)) == ([("text", "another")], [])


def test_headings_lists_tables_and_code_stay_what_they_are() -> None:
    pages = stored(
        ("running head\n\n", 1),
        ("## ", 1),
        ("Valves\n\n", 1),
        ("- one\n", 1),
        ("  - [two](https://example.com)\n\n", 1),
        ("| a \\| b | c<br>d |\n| --- | --- |\n", 1),
        ("| 1 |  |\n\n", 1),
        ("![page 1](asset:ab12)\n\n", 1),
        ("```\n", 1),
        ("if x:\n", 1),
        ("\n    # y\n", 1),
        ("```", 1),
        headings=[[14, 23, 2, "Valves"]],
    )
    assert stored(("Valves\n\n", 1), ("# ", 1), ("Valves", 1), headings=[[8, 16, 1, "Valves"]]).paragraphs(1) == [
        ("heading", "Valves")
    ]
    assert pages.paragraphs(1) == [
        ("text", "running head"),
        ("heading", "Valves"),
        ("text", "- one\n  - two"),
        ("table", "a | b\tc d\n1\t"),
        ("code", "if x:\n\n    # y"),
    ]


def test_signs_of_markdown_that_were_printed_stay_in_paragraphs() -> None:
    pages = stored(("# <foo>_<bar> *x*\n\n", 1), ("```\n\n", 1), ("[1](not a link)", 1))
    assert pages.paragraphs(1) == [("text", "# <foo>_<bar> *x*"), ("text", "```"), ("text", "[1](not a link)")]
