"""The stages of an ingestion on a Ray cluster: read → embed → store, each by processes of its own (https://docs.ray.io).

Ray Data moves parts of the files from stage to stage, holds those back that would fill the memory, and gives a part to another
process when one is lost. Its processes run code that whoever reaches the cluster sends: the cluster is to be trusted like the
database, and has the same settings, secrets, paths and packages as workers have.
"""

from __future__ import annotations

import logging
import os
import pickle
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any, Final

from ragd.config.loading import Directories
from ragd.config.settings import Settings
from ragd.core.errors import ServiceUnavailable, SettingsError
from ragd.daemon.bulk import beside_others
from ragd.ingest.bulk import Stages, parts
from ragd.ingest.reading import Elsewhere, Files, Tally

log = logging.getLogger(__name__)

LOCAL: Final = "local"
"""Stands for a cluster of this machine alone, which is begun and ended with the ingestion."""

# Processor cores that each process of a stage is counted for. Reading has processes below it, which do the work.
_CORES: Final = {"read": 0.5, "embed": 0.5, "store": 0.0}
_DEVICES_ON_GPU: Final = ("cuda", "gpu", "tensorrt")


class _Stage:
    """A process of one stage, for as long as the ingestion lasts."""

    def __init__(self, name: str, settings: Settings, directories: Directories) -> None:
        self._open = ExitStack()
        app = self._open.enter_context(beside_others(settings, directories, f"ray-{name}"))
        self._work = getattr(Stages(app.ingestion()), name)

    def __call__(self, row: Mapping[str, bytes]) -> dict[str, bytes]:
        return {"part": pickle.dumps(self._work(pickle.loads(row["part"])))}


def on_ray(address: str, settings: Settings, directories: Directories) -> Elsewhere:
    """What runs stages on the cluster at `address`: `local`, `auto`, or `ray://HOST:PORT`. Raises `SettingsError` without Ray."""
    # Its own wish to report how it is used; a cluster that runs already was asked at its start.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ModuleNotFoundError as error:
        raise SettingsError("--ray needs a package that is not installed. Run: rag extras add ray") from error

    def run(files: Files, links: Mapping[str, str | None]) -> Iterator[Tally]:
        rows = [{"part": pickle.dumps(part)} for part in parts(files, links)]
        if not rows:
            return
        try:
            ray.init(address, include_dashboard=False if address == LOCAL else None, log_to_driver=False, configure_logging=False)
            log.info("ray begins", extra={"parts": len(rows), "resources": ray.cluster_resources()})
            for row in _stages(rows, settings, directories).iter_rows():
                yield pickle.loads(row["part"])
        except (ray.exceptions.RayError, ConnectionError) as error:
            raise ServiceUnavailable(
                f"Ray could not go on: {_said(error)}. What was stored stays; run it again to go on from there."
            ) from error
        finally:
            ray.shutdown()

    return run


def _stages(rows: list[dict[str, bytes]], settings: Settings, directories: Directories) -> Any:
    from ray.data import ActorPoolStrategy, DataContext, from_items

    context = DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    gpus = 1 if settings.embedding.device in _DEVICES_ON_GPU else 0
    data = from_items(rows, override_num_blocks=len(rows))
    for name, cores in _CORES.items():
        data = data.map(
            _Stage,
            fn_constructor_args=(name, settings, directories),
            # One embeds on each GPU there is; one writing transaction at a time is at work in the database.
            compute=ActorPoolStrategy(min_size=1, max_size=1 if name == "store" else None),
            num_cpus=cores,
            num_gpus=gpus if name == "embed" else 0,
        )
    return data


def _said(error: Exception) -> str:
    """The last line of what it says, which is the cause."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else type(error).__name__
