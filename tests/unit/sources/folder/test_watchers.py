"""A folder that is followed: what happens to its files happens to its documents, by itself."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from ragd.store.sources import Source

from ..conftest import Place

pytestmark = pytest.mark.slow


@pytest.fixture
def followed(place: Place) -> Source:
    """The folder with three documents, added while sources are being followed."""
    for name in ("a.md", "b.md", "sub/c.md"):
        place.write(name)
    place.service.start()
    source = place.add()
    assert place.names(source) == ["a.md", "b.md", "sub/c.md"]
    assert place.status(source).followed
    return source


def total(place: Place, source: Source, name: str) -> int:
    return sum(result[name] for result in place.results(source))


def test_new_changed_and_deleted_files_follow(place: Place, followed: Source) -> None:
    place.write("新規.md")
    place.until(lambda: "新規.md" in place.names(followed), "a new file")
    place.write("a.md", "Another text altogether.\n")
    place.until(lambda: total(place, followed, "updated") == 1, "a changed file")
    (place.folder / "b.md").unlink()
    place.until(lambda: "b.md" not in place.names(followed), "a deleted file")
    assert place.names(followed) == ["a.md", "sub/c.md", "新規.md"]
    # Only what changed was looked at.
    assert total(place, followed, "unchanged") == 0
    place.until(lambda: place.status(followed).state == "watching", "the end of the work")


def test_a_moved_file_and_a_renamed_folder_move_and_nothing_is_embedded(place: Place, followed: Source) -> None:
    embedded = total(place, followed, "embedded")
    (place.folder / "a.md").rename(place.folder / "sub" / "renamed.md")
    place.until(lambda: "sub/renamed.md" in place.names(followed), "a moved file")
    (place.folder / "sub").rename(place.folder / "別名")
    place.until(lambda: place.names(followed) == ["b.md", "別名/c.md", "別名/renamed.md"], "a renamed folder")
    place.until(lambda: total(place, followed, "moved") == 3, "three moves")
    assert total(place, followed, "deleted") == 0
    assert total(place, followed, "embedded") == embedded


def test_an_editor_s_save_by_way_of_another_file_is_one_change(place: Place, followed: Source) -> None:
    [before] = [document for document in place.writer.of_source(followed.source_id) if document.source == "a.md"]
    for number in range(3):
        temporary = place.write(".a.md.swp", f"Text number {number} of the file.\n")
        (place.folder / "a.md").rename(place.folder / "a.md~")
        temporary.rename(place.folder / "a.md")
        (place.folder / "a.md~").unlink()
    place.until(lambda: total(place, followed, "updated") >= 1, "the saved file")
    [after] = [document for document in place.writer.of_source(followed.source_id) if document.source == "a.md"]
    assert after.doc_id == before.doc_id
    assert after.content_hash != before.content_hash
    assert (total(place, followed, "deleted"), total(place, followed, "moved")) == (0, 0)


def test_a_burst_of_files_makes_a_few_jobs(place: Place, followed: Source) -> None:
    jobs = len(place.results(followed))
    for number in range(200):
        place.write(f"burst/{number:03}.md", "The same few words.\n")
    place.until(lambda: len(place.names(followed)) == 203, "200 files")
    place.until(lambda: place.status(followed).state == "watching", "the end of the work")
    assert len(place.results(followed)) - jobs <= 5


def test_temporary_and_ignored_files_make_no_job(place: Place, followed: Source) -> None:
    jobs = len(place.results(followed))
    for name in ("~$a.docx", "x.tmp", ".hidden.md", "node_modules/x.md", "program.o", "a.md.crdownload"):
        place.write(name).unlink()
    place.write("last.md")
    place.until(lambda: "last.md" in place.names(followed), "the last file")
    place.until(lambda: place.status(followed).state == "watching", "the end of the work")
    place.until(lambda: len(place.results(followed)) == jobs + 1, "the one job")


def test_a_changed_ignore_file_takes_effect(place: Place, followed: Source) -> None:
    place.write(".gitignore", "/sub/\nb.md\n")
    place.until(lambda: place.names(followed) == ["a.md"], "the ignored documents to go")
    place.write(".gitignore", "/sub/\n")
    place.until(lambda: place.names(followed) == ["a.md", "b.md"], "a document to come back")
    (place.folder / ".gitignore").unlink()
    place.until(lambda: place.names(followed) == ["a.md", "b.md", "sub/c.md"], "all to come back")
    place.write("sub/.gitignore", "c.md\n")
    place.until(lambda: place.names(followed) == ["a.md", "b.md"], "a deeper ignore file")


def test_a_folder_that_vanishes_keeps_its_documents_and_is_read_when_it_is_back(place: Place, followed: Source) -> None:
    away = place.folder.with_name("away")
    place.folder.rename(away)
    place.until(lambda: place.status(followed).state == "error", "the folder to be missed")
    assert "not there" in str(place.status(followed).notice)
    (away / "b.md").unlink()
    assert len(place.names(followed)) == 3
    away.rename(place.folder)
    place.until(lambda: place.names(followed) == ["a.md", "sub/c.md"], "the folder to be read again")
    place.until(lambda: place.status(followed).state == "watching", "the end of the work")


def test_what_changed_while_nobody_watched_is_found_at_the_start(place: Place, followed: Source) -> None:
    place.service.stop()
    assert not place.status(followed).followed
    place.write("new.md")
    (place.folder / "a.md").rename(place.folder / "z.md")
    place.service = place.new_service()
    place.service.start()
    place.until(lambda: place.names(followed) == ["b.md", "new.md", "sub/c.md", "z.md"], "the changes")
    place.until(lambda: total(place, followed, "moved") == 1, "a move")


def test_only_what_is_added_or_changed_is_followed_where_that_was_asked_for(place: Place) -> None:
    place.write("a.md")
    old = place.add(config={"watch": False})
    place.service.start(everything=False)
    assert not place.status(old).followed
    place.service.change(old.source_id, values={"watch": True})
    assert place.status(old).followed
    place.write("b.md")
    place.until(lambda: place.names(old) == ["a.md", "b.md"], "a new file")


def test_a_source_that_is_not_to_be_watched_or_is_switched_off_is_not(place: Place, followed: Source) -> None:
    place.service.change(followed.source_id, values={"watch": False})
    place.wait(place.status(followed).job_id or "")
    assert not place.status(followed).followed
    place.service.change(followed.source_id, values={"watch": True})
    assert place.status(followed).followed
    place.service.change(followed.source_id, enabled=False)
    assert not place.status(followed).followed
    place.service.remove(followed.source_id, "delete")


def test_a_source_that_went_with_its_collection_is_followed_no_longer(place: Place, followed: Source) -> None:
    place.service.removed([(followed.source_id, followed.type)])
    assert not place.status(followed).followed


def test_changes_wait_while_the_collection_is_disabled(place: Place, followed: Source) -> None:
    place.collections.change("default", status="disabled")
    place.write("while.md")
    queue = place.service._queue
    place.until(lambda: queue._missed, "the change to be seen")
    assert "while.md" not in place.names(followed)
    place.collections.change("default", status="enabled")
    place.write("after.md")
    place.until(lambda: {"while.md", "after.md"} <= set(place.names(followed)), "both files")


@pytest.mark.skipif(os.name == "nt", reason="names of POSIX")
def test_files_of_any_name_follow_and_go(place: Place, followed: Source) -> None:
    composed, decomposed = (unicodedata.normalize(form, "ガイド.md") for form in ("NFC", "NFD"))
    long = "長" * 84 + ".md"  # 255 bytes
    names = ["new\nline.md", "🚀.md", decomposed, long, "' OR 1=1 --.md", "a b/%41?#.md"]
    for name in names:
        place.write(name)
    expected = {"a.md", "b.md", "sub/c.md"} | {composed if name == decomposed else name for name in names}
    place.until(lambda: set(place.names(followed)) == expected, "files of any name")
    for name in names:
        (place.folder / name).unlink()
    place.until(lambda: set(place.names(followed)) == {"a.md", "b.md", "sub/c.md"}, "their end")
    place.until(lambda: total(place, followed, "deleted") == len(names), "the end of the work")


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
def test_a_file_that_two_links_show_stays_when_one_of_them_goes(place: Place, followed: Source) -> None:
    target = place.folder.with_name("target.md")
    target.write_text("The file behind the links.\n")
    (place.folder / "x-one.md").symlink_to(target)
    (place.folder / "x-two.md").symlink_to(target)
    place.until(lambda: "x-one.md" in place.names(followed), "the linked file")
    (place.folder / "x-one.md").unlink()
    place.until(lambda: "x-two.md" in place.names(followed), "its other name")
    assert total(place, followed, "deleted") == 0
    (place.folder / "x-two.md").unlink()
    place.until(lambda: not any(name.startswith("x-") for name in place.names(followed)), "its end")
    assert Path(target).exists()
