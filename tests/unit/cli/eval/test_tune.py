"""`rag eval tune` on a small collection, through the service."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.slow

PARTS = ("pump", "valve", "motor", "sensor", "filter", "gauge", "relay", "hinge", "bolt", "spring")
WORK = ("replaced", "calibrated")


@pytest.fixture
def manual(tmp_path: Path) -> Path:
    """20 documents with a question each, in the layout of BEIR."""
    folder = tmp_path / "manual"
    (folder / "qrels").mkdir(parents=True)
    names = [(part, work) for part in PARTS for work in WORK]
    corpus = [
        {"_id": f"d{at}", "title": f"The {part}", "text": f"A worn {part} is {work} by two people."}
        for at, (part, work) in enumerate(names)
    ]
    queries = [{"_id": f"q{at}", "text": f"worn {part} {work}"} for at, (part, work) in enumerate(names)]
    for name, rows in (("corpus", corpus), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    judged = "".join(f"q{at}\td{at}\t1\n" for at in range(len(names)))
    (folder / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{judged}")
    return folder


def test_a_bad_start_is_bettered_and_a_good_one_is_left_alone(rag, manual: Path, tmp_path: Path) -> None:
    strategies = tmp_path / "config" / "strategies"
    strategies.mkdir(parents=True)
    (strategies / "bad.yaml").write_text("retrieval: {min_score: 1.0, top_k: 7, strategy: sparse_only}\n")
    out = tmp_path / "better.yaml"
    given = ("eval", "tune", "--dataset", str(manual), "--strategy", "bad")
    printed = rag(*given, "--out", str(out)).stdout
    assert "Recommended: " in printed
    assert "retrieval.min_score=0.0" in printed
    written = yaml.safe_load(out.read_text("utf-8"))
    assert (written["retrieval"]["min_score"], written["retrieval"]["top_k"]) == (0.0, 7)
    # Nothing was applied; once it is in the folder, it counts, and nothing is better.
    assert [path.name for path in strategies.iterdir()] == ["bad.yaml"]
    assert "is there already" in rag(*given, "--out", str(out), code=2).stderr
    (strategies / "better.yaml").write_bytes(out.read_bytes())
    again = json.loads(rag(*given[:-1], "better", "--json").stdout)
    assert not again["changes"]
    assert again["complete"]
    assert [half["before"] > 0.9 for half in again["halves"]] == [True, True]


def test_a_time_that_is_too_short_and_a_strategy_that_is_unknown_are_said(rag, manual: Path) -> None:
    given = ("eval", "tune", "--dataset", str(manual))
    assert "Give more --minutes" in rag(*given, "--minutes", "0.000001", code=2).stderr
    assert "There is no strategy 'nobody'" in rag(*given, "--strategy", "nobody", code=2).stderr
    assert "Too few questions" in rag(*given, "--limit", "5", code=2).stderr
