"""Mean vectors by language, what similarities mean, the file that keeps both, and the embedder that uses them."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from ragd.core.errors import ModelUnavailable, RemoteUnavailable
from ragd.language.detection import PASSAGE_LANGUAGES, passage_language
from ragd.providers.calibration.measure import Calibration, calibrate, max_sim, texts_json, unit
from ragd.providers.calibration_cache import CalibrationCache
from ragd.providers.centred_embedder import CentredEmbedder
from ragd.providers.fakes import FakeEmbedder
from ragd.providers.protocols import Embedder, TokenEmbedder, Vectors
from ragd.testing import EmbedderContract


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for tests to which it is the same whether a calibration is there already."""
    return tmp_path_factory.mktemp("calibrations")


@pytest.fixture(scope="module")
def found() -> Calibration:
    return calibrate(FakeEmbedder(), 0.5)


class CountingEmbedder(FakeEmbedder):
    """Counts the texts that it embeds, and can be down."""

    def __init__(self, dimension: int = 256) -> None:
        super().__init__(dimension=dimension)
        self.asked = 0
        self.down = False

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        if self.down:
            raise RemoteUnavailable("The service does not answer.")
        self.asked += len(texts)
        return super().embed_queries(texts)


class WithoutTokens:
    """An embedder that has no token vectors at all, as those of services are."""

    needs_files = False
    model_id = "texts-only"
    revision = "1"
    device = "cpu"

    def __init__(self) -> None:
        inner = FakeEmbedder(dimension=64)
        self.dimension, self.max_tokens, self.tokenizer = inner.dimension, inner.max_tokens, inner.tokenizer
        self.passage_overhead = inner.passage_overhead
        self.embed_queries, self.embed_passages, self.close = inner.embed_queries, inner.embed_passages, inner.close


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How do I open a port?", "en"),
        ("Über die Brücke", "en"),
        ("ポートを開けるには", "ja"),
        ("kubectl rollout restart の使い方", "ja"),
        ("設定変更", "ja"),
        ("怎样打开端口", "zh"),
        ("配置文件", "zh"),
        ("服务启动时从文件中读取设置。以环境变量给出的值优先于文件中的值。", "zh"),
        ("“の”在日语中是最常见的助词之一，许多中国商家也喜欢在招牌上使用这个假名，以显得别致。", "zh"),
        ("The word 設定 means setting, and it is found in many Japanese programs.", "en"),
        ("Как открыть порт", "other"),
        ("포트를 여는 방법", "other"),
        ("12345 !?", "other"),
        ("", "other"),
    ],
)
def test_the_script_tells_the_language(text: str, language: str) -> None:
    assert passage_language(text) == language


def test_every_paragraph_has_a_question_and_an_answer_in_each_language() -> None:
    paragraphs = json.loads(texts_json())
    assert len(paragraphs) == 28
    for paragraph in paragraphs:
        assert list(paragraph) == ["en", "ja", "zh"]
        for language, (question, answer) in paragraph.items():
            assert question.strip()
            assert passage_language(answer) == language


@pytest.mark.slow
def test_the_means_have_a_row_for_each_language_and_one_for_the_others(found: Calibration) -> None:
    assert found.tokens is not None
    for means in (found.queries, found.passages, found.tokens.queries, found.tokens.passages):
        assert means.shape == (len(PASSAGE_LANGUAGES), 256)
        assert means.dtype == np.float32
        assert means[3] == pytest.approx(means[:3].mean(axis=0), abs=1e-6)
    assert found.tokens.basis.shape == (256, 128)
    assert found.tokens.basis.T @ found.tokens.basis == pytest.approx(np.eye(128), abs=1e-4)


def test_a_logistic_rises_from_0_to_1_and_is_one_half_at_its_midpoint(found: Calibration) -> None:
    related = found.related
    assert related(related.midpoint) == 0.5
    values = [related(x) for x in np.linspace(-1, 1, 21)]
    assert values == sorted(values)
    assert 0 <= values[0] < values[-1] <= 1
    assert (related(-1e9), related(1e9)) == (0, 1)


def test_maxsim_is_the_mean_of_what_each_query_token_finds() -> None:
    passage = np.eye(4, dtype=np.float32)[:2]
    query = unit(np.array([[1, 0, 0, 0], [0, 3, 4, 0], [0, 0, 0, 1]], np.float32))
    assert max_sim(query, passage) == pytest.approx((1 + 0.6 + 0) / 3)


