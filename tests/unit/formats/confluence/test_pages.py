"""Confluence pages as a whole: envelope, anchors, sections, comments; hostile bodies; nothing that is shown gets lost."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from ragd.core.documents import Document
from ragd.core.errors import ParseFailed
from ragd.core.sections import split_sections
from ragd.formats.confluence.loader import ConfluenceLoader

CLOUD_URL = "https://wiki.example/wiki/spaces/DEV/pages/123/Setup"
QUERY_URL = "https://wiki.example/pages/viewpage.action?pageId=123"


def envelope(body: str = "", **changes: Any) -> dict[str, Any]:
    return {
        "format": "confluence/1",
        "deployment": "cloud",
        "kind": "page",
        "id": "123",
        "title": "Setup guide",
        "space": {"key": "DEV", "name": "開発"},
        "url": CLOUD_URL,
        "body": {"representation": "storage", "value": body},
        **changes,
    }


def load(body: str = "", **changes: Any) -> Document:
    return read(envelope(body, **changes))


def read(values: Any) -> Document:
    return ConfluenceLoader().load(json.dumps(values).encode(), "123.json")


def place_of(document: Document, text: str) -> str | None:
    """The anchor of the place that holds `text`."""
    at = document.markdown.index(text)
    return [mark for mark in document.marks if mark.offset <= at][-1].place.anchor


def comment(number: int, value: str, **changes: Any) -> dict[str, Any]:
    return {
        "id": str(number),
        "kind": "footer",
        "author": "Aiko Tanaka",
        "created": "2026-03-01T09:00:00Z",
        "value": value,
        "selection": "",
        "resolved": False,
        "replies": [],
        **changes,
    }


HEADINGS = (
    "<p>before</p><h1>Rate limits</h1><p>one</p><h2>設定 手順</h2><p>two</p>"
    "<h2>Rate limits</h2><p>three</p><h2>a(b)%</h2><p>four</p>"
)


def test_headings_of_cloud_pages_have_the_anchors_that_cloud_gives_them() -> None:
    document = load(HEADINGS)
    assert [place_of(document, text) for text in ("before", "one", "two", "three", "four")] == [
        None,
        "#Rate-limits",
        "#%E8%A8%AD%E5%AE%9A-%E6%89%8B%E9%A0%86",
        "#Rate-limits.1",
        "#a%28b%29%25",
    ]


def test_headings_of_data_center_pages_have_the_page_title_in_their_anchors() -> None:
    document = load(HEADINGS, deployment="data_center", url=QUERY_URL)
    assert [place_of(document, text) for text in ("before", "one", "two", "three")] == [
        None,
        "#Setupguide-Ratelimits",
        "#Setupguide-%E8%A8%AD%E5%AE%9A%E6%89%8B%E9%A0%86",
        "#Setupguide-Ratelimits.1",
    ]


def test_a_heading_in_a_cell_is_counted_among_equal_ones_and_marks_stay_with_their_heading() -> None:
    document = load("<table><tr><th><h2>Same</h2></th></tr><tr><td>c</td></tr></table><ul><li><h2>Same</h2></li></ul><p>end</p>")
    assert place_of(document, "end") == "#Same.1"
    assert [heading.title for heading in document.headings] == ["Setup guide", "Same"]


def test_every_heading_has_a_mark_where_it_begins() -> None:
    document = load(HEADINGS)
    marked = {mark.offset for mark in document.marks}
    assert [heading.start for heading in document.headings if heading.start not in marked] == []
    assert list(document.marks) == sorted(document.marks, key=lambda mark: mark.offset)


def test_sections_begin_with_space_and_pages_above() -> None:
    document = load(HEADINGS, ancestors=["Home", "Parent"])
    paths = [section.path for section in split_sections(document, "d")]
    assert paths[0] == ("開発", "Home", "Parent", "Setup guide")
    assert paths[2] == ("開発", "Home", "Parent", "Setup guide", "Rate limits", "設定 手順")
    unnamed = load("<p>x</p>", space={"key": "DEV"})
    assert [section.path for section in split_sections(unnamed, "d")] == [("DEV", "Setup guide")]


def test_metadata_says_what_the_envelope_says() -> None:
    document = load("<p>x</p>", labels=["howto", "運用"], author="Aiko", updated="2026-03-01T09:00:00Z", kind="blogpost")
    assert (document.doc_type, document.title, document.loader, document.loader_version) == (
        "confluence", "Setup guide", "confluence", "2",
    )  # fmt: skip
    wanted = {"tags": ["howto", "運用"], "author": "Aiko", "updated": "2026-03-01T09:00:00Z", "space": "DEV", "kind": "blogpost"}
    assert {key: document.metadata[key] for key in wanted} == wanted


@pytest.mark.parametrize(
    ("body", "language"),
    [("<p>設定を変更したら再起動してください。</p>", "ja"), ("<p>Restart the server when you have changed it.</p>", "en")],
)
def test_the_language_is_that_of_the_text(body: str, language: str) -> None:
    assert load(body).language == language


def test_comments_have_author_date_selection_replies_and_their_own_address() -> None:
    reply = comment(
        10, "<p>Because of 再起動.</p>", author="Bo", created="2026-03-02T00:00:00Z", replies=[comment(11, "<p>I see</p>")]
    )
    thread = comment(9, "<p>Why?</p><h1>Detail</h1>", kind="inline", selection="the limit\nis 5", resolved=True, replies=[reply])
    document = load("<h1>Body</h1>", comments=[thread, comment(12, "<p>Next</p>", author="")])
    assert document.markdown == (
        "# Setup guide\n\n## Body\n\n## Comments\n\n### Comment by Aiko Tanaka on 2026-03-01 (resolved)\n\n"
        "> the limit\n> is 5\n\nWhy?\n\n#### Detail\n\n**Reply by Bo on 2026-03-02:**\n\nBecause of 再起動.\n\n"
        "**Reply by Aiko Tanaka on 2026-03-01:**\n\nI see\n\n### Comment by an unknown author on 2026-03-01\n\nNext"
    )
    assert place_of(document, "## Comments") is None
    assert place_of(document, "Why?") == place_of(document, "Detail") == "?focusedCommentId=9"
    assert [place_of(document, text) for text in ("Because", "I see", "Next")] == [
        f"?focusedCommentId={number}" for number in (10, 11, 12)
    ]


@pytest.mark.parametrize(
    ("deployment", "url", "anchor"),
    [
        ("cloud", CLOUD_URL, "?focusedCommentId=9"),
        ("data_center", QUERY_URL, "&focusedCommentId=9#comment-9"),
        ("data_center", "https://wiki.example/display/DEV/Setup", "?focusedCommentId=9#comment-9"),
    ],
)
def test_a_comments_address_fits_the_pages(deployment: str, url: str, anchor: str) -> None:
    document = load("", deployment=deployment, url=url, comments=[comment(9, "<p>c</p>")])
    assert place_of(document, "Comment by") == anchor


def test_a_comment_that_can_not_be_read_costs_itself_alone() -> None:
    document = load("<p>body</p>", comments=[comment(1, "<div>" * 10_000), comment(2, "<p>fine</p>")])
    assert "[this comment could not be read]" in document.markdown
    assert document.markdown.endswith("fine")
    assert document.warnings == ("comments that could not be read: 1",)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"format": "confluence/2"}, "'format'"),
        ({"deployment": "server"}, "'deployment' is none of cloud, data_center"),
        ({"title": None}, "'title' is missing"),
        ({"space": {"name": "x"}}, "'space.key' is missing"),
        ({"body": None}, "'body' is missing"),
        ({"body": {"representation": "wiki", "value": ""}}, "'body.representation'"),
        ({"body": {"representation": "storage", "value": 7}}, "'body.value' is not a text"),
        ({"labels": "howto"}, "'labels' is not a list of texts"),
        ({"pictures": {"a.png": "%%%"}}, "'pictures' holds something that is not base64"),
        ({"users": ["x"]}, "'users' is not an object"),
        ({"includes": {"T": "x"}}, "'includes'"),
        ({"comments": [{"id": "1"}]}, "'comments\\[\\].value' is missing"),
    ],
)
def test_an_envelope_that_lacks_a_part_is_refused_by_its_name(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(ParseFailed, match=reason) as refused:
        read(envelope("<p>x</p>") | change)
    assert "Setup guide" not in refused.value.message


def test_replies_nested_without_bound_are_refused() -> None:
    for opened in ("[" * 100_000, '[{"id": "1", "value": "", "replies": ' * 5_000):
        text = f'{json.dumps(envelope())[:-1]}, "comments": {opened}'
        with pytest.raises(ParseFailed, match="nested too deeply"):
            ConfluenceLoader().load(text.encode(), "x")


def test_replies_of_replies_are_read_in_their_order() -> None:
    thread = comment(0, "<p>deepest</p>")
    for number in range(1, 100):
        thread = comment(number, f"<p>level {number}</p>", replies=[thread])
    markdown = load("", comments=[thread]).markdown
    assert markdown.index("level 99") < markdown.index("level 1\n") < markdown.index("deepest")


def test_entities_of_the_pages_own_are_never_expanded() -> None:
    laughs = '<!DOCTYPE x [<!ENTITY a "laugh"><!ENTITY b "&a;&a;&a;">]><p>start &b; <!ENTITY> end</p>'
    document = load(laughs + "<p>after</p>")
    assert "laughlaugh" not in document.markdown
    assert document.markdown.endswith("after")
    assert document.warnings == ("parts that are not well-formed XML, read as HTML: 1",)
    drawing = '<!DOCTYPE x [<!ENTITY a "laugh">]><mxGraphModel><mxCell id="1" value="&a;&a;"/></mxGraphModel>'
    macro = '<ac:structured-macro ac:name="drawio"><ac:parameter ac:name="diagramName">d</ac:parameter></ac:structured-macro>'
    shown = load(macro, drawings={"d": drawing})
    assert "laugh" not in shown.markdown


@pytest.mark.parametrize(
    ("start", "end"),
    [("<div>", "</div>"), ("<b>", "</b>"), ("<ac:structured-macro ac:name='info'><ac:rich-text-body>", ""), ("<ul><li>", "")],
)
@pytest.mark.parametrize("closed", [True, False])
def test_ten_thousand_levels_of_nesting_are_refused(start: str, end: str, closed: bool) -> None:
    with pytest.raises(ParseFailed, match=r"page 123 can't be read: .* nested"):
        load(start * 10_000 + "deep" + (end * 10_000 if closed else ""))


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("<div>", "</div>"),
        ("<blockquote>", "</blockquote>"),
        ("<ul><li>", "</li></ul>"),
        ("<table><tr><td>", "</td></tr></table>"),
        ('<ac:structured-macro ac:name="expand"><ac:rich-text-body>', "</ac:rich-text-body></ac:structured-macro>"),
        ('<ac:structured-macro ac:name="info"><ac:rich-text-body>', "</ac:rich-text-body></ac:structured-macro>"),
    ],
)
def test_the_deepest_nesting_that_is_allowed_is_read(start: str, end: str) -> None:
    times = 140 // (2 * start.count("<"))
    assert "deep" in load(start * times + "deep" + end * times).markdown


def test_five_megabytes_are_read() -> None:
    assert len(load("<p>" + "word " * 1_000_000 + "</p>").markdown) > 4_999_999


@pytest.mark.parametrize("beginning", ["<![CDATA[", "<!--", "<", "<a b='", "<?", "&", "<p", "<ac:link ", "]]>"])
def test_beginnings_without_an_end_cost_no_square_and_no_text(beginning: str) -> None:
    document = load(f"<p>before</p>{beginning * 20_000}<p>after</p>")
    assert "before" in document.markdown
    assert "after" in document.markdown


def test_unclosed_tags_lose_no_text() -> None:
    document = load(
        "<p>one <b>two<p>three<table><tr><td>four<td>five</table>six & seven <ac:structured-macro ac:name='code'>"
        "<ac:plain-text-body><![CDATA[a < b &nbsp;]]></ac:plain-text-body></ac:structured-macro>eight"
    )
    for word in ("one", "two", "three", "four", "five", "six & seven", "a < b &nbsp;", "eight"):
        assert word in document.markdown
    assert document.warnings == ("parts that are not well-formed XML, read as HTML: 1",)


@pytest.mark.parametrize("representation", ["storage", "view"])
@pytest.mark.parametrize("seed", range(20))
def test_damaged_markup_is_read_or_refused_but_nothing_breaks(seed: int, representation: str) -> None:
    rng = random.Random(seed)
    letters = list("".join(made_up(rng, 4, []) for _ in range(4)))
    for _ in range(8):
        at = rng.randrange(len(letters))
        letters[at : at + rng.choice((0, 0, 25))] = rng.choice(("<", ">", "&", '"', "", "</p>", "<h2>", "]]>", "<table>"))
    try:
        document = read(envelope() | {"body": {"representation": representation, "value": "".join(letters)}})
    except ParseFailed:
        return
    assert document.markdown.startswith("# Setup guide")
    for heading in document.headings:
        assert document.markdown[heading.start : heading.end].startswith("#")


def include(title: str) -> str:
    return (
        '<ac:structured-macro ac:name="include"><ac:parameter ac:name=""><ac:link>'
        f'<ri:page ri:content-title="{title}" /></ac:link></ac:parameter></ac:structured-macro>'
    )


def test_pages_that_include_each_other_many_times_come_to_an_end() -> None:
    names = [f"Page {number}" for number in range(8)]
    includes = {
        name: {"title": name, "value": f"<p>{name} text</p>" + include(names[(index + 1) % 8]) * 10, "url": "https://w.example"}
        for index, name in enumerate(names)
    }
    document = load(include("Page 0") * 10, includes=includes)
    assert 5 <= document.markdown.count(" text") <= 100
    assert "too much is included" in document.markdown
    assert document.warnings


def test_characters_that_xml_can_not_hold_are_replaced() -> None:
    document = read(envelope("<p>a\x01b\ud800c</p>", title="T\x02"))
    assert document.markdown == "# T\ufffd\n\na\ufffdb\ufffdc"
    document.markdown.encode()


WORDS = ["queue", "再起動", "limit", "設定", "restart", "手順", "token", "索引", "server", "確認"]


def made_up(rng: random.Random, depth: int, words: list[str]) -> str:
    """A random fragment; every word in it is unique and goes into `words`."""

    def word() -> str:
        words.append(f"{rng.choice(WORDS)}{len(words)}")
        return words[-1]

    def inside() -> str:
        return "".join(made_up(rng, depth - 1, words) for _ in range(rng.randint(1, 3))) if depth else f"<p>{word()}</p>"

    def named(name: str, body: str) -> str:
        return f'<ac:structured-macro ac:name="{name}">{body}</ac:structured-macro>'

    match rng.randrange(12):
        case 0:
            return f"<h{(level := rng.randint(1, 6))}>{word()} <em>{word()}</em></h{level}>"
        case 1:
            return f"<p>{word()} <strong>{word()}</strong><br/>{word()}<a href='https://x.example'>{word()}</a></p>"
        case 2:
            tag = rng.choice(["ul", "ol"])
            return f"<{tag}>{''.join(f'<li>{inside()}</li>' for _ in range(rng.randint(1, 3)))}</{tag}>"
        case 3:
            rows = "".join(f"<tr><td>{inside()}</td><td>{word()}</td></tr>" for _ in range(2))
            return f"<table><tr><th>{word()}</th><th rowspan='2'>{word()}</th></tr>{rows}</table>"
        case 4:
            name = rng.choice(["info", "panel", "expand", "section", "never-heard-of", "excerpt"])
            return named(name, f"<ac:rich-text-body>{inside()}</ac:rich-text-body>")
        case 5:
            return named("code", f"<ac:plain-text-body><![CDATA[{word()}\n  {word()}]]></ac:plain-text-body>")
        case 6:
            status = f'<ac:parameter ac:name="title">{word()}</ac:parameter>'
            return f"<p>{word()} {named('status', status)} {word()}</p>"
        case 7:
            body = f"<ac:task-status>complete</ac:task-status><ac:task-body>{inside()}</ac:task-body>"
            return f"<ac:task-list><ac:task>{body}</ac:task></ac:task-list>"
        case 8:
            return f"<blockquote>{inside()}</blockquote>"
        case 9:
            return f'<p><ac:link><ri:page ri:content-title="{word()}" /><ac:link-body>{word()}</ac:link-body></ac:link></p>'
        case 10:
            return f"<ac:layout><ac:layout-section><ac:layout-cell>{inside()}</ac:layout-cell></ac:layout-section></ac:layout>"
        case _:
            return f"{word()} <u>{word()}</u>"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_every_word_that_is_shown_is_in_the_facts_and_marks_fit_the_headings(seed: int) -> None:
    rng = random.Random(seed)
    words: list[str] = []
    body = "".join(made_up(rng, 4, words) for _ in range(6))
    first, second = load(body), load(body)
    assert first == second
    missing = [word for word in words if not re.search(rf"{word}(?![0-9])", first.markdown)]
    assert missing == []
    assert [first.markdown[heading.start : heading.end].lstrip("# ") for heading in first.headings] == [
        heading.title for heading in first.headings
    ]
    places = {mark.offset: mark.place.anchor for mark in first.marks}
    for heading in first.headings[1:]:
        anchor = places[heading.start]
        assert anchor is not None
        assert anchor.startswith("#")
