"""`rag jobs`: the work that runs in the background, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import echo_json, fields, listing, moment
from ragd.cli.ingest import outcome, print_result

_ENDED = ("completed", "failed", "cancelled")


@click.group()
def jobs() -> None:
    """List, follow and cancel background jobs."""


@jobs.command("list")
@click.option(
    "--status",
    type=click.Choice(["queued", "running", "completed", "failed", "cancelled"]),
    help="Only jobs of this status.",
)
@options.limit
@options.page
@options.as_json
@click.pass_obj
def list_(context: CliContext, status: str | None, limit: int, page: int, as_json: bool) -> None:
    """List jobs, newest first."""
    with context.connect() as client:
        answer = client.get("/api/jobs", status=status, page=page, page_size=limit)
    listing(answer, ("kind", "status", "collection", "queued", "id"), _row, as_json=as_json, empty="No jobs.")


@jobs.command()
@click.argument("job_id", metavar="ID")
@options.as_json
@click.pass_obj
def show(context: CliContext, job_id: str, as_json: bool) -> None:
    """Show one job and its result."""
    with context.connect() as client:
        job = client.get(f"/api/jobs/{job_id}")
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
    if job["status"] in _ENDED:
        click.echo()
        print_result(job, context.logs)


@jobs.command()
@click.argument("job_id", metavar="ID")
@click.pass_obj
def cancel(context: CliContext, job_id: str) -> None:
    """Stop a job at its next safe point. What it has finished stays."""
    with context.connect() as client:
        client.delete(f"/api/jobs/{job_id}")
        job = client.get(f"/api/jobs/{job_id}")
    click.echo("The job is being cancelled." if job["status"] == "running" else f"The job is {job['status']}.")


@jobs.command()
@click.argument("job_id", metavar="ID")
@options.as_json
@click.pass_context
def watch(ctx: click.Context, job_id: str, as_json: bool) -> None:
    """Follow a job until it has ended. Without a daemon the job is run here. Ctrl-C stops watching, not the job."""
    from ragd.cli.common.progress import follow

    context: CliContext = ctx.obj
    with context.connect("jobs") as client:
        job = follow(client, job_id, "Job", cancel=False)
    if as_json:
        echo_json(job)
    else:
        print_result(job, context.logs)
    ctx.exit(outcome(job))


def _state(job: Mapping[str, Any]) -> str:
    progress = job["progress"]
    if job["status"] != "running" or not progress["total"]:
        return str(job["status"])
    return f"running: {progress['stage']}, {progress['done']:,} of {progress['total']:,}"


def _row(job: Mapping[str, Any]) -> tuple[str, ...]:
    return job["kind"], _state(job), job["collection"], moment(job["created_at"])[5:16], job["job_id"]
