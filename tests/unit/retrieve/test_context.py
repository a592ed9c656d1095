from __future__ import annotations

import pytest

from rag_assistant.retrieve.context import build_context, place_label
from rag_assistant.types import Hit, Passage, Place


def words(text: str) -> int:
    return len(text.split())


def passage(content: str, place: Place | None = None, path: tuple[str, ...] = ()) -> Passage:
    return Passage(
        "c", "d", "v", "default", content, "a.md", "file:///a.md", "markdown", "Title", path, place or Place(), 0, words(content)
    )


@pytest.mark.parametrize(
    ("place", "path", "label"),
    [
        (Place(page=3), (), "page 3"),
        (Place(page=3), ("One", "Two"), "page 3, ## Two"),
        (Place(line_range=(10, 24)), ("One",), "# One, lines 10-24"),
        (Place(line_range=(7, 7)), (), "line 7"),
        (Place(sheet="Q1"), (), "sheet Q1"),
        (Place(slide=2), (), "slide 2"),
        (Place(), (), ""),
    ],
)
def test_a_place_is_said_as_people_say_it(place: Place, path: tuple[str, ...], label: str) -> None:
    assert place_label(passage("text", place, path)) == label


def test_passages_are_numbered_in_order_and_kept_whole() -> None:
    hits = [Hit(passage(text), 1.0, {}) for text in ("one two", "three")]
    context = build_context(hits, max_tokens=100, count_tokens=words)
    assert context.text == "[1] Title (a.md)\none two\n\n[2] Title (a.md)\nthree"
    assert [citation.id for citation in context.citations] == [1, 2]
    assert context.tokens == words(context.text)


def test_a_passage_that_does_not_fit_is_left_out_and_the_next_is_tried() -> None:
    hits = [Hit(passage(text), 1.0, {}) for text in ("short", "long " * 50, "brief")]
    context = build_context(hits, max_tokens=12, count_tokens=words)
    assert [citation.passage.content for citation in context.citations] == ["short", "brief"]
    assert "[2] Title (a.md)\nbrief" in context.text
    assert context.tokens <= 12
