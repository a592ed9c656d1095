#!/usr/bin/env python3
"""Thousands of damaged files: is each of them accounted for?

    .venv/bin/python scripts/bench/faults/mutants.py --files 2000 [--seed 7] [--folder DIR ...]

Takes the samples, the files of the tests and small generated ones, damages them (cut off, bits flipped, blocks swapped, doubled
or missing, zeros and control characters inserted, numbers changed, other encodings, parts of archives damaged, wrong extensions)
and has a daemon of its own ingest them. Every file must be indexed with text, indexed without any and with a note that says so,
or be named as left out or failed with a code that says why. The exit code is 1 when one is missing, when reading one ended by a
time-out, by too much memory or by a crash, and when a reason is no more than that a loader failed. Pictures are not recognised,
vectors are the fake embedder's. `--folder` adds files of yours.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import httpx2
from _daemons import Daemon, expect
from _mixed_work import ended, listed
from _mutations import mutant

from ragd.core.errors import ParseFailed, ParseInterrupted, ParseOutOfMemory, ParseTimeout, RagError
from ragd.formats.registry import format_specs, loader_name_for

ROOT: Final = Path(__file__).resolve().parents[3]
FOLDERS: Final = (ROOT / "data" / "samples", ROOT / "tests" / "data")
LARGEST: Final = 600_000
# Codes that say no more than that something went wrong.
UNNAMED: Final = {kind.code for kind in (RagError, ParseFailed, ParseTimeout, ParseOutOfMemory, ParseInterrupted)}
# What Python and libraries say of themselves is no reason for a person.
RAW: Final = re.compile(
    r"Traceback|\b\w+(Error|Exception|Warning)\b|object (has no|is not)|NoneType|not subscriptable|codec can't|out of range|"
    r"0x[0-9a-f]{4}|line \d+, column|invalid literal|unpack requires"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--folder", type=Path, action="append", default=[], help="more files to damage")
    parser.add_argument("--keep", type=Path, help="a folder for the files that are not accounted for")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    originals = sound_files([*FOLDERS, *options.folder], rng)
    print(f"{len(originals)} files of {len({Path(name).suffix for name in originals})} kinds; seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="rag-bench-") as root:
        folder = Path(root, "mutants")
        made = write_mutants(folder, options.files, originals, rng)
        daemon = Daemon.start(Path(root, "data"))
        with daemon.client() as client:
            job_id = client.post("/api/ingest", json={"paths": [str(folder)]}).raise_for_status().json()["job_id"]
            job = ended(client, job_id)
            expect(job["status"] == "completed", f"the job ended so: {job}")
            fates = {name: fate for name, fate in judge(client, job["result"]).items() if name in made}
        daemon.end()
        wrong = {name: fate for name, fate in fates.items() if fate.startswith("WRONG")}
        wrong |= dict.fromkeys(made.keys() - fates.keys(), "WRONG: neither indexed nor named")
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            for name in wrong:
                (options.keep / name).write_bytes((folder / name).read_bytes())
    report(made, fates)
    for name, fate in sorted(wrong.items(), key=lambda row: row[1]):
        print(f"{fate}: {name} ({made[name]})")
    if wrong:
        sys.exit(f"{len(wrong)} of {len(made)} files are not accounted for.")
    print(f"Each of {len(made)} files is accounted for.")


def sound_files(folders: list[Path], rng: random.Random) -> dict[str, bytes]:
    """Name -> bytes of what is to be damaged, one name for each."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from mixed_files import SMALL

    paths = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file() and path.stat().st_size]
    readable = [path for path in paths if loader_name_for(path.name) and path.stat().st_size <= LARGEST]
    found = {f"{number}-{path.name}": path.read_bytes() for number, path in enumerate(readable)}
    return found | {f"made-{name}{kind.extension}": kind.make(rng) for name, kind in SMALL.items()}


def write_mutants(folder: Path, count: int, originals: Mapping[str, bytes], rng: random.Random) -> dict[str, str]:
    """File name -> what was done."""
    folder.mkdir()
    made: dict[str, str] = {}
    extensions = sorted({extension for spec in format_specs() for extension in spec.extensions})
    for number in range(count):
        how, extension, data = mutant(rng, originals, extensions)
        name = f"{number:05}{extension}"
        (folder / name).write_bytes(data)
        made[name] = how
    return made


def judge(client: httpx2.Client, result: Mapping[str, Any]) -> dict[str, str]:
    """File name -> what became of it; what must not be begins with `WRONG`."""
    fates = {Path(row["source"]).name: _named(row["code"], row["message"], "left out") for row in result["left_out"]}
    for row in listed(client):
        name = Path(row["source"]).name
        if row["status"] == "failed":
            fates[name] = _named(row["error"]["code"], row["error"]["message"], "failed")
        elif row["status"] != "ready":
            fates[name] = f"WRONG: {row['status']}"
        elif row["chunk_count"]:
            fates[name] = "indexed"
        else:
            notes = client.get(f"/api/documents/{row['id']}").raise_for_status().json()["warnings"]
            fates[name] = "indexed empty, with a note" if notes else "WRONG: indexed empty without a note"
    return fates


def _named(code: str, message: str, what: str) -> str:
    if code in UNNAMED or RAW.search(message):
        return f"WRONG: {what}, {code}: {message}"
    return f"{what}: {code}"


def report(made: Mapping[str, str], fates: Mapping[str, str]) -> None:
    by_kind: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name in made:
        by_kind[Path(name).suffix][fates.get(name, "missing").partition(",")[0]] += 1
    for kind, counts in sorted(by_kind.items()):
        print(f"{kind:10} {counts.total():5}  " + ", ".join(f"{count} {fate}" for fate, count in counts.most_common()))
    print("together: ", dict(Counter(fate.partition(",")[0] for fate in fates.values()).most_common()))
    print("damages:  ", dict(Counter(made.values()).most_common()))


if __name__ == "__main__":
    main()
