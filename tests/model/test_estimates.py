"""The estimate of tokens, which remote models are kept to, against a real tokenizer."""

from __future__ import annotations

import random
import re
import string
from pathlib import Path

import pytest

from ragd.models.rows import ModelFiles
from ragd.providers.tokenizers.estimate import EstimatedTokenizer
from ragd.providers.tokenizers.onnx import OnnxTokenizer

pytestmark = pytest.mark.model

# The mark before the first word, which counts with what stands around a text.
MARK = 1


def test_the_estimate_is_never_below_the_real_count(model_files: ModelFiles, texts: list[str], project_root: Path) -> None:
    real, estimate = OnnxTokenizer(model_files.tokenizer), EstimatedTokenizer()
    documents = "\n".join(path.read_text(encoding="utf-8") for path in sorted((project_root / "docs").glob("*.md")))
    choose = random.Random(5)
    letters = ["".join(choose.choices(string.ascii_lowercase, k=choose.randint(1, 40))) for _ in range(500)]
    keys = ["".join(choose.choices(string.ascii_letters + string.digits, k=choose.randint(1, 60))) for _ in range(500)]
    anything = ["".join(chr(choose.randint(0xA0, 0xD7FF)) for _ in range(choose.randint(1, 40))) for _ in range(500)]
    for text in (*texts, *documents.split("\n\n"), *set(re.findall(r"\S+", documents)), *letters, *keys, *anything):
        assert estimate.count(text) + MARK >= real.count(text), text


def test_the_estimate_is_not_much_too_high(model_files: ModelFiles, texts: list[str]) -> None:
    real, estimate = OnnxTokenizer(model_files.tokenizer), EstimatedTokenizer()
    assert sum(map(estimate.count, texts)) < 3.5 * sum(map(real.count, texts))
