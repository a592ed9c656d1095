#!/usr/bin/env python3
"""kill -9 of a daemon at random moments of an ingestion of mixed files: is every document fully there, or fully absent?

    .venv/bin/python scripts/bench/kill_ingestion.py --kills 10 --documents 200

After each kill a copy of the data is looked at as the kill left it, and again once a start has mended it; then the daemon itself
goes on. When the job ends before the last kill, everything is ingested once more by force. At the end all stores must agree.
The indexes are those of the default settings, the vectors are the fake embedder's. The exit code is 1 when anything disagrees.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx2
import psutil
from ingest_query import ingest, start_daemon
from mixed_files import write_files
from sqlalchemy import func, select

from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings
from ragd.store.database.engine import open_engine
from ragd.store.database.schema import assets, documents, versions

SETTINGS = {"RAG_EMBEDDING__PROVIDER": "fake", "RAG_OCR__PROVIDER": "none", "RAG_SPARSE__ANALYZER": "bigram"}
END_OF_WORKERS_S = 10.0


class Disagreement(Exception):
    """Something is half there, or gone."""


def expect(condition: bool, what: str) -> None:
    if not condition:
        raise Disagreement(what)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    print(f"machine: {os.cpu_count()} cores; seed {options.seed}")
    os.environ.update(SETTINGS)
    with tempfile.TemporaryDirectory(prefix="rag-bench-") as root:
        try:
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


def examine(data: Path, copy: Path, before: int) -> int:
    """How many documents are ready. Raises `Disagreement` when one is half there, or fewer are than `before`."""
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
    expect(set(statuses) <= {"ready"}, f"documents by status: {statuses}")
    expect({name.partition(".")[0] for name in files} == rows and len(files) == 2 * len(rows), "pictures' files and rows differ")
    expect(ready >= before, f"{before} documents were served before, {ready} after")
    expect(report["collections"][0]["documents"] == ready, f"{ready} documents are ready, the report counts {report}")
    return ready


if __name__ == "__main__":
    main()
