"""HTML: main content as Markdown with source lines; hostile pages."""

from __future__ import annotations

import pytest

from rag_assistant.errors import DocumentEmpty, ParseFailed
from rag_assistant.ingest.loaders.html import HtmlLoader
from rag_assistant.types import Document


def load(html: str | bytes, name: str = "page.html") -> Document:
    return HtmlLoader().load(html.encode() if isinstance(html, str) else html, name)


def lines_of(document: Document, text: str) -> tuple[int, int] | None:
    """Source lines of the block that holds `text`."""
    at = document.markdown.index(text)
    return [mark for mark in document.marks if mark.offset <= at][-1].place.line_range


def test_scripts_hidden_parts_and_page_furniture_are_left_out() -> None:
    document = load(
        "<html><head><title>T</title><style>p{color:red}</style><script>var secret = 1</script></head><body>"
        "<nav>Home</nav><header>Banner</header><aside>Ads</aside><div role=banner>Logo</div>"
        "<p>Kept</p><p hidden>a1</p><p style='color:red; display: none'>a2</p><p aria-hidden=true>a3</p>"
        "<template>a4</template><noscript>a5</noscript><!-- a6 --><svg><text>a7</text></svg>"
        "<footer>Imprint</footer></body></html>"
    )
    assert document.markdown == "Kept"


def test_the_main_element_is_the_content_and_an_articles_own_header_stays() -> None:
    document = load("<body><div>around</div><main><article><header><h1>Title</h1></header><p>Text</p></article></main></body>")
    assert document.markdown == "# Title\n\nText"


def test_headings_lists_tables_code_and_links_become_markdown() -> None:
    document = load(
        "<h1>Install <code>foo_bar</code></h1><p>Use <b>bold</b> and <a href='https://x.y/z'>a link</a>.</p>"
        "<ul><li>one</li><li>two<ul><li>inner</li></ul></li></ul><ol start=3><li>c</li><li>d</li></ol>"
        "<table><tr><th>A</th><th>B</th></tr><tr><td>1|x</td><td>2</td></tr></table>"
        "<pre><code class='language-python'>def f():\n\n    return 1\n</code></pre>"
    )
    assert document.markdown == (
        "# Install foo_bar\n\nUse **bold** and [a link](https://x.y/z).\n\n- one\n- two\n  - inner\n\n3. c\n4. d\n\n"
        "| A | B |\n| --- | --- |\n| 1\\|x | 2 |\n\n```python\ndef f():\n\n    return 1\n```"
    )
    assert [(heading.level, heading.title) for heading in document.headings] == [(1, "Install foo_bar")]
    heading = document.headings[0]
    assert document.markdown[heading.start : heading.end] == "# Install foo_bar"


def test_links_that_would_run_something_and_embedded_images_lose_their_target() -> None:
    document = load("<p><a href='javascript:alert(1)'>click</a> <img alt=logo src='data:image/png;base64,AAAA'> end</p>")
    assert document.markdown == "click logo end"


def test_every_block_knows_its_source_lines() -> None:
    document = load(
        "<html>\n<body>\n<h1>Head</h1>\n<p>first\nsecond</p>\n<script>\nlong\n</script>\nloose text\n"
        "<ul>\n<li>one\n<li>two\n</ul>\n"
        "<table>\n<tr><td>r1</td></tr>\n<tr><td>r2</td></tr>\n</table></body></html>"
    )
    assert lines_of(document, "Head") == (3, 3)
    assert lines_of(document, "first") == (4, 5)
    assert lines_of(document, "loose") == (9, 9)
    assert lines_of(document, "two") == (12, 12)
    assert lines_of(document, "r2") == (16, 16)


def test_paragraphs_and_items_without_end_tags_do_not_nest() -> None:
    document = load("".join(f"<p>para {n}\n" for n in range(2000)) + "<ul>" + "<li>item\n" * 1000 + "</ul>")
    assert document.markdown.startswith("para 0\n\npara 1\n\n")
    assert document.markdown.count("- item") == 1000


def test_layout_tables_and_lists_of_cards_keep_their_headings() -> None:
    document = load("<table><tr><td><h2>Cell</h2><p>a</p></td></tr></table><ul><li><h3>Card</h3><p>b</p></li></ul>")
    assert [heading.title for heading in document.headings] == ["Cell", "Card"]


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ("<meta charset=shift_jis>", "cp932"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=EUC-JP">', "euc_jp"),
        ('<?xml version="1.0" encoding="iso-8859-1"?>', "cp1252"),
    ],
)
def test_the_charset_that_the_page_declares_is_used(head: str, encoding: str) -> None:
    word = "café" if encoding == "cp1252" else "再起動"
    document = load(f"{head}<title>{word}</title><p>{word}</p>".encode(encoding))
    assert (document.markdown, document.title, document.metadata["encoding"]) == (word, word, encoding)


def test_a_byte_order_mark_wins() -> None:
    assert load("<meta charset=latin-1><p>再起動</p>".encode("utf-16")).markdown == "再起動"


def test_title_language_and_tags_come_from_the_head() -> None:
    document = load(
        "<html lang=ja-JP><head><title> A\n B </title><meta name=Keywords content='x, y'></head><body><h1>H</h1><p>t</p>"
    )
    assert (document.title, document.language, document.metadata["tags"]) == ("A B", "ja", ["x", "y"])
    assert load("<h1>H</h1><p>t</p>").title == "H"
    assert load("<p>t</p>", "dir/page.html").title == "page.html"


@pytest.mark.parametrize("tag", ["div", "b", "ul><li", "table><tr><td", "blockquote", "span"])
def test_ten_thousand_levels_of_nesting_are_reported_as_parse_failed(tag: str) -> None:
    with pytest.raises(ParseFailed, match="nested"):
        load(f"<{tag}>" * 10_000 + "deep")


@pytest.mark.parametrize("tag", ["div", "b", "ul><li", "table><tr><td", "blockquote", "dl><dd"])
def test_the_deepest_nesting_that_is_allowed_is_read(tag: str) -> None:
    depth = 140 // (tag.count("<") + 1)
    assert "deep" in load(f"<{tag}>" * depth + "deep").markdown


def test_a_page_of_five_megabytes_in_one_line_is_read() -> None:
    assert len(load("<p>" + "word " * 1_000_000 + "</p>").markdown) == 4_999_999


@pytest.mark.parametrize("html", ["<html><body></body></html>", "<script>x</script>", "<nav>only navigation</nav>", "<!-- c -->"])
def test_a_page_without_text_is_reported_as_empty(html: str) -> None:
    with pytest.raises(DocumentEmpty):
        load(html)


@pytest.mark.parametrize("html", ["<p>a</p><!", "<p>a &#xD800; &#0; &#99999999;</p>", "http://example.org/a", "a < b > c <"])
def test_what_can_be_read_of_broken_markup_is_read(html: str) -> None:
    assert load(html).markdown.strip()


@pytest.mark.parametrize("section", ["<![foo[x]]>", "<![1]]>", "<![if !IE]>", "<![endif]-->"])
def test_marked_sections_do_not_stop_the_reading(section: str) -> None:
    markdown = load(f"<p>before</p>{section}<p>after</p>").markdown
    assert markdown.startswith("before\n\n")
    assert markdown.endswith("\n\nafter")
