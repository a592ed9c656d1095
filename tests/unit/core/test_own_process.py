"""Several processes beside one data directory: each holds a folder of its own."""

from __future__ import annotations

from pathlib import Path

from ragd.core.instance import own_process


def test_each_process_holds_the_first_folder_that_is_free(tmp_path: Path) -> None:
    first, held = own_process(tmp_path, "worker")
    second, also_held = own_process(tmp_path, "worker")
    try:
        assert (first, second) == ("worker-1", "worker-2")
    finally:
        held.release()
    again, held = own_process(tmp_path, "worker")
    held.release()
    also_held.release()
    assert again == "worker-1"
