"""HTML: main content as Markdown with source lines; hostile pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragd.core.documents import Document
from ragd.core.errors import DocumentEmpty, ParseFailed, TooComplex
from ragd.formats.html.loader import HtmlLoader
from ragd.providers.protocols import ALONE, LoadContext

PAGES = Path(__file__).resolve().parents[3] / "data" / "html"
PNG = b"\x89PNG\r\n\x1a\n"


def load(html: str | bytes, name: str = "page.html", context: LoadContext = ALONE) -> Document:
    return HtmlLoader().load(html.encode() if isinstance(html, str) else html, name, context)


def load_with_pictures(html: str) -> Document:
    """Every relative reference leads to a picture of its own."""
    return load(html, context=LoadContext(linked=lambda link: PNG + link.encode()))


def found(document: Document) -> list[tuple[bytes, str]]:
    return [(picture.data.removeprefix(PNG), picture.alt) for picture in document.pictures]


def lines_of(document: Document, text: str) -> tuple[int, int] | None:
    """Source lines of the block that holds `text`."""
    at = document.markdown.index(text)
    return [mark for mark in document.marks if mark.offset <= at][-1].place.line_range


def test_scripts_hidden_parts_and_page_boilerplate_are_left_out() -> None:
    document = load(
        "<html><head><title>T</title><style>p{color:red}</style><script>var secret = 1</script></head><body>"
        "<nav>Home</nav><header>Banner</header><aside>Ads</aside><div role=banner>Logo</div>"
        "<p>Kept</p><p hidden>a1</p><p style='color:red; display: none'>a2</p><p aria-hidden=true>a3</p>"
        "<template>a4</template><noscript>a5</noscript><!-- a6 --><svg><text>a7</text></svg>"
        "<footer>Imprint</footer></body></html>"
    )
    assert document.markdown == "Kept"


def test_what_the_head_states_of_author_and_content_is_kept_although_the_head_is_not_shown() -> None:
    head = "<meta name=Author content='Ann\n B'><meta name=author content=Second><meta name=description content='How leases end'>"
    metadata = load(f"<html><head><title>T</title>{head}</head><body><p>Text</p></body></html>").metadata
    assert (metadata["author"], metadata["description"]) == ("Ann B", "How leases end")


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


def test_a_page_of_more_elements_than_are_read_is_refused_by_name(monkeypatch) -> None:
    page = "<p>a <b>word</b></p>" * 50
    monkeypatch.setattr("ragd.formats.html.tree.MAX_ELEMENTS", 100)
    assert load(page).markdown.count("**word**") == 50
    monkeypatch.setattr("ragd.formats.html.tree.MAX_ELEMENTS", 99)
    with pytest.raises(TooComplex, match=r"'page\.html' can't be read: The HTML has more than 99 elements"):
        load(page, "page.html")


@pytest.mark.slow
@pytest.mark.parametrize("tag", ["div", "b", "ul><li", "table><tr><td", "blockquote", "dl><dd"])
def test_the_deepest_nesting_that_is_allowed_is_read(tag: str) -> None:
    depth = 140 // (tag.count("<") + 1)
    assert "deep" in load(f"<{tag}>" * depth + "deep").markdown


@pytest.mark.slow
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


@pytest.mark.parametrize(
    ("page", "title", "headings", "kept", "left_out"),
    [
        ("sphinx", "Client library", ["Client library", "Install", "API"],
         ["$ pip install kestrel-client", "```python\nfrom kestrel", "enqueue(*queue*, *jobs*)",
          "| retries | none for fan-out | 0 |"],
         ["¶", "Navigation", "Powered by", "Page source"]),
        ("mkdocs-ja", "バックアップ", ["バックアップ", "手順"],
         ["毎晩 2 時", "1. 空き容量", "   ```bash\n   df -h", "     - 月末は", "- [x] 容量", "Linux Windows", "約 12 分"],
         ["ナビゲーション", "クッキー", "目次", "役に立ちました", "Copyright", "スキップ"]),
        ("docusaurus", "Rate limits", ["Rate limits", "Raising a limit"],
         ["--rate 50/s\nkestrelctl quota show", "Call `PUT /v2/quota`", "- YAML"],
         ["Home", "On this page", "cookies", "Edit this page", "Previous", "- Raising a limit"]),
        ("confluence-export-ja", "Kestrel運用 : 障害対応の記録", ["経緯", "原因", "再発防止策"],
         ["(警告)", "| 04:12 | 佐伯 | リーダーを切り替え |", "```yml\nlease_seconds: 180"],
         ["Kestrel運用 ホーム", "Document generated", "(#id"]),
        ("sharepoint", "Operations wiki - On-call rules", ["Shifts", "Hand-over", "Contacts"],
         ["| SEV1 | 5 minutes |", "extension 6120"], ["Newsfeed", "Notebook", "secured browser", "\u200b"]),
        ("table-layout-ja", "情報システム部 - サーバ室 入退室手順", ["サーバ室 入退室手順"],
         ["内線は 6120", "| 休日 | 事前申請のみ |", "- 持ち込み機器"], ["お知らせ", "設備一覧", "spacer"]),
    ],
)  # fmt: skip
def test_the_content_of_pages_of_well_known_systems_is_told_from_what_is_around_it(
    page: str, title: str, headings: list[str], kept: list[str], left_out: list[str]
) -> None:
    document = load((PAGES / f"{page}.html").read_bytes())
    assert (document.title, [heading.title for heading in document.headings]) == (title, headings)
    assert [text for text in kept if text not in document.markdown] == []
    assert [text for text in left_out if text in document.markdown] == []
    assert document.metadata["boilerplate_characters"] > 0


def test_a_name_alone_does_not_take_out_what_holds_the_title_or_most_of_the_text() -> None:
    document = load("<body><div class='has-sidebar'><h1>T</h1><p>text</p></div><div class=sidebar>x</div></body>")
    assert document.markdown == "# T\n\ntext"
    assert load(f"<div class=sidebar>{'long text ' * 50}</div><p>a</p>").markdown.startswith("long text")


def test_a_page_that_is_nothing_but_links_keeps_them() -> None:
    links = "".join(f"<li><a href='p{n}.html'>Page {n}</a></li>" for n in range(9))
    assert load(f"<body><ul>{links}</ul></body>").markdown.count("[Page") == 9


def test_notes_in_an_article_and_the_source_of_a_quotation_stay() -> None:
    document = load("<main><aside>note</aside><blockquote>q<footer>who</footer></blockquote></main>")
    assert document.markdown == "note\n\n> q\n>\n> who"


@pytest.mark.parametrize("encoding", ["shift_jis", "euc_jp", "iso2022_jp"])
def test_a_japanese_page_is_read_in_each_encoding_that_it_may_declare(encoding: str) -> None:
    html = f"<meta http-equiv=Content-Type content='text/html; charset={encoding}'><p>設定を変更したら再起動してください。</p>"
    assert load(html.encode(encoding)).markdown == "設定を変更したら再起動してください。"


def test_lists_hold_paragraphs_code_tables_and_lists_with_lines_of_their_own() -> None:
    document = load(
        "<ol>\n<li>one\n<pre><code class='language-sh'>a\n\nb</code></pre>\n</li>\n<li><p>two</p>\n"
        "<ul><li>x</li>\n<li>y</li></ul>"
        "\n<table><tr><th>h</th></tr></table></li></ol>"
    )
    assert document.markdown == ("1. one\n\n   ```sh\n   a\n   \n   b\n   ```\n2. two\n   - x\n   - y\n\n   | h |\n   | --- |")
    assert [lines_of(document, text) for text in ("```sh", "x\n", "y\n", "| h")] == [(3, 5), (8, 8), (9, 9), (10, 10)]


def test_definition_lists_quotations_and_details_keep_their_parts() -> None:
    document = load("<dl><dt>語<dd>意味<dd><p>a</p><pre>c</pre></dl><blockquote><p>q</p><p>r</p></blockquote>"
                    "<details><summary>S</summary><p>in</p></details>")  # fmt: skip
    assert document.markdown == "語\n:   意味\n:   a\n\n    ```\n    c\n    ```\n\n> q\n>\n> r\n\nS\n\nin"


def test_merged_cells_and_header_rows_leave_every_row_readable() -> None:
    document = load(
        "<table><tr><th rowspan=2>項目<th colspan=2>値<tr><th>min<th>max<tr><td rowspan=2>a<td>1<td>2<tr><td colspan=2>3</table>"
    )
    assert document.markdown == "| 項目 | 値 min | 値 max |\n| --- | --- | --- |\n| a | 1 | 2 |\n| a | 3 |  |"


def test_a_table_in_a_cell_of_data_is_written_once_in_its_cell() -> None:
    document = load("<table><tr><th>k<th>v<tr><td>x<td><table><tr><td>1<td>2<tr><td>3<td>4</table></table>")
    assert document.markdown == "| k | v |\n| --- | --- |\n| x | 1, 2; 3, 4 |"


def test_pictures_come_from_src_lazy_attributes_and_sets_as_seen_from_the_base() -> None:
    document = load_with_pictures(
        "<base href='img/'><p><img src=a.png alt=A></p><img src='data:image/gif;base64,AAAA' data-src=b.png alt=B>"
        "<picture><source srcset='c.webp 2x'><img alt=C></picture><figure><img src=d.png><figcaption>図 D</figcaption></figure>"
        "<img src=s.gif width=1 height=1><img class=emoticon src=e.png alt='(tick)'>"
    )
    assert found(document) == [(b"img/a.png", "A"), (b"img/b.png", "B"), (b"img/c.webp", "C"), (b"img/d.png", "図 D")]
    assert "(tick)" in document.markdown
    assert document.markdown.startswith(f"![A]({document.pictures[0].link})")


def test_pictures_that_are_not_there_are_reported_and_remote_ones_counted() -> None:
    document = load("<p>x <img src=a.png alt=A> <img src='https://host/b.png'></p>")
    assert document.warnings == ("pictures that could not be read: 1 (a.png)",)
    assert document.metadata["remote_pictures"] == 1
    assert document.markdown == "x ![A](a.png) ![](https://host/b.png)"


def test_a_diagram_drawn_in_svg_is_a_picture_and_an_icon_is_not() -> None:
    drawing = "<svg viewBox='0 0 9 9'><title>構成</title><text>A</text><text>B</text><linearGradient/><text>C</text></svg>"
    document = load(f"<p>x</p><![if 1]>{drawing}<svg><text>i</text></svg>")
    assert [picture.alt for picture in document.pictures] == ["構成"]
    assert document.pictures[0].data.decode() == drawing.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)


def test_the_name_of_the_site_is_left_out_of_the_title() -> None:
    assert load("<title>導入 | Kestrel</title><h1>導入</h1><p>x").title == "導入"
    assert load("<title>Installing</title><h1>Install</h1><p>x").title == "Installing"
