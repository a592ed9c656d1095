"""A passage in a newer version of its document: found again, taken from where it went, or gone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ragd.access.passages import Body, is_comment, taken_from
from ragd.core.documents import Document, Place
from ragd.core.results import ImageRef, Passage
from ragd.formats.markdown.loader import MarkdownLoader
from ragd.providers.analyzers.terms import BigramAnalyzer
from ragd.providers.protocols import LoadContext

PAGE = """# Deploy

Deployments run at nine.

## Restore

Run `restore --from snapshot` and wait for the light to turn green.

## Rollback

Call the duty officer first. Then run `rollback --to last`.
"""


def document(text: str) -> Document:
    def nothing(_reference: str) -> bytes | None:
        return None

    return MarkdownLoader().load(text.encode(), "page.md", LoadContext(linked=nothing))


def body(text: str, *, title: str = "Deploy", pictures: Sequence[str] = ()) -> Body:
    return Body("8", title, f"DEV/{title}", "https://wiki.example.com/page/1", document(text), frozenset(pictures))


def passage(content: str, *path: str, anchor: str | None = None, image: str | None = None) -> Passage:
    images = (ImageRef(image, "image/png", "", "text in it"),) if image else ()
    place = Place(anchor=anchor)
    return Passage(
        "c",
        "d",
        "v",
        "default",
        content,
        "DEV/Old",
        "https://old",
        "confluence",
        "Old",
        path,
        place,
        3,
        40,
        images,
        {"summary": "x"},
    )


def renewed(new: Body, old: Passage, question: str = "") -> Passage | None:
    return taken_from(new, old, question, BigramAnalyzer().tokens, len)


def test_unchanged_text_stays_and_its_document_is_as_it_is_called_now() -> None:
    old = passage("Run `restore --from snapshot` and wait for\nthe light to turn green.", "Deploy", "Restore")
    found = renewed(body(PAGE + "\n## New\n\nMore.\n", title="Deploying"), old)
    assert found is not None
    assert (found.content, found.tokens) == (old.content, old.tokens)
    assert (found.title, found.source, found.source_uri) == ("Deploying", "DEV/Deploying", "https://wiki.example.com/page/1")
    assert (found.as_of, found.live_version, found.enrichment) == (None, "8", {})


def test_changed_text_is_what_stands_under_the_same_headings() -> None:
    old = passage("Run `restore --from tape` and pray.", "Deploy", "Restore")
    found = renewed(body(PAGE), old)
    assert found is not None
    assert found.content == "Run `restore --from snapshot` and wait for the light to turn green."
    assert (found.section_path, found.tokens) == (("Deploy", "Restore"), len(found.content))


def test_text_whose_heading_went_is_found_by_its_words() -> None:
    old = passage("Call the duty officer before you run `rollback`.", "Deploy", "Emergencies")
    found = renewed(body(PAGE), old, "Whom do I call before a rollback?")
    assert found is not None
    assert found.content.startswith("Call the duty officer first.")


def test_japanese_is_found_by_its_words_too() -> None:
    old = passage("有給休暇は五営業日前までに上長へ申請する。", "休暇規程", "申請")
    text = "# 休暇規程\n\n## 経費\n\n交通費は月末に精算する。\n\n## 手続き\n\n有給休暇は三営業日前までに上長へ申請すること。\n"
    found = renewed(body(text, title="休暇規程"), old, "有給休暇の申請は何日前？")
    assert found is not None
    assert found.content == "有給休暇は三営業日前までに上長へ申請すること。"


def test_what_is_no_longer_said_is_gone() -> None:
    old = passage("The password of the vault is kept by the treasurer alone.", "Deploy", "Vault")
    assert renewed(body(PAGE), old, "Who keeps the vault's password?") is None
    assert renewed(body("# Deploy\n"), passage("Run it.", "Deploy", "Restore")) is None


def test_a_long_section_is_cut_to_what_the_question_is_about() -> None:
    paragraphs = [f"Paragraph {number} is about topic{number} and nothing else whatever." for number in range(200)]
    text = "# Deploy\n\n## Restore\n\n" + "\n\n".join(paragraphs)
    found = renewed(body(text), passage("Topics of all kinds.", "Deploy", "Restore"), "What is topic137 about?")
    assert found is not None
    assert "topic137" in found.content
    assert len(found.content) <= 800


def test_a_single_long_paragraph_is_cut() -> None:
    found = renewed(body("# Deploy\n\n## Restore\n\n" + "word " * 2000), passage("Other.", "Deploy", "Restore"), "word")
    assert found is not None
    assert 0 < len(found.content) <= 800


@pytest.mark.parametrize(("kept", "expected"), [(["a" * 32], 1), ([], 0)])
def test_a_picture_stays_only_while_the_page_shows_it(kept: list[str], expected: int) -> None:
    old = passage("Deployments run at nine.", "Deploy", image="a" * 32)
    found = renewed(body(PAGE, pictures=kept), old)
    assert found is not None
    assert len(found.images) == expected


def test_a_comment_is_known_by_its_anchor() -> None:
    assert is_comment(passage("x", anchor="?focusedCommentId=12"))
    assert not is_comment(passage("x", anchor="#Restore"))
    assert not is_comment(passage("x"))
