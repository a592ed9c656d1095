"""The processes that read files, with real files, real limits and loaders that misbehave."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psutil
import pytest

from ragd.core.documents import Document
from ragd.core.errors import (
    DocumentEmpty,
    DocumentEncrypted,
    ParseFailed,
    ParseOutOfMemory,
    ParseTimeout,
    RagError,
    ServiceUnavailable,
    TooComplex,
)
from ragd.core.storage import Asset
from ragd.ingest.workers import pool as workers
from ragd.ingest.workers.looks import LookTask
from ragd.ingest.workers.pool import ParseTask, WorkerPool
from ragd.ingest.workers.process import WorkerOptions
from ragd.testing.captions import picture_and_words
from ragd.vision.description import PictureContext

pytestmark = pytest.mark.slow

MEGABYTE = 1024 * 1024

# A plug-in as other people's packages are: found by its entry points.
TROUBLED = """
import os, sys, time
from ragd.core.errors import DocumentEncrypted
from ragd.formats.common.pictures import picture, reference
from ragd.core.documents import Document, Heading

class Troubled:
    name, version = "troubled", "1"
    def load(self, data, name, context=None):
        what = data.decode()
        if what == "hang":
            while True: time.sleep(0.05)
        if what == "spin":
            while True: pass
        if what == "eat":
            kept = []
            while True: kept.append(bytearray(8_000_000))
        if what == "gulp":
            bytearray(1 << 40)
        if what == "crash":
            os.kill(os.getpid(), 9)
        if what == "defect":
            raise KeyError("a defect")
        if what == "locked":
            raise DocumentEncrypted(f"'{name}' is protected by a password.")
        if what == "print":
            print("noise on stdout"); sys.stdout.flush(); os.write(1, b"more noise")
        if what == "slowly":
            for page in range(5):
                context.report(page, 5); time.sleep(0.25)
        if what == "environment":
            what = " ".join(f"{key}={value}" for key, value in os.environ.items())
        if what == "surrogate":
            what = "half \\ud800"
        if what == "modules":
            what = " ".join(sys.modules)
        if what == "headings":
            return Document("text", "title", what, "troubled", "1", headings=(Heading(0, 1, 1, "a"),) * 200_001)
        if what == "linked":
            what = str(context.linked("beside.png"))
        return Document("text", "title", what, "troubled", "1", metadata={"pid": os.getpid()})
