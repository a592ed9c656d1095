"""A file that is exchanged between the search and the reading: it fails alone, at once, with what is there now."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ragd.core.jobs import Stopped

from .conftest import Line

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes and links of POSIX")


@pytest.mark.parametrize(
    ("exchange", "kind"),
    [(os.mkfifo, "a pipe"), (lambda path: path.symlink_to(path.parents[1] / "secret.md"), "a link"), (Path.mkdir, "a folder")],
)
def test_a_file_that_is_exchanged_while_it_waits_is_not_read(line: Line, exchange: Callable[[Path], None], kind: str) -> None:
    (line.documents.parent / "secret.md").write_text("# Secret", encoding="utf-8")
    path = line.write("b.md", "# Harmless")
    line.write("a.md", "# First")

    def swap(stage: str, _done: int, _total: int) -> None:
        if stage == "indexing" and path.read_bytes() == b"# Harmless" if path.is_file() and not path.is_symlink() else False:
            path.unlink()
            exchange(path)

    result = line.ingest(report=swap)
    assert [(failure.source, kind in failure.message) for failure in result.failed] == [("b.md", True)]
    assert line.texts() == {"# First"}
    line.check()


def test_a_run_whose_file_became_a_pipe_can_be_stopped(line: Line) -> None:
    path = line.write("a.md", "# A")

    def swap_and_stop(stage: str, _done: int, _total: int) -> None:
        if stage == "indexing" and path.is_file():
            path.unlink()
            os.mkfifo(path)
        elif stage != "searching files":
            raise Stopped

    with pytest.raises(Stopped):
        line.ingest(report=swap_and_stop)
    line.check()


def test_a_list_of_ignored_names_that_is_a_pipe_says_nothing(line: Line) -> None:
    line.write("a.md", "# A")
    os.mkfifo(line.documents / ".gitignore")
    assert line.ingest().added == 1
