"""Can a Chroma directory be trusted? Damaged files can end the whole process inside its native library.

After an orderly close a seal holds the size and CRC-32 of every file; the next opening compares and breaks the seal. Without one
(the process was killed) this file is run as a program, which imports nothing of ours, opens the directory and reads from it.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import zlib
from contextlib import closing
from pathlib import Path

_BLOCK = 1 << 20
_PROBE_TIMEOUT_S = 120


def seal(folder: Path, seal_file: Path) -> None:
    """Record the files of a closed directory."""
    temporary = seal_file.with_suffix(".new")
    temporary.write_text(json.dumps(_checksums(folder)), encoding="utf-8")
    temporary.replace(seal_file)


def damage(folder: Path, seal_file: Path) -> str | None:
    """Why the directory can't be trusted, or None. Breaks the seal of a sound one, which its user is about to change."""
    if seal_file.exists():
        try:
            sealed = json.loads(seal_file.read_text(encoding="utf-8"))
        except ValueError:
            return f"{seal_file.name} is not readable"
        found = _checksums(folder) if folder.is_dir() else {}
        if changed := sorted(name for name in sealed.keys() | found.keys() if sealed.get(name) != found.get(name)):
            return f"changed since it was closed: {', '.join(changed[:5])}"
        seal_file.unlink()
        return None
    if not folder.is_dir() or not any(folder.iterdir()):
        return None
    command = [sys.executable, str(Path(__file__)), str(folder)]
    try:
        checked = subprocess.run(command, capture_output=True, text=True, timeout=_PROBE_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return f"the check after an unclean end did not finish within {_PROBE_TIMEOUT_S} s"
    if checked.returncode == 0:
        return None
    last_line = (checked.stderr.strip().splitlines() or ["no message"])[-1]
    return f"the check after an unclean end failed (exit status {checked.returncode}: {last_line})"


def probe(folder: Path) -> None:
    """Open the directory and read from every collection; an exception or the end of the process means damage."""
    import chromadb
    import numpy as np
    from chromadb.config import Settings

    database = folder / "chroma.sqlite3"
    if not database.is_file() or not database.stat().st_size:
        raise SystemExit("chroma.sqlite3 is missing or empty")
    # Writable: a kill within a transaction leaves a journal, which SQLite must roll back before anything is read.
    with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=rw", uri=True)) as connection:
        verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if verdict != "ok":
        raise SystemExit(f"chroma.sqlite3: {verdict}")
    client = chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))
    for collection in client.list_collections():
        entries = collection.count()
        sample = collection.get(limit=1, include=["embeddings"])["embeddings"]
        if not entries:
            continue
        if sample is None or not len(sample):
            raise SystemExit(f"collection {collection.name} gives none of its {entries} vectors")
        wanted = min(10, entries)
        query = np.asarray(sample, dtype=np.float32)
        found = len(collection.query(query_embeddings=query, n_results=wanted, include=["distances"])["ids"][0])
        if found < wanted:
            raise SystemExit(f"collection {collection.name} found {found} of {wanted} neighbours")


def _checksums(folder: Path) -> dict[str, list[int]]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): [path.stat().st_size, _crc(path)] for path in files}


def _crc(path: Path) -> int:
    checksum = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            checksum = zlib.crc32(block, checksum)
    return checksum


if __name__ == "__main__":
    probe(Path(sys.argv[1]))
