"""Markdown: pictures, HTML headings, front matter of both kinds."""

from __future__ import annotations

import base64

import pytest

from ragd.core.documents import Document
from ragd.formats.common.pictures import REFERENCE, link_of
from ragd.formats.markdown.loader import MarkdownLoader
from ragd.language.boundaries import fenced_blocks
from ragd.providers.protocols import LoadContext

PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 40
DATA_URI = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"


def load(text: str, *present: str) -> Document:
    """Load with these pictures beside the file; each has bytes of its own."""
    files = {name: PNG + name.encode() for name in present}
    return MarkdownLoader().load(text.encode(), "docs/guide.md", LoadContext(linked=files.get))


def links(document: Document) -> list[tuple[str, str]]:
    return [(found.link, found.alt) for found in document.pictures]


def test_pictures_of_every_notation_are_found_with_their_description_and_line() -> None:
    document = load(
        '# 構成\n\n![図 1](img/a.png "title")\n\n[![badge](b.png)](https://x) and ![c](<my c.png>)\n\n'
        "<img alt='q &amp; r' src=\"d.png\">\n\n- ![e](e_(1).png)\n\n| x |\n|---|\n| ![f](f.png) |\n",
        "img/a.png", "b.png", "my c.png", "d.png", "e_(1).png", "f.png",
    )  # fmt: skip
    assert links(document) == [
        ("img/a.png", "図 1"), ("b.png", "badge"), ("my c.png", "c"), ("d.png", "q & r"), ("e_(1).png", "e"), ("f.png", "f"),
    ]  # fmt: skip
    assert [found.place.line_range for found in document.pictures] == [(n, n) for n in (3, 5, 5, 7, 9, 13)]


def test_a_picture_named_by_a_label_is_found_whichever_way_the_label_is_written() -> None:
    document = load("![a][One] ![one][] ![ONE]\n\n[one]: one.png\n", "one.png")
    assert links(document) == [("One", "a"), ("one", "one"), ("ONE", "ONE")]


@pytest.mark.parametrize(
    "text",
    ["`![a](a.png)`", "``x ` ![a](a.png)``", "```\n![a](a.png)\n```", "    ![a](a.png)", "<!-- ![a](a.png) -->",
     "<!--\n<img src='a.png'>\n-->", "\\![a](a.png)"],
)  # fmt: skip
def test_what_stands_in_code_or_a_comment_is_no_picture(text: str) -> None:
    document = load(f"text\n\n{text}\n", "a.png")
    assert document.pictures == ()
    assert document.warnings == ()


def test_an_embedded_picture_gives_way_to_its_asset_link_on_the_same_line() -> None:
    text = f"# T\n\n![a]({DATA_URI})\n\nafter\n\n![b][image1]\n\n[image1]: <{DATA_URI}>\n"
    document = load(text)
    link = document.pictures[0].link
    assert document.pictures[0].data == PNG
    assert document.markdown == text.replace(DATA_URI, link)
    assert [link_of(match) for match in REFERENCE.finditer(document.markdown)] == [link, "image1"]


def test_missing_pictures_are_reported_and_remote_ones_counted() -> None:
    document = load("![a](a.png) ![b](b.png) ![b](b.png) ![r](https://host/r.png) ![s](//host/s.png)\n")
    assert document.warnings == ("pictures that could not be read: 3 (a.png, b.png)",)
    assert document.metadata["remote_pictures"] == 2


def test_a_heading_in_html_is_a_heading() -> None:
    document = load('<h1 align="center">\n  <b>Kestrel</b> &amp; 運用\n</h1>\n\ntext\n\n## Next ##\n')
    assert [(heading.level, heading.title) for heading in document.headings] == [(1, "Kestrel & 運用"), (2, "Next")]
    assert document.title == "Kestrel & 運用"


def test_front_matter_in_toml_gives_title_and_tags() -> None:
    document = load('+++\ntitle = "障害対応"\ntags = ["ops", "運用"]\n+++\n\n# A\n\ntext\n')
    assert (document.title, document.metadata["tags"]) == ("障害対応", ["ops", "運用"])


def test_tables_fences_footnotes_and_alerts_stay_as_they_are() -> None:
    text = "# T\n\n> [!NOTE]\n> 注意\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\n# no heading\n```\n\nx[^1]\n\n[^1]: note\n"
    document = load(text)
    assert document.markdown == text
    assert [text[start:end] for start, end in fenced_blocks(text)] == ["```sh\n# no heading\n```\n"]


def test_imports_and_components_of_mdx_are_text() -> None:
    document = load("import A from './a.mdx'\n\n# Title\n\n<Tabs>\n\n## Inner\n\n</Tabs>\n")
    assert [heading.title for heading in document.headings] == ["Title", "Inner"]


@pytest.mark.parametrize("piece", ["![", "![a](", "![a]((", "`", "` `` ", "<img src='", "<h1>", "<!--", "[a]: data:", "![["])
def test_hostile_repetition_costs_no_more_than_its_length(piece: str) -> None:
    text = piece * 20_000
    assert load(text).markdown == text
