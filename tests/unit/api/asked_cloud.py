"""A cloud source behind the REST interface, as people with different rights ask for what it holds."""

from __future__ import annotations

import base64
import io
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from PIL import Image
from starlette.testclient import TestClient

from ragd.api.application import create_api
from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings
from ragd.store.jobs import FINISHED

from ..sources.fake_cloud import FakeSite, install

READER: Final = "reader-secret"
OTHER: Final = "other-secret"
HEADER: Final = "X-RAG-Source-Token"

QUICK: Final = {
    "embedding.provider": "fake",
    "dense.backend": "exact",
    "sparse.backend": "fts5",
    "sparse.analyzer": "bigram",
    "rerank.provider": "none",
    "ocr.provider": "none",
    "ingest.workers": 1,
    "sync.schedule": "off",
}

SECRET_TITLE: Final = "Merger Falkenstein 合併計画"
SECRET_FILE: Final = "falkenstein-offer.txt"
MARKERS: Final = ("Falkenstein", "合併計画", "zebrafish", "極秘数値", "falkenstein-offer", "quokka")


def picture() -> str:
    """A picture as a data address, large enough to be kept."""
    image = Image.effect_noise((240, 160), 80).convert("RGB")
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"


@dataclass
class Cloud:
    """One source `wiki` of a site that has an open page, and a restricted one with a file and a picture."""

    client: TestClient
    app: Application
    site: FakeSite
    open_page: str
    secret_page: str
    secret_file: str
    source_id: str = ""

    def add(self, **options: Any) -> None:
        body = {"type": "fake", "config": self.site.config, "name": "wiki", **options}
        answer = self.client.post("/api/sources", json=body)
        assert answer.status_code == 201, answer.text
        self.source_id = answer.json()["id"]
        self.finish(answer.json()["job_id"])
        assert self.app.sources.ledger.counts(self.source_id) == {"indexed": 3}
        self.site.asked.clear()

    def remove(self) -> None:
        assert self.client.delete(f"/api/sources/{self.source_id}").status_code == 204

    def sync(self) -> None:
        self.finish(self.client.post(f"/api/sources/{self.source_id}/sync").json()["job_id"])

    def finish(self, job_id: str) -> None:
        """Wait until a job has ended."""
        end = time.monotonic() + 600
        while (job := self.app.jobs.get(job_id)).status not in FINISHED:
            assert time.monotonic() < end, f"the job did not end: {job}"
            self.app.runner.wait_for_change(0.1)

    def headers(self, token: str | None) -> dict[str, str]:
        return {HEADER: f"{self.source_id}={token}"} if token else {}

    def ask(self, query: str, token: str | None = READER, **more: Any) -> dict[str, Any]:
        answer = self.client.post("/api/query", json={"query": query, **more}, headers=self.headers(token))
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def live(self, answer: Mapping[str, Any]) -> dict[str, int]:
        """What became of passages, without what is zero."""
        return {name: count for name, count in (answer["effective"].get("live") or {}).items() if count}

    def about(self, answer: Mapping[str, Any], item_id: str) -> list[dict[str, Any]]:
        """The results of one item."""
        return [result for result in answer["results"] if result["source_uri"].endswith(item_id)]

    def documents(self) -> dict[str, str]:
        """Item id -> document id."""
        items = self.app.sources.ledger.items(self.source_id).values()
        return {item.item_id: item.doc_id for item in items if item.doc_id}


@contextmanager
def opened(folder: Path, **changes: Any) -> Iterator[tuple[TestClient, Application]]:
    """An app behind the REST interface, for the tests of a module: its process that reads files starts once."""
    settings = load_settings(folder / "config", environment={}, explicit=QUICK | changes)
    app = Application(settings, Directories(folder / "data", folder / "models", folder / "config"))
    app.runner.start()
    headers = {"Authorization": "Bearer a-token-for-tests"}
    with TestClient(create_api(app, token="a-token-for-tests"), base_url="http://127.0.0.1:8765", headers=headers) as client:
        yield client, app
    app.close()


@contextmanager
def cloud_in(client: TestClient, app: Application, **options: Any) -> Iterator[Cloud]:
    """A site of its own and a source of it, for one test; `options` are the source's."""
    with pytest.MonkeyPatch.context() as patched:
        cloud = _over(client, app, patched)
        cloud.add(**options)
        yield cloud
        cloud.site.before = lambda _method, _ids: None
        cloud.remove()


def _over(client: TestClient, app: Application, monkeypatch: pytest.MonkeyPatch) -> Cloud:
    site = FakeSite(base_url=f"https://wiki-{uuid.uuid4().hex}.example.com")
    site.people[OTHER] = "Somebody Else"
    open_page = site.add("Canteen 食堂", "The canteen opens at noon. 食堂は正午に開く。")
    text = f"The zebrafish budget is 極秘数値 forty.\n\n## Falkenstein schedule\n\nSigning is in May.\n\n![quokka]({picture()})"
    secret = site.add(SECRET_TITLE, text)
    file = site.add(SECRET_FILE, "The zebrafish offer, with quokka figures 極秘数値.", owner=secret)
    site.forbid(secret, OTHER)
    install(monkeypatch, site)
    return Cloud(client, app, site, open_page, secret, file)
