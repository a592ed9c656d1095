"""The contracts of analyzers and embedders."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ragd.providers.protocols import Analyzer, Embedder


class AnalyzerContract:
    """Text to terms, the same at ingestion and at query."""

    @pytest.fixture
    def analyzer(self) -> Analyzer:
        raise NotImplementedError("override the fixture analyzer")

    def test_terms_have_no_blanks_and_no_capitals_and_are_not_too_long(self, analyzer: Analyzer) -> None:
        terms = analyzer.tokens("Mixed TEXT\twith\u3000blanks\n設定 Ｆｕｌｌ ﾊﾝｶｸ " + "Long" * 500)
        assert terms
        assert all(term == "".join(term.split()) == term.lower() and 0 < len(term) <= 1000 for term in terms)

    def test_blank_text_has_no_terms(self, analyzer: Analyzer) -> None:
        assert analyzer.tokens("") == analyzer.tokens(" \n\u3000 -- ... 。") == []

    def test_names_stand_in_the_text_as_they_are_given(self, analyzer: Analyzer) -> None:
        text = "担当は基盤課の村瀬、代理は小田とする。"
        assert all(name in text for name in analyzer.names(text))
        assert analyzer.names("") == frozenset()

    @pytest.mark.parametrize(
        ("identifier", "parts"),
        [
            ("getUserName", ["get", "user", "name"]),
            ("max_connections", ["max"]),
            ("E1045", ["1045"]),
            ("PROJ-123", ["proj", "123"]),
            ("--no-cache", ["no"]),
            ("/etc/apt/sources.list", ["etc", "apt", "list"]),
            ("1.2.3", []),
            ("C++", []),
            ("x86_64", []),
        ],
    )
    def test_an_identifier_is_kept_whole_and_split(self, analyzer: Analyzer, identifier: str, parts: list[str]) -> None:
        terms = analyzer.tokens(f"See ({identifier}), or「{identifier}」を使う。")
        assert terms.count(identifier.lower()) >= 2
        assert set(parts) <= set(terms)

    def test_inflected_english_words_share_a_term(self, analyzer: Analyzer) -> None:
        assert set(analyzer.tokens("Connections")) == set(analyzer.tokens("connected")) == set(analyzer.tokens("connecting"))

    def test_width_variants_share_their_terms(self, analyzer: Analyzer) -> None:
        assert analyzer.tokens("ＤＮＳ　ｻｰﾊﾞｰ") == analyzer.tokens("DNS サーバー")

    @pytest.mark.parametrize(
        ("query", "text"),
        [
            ("設定変更", "設定を変更するにはファイルを編集します。"),
            ("データベース 接続", "データベースへの接続が失敗した場合"),
            ("信息检索", "现代信息检索系统的基本概念"),
            ("데이터베이스", "데이터베이스에 연결할 수 없습니다"),
        ],
    )
    def test_a_query_without_blanks_shares_terms_with_a_sentence(self, analyzer: Analyzer, query: str, text: str) -> None:
        assert set(analyzer.tokens(query)) & set(analyzer.tokens(text))

    def test_a_very_long_run_without_blanks_is_analysed(self, analyzer: Analyzer) -> None:
        assert len(analyzer.tokens("設定変更" * 15_000)) >= 15_000
        assert analyzer.tokens("x" * 100_000 + " end")[-1] == "end"

    def test_threads_get_the_same_terms(self, analyzer: Analyzer) -> None:
        texts = [f"サーバー{number}の設定を変更しました getUserName{number} running" for number in range(200)]
        expected = [analyzer.tokens(text) for text in texts]
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(analyzer.tokens, texts)) == expected

    def test_the_profile_names_the_rules(self, analyzer: Analyzer) -> None:
        assert analyzer.profile
        assert analyzer.profile == "".join(analyzer.profile.split())


class EmbedderContract:
    """Texts to unit vectors, in order."""

    @pytest.fixture
    def embedder(self) -> Embedder:
        raise NotImplementedError("override the fixture embedder")

    TEXTS = (
        "How to install a package with the package manager",
        "パッケージをインストールする方法",
        "The weather was fine and the sea was calm",
        "",
    )

    def test_vectors_are_float32_of_length_one_in_order(self, embedder: Embedder) -> None:
        for embed in (embedder.embed_queries, embedder.embed_passages):
            vectors = embed(self.TEXTS)
            assert vectors.shape == (len(self.TEXTS), embedder.dimension)
            assert vectors.dtype == np.float32
            assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-3)
            for row, text in enumerate(self.TEXTS):
                assert float(embed([text])[0] @ vectors[row]) > 0.98

    def test_no_texts_give_no_rows(self, embedder: Embedder) -> None:
        assert embedder.embed_queries([]).shape == (0, embedder.dimension)
        assert embedder.embed_passages([]).shape == (0, embedder.dimension)

    def test_a_passage_about_the_query_is_nearer_than_another(self, embedder: Embedder) -> None:
        query = embedder.embed_queries(["install a package"])[0]
        cosines = embedder.embed_passages(self.TEXTS[:3]) @ query
        assert cosines[0] > cosines[2]

    def test_a_text_beyond_the_limit_is_embedded_by_its_beginning(self, embedder: Embedder) -> None:
        long = "word " * (embedder.max_tokens * 2)
        first, second = embedder.embed_passages([long + "ending one", long + "another"])
        assert float(first @ second) > 0.98

    def test_progress_counts_every_text_once(self, embedder: Embedder) -> None:
        done: list[int] = []
        embedder.embed_passages([f"text number {number}" for number in range(40)], done.append)
        assert sum(done) == 40
        assert min(done) > 0

    def test_tokens_have_places_in_order_inside_the_text(self, embedder: Embedder) -> None:
        text = "  Open `config.yaml`, then 設定を変更\n\nand restart…  "
        starts = embedder.tokenizer.starts(text)
        assert embedder.tokenizer.count(text) == len(starts) > 0
        assert embedder.tokenizer.count("") == 0
        assert all(0 <= start < len(text) for start in starts)
        assert list(starts) == sorted(starts)
        assert 0 <= embedder.passage_overhead < embedder.max_tokens

    def test_model_and_revision_are_named(self, embedder: Embedder) -> None:
        assert embedder.model_id
        assert embedder.revision
        assert embedder.device
