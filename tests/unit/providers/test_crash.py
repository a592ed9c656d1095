"""What an index acknowledged is there after the process was killed while it went on writing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ragd.providers.protocols import ProviderKind
from ragd.providers.registry import build
from ragd.testing import KB

pytestmark = pytest.mark.e2e

_WRITER = """
import sys
from pathlib import Path
import numpy as np
from ragd.providers.registry import build

kind, name, folder, kb_id = sys.argv[1:]
store = build(kind, name, folder=Path(folder))
rows = np.random.default_rng(0).standard_normal((64, 32)).astype(np.float32)
for batch in range(10_000):
    ids = [f"{batch}-{row}" for row in range(64)]
    if kind == "dense":
        store.upsert(kb_id, ids, rows + batch)
    else:
        store.upsert(kb_id, [(entry_id, ["x", entry_id]) for entry_id in ids])
    print(batch, flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *(("dense", name) for name in ("exact", "usearch", "qdrant", "milvus")),
        *(("sparse", name) for name in ("tantivy", "fts5", "rank_bm25", "qdrant", "milvus")),
    ],
)
def test_everything_acknowledged_survives_a_kill(kind: ProviderKind, name: str, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", _WRITER, kind, name, str(tmp_path), KB]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as writer:
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline()) for _ in range(25)]
        writer.kill()
        acknowledged += [int(line) for line in writer.stdout.read().split()]
    store = build(kind, name, folder=tmp_path)
    expected = {f"{batch}-{row}" for batch in acknowledged for row in range(64)}
    ids = store.ids(KB)
    assert expected <= ids
    assert len(ids) <= len(expected) + 64
    if kind == "dense":
        query = np.ones(32, dtype=np.float32)
        assert len(store.search(KB, query, 100)) == 100
        assert {item.entry_id for item in store.search(KB, query, len(ids), expected)} == expected
    else:
        assert [item.entry_id for item in store.search(KB, ["3-7"], 5)] == ["3-7"]
    store.close()
