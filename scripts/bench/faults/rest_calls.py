#!/usr/bin/env python3
"""Schemathesis over the whole REST interface of a daemon that holds something: does any call end in a 5xx?

    python -m venv tools && tools/bin/pip install schemathesis==4.32.5
    .venv/bin/python scripts/bench/faults/rest_calls.py --schemathesis tools/bin/schemathesis --examples 100 [--mode server]
    .venv/bin/python scripts/bench/faults/rest_calls.py --schemathesis tools/bin/schemathesis --replicas 2

A daemon of its own gets the samples, a followed folder, queries with their traces, feedback, an evaluation and collections. Half
of the calls then name what is there. Each answer must be no 5xx but "busy", and be as the description says. In server mode
all is asked by keys, too: of a reader, a writer and an administrator of one collection, of one that owns what it makes, and of
a reader of everything; the token comes last, since it revokes keys. The exit code is Schemathesis's. Vectors are the fake
embedder's. With --replicas the calls go to `rag serve --workers N` with a worker, on a PostgreSQL that is started for it. What
`stop`, `events` and `backup` give is tested elsewhere.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import httpx2
from _daemons import SETTINGS, Daemon
from _mixed_work import ended, listed
from _replicas import Replicas, postgres

ROOT: Final = Path(__file__).resolve().parents[3]
SAMPLES: Final = ROOT / "data" / "samples"
LEFT_OUT: Final = ("/api/stop", "/api/events", "/api/jobs/{job_id}/events", "/api/backup")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schemathesis", required=True, help="the program")
    parser.add_argument("--examples", type=int, default=100, help="calls of each operation and phase, about")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--minutes", type=float, default=60, help="at most, of each key")
    parser.add_argument("--mode", choices=("local", "server"), default="local")
    parser.add_argument(
        "--replicas", type=int, default=0, help="processes that answer, on PostgreSQL; none: one daemon on SQLite"
    )
    options = parser.parse_args()
    with ExitStack() as stack:
        root = stack.enter_context(tempfile.TemporaryDirectory(prefix="rag-bench-"))
        data, followed = Path(root, "data"), Path(root, "followed")
        daemon: Daemon | Replicas
        if options.replicas:
            Path(root).chmod(0o755)
            server = postgres()
            stack.callback(server.close)
            os.environ["RAG_STORE__URL"] = store = server.url(server.create())
        if options.mode == "server":
            in_server_mode(data, followed)
        if options.replicas:
            daemon = Replicas(data, store, options.replicas)
            stack.callback(daemon.kill)
        else:
            daemon = Daemon.start(data)
        with daemon.client() as client:
            known, described = Path(root, "known.json"), Path(root, "openapi.json")
            evaluate(daemon.data)
            held = fill(client, followed)
            keys = limited_keys(client) if options.mode == "server" else {}
            known.write_text(json.dumps(held), "utf-8")
            described.write_bytes(description())
            codes = []
            for who, credential in {**keys, "the token": client.headers["authorization"].partition(" ")[2]}.items():
                print(f"--- asked by {who}", flush=True)
                codes.append(ask_all(options, described, str(client.base_url), credential, known))
            print("the daemon answers:", client.get("/api/health").raise_for_status().json())
        daemon.end()
    sys.exit(max(codes))


def ask_all(options: argparse.Namespace, described: Path, url: str, credential: str, known: Path) -> int:
    """The exit code of a run of Schemathesis."""
    command = [options.schemathesis, "run", str(described), "--url", url]
    command += ["--header", f"Authorization: Bearer {credential}", "--checks", "all"]
    # Unknown fields are refused and unknown query parameters are not, by intent; a caller that is known has one credential.
    command += ["--exclude-checks", "ignored_auth,positive_data_acceptance,negative_data_rejection,unsupported_method"]
    command += ["--max-examples", str(options.examples), "--seed", str(options.seed), "--no-color"]
    command += ["--max-time", str(int(options.minutes * 60)), "--continue-on-failure", "--request-timeout", "60"]
    for path in LEFT_OUT:
        command += ["--exclude-path", path]
    hooks = str(Path(__file__).with_name("_schemathesis_hooks.py"))
    return subprocess.run(
        command, env=os.environ | {"SCHEMATHESIS_HOOKS": hooks, "RAG_KNOWN": str(known)}, check=False
    ).returncode


def in_server_mode(data: Path, followed: Path) -> None:
    """Let the daemons of this process serve in server mode, which needs a key before it starts."""
    os.environ |= {"RAG_SECURITY__MODE": "server", "RAG_SECURITY__ALLOWED_ROOTS": json.dumps([str(followed), str(SAMPLES)])}
    command = [sys.executable, "-m", "ragd", "keys", "create", "ops", "--role", "admin"]
    environment = os.environ | SETTINGS | {"RAG_DATA_DIR": str(data), "RAG_TOKEN_INDEX__PROVIDER": "none"}
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)


def limited_keys(client: httpx2.Client) -> dict[str, str]:
    """Keys that count in one collection, in none but their own, or everywhere."""
    wanted: dict[str, tuple[str, list[str] | None]] = {
        f"a {role} of one collection": (role, ["計画"]) for role in ("reader", "writer", "admin")
    }
    wanted |= {"an owner of what it makes": ("admin", []), "a reader of everything": ("reader", None)}
    return {
        who: client.post("/api/keys", json={"name": who, "role": role, "collections": own}).raise_for_status().json()["key"]
        for who, (role, own) in wanted.items()
    }


def description() -> bytes:
    return subprocess.run([sys.executable, "-m", "ragd.api.openapi"], capture_output=True, check=True).stdout


def evaluate(data: Path) -> None:
    """Hands in an evaluation, of three questions about the samples in a collection of their own."""
    command = [sys.executable, "-m", "ragd", "eval", "run", "--dataset", "golden", "--limit", "3"]
    subprocess.run(command, env=os.environ | {"RAG_DATA_DIR": str(data)}, check=True)


def fill(client: httpx2.Client, folder: Path) -> dict[str, list[Any]]:
    """What the daemon then holds: name of a parameter or field -> values of it."""
    folder.mkdir()
    for number in range(30):
        (folder / f"note-{number}.md").write_text(f"# Note {number}\n\nThe value of note{number} is set here.\n", "utf-8")
    for name in ("notes", "計画", "gone"):
        client.post("/api/collections", json={"name": name}).raise_for_status()
    kb_ids = {row["name"]: row["id"] for row in _items(client, "/knowledge_bases")}
    task_id = client.delete(f"/knowledge_bases/{kb_ids['gone']}").raise_for_status().json()["cleanup_task_id"]
    uploaded = {"file": ("計画.md", "# 計画\n\n在庫は月末に数える。\n".encode())}
    ended(client, _upload(client, kb_ids["計画"], uploaded))
    # One that may be rotated and revoked: none that asks.
    key = client.post("/api/keys", json={"name": "to be revoked", "role": "reader"}).raise_for_status().json()
    source = {"type": "folder", "name": "followed", "collection": "notes", "config": {"path": str(folder)}}
    source_id = client.post("/api/sources", json=source).raise_for_status().json()["id"]
    ended(client, client.post(f"/api/sources/{source_id}/sync", json={}).raise_for_status().json()["job_id"])
    job_id = client.post("/api/ingest", json={"paths": [str(SAMPLES)]}).raise_for_status().json()["job_id"]
    ended(client, job_id)
    questions = ["How do I fail over a broker?", "ノードの在庫", "What does E1045 mean?"]
    feedback = []
    for question in questions:
        found = client.post("/api/query", json={"query": question}).raise_for_status().json()
        client.post("/api/chat", json={"query": question}).raise_for_status()
        shown = [result["chunk_id"] for result in found["results"][:2]]
        opinion = {"question": question, "verdict": "up", "chunk_ids": shown, "trace_id": found["trace_id"]}
        feedback.append(client.post("/api/feedback", json=opinion).raise_for_status().json()["id"])
    time.sleep(1)  # traces are written behind the answer
    documents = listed(client)
    chunks = [_items(client, f"/api/documents/{row['id']}/chunks") for row in documents[:20]]
    traces = [row["trace_id"] for row in _items(client, "/api/traces")]
    known = {
        "doc_id": [row["id"] for row in documents],
        "chunk_id": [row["chunk_id"] for rows in chunks for row in rows],
        "asset_id": [name for row in documents[:60] for name in _pictures(client, row["id"])],
        "source_id": [source_id],
        "job_id": [row["job_id"] for row in _items(client, "/api/jobs")],
        "trace_id": traces,
        "feedback_id": feedback,
        "run_id": [row["run_id"] for row in _items(client, "/api/evaluations")],
        "name": ["notes", "計画", "default"],
        "collection": ["notes", "計画", "default"],
        "model": ["notes", "計画", *(row["id"] for row in client.get("/v1/models").raise_for_status().json()["data"])],
        "kb_id": list(kb_ids.values()),
        "knowledge_base_id": list(kb_ids.values()),
        "task_id": [task_id],
        "key_id": [key["id"]],
        "query": questions,
        "path": [str(folder), str(SAMPLES), str(folder / "note-1.md")],
        "page": [1, 2],
    }
    if missing := [name for name, values in known.items() if not values]:
        raise RuntimeError(f"the daemon was to hold something of each kind, and has no {', '.join(missing)}")
    return known


def _upload(client: httpx2.Client, kb_id: str, file: dict[str, Any]) -> str:
    client.post(f"/knowledge_bases/{kb_id}/documents", files=file).raise_for_status()
    return str(_items(client, "/api/jobs")[0]["job_id"])


def _pictures(client: httpx2.Client, doc_id: str) -> list[str]:
    text = client.get(f"/api/documents/{doc_id}/content").raise_for_status().json()["markdown"]
    return [part.partition(")")[0] for part in text.split("](asset://")[1:]]


def _items(client: httpx2.Client, path: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = client.get(path, params={"page_size": 100}).raise_for_status().json()["items"]
    return rows


if __name__ == "__main__":
    main()
