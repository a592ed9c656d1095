"""Confluence pages: storage format as Markdown, construct by construct."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any
from urllib.parse import quote

import pytest

from ragd.core.documents import Document
from ragd.core.errors import DocumentEmpty, ParseFailed
from ragd.formats.confluence.loader import ConfluenceLoader
from ragd.formats.confluence.macros import NAVIGATION
from ragd.providers.registry import build

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n drawn").decode()


def envelope(body: str = "", **changes: Any) -> dict[str, Any]:
    return {
        "format": "confluence/1",
        "deployment": "cloud",
        "kind": "page",
        "id": "123",
        "title": "Setup",
        "space": {"key": "DEV", "name": "Development"},
        "url": "https://wiki.example/wiki/spaces/DEV/pages/123/Setup",
        "body": {"representation": "storage", "value": body},
        **changes,
    }


def load(body: str = "", **changes: Any) -> Document:
    return read(envelope(body, **changes))


def read(values: dict[str, Any]) -> Document:
    return ConfluenceLoader().load(json.dumps(values).encode(), "123.json")


def text_of(body: str, **changes: Any) -> str:
    """The facts below the title."""
    title, _, rest = load(body, **changes).markdown.partition("\n\n")
    assert title == "# Setup"
    return rest


def macro(name: str, body: str = "", /, **parameters: str) -> str:
    """`default` is the parameter without a name."""
    inner = "".join(
        f'<ac:parameter ac:name="{"" if key == "default" else key}">{value}</ac:parameter>' for key, value in parameters.items()
    )
    return f'<ac:structured-macro ac:name="{name}" ac:schema-version="1">{inner}{body}</ac:structured-macro>'


def rich(body: str) -> str:
    return f"<ac:rich-text-body>{body}</ac:rich-text-body>"


def plain(text: str) -> str:
    return f"<ac:plain-text-body><![CDATA[{text}]]></ac:plain-text-body>"


@pytest.mark.parametrize("body", ["", "<p></p>", "<p>&nbsp;</p><p><br /></p>"])
def test_a_page_with_a_title_and_nothing_else_is_refused_as_empty(body: str) -> None:
    for representation in ("storage", "view"):
        with pytest.raises(DocumentEmpty, match="page 123 has a title and nothing else"):
            read(envelope() | {"body": {"representation": representation, "value": body}})
    comment = {
        "id": "9",
        "kind": "footer",
        "author": "Ann",
        "created": "",
        "value": "<p>Kept.</p>",
        "selection": "",
        "resolved": False,
        "replies": [],
    }
    assert "Kept." in text_of(body, comments=[comment])


def page_link(title: str, space: str = "", inside: str = "", anchor: str = "") -> str:
    key = f' ri:space-key="{space}"' if space else ""
    at = f' ac:anchor="{anchor}"' if anchor else ""
    return f'<ac:link{at}><ri:page ri:content-title="{title}"{key} />{inside}</ac:link>'


def include(title: str, kind: str = "include", space: str = "", /, **parameters: str) -> str:
    return macro(kind, default=page_link(title, space), **parameters)


def test_the_loader_is_in_the_provider_table() -> None:
    assert isinstance(build("loader", "confluence"), ConfluenceLoader)


def test_headings_stand_one_level_below_the_title_and_none_deeper_than_six() -> None:
    document = load("<h1>Install</h1><h2>手順 <em>一</em></h2><h6>Deep</h6>")
    assert document.markdown == "# Setup\n\n## Install\n\n### 手順 一\n\n###### Deep"
    assert [(found.level, found.title) for found in document.headings] == [
        (1, "Setup"),
        (2, "Install"),
        (3, "手順 一"),
        (6, "Deep"),
    ]
    assert [document.markdown[found.start : found.end] for found in document.headings][2] == "### 手順 一"


@pytest.mark.parametrize(
    ("body", "markdown"),
    [
        ("<p>a <strong>b</strong> <em>i</em> <u>u</u> <del>s</del> <code>c_d*</code></p>", "a **b** *i* u ~~s~~ `c_d*`"),
        ('<p><span style="text-decoration: line-through;">old</span></p>', "~~old~~"),
        ("<p>H<sub>2</sub>O, 10<sup>3</sup>, x<sup>k+m</sup></p>", "H2O, 10³, x^(k+m)"),
        ("<p>first<br/>second</p>", "first  \nsecond"),
        ("<p>a&nbsp;&rarr; b &amp; &unknown; &lt;tag&gt;</p><p>&nbsp;</p>", "a → b & &unknown; <tag>"),
        ("<p>設定を<strong>変更</strong>する</p>", "設定を**変更**する"),
        ("<pre>a\n  b</pre>", "```\na\n  b\n```"),
        ("<blockquote><p>q</p></blockquote>", "> q"),
        ('<p><time datetime="2026-02-03" /></p>', "2026-02-03"),
        ('<p><ac:emoticon ac:name="tick" /> <ac:emoticon ac:name="blue-star" ac:emoji-fallback="✅" /></p>', "(tick) ✅"),
        ('<p>a <ac:inline-comment-marker ac:ref="x">b</ac:inline-comment-marker> c</p>', "a b c"),
        ("<p>a<ac:placeholder>Write here</ac:placeholder></p>", "a"),
    ],
)
def test_inline_markup_becomes_markdown(body: str, markdown: str) -> None:
    assert text_of(body) == markdown


@pytest.mark.parametrize(
    ("body", "markdown"),
    [
        ('<a href="https://x.example/a b">t</a>', "[t](https://x.example/a%20b)"),
        ('<a href="https://x.example/(a)" data-card-appearance="inline"></a>', "[https://x.example/(a)](https://x.example/%28a%29)"),
        ('<a href="/wiki/x">t</a>', "[t](https://wiki.example/wiki/x)"),
        ('<a href="mailto:a@b.example">mail</a>', "[mail](mailto:a@b.example)"),
        ('<a href="javascript:alert(1)">t</a>', "t"),
        (page_link("Guide"), "Guide"),
        (page_link("手引き", "DOC"), "DOC: 手引き"),
        (page_link("Guide", "DOC", "<ac:link-body>the <b>guide</b></ac:link-body>"), "the **guide** (DOC: Guide)"),
        (page_link("Guide", inside="<ac:plain-text-link-body><![CDATA[Guide]]></ac:plain-text-link-body>"), "Guide"),
        (page_link("Guide", inside="<ac:plain-text-link-body><![CDATA[a<b]]></ac:plain-text-link-body>"), "a<b (Guide)"),
        (page_link("Guide", anchor="Limits"), "Guide # Limits"),
        ('<ac:link ac:anchor="here"><ac:link-body>down</ac:link-body></ac:link>', "down"),
        ('<ac:link><ri:attachment ri:filename="f (1).pdf" /></ac:link>', "[f (1).pdf](https://wiki.example/f%20%281%29.pdf)"),
        (
            '<ac:link><ri:attachment ri:filename="f (1).pdf" /><ac:link-body>the file</ac:link-body></ac:link>',
            "[the file](https://wiki.example/f%20%281%29.pdf) (f (1).pdf)",
        ),
        (
            '<ac:link><ri:attachment ri:filename="f (1).pdf"><ri:page ri:content-title="Other" /></ri:attachment></ac:link>',
            "f (1).pdf (Other)",
        ),
        ('<ac:link><ri:user ri:account-id="u1" /></ac:link>', "@佐伯 愛"),
        ('<ac:link><ri:user ri:userkey="u9" /></ac:link>', "@unknown user"),
        ('<ac:link><ri:space ri:space-key="OPS" /></ac:link>', "space OPS"),
    ],
)  # fmt: skip
def test_links_say_where_they_lead(body: str, markdown: str) -> None:
    attachments = {"f (1).pdf": {"id": "1", "url": "https://wiki.example/f (1).pdf"}}
    assert text_of(f"<p>{body}</p>", attachments=attachments, users={"u1": "佐伯 愛"}) == markdown


def test_lists_nest_and_mix_also_where_one_stands_beside_the_items_of_another() -> None:
    body = (
        "<ul><li><p>one</p><ol><li>a</li><li>b</li></ol></li><ul><li>odd</li></ul><li>two</li></ul>"
        '<ol start="3"><li>三</li><li>四</li></ol>'
    )
    assert text_of(body) == "- one\n  1. a\n  2. b\n  - odd\n- two\n\n3. 三\n4. 四"


def test_tasks_show_whether_they_are_done() -> None:
    body = (
        "<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-status>complete</ac:task-status>"
        "<ac:task-body><p>Order</p></ac:task-body></ac:task><ac:task><ac:task-id>2</ac:task-id>"
        '<ac:task-status>incomplete</ac:task-status><ac:task-body><span>確認 <time datetime="2026-02-03" /></span>'
        "<ac:task-list><ac:task><ac:task-status>complete</ac:task-status><ac:task-body>part</ac:task-body></ac:task></ac:task-list>"
        "</ac:task-body></ac:task></ac:task-list>"
    )
    assert text_of(body) == "- [x] Order\n- [ ] 確認 2026-02-03\n  - [x] part"


def test_merged_cells_leave_every_row_readable() -> None:
    body = (
        "<table><colgroup><col/></colgroup><tbody><tr><th><p>項目</p></th><th colspan='2'>値</th></tr>"
        "<tr><td rowspan='2'>queue</td><td>1|x</td><td>2</td></tr><tr><td colspan='2'>3</td></tr></tbody></table>"
    )
    assert text_of(body) == "| 項目 | 値 | 値 |\n| --- | --- | --- |\n| queue | 1\\|x | 2 |\n| queue | 3 |  |"


def test_header_columns_nested_tables_and_blocks_in_cells_stay_in_their_row() -> None:
    cell = macro("code", plain("a\nb"), language="sh") + macro("status", title="DONE") + "<h3>Inner</h3><ul><li>l</li></ul>"
    body = f"<table><tr><th>k</th><td>{cell}</td></tr>"
    body += "<tr><th>n</th><td><table><tr><td>1</td><td>2</td></tr></table></td></tr></table>"
    assert text_of(body) == "| k | `a b` [DONE] **Inner** - l |\n| --- | --- |\n| n | 1, 2 |"


def test_code_keeps_its_text_language_and_title() -> None:
    code = "if a < b:\n    go() # &amp; ]]]]><![CDATA[>"
    assert text_of(macro("code", plain(code), language="py", title="実行")) == (
        "**実行**\n\n```python\nif a < b:\n    go() # &amp; ]]>\n```"
    )
    assert text_of(macro("noformat", plain("x *y*"))) == "```\nx *y*\n```"


@pytest.mark.parametrize(("name", "label"), [("info", "Info"), ("note", "Note"), ("tip", "Tip"), ("warning", "Warning")])
def test_panels_are_quotations_with_what_they_are(name: str, label: str) -> None:
    assert text_of(macro(name, rich("<p>再起動</p><ul><li>x</li></ul>"))) == f"> **{label}**\n>\n> 再起動\n>\n> - x"
    assert text_of(macro(name, rich("<p>b</p>"), title="T")) == f"> **{label}: T**\n>\n> b"


def test_a_panel_with_headings_keeps_them_as_headings() -> None:
    document = load(macro("panel", rich("<h2>In</h2><p>b</p>"), title="T"))
    assert document.markdown == "# Setup\n\n**T**\n\n### In\n\nb"
    assert [found.title for found in document.headings] == ["Setup", "In"]


def test_panels_of_the_new_editor_are_written_once() -> None:
    body = (
        '<ac:adf-extension><ac:adf-node type="panel"><ac:adf-attribute key="panel-type">note</ac:adf-attribute><ac:adf-content>'
        "<p>注意</p></ac:adf-content></ac:adf-node><ac:adf-fallback><div><p>注意</p></div></ac:adf-fallback></ac:adf-extension>"
    )
    assert text_of(body) == "> **Note**\n>\n> 注意"
    unknown = body.replace('type="panel"', 'type="new-thing"')
    assert text_of(unknown) == "注意"


@pytest.mark.parametrize(
    ("body", "markdown"),
    [
        (macro("expand", rich("<p>in</p>"), title="More"), "**More**\n\nin"),
        (f"<p>State: {macro('status', title='IN PROGRESS', colour='Yellow')} now</p>", "State: [IN PROGRESS] now"),
        (macro("section", rich(macro("column", rich("<p>l</p>")) + macro("column", rich("<p>r</p>")))), "l\n\nr"),
        ("<ac:layout><ac:layout-section><ac:layout-cell><p>l</p></ac:layout-cell><ac:layout-cell><p>r</p></ac:layout-cell>"
         "</ac:layout-section></ac:layout>", "l\n\nr"),
        (macro("excerpt", rich("<p>kept</p>"), hidden="true"), "kept"),
        (macro("details", rich("<table><tr><th>Owner</th><td>Ai</td></tr></table>")), "| Owner | Ai |\n| --- | --- |"),
        (macro("anchor", default="here") + "<p>x</p>", "x"),
        (macro("mermaid", plain("graph TD; A-->B")), "```mermaid\ngraph TD; A-->B\n```"),
        (macro("plantuml", plain("A -> B"), title="Flow"), "**Flow**\n\n```plantuml\nA -> B\n```"),
        (macro("markdown", plain("## 見出し\n\n- a `b`\n\n| k |\n| - |\n| v |")),
         "### 見出し\n\n- a `b`\n\n| k |\n| --- |\n| v |"),
        (macro("html", plain("<p>shown</p><script>not()</script>")), "shown"),
        (macro("mathblock", plain(r"\frac{a}{b}")), r"$$\frac{a}{b}$$"),
        (f"<p>so {macro('mathinline', default='x^2')}</p>", "so $x^2$"),
        (macro("widget", url='<ri:url ri:value="https://video.example/1" />'),
         "<https://video.example/1>"),
        (macro("iframe", src="https://board.example/2"), "<https://board.example/2>"),
        (macro("chart", rich("<table><tr><th>Q</th></tr><tr><td>7</td></tr></table>"), title="Sales", xLabel="Quarter"),
         "**Sales (x: Quarter)**\n\n| Q |\n| --- |\n| 7 |"),
        (macro("view-file", name='<ri:attachment ri:filename="a.pdf" />'), "[a.pdf](https://wiki.example/a.pdf)"),
        (macro("attachments"), "- [a.pdf](https://wiki.example/a.pdf)"),
    ],
)  # fmt: skip
def test_macros_show_what_they_hold(body: str, markdown: str) -> None:
    assert text_of(body, attachments={"a.pdf": {"url": "https://wiki.example/a.pdf"}}) == markdown


def test_a_roadmap_gives_its_lanes_bars_and_markers() -> None:
    plan = {
        "title": "2026",
        "lanes": [{"title": "検索", "bars": [{"title": "Index", "startDate": "2026-01-05 00:00", "description": "new"}]}],
        "markers": [{"title": "Release", "markerDate": "2026-03-01 00:00"}],
    }
    markdown = text_of(macro("roadmap", source=quote(json.dumps(plan))))
    assert markdown == "**Roadmap**\n\n- 2026\n- 検索: Index (2026-01-05): new\n- Release (2026-03-01)"


@pytest.mark.parametrize("name", sorted(NAVIGATION))
def test_navigation_has_no_text_of_its_own(name: str) -> None:
    assert text_of(f"{macro(name)}<p>x</p>") == "x"


def test_an_unknown_macro_leaves_a_note_and_its_text() -> None:
    document = load(macro("weather", rich("<p>晴れ</p>"), title="Today") + macro("other", plain("raw < text")))
    assert document.markdown == (
        '# Setup\n\n[Confluence macro "weather" (title: Today): not shown here]\n\n晴れ\n\n'
        '[Confluence macro "other": not shown here]\n\n```\nraw < text\n```'
    )
    assert document.warnings == ("macros that are not known: 2",)


def test_a_jira_key_shows_what_is_known_of_the_issue() -> None:
    known = {"PROJ-1": {"summary": "再起動が遅い", "status": "Open", "url": "https://jira.example/browse/PROJ-1"}}
    body = f"<p>See {macro('jira', key='PROJ-1')} and {macro('jira', key='PROJ-2')}.</p>"
    assert text_of(body, jira=known) == "See [PROJ-1: 再起動が遅い](https://jira.example/browse/PROJ-1) [Open] and PROJ-2."


def test_a_jira_query_shows_its_rows_as_far_as_they_are_known() -> None:
    known = {f"PROJ-{n}": {"summary": f"s{n}", "status": "Open", "url": f"https://j.example/PROJ-{n}"} for n in (1, 2, 3)}
    body = macro("jira", jqlQuery="project = PROJ") + f"<p>{macro('jira', key='PROJ-3')}</p>"
    assert "| [PROJ-1](https://j.example/PROJ-1) | s1 | Open |\n| [PROJ-2](https://j.example/PROJ-2) | s2 | Open |" in (
        shown := text_of(body, jira=known)
    )
    assert shown.startswith("**Jira issues:** `project = PROJ`\n\n| Key | Summary | Status |")
    two = macro("jira", jqlQuery="key in (PROJ-2)") + macro("jira", jqlQuery="project = PROJ")
    assert text_of(two, jira=known).count("| [PROJ-") == 1


def test_included_pages_and_excerpts_are_marked_with_where_they_are_from() -> None:
    other = {"title": "Other", "value": "<h1>共通</h1>" + macro("excerpt", rich("<p>in short</p>")), "url": "https://w.example/o"}
    assert (
        text_of(include("Other"), includes={"Other": other}) == "*From page [Other](https://w.example/o):*\n\n## 共通\n\nin short"
    )
    assert text_of(include("Other", "excerpt-include"), includes={"Other": other}) == (
        "*From excerpt of page [Other](https://w.example/o):*\n\nin short"
    )


def test_a_named_excerpt_is_the_one_that_is_included() -> None:
    value = macro("excerpt", rich("<p>one</p>"), name="a") + macro("excerpt", rich("<p>two</p>"), name="b")
    shown = text_of(include("O", "excerpt-include", name="b"), includes={"O": {"title": "O", "value": value, "url": ""}})
    assert ("two" in shown, "one" in shown) == (True, False)


@pytest.mark.parametrize(
    ("body", "note"),
    [
        (include("Missing"), '[page "Missing" is included here; it could not be read]'),
        (include("Other", "include", "OPS"), '[page "OPS: Other" is included here; it could not be read]'),
        (include("Setup"), '[page "Setup" is included here, inside of itself]'),
        (include("Other", "excerpt-include"), '[excerpt of page "Other" is included here; that page has none]'),
    ],
)
def test_what_can_not_be_included_is_noted(body: str, note: str) -> None:
    document = load(body, includes={"Other": {"title": "Other", "value": "<p>o</p>", "url": ""}})
    assert document.markdown == f"# Setup\n\n{note}"
    assert document.warnings == ("included pages that are not shown: 1",)


def test_pictures_come_with_their_bytes_alt_text_caption_and_place() -> None:
    body = (
        "<h1>Plan</h1><ac:image ac:alt='構成図'><ri:attachment ri:filename='p.png' />"
        "<ac:caption><p>Figure 1</p></ac:caption></ac:image><p><ac:image><ri:attachment ri:filename='q.png' /></ac:image></p>"
        "<ac:image ac:alt='far'><ri:url ri:value='https://img.example/x.png' /></ac:image>"
        "<ac:image><ri:attachment ri:filename='lost.png' /></ac:image>"
    )
    document = load(body, pictures={"p.png": PNG}, attachments={"q.png": {"url": "/download/q.png"}})
    [found] = document.pictures
    assert document.markdown == (
        f"# Setup\n\n## Plan\n\n![構成図]({found.link})\n\nFigure 1\n\n![q.png](https://wiki.example/download/q.png)\n\n"
        "![far](https://img.example/x.png)\n\n[picture: lost.png]"
    )
    assert (found.data, found.alt, found.place.anchor) == (base64.b64decode(PNG), "構成図", "#Plan")


def test_files_of_an_included_page_are_not_mistaken_for_those_of_the_page() -> None:
    value = "<ac:image><ri:attachment ri:filename='p.png' /></ac:image>"
    document = load(include("O"), pictures={"p.png": PNG}, includes={"O": {"title": "O", "value": value, "url": ""}})
    assert document.pictures == ()
    assert document.markdown.endswith("[picture: p.png]")


GRAPH = (
    '<mxGraphModel><root><mxCell id="0"/><mxCell id="1" value="&lt;b&gt;受付&lt;/b&gt;&lt;br&gt;desk"/>'
    '<UserObject id="2" label="Queue"><mxCell vertex="1"/></UserObject>'
    '<mxCell id="3" edge="1" source="1" target="2" value="puts"/></root></mxGraphModel>'
)


def packed(xml: str) -> str:
    engine = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(engine.compress(quote(xml).encode()) + engine.flush()).decode()


@pytest.mark.parametrize("content", [GRAPH, packed(GRAPH)], ids=["plain", "packed"])
@pytest.mark.parametrize("name", ["drawio", "inc-drawio", "drawio-sketch", "gliffy"])
def test_words_in_a_drawing_can_be_found_under_its_name(name: str, content: str) -> None:
    drawings = {"flow": f"<mxfile><diagram name='Page-1'>{content}</diagram></mxfile>"}
    body = macro(name, **({"name": "flow"} if name == "gliffy" else {"diagramName": "flow"}))
    assert text_of(body, drawings=drawings) == "**Diagram: flow**\n\n- 受付 desk\n- Queue\n- 受付 desk → Queue: puts"


@pytest.mark.parametrize("source", ["", "<mxfile", "<mxfile><diagram>!!!</diagram></mxfile>", "{}"])
def test_a_drawing_that_can_not_be_read_keeps_its_name(source: str) -> None:
    document = load(macro("drawio", diagramName="流れ"), drawings={"流れ": source})
    assert document.markdown == "# Setup\n\n**Diagram: 流れ**"
    assert document.warnings == (("drawings that could not be read: 1",) if source else ())


def test_a_body_that_is_only_there_as_html_is_read_as_such() -> None:
    value = (
        "<h1>Head</h1><p>本文 <b>b</b> <a href='/x'>l</a></p><script>x()</script><blockquote><h2>q</h2></blockquote><h1>Head</h1>"
        "<img src='/download/attachments/123/p.png?version=2' alt='構成図'>"
    )
    values = envelope(pictures={"p.png": PNG}) | {"body": {"representation": "view", "value": value}}
    document = ConfluenceLoader().load(json.dumps(values).encode(), "x")
    [found] = document.pictures
    assert document.markdown == (
        f"# Setup\n\n## Head\n\n本文 **b** [l](https://wiki.example/x)\n\n> ### q\n\n## Head\n\n![構成図]({found.link})"
    )
    assert [mark.place.anchor for mark in document.marks] == [None, "#Head", "#Head.1"]
    assert found.place.anchor == "#Head.1"


def test_what_is_not_an_envelope_is_refused_with_the_reason() -> None:
    for data, reason in [
        (b"{", "not JSON"),
        (b"[]", "not a JSON object"),
        (b"\xff", "not JSON"),
        (b'{"format": "x/2"}', '"x/2"'),
    ]:
        with pytest.raises(ParseFailed, match=reason):
            ConfluenceLoader().load(data, "x")
