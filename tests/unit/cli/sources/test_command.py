"""`rag sources`, `rag sync` and `rag watch` in this process: what they do and print."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ragd.cli import watch

pytestmark = pytest.mark.slow


def test_a_folder_is_added_read_listed_and_shown(rag, docs: Path) -> None:
    assert "No sources." in rag("sources", "list").stdout
    assert "No sources." in rag("sync").stdout
    added = rag("sources", "add", "folder", str(docs), "--name", "規程", "--exclude", "*.txt")
    assert "Added the source '規程'." in added.stdout
    assert "規程: 2 added; " in added.stdout
    assert "rag serve" in added.stderr
    line = rag("sources", "list").stdout.splitlines()[1]
    assert line.split()[:4] == ["規程", "idle", "default", "2"]
    assert line.endswith(str(docs))
    shown = rag("sources", "show", "規程").stdout
    assert "Exclude     *.txt" in shown
    assert "2 added; 0 of other types, 1 ignored" in shown
    source = json.loads(rag("sources", "show", "規程", "--json").stdout)
    assert source["document_count"] == 2
    assert json.loads(rag("sources", "show", source["id"], "--json").stdout) == source


def test_a_dry_run_says_what_would_be_read(rag, docs: Path) -> None:
    (docs / "program.bin").write_bytes(b"\0")
    said = rag("sources", "add", "folder", str(docs), "--include", "*.md", "--dry-run").stdout
    assert "2 files would be read: 2 markdown." in said
    assert "Left out: 0 of other types, 2 by globs or .gitignore." in said
    assert "  guide/backup.md\n" in said
    assert "No sources." in rag("sources", "list").stdout
    assert json.loads(rag("sources", "add", "folder", str(docs), "--dry-run", "--json").stdout)["files"] == 3


def test_ignore_files_are_followed_unless_told_otherwise(rag, docs: Path) -> None:
    (docs / ".gitignore").write_text("*.txt\n")
    assert "2 files would be read" in rag("sources", "add", "folder", str(docs), "--dry-run").stdout
    assert "3 files would be read" in rag("sources", "add", "folder", str(docs), "--dry-run", "--no-gitignore").stdout


def test_sync_reads_what_has_changed(rag, docs: Path) -> None:
    rag("sources", "add", "folder", str(docs), "--collection", "handbook", "--create")
    (docs / "new.md").write_text("# New\n\nA page.\n")
    (docs / "guide" / "backup.md").rename(docs / "restore.md")
    (docs / "queues.txt").unlink()
    assert "docs: 1 added, 1 unchanged, 1 moved, 1 deleted; " in rag("sync").stdout
    assert "docs: 3 unchanged; 0 chunks" in rag("sync", "docs").stdout
    [job] = json.loads(rag("sources", "sync", "docs", "--json").stdout)
    assert (job["kind"], job["collection"], job["result"]["unchanged"]) == ("sync", "handbook", 3)
    assert "Queued 1 job." in rag("sync", "docs", "--no-wait").stdout


def test_a_folder_that_is_away_fails_and_one_that_is_emptied_is_asked_about(rag, docs: Path) -> None:
    rag("sources", "add", "folder", str(docs))
    docs.rename(docs.with_name("away"))
    assert "No document was deleted" in rag("sync", code=1).stdout
    assert "is not there" in rag("sources", "show", "docs").stdout
    assert rag("sources", "list").stdout.splitlines()[1].split()[1] == "error"
    docs.mkdir()
    assert "rag sync 'docs' --allow-empty" in rag("sync", "docs", code=1).stdout
    assert "docs: 3 deleted" in rag("sync", "docs", "--allow-empty").stdout


def test_a_file_that_fails_is_named_and_the_exit_code_is_1(rag, docs: Path) -> None:
    (docs / "empty.md").touch()
    added = rag("sources", "add", "folder", str(docs), code=1).stdout
    assert "3 added, 1 failed" in added
    assert "EMPTY" in added
    assert "EMPTY" in rag("sources", "show", "docs").stdout


def test_a_source_is_changed_and_keeps_the_rest(rag, docs: Path) -> None:
    rag("sources", "add", "folder", str(docs), "--include", "*.md")
    moved = docs.rename(docs.with_name("moved"))
    shown = rag("sources", "change", "docs", "--rename", "guide", "--path", str(moved), "--exclude", "*.txt").stdout
    assert "Name        guide" in shown
    assert "Include     *.md" in shown
    assert "Exclude     *.txt" in shown
    assert "guide: 2 unchanged" in rag("sync", "guide").stdout
    assert "Exclude     nothing" in rag("sources", "change", "guide", "--exclude", "").stdout
    assert "State       off" in rag("sources", "change", "guide", "--disable").stdout
    assert "switched off" in rag("sync", "guide", code=2).stderr
    assert "No sources." in rag("sync").stdout
    assert "Name something to change" in rag("sources", "change", "guide", code=2).stderr


def test_a_source_is_removed_with_its_documents_or_without(rag, docs: Path) -> None:
    rag("sources", "add", "folder", str(docs))
    assert "--yes" in rag("sources", "remove", "docs", code=2).stderr
    assert "Removed the source 'docs'." in rag("sources", "remove", "docs", "--keep-documents", "--yes").stdout
    assert json.loads(rag("documents", "list", "--json").stdout)["total"] == 3
    rag("sources", "add", "folder", str(docs))
    rag("sources", "remove", "docs", "--yes")
    assert "No documents." in rag("documents", "list", "--status", "ready").stdout
    assert "rag sources list" in rag("sources", "show", "docs", code=1).stderr
    assert "rag sources list" in rag("sync", "docs", code=1).stderr


def test_what_can_not_be_added_is_told(rag, docs: Path) -> None:
    rag("sources", "add", "folder", str(docs))
    assert "into the same collection" in rag("sources", "add", "folder", str(docs / "guide"), code=2).stderr
    assert "is no glob" in rag("sources", "add", "folder", str(docs), "--include", "#", code=2).stderr
    assert "does not exist" in rag("sources", "add", "folder", str(docs / "none"), code=2).stderr
    assert "There is no collection" in rag("sources", "add", "folder", str(docs), "-c", "none", code=1).stderr


@pytest.fixture
def watching(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """What is to happen while `rag watch` looks: each step when the one before has been told. Ctrl-C comes at the end."""
    steps: list[Callable[[], object]] = []
    told: list[object] = []
    real_tell = watch._print_changes
    asked = 0
    began = time.monotonic()

    def tell(source: dict[str, object], **options: bool) -> None:
        told.append(source)
        real_tell(source, **options)

    def sleep(seconds: float) -> None:
        nonlocal asked
        assert time.monotonic() - began < 60, f"waited in vain; {steps} are left"
        if len(told) >= asked:
            if not steps:
                raise KeyboardInterrupt
            steps.pop(0)()
            asked = len(told) + 1
        time.sleep(0.02)

    monkeypatch.setenv("RAG_WATCH__DEBOUNCE_S", "0.1")
    monkeypatch.setattr(watch, "_print_changes", tell)
    monkeypatch.setattr(watch, "sleep", sleep)
    return steps


def test_watch_reads_a_folder_and_tells_what_happens_until_ctrl_c(rag, docs: Path, watching: list[Callable[[], object]]) -> None:
    watching += [
        lambda: (docs / "new.md").write_text("# New\n\nA page.\n"),
        lambda: (docs / "new.md").rename(docs / "moved.md"),
        (docs / "moved.md").unlink,
    ]
    result = rag("watch", str(docs))
    first, *changes = result.stdout.splitlines()
    assert first.startswith("docs: 3 added; ")
    assert [line.split(" ", 1)[1] for line in changes] == [
        "1 added (1 embedded, 0 reused)",
        "1 moved (0 embedded, 1 reused)",
        "1 deleted (0 embedded, 0 reused)",
    ]
    assert f"Watching {docs} as the source 'docs'." in result.stderr
    assert result.stderr.endswith("Stopped watching.\n")


def test_watching_a_source_again_changes_only_what_is_named(rag, docs: Path, watching: list[Callable[[], object]]) -> None:
    rag("sources", "add", "folder", str(docs), "--include", "*.md", "--name", "guide", "--no-watch")
    assert "guide: 2 unchanged" in rag("watch", str(docs)).stdout
    watching.append(lambda: (docs / "new.md").write_text("# New\n\nA page.\n"))
    said = rag("watch", str(docs), "--exclude", "guide/", "--json").stdout
    assert json.loads(said.splitlines()[-1])["added"] == 1
    [source] = json.loads(rag("sources", "list", "--json").stdout)["items"]
    assert (source["config"]["include"], source["config"]["exclude"]) == (["*.md"], ["guide/"])
    assert (source["config"]["watch"], source["document_count"]) == (True, 2)
