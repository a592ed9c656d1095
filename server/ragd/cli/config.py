"""`rag config`: the settings that are in force and where they come from; `rag completion`: the shell's help with typing."""

from __future__ import annotations

import json
import re
from typing import Any

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import echo_json, fields, note, table

# Name and password of an address, such as a database's.
_LOGIN = re.compile(r"(?<=://)[^/@\s]+(?=@)")


@click.group()
def config() -> None:
    """Show the settings in force, and where things are."""


@config.command()
@click.option("--all", "every", is_flag=True, help="Those that have their defaults, too.")
@click.option("--strategy", metavar="NAME", help="With this strategy of the settings laid over them.")
@options.as_json
@click.pass_obj
def show(context: CliContext, every: bool, strategy: str | None, as_json: bool) -> None:
    """Show the settings that are in force, and what set them.

    Settings hold no secrets, only where they are; a name and a password in an address are not shown.
    """
    from ragd.config.loading import setting_names, setting_origins

    loaded, directory = context.settings(strategy), context.directories.config
    origins = setting_origins(directory, strategy)
    rows = []
    for name in setting_names():
        group, _, key = name.partition(".")
        value = getattr(getattr(loaded, group), key)
        if every or name in origins:
            rows.append({"setting": name, "value": _shown(value), "set_by": origins.get(name, "default")})
    if as_json:
        echo_json(rows)
        return
    if rows:
        values = [json.dumps(row["value"], ensure_ascii=False) for row in rows]
        shown = [(row["setting"], value, row["set_by"]) for row, value in zip(rows, values, strict=True)]
        table(("setting", "value", "set by"), shown)
    if not every:
        note(f"{'Every other' if rows else 'Every'} setting has its default: see --all, and docs/configuration.md.")


@config.command()
@options.as_json
@click.pass_obj
def path(context: CliContext, as_json: bool) -> None:
    """Show where settings, data, models and logs are."""
    directories = context.directories
    settings = directories.config / "settings.yaml"
    places = {
        "settings": settings,
        "strategies": directories.config / "strategies",
        "data": directories.data,
        "models": directories.models,
        "logs": directories.logs,
    }
    if as_json:
        echo_json({name: str(place) for name, place in places.items()})
        return
    fields([(name, f"{place}{'' if place.exists() else ' (not there yet)'}") for name, place in places.items()])


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish", "powershell"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print what makes the Tab key complete commands and options.

    \b
    bash   eval "$(rag completion bash)"       in ~/.bashrc
    zsh    eval "$(rag completion zsh)"        in ~/.zshrc
    fish   rag completion fish | source        in ~/.config/fish/config.fish
    powershell   rag completion powershell | Out-String | Invoke-Expression        in $PROFILE
    """
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made is not None, "a choice of click's own"
    click.echo(made(context.find_root().command, {}, "rag", "_RAG_COMPLETE").source())


def _shown(value: Any) -> Any:
    return _LOGIN.sub("***", value) if isinstance(value, str) else value
