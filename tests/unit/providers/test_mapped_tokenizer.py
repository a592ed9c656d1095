"""A mapped vocabulary gives the tokens of the `tokenizers` library, which is open only while much text is cut."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragd.core.errors import ModelDamaged
from ragd.providers.tokenizers.mapped import MappedTokenizer
from ragd.providers.tokenizers.onnx import OnnxTokenizer
from ragd.providers.tokenizers.piece_table import build, open_table

# Pieces that begin alike, overlap, tie ("ab" + "c" and "a" + "bc"), look like special tokens, and are of several scripts.
_PIECES: Mapping[str, float] = {
    "<s>": 0.0,
    "<pad>": 0.0,
    "</s>": 0.0,
    "<unk>": 0.0,
    "▁": -2.0,
    "▁a": -3.0,
    "a": -4.0,
    "b": -4.0,
    "c": -4.0,
    "ab": -5.0,
    "bc": -5.0,
    "abcde": -4.5,
    "▁ab": -6.0,
    "1": -4.0,
    "㍿": -3.0,
    "株式": -4.0,
    "会社": -4.0,
    "式会": -3.5,
    "式": -6.0,
    "ｶ": -5.0,
    "カ": -5.0,
    "ガ": -5.5,
    "e\u0301": -4.0,
    "é": -4.0,
    "<mask>": 0.0,
}
_ALPHABET = "abcde1 <>/skunpdm▁㍿株式会社ｶﾞカガe\u0301é\u00a0\n\tﬁ①～"


def _values(**model: Any) -> dict[str, Any]:
    special = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    names = list(_PIECES)
    return {
        "version": "1.0",
        "added_tokens": [
            {"id": names.index(name), "content": name, **special} for name in ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
        ],
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "Nmt"}, {"type": "NFKC"}]},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "<s>", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "</s>", "type_id": 0}},
            ],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
            "special_tokens": {
                "<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]},
                "</s>": {"id": "</s>", "ids": [2], "tokens": ["</s>"]},
            },
        },
        "model": {"type": "Unigram", "unk_id": 3, "vocab": list(_PIECES.items()), "byte_fallback": False} | model,
    }


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "tokenizer.json"
    path.write_text(json.dumps(_values()), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def pair(path: Path) -> tuple[OnnxTokenizer, OnnxTokenizer]:
    """One that always uses the library, and one that maps its vocabulary."""
    mapped = OnnxTokenizer(path, path.parent / "tables", much=10**9)
    assert not mapped.uses_library
    return OnnxTokenizer(path), mapped


@pytest.fixture(scope="module")
def trimming(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As the default model's: blanks in a row are one, and none are at the ends."""
    values = _values()
    blanks = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
    values["normalizer"]["normalizers"] += [blanks, {"type": "Strip", "strip_left": True, "strip_right": True}]
    path = tmp_path_factory.mktemp("trimming") / "tokenizer.json"
    path.write_text(json.dumps(values), encoding="utf-8")
    return path


@settings(max_examples=400)
@given(
    st.lists(st.text(_ALPHABET, max_size=30) | st.sampled_from(["a<s>b", "<unk>a", "a <unk><unk> b", "＜ｓ＞", ""]), max_size=4)
)
def test_ids_and_places_are_those_of_the_library(pair: tuple[OnnxTokenizer, OnnxTokenizer], texts: list[str]) -> None:
    library, mapped = pair
    assert mapped.plain_ids(texts) == library.plain_ids(texts)
    joined = "".join(texts)
    assert mapped.starts(joined) == library.starts(joined)


def test_the_frame_is_that_of_the_library(pair: tuple[OnnxTokenizer, OnnxTokenizer]) -> None:
    library, mapped = pair
    names = ("begin_ids", "end_ids", "pad_id", "blank_id")
    assert [getattr(mapped, name) for name in names] == [getattr(library, name) for name in names]


def test_a_word_is_cut_alike_when_it_comes_again(pair: tuple[OnnxTokenizer, OnnxTokenizer]) -> None:
    library, mapped = pair
    assert mapped.plain_ids(["abc ab"]) == mapped.plain_ids(["abc ab"]) == library.plain_ids(["abc ab"])


