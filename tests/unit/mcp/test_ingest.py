"""Documents in and out by tools: progress, waiting, cancellation, and what is told of a job."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client import Client
from mcp.types import CallToolResult

from ragd.api.application import create_api
from ragd.client.asgi import AsgiConnection
from ragd.core.errors import ServiceUnavailable
from ragd.mcp.library import Library
from ragd.mcp.results.jobs import Steps
from ragd.mcp.server import LibraryServer

from .conftest import TOKEN, Agent, text_of

pytestmark = pytest.mark.slow

Told = tuple[float, float | None, str | None]


@pytest.fixture
def changes() -> dict[str, Any]:
    return {"limits.max_queued_jobs": 2}


@pytest.fixture
def paused(agent: Agent) -> Agent:
    """An agent of an engine that takes jobs and runs none."""
    assert agent.app.runner.stop(10)
    return agent


def status_of(agent: Agent, job_id: str, wanted: str) -> None:
    """Wait until a job has this status."""
    end = time.monotonic() + 600
    while (status := agent.rest.get(f"/api/jobs/{job_id}").json()["status"]) != wanted:
        assert time.monotonic() < end, status
        agent.app.runner.wait_for_change(0.05)


def only_job(agent: Agent) -> dict[str, Any]:
    (job,) = agent.rest.get("/api/jobs").json()["items"]
    return dict(job)


def finished_job(agent: Agent, status: Any = "completed", **outcome: Any) -> str:
    """A job of the past with this outcome."""
    kb_id = agent.app.collections.get("default").kb_id
    job = agent.app.jobs.add("ingest", collection="default", kb_id=kb_id, payload={}, request_id=None, delay_s=3600)
    agent.app.jobs.finish(job.job_id, status, **outcome)
    return job.job_id


class TestIngest:
    def test_documents_are_searchable_when_it_returns(self, agent: Agent, guide: Path) -> None:
        (guide / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
        (guide / "program.bin").write_bytes(b"\0")
        result = agent.call("ingest", paths=[str(guide)])
        fields = result.structured_content or {}
        assert fields["finished"]
        assert (fields["job"]["status"], fields["job"]["collection"]) == ("completed", "default")
        assert (fields["job"]["result"]["added"], fields["job"]["result"]["skipped"]) == (3, 1)
        (failure,) = fields["job"]["result"]["failed"]
        assert failure["source"] == "broken.pdf"
        text = text_of(result)
        assert "3 added" in text
        assert "Skipped: 1 files" in text
        assert f"- broken.pdf: {failure['code']}: " in text
        assert text.splitlines()[-1] == f"trace_id: {fields['trace_id']}"
        assert agent.fields("query_knowledge_hub", query="How long are snapshots kept?", top_k=1)["results"]

    def test_what_has_not_changed_is_passed_over_unless_forced(self, agent: Agent, guide: Path) -> None:
        agent.call("ingest", paths=[str(guide)])
        assert agent.fields("ingest", paths=[str(guide)])["job"]["result"]["unchanged"] == 3
        assert "3 unchanged" in agent.text("ingest", paths=[str(guide)])
        assert agent.fields("ingest", paths=[str(guide)], force=True)["job"]["result"]["updated"] == 3

    def test_folders_below_are_left_out_when_asked(self, agent: Agent, guide: Path) -> None:
        (guide / "below").mkdir()
        (guide / "below" / "more.md").write_text("# More\n\nMore.\n")
        assert agent.fields("ingest", paths=[str(guide)], recursive=False)["job"]["result"]["added"] == 3

    def test_a_collection_that_is_not_there_is_told(self, agent: Agent, guide: Path) -> None:
        assert agent.failure("ingest", paths=[str(guide)], collection="none")["code"] == "KNOWLEDGE_BASE_NOT_FOUND"

    def test_wrong_arguments_are_told(self, agent: Agent, guide: Path) -> None:
        wrong: list[dict[str, Any]] = [{"wait_s": -1}, {"wait_s": 3601}, {"force": "perhaps"}, {"url": "https://example.com"}]
        for one in wrong:
            assert agent.failure("ingest", paths=[str(guide)], **one)["code"] == "VALIDATION_ERROR", one
        assert agent.rest.get("/api/jobs").json()["total"] == 0

    def test_a_job_that_takes_longer_goes_on(self, paused: Agent, guide: Path) -> None:
        result = paused.call("ingest", paths=[str(guide)], wait_s=0)
        fields = result.structured_content or {}
        assert not result.is_error
        assert (fields["finished"], fields["job"]["status"]) == (False, "queued")
        assert f"Look again with get_job, job_id {fields['job']['job_id']}." in text_of(result)
        assert only_job(paused)["status"] == "queued"

    def test_it_waits_no_longer_than_asked(self, paused: Agent, guide: Path) -> None:
        began = time.monotonic()
        assert not paused.fields("ingest", paths=[str(guide)], wait_s=1)["finished"]
        assert 0.9 < time.monotonic() - began < 20

    def test_a_queue_that_is_full_is_told_as_retryable(self, paused: Agent, guide: Path) -> None:
        for _ in range(paused.app.settings.limits.max_queued_jobs):
            paused.call("ingest", paths=[str(guide)], wait_s=0)
        result = paused.call("ingest", paths=[str(guide)])
        assert result.structured_content is not None
        assert (result.structured_content["error"]["code"], result.structured_content["retryable"]) == (
            "SERVICE_UNAVAILABLE",
            True,
        )


class TestProgress:
    def test_it_only_grows_and_ends_at_the_total(self, agent: Agent, tmp_path: Path) -> None:
        folder = tmp_path / "many"
        folder.mkdir()
        for number in range(100):
            (folder / f"{number}.md").write_text(f"# Page {number}\n\n" + f"Sentence {number} of many. " * 40)
        told: list[Told] = []

        async def note(progress: float, total: float | None, message: str | None) -> None:
            told.append((progress, total, message))

        async def conversation(client: Client) -> CallToolResult:
            return await client.call_tool("ingest", {"paths": [str(folder)]}, progress_callback=note)

        assert not agent.talk(conversation).is_error
        values = [value for value, _, _ in told]
        assert values == sorted(set(values))
        assert told[-1] == (100.0, 100.0, "completed")
        assert all(total is None or value <= total for value, total, _ in told)

    def test_stages_that_start_again_at_nought_still_move_on(self) -> None:
        stages = [
            ("queued", 0, 0),
            ("searching files", 0, 0),
            ("reading", 0, 4),
            ("reading pages", 7, 90),
            ("reading pages", 80, 90),
        ]
        stages += [("reading", 2, 4), ("embedding passages", 1, 900), ("reading", 1, 4), ("embedding", 3, 4), ("storing", 4, 4)]
        steps = Steps()
        values = [steps.next({"stage": stage, "done": done, "total": total}) for stage, done, total in stages]
        values.append(steps.last())
        assert values == sorted(set(values))
        assert values[-1] == steps.total == 4.0

    def test_a_long_document_never_stops_moving_and_never_reaches_the_next(self) -> None:
        steps = Steps()
        values = [steps.next({"stage": "reading pages", "done": page, "total": 20_000}) for page in range(20_000)]
        assert values == sorted(set(values))
        assert values[-1] < 1
        assert steps.total is None


class TestCancellation:
    @pytest.mark.parametrize("protocol", ["auto", "legacy"])
    def test_cancelling_the_call_cancels_the_job(self, paused: Agent, guide: Path, protocol: str) -> None:
        async def conversation(client: Client) -> None:
            async with anyio.create_task_group() as calls:

                async def give_up(*_: Any) -> None:
                    calls.cancel_scope.cancel()

                await client.call_tool("ingest", {"paths": [str(guide)]}, progress_callback=give_up)

        paused.talk(conversation, mode=protocol)
        status_of(paused, only_job(paused)["job_id"], "cancelled")

    def test_a_job_that_runs_is_brought_to_a_stop(self, agent: Agent, tmp_path: Path) -> None:
        folder = tmp_path / "many"
        folder.mkdir()
        for number in range(2_000):
            (folder / f"{number}.md").write_text(f"# Page {number}\n\n" + f"Sentence {number} of many. " * 40)

        async def conversation(client: Client) -> None:
            async with anyio.create_task_group() as calls:

                async def give_up(_progress: float, total: float | None, _message: str | None) -> None:
                    if total:
                        calls.cancel_scope.cancel()

                await client.call_tool("ingest", {"paths": [str(folder)]}, progress_callback=give_up)

        agent.talk(conversation)
        job_id = only_job(agent)["job_id"]
        status_of(agent, job_id, "cancelled")
        failure = agent.failure("get_job", job_id=job_id)
        assert failure["code"] == "CANCELLED"

    def test_a_call_that_only_looks_leaves_the_job_alone(self, paused: Agent, guide: Path) -> None:
        job_id = paused.fields("ingest", paths=[str(guide)], wait_s=0)["job"]["job_id"]

        async def conversation(client: Client) -> None:
            async with anyio.create_task_group() as calls:

                async def give_up(*_: Any) -> None:
                    calls.cancel_scope.cancel()

                await client.call_tool("get_job", {"job_id": job_id, "wait_s": 60}, progress_callback=give_up)

        paused.talk(conversation)
        assert only_job(paused)["status"] == "queued"

    def test_a_daemon_that_ends_lets_calls_go_and_keeps_their_jobs(self, paused: Agent, guide: Path) -> None:
        connection = AsgiConnection(create_api(paused.app, token=TOKEN), TOKEN)
        paused.server = LibraryServer(Library(connection, paused.app.settings.mcp, (str(guide),), ending=lambda: True))
        began = time.monotonic()
        assert not paused.fields("ingest", paths=[str(guide)], wait_s=60)["finished"]
        assert time.monotonic() - began < 50
        assert only_job(paused)["status"] == "queued"


class Leaving:
    """A daemon that takes a job and is gone after that."""

    def __init__(self, daemon: AsgiConnection) -> None:
        self._daemon = daemon

    async def send(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "GET":
            raise ServiceUnavailable("No daemon answers.")
        return await self._daemon.send(request)


def test_a_daemon_that_goes_away_midway_leaves_the_id_of_the_job(paused: Agent, guide: Path) -> None:
    connection = Leaving(AsgiConnection(create_api(paused.app, token=TOKEN), TOKEN))
    paused.server = LibraryServer(Library(connection, paused.app.settings.mcp, (str(guide),)))
    error = paused.failure("ingest", paths=[str(guide)])
    assert error["code"] == "SERVICE_UNAVAILABLE"
    job = only_job(paused)
    assert job["status"] == "queued"
    assert f"No daemon answers. The job {job['job_id']} was queued before and goes on" in error["message"]


class TestGetJob:
    def test_it_tells_what_a_job_did(self, agent: Agent, guide: Path) -> None:
        job_id = agent.fields("ingest", paths=[str(guide)], wait_s=0)["job"]["job_id"]
        fields = agent.fields("get_job", job_id=job_id, wait_s=60)
        by_rest = agent.rest.get(f"/api/jobs/{job_id}").json()
        assert fields["job"]["result"]["added"] == by_rest["result"]["added"] == 3
        assert fields["finished"]

    def test_an_unknown_job_is_told(self, agent: Agent) -> None:
        for job_id in ("none", "..", "../documents", "a/b", "x" * 500, "%2e%2e", "経費"):
            assert agent.failure("get_job", job_id=job_id)["code"] == "JOB_NOT_FOUND", job_id

    def test_a_job_that_failed_is_a_failure_with_its_code(self, agent: Agent) -> None:
        job_id = finished_job(agent, "failed", error={"code": "SERVICE_UNAVAILABLE", "message": "The disk is full."})
        result = agent.call("get_job", job_id=job_id)
        assert result.is_error
        assert text_of(result).startswith(f"SERVICE_UNAVAILABLE: The job {job_id} failed. The disk is full.")
        assert (result.structured_content or {})["retryable"]

    def test_thousands_of_failures_make_a_bounded_answer(self, agent: Agent) -> None:
        message = "It can't be read.\nSee [here](x). " * 50
        rows = [{"source": f"file `{number}`.md", "code": "UNREADABLE", "message": message} for number in range(3_000)]
        outcome = {"added": 1, "updated": 0, "unchanged": 0, "skipped": 0, "chunks": 1, "embedded": 1, "reused": 0}
        result = agent.call("get_job", job_id=finished_job(agent, result=outcome | {"failed": rows}))
        fields = result.structured_content or {}
        assert (len(fields["job"]["result"]["failed"]), fields["failed_left_out"]) == (50, 2_950)
        text = text_of(result)
        assert len(text) <= agent.app.settings.mcp.max_chars
        listed = sum(line.startswith("- ") for line in text.splitlines())
        assert f"… and {3_000 - listed} more" in text
        assert "\\[here\\](x)" in text

    def test_a_job_of_another_kind_is_told_too(self, agent: Agent) -> None:
        job_id = agent.app.reconciler.rebuild().job_id
        assert agent.fields("get_job", job_id=job_id, wait_s=60)["job"]["kind"] == "rebuild"
        assert "none; 0 passages" in agent.text("get_job", job_id=job_id)

    def test_an_empty_result_is_told(self, agent: Agent) -> None:
        assert agent.fields("get_job", job_id=finished_job(agent))["job"]["result"] is None


class TestDeleteDocument:
    def test_it_is_gone_from_answers_and_its_file_stays(self, agent: Agent, guide: Path) -> None:
        agent.read([guide])
        query = {"query": "How long are snapshots kept?", "top_k": 1}
        doc_id = agent.fields("query_knowledge_hub", **query)["results"][0]["doc_id"]
        result = agent.call("delete_document", doc_id=doc_id)
        fields = result.structured_content or {}
        assert (fields["doc_id"], fields["title"], fields["source"]) == (doc_id, "Backup", "backup.md")
        assert fields["collection"] == "default"
        assert "Removed from the index: Backup (backup.md)" in text_of(result)
        assert "was not touched" in text_of(result)
        assert (guide / "backup.md").exists()
        assert doc_id not in [row["doc_id"] for row in agent.fields("query_knowledge_hub", **query)["results"]]
        assert agent.failure("delete_document", doc_id=doc_id)["code"] == "DOCUMENT_DELETED"

    def test_an_unknown_document_is_told_and_nothing_else_is_deleted(self, agent: Agent, guide: Path) -> None:
        agent.read([guide])
        for doc_id in ("none", ".", "..", "../collections/default", "x/content", " "):
            assert agent.failure("delete_document", doc_id=doc_id)["code"] == "DOCUMENT_NOT_FOUND", doc_id
        assert agent.rest.get("/api/documents").json()["total"] == 3


def test_tools_say_what_they_may_do(agent: Agent) -> None:
    async def conversation(client: Client) -> Any:
        return await client.list_tools()

    tools = {tool.name: tool for tool in agent.talk(conversation).tools}
    hints = {name: (tools[name].annotations.read_only_hint, tools[name].annotations.destructive_hint) for name in tools}
    assert (hints["ingest"], hints["get_job"]) == ((False, False), (True, False))
    assert (hints["delete_document"], hints["query_assets"]) == ((False, True), (True, False))
    assert all(tools[name].annotations.open_world_hint is False for name in tools)
    assert "never" in tools["delete_document"].description or "untouched" in tools["delete_document"].description
