"""Fills a new data directory with the rows of many documents and traces, for measuring pages that list them.

    python scripts/bench/dashboard/rows.py FOLDER [--documents 100000] [--traces 10000]

The documents have no chunks: lists, filters and counts read rows alone.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, insert

from ragd.core.ids import hash32
from ragd.core.tracing import utc_now
from ragd.store.collections import Collections
from ragd.store.database.engine import open_engine
from ragd.store.database.schema import documents, versions
from ragd.store.traces import Traces

AT_ONCE = 5000
TYPES = ("markdown", "pdf", "docx", "html")
TOPICS = ("backup", "lease", "gateway", "release", "incident", "onboarding", "billing")


def fill(engine: Engine, many_documents: int, many_traces: int) -> None:
    """Documents of the default collection, a tenth of them failed; questions of a month, a hundredth without an answer."""
    collections = Collections(engine)
    collections.ensure_default()
    kb_id = collections.get("default").kb_id
    for first in range(0, many_documents, AT_ONCE):
        rows = [_document(kb_id, number) for number in range(first, min(first + AT_ONCE, many_documents))]
        with engine.begin() as connection:
            connection.execute(insert(documents), rows)
            connection.execute(insert(versions), [_version(row) for row in rows if row["version_id"]])
    traces = Traces(engine, keep=many_traces)
    for first in range(0, many_traces, AT_ONCE):
        traces.write([_envelope(number, many_traces) for number in range(first, min(first + AT_ONCE, many_traces))])


def _document(kb_id: str, number: int) -> dict[str, Any]:
    doc_id, failed = hash32("document", str(number)), number % 10 == 9
    source = f"team-{number % 40}/{TOPICS[number % len(TOPICS)]}-{number:06}.md"
    at = utc_now(-float(number % 90) * 86_400)
    return {
        "doc_id": doc_id,
        "kb_id": kb_id,
        "source": source,
        "source_uri": f"file:///{source}",
        "summary": "",
        "tags": [],
        "status": "failed" if failed else "ready",
        "error_code": "EMPTY" if failed else None,
        "error_message": "Nothing in it." if failed else None,
        "version_id": None if failed else hash32("version", doc_id),
        "title": source.removesuffix(".md"),
        "doc_type": TYPES[number % len(TYPES)],
        "language": "en",
        "size": 2000,
        "created_at": at,
        "updated_at": at,
    }


def _version(document: dict[str, Any]) -> dict[str, Any]:
    taken = ("version_id", "doc_id", "title", "doc_type", "language", "size", "created_at")
    return {name: document[name] for name in taken} | {
        "status": "ready",
        "content_hash": document["doc_id"],
        "profile_id": "0" * 32,
        "loader": "text",
        "loader_version": "1",
        "markdown": "",
        "md_sha256": "0" * 32,
        "places": [],
        "metadata": {},
        "warnings": [],
        "section_count": 1,
        "chunk_count": 5,
        "ready_at": document["created_at"],
        "parser": "",
        "section_hash": "",
        "chunk_hash": "",
    }


def _envelope(number: int, many: int) -> dict[str, Any]:
    at = utc_now(-30.0 * 86_400 * number / many)
    results = 0 if number % 100 == 0 else 5
    listed = [
        {"chunk_id": hash32(str(number), str(rank)), "score": 0.5, "rank": rank, "source": "dense"} for rank in range(1, 31)
    ]
    asked = f"How does {TOPICS[number % len(TOPICS)]} number {number} work?"
    return {
        "trace_id": hash32("trace", str(number)),
        "trace_type": "query",
        "status": "ok",
        "started_at": at,
        "ended_at": at,
        "strategy_config_id": "0" * 32,
        "build": "0",
        "spans": [],
        "events": [
            {"ts_ms": 0, "span_id": None, "kind": "query.normalized", "payload": {"query": asked, "text": asked}},
            {"ts_ms": 1, "span_id": None, "kind": "retrieval.candidates", "payload": {"source": "dense", "candidates": listed}},
            {"ts_ms": 2, "span_id": None, "kind": "response.envelope", "payload": {"results": results}},
        ],
        "aggregates": {"latency_ms": 20 + number % 900, "stage_latency_ms": {}, "counters": {}, "errors": []},
        "links": {"job_id": None, "request_id": None, "eval": None},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--traces", type=int, default=10_000)
    given = parser.parse_args()
    given.folder.mkdir(mode=0o700)
    engine = open_engine("", given.folder)
    fill(engine, given.documents, given.traces)
    engine.dispose()


if __name__ == "__main__":
    main()
