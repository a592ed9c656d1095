"""`rag eval generate` on a small collection, and its file asked at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


def test_a_dataset_is_made_from_a_collection_and_can_be_asked(rag, docs: Path, tmp_path: Path) -> None:
    (docs / "ports.md").write_text("# Ports\n\n| Service | Port |\n|---|---|\n| gateway | 8443 |\n| mailer | 2525 |\n")
    (docs / "rooms.md").write_text("# Rooms\n\n| Room | Seats |\n|---|---|\n| Larch hall | 40 |\n| Elm hall | 12 |\n")
    rag("ingest", str(docs))
    out = tmp_path / "made.yaml"
    arguments = ("eval", "generate", "-c", "default", "--out", str(out), "--count", "10", "--unanswerable", "0.2")
    assert "2 without an answer" in rag(*arguments).stderr
    first = out.read_text("utf-8")
    assert "is there already" in rag(*arguments, code=2).stderr
    out.unlink()
    rag(*arguments)
    assert out.read_text("utf-8") == first
    asked = ("eval", "run", "--dataset", str(out), "-c", "default", "--mode", "end_to_end", "--json")
    # A group that nothing answers has no ranking, and its row is there all the same.
    assert "unanswerable" in rag(*asked[:6]).stdout
    (run,) = json.loads(rag(*asked).stdout)["runs"]
    assert run["metrics"]["overall"]["metrics"]["hit@5"] > 0.5
    assert "--model needs a language model" in rag(*arguments[:4], "--out", str(tmp_path / "b.yaml"), "--model", code=2).stderr
