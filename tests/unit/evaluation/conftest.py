"""Small datasets on disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

CORPUS = [
    {"_id": "d1", "title": "Backup", "text": "Run restore from a snapshot."},
    {"_id": "d/2", "title": "", "text": "A queue keeps jobs in order."},
    {"_id": "休暇", "title": "休暇規程", "text": "有給休暇は五営業日前までに申請する。"},
]
QUERIES = [{"_id": "q1", "text": "restore from a snapshot"}, {"_id": "q2", "text": "有給休暇の申請"}]
QRELS = [("q1", "d1", "2"), ("q1", "d/2", "0"), ("q2", "休暇", "1")]

MakeBeir = Callable[..., Path]


@pytest.fixture
def beir(tmp_path: Path) -> MakeBeir:
    """`beir(corpus=..., queries=..., qrels=...)`: a folder in the layout of BEIR."""

    def make(
        corpus: Sequence[Mapping[str, Any]] = CORPUS,
        queries: Sequence[Mapping[str, Any]] = QUERIES,
        qrels: Sequence[Sequence[str]] = QRELS,
    ) -> Path:
        folder = tmp_path / "tiny"
        (folder / "qrels").mkdir(parents=True, exist_ok=True)
        for name, rows in (("corpus.jsonl", corpus), ("queries.jsonl", queries)):
            (folder / name).write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        lines = [("query-id", "corpus-id", "score"), *qrels]
        (folder / "qrels" / "test.tsv").write_text("".join("\t".join(line) + "\n" for line in lines), encoding="utf-8")
        return folder

    return make
