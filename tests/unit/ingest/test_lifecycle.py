"""The whole life of a document: moved, renamed, gone from its source, changed while it is read, with its pictures and vectors."""

from __future__ import annotations

import io
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw
from sqlalchemy import func, select

from ragd.core.errors import DocumentUnreadable
from ragd.ingest.discovery import files
from ragd.ingest.discovery.items import FileItem
from ragd.store.database import schema

from .conftest import Line

NOTE = "# Pump\n\nThe pump of the Kestrel edge box is serviced every spring.\n\n## 保守\n\n毎年春に保守を行います。\n"


def sources(line: Line) -> list[str]:
    return [row["source"] for row in line.reader.page(page_size=100)[0]]


def count(line: Line, table: Any) -> int:
    with line.engine.connect() as connection:
        return connection.scalar(select(func.count()).select_from(table)) or 0


def chart(seed: int = 0, size: tuple[int, int] = (200, 120)) -> bytes:
    picture = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(picture)
    for index in range(12):
        draw.rectangle((index * 16, 100 - (index * (7 + seed)) % 90, index * 16 + 9, 110), fill=(20 * index, 80, 200))
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


class TestMoves:
    def test_a_renamed_file_is_the_same_document_and_nothing_is_embedded(self, line: Line) -> None:
        path = line.write("pump.md", NOTE)
        line.ingest()
        path.rename(line.documents / "pump-guide.md")
        result = line.ingest()
        assert (result.moved, result.added, result.updated, result.embedded) == (1, 0, 0, 0)
        assert sources(line) == ["pump-guide.md"]
        line.check()

    def test_a_file_moved_into_another_folder_is_found_there_alone(self, line: Line) -> None:
        path = line.write("a/pump.md", NOTE)
        line.ingest()
        (line.documents / "b").mkdir()
        path.rename(line.documents / "b" / "pump.md")
        assert line.ingest().moved == 1
        assert sources(line) == ["b/pump.md"]
        assert len(line.texts()) == 2

    def test_a_renamed_folder_moves_every_file_in_it(self, line: Line) -> None:
        for number in range(5):
            line.write(f"old/{number}.md", f"# Note {number}\n\ntext of note {number}\n")
        line.ingest()
        (line.documents / "old").rename(line.documents / "new")
        (line.documents / "kept.md").write_text("# Kept\n\nkept\n")
        result = line.ingest()
        assert (result.moved, result.added, result.embedded) == (5, 1, 1)
        assert sources(line) == ["kept.md", *(f"new/{number}.md" for number in range(5))]

    def test_a_copy_is_a_document_of_its_own(self, line: Line) -> None:
        line.write("a.md", NOTE)
        line.ingest()
        line.write("b.md", NOTE)
        result = line.ingest()
        assert (result.moved, result.added, result.embedded) == (0, 1, 0)
        assert sources(line) == ["a.md", "b.md"]

    @pytest.mark.slow
    def test_of_two_equal_files_that_went_the_one_of_the_same_name_has_moved(self, line: Line) -> None:
        for name in ("x/one.md", "x/two.md"):
            line.write(name, NOTE)
        line.ingest()
        (line.documents / "y").mkdir()
        (line.documents / "x" / "two.md").rename(line.documents / "y" / "two.md")
        (line.documents / "x" / "one.md").unlink()
        assert line.ingest().moved == 1
        assert sources(line) == ["x/one.md", "y/two.md"]

    def test_a_file_on_a_drive_that_is_not_mounted_has_not_moved(self, line: Line) -> None:
        path = line.write("drive/folder/pump.md", NOTE)
        line.ingest()
        path.unlink()
        path.parent.rmdir()  # what is left is an empty folder, as a mount point is without its drive
        line.write("copy.md", NOTE)
        result = line.ingest(line.documents / "copy.md")
        assert (result.moved, result.added) == (0, 1)
        assert len(sources(line)) == 2

    def test_a_moved_file_can_move_back(self, line: Line) -> None:
        path = line.write("a.md", NOTE)
        line.ingest()
        moved = path.rename(line.documents / "b.md")
        line.ingest()
        moved.rename(path)
        result = line.ingest()
        assert (result.moved, result.embedded) == (1, 0)
        assert sources(line) == ["a.md"]
        line.check()


