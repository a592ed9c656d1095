"""The fixed and the semantic splitter: the contract of all splitters, and what is each one's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragd.ingest.chunking.recursive import RecursiveSplitter
from ragd.ingest.chunking.splitters import FixedSplitter, SemanticSplitter
from ragd.providers.fakes import FakeEmbedder, WordTokenizer
from ragd.providers.protocols import Splitter, Tokenizer, Vectors
from ragd.testing import SplitterContract


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


class CountingEmbedder(FakeEmbedder):
    """Remembers the texts that it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def embed_passages(self, texts: Sequence[str], on_batch: Callable[[int], None] | None = None) -> Vectors:
        self.texts.extend(texts)
        return super().embed_passages(texts, on_batch)


def fixed(tokenizer: Tokenizer, overlap: int = 8) -> Splitter:
    return FixedSplitter(tokenizer, overlap)


def semantic(tokenizer: Tokenizer, overlap: int = 8, percentile: float = 80) -> Splitter:
    return SemanticSplitter(tokenizer, overlap, FakeEmbedder(), percentile)


@pytest.mark.parametrize("build", [fixed, semantic], scope="class")
class TestSplitters(SplitterContract):
    @pytest.fixture
    def tokenizer(self) -> Tokenizer:
        return WordTokenizer()

    @pytest.fixture
    def splitter(self, tokenizer: Tokenizer, build: Callable[[Tokenizer], Splitter]) -> Splitter:
        return build(tokenizer)


ALPHABET = "ab  \n\n。.、,!`~-|# éが\u3099🇯🇵👩\u200d👧1"
TEXTS = st.one_of(
    st.text(ALPHABET, max_size=400), st.text(max_size=150), st.lists(st.text(ALPHABET, max_size=40)).map("\n\n".join)
)
TOKENIZERS = st.sampled_from([WordTokenizer(), PrefixTokenizer(), CharacterTokenizer()])


@pytest.mark.parametrize("build", [fixed, semantic])
@settings(max_examples=150)
@given(text=TEXTS, max_tokens=st.integers(4, 40), overlap=st.integers(0, 20), tokenizer=TOKENIZERS)
def test_ranges_cover_every_character_in_order_and_keep_the_limit(
    build: Callable[[Tokenizer, int], Splitter], text: str, max_tokens: int, overlap: int, tokenizer: Tokenizer
) -> None:
    ranges = build(tokenizer, overlap).split(text, max_tokens)
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


@pytest.mark.parametrize("build", [fixed, semantic])
def test_a_limit_below_one_is_refused(build: Callable[[Tokenizer], Splitter]) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        build(WordTokenizer()).split("a", 0)


def cut(splitter: Splitter, text: str, max_tokens: int) -> list[str]:
    return [text[start:end] for start, end in splitter.split(text, max_tokens)]


def test_fixed_chunks_have_as_many_tokens_as_fit_and_share_the_overlap() -> None:
    text = " ".join(f"w{number}" for number in range(11))
    assert cut(FixedSplitter(WordTokenizer(), 0), text, 4) == ["w0 w1 w2 w3", "w4 w5 w6 w7", "w8 w9 w10"]
    assert cut(FixedSplitter(WordTokenizer(), 2), text, 6) == ["w0 w1 w2 w3 w4 w5", "w4 w5 w6 w7 w8 w9", "w8 w9 w10"]
    assert cut(FixedSplitter(WordTokenizer(), 0), "設定を確認します。終わり", 5) == ["設定を確認", "します。終", "わり"]


def test_fixed_chunks_do_not_cut_a_grapheme() -> None:
    text = "e\u0301" * 50 + "👩\u200d👩\u200d👧" * 20 + "🇯🇵" * 20
    for start, _ in FixedSplitter(CharacterTokenizer(), 7).split(text, 31):
        assert text[start] not in "\u0301\u200d🇵"
        assert start == 0 or text[start - 1] != "\u200d"


@pytest.mark.parametrize("text", ["a" * 300_000, "日本語の文章" * 50_000, "\n" * 200_000 + "x" * 5_000, "e" + "\u0301" * 50_000])
def test_very_long_text_is_cut_in_linear_work(text: str) -> None:
    class Counting(CharacterTokenizer):
        read = 0

        def starts(self, text: str) -> Sequence[int]:
            self.read += len(text)
            return [index for index in range(len(text)) if not text[index].isspace()]

    tokenizer = Counting()
    ranges = FixedSplitter(tokenizer, 0).split(text, 500)
    assert sum(end - start for start, end in ranges) == len(text.strip())
    assert tokenizer.read <= 3 * len(text)


