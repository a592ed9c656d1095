#!/usr/bin/env python3
"""kill -9 of a daemon at random moments of an ingestion of mixed files: is every document fully there, or fully absent?

    .venv/bin/python scripts/bench/kill_ingestion.py --kills 10 --documents 200

After each kill a copy of the data is looked at as the kill left it, and again once a start has mended it; then the daemon itself
goes on. When the job ends before the last kill, everything is ingested once more by force. At the end all stores must agree.
With `--mixed` a folder is followed as a source; its files are added, changed, moved and removed, while others are uploaded,
uploaded again and deleted, and the indexes are made anew. What a 2xx acknowledged must be so at the end; what was under way when
the daemon was killed may be either. The indexes are those of the default settings, the vectors are the fake embedder's. The exit
code is 1 when anything disagrees.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx2
import psutil
from ingest_query import ingest, start_daemon
from mixed_files import write_files
from sqlalchemy import func, select

from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings
from ragd.store.database.engine import open_engine
from ragd.store.database.schema import assets, documents, versions

SETTINGS = {
    "RAG_LIMITS__MAX_QUEUED_JOBS": "1000",
    "RAG_EMBEDDING__PROVIDER": "fake",
    "RAG_OCR__PROVIDER": "none",
    "RAG_SPARSE__ANALYZER": "bigram",
}
END_OF_WORKERS_S = 10.0
NAMES: Final = 12
_PAUSE_S: Final = 0.05


class Disagreement(Exception):
    """Something is half there, or gone."""


def expect(condition: bool, what: str) -> None:
    if not condition:
        raise Disagreement(what)


@dataclass
class Work:
    """What was asked of one data directory, and what may therefore be there: for each upload its possible texts."""

    folder: Path
    rng: random.Random
    uploads: dict[str, set[str | None]] = field(default_factory=dict)
    done: dict[str, int] = field(default_factory=dict)
    number: int = 0

    def go_on(self, client: httpx2.Client, source_id: str, stop: threading.Event) -> None:
        """One operation after the other until the daemon is gone."""
        steps = (self.write, self.write, self.move, self.remove, self.upload, self.upload, self.delete, self.sync, self.reindex)
        while not stop.is_set():
            step = self.rng.choice(steps)
            try:
                step(client, source_id)
            except httpx2.TransportError:
                return
            self.done[step.__name__] = self.done.get(step.__name__, 0) + 1
            time.sleep(_PAUSE_S)

    def text(self) -> str:
        self.number += 1
        return f"# Note {self.number}\n\nThe value of note{self.number} is set here.\n"

    def name(self) -> str:
        return f"{self.rng.randrange(NAMES):02}.md"

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
        name, text = f"up-{self.name()}", self.text()
        # Until it is acknowledged it may come or not.
        before = self.uploads.setdefault(name, {None})
        before.add(text)
        if client.post("/api/ingest", files={"files": (name, text.encode())}).status_code == 202:
            self.uploads[name] = {text}

    def delete(self, client: httpx2.Client, _source_id: str) -> None:
        name = f"up-{self.name()}"
        rows = [row for row in listed(client) if row["source"] == name]
        if not rows:
            return
        self.uploads[name].add(None)
        if client.delete(f"/api/documents/{rows[0]['id']}").status_code == 204:
            self.uploads[name] = {None}

    def sync(self, client: httpx2.Client, source_id: str) -> None:
        client.post(f"/api/sources/{source_id}/sync", json={})

    def reindex(self, client: httpx2.Client, _source_id: str) -> None:
        if self.rng.random() < 0.1:
            client.post("/api/reindex", json={})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--mixed", action="store_true", help="add, change, move, delete, upload, sync and reindex instead")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    print(f"machine: {os.cpu_count()} cores; seed {options.seed}")
    os.environ.update(SETTINGS)
    with tempfile.TemporaryDirectory(prefix="rag-bench-") as root:
        try:
            if options.mixed:
                run_mixed(Path(root), options.kills, random.Random(options.seed))
            else:
                run(Path(root), options.documents, options.kills, random.Random(options.seed))
        except Disagreement as found:
            sys.exit(f"DISAGREEMENT: {found}")


def run(root: Path, wanted: int, kills: int, rng: random.Random) -> None:
    folder = root / "documents"
    count = write_files(folder, wanted, rng)
    process, client = start(root / "undisturbed")
    began = time.perf_counter()
    job = ingest(client, folder)
    whole = time.perf_counter() - began
    end(process, client)
    print(
        f"{count} documents, {job['result']['chunks']} chunks; an ingestion that nobody disturbs takes {whole:.1f} s", flush=True
    )
    data = root / "data"
    process, client = start(data)
    job_id = post(client, folder)
    before = 0
    for number in range(1, kills + 1):
        delay = rng.uniform(0, whole / 2)
        time.sleep(delay)  # the moment is random, not a condition
        job = client.get(f"/api/jobs/{job_id}").raise_for_status().json()
        if job["status"] not in {"queued", "running"}:
            job_id = post(client, folder, force=True)
            time.sleep(delay)
            job = client.get(f"/api/jobs/{job_id}").raise_for_status().json()
        moment = f"{job['status']}, {job['progress']['stage']} {job['progress']['done']}" if job["progress"] else job["status"]
        kill(process, client)
        ready = examine(data, root / "copy", before)
        began = time.perf_counter()
        process, client = start(data)
        up = time.perf_counter() - began
        print(
            f"kill {number:2} after {delay:4.1f} s ({moment}): {before} ready before, {ready} after; up in {up:.1f} s", flush=True
        )
        before = ready
    job = ended(client, job_id)
    end(process, client)
    expect(job["status"] == "completed" and not job["result"]["failed"], f"the job ended so: {job}")
    ready = examine(data, root / "copy", count)
    expect(ready == count, f"{ready} of {count} documents are there")
    print(f"at the end: {ready} documents of {count}, and all stores agree")


def start(data: Path) -> tuple[subprocess.Popen[bytes], httpx2.Client]:
    os.environ["RAG_DATA_DIR"] = str(data)
    process, info = start_daemon(data)
    token = {"Authorization": f"Bearer {info['token']}"}
    return process, httpx2.Client(base_url=info["url"], headers=token, timeout=120, trust_env=False)


def end(process: subprocess.Popen[bytes], client: httpx2.Client) -> None:
    client.close()
    process.terminate()
    process.wait(60)


def post(client: httpx2.Client, folder: Path, *, force: bool = False) -> str:
    answer = client.post("/api/ingest", json={"paths": [str(folder)], "force": force}).raise_for_status()
    return str(answer.json()["job_id"])


def ended(client: httpx2.Client, job_id: str) -> dict[str, Any]:
    while True:
        job: dict[str, Any] = client.get(f"/api/jobs/{job_id}").raise_for_status().json()
        if job["status"] not in {"queued", "running"}:
            return job
        time.sleep(0.05)


def kill(process: subprocess.Popen[bytes], client: httpx2.Client) -> None:
    """kill -9; the processes that read files must end by themselves."""
    workers = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.wait()
    client.close()
    limit = time.monotonic() + END_OF_WORKERS_S
    while left := [worker.pid for worker in workers if worker.is_running() and worker.status() != psutil.STATUS_ZOMBIE]:
        expect(time.monotonic() < limit, f"reading processes are left: {left}")
        time.sleep(0.1)


def examine(data: Path, copy: Path, before: int, *, mixed: bool = False) -> int:
    """How many documents are ready. Raises `Disagreement` when one is half there, or fewer are than `before`.

    In `mixed` work documents are deleted, too.
    """
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(data, copy)
    app = Application(load_settings(), Directories(copy, Directories.default().models, Directories.default().config))
    try:
        found = app.reconciler.verify()["collections"][0]
        for what in ("damaged_facts", "missing_from_views", "missing_vectors", "outdated_profile"):
            expect(not found[what]["count"], f"as the kill left it: {what}: {found[what]}")
        expect(app.reconciler.reconcile() is None, "documents that were ready have to be rebuilt")
        report = app.reconciler.verify()
        expect(report["ok"], f"once mended: {report}")
    finally:
        app.close()
    engine = open_engine("", copy)
    with engine.connect() as connection:
        by_status = select(documents.c.status, func.count().label("total")).group_by(documents.c.status)
        statuses: dict[str, int] = {row.status: row.total for row in connection.execute(by_status)}
        pending = connection.scalar(select(func.count()).where(versions.c.status == "pending"))
        rows = set(connection.scalars(select(assets.c.asset_id)))
    engine.dispose()
    files = {path.name for path in (copy / "assets").glob("*/*")}
    ready: int = statuses.get("ready", 0)
    expect(not pending, f"{pending} versions are pending")
    expect(set(statuses) <= ({"ready", "deleted"} if mixed else {"ready"}), f"documents by status: {statuses}")
    expect({name.partition(".")[0] for name in files} == rows and len(files) == 2 * len(rows), "pictures' files and rows differ")
    expect(ready >= before, f"{before} documents were served before, {ready} after")
    expect(report["collections"][0]["documents"] == ready, f"{ready} documents are ready, the report counts {report}")
    return ready


def run_mixed(root: Path, kills: int, rng: random.Random) -> None:
    folder, data = root / "documents", root / "data"
    folder.mkdir()
    work = Work(folder, rng)
    process, client = start(data)
    source = {"type": "folder", "name": "followed", "config": {"path": str(folder)}}
    source_id = str(client.post("/api/sources", json=source).raise_for_status().json()["id"])
    for number in range(1, kills + 1):
        stop = threading.Event()
        busy = threading.Thread(target=work.go_on, args=(client, source_id, stop))
        busy.start()
        time.sleep(rng.uniform(0.2, 3.0))  # the moment is random, not a condition
        end_work(process, client, busy, stop)
        if number % 10 == 0:
            print(f"kill {number}: {dict(sorted(work.done.items()))}", flush=True)
        process, client = start(data)
    try:
        check(client, work, source_id)
    finally:
        end(process, client)
    examine(data, root / "copy", 0, mixed=True)
    kept = sorted(path.name for path in (data / "uploads").rglob("*") if path.is_file())
    there = sorted(name for name in work.uploads if name in kept)
    expect(kept == there, f"files are left in uploads/: {set(kept) - set(there)}")
    print(f"after {kills} kills and {sum(work.done.values())} operations: nothing acknowledged is lost, and all stores agree")


def end_work(process: subprocess.Popen[bytes], client: httpx2.Client, busy: threading.Thread, stop: threading.Event) -> None:
    stop_soon = threading.Timer(0.5, stop.set)
    stop_soon.start()
    process.kill()
    busy.join()
    stop_soon.cancel()
    kill(process, client)


def check(client: httpx2.Client, work: Work, source_id: str) -> None:
    """Everything that waits is done, and then there is what was acknowledged."""
    while any(waiting(client, status) for status in ("queued", "running")):
        time.sleep(0.2)
    job = ended(client, client.post(f"/api/sources/{source_id}/sync", json={}).raise_for_status().json()["job_id"])
    expect(job["status"] == "completed" and not job["result"]["failed"], f"the last sync ended so: {job}")
    found = {
        row["source"]: client.get(f"/api/documents/{row['id']}/content").json()["markdown"].strip() for row in listed(client)
    }
    files = {path.name: path.read_text(encoding="utf-8").strip() for path in work.folder.glob("*.md")}
    followed = {name: text for name, text in found.items() if not name.startswith("up-")}
    expect(followed == files, f"the folder and its documents differ: {sorted(followed.items() ^ files.items())}")
    for name, texts in work.uploads.items():
        allowed = {None if text is None else text.strip() for text in texts}
        expect(found.get(name) in allowed, f"{name} is {found.get(name)!r}; acknowledged: {allowed}")


def waiting(client: httpx2.Client, status: str) -> int:
    return int(client.get("/api/jobs", params={"status": status}).raise_for_status().json()["total"])


def content(client: httpx2.Client, doc_id: str) -> str:
    return str(client.get(f"/api/documents/{doc_id}/content").raise_for_status().json()["markdown"]).strip()


def listed(client: httpx2.Client) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = client.get("/api/documents", params={"page_size": 100}).raise_for_status().json()["items"]
    return rows


if __name__ == "__main__":
    main()
