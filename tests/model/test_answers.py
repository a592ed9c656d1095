"""Answers with the real embedding model: what is borne out, and which sentences answer without a language model."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragd.answer.extractive import extract
from ragd.answer.support import SupportCheck
from ragd.config.loading import load_settings
from ragd.core.documents import Place
from ragd.core.query import Filters, QueryPlan
from ragd.core.results import Citation, Passage
from ragd.models.store import ensure_model
from ragd.providers.protocols import Embedder
from ragd.providers.registry import build

pytestmark = pytest.mark.model

TEXTS = (
    "# Audit log\n\nEvery administrative call is written to it. Payloads are never written. Entries are kept for 400 days.",
    "# Leases\n\nThe lease lasts 90 seconds unless the queue says otherwise. A worker that dies stops renewing its lease.",
    "# 証明書\n\nサーバーの再起動は必要ありません。証明書の期限が21日以内になると、管理画面に黄色の帯が表示されます。",
)


@pytest.fixture(scope="module")
def citations() -> list[Citation]:
    return [
        Citation(
            number,
            Passage(str(number), "d", "v", "k", text, "s.md", "", "markdown", text.split("\n")[0], (), Place(), number, 0),
        )
        for number, text in enumerate(TEXTS, start=1)
    ]


@pytest.fixture(scope="module")
def embedder(models_dir: Path) -> Embedder:
    settings = load_settings(environment={}).embedding
    files = ensure_model(settings.model, models_dir)
    found: Embedder = build("embedder", "onnx", files=files, device="cpu", threads=0, batch_tokens=settings.batch_tokens)
    return found


def test_restated_sentences_are_supported_and_made_up_or_changed_ones_are_not(embedder, citations: list[Citation]) -> None:
    settings = load_settings(environment={})
    check = SupportCheck(embedder, build("analyzer", settings.sparse.analyzer), settings.answer.support_threshold)
    borne_out = ["A lease lasts for 90 seconds by default.", "Audit entries are stored for 400 days.", "再起動は不要です。"]
    not_so = [
        "The cafeteria opens at noon on Fridays.",
        "Audit entries are stored for 30 days.",
        "駐車場の利用には申請が必要です。",
    ]
    judged = check.check("\n".join([*borne_out, *not_so]), citations)
    assert [sentence.supported for sentence in judged] == [True] * 3 + [False] * 3
    assert [sentence.citations[0] for sentence in judged[:3]] == [2, 1, 3]


@pytest.mark.parametrize(
    ("question", "language", "expected"),
    [
        ("How long are audit entries stored?", "en", "Entries are kept for 400 days. [1]"),
        ("証明書の期限が近いとどうなりますか", "ja", "黄色の帯が表示されます。 [3]"),
    ],
)
def test_the_sentences_that_answer_are_quoted(embedder, citations, question: str, language: str, expected: str) -> None:
    analyzer = build("analyzer", load_settings(environment={}).sparse.analyzer)
    plan = QueryPlan(question, question, question, "hash", "hybrid", Filters(), language=language)
    assert expected in extract(plan, citations, embedder, analyzer, lead_in="")
