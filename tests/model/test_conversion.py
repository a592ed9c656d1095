"""What conversion of the real weights must give, byte for byte."""

from __future__ import annotations

import hashlib
import unicodedata
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
import pytest
from tokenizers import Tokenizer

from ragd.models.e5_onnx import onnx_model
from ragd.models.e5_weights import Container
from ragd.models.rows import MODELS, ModelFiles
from ragd.providers.tokenizers.onnx import OnnxTokenizer

pytestmark = pytest.mark.model


def test_the_weights_are_those_of_the_row(container: Container) -> None:
    releases = MODELS["multilingual-e5-small"].packages
    assert {release.member_sha256 for release in releases} == {hashlib.sha256(container.data).hexdigest()}
    assert (container.hidden, container.layers, container.heads, len(container.pieces)) == (384, 12, 12, 250002)


def test_the_files_have_the_same_bytes_on_every_machine(model_files: ModelFiles) -> None:
    assert _sha256(model_files.model) == "d22d875627b42450270492015c06e9d7bd5c55389982112c78563dc006021a2e"
    assert _sha256(model_files.tokenizer) == "e0f8e4dd186dc13d74971f14f2ea451a6cdea03b373ff1974d556dc917445f1c"


def test_converting_again_gives_the_same_graph(container: Container, model_files: ModelFiles) -> None:
    assert onnx_model(container) == model_files.model.read_bytes()


def test_the_graph_is_fused_and_holds_no_float_matrix(model_files: ModelFiles) -> None:
    model = onnx.load(model_files.model)
    operators = [node.op_type for node in model.graph.node]
    assert operators.count("QAttention") == operators.count("Gelu") == 12
    assert operators.count("DynamicQuantizeMatMul") == 36
    assert operators.count("LayerNormalization") == 25
    large = {
        item.name for item in model.graph.initializer if item.data_type == onnx.TensorProto.FLOAT and np.prod(item.dims) > 5000
    }
    assert large == {"emb.pos"}
    assert model_files.model.stat().st_size < 80_000_000


def test_characters_are_mapped_as_the_container_says(container: Container, model_files: ModelFiles) -> None:
    normalizer = Tokenizer.from_file(str(model_files.tokenizer)).normalizer
    differing = {
        character
        for character, expected in container.characters.items()
        # "(" composes with nothing and keeps blanks from being trimmed.
        if normalizer.normalize_str(f"({character})") != f"({expected})".replace("  ", " ")
    }
    # Marks that are one character by the map and two by Unicode's composition rules would be listed here: there are none.
    assert differing == set()
    changed = {
        chr(code)
        for code in range(1, 0x110000)
        if not 0xD800 <= code < 0xE000
        and chr(code) not in container.characters
        and normalizer.normalize_str(f"({chr(code)})") != f"({chr(code)})"
    }
    # A character younger than the model's own table.
    assert changed <= {"\U0001f23b"}


def test_tokens_of_a_mixed_text_cover_it_in_order(model_files: ModelFiles) -> None:
    tokenizer = OnnxTokenizer(model_files.tokenizer)
    text = "Ｃａｆｅ\u0301 ｶﾞｲﾄﾞ、データベース👩\u200d👧 ㌔½ <s>コード</s> naïve\u3000東京～大阪"
    starts = tokenizer.starts(text)
    pieces = [text[start:end] for start, end in pairwise([*starts, len(text)])]
    assert unicodedata.normalize("NFKC", "".join(pieces)).replace(" ", "") == unicodedata.normalize("NFKC", text).replace(" ", "")
    assert len(starts) == tokenizer.count(text)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
