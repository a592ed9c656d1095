"""`rag status`: what is loaded, where the data is, and how much there is of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import echo_json, fields, plural, warn


@click.command()
@options.as_json
@click.pass_obj
def status(context: CliContext, as_json: bool) -> None:
    """Show what is loaded and how much is indexed."""
    with context.connect() as client:
        answer = client.get("/api/status")
        daemon = client.address if client.is_daemon else None
    if as_json:
        echo_json(answer)
        return
    model, stores, counts = answer["model"], answer["stores"], answer["counts"]
    about_model = [f"{model['dim']} dimensions on {model['device']}"] if "dim" in model else []
    indexed = [plural(counts[name], name.removesuffix("s")) for name in ("collections", "documents", "chunks")]
    fields(
        [
            ("Version", answer["version"]),
            ("Daemon", f"{daemon}{'' if answer['ready'] else ' (getting ready)'}" if daemon else "not running"),
            ("Data", answer["data_dir"]),
            ("Indexed", ", ".join(indexed)),
            ("Model", ", ".join([f"{model['id']} ({model['provider']})", *about_model])),
            ("Reranker", _reranker(answer["reranker"])),
            ("Answers", _answers(answer["llm"])),
            ("Stores", f"content {stores['facts']}, dense {stores['dense']}, sparse {stores['sparse']}"),
            ("Token vectors", _token_index(answer["token_index"])),
        ]
    )
    for notice in answer["notices"]:
        warn(notice)


def _token_index(found: Mapping[str, Any]) -> str:
    """Where they are kept, and how many documents have theirs yet."""
    if found["provider"] == "auto":  # until the model is loaded
        return "in files, where the model has a basis"
    if (building := found["building"]) is None:
        return str(found["provider"])
    return f"{found['provider']}, being made in the background: {building['done']:,} of {plural(building['total'], 'document')}"


def _reranker(found: Mapping[str, Any]) -> str:
    """What sorts the passages. `auto` stands there only until the first question decides."""
    if found["provider"] == "auto":
        return "chosen at the first question: the cross-encoder where its files are there, else maxsim"
    return "none: passages keep the order of the search" if found["provider"] == "none" else str(found["provider"])


def _answers(model: Mapping[str, Any]) -> str:
    """What writes the answers."""
    if model["provider"] == "none":
        return "quoted sentences, no language model"
    return f"{model['provider']} {model['model'] or ''}"
