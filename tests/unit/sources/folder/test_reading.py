"""Which documents of a folder are gone, and which only seem to be."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ragd.core.errors import ForbiddenPath, ServiceUnavailable
from ragd.core.ids import hash32
from ragd.core.jobs import IngestResult
from ragd.ingest.discovery.files import Found
from ragd.sources.folder.config import FolderConfig
from ragd.sources.folder.reading import FolderReading
from ragd.sources.handler import Reading
from ragd.store.document_state import SourceDocument
from ragd.store.jobs import Job
from ragd.store.sources import Source

KB = hash32("collection")
NOBODY = 65534


@dataclass
class Line:
    """An ingestion pipeline that takes everything in, and the documents that it took."""

    documents: dict[str, SourceDocument] = field(default_factory=dict)
    found: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)

    def of_source(self, source_id: str) -> list[SourceDocument]:
        return list(self.documents.values())

    def run(self, kb_id: str, found: Found, *, gone: Sequence[str], links: Mapping[str, str | None], **_: Any) -> IngestResult:
        self.found = [item.source for item in found.items]
        self.gone = sorted(self.documents.pop(doc_id).source for doc_id in gone)
        for item in found.items:
            doc_id = hash32(kb_id, item.uri)
            self.documents[doc_id] = SourceDocument(doc_id, item.source, item.uri, hash32(item.source), "ready")
        return IngestResult(added=len(found.items), deleted=len(gone), failed=tuple(found.failed))


class Sync:
    """A folder, and looking at it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.line = Line()
        self.roots: tuple[str, ...] = ()
        self.last: dict[str, Any] | None = None
        self.config = FolderConfig(str(folder))
        for name in ("a.md", "sub/b.md", "sub/deep/c.md", "d.md"):
            self.write(name)
        self.look()

    def write(self, name: str, text: str = "text") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def look(self, *names: str, allow_empty: bool = False) -> Reading:
        """Look at these names, or at everything. `line` has what came of it."""
        self.line.found, self.line.gone = [], []
        unused: dict[str, Any] = dict.fromkeys(("created_at", "updated_at"), "")
        source = Source(
            "s", "folder", "guide", KB, "default", "enabled", self.config.as_dict(), None, True, **unused,
            last_started_at=None, last_finished_at=None, last_result=self.last, last_error=None, document_count=0,
        )  # fmt: skip
        job = Job(
            "j", "sync", "running", "default", KB, {"allow_empty": allow_empty}, {}, None, None, False, None, "", "", "", 1, None
        )
        reading = FolderReading(self.line, lambda: self.line, self.roots, ()).read(
            source, job, frozenset(names) if names else None, lambda *_: None
        )
        self.last = reading.note
        return reading

    @property
    def names(self) -> list[str]:
        return sorted(document.source for document in self.line.documents.values())


@pytest.fixture
def sync() -> Iterator[Sync]:
    """A folder that other users can enter (pytest's own ones are private)."""
    place = Path(tempfile.mkdtemp(dir="/tmp"))
    place.chmod(0o755)
    mask = os.umask(0o022)  # an app that was opened before has made it stricter
    yield Sync(place / "docs")
    os.umask(mask)
    for path in [place, *place.rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o700)
    shutil.rmtree(place)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root may read everything; drop that right for a moment."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def test_a_look_at_everything_finds_what_is_there_and_what_is_gone(sync: Sync) -> None:
    sync.write("new.md")
    (sync.folder / "d.md").unlink()
    shutil.rmtree(sync.folder / "sub" / "deep")
    note = sync.look().note
    assert (sync.line.found, sync.line.gone) == (["a.md", "new.md", "sub/b.md"], ["d.md", "sub/deep/c.md"])
    assert (note["everything"], note["job_id"], note["failed_count"], note["deleted"]) == (True, "j", 0, 2)


def test_a_look_at_some_names_leaves_the_others_alone(sync: Sync) -> None:
    sync.write("new.md")
    sync.write("other.md")
    (sync.folder / "a.md").unlink()
    (sync.folder / "d.md").unlink()
    assert sync.look("new.md", "a.md").note["everything"] is False
    assert (sync.line.found, sync.line.gone) == (["new.md"], ["a.md"])
    assert sync.names == ["d.md", "new.md", "sub/b.md", "sub/deep/c.md"]


def test_the_name_of_a_folder_stands_for_all_that_is_or_was_in_it(sync: Sync) -> None:
    (sync.folder / "sub").rename(sync.folder / "new")
    sync.look("sub", "new")
    assert (sync.line.found, sync.line.gone) == (["new/b.md", "new/deep/c.md"], ["sub/b.md", "sub/deep/c.md"])