def test_a_calibration_is_computed_once_and_then_read_from_its_file(tmp_path: Path) -> None:
    embedder = CountingEmbedder()
    first = CalibrationCache(embedder, tmp_path, 0.5)
    assert embedder.asked == 0
    found = first.get()
    assert first.get() is found
    asked = embedder.asked
    again = CalibrationCache(embedder, tmp_path, 0.5).get()
    assert embedder.asked == asked
    assert [path.suffix for path in tmp_path.iterdir()] == [".npz"]
    assert again.tokens is not None
    assert found.tokens is not None
    for one, other in ((again, found), (again.tokens, found.tokens)):
        assert np.array_equal(one.queries, other.queries)
        assert np.array_equal(one.passages, other.passages)
        assert one.related == other.related
    assert np.array_equal(again.tokens.basis, found.tokens.basis)
    assert again.tokens.related_compact == found.tokens.related_compact


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["empty", "cut", "text", "foreign", "wrong numbers"])
def test_a_damaged_or_foreign_file_is_made_anew(tmp_path: Path, damage: str) -> None:
    embedder = CountingEmbedder(dimension=32)
    found = CalibrationCache(embedder, tmp_path, 0.5).get()
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    if damage == "foreign":
        np.savez(path, something=np.ones(3))
    elif damage == "wrong numbers":
        with np.load(path) as file:
            np.savez(path, **{name: np.full_like(file[name], np.nan) for name in file.files})
    else:
        path.write_bytes({"empty": b"", "cut": whole[: len(whole) // 2], "text": b"hello"}[damage])
    asked = embedder.asked
    again = CalibrationCache(embedder, tmp_path, 0.5).get()
    assert embedder.asked > asked
    assert np.array_equal(again.queries, found.queries)
    assert CalibrationCache(embedder, tmp_path, 0.5).get().related == found.related
    assert [path.name for path in tmp_path.iterdir()] == [path.name]


def test_a_folder_that_cant_be_written_costs_only_the_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert CalibrationCache(FakeEmbedder(dimension=32), tmp_path / "file", 0.5).get().queries.any()


def test_the_identity_names_model_revision_and_weight(tmp_path: Path) -> None:
    calibrators = [
        CalibrationCache(FakeEmbedder(), tmp_path, 0.5),
        CalibrationCache(FakeEmbedder(), tmp_path, 0.25),
        CalibrationCache(FakeEmbedder(dimension=128), tmp_path, 0.5),
        CalibrationCache(WithoutTokens(), tmp_path, 0.5),
    ]
    assert len({calibration_cache.identity for calibration_cache in calibrators}) == 4
    assert CalibrationCache(FakeEmbedder(), tmp_path / "elsewhere", 0.5).identity == calibrators[0].identity


def test_threads_that_ask_at_once_share_one_calibration(tmp_path: Path) -> None:
    calibration_cache = CalibrationCache(CountingEmbedder(dimension=32), tmp_path, 0.5)
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(calibration_cache.get())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(map(id, found))) == 1


class TestCentredEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self, kept: Path) -> Embedder:
        return _centred(FakeEmbedder(), kept)


def test_a_vector_loses_the_share_of_its_own_languages_mean(kept: Path) -> None:
    plain = FakeEmbedder()
    calibration_cache = CalibrationCache(plain, kept, 0.5)
    texts = ["How do I open a port?", "ポートを開けるには", "怎样打开端口", "Как открыть порт"]
    got = CentredEmbedder(plain, calibration_cache).embed_passages(texts)
    assert got == pytest.approx(unit(plain.embed_passages(texts) - 0.5 * calibration_cache.get().passages), abs=1e-6)
    asked = CentredEmbedder(plain, calibration_cache).embed_queries(texts[:1])
    assert asked == pytest.approx(unit(plain.embed_queries(texts[:1]) - 0.5 * calibration_cache.get().queries[:1]), abs=1e-6)


def test_nothing_is_calibrated_before_there_is_a_text(tmp_path: Path) -> None:
    plain = CountingEmbedder()
    embedder = _centred(plain, tmp_path)
    assert embedder.embed_queries([]).shape == (0, 256)
    assert embedder.embed_passages([]).shape == (0, 256)
    assert plain.asked == 0
    assert embedder.embed_queries(["now"]).shape == (1, 256)
    assert plain.asked > 1


def test_a_service_that_is_down_says_so_itself_and_is_calibrated_when_it_is_back(tmp_path: Path) -> None:
    plain = CountingEmbedder()
    plain.down = True
    embedder = _centred(plain, tmp_path)
    with pytest.raises(RemoteUnavailable, match="does not answer"):
        embedder.embed_queries(["a question"])
    with pytest.raises(RemoteUnavailable, match="does not answer"):
        embedder.embed_passages(["a passage"])
    plain.down = False
    assert embedder.embed_queries(["a question"]).shape == (1, 256)


def test_another_weight_is_another_revision(kept: Path) -> None:
    plain = FakeEmbedder()
    revisions = {_centred(plain, kept, weight).revision for weight in (0.25, 0.5, 1.0)} | {plain.revision}
    assert len(revisions) == 4


def test_token_vectors_pass_through_where_there_are_any(kept: Path) -> None:
    plain = FakeEmbedder()
    embedder = _centred(plain, kept)
    assert isinstance(embedder, TokenEmbedder)
    assert embedder.gives_tokens
    assert np.array_equal(embedder.query_tokens("open a port"), plain.query_tokens("open a port"))
    vectors, (tokens,) = embedder.embed_queries_and_tokens(["open a port"])
    assert np.array_equal(vectors, embedder.embed_queries(["open a port"])), "centred as without tokens"
    assert np.array_equal(tokens, plain.query_tokens("open a port"))
    without = _centred(WithoutTokens(), kept)
    assert not without.gives_tokens
    assert without.embed_queries(["open a port"]).shape == (1, 64)
    with pytest.raises(ModelUnavailable, match="no token vectors"):
        without.passage_tokens(["open a port"])
    with pytest.raises(ModelUnavailable, match="no token vectors"):
        without.embed_queries_and_tokens(["open a port"])


def _centred(embedder: Embedder, folder: Path, weight: float = 0.5) -> CentredEmbedder:
    return CentredEmbedder(embedder, CalibrationCache(embedder, folder, weight))
