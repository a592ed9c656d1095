"""What a program says when it connects, what it needs open, and what it hears of meanwhile."""

from __future__ import annotations

import logging
import time
from contextlib import AbstractContextManager, nullcontext
from typing import Final, Literal

from ragd.client.blocking import Client

log = logging.getLogger(__name__)

_POLL_S: Final = 0.2

Need = Literal["content", "search", "session", "jobs", "watch"]
"""What an API in this process opens first. Looking things up needs the database only; searching needs the model and sound
indexes, and a session searches for longer than a moment; jobs need somebody to run them, too; and watching needs somebody to
follow the sources that are added or changed. From a session on, other programs are answered as long as it lasts."""


class Observer:
    """What a client reports while it connects. This one writes to the log and shows nothing."""

    def warn(self, message: str) -> None:
        log.info(message)

    def wait(self, message: str) -> None:
        """Another process is waited for."""
        log.info(message)

    def show(self, what: str, done: float | None) -> None:
        """What is being opened or fetched, and how much of it is done (0..1) where that is known."""

    def opening(self) -> AbstractContextManager[object]:
        """Surrounds the opening of the model and the indexes."""
        return nullcontext()

    def repair(self, client: Client, job_id: str) -> None:
        """Follow the job that repairs the indexes until it has ended."""
        while client.get(f"/api/jobs/{job_id}")["finished_at"] is None:
            time.sleep(_POLL_S)
