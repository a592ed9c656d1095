"""Where this run of `rag` finds its data and its settings: the global options, else the environment, else the usual context."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragd.cli.common.source_tokens import Given, headers_for

if TYPE_CHECKING:
    from ragd.client.blocking import Client
    from ragd.client.observer import Need
    from ragd.config.loading import Directories
    from ragd.config.settings import Settings


@dataclass(slots=True)
class CliContext:
    """What `--data-dir` and `--config-dir` said; resolved only when a command needs it, since that imports the settings."""

    data_dir: Path | None = None
    config_dir: Path | None = None
    source_tokens: tuple[Given, ...] = ()
    """The person's own tokens for cloud sources, where the command takes them."""

    @property
    def directories(self) -> Directories:
        from ragd.config.loading import Directories

        usual = Directories.default()
        data = self.data_dir.expanduser().absolute() if self.data_dir else usual.data
        config = self.config_dir.expanduser().absolute() if self.config_dir else usual.config
        return Directories(data, usual.models, config)

    @property
    def logs(self) -> Path:
        return self.directories.logs

    def settings(self, strategy: str | None = None) -> Settings:
        """Raises `SettingsError`."""
        from ragd.config.loading import load_settings

        return load_settings(self.directories.config, strategy=strategy)

    def get(self, path: str, **params: Any) -> Any:
        """What the service answers to one GET. Raises as `connect` does."""
        with self.connect() as client:
            return client.get(path, **params)

    @contextmanager
    def connect(self, need: Need = "content") -> Iterator[Client]:
        """A client of the daemon that runs, else of an API in this process, which opens first what `need` says.

        The person's tokens go along with every request. Raises `SettingsError`, `SourceNotFound`, `ModelUnavailable`,
        `DaemonAlreadyRunning`, `ServiceUnavailable`.
        """
        from ragd.cli.common.progress import Preparation
        from ragd.client.connect import connect

        with connect(self.directories, self.settings, need, Preparation()) as client:
            if self.source_tokens:
                client.send_along(headers_for(list(client.pages("/api/sources")), self.source_tokens))
            yield client