DISKS = "The disk of the queue server is full. Free the disk of the server. A full disk stops the server of the queue. "
LEAVE = "Holiday requests go to your manager. Your manager approves holiday requests. Ask the manager before the holiday. "
BACKUP = "夜間バックアップは二時に始まります。バックアップは夜間に一時間かかります。夜間バックアップの記録を確認します。"
MEAL = "昼食は食堂で注文できます。食堂の昼食は毎日変わります。昼食の注文は食堂で十時までです。"


@pytest.mark.parametrize(("one", "other"), [(DISKS, LEAVE), (BACKUP, MEAL)], ids=["English", "Japanese"])
def test_a_long_text_is_cut_where_its_subject_changes(one: str, other: str) -> None:
    chunks = cut(semantic(WordTokenizer(), percentile=90), one + other, 40 if one.isascii() else 80)
    assert chunks == [one.strip(), other.strip()]


def test_a_text_that_fits_is_not_embedded() -> None:
    embedder = CountingEmbedder()
    splitter = SemanticSplitter(WordTokenizer(), 0, embedder, 95)
    assert cut(splitter, f"  {DISKS}{LEAVE}", 500) == [(DISKS + LEAVE).strip()]
    assert embedder.texts == []


def test_the_sentences_on_both_sides_of_each_place_are_compared() -> None:
    embedder = CountingEmbedder()
    SemanticSplitter(WordTokenizer(), 0, embedder, 95).split("One two. Three four. Five six. Seven eight.", 6)
    assert embedder.texts == [
        "One two. ",
        "One two. Three four. ",
        "Three four. Five six. ",
        "Five six. Seven eight.",
        "Seven eight.",
    ]


def test_code_and_tables_are_not_taken_apart_where_they_fit() -> None:
    code = "```py\na = 1\n\nb = 2. \n```\n"
    table = "| Zone. North. | Load. |\n| --- | --- |\n| One. Two. | 3 |\n"
    chunks = cut(semantic(WordTokenizer(), overlap=0, percentile=1), f"{DISKS}\n\n{code}\n{table}\n{LEAVE}", 60)
    assert any(code.strip() in chunk for chunk in chunks)
    assert any(table.strip() in chunk for chunk in chunks)


def test_tiny_stretches_are_joined_to_a_neighbour() -> None:
    text = DISKS + "Yes. " + LEAVE
    chunks = cut(semantic(WordTokenizer(), percentile=1), text, 80)
    assert "Yes." not in chunks
    assert min(WordTokenizer().count(chunk) for chunk in chunks) >= 80 // 8


def test_what_stays_too_long_is_cut_as_the_recursive_splitter_does() -> None:
    text = " ".join(["word"] * 100)
    tokenizer = WordTokenizer()
    assert semantic(tokenizer).split(text, 30) == RecursiveSplitter(tokenizer, 8).split(text, 30)


def test_long_texts_are_embedded_in_parts_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (DISKS + LEAVE) * 5
    whole = semantic(WordTokenizer()).split(text, 80)
    monkeypatch.setattr("ragd.ingest.chunking.splitters._EMBEDDED_AT_ONCE", 3)
    assert semantic(WordTokenizer()).split(text, 80) == whole


def test_noise_in_the_last_digits_of_vectors_moves_no_cut() -> None:
    class Noisy(FakeEmbedder):
        seed = 0

        def embed_passages(self, texts: Sequence[str], on_batch: Callable[[int], None] | None = None) -> Vectors:
            vectors = super().embed_passages(texts, on_batch)
            self.seed += 1
            noise = np.random.default_rng(self.seed).normal(scale=1e-8, size=vectors.shape)
            return np.asarray(vectors + noise, dtype=np.float32)

    text = (DISKS + LEAVE) * 5
    splitter = SemanticSplitter(WordTokenizer(), 8, Noisy(), 80)
    assert splitter.split(text, 80) == splitter.split(text, 80)


def test_profiles_tell_everything_that_shapes_the_chunks() -> None:
    embedder, other = FakeEmbedder(), FakeEmbedder(dimension=128)
    tokenizer = WordTokenizer()
    profiles = {
        FixedSplitter(tokenizer, 8).profile,
        FixedSplitter(tokenizer, 9).profile,
        RecursiveSplitter(tokenizer, 8).profile,
        SemanticSplitter(tokenizer, 8, embedder, 95).profile,
        SemanticSplitter(tokenizer, 9, embedder, 95).profile,
        SemanticSplitter(tokenizer, 8, embedder, 95.5).profile,
        SemanticSplitter(tokenizer, 8, other, 95).profile,
    }
    assert len(profiles) == 7
    assert embedder.model_id in SemanticSplitter(tokenizer, 8, embedder, 95).profile
    assert embedder.revision in SemanticSplitter(tokenizer, 8, embedder, 95).profile
