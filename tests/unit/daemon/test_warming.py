"""What a daemon does before it is ready, and once it is."""

from __future__ import annotations

import gc
from types import SimpleNamespace
from typing import Any

from ragd.api.lifecycle import Lifecycle
from ragd.daemon.process import _Warming


def test_once_it_is_ready_python_looks_for_circles_only_in_what_came_later() -> None:
    done: list[str] = []

    def step(name: str) -> Any:
        return lambda *_args, **_options: done.append(f"{name} {gc.get_freeze_count() > before}")

    app = SimpleNamespace(
        role="all",
        maintenance=SimpleNamespace(warm=step("warm")),
        reconciler=SimpleNamespace(reconcile=step("reconcile"), is_clean=lambda: False),
        runner=SimpleNamespace(start=step("jobs")),
        follow_sources=step("sources"),
    )
    lifecycle = Lifecycle()
    before = gc.get_freeze_count()
    warming: Any = _Warming(app, lifecycle, step("published"), step("given up"))  # type: ignore[arg-type]
    try:
        warming.run()
        assert gc.get_freeze_count() > before
    finally:
        gc.unfreeze()
    assert lifecycle.ready.is_set()
    assert sorted(done) == ["jobs False", "published False", "reconcile False", "sources False", "warm False"]
