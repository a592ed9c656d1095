"""`rag jobs`: the work that runs in the background, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import echo_json, fields, listing, moment
from ragd.cli.ingest import print_result, report_job


@click.group()
def jobs() -> None:
    """List, follow and cancel background jobs."""


def _state(job: Mapping[str, Any]) -> str:
    progress = job["progress"]
    if job["status"] != "running" or not progress["total"]:
        return str(job["status"])
    return f"running: {progress['stage']}, {progress['done']:,} of {progress['total']:,}"


def _row(job: Mapping[str, Any]) -> tuple[str, ...]:
    return job["kind"], _state(job), job["collection"], moment(job["created_at"])[5:16], job["job_id"]


@jobs.command("list")
@click.option(
    "--status",
    type=click.Choice(["queued", "running", "completed", "failed", "cancelled"]),
    help="Only jobs of this status.",
)
@options.paged
@options.answered(listing(("kind", "status", "collection", "queued", "id"), _row, empty="No jobs."))
def _list(context: CliContext, **given: Any) -> Any:
    """List jobs, newest first."""
    return context.get("/api/jobs", **given)


@jobs.command("show")
@click.argument("job_id", metavar="ID")
@options.as_json
@click.pass_obj
def _show(context: CliContext, job_id: str, as_json: bool) -> None:
    """Show one job and its result."""
    job = context.get(f"/api/jobs/{job_id}")
    if as_json:
        echo_json(job)
        return
    fields(
        [
            ("Kind", job["kind"]),
            ("Status", _state(job)),
            ("Collection", job["collection"] or "all"),
            ("Queued", moment(job["created_at"])),
            ("Started", moment(job["started_at"])),
            ("Ended", moment(job["finished_at"])),
            ("Id", job["job_id"]),
        ]
    )
    if job["status"] not in ("queued", "running"):
        click.echo()
        print_result(job, context.logs)


@jobs.command("cancel")
@click.argument("job_id", metavar="ID")
@click.pass_obj
def _cancel(context: CliContext, job_id: str) -> None:
    """Stop a job at its next safe point. What it has finished stays."""
    with context.connect() as client:
        client.delete(f"/api/jobs/{job_id}")
        job = client.get(f"/api/jobs/{job_id}")
    click.echo("The job is being cancelled." if job["status"] == "running" else f"The job is {job['status']}.")


@jobs.command("watch")
@click.argument("job_id", metavar="ID")
@options.as_json
@click.pass_obj
def _watch(context: CliContext, job_id: str, as_json: bool) -> int:
    """Follow a job until it has ended. Without a daemon the job is run here. Ctrl-C stops watching, not the job."""
    from ragd.cli.common.progress import follow

    with context.connect("jobs") as client:
        job = follow(client, job_id, "Job", cancel=False)
    return report_job(job, context.logs, as_json=as_json)
