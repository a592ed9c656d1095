"""With the default model: centred vectors and late interaction find across languages, and their scores mean something."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ragd.config.answering import RerankSettings
from ragd.core.documents import Place
from ragd.core.results import Passage
from ragd.models.store import ensure_model
from ragd.providers.calibration.measure import max_sim, unit
from ragd.providers.calibration_cache import CalibrationCache
from ragd.providers.centred_embedder import CentredEmbedder
from ragd.providers.embedders.onnx import OnnxEmbedder
from ragd.providers.rerankers.maxsim import MaxSimReranker, PackedTokens

pytestmark = pytest.mark.model

# The same seven facts in two languages; none of them is among the texts that the calibration is made from.
ENGLISH = [
    "The index is rebuilt from the facts store when its folder is missing.",
    "Set the proxy before the first start, or the download of the model times out.",
    "A refresh token is valid for thirty days and is rotated at each use.",
    "Older kernels need the option --no-cgroups, which newer ones ignore.",
    "When the disk is full, running jobs are paused until there is room again.",
    "The canteen is open from half past eleven to two and has a dish without meat every day.",
    "Parcels that weigh more than twenty kilograms are collected at the loading dock.",
]
JAPANESE = [
    "索引のフォルダーが見つからない場合は、保存された事実から作り直します。",
    "初回起動の前にプロキシを設定しないと、モデルのダウンロードがタイムアウトします。",
    "更新トークンの有効期間は三十日で、使うたびに新しくなります。",
    "古いカーネルではオプション --no-cgroups が必要ですが、新しいものは無視します。",
    "ディスクが一杯になると、空きができるまで実行中のジョブは一時停止します。",
    "食堂は十一時半から二時まで開いていて、毎日肉を使わない料理があります。",
    "二十キログラムを超える荷物は搬入口で受け取ります。",
]
OFF_TOPIC = ["guitar chords for beginners", "味噌汁の作り方", "symptoms of a common cold", "ローマ帝国の歴史"]


@pytest.fixture(scope="module")
def model(models_dir: Path) -> Iterator[OnnxEmbedder]:
    opened = OnnxEmbedder(ensure_model("multilingual-e5-small", models_dir))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def calibration_cache(model: OnnxEmbedder, tmp_path_factory: pytest.TempPathFactory) -> CalibrationCache:
    return CalibrationCache(model, tmp_path_factory.mktemp("calibration"), 0.5)


def test_the_calibration_tells_answers_from_strangers(calibration_cache: CalibrationCache) -> None:
    found = calibration_cache.get()
    assert found.tokens is not None
    assert 0.38 < found.tokens.related.midpoint < 0.50
    assert 12 < found.tokens.related.slope < 24
    assert found.tokens.related_compact.midpoint > found.tokens.related.midpoint
    assert 0.6 < found.related.midpoint < 0.8
    assert found.related.slope > 4


def test_centring_moves_the_passage_in_the_other_language_up(model: OnnxEmbedder, calibration_cache: CalibrationCache) -> None:
    """Each fact is asked for in the other language, among all the passages of both."""
    centred = CentredEmbedder(model, calibration_cache)
    texts = ENGLISH + JAPANESE
    ranks = {}
    for name, embedder in (("plain", model), ("centred", centred)):
        cosines = embedder.embed_queries(texts) @ embedder.embed_passages(texts).T
        np.fill_diagonal(cosines, -1)
        counterpart = np.roll(np.arange(len(texts)), -len(ENGLISH))
        own = cosines[np.arange(len(texts)), counterpart]
        ranks[name] = (cosines > own[:, None]).sum(axis=1) + 1
    assert ranks["centred"].mean() < ranks["plain"].mean()
    assert (ranks["centred"] <= ranks["plain"]).all()


@pytest.mark.parametrize("cache_dimensions", [0, 128])
def test_an_answer_in_the_other_language_beats_a_stranger_in_the_same(
    model: OnnxEmbedder, calibration_cache: CalibrationCache, cache_dimensions: int
) -> None:
    reranker = MaxSimReranker(model, calibration_cache, RerankSettings.model_validate({"cache_dimensions": cache_dimensions}))
    for asked, answers in ((ENGLISH, JAPANESE), (JAPANESE, ENGLISH)):
        for number, question in enumerate(asked):
            strangers = [text for other, text in enumerate(asked) if other != number]
            answer, *rest = _scores(reranker, question, [answers[number], *strangers])
            assert answer > max(rest)


def test_scores_are_high_for_answers_and_low_for_strangers(model: OnnxEmbedder, calibration_cache: CalibrationCache) -> None:
    reranker = MaxSimReranker(model, calibration_cache, RerankSettings())
    answered = [
        max(_scores(reranker, question, ENGLISH + JAPANESE))
        for question in ("How long is a refresh token valid?", "食堂の営業時間")
    ]
    strangers = [max(_scores(reranker, question, ENGLISH + JAPANESE)) for question in OFF_TOPIC]
    assert min(answered) > 0.5
    assert max(strangers) < 0.4


def test_int8_hardly_changes_a_score(model: OnnxEmbedder, calibration_cache: CalibrationCache) -> None:
    tokens = calibration_cache.get().tokens
    assert tokens is not None
    query = unit(model.query_tokens("How long is a refresh token valid?") - tokens.queries[0])
    for vectors in model.passage_tokens(ENGLISH):
        exact = unit(vectors - tokens.passages[0])
        change = tokens.related(max_sim(query, exact)) - tokens.related(max_sim(query, PackedTokens.of(exact).vectors))
        assert abs(change) < 0.002


def _scores(reranker: MaxSimReranker, question: str, texts: list[str]) -> list[float]:
    scores = reranker.score(question, [_passage(text) for text in texts], time.monotonic() + 60)
    return [score for score in scores if score is not None]


def _passage(text: str) -> Passage:
    return Passage("c", "d", "v", "default", text, "a.md", "file:///a.md", "markdown", "A", (), Place(), 0, 40)