def test_a_damaged_table_is_made_anew(path: Path, tmp_path: Path) -> None:
    expected = OnnxTokenizer(path, tmp_path).plain_ids(["abcde 株式会社"])
    (table,) = tmp_path.iterdir()
    content = bytearray(table.read_bytes())
    content[-1] ^= 1
    table.write_bytes(content)
    assert OnnxTokenizer(path, tmp_path).plain_ids(["abcde 株式会社"]) == expected
    assert table.read_bytes() != bytes(content)


def test_a_folder_that_can_not_be_written_costs_the_file_alone(path: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    tokenizer = OnnxTokenizer(path, tmp_path / "file" / "tables")
    assert not tokenizer.uses_library
    assert tokenizer.count("abcde") == 2


@pytest.mark.parametrize(
    "model", [{"byte_fallback": True}, {"type": "WordLevel"}, {"vocab": [["a", -1.0], ["a", -2.0]], "unk_id": 0}]
)
def test_other_vocabularies_are_the_library_s(model: dict[str, Any]) -> None:
    assert build(json.dumps(_values(**model)).encode()) is None


def test_what_is_no_tokenizer_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text('{"type": "Unigram"')
    with pytest.raises(ModelDamaged, match="can't be read"):
        OnnxTokenizer(path, tmp_path / "tables")


def test_much_text_opens_the_library_until_none_comes_any_more(path: Path, tmp_path: Path) -> None:
    tokenizer = OnnxTokenizer(path, tmp_path, much=100, idle_s=0.05)
    tokenizer.starts("abc " * 20)
    assert not tokenizer.uses_library
    tokenizer.starts("abc " * 20)
    assert tokenizer.uses_library
    end = time.monotonic() + 600
    while tokenizer.uses_library and time.monotonic() < end:
        time.sleep(0.01)
    assert not tokenizer.uses_library
    assert tokenizer.plain_ids(["abcde"]) == OnnxTokenizer(path).plain_ids(["abcde"])


def test_counts_of_much_text_open_the_library_and_stay_the_same(path: Path, tmp_path: Path) -> None:
    tokenizer = OnnxTokenizer(path, tmp_path, much=100)
    texts = ["abc " * 200, "abcde 株式会社", "a<s>b"]
    before = [tokenizer.count(text) for text in texts]
    assert tokenizer.counts(texts) == before
    assert not tokenizer.uses_library
    assert tokenizer.counts(texts) == before
    assert tokenizer.uses_library


@pytest.mark.parametrize("kind", ["path", "trimming"])
def test_passages_that_share_lines_count_what_each_counts_alone(kind: str, request: pytest.FixtureRequest) -> None:
    path: Path = request.getfixturevalue(kind)
    tokenizer = OnnxTokenizer(path, path.parent / "tables", much=10**9)

    @settings(max_examples=400)
    @given(st.lists(st.text(_ALPHABET + "\u3000\x85\u200b\u2028\r", max_size=30) | st.just("a<s>b"), max_size=4))
    def check(lines: list[str]) -> None:
        passages = [*lines, "\n".join(lines), "\n\n".join(["ab", *lines])]
        assert tokenizer.counts(passages) == list(map(tokenizer.count, passages))

    check()


def test_lines_are_counted_apart_where_their_ends_end_words_and_count_for_nothing(path: Path, trimming: Path) -> None:
    both = [MappedTokenizer(table) for one in (path, trimming) if (table := open_table(one, None))]
    assert [tokenizer.apart("a\nb") for tokenizer in both] == [["a\nb"], ["a", "b"]]
    assert both[1].apart("a\x85\nb") == ["a\x85\nb"]


def test_questions_open_no_library(path: Path, tmp_path: Path) -> None:
    tokenizer = OnnxTokenizer(path, tmp_path, much=100)
    tokenizer.plain_ids(["abc " * 500])
    assert not tokenizer.uses_library


def test_the_table_is_mapped_and_kept(path: Path, tmp_path: Path) -> None:
    first, second = open_table(path, tmp_path), open_table(path, tmp_path)
    assert first is not None
    assert second is not None
    assert not second.keys.flags.writeable
    assert len(list(tmp_path.iterdir())) == 1
