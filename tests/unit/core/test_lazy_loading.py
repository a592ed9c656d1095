"""What loads many modules keeps the collector of garbage off, and only then."""

from __future__ import annotations

import gc

import pytest

from ragd.core.lazy import loading


def test_the_collector_is_on_again_after_loading_also_when_it_fails() -> None:
    frozen = gc.get_freeze_count()
    try:
        with pytest.raises(ZeroDivisionError), loading():
            1 // gc.isenabled()
        assert gc.isenabled()
        assert gc.get_freeze_count() > frozen, "what was loaded is not looked through again"
    finally:
        gc.unfreeze()