class TestSources:
    def test_documents_that_a_source_no_longer_has_are_deleted(self, line: Line) -> None:
        line.write("a.md", NOTE)
        line.write("b.md", "# B\n\nanother text\n")
        line.ingest(source_id="s1")
        (line.documents / "b.md").unlink()
        (gone,) = (known.doc_id for known in line.writer.of_source("s1") if known.source == "b.md")
        result = line.ingest(source_id="s1", gone=[gone])
        assert (result.deleted, result.unchanged) == (1, 1)
        assert sources(line) == ["a.md"]
        line.check()
        assert count(line, schema.vectors) == len(line.texts())

    def test_a_gone_document_that_is_found_under_another_name_is_moved_not_deleted(self, line: Line) -> None:
        path = line.write("a.md", NOTE)
        line.ingest(source_id="s1")
        path.rename(line.documents / "b.md")
        gone = [known.doc_id for known in line.writer.of_source("s1")]
        result = line.ingest(source_id="s1", gone=gone)
        assert (result.moved, result.deleted, result.embedded) == (1, 0, 0)
        assert [known.source for known in line.writer.of_source("s1")] == ["b.md"]

    def test_files_that_were_ingested_by_hand_come_to_belong_to_the_source_that_finds_them(self, line: Line) -> None:
        line.write("a.md", NOTE)
        line.ingest()
        assert line.ingest(source_id="s1").unchanged == 1
        assert [known.source for known in line.writer.of_source("s1")] == ["a.md"]


class TestPictures:
    def test_pictures_are_kept_and_known_at_the_right_passage(self, line: Line) -> None:
        (line.documents / "chart.png").write_bytes(chart())
        line.write("a.md", "# One\n\nno picture here\n\n# Two\n\n![Load by month](chart.png)\n")
        line.ingest(line.documents / "a.md")
        chunks, _ = line.reader.chunks(line.doc_id("a.md"))
        assert [len(chunk["image_refs"]) for chunk in chunks] == [0, 1]
        found = line.assets.find(chunks[1]["image_refs"][0], "raw")
        assert found.path.read_bytes() == chart()

    def test_a_picture_of_two_documents_is_kept_once_and_goes_with_the_last(self, line: Line) -> None:
        (line.documents / "chart.png").write_bytes(chart())
        for name in ("a.md", "b.md"):
            line.write(name, f"# {name}\n\n![Load](chart.png)\n")
        line.ingest(line.documents / "a.md", line.documents / "b.md")
        assert count(line, schema.assets) == 1
        line.pipeline.delete(line.kb_id, [line.doc_id("a.md")])
        assert count(line, schema.assets) == 1
        line.pipeline.delete(line.kb_id, [line.doc_id("b.md")])
        assert count(line, schema.assets) == 0
        assert not list((line.documents.parent / "data0" / "assets").glob("*/*"))

    def test_a_rebuild_keeps_pictures_where_they_are(self, line: Line) -> None:
        (line.documents / "chart.png").write_bytes(chart())
        line.write("a.md", "# One\n\n![Load](chart.png)\n")
        line.ingest(line.documents / "a.md")
        doc_id = line.doc_id("a.md")
        before = line.reader.chunks(doc_id)[0]
        result = line.pipeline.rebuild([doc_id], report=lambda *_: None, links={})
        assert result.embedded == 0
        assert line.reader.chunks(doc_id)[0] == before

    def test_a_rebuild_reports_that_nothing_drifted_when_nothing_did(self, line: Line) -> None:
        line.write("a.md", NOTE)
        line.ingest()
        result = line.pipeline.rebuild([line.doc_id("a.md")], report=lambda *_: None, links={})
        assert result.drift is not None
        assert result.drift["documents"] == {"compared": 1, "sections_changed": 0, "chunks_changed": 0}


