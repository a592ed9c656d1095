"""The splitter's invariants, natural boundaries, and chunks with their views, ids and places."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragd.core.documents import Chunk, Document, Enrichment, Heading, Mark, Place
from ragd.core.ids import canonical, hash32
from ragd.core.sections import split_sections
from ragd.formats.common.pictures import REFERENCE
from ragd.formats.markdown.loader import MarkdownLoader
from ragd.formats.text.loader import TextLoader
from ragd.ingest.chunking.recursive import RecursiveSplitter, build_pieces
from ragd.ingest.chunking.views import PictureNote, Shown, build_chunks
from ragd.language.boundaries import fenced_blocks
from ragd.providers.fakes import WordTokenizer
from ragd.providers.protocols import Tokenizer


class PrefixTokenizer(WordTokenizer):
    """As models do it: every text begins with a token that stands for no character, so parts weigh more than the whole."""

    def count(self, text: str) -> int:
        return len(self.starts(text))

    def starts(self, text: str) -> Sequence[int]:
        return [0, *super().starts(text)] if text.strip() else []


class CharacterTokenizer:
    """Every character is a token, and every character beyond ASCII three that share its place (byte fall-back)."""

    def count(self, text: str) -> int:
        return len(self.starts(text))

    def starts(self, text: str) -> Sequence[int]:
        return [index for index, char in enumerate(text) for _ in range(1 if char.isascii() else 3)]


class BlankAnalyzer:
    name = "blank"
    profile = "blank-1"

    def tokens(self, text: str) -> list[str]:
        return text.split()


ALPHABET = "ab  \n\n。.、,!`~-# éが\u3099🇯🇵👩\u200d👧1"
TEXTS = st.one_of(
    st.text(ALPHABET, max_size=400), st.text(max_size=150), st.lists(st.text(ALPHABET, max_size=40)).map("\n\n".join)
)


@pytest.mark.slow
@settings(max_examples=300)
@given(
    text=TEXTS,
    max_tokens=st.integers(4, 40),
    overlap=st.integers(0, 20),
    tokenizer=st.sampled_from([WordTokenizer(), PrefixTokenizer(), CharacterTokenizer()]),
)
def test_ranges_cover_every_character_in_order_and_keep_the_limit(
    text: str, max_tokens: int, overlap: int, tokenizer: WordTokenizer | CharacterTokenizer
) -> None:
    ranges = RecursiveSplitter(tokenizer, overlap).split(text, max_tokens)
    covered = {index for start, end in ranges for index in range(start, end)}
    assert all(char.isspace() for index, char in enumerate(text) if index not in covered)
    for start, end in ranges:
        assert 0 <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        assert tokenizer.count(text[start:end]) <= max_tokens
    for (start, end), (next_start, next_end) in pairwise(ranges):
        assert start < next_start
        assert end < next_end
        assert len([start for start in tokenizer.starts(text) if next_start <= start < end]) <= overlap


def split(text: str, max_tokens: int, overlap: int = 0) -> list[str]:
    ranges = RecursiveSplitter(WordTokenizer(), overlap).split(text, max_tokens)
    return [text[start:end] for start, end in ranges]


def test_a_text_that_fits_is_one_range_without_its_outer_blanks() -> None:
    assert RecursiveSplitter(WordTokenizer(), 5).split("\n  one two \n\n three \n", 10) == [(3, 19)]
    assert RecursiveSplitter(WordTokenizer(), 5).split(" \n\u3000 ", 10) == []


def test_paragraphs_are_kept_together_before_lines_and_lines_before_sentences() -> None:
    assert split("a b c\nd e f\n\ng h i", 8) == ["a b c\nd e f", "g h i"]
    assert split("a b. c d.\ne f g h", 8) == ["a b. c d.", "e f g h"]


def test_japanese_sentences_are_cut_after_their_mark_and_closing_bracket() -> None:
    assert split("設定を確認します。「再起動する。」次に進みます。終わり", 20) == [
        "設定を確認します。「再起動する。」",
        "次に進みます。終わり",
    ]


def test_english_is_cut_after_sentences_and_not_inside_numbers() -> None:
    assert split("Use version 1.2.3 now. Then restart the whole thing again", 14) == [
        "Use version 1.2.3 now.",
        "Then restart the whole thing again",
    ]


def test_a_fenced_block_that_fits_is_not_cut() -> None:
    fence = "```py\na = 1\n\nb = 2\n\nc = 3\n```"
    text = f"Some words that come before the block of code here.\n\n{fence}\n\nAnd some after it."
    assert any(fence in chunk for chunk in split(text, 24, overlap=6))


def test_a_fenced_block_that_does_not_fit_is_cut_at_lines() -> None:
    text = "```\n" + "".join(f"line {number} of code\n" for number in range(30)) + "```"
    chunks = split(text, 20)
    assert len(chunks) > 5
    assert all(chunk.splitlines()[-1].endswith(("code", "```")) for chunk in chunks)


def test_fenced_blocks_are_found_with_their_fences() -> None:
    text = "a\n~~~\n```\n~~~\n```` x\n```\n````\n```\nopen"
    assert [text[start:end] for start, end in fenced_blocks(text)] == ["~~~\n```\n~~~\n", "```` x\n```\n````\n", "```\nopen"]


def test_neighbours_overlap_from_a_sentence_on() -> None:
    chunks = split("One two three. Four five six. Seven eight nine. Ten eleven twelve.", 12, overlap=4)
    assert chunks == [
        "One two three. Four five six. Seven eight nine.",
        "Seven eight nine. Ten eleven twelve.",
    ]


def test_a_grapheme_is_not_cut() -> None:
    text = "e\u0301" * 50 + "👩\u200d👩\u200d👧" * 20 + "🇯🇵" * 20
    ranges = RecursiveSplitter(CharacterTokenizer(), 0).split(text, 31)
    for start, _ in ranges:
        assert text[start] not in "\u0301\u200d"
        assert start == 0 or text[start - 1] != "\u200d"
        assert text[start] != "🇵"


@pytest.mark.parametrize(
    "text", ["a" * 1_000_000, "日本語の文章" * 50_000, "." * 300_000, "\n" * 500_000 + "x" * 5_000, "e" + "\u0301" * 100_000]
)
def test_very_long_text_without_natural_boundaries_is_cut_in_linear_work(text: str) -> None:
    class Counting(CharacterTokenizer):
        read = 0

        def starts(self, text: str) -> Sequence[int]:
            self.read += len(text)
            return [index for index in range(len(text)) if not text[index].isspace()]

    tokenizer = Counting()
    ranges = RecursiveSplitter(tokenizer, 50).split(text, 500)
    assert sum(end - start for start, end in ranges) == len(text.strip())
    assert tokenizer.read <= 3 * len(text)


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        RecursiveSplitter(WordTokenizer(), 0).split("a", 0)


def chunks_of(
    document: Document,
    *,
    source: str = "docs/guide.md",
    tags: Sequence[str] = (),
    keywords: Sequence[str] = (),
    pictures: Mapping[str, PictureNote] | None = None,
    room: int = 60,
    tokenizer: Tokenizer | None = None,
    overlap: int = 5,
) -> list[Chunk]:
    tokenizer = tokenizer or WordTokenizer()
    shown = Shown.within(pictures or {}, source, tokenizer, room)
    sections = split_sections(document, "doc")
    splitter = RecursiveSplitter(tokenizer, overlap)
    pieces = build_pieces(document, sections, shown=shown, splitter=splitter, tokenizer=tokenizer, room=room)
    return build_chunks(
        pieces,
        document=Enrichment("rules", tags=tuple(tags)),
        enrichments=[Enrichment("rules", keywords=tuple(keywords)) for _ in pieces],
        source=source,
        shown=shown,
        analyzer=BlankAnalyzer(),
    )


def markdown(text: str, name: str = "guide.md") -> Document:
    return MarkdownLoader().load(text.encode(), name)


TEXT = "# Guide\n\nIntro text.\n\n## Install\n\nRun the installer.\n\n## Empty\n\n## Use\n\nAsk a question.\n"


def test_a_chunk_is_the_sections_text_and_its_views_add_the_path() -> None:
    chunks = chunks_of(markdown(TEXT), tags=["setup"])
    assert [(chunk.ordinal, chunk.section_path, chunk.text) for chunk in chunks] == [
        (0, ("Guide",), "Intro text."),
        (1, ("Guide", "Install"), "Run the installer."),
        (2, ("Guide", "Use"), "Ask a question."),
    ]
    assert chunks[1].dense_view == "Guide > Install\nRun the installer."
    assert chunks[1].sparse_tokens == (
        *("Guide", ">", "Install", "Run", "the", "installer."),
        *("guide.md", "docs/guide.md", "setup"),
    )


def test_ids_and_keys_are_made_as_the_architecture_says() -> None:
    chunk = chunks_of(markdown(TEXT))[1]
    digest = hashlib.sha256(canonical(chunk.text).encode()).hexdigest()
    assert chunk.section_id == hash32("doc", "Guide\x1fInstall", "0")
    assert chunk.chunk_id == hash32(chunk.section_id, digest, "0")
    assert chunk.dense_id == hash32(chunk.chunk_id, chunk.dense_view)
    assert chunk.dense_key == hashlib.sha256(canonical(chunk.dense_view).encode()).hexdigest()[:32]
    sparse = "Guide > Install\nRun the installer.\nguide.md\ndocs/guide.md"
    assert chunk.sparse_id == hash32(chunk.chunk_id, sparse, "blank-1")


def test_renaming_a_file_changes_the_sparse_side_only() -> None:
    for text in (TEXT, "No heading, so that the title is the file's name.\n"):
        before = chunks_of(markdown(text, "a.md"), source="x/a.md")
        after = chunks_of(markdown(text, "b.md"), source="y/b.md")
        assert [(chunk.chunk_id, chunk.dense_id, chunk.dense_key) for chunk in before] == [
            (chunk.chunk_id, chunk.dense_id, chunk.dense_key) for chunk in after
        ]
        assert {chunk.sparse_id for chunk in before}.isdisjoint(chunk.sparse_id for chunk in after)


def test_a_title_that_is_not_the_first_heading_stands_before_the_path() -> None:
    chunks = chunks_of(markdown("---\ntitle: Handbook\n---\nroot\n\n# Install\n\ntext\n"))
    assert [chunk.dense_view for chunk in chunks] == ["Handbook\nroot", "Handbook > Install\ntext"]


def test_equal_texts_of_one_section_get_different_ids() -> None:
    paragraph = " ".join(["same words again"] * 15)
    chunks = chunks_of(markdown(f"# A\n\n{paragraph}\n\n{paragraph}\n"), overlap=0)
    assert chunks[0].text == chunks[1].text
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)


def test_an_edit_keeps_the_ids_of_unchanged_chunks() -> None:
    before = {chunk.text: chunk.chunk_id for chunk in chunks_of(markdown(TEXT))}
    after = {chunk.text: chunk.chunk_id for chunk in chunks_of(markdown(TEXT.replace("Intro text.", "New\n\nlines.")))}
    assert {text for text in before if before[text] == after.get(text)} == {"Run the installer.", "Ask a question."}


def test_a_document_of_headings_alone_is_searchable_by_them() -> None:
    document = markdown("# Alpha\n\n## Beta\n")
    assert [(chunk.section_path, chunk.text) for chunk in chunks_of(document)] == [
        (("Alpha",), "# Alpha"),
        (("Alpha", "Beta"), "## Beta"),
    ]


@settings(max_examples=60)
@given(
    title=st.text(ALPHABET + "xyz", min_size=1, max_size=300),
    body=st.text(ALPHABET, min_size=1, max_size=600),
    chunk_size=st.integers(32, 80),
    tokenizer=st.sampled_from([WordTokenizer(), PrefixTokenizer(), CharacterTokenizer()]),
)
def test_the_whole_dense_view_keeps_the_limit_whatever_the_heading(
    title: str, body: str, chunk_size: int, tokenizer: WordTokenizer | CharacterTokenizer
) -> None:
    document = Document("text", title, body, "x", "1", headings=(Heading(0, 0, 1, title), Heading(0, 0, 2, "sub")))
    chunks = chunks_of(document, source="a.txt", room=chunk_size - 5, tokenizer=tokenizer, overlap=8)
    assert all(tokenizer.count(chunk.dense_view) <= chunk_size - 5 for chunk in chunks)
    assert all(canonical(chunk.text) for chunk in chunks)


def test_an_over_long_path_keeps_its_innermost_heading() -> None:
    outer, inner = " ".join(["outer"] * 40), "Inner part"
    chunks = chunks_of(markdown(f"# {outer}\n\n## {inner}\n\ntext of it\n"))
    assert [(chunk.dense_view, chunk.text) for chunk in chunks] == [("Inner part\ntext of it", "text of it")]


def test_lines_of_a_verbatim_document_are_exact() -> None:
    text = "---\ntitle: T\n---\n# A\n\none\ntwo\n\n# B\n\n" + "".join(f"line {number} is here.\n" for number in range(1, 61))
    document = markdown(text)
    lines = text.split("\n")
    chunks = chunks_of(document)
    assert len(chunks) > 4
    for chunk in chunks:
        assert chunk.place.line_range is not None
        first, last = chunk.place.line_range
        assert "\n".join(lines[first - 1 : last]).strip() == chunk.text


def test_places_of_other_documents_come_from_their_marks() -> None:
    facts = "page one text\n\npage two text\n\npage three text"
    marks = tuple(
        Mark(facts.index(word), Place(page=page)) for page, word in enumerate(("page one", "page two", "page three"), 1)
    )
    document = Document("pdf", "T", facts, "x", "1", marks=marks)
    assert [chunk.place for chunk in chunks_of(document)] == [Place(page=1)]
    assert [chunk.place.page for chunk in chunks_of(document, room=4, overlap=0)] == [1, 2, 3]
    lined = replace(
        document,
        marks=(Mark(0, Place(line_range=(3, 4))), Mark(15, Place(line_range=(9, 9))), Mark(30, Place(line_range=(7, 8)))),
    )
    assert chunks_of(lined)[0].place == Place(line_range=(3, 9))
    assert chunks_of(replace(document, marks=()))[0].place == Place()


def paged(*pages: str) -> Document:
    """A document with a mark at each paragraph."""
    facts = "\n\n".join(pages)
    marks, at = [], 0
    for number, page in enumerate(pages, 1):
        for paragraph in page.split("\n\n"):
            marks.append(Mark(at, Place(page=number)))
            at += len(paragraph) + 2
    return Document("pdf", "T", facts, "x", "1", marks=tuple(marks))


def test_what_a_chunk_says_stands_on_one_page() -> None:
    first, second = "The valve on the first page is opened by hand.", "The second page has the names of those who may open it."
    pages = [(chunk.text, chunk.place.page) for chunk in chunks_of(paged(first, second))]
    assert pages == [(first, 1), (second, 2)]


def test_a_page_number_goes_with_the_page_that_most_of_the_text_stands_on() -> None:
    text = "The second page has the names of those who may open the valve."
    assert [(chunk.text, chunk.place.page) for chunk in chunks_of(paged("1", text))] == [(f"1\n\n{text}", 2)]


def test_the_picture_of_a_scan_does_not_say_where_its_text_stands() -> None:
    content = "![page 1](asset://ab)\n\nThe valve is opened by hand."
    line = (0.1, 0.2, 0.6, 0.25)
    marks = (Mark(0, Place(page=1, bbox=(0.0, 0.0, 1.0, 1.0))), Mark(content.index("The"), Place(page=1, bbox=line)))
    assert [chunk.place.bbox for chunk in chunks_of(Document("pdf", "T", content, "x", "1", marks=marks))] == [line]


def test_a_paragraph_that_goes_on_over_pages_is_not_cut() -> None:
    facts = "A sentence that begins on the one page and has most of its words there, goes on upon the next."
    document = Document("pdf", "T", facts, "x", "1", marks=(Mark(0, Place(page=1)), Mark(facts.index("goes"), Place(page=2))))
    assert [(chunk.text, chunk.place.page) for chunk in chunks_of(document)] == [(facts, 1)]


def test_text_that_cannot_be_seen_makes_no_chunk() -> None:
    document = Document(
        "text", "T", "\u200b\u200b\n\nreal text", "x", "1", headings=(Heading(0, 0, 1, "A"), Heading(4, 4, 1, "B"))
    )
    assert [chunk.text for chunk in chunks_of(document)] == ["real text"]


def test_a_chunk_size_without_room_for_text_is_refused() -> None:
    with pytest.raises(ValueError, match="2 tokens is too little"):
        chunks_of(markdown(TEXT), room=2)


def test_a_title_that_is_the_first_line_of_the_text_is_not_said_twice() -> None:
    document = TextLoader().load(("Release notes\n\n" + "Something was mended. " * 200).encode(), "notes.txt")
    first, *rest = chunks_of(document)
    assert first.dense_view.count("Release notes") == 1
    assert rest
    assert all(chunk.dense_view.startswith("Release notes\n") for chunk in rest)


FIGURE = {"figure.png": PictureNote("a" * 32, "words that were read in the figure")}


def test_what_was_read_in_a_picture_stands_in_its_place_in_both_views_and_not_in_the_text() -> None:
    document = markdown("# Guide\n\nBefore. ![The pump](figure.png) After.\n")
    (chunk,) = chunks_of(document, pictures=FIGURE)
    assert chunk.text == "Before. ![The pump](figure.png) After."
    assert chunk.dense_view == "Guide\nBefore. The pump\nwords that were read in the figure After."
    assert set("words that were read".split()) <= set(chunk.sparse_tokens)
    assert chunk.image_refs == ("a" * 32,)


def test_only_the_chunk_that_shows_a_picture_refers_to_it() -> None:
    document = markdown("# A\n\ntext of one\n\n# B\n\n<img src='figure.png' alt='x'>\n\n# C\n\n![unknown](other.png)\n")
    assert [chunk.image_refs for chunk in chunks_of(document, pictures=FIGURE)] == [(), ("a" * 32,), ()]


def test_much_text_in_a_picture_is_cut_in_the_dense_view_and_whole_in_the_sparse_one() -> None:
    words = [f"word{number}" for number in range(200)]
    notes = {"figure.png": PictureNote("a" * 32, " ".join(words))}
    tokenizer = WordTokenizer()
    chunks = chunks_of(markdown("# Guide\n\n![](figure.png)\n\n" + "plain text here. " * 30), pictures=notes)
    assert all(tokenizer.count(chunk.dense_view) <= 60 for chunk in chunks)
    shown = next(chunk for chunk in chunks if chunk.image_refs)
    assert "word0 word1" in shown.dense_view
    assert "word199" not in shown.dense_view
    assert set(words) <= set(shown.sparse_tokens)


def test_an_alternative_text_that_is_the_files_name_is_not_embedded() -> None:
    chunks = chunks_of(markdown("![pump.png](figure.png)\n"), source="pictures/pump.png", pictures=FIGURE)
    assert chunks[0].dense_view == "words that were read in the figure"


def test_keywords_are_in_the_sparse_view_alone() -> None:
    (chunk,) = chunks_of(markdown("# A\n\ntext\n"), keywords=["flywheel"])
    assert "flywheel" in chunk.sparse_tokens
    assert "flywheel" not in chunk.dense_view


def test_cells_and_rectangles_of_a_chunk_are_those_of_its_rows_and_lines_together() -> None:
    facts = "row one\nrow two\nrow three"
    rows = [Place(sheet="Orders", cell_range=cells) for cells in ("B2:F2", "A3:C4", "AA10")]
    document = Document("xlsx", "T", facts, "x", "1", marks=tuple(map(Mark, (0, 8, 16), rows)))
    assert chunks_of(document)[0].place == Place(sheet="Orders", cell_range="A2:AA10")
    lines = [
        Place(page=1, bbox=(0.1, 0.2, 0.5, 0.25)),
        Place(page=1, bbox=(0.1, 0.3, 0.9, 0.4)),
        Place(page=2, bbox=(0, 0, 1, 1)),
    ]
    document = Document("pdf", "T", facts, "x", "1", marks=tuple(map(Mark, (0, 8, 16), lines)))
    assert chunks_of(document)[0].place == Place(page=1, bbox=(0.1, 0.2, 0.9, 0.4))


def test_a_part_of_a_table_that_fits_is_not_cut_and_no_chunk_begins_inside_one() -> None:
    head = "| Part | Stock |\n| --- | --- |\n"
    parts = [head + "".join(f"| part{part}x{row} | {row} |\n" for row in range(6)) for part in range(20)]
    chunks = chunks_of(markdown("# Parts\n\n" + "\n".join(parts)), room=60)
    assert len(chunks) > 5
    assert all(chunk.text.startswith("| Part |") for chunk in chunks)


def test_a_very_long_text_is_cut_in_parts_that_lose_nothing() -> None:
    tokenizer = WordTokenizer()
    longest = 0

    class Watched(WordTokenizer):
        def starts(self, text: str) -> Sequence[int]:
            nonlocal longest
            longest = max(longest, len(text))
            return super().starts(text)

    for text in ("".join(f"word{number} goes here.\n\n" for number in range(30_000)), "x" * 450_000):
        ranges = RecursiveSplitter(Watched(), 0).split(text, 400)
        assert "".join("".join(text[start:end].split()) for start, end in ranges) == "".join(text.split())
        assert all(tokenizer.count(text[start:end]) <= 400 for start, end in ranges)
    assert longest <= 200_000


@pytest.mark.parametrize(
    "reference",
    ["![a](figure.png)", "![a](<figure.png>)", '![a](figure.png "title")', "![a][figure.png]", "<img alt=a src='figure.png'>"],
)
def test_every_way_to_refer_to_a_picture_is_known(reference: str) -> None:
    (chunk,) = chunks_of(markdown(f"# A\n\nbefore {reference} after\n"), pictures=FIGURE)
    assert chunk.image_refs == ("a" * 32,)


@pytest.mark.slow
@pytest.mark.parametrize("beginning", ["![", "<img ", "![a](", "![a](x(", "![a]["])
def test_a_text_full_of_beginnings_of_references_costs_no_square(beginning: str) -> None:
    assert list(REFERENCE.finditer(beginning * 20_000)) == []
