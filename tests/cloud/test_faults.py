"""Whatever goes wrong on the way, every item is accounted for in the end, and nothing that was there is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import FACES, Cloud, Opened
from .test_sync import edit, some_owners

pytestmark = pytest.mark.e2e

Break = Callable[[Cloud], None]


def _fail(**how: object) -> Break:
    def do(cloud: Cloud) -> None:
        cloud.world.faults.fail(**how)  # type: ignore[arg-type]

    return do


# Each passes by itself, after some tries.
PASSING: dict[str, Break] = {
    "429 that says now": _fail(status=429, times=3, retry_after="0"),
    "429 that says a second": _fail(status=429, times=2, retry_after="1"),
    "429 that says nothing": _fail(status=429, times=2),
    "500s": _fail(status=500, times=3, after=2),
    "503s with a time": _fail(status=503, times=2, retry_after="1", after=1),
    "resets midway": _fail(kind="reset", times=3, after=1),
    "bodies that are cut": _fail(kind="cut", times=3, after=2),
    "no JSON": _fail(kind="garbled", times=2, after=3),
    "a storm every three requests": lambda cloud: cloud.world.faults.storm(3, 2, "0"),
    "slow bodies": _fail(kind="slow", times=1, after=1, delay_s=0.0002),
}


# Each meets both products and both deployments; which two faces it is turns from one to the next.
MATRIX = {
    "confluence_cloud": list(PASSING)[1::2],
    "confluence_dc": list(PASSING)[::2],
    "jira_cloud": list(PASSING)[::2],
    "jira_dc": list(PASSING)[1::2],
}


@pytest.mark.parametrize("face", MATRIX)
def test_a_fault_that_passes_costs_time_alone(open_cloud: Opened, face: str) -> None:
    cloud = open_cloud(face, pages=20, issues=20)
    faults = cloud.world.faults
    for fault in MATRIX[face]:
        PASSING[fault](cloud)
        before = faults.met
        source = cloud.add()
        assert faults.met > before, fault
        cloud.check_accounted(source)
        faults.clear()
        cloud.sync(source)
        assert cloud.check_accounted(source).updated == 0, fault
        cloud.remove(source)


@pytest.mark.parametrize("face", FACES)
def test_an_item_that_always_fails_is_one_line_of_the_ledger_until_it_is_mended(open_cloud: Opened, face: str) -> None:
    cloud = open_cloud(face, pages=40, issues=40, settings={"sync.attempts": 2})
    owner = some_owners(cloud, 5)[4]
    kind = "page" if cloud.is_confluence else "issue"
    cloud.world.faults.break_item(f"{kind}/{owner.id}")
    source = cloud.add()
    cloud.check_accounted(source)
    failed = [item for item in cloud.ledger.items(source.source_id, "skipped").values() if item.reason == "failed"]
    assert [item.item_id for item in failed] == [f"{kind}/{owner.id}"]
    cloud.world.faults.clear()
    cloud.sync(source)
    assert cloud.check_accounted(source).added == 1


@pytest.mark.parametrize("face", FACES)
def test_an_item_that_fails_later_stays_served_as_it_was(open_cloud: Opened, face: str) -> None:
    cloud = open_cloud(face, pages=40, issues=40, settings={"sync.attempts": 2})
    source = cloud.add()
    documents = sorted(cloud.sources_of(source))
    owner = some_owners(cloud, 1)[0]
    edit(cloud, owner, "It is another text now.")
    cloud.world.faults.break_item(f"{'page' if cloud.is_confluence else 'issue'}/{owner.id}")
    cloud.sync(source)
    cloud.check_accounted(source)
    assert sorted(cloud.sources_of(source)) == documents
    cloud.world.faults.clear()
    cloud.sync(source)
    assert cloud.check_accounted(source).updated == 1


@pytest.mark.parametrize("face", FACES)
def test_a_listing_that_breaks_off_deletes_nothing(open_cloud: Opened, face: str) -> None:
    cloud = open_cloud(face, pages=40, issues=40, settings={"sync.attempts": 2})
    source = cloud.add()
    documents = sorted(cloud.sources_of(source))
    cloud.world.faults.fail(status=500)
    job = cloud.sync(source)
    assert job.status == "failed"
    assert cloud.last(source).phase == "failed"
    assert cloud.app.sources.get(source.source_id).last_error
    assert sorted(cloud.sources_of(source)) == documents
    cloud.world.faults.clear()
    cloud.sync(source)
    cloud.check_accounted(source)


@pytest.mark.parametrize("face", FACES)
def test_a_token_that_is_none_any_more_stops_the_source_with_one_clear_message(open_cloud: Opened, face: str) -> None:
    cloud = open_cloud(face, pages=30, issues=30)
    source = cloud.add()
    documents = sorted(cloud.sources_of(source))
    cloud.world.revoke(cloud.token)
    cloud.world.reset_requests()
    job = cloud.sync(source)
    assert job.status == "failed"
    assert job.error is not None
    assert "token" in job.error["message"]
    assert cloud.token not in str(job)
    assert len(cloud.world.requests) <= 3
    assert sorted(cloud.sources_of(source)) == documents


def test_a_server_that_throttles_for_an_hour_leaves_the_queue_to_others(open_cloud: Opened, tmp_path: Path) -> None:
    cloud = open_cloud("confluence_cloud", pages=30)
    cloud.world.faults.fail(status=429, retry_after="3600", after=3)
    config = cloud.config()
    source = cloud.app.sources.add("confluence", config, token=cloud.token)
    note = tmp_path / "note.md"
    note.write_text("# Note\n\nIt can wait for nobody.\n")
    job = cloud.app.documents.ingest([str(note)])
    assert cloud.wait(job.job_id, 30).status == "completed"
    waiting = cloud.app.jobs.get(cloud.app.sources.status(source).job_id or "")
    assert waiting.status == "queued"
    assert waiting.not_before is not None
    assert "3600" in str(waiting.error) or "hour" in str(waiting.error) or "60 min" in str(waiting.error)
    assert cloud.app.jobs.cancel(waiting.job_id).status == "cancelled"


@pytest.mark.parametrize("face", ["confluence_cloud", "jira_cloud"])
def test_cursors_that_expire_midway_lose_nothing(open_cloud: Opened, face: str) -> None:
    cloud = open_cloud(face, pages=300, issues=300)
    source = cloud.add(config={"attachments": False, "comments": False})
    cloud.world.faults.expire_cursors()
    cloud.sync(source, full=True)
    assert cloud.last(source).complete


def test_a_cancelled_reading_keeps_what_it_stored_and_the_next_one_fetches_the_rest(open_cloud: Opened) -> None:
    cloud = open_cloud("jira_dc", issues=250)
    cloud.world.faults.fail("/secure/attachment|/rest/api/2/search", kind="delay", delay_s=0.3, after=2)
    source = cloud.app.sources.add("jira", cloud.config(), token=cloud.token)
    job_id = cloud.app.sources.status(source).job_id or ""

    def has_some() -> bool:
        return cloud.ledger.counts(source.source_id).get("indexed", 0) > 0

    while not has_some() and cloud.app.jobs.get(job_id).status in {"queued", "running"}:
        cloud.app.runner.wait_for_change(0.05)
    cloud.app.jobs.cancel(job_id)
    cloud.wait(job_id)
    cloud.world.faults.clear()
    cloud.sync(source)
    cloud.check_accounted(source)
