#!/usr/bin/env python3
"""kill -9 of a daemon at random moments: is every document fully there, or fully absent?

    .venv/bin/python scripts/bench/faults/kill_ingestion.py --kills 10 --documents 200
    .venv/bin/python scripts/bench/faults/kill_ingestion.py --mixed --kills 1000

Without `--mixed` a folder of mixed files is ingested. After each kill a copy of the data is looked at as the kill left it, and
again once a start has mended it; then the daemon itself goes on. When the job ends before the last kill, everything is ingested
once more by force. At the end all stores must agree.

With `--mixed` a folder is followed as a source; its files are added, changed, moved and removed, while others are uploaded,
uploaded again and deleted, and the indexes are made anew. A fifth of the kills come while the daemon starts. Every
`--check-every` kills, and at the end, a copy is looked at as above, and all that a 2xx acknowledged must be so; what was under
way when the daemon was killed may be either. It ends after `--kills` or `--minutes`, whichever comes first; runs with different
seeds add up.

The indexes are those of the default settings, token vectors among them; the vectors are the fake embedder's. The exit code is 1
when anything disagrees.
Linux and macOS only: the daemons are forked from one process that has imported everything.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import httpx2
from _daemons import SETTINGS, Daemon, Disagreement, examine, expect, warnings
from _mixed_work import Work, ended

FOLDER_OF_BENCHMARKS = str(Path(__file__).resolve().parents[1])
LONGEST_PAUSE_S: Final = 1.0
KILLED_AT_START: Final = 0.2
LONGEST_START_S: Final = 0.4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--mixed", action="store_true", help="add, change, move, delete, upload, sync and reindex instead")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="the longest that --mixed goes on killing")
    parser.add_argument("--check-every", type=int, default=40, metavar="KILLS", help="how often --mixed compares everything")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    print(f"machine: {os.cpu_count()} cores; seed {options.seed}", flush=True)
    os.environ.update(SETTINGS)
    rng = random.Random(options.seed)
    root = Path(tempfile.mkdtemp(prefix="rag-bench-"))
    try:
        if options.mixed:
            run_mixed(root, options.kills, time.monotonic() + options.minutes * 60, options.check_every, rng)
        else:
            run(root, options.documents, options.kills, rng)
    except Disagreement as found:
        sys.exit(f"DISAGREEMENT, left as it is in {root}: {found}")
    shutil.rmtree(root)


def run(root: Path, wanted: int, kills: int, rng: random.Random) -> None:
    sys.path.insert(0, FOLDER_OF_BENCHMARKS)
    from ingest_query import ingest
    from mixed_files import write_files

    folder = root / "documents"
    count = write_files(folder, wanted, rng)
    daemon = Daemon.start(root / "undisturbed")
    with daemon.client() as client:
        began = time.perf_counter()
        job = ingest(client, folder)
        whole = time.perf_counter() - began
    daemon.end()
    print(
        f"{count} documents, {job['result']['chunks']} chunks; an ingestion that nobody disturbs takes {whole:.1f} s", flush=True
    )
    data = root / "data"
    daemon = Daemon.start(data)
    client = daemon.client()
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
        client.close()
        daemon.kill()
        ready = examine(data, root / "copy", before)
        daemon = Daemon.start(data)
        client = daemon.client()
        print(f"kill {number:2} after {delay:4.1f} s ({moment}): {before} ready before, {ready} after", flush=True)
        before = ready
    job = ended(client, job_id)
    client.close()
    daemon.end()
    expect(job["status"] == "completed" and not job["result"]["failed"], f"the job ended so: {job}")
    ready = examine(data, root / "copy", count)
    expect(ready == count, f"{ready} of {count} documents are there")
    print(f"at the end: {ready} documents of {count}, and all stores agree")


def post(client: httpx2.Client, folder: Path, *, force: bool = False) -> str:
    answer = client.post("/api/ingest", json={"paths": [str(folder)], "force": force}).raise_for_status()
    return str(answer.json()["job_id"])


def run_mixed(root: Path, kills: int, until: float, check_every: int, rng: random.Random) -> None:
    folder, data = root / "documents", root / "data"
    folder.mkdir()
    work = Work(folder, rng)
    daemon = Daemon.start(data)
    with daemon.client() as client:
        source = {"type": "folder", "name": "followed", "config": {"path": str(folder)}}
        source_id = str(client.post("/api/sources", json=source).raise_for_status().json()["id"])
    number = at_start = 0
    while number < kills and time.monotonic() < until:
        number += 1
        if rng.random() < KILLED_AT_START:
            at_start += 1
            time.sleep(rng.uniform(0, LONGEST_START_S))  # the moment is random, not a condition
            daemon.kill()
        else:
            with daemon.client() as client:
                work_until_killed(daemon, client, work, source_id)
        if number % check_every == 0:
            examine(data, root / "copy", 0, mixed=True)
        daemon = Daemon.start(data)
        if number % check_every == 0:
            with daemon.client() as client:
                work.check(client, source_id)
            print(f"kill {number}, {at_start} at a start: {dict(sorted(work.done.items()))}", flush=True)
    with daemon.client() as client:
        work.check(client, source_id)
    daemon.end()
    examine(data, root / "copy", 0, mixed=True)
    kept = sorted(path.name for path in (data / "uploads").rglob("*") if path.is_file())
    there = sorted(name for name in work.uploads if name in kept)
    expect(kept == there, f"files are left in uploads/: {set(kept) - set(there)}")
    recoveries = Counter(line.partition(" (")[0] for line in warnings(data) if line.startswith("warning: "))
    print(f"what starts had to mend: {dict(recoveries.most_common())}")
    print(f"acknowledged: {dict(sorted(work.acknowledged.items()))}; refused: {dict(sorted(work.refused.items()))}")
    print(
        f"after {number} kills ({at_start} while the daemon started) and {sum(work.done.values())} operations: "
        "nothing acknowledged is lost, and all stores agree"
    )


def work_until_killed(daemon: Daemon, client: httpx2.Client, work: Work, source_id: str) -> None:
    stop = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        busy = pool.submit(work.go_on, client, source_id, stop)
        time.sleep(work.rng.uniform(0.05, LONGEST_PAUSE_S))  # the moment is random, not a condition
        daemon.kill()
        stop.set()  # else it goes on until it next asks the daemon
        busy.result()


if __name__ == "__main__":
    main()
