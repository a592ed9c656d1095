"""The stages of a text: what is counted, and which texts are too long once they are written out."""

from __future__ import annotations

from collections import Counter

import pytest

from ragd.core.documents import Document
from ragd.core.errors import UnpacksTooLarge
from ragd.formats.common.naming import FROM_FILE_NAME, TITLE_SOURCE
from ragd.ingest.text_stages import TextProviders, TextRun, TextTask
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


def test_a_text_that_is_short_only_until_it_is_written_out_is_refused() -> None:
    with pytest.raises(UnpacksTooLarge, match=r"'notes\.txt' .* 60,000 characters are 1,080,000"):
        run_of(LIGATURE * 60_000).clean()


@pytest.mark.parametrize("text", [LIGATURE * 50_000, "㈱㌔① カブシキ" * 120_000, "word " * 400_000])
def test_signs_for_words_among_words_are_read(text: str) -> None:
    run_of(text).clean()
