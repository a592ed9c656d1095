"""The stages of a text: what is counted, and which texts are too long once they are written out."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from ragd.core.documents import Document, Heading
from ragd.core.errors import UnpacksTooLarge
from ragd.formats.common.naming import FROM_FILE_NAME, TITLE_SOURCE
from ragd.ingest.text_stages import TextProviders, TextRun, TextTask
from ragd.ingest.workers.text_process import _AskedTokenizer
from ragd.providers.fakes import FakeEmbedder, WordTokenizer

PROVIDERS = TextProviders("rules", "recursive", "rules", "bigram", {"chunk_overlap": 8})
LIGATURE = "\ufdfa"  # eighteen characters, once it is normalised


class Noting(WordTokenizer):
    def __init__(self) -> None:
        self.counted: Counter[str] = Counter()

    def count(self, text: str) -> int:
        self.counted[text] += 1
        return super().count(text)


def run_of(text: str, embedder: FakeEmbedder | None = None) -> TextRun:
    document = Document("text", "notes.txt", text, "text", "1", metadata={TITLE_SOURCE: FROM_FILE_NAME})
    task = TextTask(PROVIDERS, document, "d", "notes.txt", "notes.txt", {}, 64)
    return TextRun(PROVIDERS.open(embedder or FakeEmbedder()), task)


def test_a_chunk_without_a_heading_is_counted_once() -> None:
    embedder = FakeEmbedder()
    embedder.tokenizer = noting = Noting()
    run = run_of(" ".join(f"word{number}" for number in range(2_000)), embedder)
    run.clean()
    run.sections()
    run.cut()
    _, chunks = run.enrich()
    assert len(chunks) > 30
    assert {noting.counted[chunk.text] for chunk in chunks} == {1}


def test_what_is_counted_of_sections_that_fit_is_asked_for_at_once() -> None:
    asked: list[int] = []

    def ask(kind: str, texts: Sequence[str]) -> tuple[Mapping[str, Any], Sequence[bytes]]:
        assert kind == "count"
        asked.append(len(texts))
        return {}, [array("q", map(WordTokenizer().count, texts)).tobytes()]

    text = "".join(f"# Part {number}\n\nThe value of item {number} is set here.\n\n" for number in range(100))
    lines = [match.span() for match in re.finditer("^# .*$", text, re.MULTILINE)]
    headings = tuple(Heading(start, end, 1, text[start + 2 : end]) for start, end in lines)
    document = Document("markdown", "Guide", text, "markdown", "1", headings=headings)
    embedder = FakeEmbedder()
    embedder.tokenizer = tokenizer = _AskedTokenizer(ask)
    run = TextRun(PROVIDERS.open(embedder), TextTask(PROVIDERS, document, "d", "guide.md", "guide.md", {}, 64))
    run.clean()
    assert len(run.sections()) == 100
    tokenizer.ask_at_once(run.foreseen())
    assert asked == [128, 128, 44], "a heading, a text, and both together, of each section"
    run.cut()
    assert len(asked) == 3
    assert len(run.enrich()[1]) == 100


def test_a_text_that_is_short_only_until_it_is_written_out_is_refused() -> None:
    with pytest.raises(UnpacksTooLarge, match=r"'notes\.txt' .* 60,000 characters are 1,080,000"):
        run_of(LIGATURE * 60_000).clean()


@pytest.mark.parametrize("text", [LIGATURE * 50_000, "㈱㌔① カブシキ" * 120_000, "word " * 400_000])
def test_signs_for_words_among_words_are_read(text: str) -> None:
    run_of(text).clean()
