"""The stages of a text in a process that reads files: the same as without it, within limits, with the daemon's model."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ragd.core.documents import Document, Heading, Mark, Place
from ragd.core.errors import ParseFailed, ParseOutOfMemory, ParseTimeout
from ragd.ingest.chunking.views import PictureNote
from ragd.ingest.text_stages import TextProviders, TextRun, TextTask
from ragd.ingest.workers.pool import TextSteps, WorkerPool
from ragd.ingest.workers.process import WorkerOptions
from ragd.providers.fakes import FakeEmbedder
from ragd.providers.tokenizers.estimate import EstimatedTokenizer

pytestmark = pytest.mark.slow

MEGABYTE = 1024 * 1024
# A splitter of another package, over which a certain text takes for ever, or all the memory there is.
HOSTILE = """
import re

class Hostile:
    name, profile = "hostile", "hostile-1"

    def __init__(self, tokenizer, chunk_overlap):
        self.tokenizer = tokenizer

    def split(self, text, max_tokens):
        if "spin" in text:
            re.match("(?:a+)+$", "a" * 64 + "b")
        if "eat" in text:
            kept = []
            while True:
                kept.append(bytearray(8_000_000))
        if "defect" in text:
            raise KeyError("a defect")
        return [(0, len(text))]
"""
RULES = TextProviders("rules", "recursive", "rules", "bigram", {"chunk_overlap": 8})
SEMANTIC = replace(RULES, splitter="semantic", splitting={"chunk_overlap": 8, "percentile": 80.0}, embeds=True)
FOREIGN = replace(RULES, splitter="hostile")
SENTENCES = "The lease of a worker ends after 30 seconds. ワーカーの期限は三十秒です。A broker hands the job on. é̂👩‍👩‍👧 "
TEXT = f"# Leases\n\nSee ![chart](asset://1).\n\n{SENTENCES * 30}\n\n# Queues \U0001f600\n\nA queue\u200bholds\u00adjobs.\n"


@pytest.fixture
def new_pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., WorkerPool]]:
    folder = tmp_path / "plugin"
    metadata = folder / "hostile-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / "hostile.py").write_text(HOSTILE)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: hostile\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[ragd.providers]\nsplitter.hostile = hostile:Hostile\n")
    monkeypatch.syspath_prepend(folder)
    pools: list[WorkerPool] = []

    def make(timeout_s: float = 30.0, memory: int = 600 * MEGABYTE) -> WorkerPool:
        pools.append(WorkerPool(1, timeout_s, WorkerOptions(memory, "none", 1, 10.0, 10, MEGABYTE, 1_000_000)))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


class Estimating(FakeEmbedder):
    """With the tokenizer of remote models, whose tokens are of other lengths than words."""

    def __init__(self) -> None:
        super().__init__()
        self.tokenizer = EstimatedTokenizer()


def task(text: str = TEXT, providers: TextProviders = RULES) -> TextTask:
    second = text.find("# Queues")
    headings = (Heading(0, 9, 1, "Leases"), Heading(second, second + 11, 1, "Queues \U0001f600")) if second > 0 else ()
    marks = (Mark(0, Place(page=1, bbox=(0.1, 0.2, 1 / 3, 0.4))), Mark(max(second, 1), Place(page=2, line_range=(3, 4))))
    document = Document("pdf", "Leases", text, "pdf", "1", marks=marks, headings=headings, metadata={"tags": ["a", "b"]})
    notes = {"asset://1": PictureNote("1", "Seconds by worker and by hour of the day")}
    return TextTask(providers, document, "d", "manual/leases.pdf", "leases.pdf", notes, 64)


def stages(run: TextSteps) -> tuple[Any, ...]:
    run.clean()
    return run.sections(), run.cut(), run.enrich()


def in_process(pool: WorkerPool, given: TextTask, embedder: FakeEmbedder | None = None) -> tuple[Any, ...]:
    with pool.open_text(given, embedder or FakeEmbedder()) as run:
        return stages(run)


@pytest.mark.parametrize("model", [FakeEmbedder, Estimating])
@pytest.mark.parametrize("providers", [RULES, SEMANTIC, replace(RULES, splitter="fixed", enricher="none", cleaner="none")])
def test_a_text_comes_out_as_it_would_here(new_pool, providers: TextProviders, model: Callable[[], FakeEmbedder]) -> None:
    given, embedder = task(providers=providers), model()
    found = in_process(new_pool(), given, embedder)
    assert found == stages(TextRun(providers.open(embedder), given))
    sections, _, (_, chunks) = found
    assert len(sections) == 2
    assert len(chunks) > 5
    terms = [term for chunk in chunks for term in chunk.sparse_tokens]
    assert len({id(term) for term in terms}) == len(set(terms)) < len(terms) / 2  # each is kept once


def test_one_process_takes_text_after_text_by_other_providers(new_pool) -> None:
    pool = new_pool()
    first = in_process(pool, task())
    assert in_process(pool, task(providers=SEMANTIC)) != first
    assert in_process(pool, task()) == first


def test_more_sections_and_chunks_than_one_frame_holds_come_in_order(new_pool) -> None:
    text = "".join(f"# {number}\n\nSection {number} says something.\n\n" for number in range(600))
    headings = tuple(
        Heading(start, start + len(f"# {number}"), 1, str(number))
        for number in range(600)
        if (start := text.index(f"# {number}\n")) >= 0
    )
    given = task(text)
    given = replace(given, document=replace(given.document, marks=(), headings=headings))
    sections, _, (_, chunks) = in_process(new_pool(), given)
    assert [section.path for section in sections] == [(str(number),) for number in range(600)]
    assert [chunk.text.strip() for chunk in chunks] == [f"Section {number} says something." for number in range(600)]


def test_a_text_that_takes_too_long_fails_and_nothing_else_waits_for_it(new_pool) -> None:
    pool = new_pool(timeout_s=3)
    longest, stopped = 0.0, threading.Event()

    def tick() -> None:
        nonlocal longest
        last = time.monotonic()
        while not stopped.wait(0.01):
            longest, last = max(longest, time.monotonic() - last), time.monotonic()

    ticking = threading.Thread(target=tick)
    ticking.start()
    try:
        with pytest.raises(ParseTimeout, match=r"'leases\.pdf' took too long.*ingest\.timeout_s"):
            in_process(pool, task("spin", FOREIGN))
    finally:
        stopped.set()
        ticking.join()
    assert longest < 1.5  # half of the time that the text took, during all of which the lock was held
    assert len(in_process(pool, task("good", FOREIGN))[2][1]) == 1


def test_a_text_that_takes_too_much_memory_fails(new_pool) -> None:
    with pytest.raises(ParseOutOfMemory, match=r"more memory than one file may use.*ingest\.memory_mb"):
        in_process(new_pool(memory=300 * MEGABYTE), task("eat", FOREIGN))


def test_a_defect_in_a_stage_is_reported_with_the_stage_and_logged_with_its_stack(new_pool, caplog) -> None:
    pool = new_pool()
    with pytest.raises(ParseFailed, match=r"'leases\.pdf' could not be taken in: splitter hostile failed \(KeyError\)"):
        in_process(pool, task("defect", FOREIGN))
    assert any("a defect" in record.__dict__.get("details", "") for record in caplog.records)
    assert len(in_process(pool, task("good", FOREIGN))[2][1]) == 1


class Waiting(FakeEmbedder):
    """A model that other people's questions keep waiting."""

    def embed_passages(self, texts: Sequence[str], on_batch: Any = None) -> Any:
        time.sleep(4.5)
        return super().embed_passages(texts, on_batch)


def test_waiting_for_the_model_is_not_time_that_a_text_takes(new_pool) -> None:
    assert in_process(new_pool(timeout_s=4), task(providers=SEMANTIC), Waiting())[2][1]


class Broken(FakeEmbedder):
    def embed_passages(self, texts: Sequence[str], on_batch: Any = None) -> Any:
        raise ConnectionError("the service is gone")


def test_a_model_that_fails_costs_this_text_alone(new_pool) -> None:
    pool = new_pool()
    with pytest.raises(ConnectionError, match="the service is gone"):
        in_process(pool, task(providers=SEMANTIC), Broken())
    assert in_process(pool, task())[2][1]
