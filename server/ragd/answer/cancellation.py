"""Cancels work in another thread that nobody waits for any more."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager

from ragd.providers.protocols import PieceStream


class Cancellation:
    """Set once. A model's stream that is open then is closed at once, and one that is opened later, too."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._set = False
        self._stream: PieceStream | None = None

    @property
    def is_set(self) -> bool:
        return self._set

    def cancel(self) -> None:
        """May be called from any thread, and more than once."""
        with self._lock:
            self._set = True
            stream = self._stream
        if stream is not None:
            stream.close()

    @contextmanager
    def closing(self, stream: PieceStream) -> Generator[None]:
        """Close the stream at the end of the block, or as soon as the work is cancelled."""
        with self._lock:
            self._stream = stream
        try:
            if self._set:
                stream.close()
            yield
        finally:
            with self._lock:
                self._stream = None
            stream.close()
