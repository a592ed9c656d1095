"""The converted model against the engine that its weights come with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ragd.models.rows import ModelFiles
from ragd.providers.embedders.onnx import OnnxEmbedder

ENGLISH = [
    "The index is rebuilt from the facts store when its folder is missing.",
    "Set the proxy before the first start, or the download times out.",
    "A refresh token is valid for thirty days and is rotated at each use.",
    "Older kernels need the option --no-cgroups, which newer ones ignore.",
    "Running jobs are stopped when the disk is full.",
    "See section 4.2 for the list of error codes and what each of them means.",
    "Backups are taken every night at 02:00 UTC and kept for two weeks.",
]
JAPANESE = [
    "索引のフォルダーが見つからない場合は、保存された事実から作り直します。",
    "初回起動の前にプロキシを設定してください。",
    "更新トークンの有効期間は三十日で、使うたびに新しくなります。",
    "古いカーネルではオプション --no-cgroups が必要です。",
    "ディスクが一杯になると、実行中のジョブは停止します。",
    "エラーコードの一覧と意味は4.2節を参照してください。",
    "バックアップは毎晩二時に取得し、二週間保存します。",
]

pytestmark = [pytest.mark.model, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def embedder(model_files: ModelFiles) -> OnnxEmbedder:
    return OnnxEmbedder(model_files)


@pytest.fixture(scope="module")
def some(texts: list[str]) -> list[str]:
    """A third, 25 of each kind: the engine takes long, and a wrong graph is wrong for every text."""
    return texts[::3]


@pytest.fixture(scope="module")
def reference(engine: Any, embedder: OnnxEmbedder, some: list[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
    room = embedder.max_tokens - embedder.passage_overhead
    assert max(embedder.tokenizer.count(text) for text in some) <= room
    return np.asarray(engine.passage(some), np.float32)


def test_the_float32_graph_gives_the_engines_vectors(exact_files: ModelFiles, some: list[str], reference: Any) -> None:
    cosines = (OnnxEmbedder(exact_files).embed_passages(some) * reference).sum(axis=1)
    assert cosines.mean() >= 0.9995
    assert cosines.min() >= 0.999


def test_the_graph_for_gpus_gives_the_engines_vectors(half_files: ModelFiles, some: list[str], reference: Any) -> None:
    cosines = (OnnxEmbedder(half_files).embed_passages(some) * reference).sum(axis=1)
    assert cosines.mean() >= 0.9995
    assert cosines.min() >= 0.999


def test_the_int8_graph_stays_close_to_the_engines_vectors(embedder: OnnxEmbedder, some: list[str], reference: Any) -> None:
    cosines = (embedder.embed_passages(some) * reference).sum(axis=1)
    assert cosines.mean() >= 0.995
    assert cosines.min() >= 0.98


def test_queries_match_too(engine: Any, embedder: OnnxEmbedder) -> None:
    questions = ["how do I set the proxy?", "プロキシの設定方法", "如何设置代理", "E1045"]
    cosines = (embedder.embed_queries(questions) * np.asarray(engine.query(questions))).sum(axis=1)
    assert cosines.min() >= 0.98


def test_tokens_are_counted_as_the_engine_counts_them(engine: Any, embedder: OnnxEmbedder, texts: list[str]) -> None:
    for text in texts:
        assert embedder.tokenizer.count(text) + embedder.passage_overhead == engine.token_count(text)


def test_batch_mates_hardly_change_a_vector(embedder: OnnxEmbedder, texts: list[str]) -> None:
    sample = texts[::6]
    alone = np.concatenate([embedder.embed_passages([text]) for text in sample])
    assert (embedder.embed_passages(sample) * alone).sum(axis=1).min() >= 0.985


@pytest.mark.parametrize(
    ("passages", "questions"),
    [
        (ENGLISH, {"How do I configure the proxy?": 1, "How long are backups kept?": 6, "index folder deleted": 0}),
        (JAPANESE, {"プロキシの設定方法": 1, "バックアップはいつまで残りますか": 6, "索引が消えたらどうなる": 0}),
    ],
)
def test_a_question_finds_its_passage(embedder: OnnxEmbedder, passages: list[str], questions: dict[str, int]) -> None:
    scores = embedder.embed_queries(list(questions)) @ embedder.embed_passages(passages).T
    assert scores.argmax(axis=1).tolist() == list(questions.values())
