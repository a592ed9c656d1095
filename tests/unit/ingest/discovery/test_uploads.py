"""Uploaded files: names that attack, names that are long, and what becomes of the bytes."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from ragd.core.errors import UnsupportedMediaType, ValidationFailed
from ragd.core.jobs import QueuedUpload
from ragd.formats.registry import loader_name_for
from ragd.ingest.discovery.items import FileItem
from ragd.ingest.discovery.uploads import Uploads
from ragd.store.blobs.folder import BlobFolder


@pytest.fixture
def uploads(tmp_path: Path) -> Uploads:
    return Uploads(BlobFolder(tmp_path / "data"))


def put(uploads: Uploads, name: str, content: bytes = b"text", kb_id: str = "k1") -> FileItem:
    upload = uploads.receive(name)
    upload.file.write(content)
    upload.seal()
    return uploads.keep(QueuedUpload(kb_id, upload.staged.name, upload.source))


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("guide.md", "guide.md"),
        ("../../etc/notes.md", "notes.md"),
        ("/etc/cron.d/evil.md", "evil.md"),
        ("C:\\Users\\me\\y.md", "y.md"),
        ("..\\..\\y.md", "y.md"),
        ("a\x00b.md", "ab.md"),
        ("new\r\nline.md", "newline.md"),
        ("half \ud83d.md", "half \ufffd.md"),
        ("カ\u3099イト\u3099.md", "ガイド.md"),
        ("a<b>|?*.md", "a<b>|?*.md"),
        (".hidden.md", ".hidden.md"),
        ("...md", "...md"),
        ("Makefile", "Makefile"),
        ("~root.md", "~root.md"),
        ("報告" * 50 + ".md", "報告" * 50 + ".md"),
    ],
)
def test_a_name_becomes_a_file_below_the_folder_and_nothing_else(
    uploads: Uploads, tmp_path: Path, name: str, source: str
) -> None:
    item = put(uploads, name)
    assert item.source == source
    assert item.path.is_relative_to(tmp_path / "data" / "uploads" / "k1")
    assert files(tmp_path) == [item.path]
    assert item.path.read_bytes() == b"text"
    assert not set(item.path.name) & set('<>:"/\\|?*\x00\n')
    assert not item.path.name.startswith(".")
    assert len(item.path.name.encode()) <= 120
    assert loader_name_for(item.path.name) == loader_name_for(source)


@pytest.mark.parametrize("name", ["", "..", ".", "/", "\\", "\x00", "a/..", "C:\\", "???"])
def test_a_name_that_names_no_file_is_refused(uploads: Uploads, tmp_path: Path, name: str) -> None:
    with pytest.raises(ValidationFailed) as caught:
        uploads.receive(name)
    assert caught.value.details[0].field == "files"
    assert files(tmp_path) == []


@pytest.mark.parametrize("name", ["passwd", "../../etc/passwd", "photo.xyz", ".md", "a.md.exe", "a.md/"])
def test_a_file_of_no_known_type_is_refused_before_a_byte_is_written(uploads: Uploads, tmp_path: Path, name: str) -> None:
    if name == "a.md/":
        assert put(uploads, name).source == "a.md"  # a trailing slash is no part of a name
        return
    with pytest.raises(UnsupportedMediaType, match="Supported: "):
        uploads.receive(name)
    assert files(tmp_path) == []


def test_the_same_name_replaces_its_file_and_keeps_its_identity(uploads: Uploads, tmp_path: Path) -> None:
    first = put(uploads, "a.md", b"old")
    second = put(uploads, "x/a.md", b"new")
    assert first == second
    assert second.path.read_bytes() == b"new"
    assert files(tmp_path) == [second.path]


def test_names_that_look_alike_on_the_disk_are_two_files(uploads: Uploads) -> None:
    items = [put(uploads, name, name.encode()) for name in ("a?.md", "a*.md", "A?.md")]
    assert len({item.path for item in items}) == 3
    assert [item.path.read_bytes() for item in items] == [b"a?.md", b"a*.md", b"A?.md"]


def test_two_collections_keep_their_own_file_of_a_name(uploads: Uploads) -> None:
    one, two = put(uploads, "a.md", b"1", "k1"), put(uploads, "a.md", b"2", "k2")
    assert one.uri != two.uri
    uploads.discard_collection("k1")
    assert (one.path.exists(), two.path.exists()) == (False, True)
    uploads.discard_collection("k1")


def test_discarding_removes_the_file_of_that_document_alone(uploads: Uploads, tmp_path: Path) -> None:
    kept, gone = put(uploads, "kept.md"), put(uploads, "報告 1.md")
    own = tmp_path / "own.md"
    own.write_text("mine")
    uploads.discard(own.as_uri())
    uploads.discard(gone.uri)
    uploads.discard(gone.uri)
    assert sorted(files(tmp_path)) == sorted([kept.path, own])
    Uploads(BlobFolder(tmp_path / "never")).discard(gone.uri)


def test_an_abandoned_upload_leaves_nothing_and_the_older_file_alone(uploads: Uploads, tmp_path: Path) -> None:
    kept = put(uploads, "a.md", b"old")
    upload = uploads.receive("a.md")
    upload.file.write(b"half")
    upload.abandon()
    upload.abandon()
    assert files(tmp_path) == [kept.path]
    assert kept.path.read_bytes() == b"old"


def test_a_sealed_upload_waits_for_its_job_and_what_no_job_wants_is_swept(uploads: Uploads, tmp_path: Path) -> None:
    kept = put(uploads, "a.md", b"old")
    waiting, orphan = uploads.receive("a.md"), uploads.receive("b.md")
    for upload in (waiting, orphan):
        upload.file.write(b"new")
        upload.seal()
    queued = QueuedUpload("k1", waiting.staged.name, "a.md")
    uploads.sweep([queued], {kept.uri})
    assert sorted(files(tmp_path)) == sorted([kept.path, waiting.staged])
    assert kept.path.read_bytes() == b"old"
    for _ in range(2):  # a job that was cut off is run again
        assert uploads.keep(queued) == kept
    assert kept.path.read_bytes() == b"new"
    uploads.sweep([], {kept.uri})
    assert files(tmp_path) == [kept.path]


def test_a_kept_file_stays_for_its_document_or_for_the_job_that_will_read_it(uploads: Uploads, tmp_path: Path) -> None:
    of_document, of_job, _ = put(uploads, "a.md"), put(uploads, "報告 1.md"), put(uploads, "deleted.md")
    uploads.sweep([QueuedUpload("k1", "taken already", "報告 1.md")], {of_document.uri})
    assert sorted(files(tmp_path)) == sorted([of_document.path, of_job.path])


def test_other_users_can_not_look_in(uploads: Uploads, tmp_path: Path) -> None:
    path = put(uploads, "a.md").path
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
