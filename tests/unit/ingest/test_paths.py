"""What documents are called, whatever part of a folder is ingested, and in whatever order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ragd.ingest.discovery.files import Found
from ragd.store.database import schema

from .conftest import Line


def sources(line: Line) -> list[str]:
    return sorted(row["source"] for row in line.reader.page(page_size=1000)[0])


@pytest.fixture
def tree(line: Line) -> Line:
    for name in ("README.md", "policy/leave.md", "policy/travel/README.md"):
        line.write(name, f"# {name}\n\nText of {name}.\n")
    return line


ALL = ["README.md", "policy/leave.md", "policy/travel/README.md"]


@pytest.mark.parametrize("again", ["policy/leave.md", "policy", "policy/travel/README.md", "."])
def test_ingesting_a_part_again_renames_nothing(tree: Line, again: str) -> None:
    tree.ingest()
    before = {source: tree.doc_id(source) for source in ALL}
    result = tree.ingest(tree.documents / again)
    assert (result.added, result.updated, result.moved) == (0, 0, 0)
    assert result.unchanged >= 1
    assert {source: tree.doc_id(source) for source in sources(tree)} == before


def test_a_new_file_that_is_named_itself_is_called_by_the_folder_that_holds_it(tree: Line) -> None:
    tree.ingest()
    tree.ingest(tree.write("policy/sick.md", "new"))
    assert "policy/sick.md" in sources(tree)


def test_an_outer_folder_makes_paths_longer_and_embeds_and_reads_nothing_again(tree: Line) -> None:
    tree.ingest(tree.documents / "policy")
    tree.ingest(tree.documents / "policy" / "leave.md", force=True)
    assert sources(tree) == ["leave.md", "travel/README.md"]
    before = {doc["id"]: doc["version_id"] for doc in tree.reader.page()[0]}
    result = tree.ingest()
    assert (result.added, result.updated, result.moved, result.unchanged) == (1, 0, 2, 2)
    assert tree.embedder.texts == [text for text in tree.embedder.texts if "policy" not in text]
    assert sources(tree) == ALL
    after = {doc["id"]: doc["version_id"] for doc in tree.reader.page()[0]}
    assert after.items() >= before.items()
    tree.check()
    assert tree.ingest(tree.documents / "policy").unchanged == 2
    assert sources(tree) == ALL


def test_an_outer_folder_renames_documents_that_this_run_does_not_look_at(tree: Line) -> None:
    tree.ingest(tree.documents / "policy")
    tree.write(".gitignore", "policy/\n")
    tree.ingest()
    assert sources(tree) == ALL
    tree.check()


def test_a_run_that_is_cut_off_while_it_renames_is_made_good_by_the_next(tree: Line) -> None:
    tree.ingest(tree.documents / "policy")

    def stop(stage: str, _done: int, _total: int) -> None:
        if stage == "renaming":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tree.ingest(report=stop)
    tree.ingest()
    assert sources(tree) == ALL


def test_files_of_one_name_in_different_places_are_told_apart_and_keep_their_names(line: Line, tmp_path: Path) -> None:
    places = [tmp_path / "a" / "docs", tmp_path / "b" / "docs", tmp_path / "c"]
    for place in places:
        place.mkdir(parents=True)
        (place / "README.md").write_text(f"# Of {place.parent.name}", encoding="utf-8")
    line.ingest(places[0])
    line.ingest(places[1])
    line.ingest(places[2] / "README.md")
    names = ["README.md", "c/README.md", "docs/README.md"]
    assert sources(line) == names
    for place in reversed(places):
        assert line.ingest(place / "README.md").unchanged == 1
        assert line.ingest(place).unchanged == 1
    assert sources(line) == names


def test_two_files_that_need_their_whole_path_have_it(line: Line, tmp_path: Path) -> None:
    places = [tmp_path / top / "x" / "y" / "z" for top in ("a", "b", "c", "d", "e")]
    for place in places:
        place.mkdir(parents=True)
        (place / "n.md").write_text(f"# {place}", encoding="utf-8")
        line.ingest(place)
    assert sources(line) == sorted(["n.md", "z/n.md", "y/z/n.md", *((place / "n.md").as_posix() for place in places[3:])])


def test_a_folder_that_was_moved_keeps_the_paths_of_its_documents(tree: Line, tmp_path: Path) -> None:
    tree.ingest()
    moved = tmp_path / "elsewhere"
    tree.documents.rename(moved)
    result = tree.ingest(moved)
    assert result.moved == 3
    assert sources(tree) == ALL


def test_a_file_found_by_a_link_keeps_the_name_of_the_link_when_it_is_ingested_itself(line: Line, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere" / "real.md"
    elsewhere.parent.mkdir()
    elsewhere.write_text("# Real", encoding="utf-8")
    line.write("a.md", "# A")
    (line.documents / "link.md").symlink_to(elsewhere)
    line.ingest()
    assert sources(line) == ["a.md", "link.md"]
    assert line.ingest(elsewhere).unchanged == 1
    assert line.ingest().unchanged == 2
    assert sources(line) == ["a.md", "link.md"]


def test_paths_of_an_earlier_release_are_made_right_by_the_next_ingestion(tree: Line) -> None:
    """It stored no folders, and called a file that was ingested again by its name alone."""
    tree.ingest()
    with tree.engine.begin() as connection:
        connection.execute(schema.roots.delete())
        connection.execute(schema.roots.insert().values(kb_id=tree.kb_id, path=""))
        connection.execute(
            schema.documents.update().where(schema.documents.c.source == "policy/leave.md").values(source="leave.md")
        )
    result = tree.ingest(tree.documents / "README.md")
    assert (result.moved, result.unchanged) == (1, 1)
    assert tree.embedder.texts == []
    assert sources(tree) == ALL


def test_a_document_that_could_not_be_read_is_called_by_its_path_too(tree: Line) -> None:
    tree.write("policy/broken.docx", b"no archive")
    assert len(tree.ingest(tree.documents / "policy").failed) == 1
    tree.ingest(tree.documents, report=lambda *_: None)
    assert sources(tree) == sorted([*ALL, "policy/broken.docx"])


def test_a_search_for_the_new_path_finds_a_renamed_document(tree: Line) -> None:
    tree.ingest(tree.documents / "policy" / "travel")
    tree.ingest()
    found = tree.sparse.search(tree.kb_id, ["policy", "travel"], 10)
    rows = {row[3]: row[0] for row in tree.writer.live_entries(tree.kb_id)}
    assert tree.doc_id("policy/travel/README.md") in {rows[hit.entry_id] for hit in found}


def test_what_was_deleted_after_a_job_was_queued_is_not_brought_back_by_it(tree: Line) -> None:
    tree.ingest()
    doc_id = tree.doc_id("policy/leave.md")
    with tree.engine.begin() as connection:
        connection.execute(schema.jobs.insert().values(**_job(7)))
    tree.writer.tombstone([doc_id], by_request=True)
    assert tree.ingest(force=True, queued=7).skipped == 1
    assert sources(tree) == [source for source in ALL if source != "policy/leave.md"]
    tree.ingest(queued=8)
    assert sources(tree) == ALL


def _job(sequence: int) -> dict[str, object]:
    unused = {"payload": {}, "progress": {}, "cancel_requested": False, "created_at": "", "attempts": 0}
    return {
        "job_id": "j",
        "kind": "ingest",
        "status": "queued",
        "collection": "default",
        "kb_id": "k",
        "sequence": sequence,
    } | unused


def test_an_empty_run_names_nothing(new_line: Callable[..., Line]) -> None:
    line = new_line()
    assert line.pipeline.run(line.kb_id, Found(), report=lambda *_: None, links={}).added == 0
