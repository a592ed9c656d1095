"""The whole app over the double of Confluence and Jira: real stores, real sockets, real loaders; only the embedding is a fake."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings
from ragd.store.jobs import FINISHED, Job
from ragd.store.ledger import Cycle, Ledger
from ragd.store.sources import Source

from ..atlassian_server import Served, World, serve

LIGHT = {
    "embedding.provider": "fake",
    "dense.backend": "exact",
    "sparse.backend": "fts5",
    "sparse.analyzer": "bigram",
    "rerank.provider": "none",
    "ingest.workers": 1,
    "security.allowed_hosts": ["127.0.0.1", "localhost"],
    "security.secret_names": ["*"],
    "ocr.provider": "none",
    # A throttled reading makes way at once instead of holding up a test.
    "sync.longest_wait_s": 8.0,
    "sync.timeout_s": 5.0,
    "sync.schedule": "off",
    "sync.requests_per_minute": 60_000,
}

FACES = ("confluence_cloud", "confluence_dc", "jira_cloud", "jira_dc")


@dataclass
class Cloud:
    """One app, and one face of the double that it has a source of."""

    app: Application
    world: World
    served: Served
    face: str
    token: str

    @property
    def product(self) -> str:
        return self.face.partition("_")[0]

    @property
    def deployment(self) -> str:
        return "cloud" if self.face.endswith("cloud") else "data_center"

    @property
    def is_confluence(self) -> bool:
        return self.product == "confluence"

    @property
    def ledger(self) -> Ledger:
        return self.app.sources.ledger

    def config(self, **more: Any) -> dict[str, Any]:
        kind = "api_token" if self.deployment == "cloud" else "pat"
        email = {"email": "indexer@example.com"} if kind == "api_token" else {}
        auth = {"kind": kind, "token": "request", **email}
        return {"base_url": getattr(self.served, self.face), "deployment": self.deployment, "auth": auth, **more}

    def add(self, **options: Any) -> Source:
        """Add the source, and wait until it was read."""
        config = self.config(**options.pop("config", {}))
        source = self.app.sources.add(self.product, config, token=self.token, **options)
        self.wait(self.app.sources.status(source).job_id or "")
        return self.app.sources.get(source.source_id)

    def remove(self, source: Source) -> None:
        """Remove the source and its documents, and wait until all of it is gone."""
        self.app.sources.remove(source.source_id, "delete")
        while self.app.jobs.unfinished():
            self.app.runner.wait_for_change(0.1)

    def sync(self, source: Source, **options: Any) -> Job:
        """Read the source again, and wait for it."""
        return self.wait(self.app.sources.sync(source.source_id, token=self.token, **options).job_id)

    def wait(self, job_id: str, seconds: float = 600.0) -> Job:
        end = time.monotonic() + seconds
        while (job := self.app.jobs.get(job_id)).status not in FINISHED:
            assert time.monotonic() < end, f"the job did not end: {job}"
            self.app.runner.wait_for_change(0.1)
        return job

    def last(self, source: Source) -> Cycle:
        return self.ledger.cycles(source.source_id)[0]

    def remote_items(self) -> int:
        """How many items the token of the source can see: pages or issues, and what is attached to them."""
        owners: list[Any] = (
            self.world.readable_pages(self.token) if self.is_confluence else self.world.readable_issues(self.token)
        )
        return len(owners) + len(self.world.attachments_of(owners))

    def sources_of(self, source: Source) -> list[str]:
        return [document.source for document in self.app.sources._documents.of_source(source.source_id)]

    def check_accounted(self, source: Source) -> Cycle:
        """Every item of the remote side is indexed, or left out with a reason."""
        cycle = self.last(source)
        assert cycle.phase == "done", cycle
        assert cycle.remote == cycle.indexed + cycle.skipped == self.remote_items(), cycle
        assert cycle.complete, cycle
        for item in self.ledger.items(source.source_id, "skipped").values():
            assert item.reason, item
            assert item.message, item
        return cycle


Opened = Callable[..., Cloud]


@pytest.fixture
def open_cloud(tmp_path: Path, migrated: Path) -> Iterator[Opened]:
    """Opens an app and a double: `open_cloud("jira_cloud", pages=…, issues=…, settings={…})`."""
    with ExitStack() as stack:

        def open_it(face: str, *, settings: dict[str, Any] | None = None, **size: int) -> Cloud:
            world = World(**{"seed": 7, "spaces": 2, "pages": 30, "projects": 2, "issues": 24, **size})
            token = world.token("indexer", kind="api_token" if face.endswith("cloud") else "pat")
            world.grant(token, "space:*", "project:*")
            served = stack.enter_context(serve(world))
            loaded = load_settings(tmp_path, environment={}, explicit=LIGHT | (settings or {}))
            (tmp_path / "data").mkdir(mode=0o700)
            shutil.copy(migrated, tmp_path / "data")
            app = Application(loaded, Directories(tmp_path / "data", tmp_path / "models", tmp_path))
            stack.callback(app.close)
            app.runner.start()
            return Cloud(app, world, served, face, token)

        yield open_it
