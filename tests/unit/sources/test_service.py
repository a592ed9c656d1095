"""Adding, reading, changing and removing sources."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from ragd.core.errors import CollectionNotFound, CollectionUnavailable, SourceNameConflict, SourceNotFound, ValidationFailed

from .conftest import Place


def test_a_folder_is_read_when_it_is_added_and_says_what_was_read(place: Place) -> None:
    place.write("guide.md")
    place.write("規程/休暇.md")
    place.write("photo.xyz")
    source = place.add()
    assert place.names(source) == ["guide.md", "規程/休暇.md"]
    assert (source.name, source.collection, source.document_count, source.last_error) == ("docs", "default", 2, None)
    assert source.last_result is not None
    assert (source.last_result["added"], source.last_result["skipped"], source.last_result["everything"]) == (2, 1, True)
    status = place.status(source)
    assert (status.state, status.followed, status.job_id) == ("idle", False, source.last_result["job_id"])


def test_reading_again_what_did_not_change_embeds_nothing(place: Place) -> None:
    place.write("guide.md")
    source = place.add()
    result = place.sync(source).result
    assert result is not None
    assert (result["unchanged"], result["added"], result["embedded"], result["deleted"]) == (1, 0, 0, 0)


def test_new_changed_moved_and_deleted_files_are_followed_in_one_reading(place: Place) -> None:
    for name in ("same.md", "changed.md", "moved.md", "deleted.md"):
        place.write(name)
    source = place.add()
    place.write("changed.md", "Quite another text.\n")
    place.write("new.md")
    (place.folder / "sub").mkdir()
    (place.folder / "moved.md").rename(place.folder / "sub" / "renamed.md")
    (place.folder / "deleted.md").unlink()
    result = place.sync(source).result
    assert result is not None
    counts = {name: result[name] for name in ("added", "updated", "moved", "deleted", "unchanged", "embedded")}
    assert counts == {"added": 1, "updated": 1, "moved": 1, "deleted": 1, "unchanged": 1, "embedded": 2}
    assert place.names(source) == ["changed.md", "new.md", "same.md", "sub/renamed.md"]


def test_a_folder_that_was_renamed_moves_all_its_documents_and_embeds_nothing(place: Place) -> None:
    for number in range(5):
        place.write(f"old/{number}.md")
    source = place.add()
    (place.folder / "old").rename(place.folder / "new")
    result = place.sync(source).result
    assert result is not None
    assert (result["moved"], result["added"], result["deleted"], result["embedded"]) == (5, 0, 0, 0)
    assert place.names(source) == [f"new/{number}.md" for number in range(5)]


def test_a_source_gets_a_name_of_its_own_unless_one_is_given(place: Place) -> None:
    other = place.folder.with_name("more") / "docs"
    other.mkdir(parents=True)
    names = [place.add().name, place.add(config={"path": str(other)}).name]
    assert names == ["docs", "docs 2"]
    third = place.folder.with_name("third")
    third.mkdir()
    with pytest.raises(SourceNameConflict):
        place.add(config={"path": str(third)}, name="docs")
    assert place.add(config={"path": str(third)}, name="手順").name == "手順"


def test_what_can_not_be_added_is_told(place: Place) -> None:
    values = {"path": str(place.folder)}
    with pytest.raises(ValidationFailed, match="Known: folder"):
        place.service.add("ftp", values)
    with pytest.raises(CollectionNotFound):
        place.service.add("folder", values, collection="none")
    place.collections.create("closed")
    place.collections.change("closed", status="disabled")
    with pytest.raises(CollectionUnavailable):
        place.service.add("folder", values, collection="closed")
    assert place.service.page() == ([], 0)


@pytest.mark.slow
def test_a_folder_is_read_by_one_source_of_a_collection_only(place: Place) -> None:
    place.write("sub/a.md")
    source = place.add(config={"exclude": ["drafts/"]})
    (place.folder / "drafts").mkdir()
    for path in (place.folder, place.folder / "sub", place.folder.parent):
        with pytest.raises(ValidationFailed, match="The source 'docs' reads") as caught:
            place.service.add("folder", {"path": str(path)})
        assert caught.value.details[0].field == "config.path"
    assert place.add(config={"path": str(place.folder / "drafts")}).name == "drafts"
    place.collections.create("other")
    assert place.add(collection="other").document_count == 1
    assert place.service.change(source.source_id, values={"watch": False}).config["watch"] is False


def test_a_reading_that_waits_is_not_queued_twice(place: Place) -> None:
    source = place.add()
    running, go_on = threading.Event(), threading.Event()
    place.before_run = lambda: (running.set(), go_on.wait(30), None)[-1]
    place.write("a.md")
    first = place.service.sync(source.source_id)
    assert running.wait(30)
    waiting = [place.service.sync(source.source_id).job_id for _ in range(5)]
    assert place.status(source).state == "syncing"
    go_on.set()
    assert len({first.job_id, *waiting}) == 2
    assert place.wait(waiting[0]).result
    assert place.status(source).state == "idle"


def test_a_source_that_is_changed_while_it_is_read_names_the_job_that_sees_the_change(place: Place) -> None:
    place.write("a.md")
    source = place.add()
    running, go_on = threading.Event(), threading.Event()
    place.before_run = lambda: (running.set(), go_on.wait(30), None)[-1]
    first = place.service.sync(source.source_id)
    assert running.wait(30)
    place.service.change(source.source_id, values={"exclude": ["*.md"]})
    named = place.status(source).job_id
    go_on.set()
    assert named not in {None, first.job_id}
    assert place.wait(named or "").result["deleted"] == 1


def test_a_folder_that_is_not_there_fails_the_reading_and_deletes_nothing(place: Place) -> None:
    place.write("a.md")
    source = place.add()
    place.folder.rename(place.folder.with_name("away"))
    job = place.sync(source)
    assert (job.status, (job.error or {})["code"]) == ("failed", "SERVICE_UNAVAILABLE")
    failed = place.service.get(source.source_id)
    assert "is not there" in str(failed.last_error)
    assert failed.last_result == source.last_result
    assert place.status(source).state == "error"
    assert place.names(source) == ["a.md"]
    place.folder.with_name("away").rename(place.folder)
    assert (place.sync(source).result or {})["unchanged"] == 1
    assert place.status(source).state == "idle"


def test_an_empty_folder_in_the_place_of_the_one_that_was_read_deletes_nothing_unless_it_is_meant(place: Place) -> None:
    place.write("a.md")
    source = place.add()
    place.folder.rename(place.folder.with_name("away"))
    place.folder.mkdir()
    job = place.sync(source)
    assert job.status == "failed"
    assert "holds no documents now, but 1 came from it" in str(place.service.get(source.source_id).last_error)
    assert "--allow-empty" in str((job.error or {})["message"])
    assert place.names(source) == ["a.md"]
    assert (place.sync(source, allow_empty=True).result or {})["deleted"] == 1
    assert place.names(source) == []


@pytest.mark.slow
def test_a_folder_whose_last_file_was_deleted_is_empty(place: Place) -> None:
    place.write("a.md")
    source = place.add()
    (place.folder / "a.md").unlink()
    assert (place.sync(source).result or {})["deleted"] == 1


def test_a_reading_that_was_cancelled_is_made_good_by_the_next(place: Place) -> None:
    source = place.add()
    running, go_on = threading.Event(), threading.Event()
    place.before_run = lambda: (running.set(), go_on.wait(30), None)[-1]
    place.write("a.md")
    job = place.service.sync(source.source_id)
    assert running.wait(30)
    place.jobs.cancel(job.job_id)
    go_on.set()
    assert place.wait(job.job_id).status == "cancelled"
    assert place.status(source).state == "idle"
    place.sync(source)
    assert place.names(source) == ["a.md"]


def test_a_file_that_can_not_be_read_is_told_and_goes_with_its_file(place: Place) -> None:
    place.write("a.md")
    (place.folder / "empty.md").touch()
    source = place.add()
    assert source.last_result is not None
    assert source.last_result["failed_count"] == 1
    assert source.last_result["failed"][0]["code"] == "EMPTY"
    assert place.names(source) == ["a.md", "empty.md"]
    (place.folder / "empty.md").unlink()
    place.sync(source)
    assert place.names(source) == ["a.md"]


@pytest.mark.parametrize("leave", ["keep", "delete"])
def test_a_removed_source_leaves_its_documents_or_takes_them_along(place: Place, leave: str) -> None:
    place.write("a.md")
    source = place.add()
    [document] = place.writer.of_source(source.source_id)
    place.service.remove(source.source_id, leave)  # type: ignore[arg-type]
    for unknown in (place.service.get, place.service.sync):
        with pytest.raises(SourceNotFound):
            unknown(source.source_id)
    known = place.writer.known([document.doc_id])[document.doc_id]
    assert (known.status, known.source_id) == (("ready", None) if leave == "keep" else ("deleted", known.source_id))
    for job in place.jobs.page()[0]:
        assert place.wait(job.job_id).status == "completed"
    assert place.writer.deleted_with_content() == {}
    assert place.writer.of_source(source.source_id) == []


@pytest.mark.parametrize("leave", ["keep", "delete"])
def test_a_source_that_is_removed_while_it_is_read_leaves_nothing_of_its_own(place: Place, leave: str) -> None:
    source = place.add()
    running, go_on = threading.Event(), threading.Event()
    place.before_run = lambda: (running.set(), go_on.wait(30), None)[-1]
    place.write("a.md")
    place.service.sync(source.source_id)
    assert running.wait(30)
    place.service.remove(source.source_id, leave)  # type: ignore[arg-type]
    go_on.set()
    for job in place.jobs.page()[0]:
        place.wait(job.job_id)
    assert place.names(source) == []
    assert place.writer.deleted_with_content() == {}


def test_a_folder_that_moved_takes_its_documents_along_when_the_source_is_told(place: Place) -> None:
    place.write("a.md")
    source = place.add()
    moved = place.folder.rename(place.folder.with_name("elsewhere"))
    changed = place.service.change(source.source_id, values={"path": str(moved)}, name="new")
    result = place.wait(place.status(changed).job_id or "").result
    assert result is not None
    assert (result["moved"], result["embedded"], result["deleted"]) == (1, 0, 0)
    assert (changed.name, changed.config["path"]) == ("new", str(moved))


def test_a_source_that_is_switched_off_is_not_read(place: Place) -> None:
    place.write("a.md")
    source = place.add()
    place.service.change(source.source_id, enabled=False)
    with pytest.raises(ValidationFailed, match="switched off"):
        place.service.sync(source.source_id)
    place.write("b.md")
    place.service.change(source.source_id, enabled=True)
    place.wait(place.status(source).job_id or "")
    assert place.names(source) == ["a.md", "b.md"]


def test_wrong_changes_are_told_and_change_nothing(place: Place, tmp_path: Path) -> None:
    source = place.add()
    for values in ({"path": str(tmp_path / "none")}, {"include": ["#"]}, {"pathh": "x"}):
        with pytest.raises(ValidationFailed):
            place.service.change(source.source_id, values=values)
    assert place.service.get(source.source_id) == source


def test_a_preview_counts_what_would_be_read_and_stores_nothing(place: Place) -> None:
    for name in ("a.md", "b.md", "c.txt", "d.xyz", "drafts/e.md"):
        place.write(name)
    (place.folder / "gone.md").symlink_to(place.folder / "nothing.md")
    seen = place.service.preview("folder", {"path": str(place.folder), "exclude": ["drafts/"]})
    assert (seen.files, seen.by_type, seen.names) == (3, {"markdown": 2, "text": 1}, ("a.md", "b.md", "c.txt"))
    assert (seen.skipped, seen.ignored, seen.failed_count, seen.failed[0].code) == (1, 1, 1, "VANISHED")
    assert place.service.page()[1] == 0
    with pytest.raises(ValidationFailed):
        place.service.preview("ftp", {})
