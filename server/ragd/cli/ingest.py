"""`rag ingest` and `rag reindex`: work that runs as a job, with its progress and its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.failures import FAILED
from ragd.cli.common.output import clean, echo_json, note, plural, print_failed
from ragd.client.errors import ApiError
from ragd.core.errors import CollectionNameConflict, CollectionNotFound, RagError

if TYPE_CHECKING:
    from ragd.client.blocking import Client

DEFAULT_COLLECTION = "default"

_MOST_SHOWN: Final = 10

COUNTED = ("added", "updated", "unchanged", "moved", "deleted", "skipped")


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path(exists=True, path_type=Path))
@options.in_collection(f"Where the documents go (else `{DEFAULT_COLLECTION}`).")
@options.create
@click.option("--force", is_flag=True, help="Read unchanged files again, too.")
@click.option("--no-recursive", is_flag=True, help="Leave out the folders in a folder.")
@click.option("--no-gitignore", is_flag=True, help="Take what .gitignore files name, too.")
@click.option("--prune", is_flag=True, help="Delete documents of the given folders whose files are no more.")
@click.option("--ray", "cluster", metavar="ADDRESS", help="Have it done on a Ray cluster (docs/scale.md), or by `local`.")
@options.no_wait
@options.as_json
@click.pass_obj
def ingest(
    context: CliContext,
    paths: tuple[Path, ...],
    collection: str | None,
    create: bool,
    force: bool,
    no_recursive: bool,
    no_gitignore: bool,
    prune: bool,
    cluster: str | None,
    no_wait: bool,
    as_json: bool,
) -> int:
    """Read files and folders into a collection.

    Unchanged files cost nothing. A file that can't be read is reported and the others go on; the exit status is then 1.
    Ctrl-C cancels; what was finished stays.
    """
    name = collection or DEFAULT_COLLECTION
    body: dict[str, Any] = {"paths": [str(path.absolute()) for path in paths], "collection": name, "force": force}
    body |= {"recursive": not no_recursive, "gitignore": not no_gitignore, "prune": prune}

    if cluster:
        if no_wait:
            raise click.UsageError("--ray needs this command until the end; leave --no-wait out.")
        return _on_cluster(context, cluster, body, create=create, as_json=as_json)

    def start(client: Client) -> Any:
        if create and collection:
            ensure_collection(client, collection)
        try:
            return client.post("/api/ingest", body)
        except ApiError as error:
            if error.code == CollectionNotFound.code:
                error.message = f"There is no collection '{name}'. Make it with `rag collections add {name}`, or add --create."
            raise

    return _run(context, start, f"Ingesting into {name}", no_wait=no_wait, as_json=as_json)


def _on_cluster(context: CliContext, address: str, body: Mapping[str, Any], *, create: bool, as_json: bool) -> int:
    from ragd.cli.common.progress import JobProgress
    from ragd.core.lazy import loading

    with loading():
        from ragd.api.responses import job_response
        from ragd.daemon.bulk import ingest_elsewhere
        from ragd.daemon.ray_stages import on_ray

    settings, directories = context.settings(), context.directories
    elsewhere = on_ray(address, settings, directories)
    with JobProgress(f"Ingesting into {body['collection']}") as progress:
        job = ingest_elsewhere(
            settings,
            directories,
            elsewhere,
            body,
            create=create,
            on_progress=lambda job: progress.update(job_response(job)),
        )
    return report_job(job_response(job), context.logs, as_json=as_json)


@click.command()
@options.in_collection("Only this collection (else all that are enabled).")
@options.no_wait
@options.as_json
@click.pass_obj
def reindex(context: CliContext, collection: str | None, no_wait: bool, as_json: bool) -> int:
    """Make the indexes anew from the stored content. No file is read again."""
    body = {"collection": collection} if collection else {}
    return _run(context, lambda client: client.post("/api/reindex", body), "Indexing", no_wait=no_wait, as_json=as_json)


def _run(context: CliContext, start: Callable[[Client], Any], label: str, *, no_wait: bool, as_json: bool) -> int:
    """Start a job, and follow it to its end or leave it in the queue; gives the exit code."""
    from ragd.cli.common.progress import follow

    with context.connect("content" if no_wait else "jobs") as client:
        job = start(client)
        if not no_wait:
            return report_job(follow(client, job["job_id"], label, cancel=True), context.logs, as_json=as_json)
        if as_json:
            echo_json(job)
        else:
            click.echo(f"Queued as job {job['job_id']}.")
        if not client.is_daemon:
            note(f"No daemon is running. The job starts with `rag serve`, or now with `rag jobs watch {job['job_id']}`.")
    return 0


def print_result(job: Mapping[str, Any], logs: Path, *, nothing: str = "no documents found") -> None:
    """What a job that has ended did (`nothing` when that is so), or why it could not go on."""
    what = f"Job {job['job_id']}" if job["kind"] == "rebuild" else job["collection"]
    if job["status"] != "completed":
        reason = f": {job['error']['message']}" if job["error"] else ""
        click.echo(f"{what}: {job['status']}{clean(reason)}")
        if job["error"] and job["error"]["code"] == RagError.code:
            note(f"Logs are in {logs}.")
        return
    result = job["result"]
    counted = [f"{result[name]:,} {name}" for name in COUNTED if result.get(name)]
    counted += [f"{len(result['failed']):,} failed"] if result["failed"] else []
    vectors = f"{plural(result['chunks'], 'chunk')} ({result['embedded']:,} embedded, {result['reused']:,} reused)"
    click.echo(f"{what}: {', '.join(counted) or nothing}; {vectors} in {_seconds(job):.1f} s")
    if result.get("drift"):
        _print_drift(result["drift"])
    if result.get("lacking_ocr"):
        documents = plural(result["lacking_ocr"], "document")
        click.echo(f"{documents} with scanned pages without text; to read them: `rag extras add ocr`, then ingest again.")
    _print_left_out(result.get("left_out", []), result.get("left_out_count", 0), job["job_id"])
    print_failed(result["failed"])
    if gone := result.get("gone"):
        names = result["gone_names"]
        click.echo(f"{plural(gone, 'document')} can still be found although the files are no more: `--prune` deletes them.")
        for name in names:
            click.echo(f"    {clean(name)}")
        if gone > len(names):
            click.echo(f"    … and {gone - len(names):,} others")


def _print_left_out(left_out: Sequence[Mapping[str, Any]], count: int, job_id: str) -> None:
    """The first files and folders that were seen and not read, each with its reason."""
    if not left_out:
        return
    click.echo(f"{count:,} left out:")
    for one in left_out[:_MOST_SHOWN]:
        click.echo(f"  {clean(one['source'])}: {clean(one['message'])}")
    if count > _MOST_SHOWN:
        click.echo(f"  … and {count - _MOST_SHOWN:,} more: `rag jobs show {job_id} --json` names them.")


def _print_drift(drift: Mapping[str, Any]) -> None:
    """How the structure of rebuilt documents differs from what it was, when it does."""
    documents, chunks, tokens = drift["documents"], drift["chunks"], drift["tokens"]
    if not documents["sections_changed"] and not documents["chunks_changed"]:
        return
    click.echo(
        f"Of {plural(documents['compared'], 'document')}, {documents['sections_changed']:,} have other sections and "
        f"{documents['chunks_changed']:,} other chunks: {chunks['before']:,} before, {chunks['after']:,} now, "
        f"{chunks['kept_share']:.0%} kept."
    )
    before, after = tokens["before"], tokens["after"]
    if before["mean"] is not None and after["mean"] is not None:
        means, tails = f"{before['mean']:.0f} before, {after['mean']:.0f} now", f"{before['p95']}, {after['p95']}"
        click.echo(f"Tokens of a chunk: mean {means}; p95 {tails}.")


def _seconds(job: Mapping[str, Any]) -> float:
    """How long a job has run."""
    from datetime import datetime

    if not job["started_at"] or not job["finished_at"]:
        return 0.0
    return (datetime.fromisoformat(job["finished_at"]) - datetime.fromisoformat(job["started_at"])).total_seconds()


def outcome(job: Mapping[str, Any]) -> int:
    """The exit code for a job that has ended."""
    return 0 if job["status"] == "completed" and not job["result"]["failed"] else FAILED


def report_job(job: Mapping[str, Any], logs: Path, *, as_json: bool) -> int:
    """Print what a job did; returns the exit code."""
    if as_json:
        echo_json(job)
    else:
        print_result(job, logs)
    return outcome(job)


def ensure_collection(client: Client, name: str) -> None:
    """Make a collection when there is none of that name."""
    try:
        client.post("/api/collections", {"name": name})
    except ApiError as error:
        if error.code != CollectionNameConflict.code:
            raise
