"""A clean-up whose process is killed in the middle is taken up again by the next one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

_DELETING = """
import sys, time
from pathlib import Path
from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings

folder, kb_id, url = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
quick = {"embedding.provider": "fake", "dense.backend": "exact", "sparse.backend": "fts5", "sparse.analyzer": "bigram"}
settings = load_settings(folder / "config", environment={}, explicit={**quick, "store.url": url})
app = Application(settings, Directories(folder / "data", folder / "models", folder / "config"))
app.reconciler.reconcile()
app.runner.start()
print(app.knowledge_bases.delete(kb_id, "").job_id, flush=True)
time.sleep(600)
"""


def test_1_06_a_clean_up_that_was_killed_goes_on_at_the_next_start(opened: Any, tmp_path: Any) -> None:
    with opened() as service:
        kb_id, store = service.add_many("Many", 45), service.store
    erased = "SELECT count(*) FROM documents WHERE source_uri = ''"
    # The first batch is done, and the second takes longer than anybody waits.
    store.delay_erasing("delay", 20, 10**10)
    with subprocess.Popen(
        [sys.executable, "-c", _DELETING, tmp_path, kb_id, store.url], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        task_id = process.stdout.readline().strip()
        end = time.monotonic() + 120
        while store.run(erased) != [(20,)]:
            assert time.monotonic() < end
            assert process.poll() is None
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
    assert store.run(erased) == [(20,)]
    store.allow("delay")
    with opened() as service:
        assert service.ok(service.client.get(f"/knowledge_bases/{kb_id}"), 200)["status"] == "deleted"
        task = service.task(task_id, "completed")
        assert task["progress"] == {"processed": 45, "total": 45, "percentage": 1.0}
        assert store.run(erased) == [(45,)]
        assert store.run("SELECT count(*) FROM chunks") == [(0,)]
