"""Leaving ranges out of a document, against the plain definition: a list of the characters that stay."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from ragd.core.documents import Document, Heading, Mark, Place
from ragd.core.sections import BODY_START, split_sections
from ragd.ingest.chunking.cuts import merged, without

Ranges = list[tuple[int, int]]


def make(facts: str, **values: object) -> Document:
    return Document("pdf", "Kestrel", facts, loader="test", loader_version="1", **values)  # type: ignore[arg-type]


# "a" to "z" over and over would hide a wrong place; so every character is another one, except for some blanks.
texts = st.integers(0, 40).map(lambda length: "".join("\n" if i % 7 == 6 else chr(0x4E00 + i) for i in range(length)))
ranges = st.lists(st.tuples(st.integers(-3, 45), st.integers(-3, 45)), max_size=6)


def kept_places(facts: str, cut: Ranges) -> list[int]:
    return [index for index in range(len(facts)) if not any(start <= index < end for start, end in cut)]


@given(texts, ranges)
@example("", [(0, 5)])
@example("abc", [(0, 3)])
@example("abc", [(0, 1), (1, 2), (2, 3)])
@example("abcdef", [(1, 2), (2, 4)])
@example("abcdef", [(4, 9), (-2, 1)])
def test_what_remains_is_every_character_outside_the_ranges_and_knows_where_it_stood(facts: str, cut: Ranges) -> None:
    kept = kept_places(facts, cut)
    result = without(make(facts), cut)
    assert result.document.markdown == "".join(facts[index] for index in kept)
    assert [result.origin(index) for index in range(len(kept))] == kept
    assert [result.origin_end(end) for end in range(1, len(kept) + 1)] == [index + 1 for index in kept]
    assert result.origin_end(0) == 0
    assert 0 <= result.origin(len(kept)) <= len(facts)


@given(texts, ranges, st.data())
def test_every_character_keeps_its_place(facts: str, cut: Ranges, data: st.DataObject) -> None:
    offsets = sorted(data.draw(st.sets(st.integers(0, len(facts)), max_size=6)))
    marks = tuple(Mark(offset, Place(page=number)) for number, offset in enumerate(offsets, 1))
    result = without(make(facts, marks=marks), cut)

    def page_at(found: tuple[Mark, ...], offset: int) -> int | None:
        index = bisect_right([mark.offset for mark in found], offset)
        return found[index - 1].place.page if index else None

    left = len(result.document.markdown)
    assert [page_at(result.document.marks, i) for i in range(left)] == [page_at(marks, result.origin(i)) for i in range(left)]
    assert all(one.offset < other.offset for one, other in pairwise(result.document.marks))
    if left < len(facts):
        assert all(mark.offset < left for mark in result.document.marks)


@given(texts, ranges, st.data())
def test_a_heading_keeps_what_is_left_of_its_line_and_goes_with_it(facts: str, cut: Ranges, data: st.DataObject) -> None:
    edges = sorted(data.draw(st.lists(st.integers(0, len(facts)), max_size=6)))
    headings = tuple(Heading(start, end, 1, f"h{start}") for start, end in zip(edges[::2], edges[1::2], strict=False))
    result = without(make(facts, headings=headings), cut)
    kept = set(kept_places(facts, cut))
    expected = []
    for heading in headings:
        line = "".join(facts[index] for index in range(heading.start, heading.end) if index in kept)
        if line.strip() or len(line) == heading.end - heading.start:
            expected.append((heading.title, line))
    found = [(heading.title, result.document.markdown[heading.start : heading.end]) for heading in result.document.headings]
    assert found == expected
    assert all(one.end <= other.start for one, other in pairwise(result.document.headings))


@given(texts, ranges, ranges)
def test_boilerplate_that_stays_is_the_same_characters(facts: str, cut: Ranges, boilerplate: Ranges) -> None:
    before = merged(boilerplate, len(facts))
    result = without(make(facts, boilerplate=tuple(before)), cut)
    after = {result.origin(index) for start, end in result.document.boilerplate for index in range(start, end)}
    assert after == {index for start, end in before for index in range(start, end)} & set(kept_places(facts, cut))
    assert list(result.document.boilerplate) == merged(result.document.boilerplate, len(result.document.markdown))


@given(texts, ranges, st.integers(0, 40))
def test_the_text_begins_at_the_same_character(facts: str, cut: Ranges, begin: int) -> None:
    begin = min(begin, len(facts))
    result = without(make(facts, metadata={BODY_START: begin}), cut)
    assert result.document.metadata[BODY_START] == sum(index < begin for index in kept_places(facts, cut))


@given(texts, ranges, ranges)
def test_cutting_twice_is_cutting_both(facts: str, first: Ranges, second: Ranges) -> None:
    once = without(make(facts), first)
    twice = without(once.document, second)
    left = len(twice.document.markdown)
    assert "".join(facts[once.origin(twice.origin(index))] for index in range(left)) == twice.document.markdown


@given(ranges, st.integers(0, 45))
def test_merged_ranges_are_the_same_characters_sorted_and_apart(given_ranges: Ranges, length: int) -> None:
    found = merged(given_ranges, length)
    inside = {index for start, end in given_ranges for index in range(max(0, start), min(end, length))}
    assert {index for start, end in found for index in range(start, end)} == inside
    assert all(start < end for start, end in found)
    assert all(one[1] < other[0] for one, other in pairwise(found))


def test_nothing_to_leave_out_gives_the_document_itself() -> None:
    document = make("text", marks=(Mark(0, Place(page=1)),))
    assert without(document, []).document is document
    assert without(document, [(2, 2), (9, 12)]).document is document


def test_all_left_out_leaves_an_empty_document() -> None:
    result = without(make("# A\ntext", marks=(Mark(0, Place(page=1)),), headings=(Heading(0, 4, 1, "A"),)), [(0, 8)])
    assert (result.document.markdown, result.document.marks, result.document.headings) == ("", (), ())
    assert result.origin(0) == 0


def test_a_heading_goes_when_only_its_line_end_is_left() -> None:
    result = without(make("# A\ntext", headings=(Heading(0, 4, 1, "A"),)), [(0, 3)])
    assert (result.document.markdown, result.document.headings) == ("\ntext", ())


def test_a_heading_without_characters_moves_to_where_the_text_goes_on() -> None:
    result = without(make("abcdef", headings=(Heading(2, 2, 1, "def f"),)), [(1, 4)])
    assert result.document.headings == (Heading(1, 1, 1, "def f"),)


def test_a_page_that_begins_with_its_header_is_still_marked() -> None:
    facts = "Manual 1\nfirst page\n\nManual 2\nsecond page\n"
    marks = (Mark(0, Place(page=1)), Mark(21, Place(page=2)))
    result = without(make(facts, marks=marks), [(0, 9), (21, 30)])
    assert result.document.markdown == "first page\n\nsecond page\n"
    assert result.document.marks == (Mark(0, Place(page=1)), Mark(12, Place(page=2)))


def test_sections_of_what_remains_lead_back_to_the_facts() -> None:
    facts = "頁 1\n# 概要\n本文です。\n\n頁 2\n続きです。\n# 手順\n実行します。\n"
    headings = (Heading(4, 9, 1, "概要"), Heading(facts.index("# 手順"), facts.index("実行"), 1, "手順"))
    result = without(make(facts, headings=headings), [(0, 4), (facts.index("頁 2"), facts.index("続き"))])
    shown = []
    for section in split_sections(result.document, "doc"):
        shown.append((section.path, facts[result.origin(section.start) : result.origin_end(section.end)]))
    assert shown == [(("概要",), "本文です。\n\n頁 2\n続きです。\n"), (("手順",), "実行します。\n")]
