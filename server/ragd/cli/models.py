"""`rag models`: the models that can be used, and the copies of them on this machine. No daemon is asked: the cache is shared."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.failures import FAILED
from ragd.cli.common.output import clean, echo_json, note, size, table


@click.group()
def models() -> None:
    """List, fetch and check models for embedding and reranking."""


@models.command("list")
@options.as_json
@click.pass_obj
def _list(context: CliContext, as_json: bool) -> None:
    """List the models and whether they are on this machine."""
    from ragd.models.store import list_models

    settings = context.settings()
    states = list_models(context.directories.models)
    here = {state.row.id for state in states if state.state == "cached"}
    chosen = {settings.embedding.model}
    # `auto` uses a cross-encoder that is here, and asks for none that is not.
    if settings.rerank.provider == "cross_encoder" or (settings.rerank.provider == "auto" and settings.rerank.model in here):
        chosen.add(settings.rerank.model)
    found: list[dict[str, Any]] = [
        {
            "id": state.row.id,
            "task": state.row.task,
            "dimension": state.row.dimension or None,
            "max_tokens": state.row.max_tokens,
            "licence": state.row.licence,
            "languages": state.row.languages,
            "state": state.state,
            "size": state.size,
            "problems": list(state.problems),
            "chosen": state.row.id in chosen,
        }
        for state in states
    ]
    if as_json:
        echo_json(found)
        return
    rows = []
    for one in found:
        on_disk = size(one["size"]) if one["size"] else ""
        mark = "*" if one["chosen"] else ""
        rows.append((mark, one["id"], one["task"], one["state"], on_disk, one["dimension"] or "", one["licence"]))
    table(("", "model", "task", "state", "on disk", "dims", "licence"), rows, numeric=("on disk", "dims"))
    note(f"* used by the settings (embedding.model, rerank.model); models are kept in {context.directories.models}")


@models.command("pull")
@click.argument("model_id", metavar="[ID]", required=False)
@click.option(
    "--progress",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    help="How to say what happens: json prints events, one a line.",
)
@click.pass_obj
def _pull(context: CliContext, model_id: str | None, form: str) -> None:
    """Fetch a model (embedding.model when no ID is given) and check it. One that is here already is only checked."""
    from ragd.cli.common.progress import Preparation
    from ragd.models.store import ensure_model

    chosen = context.settings().embedding
    wanted = model_id or chosen.model
    folders = [Path(folder).expanduser() for folder in chosen.model_folders]
    started = time.monotonic()
    if form == "json":
        _event("progress", text=f"Checking {wanted}", fraction=None)
        files = ensure_model(
            wanted,
            context.directories.models,
            progress=lambda text, done: _event("progress", text=text, fraction=done),
            extra_dirs=folders,
        )
        _event("done", model=files.row.id, folder=str(files.folder), revision=files.revision)
        return
    with Preparation(f"Checking {wanted}") as preparation:
        files = ensure_model(wanted, context.directories.models, progress=preparation.show, extra_dirs=folders)
    click.echo(
        f"{files.row.id} is ready in {clean(files.folder)} (revision {files.revision}, {time.monotonic() - started:.1f} s)."
    )


@models.command("verify")
@click.argument("model_id", metavar="[ID]", required=False)
@click.pass_obj
def _verify(context: CliContext, model_id: str | None) -> int:
    """Check every file of a model on this machine against its recorded size and SHA-256."""
    from ragd.models.store import verify_model

    wanted = model_id or context.settings().embedding.model
    problems = verify_model(wanted, context.directories.models)
    for problem in problems:
        click.echo(clean(problem))
    if problems:
        note(f"Mend it with `rag models pull {wanted}`.")
        return FAILED
    click.echo(f"{wanted} is sound.")
    return 0


def _event(name: str, **values: str | float | None) -> None:
    """For a program that shows our progress: at once, and in ASCII, since it need not know this machine's encoding."""
    click.echo(json.dumps({"event": name, **values}))
    sys.stdout.flush()
