"""Damaged files of every format, read by the real loaders in a real worker: text, or a reason with a code of its own."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragd.core.errors import ParseFailed
from ragd.formats.registry import loader_name_for
from ragd.ingest.workers.pool import ParseTask, WorkerPool
from ragd.ingest.workers.process import WorkerOptions

pytestmark = pytest.mark.slow

_COUNT = 150
_LARGEST = 150_000


@pytest.fixture(scope="module")
def mutants(project_root: Path) -> Iterator[Any]:
    folder = str(project_root / "scripts" / "bench" / "faults")
    sys.path.insert(0, folder)
    import _mutations
    import mutants as script

    yield _mutations.mutant, script.RAW, script.UNNAMED
    sys.path.remove(folder)


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    made = WorkerPool(1, 120.0, WorkerOptions(1_000_000_000, "none", 1, 1.0, 100, 20_000_000, 50_000_000))
    yield made
    made.close()


def test_a_damaged_file_gives_text_or_a_reason_with_its_own_code(mutants: Any, pool: WorkerPool, project_root: Path) -> None:
    damage, raw, unnamed = mutants
    folders = (project_root / "data" / "samples", project_root / "tests" / "data")
    paths = [path for folder in folders for path in folder.rglob("*") if path.is_file() and loader_name_for(path.name)]
    originals = {str(path): path.read_bytes() for path in paths if 0 < path.stat().st_size <= _LARGEST}
    rng = random.Random(16)
    reasons: list[tuple[str, str, str]] = []
    for number in range(_COUNT):
        how, extension, data = damage(rng, originals, [".txt", ".pdf", ".xlsx", ".html"])
        name = f"{number}{extension}"
        try:
            with pool.open(ParseTask(loader_name_for(name) or "", name, data), lambda _done, _total: None) as parsing:
                parsing.document()
                parsing.pictures(lambda _ids: {})
        except ParseFailed as failed:
            reasons.append((failed.code, failed.message, how))
    assert [reason for reason in reasons if reason[0] in unnamed or raw.search(reason[1])] == []
    assert {"DAMAGED", "WRONG_TYPE", "EMPTY"} <= {code for code, _, _ in reasons}
