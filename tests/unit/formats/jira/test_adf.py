"""The Atlassian Document Format as Markdown: every node and mark, and documents that nobody would write."""

from __future__ import annotations

import re
import time
from random import Random
from typing import Any

import pytest

from ragd.formats.jira.adf import MAX_DEPTH, write_adf
from ragd.formats.jira.content import IssueContent

Node = dict[str, Any]


def text(value: str, *marks: str | Node) -> Node:
    node: Node = {"type": "text", "text": value}
    if marks:
        node["marks"] = [{"type": mark} if isinstance(mark, str) else mark for mark in marks]
    return node


def node(kind: str, *content: Node, **attrs: Any) -> Node:
    return {"type": kind, **({"attrs": attrs} if attrs else {}), **({"content": list(content)} if content else {})}


def paragraph(*content: Node | str) -> Node:
    return node("paragraph", *(text(part) if isinstance(part, str) else part for part in content))


def item(*content: Node | str) -> Node:
    return node("listItem", *(paragraph(part) if isinstance(part, str) else part for part in content))


def written_of(*content: Node, below: int = 2, users: dict[str, str] | None = None) -> IssueContent:
    written = IssueContent()
    write_adf(written, {"type": "doc", "version": 1, "content": list(content)}, below, users or {})
    return written


def markdown(*content: Node, **options: Any) -> str:
    return written_of(*content, **options).markdown


def link(address: str) -> Node:
    return {"type": "link", "attrs": {"href": address}}


def test_headings_stand_below_their_section_and_are_told_with_their_range() -> None:
    written = written_of(
        node("heading", text("再現手順 Steps"), level=1), paragraph("one"), node("heading", text("Deep"), level=6)
    )
    shown, headings = written.markdown, written.headings
    assert shown == "### 再現手順 Steps\n\none\n\n###### Deep"
    assert [(found.level, found.title, shown[found.start : found.end]) for found in headings] == [
        (3, "再現手順 Steps", "### 再現手順 Steps"),
        (6, "Deep", "###### Deep"),
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ([text("bold", "strong"), text(" and "), text("em", "em")], "**bold** and *em*"),
        ([text("gone", "strike"), text(" "), text("under", "underline")], "~~gone~~ under"),
        ([text("both", "strong", "em")], "***both***"),
        ([text("foo_bar", "code"), text(" "), text("a`b", "code")], "`foo_bar` ``a`b``"),
        ([text("red", {"type": "textColor", "attrs": {"color": "#ff0000"}})], "red"),
        ([text("H"), text("2", {"type": "subsup", "attrs": {"type": "sub"}}), text("O")], "H2O"),
        ([text("10"), text("6", {"type": "subsup", "attrs": {"type": "sup"}})], "10^6"),
        (
            [text("the guide", link("https://docs.tarnwood.example/a_(b)"))],
            "[the guide](https://docs.tarnwood.example/a_%28b%29)",
        ),
        ([text("https://tarnwood.example", link("https://tarnwood.example"))], "https://tarnwood.example"),
        ([text("run", link("javascript:alert(1)"))], "run"),
        ([text("half ", "strong"), text("done", "strong"), text(" now")], "**half done** now"),
        ([text("one"), node("hardBreak"), text("two")], "one\ntwo"),
    ],
)
def test_marks_become_their_markdown(content: list[Node], expected: str) -> None:
    assert markdown(node("paragraph", *content)) == expected


def test_emphasis_inside_of_a_word_does_not_part_it() -> None:
    assert markdown(paragraph(text("ORA-"), text("00942", "strong"), text("x"), text(" ok", "strong"))) == "ORA-00942x **ok**"
    assert markdown(paragraph(text("重要", "strong"), text("な設定"))) == "重要な設定"


def test_error_texts_and_identifiers_stay_as_they_are() -> None:
    said = "[ERROR] foo_bar_baz a*b*c -Xmx512m C:\\temp\\_new PROJ-1 <init> # no heading"
    assert markdown(paragraph(said)) == said