def test_names_that_are_nothing_to_us_run_nothing(sync: Sync) -> None:
    reading = sync.look("never.md", "subway")
    assert (sync.line.found, sync.line.gone, reading.result) == ([], [], IngestResult())


def test_a_document_whose_file_is_still_there_under_other_rules_leads_to_a_look_at_everything(sync: Sync) -> None:
    sync.write("sub/.gitignore", "c.md\n")
    assert sync.look("sub").note["everything"] is True
    assert sync.line.gone == ["sub/deep/c.md"]


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
def test_a_file_that_has_another_name_by_a_link_is_not_gone(sync: Sync) -> None:
    target = sync.folder.parent / "target.md"
    target.write_text("x")
    for name in ("one.md", "two.md"):
        (sync.folder / name).symlink_to(target)
    sync.look("one.md")
    (sync.folder / "one.md").unlink()
    sync.look("one.md")
    assert "two.md" in sync.line.found
    assert sync.line.gone == []


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
def test_a_change_below_a_link_to_a_folder_leads_to_a_look_at_everything(sync: Sync) -> None:
    (sync.folder / "z").symlink_to(sync.folder / "sub")
    assert sync.look("z/b.md").note["everything"] is True
    assert "z/b.md" not in sync.names


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
@pytest.mark.parametrize("names", [(), ("sub",), ("sub/b.md", "a.md")])
def test_documents_below_a_folder_that_can_not_be_read_are_not_gone(sync: Sync, names: tuple[str, ...]) -> None:
    (sync.folder / "sub").chmod(0)
    (sync.folder / "a.md").unlink()
    with as_nobody():
        reading = sync.look(*names)
    assert [(failure.source, failure.code) for failure in reading.result.failed] == [("sub", "UNREADABLE")]
    assert [name for name in sync.names if name.startswith("sub/")] == ["sub/b.md", "sub/deep/c.md"]
    assert ("a.md" in sync.names) is (names == ("sub",))


def test_documents_behind_a_link_that_leads_out_of_the_allowed_roots_by_now_are_not_gone(sync: Sync) -> None:
    outside = sync.folder.parent / "outside"
    outside.mkdir()
    (outside / "x.md").write_text("x")
    (sync.folder / "link").symlink_to(outside)
    sync.look()
    sync.roots = (str(sync.folder),)
    sync.look()
    assert "link/x.md" in sync.names


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_a_root_that_is_gone_or_can_not_be_read_or_is_forbidden_now_deletes_nothing(sync: Sync) -> None:
    names = sync.names
    sync.folder.chmod(0)
    with as_nobody(), pytest.raises(ServiceUnavailable, match="can't be read"):
        sync.look()
    sync.folder.chmod(0o700)
    sync.roots = (str(sync.folder / "sub"),)
    with pytest.raises(ForbiddenPath):
        sync.look()
    sync.roots = ()
    sync.folder.rename(sync.folder.with_name("away"))
    for some in ((), ("a.md",)):
        with pytest.raises(ServiceUnavailable, match="is not there"):
            sync.look(*some)
    assert sync.names == names


@pytest.mark.parametrize("names", [(), ("a.md", "d.md", "sub")])
def test_another_folder_of_the_same_name_that_is_empty_deletes_nothing(sync: Sync, names: tuple[str, ...]) -> None:
    sync.folder.rename(sync.folder.with_name("away"))
    sync.folder.mkdir()
    with pytest.raises(ServiceUnavailable, match=r"4 came from it.*rag sync 'guide' --allow-empty"):
        sync.look(*names)
    assert len(sync.names) == 4
    sync.write("new.md")
    sync.look()
    assert sync.names == ["new.md"]


@pytest.mark.parametrize("names", [(), ("a.md", "d.md", "sub")])
def test_the_folder_itself_may_be_emptied(sync: Sync, names: tuple[str, ...]) -> None:
    for entry in sync.folder.iterdir():
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    sync.look(*names)
    assert sync.names == []


def test_an_empty_folder_may_be_meant(sync: Sync) -> None:
    shutil.rmtree(sync.folder)
    sync.folder.mkdir()
    sync.look(allow_empty=True)
    assert sync.names == []


def test_of_many_failures_the_first_are_kept(sync: Sync) -> None:
    for number in range(30):
        (sync.folder / f"{number:02}.md").symlink_to(sync.folder / "nothing.md")
    reading = sync.look()
    assert (reading.note["failed_count"], len(reading.note["failed"]), len(reading.result.failed)) == (30, 20, 30)
    assert reading.note["failed"][0] == {"source": "00.md", "code": "VANISHED", "message": "'00.md' points to nothing."}
