"""The mapped vocabulary of the real tokenizer gives the tokens and places of the `tokenizers` library."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ragd.models.rows import ModelFiles
from ragd.providers.tokenizers.onnx import OnnxTokenizer

pytestmark = pytest.mark.model

# From blanks to emoji, by blocks of Unicode.
_BLOCKS = (
    (0x20, 0x7F),
    (0xA0, 0x250),
    (0x300, 0x370),
    (0x370, 0x700),
    (0x900, 0xE80),
    (0x1E00, 0x2100),
    (0x3000, 0x3400),
    (0x4E00, 0xA000),
    (0xAC00, 0xD7A4),
    (0xF900, 0xFFFF),
    (0x1F300, 0x1FA00),
)


def test_tokens_and_places_are_those_of_the_library(
    model_files: ModelFiles, texts: list[str], project_root: Path, tmp_path: Path
) -> None:
    library, mapped = OnnxTokenizer(model_files.tokenizer), OnnxTokenizer(model_files.tokenizer, tmp_path, much=10**9)
    documents = "\n".join(path.read_text(encoding="utf-8") for path in sorted((project_root / "docs").glob("*.md")))
    choose = random.Random(7)
    mixed = ["".join(chr(choose.randrange(*choose.choice(_BLOCKS))) for _ in range(choose.randint(1, 30))) for _ in range(1000)]
    every = [*texts, *documents.split("\n\n"), *mixed, "a<s>b </s> <mask> <unk> ＜ｓ＞"]
    assert not mapped.uses_library
    assert mapped.plain_ids(every) == library.plain_ids(every)
    for text in every:
        assert mapped.starts(text) == library.starts(text), text
