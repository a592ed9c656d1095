"""The command line `rag`: one more client of the REST contract.

Nothing heavy is imported here or at the top of a command's module, so that `rag --help` answers at once.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ragd import __version__
from ragd.cli.common.context import CliContext
from ragd.cli.common.failures import explain
from ragd.cli.common.output import use_utf8

# In the order of the help text; each name is imported from its module when it is needed.
COMMANDS = {
    "ingest": "ingest:ingest",
    "query": "query:query",
    "chat": "chat:chat",
    "collections": "collections:collections",
    "documents": "documents:documents",
    "assets": "assets:assets",
    "sources": "sources.command:sources",
    "sync": "sources.command:sync",
    "watch": "watch:watch",
    "jobs": "jobs:jobs",
    "traces": "traces.command:traces",
    "models": "models:models",
    "keys": "keys:keys",
    "eval": "eval.command:eval_",
    "extras": "extras.command:extras",
    "reindex": "ingest:reindex",
    "serve": "serve:serve",
    "worker": "worker:worker",
    "stop": "serve:stop",
    "dashboard": "serve:dashboard",
    "docs": "serve:docs",
    "mcp": "mcp:mcp",
    "backup": "backup:backup",
    "restore": "backup:restore",
    "store": "store:store",
    "bundle": "bundle.command:bundle",
    "config": "config:config",
    "completion": "config:completion",
    "status": "status:status",
    "doctor": "doctor.command:doctor",
}


class _RootGroup(click.Group):
    """Finds commands by the table above, and turns whatever goes wrong into a message and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(f"ragd.cli.{module}"), attribute)
        return command

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run as `click` does. With `standalone_mode` (the default) it ends in `SystemExit` with one of our exit codes."""
        context = CliContext()
        use_utf8()
        try:
            code = super().main(args, prog_name, complete_var, standalone_mode=False, obj=context, **extra)
        except (Exception, KeyboardInterrupt) as error:
            if not standalone_mode:
                raise
            raise SystemExit(explain(error, context)) from error
        if not standalone_mode:
            return code
        raise SystemExit(code if isinstance(code, int) else 0)


@click.group(cls=_RootGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--data-dir",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the documents' content and indexes are kept (else RAG_DATA_DIR, else the usual place).",
)
@click.option(
    "--config-dir",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of settings.yaml and strategies/ (else RAG_CONFIG_DIR, else the usual place).",
)
@click.version_option(__version__, prog_name="rag", message="%(prog)s %(version)s")
@click.pass_obj
def cli(context: CliContext, data_dir: Path | None, config_dir: Path | None) -> None:
    """Search your documents, with citations that open the source at the exact place.

    \b
    rag ingest ~/docs              read documents
    rag query "how do I …?"        find the passages that answer
    rag doctor                     find out what is wrong

    A running daemon (`rag serve`, or the editor's) is used when there is one; without one each command does the work itself.
    """
    context.data_dir = data_dir
    context.config_dir = config_dir


def main() -> None:
    """The entry point of `rag`."""
    cli(prog_name="rag")
