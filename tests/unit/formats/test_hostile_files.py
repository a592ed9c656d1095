"""Files made to do harm, read by the real loaders in a real worker: each costs itself alone, within its limits."""

from __future__ import annotations

import io
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import docx
import psutil
import pytest

from ragd.core.documents import Document
from ragd.core.errors import ParseFailed
from ragd.core.storage import Asset
from ragd.formats.registry import loader_name_for
from ragd.ingest.discovery.files import find_files
from ragd.ingest.workers.ipc import Normalized
from ragd.ingest.workers.pool import ParseTask, WorkerPool
from ragd.ingest.workers.process import WorkerOptions

from .hostile_files import (
    CONTENT,
    FONT,
    MEGABYTE,
    PAGE,
    SHEET,
    SLIDE,
    STREAM,
    STRINGS,
    WORD,
    XML,
    laughing_yaml,
    nested_mail,
    notebook_of,
    office,
    packed,
    pdf_of,
    png_of,
    with_part,
    with_text,
)

pytestmark = pytest.mark.slow

MEMORY = 700 * MEGABYTE
DEEP = 100_000
CATALOGUE = "<< /Type /Catalog /Pages 2 0 R >>"
PARTS = [("plan.docx", WORD), ("計画.xlsx", SHEET), ("plan.xlsx", STRINGS), ("plan.pptx", SLIDE)]


def _pool(timeout_s: float, memory: int) -> WorkerPool:
    return WorkerPool(1, timeout_s, WorkerOptions(memory, "none", 1, 1.0, 100, 20 * MEGABYTE, 50_000_000))


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    made = _pool(60.0, MEMORY)
    yield made
    made.close()