@pytest.mark.parametrize(
    ("inline", "expected"),
    [
        (node("mention", id="5b1", text="@林 美咲"), "@林 美咲"),
        (node("mention", id="5b1"), "@Mara Lindqvist"),
        (node("mention", id="unheard"), "@unknown user"),
        (node("emoji", shortName=":warning:", text="⚠️"), "⚠️"),
        (node("emoji", shortName=":tarnwood:"), ":tarnwood:"),
        (node("date", timestamp="1767225600000"), "2026-01-01"),
        (node("status", text="IN PROGRESS", color="blue"), "IN PROGRESS"),
        (node("inlineCard", url="https://tarnwood.example/browse/PROJ-7"), "https://tarnwood.example/browse/PROJ-7"),
        (node("inlineCard", data={"url": "https://x.example/1", "name": "One"}), "[One](https://x.example/1)"),
        (node("mediaInline", id="u-1", alt="trace.log"), "[image: trace.log]"),
        (node("inlineExtension", extensionKey="poll", text="Vote"), "[extension poll: Vote]"),
        (node("placeholder", text="Write here"), "Write here"),
    ],
)
def test_inline_nodes_say_what_they_show(inline: Node, expected: str) -> None:
    assert markdown(paragraph(inline), users={"5b1": "Mara Lindqvist"}) == expected


def test_lists_nest_and_hold_blocks() -> None:
    nested = item("first", node("orderedList", item("one"), item("two"), order=3))
    code = item("second", node("codeBlock", text("x = 1\ny = 2"), language="python"))
    assert markdown(node("bulletList", nested, code, item("第三"))) == (
        "- first\n  3. one\n  4. two\n- second\n\n  ```python\n  x = 1\n  y = 2\n  ```\n- 第三"
    )


def test_tasks_and_decisions_keep_their_state() -> None:
    tasks = node(
        "taskList",
        node("taskItem", text("restart shard 3"), state="DONE"),
        node("taskItem", text("write the report"), state="TODO"),
        node("taskList", node("taskItem", text("ask Joan"), state="TODO")),
    )
    decisions = node("decisionList", node("decisionItem", text("We keep 30 days"), state="DECIDED"))
    assert markdown(tasks, decisions) == (
        "- [x] restart shard 3\n- [ ] write the report\n  - [ ] ask Joan\n\n- Decision: We keep 30 days"
    )


def test_code_blocks_panels_quotes_and_expands_are_told_apart() -> None:
    shown = markdown(
        node("codeBlock", text("echo '```'"), language="bash"),
        node("panel", paragraph("Mind the gap"), panelType="warning"),
        node("blockquote", paragraph("quoted"), node("bulletList", item("in it"))),
        node("expand", paragraph("hidden"), title="詳細 Details"),
        node("rule"),
        node("layoutSection", node("layoutColumn", paragraph("left")), node("layoutColumn", paragraph("right"))),
    )
    assert shown == (
        "````bash\necho '```'\n````\n\n> **Warning**\n>\n> Mind the gap\n\n> quoted\n> - in it\n\n"
        "**詳細 Details**\n\nhidden\n\n---\n\nleft\n\nright"
    )


def cell(content: Node | str, kind: str = "tableCell", **attrs: int) -> Node:
    return node(kind, paragraph(content) if isinstance(content, str) else content, **attrs)


def test_merged_cells_are_filled_so_that_each_row_reads_alone() -> None:
    table = node(
        "table",
        node("tableRow", cell("Host", "tableHeader"), cell("負荷", "tableHeader", colspan=2)),
        node("tableRow", cell("kestrel-1", rowspan=2), cell("a|b"), cell("7")),
        node("tableRow", cell(node("bulletList", item("x"), item("y"))), cell(node("codeBlock", text("run()\nstop()")))),
    )
    assert markdown(table) == (
        "| Host | 負荷 | 負荷 |\n| --- | --- | --- |\n| kestrel-1 | a\\|b | 7 |\n| kestrel-1 | - x - y | `run() stop()` |"
    )


def test_media_are_named_and_external_pictures_keep_their_address() -> None:
    single = node("mediaSingle", node("media", type="file", id="u-1", alt="画面.png"), node("caption", text("The dialog")))
    group = node(
        "mediaGroup", node("media", type="file", id="u-2"), node("media", type="external", url="https://x.example/a.png")
    )
    assert markdown(single, group) == "[image: 画面.png]\n\nThe dialog\n\n[image]\n\n![](https://x.example/a.png)"


