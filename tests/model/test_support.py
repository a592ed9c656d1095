"""The support check with the real model: what is copied or restated is kept, what is changed is marked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragd.answer.support import SupportCheck
from ragd.config.loading import load_settings
from ragd.models.store import ensure_model
from ragd.providers.registry import build

pytestmark = pytest.mark.model
BENCH = "support"


@pytest.fixture(scope="module")
def check(models_dir: Path) -> SupportCheck:
    settings = load_settings(environment={})
    files = ensure_model(settings.embedding.model, models_dir)
    embedder = build("embedder", "onnx", files=files, device="cpu", threads=0, batch_tokens=settings.embedding.batch_tokens)
    return SupportCheck(embedder, build("analyzer", settings.sparse.analyzer), settings.answer.support_threshold)


@pytest.mark.parametrize("half", ["dev", "held_out"])
def test_copied_and_restated_sentences_are_kept_and_changed_ones_caught(bench: Any, check: SupportCheck, half: str) -> None:
    found = bench.measure(check, load_settings(environment={}).answer.support_threshold, half)
    changes = bench.caught(found)
    assert found["verbatim"].share >= 0.99, found["verbatim"].wrong
    assert found["restated"].share >= 0.9, found["restated"].wrong
    assert changes.share >= 0.9, changes.wrong
