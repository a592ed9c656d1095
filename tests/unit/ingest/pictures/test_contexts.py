"""What a captioner is told of the surroundings of a picture."""

from __future__ import annotations

from ragd.core.documents import Document, Heading, Place
from ragd.core.storage import PictureLink, VersionContent
from ragd.ingest.pictures.contexts import context_of, without_context
from ragd.vision.description import MOST_CONTEXT, PictureContext

LINK = PictureLink("pictures/flow.png", "a" * 32, "The way of an order", Place())


def content(markdown: str, *, source: str = "guide.md", language: str | None = "en") -> VersionContent:
    headings = tuple(
        Heading(markdown.index(line), markdown.index(line) + len(line), line.count("#"), line.lstrip("# "))
        for line in markdown.splitlines()
        if line.startswith("#")
    )
    document = Document("markdown", "Guide", markdown, "markdown", "1", verbatim=True, headings=headings, language=language)
    return VersionContent(
        kb_id="k",
        doc_id="d",
        version_id="v",
        profile_id="p",
        source=source,
        source_uri=f"file:///{source}",
        content_hash="h",
        size=len(markdown),
        document=document,
        picture_links=(LINK,),
    )


GUIDE = """# Guide

Far above.

## Orders

Two before.

One before.

![The way of an order](pictures/flow.png)

Figure 3: From request to archive

Two after.

Far below.
"""


def test_the_paragraphs_beside_a_picture_its_heading_caption_and_names_are_told() -> None:
    found = context_of(content(GUIDE), LINK)
    assert (found.heading, found.caption) == ("Orders", "Figure 3: From request to archive")
    assert (found.alt, found.file_name, found.language) == ("The way of an order", "flow.png", "en")
    assert "One before." in found.text
    assert "Figure 3" in found.text
    assert "Far above" not in found.text
    assert "Far below" not in found.text
    assert "pictures/flow.png" not in found.text


def test_all_that_is_told_has_at_most_1200_characters() -> None:
    long = "word " * 4000
    markdown = f"# {long}\n\n{long}\n\n![flow](pictures/flow.png)\n\nFigure 1: {long}\n\n{long}\n"
    link = PictureLink(LINK.link, LINK.asset_id, long.strip(), Place())
    found = context_of(content(markdown), link)
    parts = (found.text, found.heading, found.caption, found.alt, found.file_name)
    assert all(parts)
    assert MOST_CONTEXT == 1200
    assert sum(map(len, parts)) <= MOST_CONTEXT
    assert max(map(len, parts[1:])) <= 160


def test_what_stands_right_beside_a_long_paragraph_is_told_rather_than_its_far_end() -> None:
    before, after = "far " * 300 + "near before", "near after" + " far" * 300
    found = context_of(content(f"{before}\n\n![x](pictures/flow.png)\n\n{after}\n"), LINK)
    assert "near before" in found.text
    assert "near after" in found.text


def test_nothing_around_a_picture_is_told_where_the_settings_want_none_but_the_language() -> None:
    found = without_context(context_of(content(GUIDE, language="ja"), LINK))
    assert found == PictureContext(language="ja")
    assert not any((found.text, found.heading, found.caption, found.alt, found.file_name))


def test_a_reference_that_is_gone_from_the_text_has_only_its_names() -> None:
    found = context_of(content("# Guide\n\nNo picture here.\n"), LINK)
    assert (found.text, found.caption, found.alt) == ("", "", "The way of an order")


def test_a_picture_named_like_its_own_file_has_no_alternative_text() -> None:
    link = PictureLink(LINK.link, LINK.asset_id, "guide.md", Place())
    assert context_of(content(GUIDE), link).alt == ""


def test_contexts_are_told_apart_by_their_hash() -> None:
    found = context_of(content(GUIDE), LINK)
    assert found.hash == context_of(content(GUIDE), LINK).hash
    assert found.hash != without_context(found).hash
