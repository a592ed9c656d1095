"""The contracts of splitters and rerankers."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest

from ragd.core.documents import Place
from ragd.core.results import Passage
from ragd.providers.protocols import Reranker, Splitter, Tokenizer


class SplitterContract:
    """A text into ranges that cover it and fit the limit."""

    @pytest.fixture
    def splitter(self) -> Splitter:
        raise NotImplementedError("override the fixture splitter")

    @pytest.fixture
    def tokenizer(self) -> Tokenizer:
        """The tokenizer that the splitter counts with."""
        raise NotImplementedError("override the fixture tokenizer")

    TEXTS = (
        "One short sentence.",
        "First paragraph. It has sentences.\n\nSecond paragraph, " + "with many words in it " * 40 + ".\n\n- item\n- item\n",
        "設定を変更するには、ファイルを編集します。" * 60,
        "```\n" + "code line\n" * 80 + "```\n\nafter",
        "x" * 3000,
        "👩‍👩‍👧‍👦" * 100,
    )

    @pytest.mark.parametrize("text", TEXTS)
    @pytest.mark.parametrize("limit", [16, 64, 300])
    def test_ranges_fit_the_limit_go_forward_and_cover_the_text(
        self, splitter: Splitter, tokenizer: Tokenizer, text: str, limit: int
    ) -> None:
        ranges = splitter.split(text, limit)
        covered = [False] * len(text)
        for start, end in ranges:
            assert 0 <= start < end <= len(text)
            assert tokenizer.count(text[start:end]) <= limit
            covered[start:end] = [True] * (end - start)
        assert all(earlier[0] < later[0] and earlier[1] < later[1] for earlier, later in pairwise(ranges))
        assert all(done or character.isspace() for done, character in zip(covered, text, strict=True))

    def test_what_fits_is_one_range(self, splitter: Splitter) -> None:
        assert len(splitter.split("One short sentence.", 100)) == 1

    def test_a_blank_text_has_no_ranges(self, splitter: Splitter) -> None:
        assert splitter.split("", 100) == splitter.split(" \n\n ", 100) == []

    def test_the_same_text_is_cut_the_same_way(self, splitter: Splitter) -> None:
        assert splitter.split(self.TEXTS[1], 64) == splitter.split(self.TEXTS[1], 64)
        assert splitter.profile


class RerankerContract:
    """A question and passages in, a relevance for each that was reached."""

    @pytest.fixture
    def reranker(self) -> Reranker:
        raise NotImplementedError("override the fixture reranker")

    @pytest.mark.parametrize("count", [0, 1, 12])
    def test_each_passage_gets_a_relevance_or_none(self, reranker: Reranker, count: int) -> None:
        passages = [_passage(number, f"Passage {number} tells how to mount disk {number}.") for number in range(count)]
        scores = reranker.score("How is disk 3 mounted?", passages, time.monotonic() + 60)
        assert len(scores) <= count
        assert all(score is None or 0 <= score <= 1 for score in scores)

    def test_after_the_deadline_nothing_is_begun(self, reranker: Reranker) -> None:
        passages = [_passage(number, f"Passage {number} was never seen before.") for number in range(4)]
        assert not [score for score in reranker.score("anything", passages, time.monotonic() - 1) if score is not None]

    def test_it_says_what_it_is(self, reranker: Reranker) -> None:
        assert reranker.name
        assert isinstance(reranker.profile, str)
        assert isinstance(reranker.judges, bool)


def _passage(number: int, content: str) -> Passage:
    return Passage(
        chunk_id=f"chunk{number}",
        doc_id="doc",
        version_id="version",
        collection="default",
        content=content,
        source="disks.md",
        source_uri="file:///disks.md",
        doc_type="markdown",
        title="Disks",
        section_path=("Disks",),
        place=Place(line_range=(number + 1, number + 1)),
        ordinal=number,
        tokens=len(content.split()),
    )
