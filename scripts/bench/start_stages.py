#!/usr/bin/env python3
"""What a daemon's start consists of: processor and wall time of each part, and the memory after it.

    .venv/bin/python scripts/bench/query_scale.py --chunks 100000 --keep DIR     (makes the data)
    .venv/bin/python scripts/bench/start_stages.py DIR/data-100000

One process does in order what a daemon does beside and before its first answer, with the embedding provider of query_scale.py.
After a clean stop, which query_scale.py leaves behind, comparing comes behind "ready". Run it twice: the first finds another
process's settings. While jobs wait no stop is clean, and this script does none. Memory is that of the process alone ("own"), and
the pages of files that are mapped ("files").
"""

from __future__ import annotations

import argparse
import importlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil


class Stages:
    """Prints a line for each part of the start."""

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._cpu, self._wall = 0.0, psutil.Process().create_time()

    def done(self, name: str) -> None:
        cpu, wall = time.process_time(), time.time()
        memory = self._process.memory_info()
        files = getattr(memory, "shared", 0)
        sizes = f"own {(memory.rss - files) / 1e6:5.0f} MB, files {files / 1e6:4.0f} MB"
        print(f"{name:34}{cpu - self._cpu:7.2f} s{wall - self._wall:8.2f} s  {sizes}", flush=True)
        self._cpu, self._wall = cpu, wall

    def run(self, name: str, step: Callable[[], Any]) -> Any:
        result = step()
        self.done(name)
        return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="a data directory that no daemon uses")
    data: Path = parser.parse_args().data.absolute()
    print(f"{'':34}processor    wall")
    stages = Stages()
    stages.done("Python and this script")
    from ragd.core.lazy import loading

    with loading():
        importlib.import_module("ragd.daemon.process")
    from ragd.app.container import Application
    from ragd.config.loading import Directories, load_settings
    from ragd.core.instance import Ownership
    from ragd.providers.registry import TABLE

    stages.done("modules")
    TABLE["embedder", "perturbed"] = "_perturbed:PerturbedEmbedder"
    os.environ["RAG_EMBEDDING__PROVIDER"] = "perturbed"
    usual = Directories.default()
    ownership = Ownership(data)
    try:
        app = Application(load_settings(usual.config), Directories(data, usual.models, usual.config))
        stages.done("database")
        stages.run("embedding model", app.models.embedder)
        stages.run("analyzer, first question, reranker", app.models.warm)
        stages.run("indexes", app.indexes)
        if waiting := app.jobs.unfinished():
            print(f"{waiting} jobs wait: run query_scale.py, whose daemon does them")
        clean = stages.run("whether the last stop was clean", app.reconciler.is_clean)
        if clean:
            app.reconciler.prepare()
        app.reconciler.reconcile(clean=clean)
        stages.done(f"comparing, {'behind' if clean else 'before'} ready")
        stages.run("closing", app.close)
    finally:
        ownership.release()


if __name__ == "__main__":
    main()
