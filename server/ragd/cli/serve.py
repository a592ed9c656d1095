"""`rag serve`: the daemon, in the foreground."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ragd.cli.common.context import CliContext
from ragd.cli.common.output import note

if TYPE_CHECKING:
    from ragd.core.instance import DaemonInfo


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), help="TCP port on 127.0.0.1; 0 takes a free one (else server.port).")
@click.option("--strategy", metavar="NAME", help="A strategy of the settings, laid over them for this daemon.")
@click.option(
    "--stop-when-unused",
    "unused_s",
    type=click.IntRange(1),
    metavar="SECONDS",
    help="Stop by itself so long after the last editor window has gone (no window yet: after 120 s at least).",
)
@click.pass_obj
def serve(context: CliContext, port: int | None, strategy: str | None, unused_s: int | None) -> int:
    """Run the daemon for editors and programs until Ctrl-C.

    It keeps the model in memory, so that every `rag` command and every editor on this machine gets its answer at once.
    """
    from ragd.cli.common.progress import Preparation
    from ragd.daemon.process import serve as run

    settings = context.settings(strategy)
    directories = context.directories
    preparation = Preparation()

    def ready(info: DaemonInfo) -> None:
        # Only the address: the token stays in daemon.json, which only its owner can read.
        preparation.stop()
        note(f"RAG Assistant is ready at {info.url}\nData directory: {directories.data}\nCtrl-C stops it.")

    with preparation:
        code = run(settings, directories, port=port, on_ready=ready, progress=preparation.show, stop_when_unused_s=unused_s)
    if code == 0:
        note("Stopped.")
    return code
