"""`rag worker`: runs jobs in a process of its own, beside daemons that answer."""

from __future__ import annotations

import click

from ragd.cli.common.context import CliContext
from ragd.cli.common.output import note

# As in `ragd.jobs.deliveries`, which takes long to load.
_QUEUES = ("parse", "embed", "sync")


def _names(_context: click.Context, _parameter: click.Parameter, value: str) -> list[str]:
    names = [name.strip() for name in value.split(",") if name.strip()]
    if unknown := sorted({*names} - {*_QUEUES}):
        raise click.BadParameter(f"there is no queue '{unknown[0]}'; there are {', '.join(_QUEUES)}.")
    return names


@click.command()
@click.option("--concurrency", type=click.IntRange(1, 64), default=1, show_default=True, help="Jobs at a time.")
@click.option("--queues", callback=_names, default="", metavar="NAMES", help="parse, embed and sync, or some of them (else all).")
@click.option("--strategy", metavar="NAME", help="A strategy of the settings, laid over them for this worker.")
@click.option(
    "--metrics-port", type=click.IntRange(1, 65535), help="Tell Prometheus there what this worker counts (else nowhere)."
)
@click.option("--metrics-host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="Address of that port.")
@click.pass_obj
def worker(
    context: CliContext, concurrency: int, queues: list[str], strategy: str | None, metrics_port: int | None, metrics_host: str
) -> int:
    """Run jobs beside daemons that answer.

    Until Ctrl-C. For jobs.queue: procrastinate, on any number of machines.
    """
    from ragd.cli.common.progress import Preparation
    from ragd.core.lazy import loading

    with loading():
        from ragd.daemon.worker import work

    preparation = Preparation()

    def ready(name: str) -> None:
        preparation.stop()
        note(f"{name} is ready.\nCtrl-C stops it.")

    with preparation:
        code = work(
            context.settings(strategy),
            context.directories,
            queues=queues,
            concurrency=concurrency,
            metrics_port=metrics_port,
            metrics_host=metrics_host,
            on_ready=ready,
            progress=preparation.show,
        )
    if code == 0:
        note("Stopped.")
    return code