class TestDeletion:
    def test_a_deletion_leaves_no_vector_picture_or_text(self, line: Line) -> None:
        (line.documents / "chart.png").write_bytes(chart())
        line.write("a.md", NOTE + "\n![Load](chart.png)\n")
        line.ingest(line.documents / "a.md")
        line.write("a.md", "# Changed\n\nnow other text\n")
        line.ingest(line.documents / "a.md")
        line.pipeline.delete(line.kb_id, [line.doc_id("a.md")])
        tables = (schema.vectors, schema.assets, schema.version_assets, schema.versions, schema.chunks, schema.document_tags)
        assert {table.name: count(line, table) for table in tables} == dict.fromkeys((table.name for table in tables), 0)
        line.check()


class TestVersions:
    def test_a_change_supersedes_and_embeds_only_what_changed(self, new_line: Callable[..., Line]) -> None:
        line = new_line(keep_versions=1)
        sections = [f"## Part {number}\n\ntext of part {number}\n" for number in range(6)]
        line.write("a.md", "# Guide\n\n" + "\n".join(sections))
        line.ingest()
        sections[3] = "## Part 3\n\nanother text altogether\n"
        line.write("a.md", "# Guide\n\n" + "\n".join(sections))
        result = line.ingest()
        assert (result.updated, result.embedded, result.reused) == (1, 1, 5)
        versions = line.reader.get(line.doc_id("a.md"))["versions"]
        assert [version["status"] for version in versions] == ["ready", "superseded"]
        assert {name for name in ("section_hash", "chunk_hash", "md_sha256", "loader_version") if versions[0][name]} == {
            "section_hash",
            "chunk_hash",
            "md_sha256",
            "loader_version",
        }
        assert versions[0]["chunk_hash"] != versions[1]["chunk_hash"]


class TestReading:
    def test_a_file_that_changes_while_it_is_read_is_read_again(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "log.txt"
        path.write_text("first")
        stat, calls = os.fstat, []

        def fstat(descriptor: int) -> os.stat_result:
            calls.append(descriptor)
            if len(calls) == 2:  # after the first reading: somebody has written meanwhile
                path.write_text("second, and longer")
            return stat(descriptor)

        monkeypatch.setattr(files.os, "fstat", fstat)
        assert FileItem(path, "log.txt").read(1000) == b"second, and longer"

    def test_a_file_that_never_stops_changing_is_told(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "log.txt"
        path.write_text("x")
        stat = os.fstat

        def fstat(descriptor: int) -> os.stat_result:
            with path.open("a") as file:
                file.write("x")
            return stat(descriptor)

        monkeypatch.setattr(files.os, "fstat", fstat)
        with pytest.raises(DocumentUnreadable, match="was being written while it was read"):
            FileItem(path, "log.txt").read(1000)

    @pytest.mark.parametrize(
        "name",
        [
            "line\nbreak.md",
            "rocket 🚀.md",
            unicodedata.normalize("NFD", "ガイド・プログラム.md"),
            "あ" * 84 + ".md",
            "x" * 252 + ".md",
        ],
    )
    def test_names_that_are_hard_to_write_are_no_hindrance(self, line: Line, name: str) -> None:
        line.write(name, NOTE)
        assert line.ingest().added == 1
        assert line.ingest().unchanged == 1
        assert sources(line) == [unicodedata.normalize("NFC", name)]
        line.check()

    def test_the_same_file_under_two_names_is_taken_once_by_link_and_embedded_once_by_copy(self, line: Line) -> None:
        path = line.write("a.md", NOTE)
        (line.documents / "link.md").symlink_to(path)
        os.link(path, line.documents / "hard.md")
        result = line.ingest()
        assert result.added == 2
        assert (result.embedded, result.reused) == (2, 2)
