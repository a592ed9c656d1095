"""`rag mcp`: the library for agents, by stdio. The client starts it, and ends it by closing its input."""

from __future__ import annotations

import sys

import click

from ragd.cli.common.context import CliContext
from ragd.cli.common.output import note
from ragd.cli.common.source_tokens import headers_for, source_tokens


@click.command()
@source_tokens
@click.pass_obj
def mcp(context: CliContext) -> None:
    """Serve an agent by MCP, on stdin and stdout.

    A client of the Model Context Protocol starts it: see docs/mcp.md for how to tell it to. It asks the daemon, and starts one in
    the background when none runs. Off unless mcp.enabled is set.
    """
    from ragd.config.policy import mcp_verdict
    from ragd.core.errors import SettingsError

    settings = context.settings()
    verdict = mcp_verdict(settings.mcp, "stdio")
    if not verdict.on:
        raise SettingsError(verdict.reason)
    if sys.stdin.isatty():
        note("This speaks to a program: an MCP client starts it (see docs/mcp.md). Ctrl-C ends it.")
    from ragd.mcp.stdio import serve

    given = context.source_tokens
    serve(settings, context.directories, (lambda sources: headers_for(sources, given)) if given else None)
