"""What is counted of files that the daemon died on, and when one is set aside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragd.core.errors import ParseInterrupted
from ragd.core.ids import hash32
from ragd.ingest.interruptions import Interruptions

URI = "file:///notes.md"


def test_a_file_is_told_of_while_it_is_read(tmp_path: Path) -> None:
    told: list[bool] = []
    interruptions = Interruptions(tmp_path / "none.json", lambda _key, begins: told.append(begins))
    with interruptions.reading("job", URI, "notes.md"):
        assert told == [True]
    assert told == [True, False]


@pytest.mark.parametrize(("times", "set_aside"), [(1, False), (2, True)])
def test_a_file_is_set_aside_for_the_job_that_it_stopped_twice(tmp_path: Path, times: int, set_aside: bool) -> None:
    note = tmp_path / "interrupted.json"
    note.write_text(json.dumps({hash32("job", URI): times}))
    interruptions = Interruptions(note, lambda _key, _begins: None)
    with interruptions.reading("another job", URI, "notes.md"):
        pass
    if set_aside:
        with pytest.raises(ParseInterrupted, match=r"'notes.md' was set aside: the daemon ended 2 times"):
            interruptions.reading("job", URI, "notes.md").__enter__()
    else:
        with interruptions.reading("job", URI, "notes.md"):
            pass


def test_a_damaged_note_sets_nothing_aside(tmp_path: Path) -> None:
    note = tmp_path / "interrupted.json"
    note.write_text("{")
    with Interruptions(note, lambda _key, _begins: None).reading("job", URI, "notes.md"):
        pass