@pytest.fixture(scope="module")
def strict_pool() -> Iterator[WorkerPool]:
    """For what is only large, so that it meets the limits soon."""
    made = _pool(4.0, 300 * MEGABYTE)
    yield made
    made.close()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a file: its text, or why there is none; and the most that its process used, in bytes (0: it was ended)."""

    document: Document | None
    pictures: Normalized | None
    code: str
    message: str
    peak: int


def read(pool: WorkerPool, name: str, data: bytes) -> Outcome:
    """Read a hostile file, and after it a good one, which must not notice. A failure names the file."""
    outcome = _read(pool, name, data)
    after = _read(pool, "good.md", "# 設定\n\nThe queue holds 40 items.\n".encode())
    assert after.document
    assert after.document.title == "設定"
    assert outcome.code == "READ" or f"'{name}'" in outcome.message
    assert "could not be taken in" not in outcome.message, "a loader met something that it did not expect"
    assert outcome.peak < MEMORY
    return outcome


def _read(pool: WorkerPool, name: str, data: bytes) -> Outcome:
    _forget_peak(pool)
    try:
        with pool.open(ParseTask(loader_name_for(name) or "", name, data), lambda _done, _total: None) as parsing:
            document = parsing.document()
            pictures = parsing.pictures(_nothing_known)
    except ParseFailed as failed:
        return Outcome(None, None, failed.code, failed.message, _peak(pool))
    return Outcome(document, pictures, "READ", "", _peak(pool))


def _nothing_known(_asset_ids: Sequence[str]) -> dict[str, Asset]:
    return {}


def _forget_peak(pool: WorkerPool) -> None:
    """Start the high-water mark anew (proc(5), clear_refs)."""
    for worker in pool._idle:
        mark = Path(f"/proc/{worker.process.pid}/clear_refs")
        if mark.exists():
            mark.write_text("5", encoding="ascii")


def _peak(pool: WorkerPool) -> int:
    """The high-water mark of the process that is ready for the next file; elsewhere than on Linux, what it has now."""
    for worker in pool._idle:
        status = Path(f"/proc/{worker.process.pid}/status")
        if status.exists():
            return int(status.read_text(encoding="ascii").split("VmHWM:")[1].split()[0]) * 1024
        return int(psutil.Process(worker.process.pid).memory_info().rss)
    return 0


class TestArchives:
    @pytest.mark.parametrize(("name", "part"), PARTS)
    def test_a_part_that_would_unpack_to_gigabytes_is_refused_unread(self, pool, name: str, part: str) -> None:
        bomb = with_part(office(name), part, *packed(b"<", b"\0" * 1024, b"", 4_000_000_000))
        assert len(bomb) < 5 * MEGABYTE
        outcome = read(pool, name, bomb)
        assert outcome.code == "UNPACKS_TOO_LARGE"
        assert "zip bomb" in outcome.message
        assert outcome.peak < 300 * MEGABYTE

    @pytest.mark.parametrize(("name", "part"), [PARTS[0], PARTS[1], PARTS[3]])
    def test_a_part_that_is_larger_than_its_entry_says_is_damaged(self, pool, name: str, part: str) -> None:
        head, tail = (text.encode() for text in XML[part])
        stream, _, checksum = packed(head, b" " * 1024, tail, 2_000_000_000)
        outcome = read(pool, name, with_part(office(name), part, stream, 1000, checksum))
        assert outcome.code == "DAMAGED"
        assert "damaged" in outcome.message
        assert outcome.peak < 300 * MEGABYTE

    @pytest.mark.parametrize(("name", "part"), PARTS)
    def test_entities_that_grow_without_bound_are_refused(self, pool, name: str, part: str) -> None:
        laughs = "".join(f'<!ENTITY l{step} "{f"&l{step - 1};" * 10}">' for step in range(1, 10))
        head, tail = XML[part]
        text = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "ha">{laughs}]>{head}<t>&l9;</t>{tail}'
        outcome = read(pool, name, with_text(office(name), part, text))
        assert outcome.code == "DAMAGED"
        assert "document type definition" in outcome.message

    @pytest.mark.parametrize("name", ["plan.docx", "計画.xlsx", "plan.pptx"])
    def test_half_an_archive_is_refused(self, pool, name: str) -> None:
        data = office(name)
        outcome = read(pool, name, data[: len(data) // 2])
        assert outcome.code == "DAMAGED"
        assert "damaged or cut off" in outcome.message

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("name", "part", "unit"),
        [("計画.docx", WORD, "<w:p/>"), ("plan.xlsx", SHEET, "<row/>"), ("plan.pptx", SLIDE, "<p:sp/>")],
    )
    def test_millions_of_elements_end_at_the_limits(self, strict_pool, name: str, part: str, unit: str) -> None:
        head, tail = (text.encode() for text in XML[part])
        outcome = read(strict_pool, name, with_part(office(name), part, *packed(head, unit.encode(), tail, 48_000_000)))
        assert outcome.code in {"TIMEOUT", "MEMORY"}
        assert "Split the file" in outcome.message

    @pytest.mark.parametrize(("name", "part", "tag"), [("plan.docx", WORD, "w:tbl"), ("plan.pptx", SLIDE, "p:grpSp")])
    def test_parts_that_are_nested_too_deeply_are_refused(self, pool, name: str, part: str, tag: str) -> None:
        head, tail = XML[part]
        outcome = read(pool, name, with_text(office(name), part, head + f"<{tag}>" * DEEP + f"</{tag}>" * DEEP + tail))
        assert outcome.code == ("TOO_COMPLEX" if name == "plan.docx" else "DAMAGED")  # python-pptx doesn't say which


class TestPdf:
    @pytest.mark.slow
    def test_twenty_thousand_pages_end_at_the_limits(self, strict_pool) -> None:
        pages = 20_000
        kids = " ".join(f"{number} 0 R" for number in range(5, 5 + pages))
        tree = f"<< /Type /Pages /Count {pages} /Kids [{kids}] >>"
        outcome = read(strict_pool, "計画.pdf", pdf_of([CATALOGUE, tree, FONT, STREAM, *[PAGE] * pages]))
        if outcome.document:  # on a fast machine
            assert outcome.document.markdown.count("The queue holds 40 items.") == pages
        else:
            assert outcome.code in {"TIMEOUT", "MEMORY"}
            assert "Split the file" in outcome.message

    def test_a_count_of_pages_that_lies_is_not_believed(self, pool) -> None:
        tree = "<< /Type /Pages /Count 2000000000 /Kids [5 0 R] >>"
        outcome = read(pool, "plan.pdf", pdf_of([CATALOGUE, tree, FONT, STREAM, PAGE]))
        assert outcome.document
        assert outcome.document.markdown.strip() == "The queue holds 40 items."
        assert outcome.peak < 300 * MEGABYTE

    def test_a_page_tree_that_bites_its_tail_ends(self, pool) -> None:
        tree = "<< /Type /Pages /Count 3 /Kids [5 0 R 2 0 R 2 0 R] >>"
        assert read(pool, "計画.pdf", pdf_of([CATALOGUE, tree, FONT, STREAM, PAGE])).code in {"READ", "DAMAGED"}

    def test_a_stream_that_would_unpack_to_gigabytes_ends_at_the_limits(self, strict_pool) -> None:
        unpacked = f"{CONTENT}\n".encode() * (MEGABYTE // len(CONTENT))
        twice = zlib.compress(zlib.compress(unpacked * 200, 9), 9).decode("latin-1")
        assert len(twice) < MEGABYTE
        stream = f"<< /Length {len(twice)} /Filter [/FlateDecode /FlateDecode] >>\nstream\n{twice}\nendstream"
        tree = "<< /Type /Pages /Count 1 /Kids [5 0 R] >>"
        outcome = read(strict_pool, "plan.pdf", pdf_of([CATALOGUE, tree, FONT, stream, PAGE]))
        assert outcome.code in {"TIMEOUT", "MEMORY"}, outcome

    def test_a_pdf_that_is_cut_off_is_refused(self, pool) -> None:
        data = pdf_of([CATALOGUE, "<< /Type /Pages /Count 1 /Kids [5 0 R] >>", FONT, STREAM, PAGE])
        outcome = read(pool, "plan.pdf", data[: len(data) // 4])
        assert outcome.code == "DAMAGED"
        assert "cut off" in outcome.message


DRAWINGS = {
    "entities": (
        '<!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><svg xmlns="http://www.w3.org/2000/svg"><text>&b;</text></svg>'
    ),
    "external entity": (
        '<!DOCTYPE svg [<!ENTITY a SYSTEM "SECRET">]><svg xmlns="http://www.w3.org/2000/svg"><text>&a;</text></svg>'
    ),
    "too deep": '<svg xmlns="http://www.w3.org/2000/svg">' + "<g>" * DEEP + "<text>a</text>" + "</g>" * DEEP + "</svg>",
}


class TestPictures:
    def test_a_picture_of_thirty_thousand_pixels_a_side_is_refused_undecoded(self, pool) -> None:
        outcome = read(pool, "計画.png", png_of(30_000))
        assert outcome.code == "TOO_MANY_PIXELS"
        assert "million pixels" in outcome.message
        assert outcome.peak < 300 * MEGABYTE

    def test_in_a_document_it_is_left_out_with_a_warning(self, pool) -> None:
        buffer = io.BytesIO()
        word = docx.Document()
        word.add_paragraph("Before.")
        word.add_picture(io.BytesIO(png_of(30_000)))
        word.add_paragraph("After.")
        word.save(buffer)
        outcome = read(pool, "計画.docx", buffer.getvalue())
        assert outcome.document
        assert outcome.pictures
        assert outcome.document.markdown.startswith("Before.")
        assert ["too many pixels" in warning for warning in outcome.pictures.warnings] == [True]
        assert outcome.peak < 300 * MEGABYTE

    @pytest.mark.parametrize("case", DRAWINGS)
    def test_a_drawing_that_could_do_harm_is_refused(self, pool, tmp_path: Path, case: str) -> None:
        secret = tmp_path / "secret.txt"
        secret.write_text("hush", encoding="utf-8")
        outcome = read(pool, "計画.svg", DRAWINGS[case].replace("SECRET", secret.as_uri()).encode())
        assert outcome.code == ("TOO_COMPLEX" if case == "too deep" else "DAMAGED")

    def test_what_a_drawing_links_to_or_runs_is_not_followed(self, pool, tmp_path: Path) -> None:
        secret = tmp_path / "secret.svg"
        secret.write_text('<svg xmlns="http://www.w3.org/2000/svg"><text>hush</text></svg>', encoding="utf-8")
        drawing = (
            '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="3000000" height="3000000">'
            f'<image xlink:href="{secret.as_uri()}" width="9" height="9"/><image href="http://127.0.0.1:9/a.png"/>'
            "<script>hush()</script><text>Kestrel</text></svg>"
        )
        outcome = read(pool, "plan.svg", drawing.encode())
        assert outcome.document
        assert "Kestrel" in outcome.document.markdown
        assert "hush" not in outcome.document.markdown


READ, REFUSED = ("READ",), ("DAMAGED", "TOO_COMPLEX", "UNKNOWN_ENCODING", "WRONG_TYPE")

TEXTS: dict[str, tuple[str, Callable[[], str], Sequence[str]]] = {
    "deep elements": ("plan.html", lambda: "<div>" * DEEP + "Kestrel" + "</div>" * DEEP, REFUSED),
    "deep lists in HTML": ("計画.html", lambda: "<ul><li>" * DEEP + "Kestrel", REFUSED),
    "deep tables in HTML": ("plan.html", lambda: "<table><tr><td>" * 20_000 + "Kestrel", REFUSED),
    "deep quotes": ("plan.md", lambda: "> " * DEEP + "Kestrel\n", READ),
    "deep lists": ("計画.md", lambda: "- " * 20_000 + "Kestrel\n", READ),
    "deep brackets": ("plan.md", lambda: "[" * DEEP + "Kestrel" + "]" * DEEP, READ),
    "aliases of aliases in front matter": ("計画.md", lambda: f"---\n{laughing_yaml()}---\n# Kestrel\n\ntext\n", READ),
    "deep JSON": ("plan.json", lambda: "[" * DEEP + "]" * DEEP, READ + REFUSED),
    "deep YAML": ("plan.yaml", lambda: "[" * DEEP + "]" * DEEP, READ + REFUSED),
    "aliases of aliases": ("計画.yaml", laughing_yaml, READ + REFUSED),
    "one line of code": ("plan.js", lambda: "a(" * 500_000, READ + REFUSED),
    "one field": ("計画.csv", lambda: 'a,b\n1,"' + "x" * (48 * MEGABYTE) + '"\n', REFUSED),
    "quotes that never close": ("plan.csv", lambda: "a,b\n" + '1,"x\n' * 50_000, READ + REFUSED),
    "columns without number": ("plan.csv", lambda: "a," * 100_000 + "\n" + "1," * 100_000 + "\n", READ + REFUSED),
    "huge output": ("計画.ipynb", lambda: notebook_of(20 * MEGABYTE), READ),
    "deep notebook": ("plan.ipynb", lambda: '{"cells":' + "[" * DEEP + "]" * DEEP + "}", REFUSED),
    "nested mail": ("計画.eml", lambda: nested_mail(1000), REFUSED),
    "deeply nested mail": ("plan.eml", lambda: nested_mail(20_000), REFUSED),
}


@pytest.mark.parametrize("case", TEXTS)
def test_a_text_that_is_too_deep_or_too_long_is_read_or_refused_within_the_limits(pool, case: str) -> None:
    name, make, codes = TEXTS[case]
    assert read(pool, name, make().encode()).code in codes


@pytest.mark.skipif(os.name == "nt", reason="special files of POSIX")
class TestSpecialFiles:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        (tmp_path / "good.md").write_text("# Kestrel\n\ntext\n", encoding="utf-8")
        os.mkfifo(tmp_path / "パイプ.pdf")
        (tmp_path / "device.pdf").symlink_to("/dev/zero")
        (tmp_path / "circle.pdf").symlink_to("circle.pdf")
        return tmp_path

    def test_what_is_no_file_is_passed_over_in_a_folder(self, folder: Path) -> None:
        found = find_files([str(folder)], recursive=True, allowed_roots=())
        assert [item.source for item in found.items] == ["good.md"]
        assert found.skipped == 2
        assert [(failure.source, failure.code) for failure in found.failed] == [("circle.pdf", "UNREADABLE")]

    @pytest.mark.parametrize("name", ["パイプ.pdf", "device.pdf"])
    def test_what_is_no_file_is_refused_by_name(self, folder: Path, name: str) -> None:
        found = find_files([str(folder / name)], recursive=True, allowed_roots=())
        assert not found.items
        assert [(failure.code, name in failure.message) for failure in found.failed] == [("UNREADABLE", True)]
