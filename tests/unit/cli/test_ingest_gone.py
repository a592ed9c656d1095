"""`rag ingest` and files that are no more; and progress that only grows."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from ragd.cli.common import progress

from .conftest import Rag


@pytest.fixture
def folder(rag: Rag, tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "old").mkdir(parents=True)
    for name in ("a", "b", "old/c"):
        (folder / f"{name}.md").write_text(f"# Note {name}\n\nThe kestrel of {name} flies at dawn.\n")
    rag("ingest", str(folder))
    return folder


def sources(rag: Rag) -> set[str]:
    return {item["source"] for item in json.loads(rag("documents", "list", "--json").stdout)["items"]}


def test_documents_whose_files_are_gone_are_named_and_stay_until_they_are_pruned(rag: Rag, folder: Path) -> None:
    (folder / "b.md").unlink()
    (folder / "old" / "c.md").unlink()
    told = rag("ingest", str(folder)).stdout
    assert "2 documents can still be found although the files are no more: `--prune` deletes them." in told
    assert told.splitlines()[-2:] == ["    b.md", "    old/c.md"]
    assert sources(rag) == {"a.md", "b.md", "old/c.md"}
    assert "1 document can still" in rag("ingest", str(folder), "--no-recursive").stdout
    pruned = rag("ingest", str(folder), "--prune").stdout
    assert "2 deleted" in pruned
    assert "no more" not in pruned
    assert sources(rag) == {"a.md"}


def test_a_file_under_another_name_has_moved_when_what_is_gone_is_pruned(rag: Rag, folder: Path) -> None:
    (folder / "b.md").rename(folder / "d.md")
    assert "1 moved" in rag("ingest", str(folder), "--prune").stdout
    assert sources(rag) == {"a.md", "d.md", "old/c.md"}


def test_nothing_is_pruned_where_no_file_is_found(rag: Rag, folder: Path) -> None:
    for path in folder.rglob("*.md"):
        path.unlink()
    assert "3 documents can still be found" in rag("ingest", str(folder), "--prune").stdout
    assert len(sources(rag)) == 3


def test_what_a_source_follows_is_its_own_matter(rag: Rag, folder: Path, tmp_path: Path) -> None:
    followed = tmp_path / "followed"
    followed.mkdir()
    (followed / "x.md").write_text("# X\n\nWatched.\n")
    (followed / "y.md").write_text("# Y\n\nWatched, too.\n")
    rag("sources", "add", "folder", str(followed))
    (followed / "y.md").unlink()
    assert "no more" not in rag("ingest", str(followed)).stdout


def test_progress_never_goes_back_and_says_how_long_the_rest_takes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "LINE_EVERY", 0.0)
    shown = progress.JobProgress("Ingesting")
    for stage, done in (("reading", 0), ("embedding", 12), ("reading", 0), ("embedding", 20)):
        shown.show(stage, done, 387)
    shown.show("renaming", 1, 2)
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(", ")[2] for line in lines] == ["0 of 387", "12 of 387", "12 of 387", "20 of 387", "1 of 2"]
    assert progress.time_left(60.0, 100, 400) == "about 3 min left"
    assert progress.time_left(10.0, 100, 200) == "about 10 s left"
    assert progress.time_left(60.0, 0, 400) == progress.time_left(1.0, 5, 400) == progress.time_left(60.0, 4, 4) == ""


def test_a_cluster_needs_its_package_a_shared_database_and_this_command_to_the_end(
    rag: Rag, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert "rag extras add ray" in rag("ingest", "--ray", "local", str(tmp_path), code=2).stderr
    monkeypatch.setitem(sys.modules, "ray", ModuleType("ray"))
    assert "jobs.queue: procrastinate" in rag("ingest", "--ray", "local", str(tmp_path), code=2).stderr
    assert "leave --no-wait out" in rag("ingest", "--ray", "local", "--no-wait", str(tmp_path), code=2).stderr