def test_cards_and_extensions_leave_something_to_be_seen() -> None:
    shown = markdown(
        node("blockCard", url="https://tarnwood.example/browse/PROJ-9"),
        node("embedCard", url="https://video.example/7"),
        node("extension", extensionType="com.example", extensionKey="chart", text="Load of May"),
        node("bodiedExtension", paragraph("inside"), extensionKey="details"),
    )
    assert shown == (
        "https://tarnwood.example/browse/PROJ-9\n\nhttps://video.example/7\n\n[extension chart: Load of May]\n\n"
        "[extension details]\n\ninside"
    )


def test_an_unknown_node_leaves_a_note_and_its_text() -> None:
    assert markdown(node("hologram", paragraph("kept"), text="own")) == "[content of an unknown kind: hologram]\n\nown\n\nkept"


def test_a_line_of_backticks_in_a_text_opens_no_code() -> None:
    assert markdown(paragraph("```"), paragraph("after")) == "\\```\n\nafter"


@pytest.mark.parametrize(
    "broken",
    [
        [None, 7, "text"],
        [{"type": "paragraph", "content": "no list"}],
        [{"type": "heading", "attrs": {"level": "high"}, "content": [{"type": "text"}]}],
        [{"type": "table", "content": [{"type": "tableRow", "content": [{"attrs": {"colspan": -3, "rowspan": 10**9}}]}]}],
        [{"type": "text", "text": None, "marks": [None, {"type": "link", "attrs": None}]}],
        [{"type": "paragraph", "content": [{"type": "date", "attrs": {"timestamp": "9" * 400}}]}],
    ],
)
def test_broken_documents_are_read_as_far_as_they_go(broken: list[Any]) -> None:
    written = IssueContent()
    write_adf(written, {"type": "doc", "content": [*broken, paragraph("the rest")]}, 2, {})
    assert written.markdown.endswith("the rest")


@pytest.mark.slow
def test_no_word_is_lost_in_documents_that_follow_no_schema() -> None:
    for seed in range(800):
        count = [0]
        content = [_random_node(Random(seed * 10 + part), 0, count) for part in range(3)]
        written = written_of(*content)
        shown, headings = written.markdown, written.headings
        assert set(re.findall(r"w\d+w", shown)) == {f"w{number}w" for number in range(count[0])}, seed
        assert all(shown[found.start] == "#" and found.title in shown[found.start : found.end] for found in headings)


_KINDS = (
    "paragraph heading bulletList orderedList listItem taskList taskItem decisionList decisionItem codeBlock blockquote panel"
    " table tableRow tableCell tableHeader expand layoutSection layoutColumn extension bodiedExtension mediaSingle caption"
    " unknown text text text mention status hardBreak rule"
).split()


def _random_node(random: Random, depth: int, count: list[int]) -> Node:
    kind = random.choice(_KINDS)
    if kind in ("text", "mention", "status"):
        word = f"w{count[0]}w"
        count[0] += 1
        if kind == "text":
            return text(word, *random.sample(["strong", "em", "code", "strike"], random.randint(0, 2)))
        return node(kind, text=word)
    children = random.randint(0, 4) if depth < 7 and kind not in ("hardBreak", "rule") else 0
    attrs = {"colspan": random.choice([1, 2, None]), "rowspan": random.choice([1, 3, None]), "level": random.randint(0, 7)}
    return node(kind, *(_random_node(random, depth + 1, count) for _ in range(children)), **attrs)


def test_deep_nesting_keeps_the_text_and_bounds_the_form() -> None:
    deep = paragraph("bottom")
    for _ in range(3000):
        deep = node("bulletList", node("listItem", deep))
    shown = markdown(deep)
    assert "bottom" in shown
    assert len(shown) < MAX_DEPTH * 100


@pytest.mark.slow
def test_a_wide_and_long_table_stays_linear() -> None:
    wide = node("table", *(node("tableRow", cell("x", colspan=60, rowspan=1000)) for _ in range(300)))
    many = node("table", node("tableRow", *(cell("y") for _ in range(20_000))))
    begun = time.process_time()
    shown = markdown(wide, many)
    assert time.process_time() - begun < 5
    assert len(shown) < 400_000
    assert shown.count("y") == 20_000
