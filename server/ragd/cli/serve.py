"""`rag serve`: the daemon, in the foreground; `rag stop`: its end, from elsewhere."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

import click

from ragd.cli.common.context import CliContext
from ragd.cli.common.output import note

if TYPE_CHECKING:
    from ragd.core.instance import DaemonInfo

# Seconds that a daemon may take to end: it answers what it was asked, and its job goes on to a safe point.
_ENDS_WITHIN_S: Final = 60.0
_LOOK_EVERY_S: Final = 0.1


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), help="TCP port; 0 takes a free one (else server.port).")
@click.option("--host", metavar="ADDRESS", help="Address to listen on; one of the network needs server mode (else server.host).")
@click.option("--strategy", metavar="NAME", help="A strategy of the settings, laid over them for this daemon.")
@click.option(
    "--workers",
    "count",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    metavar="N",
    help="Processes that answer at this address, on PostgreSQL; `rag worker` runs the jobs then.",
)
@click.option(
    "--stop-when-unused",
    "unused_s",
    type=click.IntRange(1),
    metavar="SECONDS",
    help="Stop by itself so long after the last editor window has gone (no window yet: after 120 s at least).",
)
@click.pass_obj
def serve(context: CliContext, port: int | None, host: str | None, strategy: str | None, count: int, unused_s: int | None) -> int:
    """Run the daemon for editors and programs until Ctrl-C.

    It keeps the model in memory, so that every `rag` command and every editor on this machine gets its answer at once.
    """
    from ragd.cli.common.progress import Preparation
    from ragd.core.lazy import loading

    if count > 1 and unused_s is not None:
        raise click.UsageError("--stop-when-unused counts the windows of one process; leave --workers out.")
    settings = context.settings(strategy)
    directories = context.directories
    preparation = Preparation()

    def ready(info: DaemonInfo) -> None:
        # Only the address: the token stays in daemon.json, which only its owner can read.
        preparation.stop()
        note(f"RAG Assistant is ready at {info.url}\nData directory: {directories.data}\nCtrl-C stops it.")

    with preparation:
        if count > 1:
            from ragd.daemon.replicas import serve_replicas

            code = serve_replicas(settings, directories, count, port=port, host=host, on_ready=ready)
        else:
            with loading():
                from ragd.daemon.process import serve as run

            code = run(
                settings,
                directories,
                port=port,
                host=host,
                on_ready=ready,
                progress=preparation.show,
                stop_when_unused_s=unused_s,
            )
    if code == 0:
        note("Stopped.")
    return code


@click.command()
@click.pass_obj
def stop(context: CliContext) -> None:
    """Stop the daemon.

    Whoever started it. Unfinished jobs go on when it is started again.
    """
    from contextlib import closing

    from ragd.client.blocking import Client
    from ragd.client.discovery import find_daemon
    from ragd.core.errors import DaemonAlreadyRunning
    from ragd.core.instance import Ownership, is_owned

    data = context.directories.data
    daemon = find_daemon(data)
    if daemon is None:
        if data.is_dir() and is_owned(data):
            Ownership(data).release()  # says who has it, unless it ends at this moment
        note("No daemon is running.")
        return
    with closing(Client.of(daemon)) as client:
        client.post("/api/stop")
    until = time.monotonic() + _ENDS_WITHIN_S
    while is_owned(data):
        if time.monotonic() > until:
            raise DaemonAlreadyRunning(f"The daemon at {daemon.url} was asked to stop and still works. Try again in a minute.")
        time.sleep(_LOOK_EVERY_S)
    note("Stopped.")


@click.command()
@click.option("--open", "is_opened", is_flag=True, help="Open it in the browser.")
@click.pass_obj
def docs(context: CliContext, is_opened: bool) -> None:
    """Print a link to the daemon's API description.

    It opens in a browser, once and within two minutes; the page then stays for twelve hours. The daemon must run.
    """
    link = _browser_link(context, "/api/browser-link")
    click.echo(link)
    if is_opened and click.launch(link):
        note("No browser could be started here.")


@click.command()
@click.option("--print-url", "is_printed", is_flag=True, help="Print the link instead of opening it.")
@click.pass_obj
def dashboard(context: CliContext, is_printed: bool) -> None:
    """Open the dashboard in the browser: why an answer is as it is.

    The link opens once and within two minutes; the pages then stay for twelve hours. The daemon must run.
    """
    link = _browser_link(context, "/api/dashboard-link")
    if is_printed or click.launch(link):
        click.echo(link)


def _browser_link(context: CliContext, route: str) -> str:
    """A whole address that a browser can open once. Raises `ServiceUnavailable` without a daemon."""
    from ragd.core.errors import ServiceUnavailable

    with context.connect() as client:
        if not client.is_daemon:
            raise ServiceUnavailable("No daemon is running: start one with `rag serve`, then run this beside it.")
        path: str = client.post(route)["path"]
        return f"{client.address}{path}"
