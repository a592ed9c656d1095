"""`rag eval sample`: questions that were asked become a dataset that waits for labels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..conftest import Rag

pytestmark = pytest.mark.slow


def test_a_sample_is_drawn_with_consent_alone_and_waits_for_labels(rag: Rag, docs: Path) -> None:
    rag("ingest", str(docs))
    for question in ("restore from a snapshot", "有給休暇の申請"):
        rag("query", question)
    assert "--consent" in rag("eval", "sample", "mine", code=2).stderr
    done = rag("eval", "sample", "mine", "--count", "1", "--seed", "3", "--since", "2026-01-01", "-c", "default", "--consent")
    assert "mine: 1 question" in done.stdout
    made = json.loads(rag("eval", "sample", "both", "--consent", "--json").stdout)
    assert (made["name"], made["questions"]) == ("both", 2)
    refused = rag("eval", "run", "--dataset", "both", "-c", "default", code=2).stderr
    assert "The dataset 'both' holds no questions that are labelled; 2 wait for labels." in refused
    assert "no such question" in rag("eval", "sample", "none", "--which", "up", "--consent", code=2).stderr
