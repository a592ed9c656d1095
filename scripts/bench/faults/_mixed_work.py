"""Mixed work on one data directory, one operation after the other, and what of it was acknowledged."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx2
from _daemons import expect

_NAMES: Final = 12
_WEIGHTS: Final = (2, 1, 1, 2, 1, 1, 0.2)
_PAUSE_S: Final = 0.02
_PAGE: Final = 100


@dataclass
class Work:
    """What was asked, and what may therefore be there: for each upload its possible texts, None for no document.

    Half of the uploads have a name of their own, which nothing but `check` touches again: no later upload hides that one is lost.
    """

    folder: Path
    rng: random.Random
    uploads: dict[str, set[str | None]] = field(default_factory=dict)
    done: Counter[str] = field(default_factory=Counter)
    acknowledged: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    number: int = 0

    def go_on(self, client: httpx2.Client, source_id: str, stop: threading.Event) -> None:
        """One operation after the other until the daemon is gone."""
        steps = (self.write, self.move, self.remove, self.upload, self.delete, self.sync, self.reindex)
        while not stop.is_set():
            (step,) = self.rng.choices(steps, _WEIGHTS)
            try:
                step(client, source_id)
            except httpx2.TransportError:
                return
            self.done[step.__name__] += 1
            time.sleep(_PAUSE_S)

    def _answered(self, what: str, answer: httpx2.Response, status: int) -> bool:
        """Whether it was acknowledged with this status. Raises `Disagreement` for a 5xx other than "busy"."""
        if answer.status_code == status:
            self.acknowledged[what] += 1
            return True
        self.refused[f"{what} {answer.status_code}"] += 1
        expect(answer.status_code < 500 or answer.status_code == 503, f"{what} was answered {answer.status_code}: {answer.text}")
        return False

    def text(self) -> str:
        self.number += 1
        return f"# Note {self.number}\n\nThe value of note{self.number} is set here.\n"

    def name(self) -> str:
        return f"{self.rng.randrange(_NAMES):02}.md"

    def write(self, _client: httpx2.Client, _source_id: str) -> None:
        path = self.folder / self.name()
        staged = path.with_suffix(".part")
        staged.write_text(self.text(), encoding="utf-8")
        staged.replace(path)

    def move(self, _client: httpx2.Client, _source_id: str) -> None:
        if (path := self.folder / self.name()).exists():
            path.replace(self.folder / f"moved-{path.name}")

    def remove(self, _client: httpx2.Client, _source_id: str) -> None:
        (self.folder / f"moved-{self.name()}").unlink(missing_ok=True)

    def upload(self, client: httpx2.Client, _source_id: str) -> None:
        text = self.text()
        name = f"up-{self.name()}" if self.rng.random() < 0.5 else f"up-once-{self.number}.md"
        # Until it is acknowledged it may come or not.
        self.uploads.setdefault(name, {None}).add(text)
        if self._answered("upload", client.post("/api/ingest", files={"files": (name, text.encode())}), 202):
            self.uploads[name] = {text}

    def delete(self, client: httpx2.Client, _source_id: str) -> None:
        name = f"up-{self.name()}"
        rows = [row for row in listed(client) if row["source"] == name]
        if rows:
            self._delete(client, name, rows[0]["id"])

    def _delete(self, client: httpx2.Client, name: str, doc_id: str) -> None:
        self.uploads[name].add(None)
        if self._answered("delete", client.delete(f"/api/documents/{doc_id}"), 204):
            self.uploads[name] = {None}

    def sync(self, client: httpx2.Client, source_id: str) -> None:
        self._answered("sync", client.post(f"/api/sources/{source_id}/sync", json={}), 202)

    def reindex(self, client: httpx2.Client, _source_id: str) -> None:
        self._answered("reindex", client.post("/api/reindex", json={}), 202)

    def check(self, client: httpx2.Client, source_id: str) -> None:
        """Everything that waits is done, and then there is what was acknowledged, and nothing else."""
        while any(_waiting(client, status) for status in ("queued", "running")):
            time.sleep(0.1)
        job = ended(client, client.post(f"/api/sources/{source_id}/sync", json={}).raise_for_status().json()["job_id"])
        expect(job["status"] == "completed" and not job["result"]["failed"], f"the sync ended so: {job}")
        rows = {row["source"]: row["id"] for row in listed(client)}
        found = {name: _content(client, doc_id) for name, doc_id in rows.items()}
        files = {path.name: path.read_text(encoding="utf-8").strip() for path in self.folder.glob("*.md")}
        followed = {name: text for name, text in found.items() if not name.startswith("up-")}
        expect(followed == files, f"the folder and its documents differ: {sorted(followed.items() ^ files.items())}")
        unknown = {name for name in found if name.startswith("up-")} - self.uploads.keys()
        expect(not unknown, f"deleted documents are there: {sorted(unknown)}")
        for name, texts in self.uploads.items():
            allowed = {None if text is None else text.strip() for text in texts}
            expect(found.get(name) in allowed, f"{name} is {found.get(name)!r}; acknowledged: {allowed}")
        for name in [name for name in self.uploads if name.startswith("up-once-")]:
            if name in rows:
                self._delete(client, name, rows[name])
                expect(self.uploads[name] == {None}, f"{name} can't be deleted")
            # From here on the document is unknown, and found if it comes back.
            del self.uploads[name]


def listed(client: httpx2.Client) -> list[dict[str, Any]]:
    """All documents."""
    rows: list[dict[str, Any]] = []
    page = 1
    while True:
        answer = client.get("/api/documents", params={"page": page, "page_size": _PAGE}).raise_for_status().json()
        rows += answer["items"]
        if page * _PAGE >= answer["total"]:
            return rows
        page += 1


def _waiting(client: httpx2.Client, status: str) -> int:
    return int(client.get("/api/jobs", params={"status": status}).raise_for_status().json()["total"])


def ended(client: httpx2.Client, job_id: str) -> dict[str, Any]:
    while True:
        job: dict[str, Any] = client.get(f"/api/jobs/{job_id}").raise_for_status().json()
        if job["status"] not in {"queued", "running"}:
            return job
        time.sleep(0.05)


def _content(client: httpx2.Client, doc_id: str) -> str:
    return str(client.get(f"/api/documents/{doc_id}/content").raise_for_status().json()["markdown"]).strip()