"""


def options(**changes: object) -> WorkerOptions:
    values = {
        "memory": 600 * MEGABYTE,
        "ocr_provider": "none",
        "ocr_threads": 1,
        "ocr_budget_s": 10.0,
        "max_pictures": 10,
        "max_picture_size": MEGABYTE,
        "max_picture_pixels": 1_000_000,
    }
    return WorkerOptions(**(values | changes))  # type: ignore[arg-type]


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "plugin"
    metadata = folder / "troubled-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / "troubled.py").write_text(TROUBLED)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: troubled\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[ragd.providers]\nloader.troubled = troubled:Troubled\n")
    monkeypatch.syspath_prepend(folder)


@pytest.fixture
def new_pool(plugin: None) -> Iterator[Callable[..., WorkerPool]]:
    pools: list[WorkerPool] = []

    def make(size: int = 1, timeout_s: float = 30.0, **changes: object) -> WorkerPool:
        pools.append(WorkerPool(size, timeout_s, options(**changes)))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


def commands_of_children() -> list[str]:
    found = []
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.Error):  # it has just ended
            found.append(" ".join(child.cmdline()))
    return found


def nothing_known(_asset_ids: Sequence[str]) -> dict[str, Asset]:
    return {}


def read(pool: WorkerPool, what: str, loader: str = "troubled", name: str = "a.txt", **place: str) -> Document:
    with pool.open(ParseTask(loader, name, what.encode(), **place), lambda _done, _total: None) as parsing:
        document = parsing.document()
        parsing.pictures(nothing_known)
        return document


class TestReading:
    def test_a_file_comes_back_as_its_loader_read_it(self, new_pool) -> None:
        document = read(new_pool(), "---\ntags: [a]\n---\n# 見出し\n\ntext\n", loader="markdown", name="a.md")
        assert document.title == "見出し"
        assert document.verbatim
        assert document.headings[0].title == "見出し"
        assert document.metadata["tags"] == ["a"]

    def test_more_headings_than_are_kept_fail_the_file_by_name(self, new_pool) -> None:
        pool = new_pool()
        with pytest.raises(TooComplex, match=r"'a\.txt' has 200,001 headings; at most 200,000 are kept\. Split the file"):
            read(pool, "headings")
        assert read(pool, "text").markdown == "text"

    def test_one_process_reads_file_after_file(self, new_pool) -> None:
        pool = new_pool()
        assert len({read(pool, f"text {number}").metadata["pid"] for number in range(5)}) == 1

    @pytest.mark.parametrize("size", [1, 2])
    def test_a_process_that_has_looked_at_a_picture_reads_no_file(self, new_pool, size: int) -> None:
        pool, none = new_pool(size=size), PictureContext(language="en")
        look = LookTask("a.png", picture_and_words()[0], none, (), "rules", 800, MEGABYTE)
        first = read(pool, "text").metadata["pid"]
        for _ in range(2):
            assert pool.look(look).description is not None
            document = read(pool, "modules")
            assert not {"cv2", "ragd.vision.features"} & set(document.markdown.split())
            # Where there is room for both, neither is started again.
            assert (document.metadata["pid"] == first) == (size > 1)
            assert len([name for name in commands_of_children() if "ragd.ingest.workers.process" in name]) == size

    def test_a_process_goes_on_after_many_files_unless_it_has_grown(self, new_pool, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(workers, "_LOOK_AFTER", 2)
        used = psutil.Process(read(new_pool(), "text").metadata["pid"]).memory_info().rss
        for memory, processes in ((10 * used, 1), (int(1.6 * used), 2)):
            pool = new_pool(memory=memory)
            assert len({read(pool, f"text {number}").metadata["pid"] for number in range(3)}) == processes

    def test_several_files_are_read_at_a_time_in_as_many_processes(self, new_pool) -> None:
        pool = new_pool(size=2)
        found: list[int] = []
        threads = [threading.Thread(target=lambda: found.append(read(pool, "slowly").metadata["pid"])) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(set(found)) == 2

    def test_what_a_library_prints_does_not_get_between_the_answers(self, new_pool) -> None:
        assert read(new_pool(), "print").markdown == "print"

    def test_progress_is_reported_while_a_file_is_read(self, new_pool) -> None:
        told: list[tuple[int, int]] = []
        with new_pool().open(ParseTask("troubled", "a", b"slowly"), lambda done, total: told.append((done, total))) as parsing:
            parsing.document()
            parsing.pictures(nothing_known)
        assert told
        assert all(total == 5 for _, total in told)

    def test_half_a_surrogate_pair_does_not_stop_a_file(self, new_pool) -> None:
        assert read(new_pool(), "surrogate").markdown == "half ?"

    def test_a_linked_picture_is_only_read_inside_of_the_root(self, new_pool, tmp_path: Path) -> None:
        (tmp_path / "beside.png").write_bytes(b"png")
        assert read(new_pool(), "linked", folder=str(tmp_path), root=str(tmp_path)).markdown == "b'png'"
        assert read(new_pool(), "linked").markdown == "None"


class TestTrouble:
    @pytest.mark.parametrize("what", ["hang", "spin"])
    def test_a_file_that_takes_too_long_fails_and_the_next_one_is_read(self, new_pool, what: str) -> None:
        pool = new_pool(timeout_s=3)
        with pytest.raises(ParseTimeout, match=r"'a\.txt' took too long.*ingest\.timeout_s"):
            read(pool, what)
        assert read(pool, "good").markdown == "good"

    @pytest.mark.parametrize("what", ["eat", "gulp"])
    def test_a_file_that_takes_too_much_memory_fails_and_the_next_one_is_read(self, new_pool, what: str) -> None:
        pool = new_pool(memory=300 * MEGABYTE)
        with pytest.raises(ParseOutOfMemory, match=r"more memory than one file may use.*ingest\.memory_mb"):
            read(pool, what)
        assert read(pool, "good").markdown == "good"

    def test_a_process_that_is_killed_costs_its_file_alone(self, new_pool) -> None:
        pool = new_pool()
        with pytest.raises(ParseFailed, match=r"reading 'a\.txt' ended unexpectedly"):
            read(pool, "crash")
        assert read(pool, "good").markdown == "good"

    def test_a_process_that_is_killed_from_outside_costs_its_file_alone(self, new_pool) -> None:
        pool = new_pool()
        pid = read(pool, "good").metadata["pid"]
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(ParseFailed, match="ended unexpectedly"):
            read(pool, "next")
        assert read(pool, "good").markdown == "good"

    def test_a_defect_in_a_loader_is_reported_with_its_kind_and_logged_with_its_stack(self, new_pool, caplog) -> None:
        with pytest.raises(ParseFailed, match=r"troubled loader failed \(KeyError\); the log has the details"):
            read(new_pool(), "defect")
        assert any("a defect" in record.__dict__.get("details", "") for record in caplog.records)

    @pytest.mark.parametrize(
        ("loader", "what", "kind"), [("troubled", "locked", DocumentEncrypted), ("markdown", "", DocumentEmpty)]
    )
    def test_what_a_loader_says_of_a_file_keeps_its_kind(self, new_pool, loader: str, what: str, kind: type[RagError]) -> None:
        pool = new_pool()
        with pytest.raises(kind):
            read(pool, what, loader=loader)
        assert read(pool, "good").markdown == "good"

    def test_secrets_of_the_environment_do_not_reach_the_process(self, new_pool, monkeypatch) -> None:
        monkeypatch.setenv("RAG_TOKEN", "hush")
        monkeypatch.setenv("MY_API_KEY", "hush")
        assert "hush" not in read(new_pool(), "environment").markdown


class TestLife:
    def test_no_process_is_started_before_there_is_something_to_read(self, new_pool) -> None:
        before = {child.pid for child in psutil.Process().children()}
        new_pool(size=4)
        assert {child.pid for child in psutil.Process().children()} == before

    def test_a_process_without_work_ends(self, new_pool, monkeypatch) -> None:
        monkeypatch.setattr(workers, "IDLE_S", 0.2)
        pid = read(new_pool(), "good").metadata["pid"]
        wait_until(lambda: not psutil.pid_exists(pid))

    def test_closing_ends_every_process(self, new_pool) -> None:
        pool = new_pool()
        pid = read(pool, "good").metadata["pid"]
        pool.close()
        wait_until(lambda: not psutil.pid_exists(pid))
        with pytest.raises(ServiceUnavailable):
            read(pool, "more")

    def test_work_that_nobody_waits_for_is_stopped(self, new_pool) -> None:
        pool = new_pool()
        failures: list[RagError] = []

        def attempt() -> None:
            try:
                read(pool, "hang")
            except RagError as error:
                failures.append(error)

        thread = threading.Thread(target=attempt)
        thread.start()
        wait_until(lambda: bool(pool._busy))
        pool.end_busy("another")
        (worker,) = pool._busy
        assert worker.ended_for is None
        pool.end_busy(worker.name)
        thread.join(60)
        assert [type(error) for error in failures] == [ServiceUnavailable]

    def test_a_process_that_was_ended_as_it_answered_is_not_used_again(self, new_pool) -> None:
        pool = new_pool()
        with pool.open(ParseTask("troubled", "a", b"good"), lambda _done, _total: None) as parsing:
            first = parsing.document().metadata["pid"]
            parsing.pictures(lambda _ids: {})
            pool.end_busy()
        assert read(pool, "good").metadata["pid"] != first

    def test_leaving_before_the_end_ends_the_process(self, new_pool) -> None:
        pool = new_pool()
        with pool.open(ParseTask("troubled", "a", b"slowly"), lambda _done, _total: None) as parsing:
            first = parsing.document().metadata["pid"]
        assert read(pool, "good").metadata["pid"] != first
        wait_until(lambda: not psutil.pid_exists(first))


def wait_until(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
