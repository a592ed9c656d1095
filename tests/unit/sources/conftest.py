"""Sources over real stores, a real ingestion pipeline and real watchers; only the embedding model is a fake."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings
from ragd.config.secrets import AllowedSecrets
from ragd.core.jobs import IngestResult
from ragd.core.lazy import Lazy
from ragd.ingest.pipeline import IngestPipeline
from ragd.ingest.workers.pool import WorkerPool
from ragd.jobs.runner import JobRunner
from ragd.sources.handler import HandlerContext
from ragd.sources.queue import SyncQueue
from ragd.sources.service import SourceService, Status
from ragd.store.jobs import FINISHED, Job
from ragd.store.ledger import Ledger
from ragd.store.sources import Source, Sources

from ...light import LIGHT

SETTINGS = {
    **LIGHT,
    "ingest.workers": 1,
    "ocr.provider": "none",
    "watch.debounce_s": 0.1,
    "watch.poll_s": 0.1,
}


class Place:
    """One data directory with its sources, and one folder of documents."""

    def __init__(self, data: Path, folder: Path, readers: WorkerPool) -> None:
        data.mkdir()
        folder.mkdir()
        self.folder = folder
        settings = load_settings(data / "config", environment={}, explicit=SETTINGS)
        self.app = Application(settings, Directories(data, data / "models", data / "config"))
        self.app.parser = Lazy(lambda: readers, nullcontext())
        self.engine = self.app._engine
        self.collections = self.app.collections
        self.jobs = self.app.jobs
        self.writer = self.app.writer
        self.store = Sources(self.engine)
        self.before_run: Callable[[], None] = lambda: None
        self.runner = JobRunner(self.jobs, {"sync": self._sync, "cleanup": self._clean_up})
        self.service = self.new_service()

    def new_service(self) -> SourceService:
        """Another process, as far as sources can tell."""
        context = HandlerContext(
            settings=self.app.settings,
            avoid=(),
            sources=self.store,
            documents=self.writer,
            ledger=Ledger(self.engine),
            jobs=self.jobs,
            queue=SyncQueue(self.jobs),
            ingestion=self._ingestion,
            secrets=AllowedSecrets(("*",), ()),
        )
        return SourceService(context, self.collections)

    def _ingestion(self) -> IngestPipeline:
        self.before_run()
        return self.app.ingestion()

    def _sync(self, job: Job, report: Any) -> IngestResult:
        return self.service.run_sync(job, report)

    def _clean_up(self, job: Job, _report: Any) -> IngestResult:
        self.app.ingestion().clean_up(job.kb_id, job.payload["doc_ids"])
        return IngestResult()

    def write(self, name: str, text: str = "") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text or f"The text of {path.name} is its own.\n", encoding="utf-8")
        return path

    def add(self, **options: Any) -> Source:
        """Add the folder, and wait until it is read."""
        values = {"path": str(self.folder), **options.pop("config", {})}
        source = self.service.add("folder", values, **options)
        self.wait(self.status(source).job_id or "")
        return self.service.get(source.source_id)

    def sync(self, source: Source, **options: Any) -> Job:
        """Look at everything, and wait for it."""
        return self.wait(self.service.sync(source.source_id, **options).job_id)

    def wait(self, job_id: str) -> Job:
        end = time.monotonic() + 600
        while (job := self.jobs.get(job_id)).status not in FINISHED:
            assert time.monotonic() < end, f"the job did not end: {job}"
            self.runner.wait_for_change(0.1)
        return job

    def status(self, source: Source) -> Status:
        return self.service.status(self.service.get(source.source_id))

    def until(self, condition: Callable[[], Any], what: str) -> None:
        end = time.monotonic() + 600
        while not condition():
            assert time.monotonic() < end, f"waited in vain for {what}; there are {self.jobs.page(1, 5)}"
            self.runner.wait_for_change(0.02)

    def names(self, source: Source) -> list[str]:
        """What the documents of a source are called."""
        return [document.source for document in self.writer.of_source(source.source_id)]

    def results(self, source: Source) -> list[dict[str, Any]]:
        """What each finished job of a source did, the oldest first."""
        jobs = [job for job in self.jobs.page(1, 1000)[0] if job.kind == "sync" and job.payload["source_id"] == source.source_id]
        return [dict(job.result or {}) for job in reversed(jobs) if job.status == "completed"]

    def close(self) -> None:
        self.service.stop()
        self.runner.stop(30)
        # The processes that read are others', too.
        self.app.parser = Lazy(self.app._open_parser, nullcontext())
        self.app.close()


@pytest.fixture(scope="session")
def readers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkerPool]:
    """The processes that read files, started once: that takes longer than most of the tests."""
    folder = tmp_path_factory.mktemp("readers")
    settings = load_settings(folder, environment={}, explicit=SETTINGS)
    app = Application(settings, Directories(folder, folder, folder))
    yield app.parser()
    app.close()


@pytest.fixture
def place(tmp_path: Path, readers: WorkerPool) -> Iterator[Place]:
    opened = Place(tmp_path / "data", tmp_path / "docs", readers)
    opened.runner.start()
    yield opened
    opened.close()
