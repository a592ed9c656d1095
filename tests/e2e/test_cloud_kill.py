"""kill -9 in the middle of a cycle, again and again: it goes on where it was, and in the end every item is there once."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from ..atlassian_server import World, serve
from .conftest import Daemon, ended, wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")]

KILLS = (30, 90, 150)


def counts(client: httpx2.Client, source_id: str) -> dict[str, int]:
    found: dict[str, int] = client.get(f"/api/sources/{source_id}/ledger").json()["counts"]
    return found


def test_a_cycle_goes_on_after_every_kill_and_nothing_is_read_from_the_start(start: Callable[..., Daemon]) -> None:
    world = World(seed=3, spaces=2, pages=200, projects=1, issues=1)
    token = world.token("indexer", kind="pat")
    world.grant(token, "space:*")
    with serve(world) as served:
        environment = {"RAG_SECRET_WIKI": token, "RAG_OCR__PROVIDER": "none", "RAG_SYNC__REQUESTS_PER_MINUTE": "60000"}
        auth = {"kind": "pat", "token": "env:RAG_SECRET_WIKI"}
        config = {"base_url": served.confluence_dc, "deployment": "data_center", "auth": auth}
        body: dict[str, Any] = {"type": "confluence", "name": "Wiki", "config": config, "schedule": "off"}
        daemon = start(**environment)
        with daemon.client() as client:
            source = client.post("/api/sources", json=body).raise_for_status().json()
        for number in KILLS:
            with daemon.client() as client:
                wait_for(lambda: counts(client, source["id"]).get("indexed", 0) >= number, f"{number} items")  # noqa: B023
            daemon.process.kill()
            daemon.process.wait(timeout=180)
            daemon = start(**environment)
        with daemon.client() as client:
            before = counts(client, source["id"])
            assert before.get("indexed", 0) >= KILLS[-1]
            job = ended(client, source["job_id"])
            assert job["status"] == "completed", job
            ledger = client.get(f"/api/sources/{source['id']}/ledger").json()
            cycle = ledger["cycles"][0]
            owners = world.readable_pages(token)
            remote = len(owners) + len(world.attachments_of(owners))
            assert len(ledger["cycles"]) == 1
            assert cycle["remote"] == cycle["indexed"] + cycle["skipped_count"] == remote
            assert cycle["complete"]
            documents = client.get("/api/documents", params={"status": "ready", "page_size": 1}).json()
            assert documents["total"] == cycle["indexed"]
            report = client.post("/api/documents/verify", json={}).json()
            assert report["ok"], report
