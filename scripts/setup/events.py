"""What the set-up tells the extension: one JSON object a line on standard output, passwords masked."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TextIO
from urllib.parse import unquote, urlsplit

from setup import processes
from setup.console import StopError

SECONDS_BETWEEN_STATUSES = 0.5
SECONDS_BETWEEN_SIGNS_OF_LIFE = 1.0

_USER_INFO = re.compile(r"([A-Za-z][\w+.-]*://)[^\s/@'\"]+@")
# Shorter ones would be found in ordinary words.
_SHORTEST_SECRET = 4


class Mask:
    """Hides what stands before the @ of an address, and the passwords of these addresses wherever they stand."""

    def __init__(self, addresses: Iterable[str]) -> None:
        found = {secret for address in addresses for secret in secrets_of(address) if len(secret) >= _SHORTEST_SECRET}
        self._secrets = sorted(found, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "****")
        return _USER_INFO.sub(r"\1****@", text)


def secrets_of(address: str) -> set[str]:
    """The password of an address, or the token that stands in the user's place, as written and decoded."""
    try:
        parts = urlsplit(address)
        secret = parts.password or parts.username or ""
    except ValueError:
        return set()  # not an address
    return {secret, unquote(secret)}


class Events:
    def __init__(self, stream: TextIO, mask: Mask) -> None:
        self._stream = stream
        self._mask = mask
        self.inherited: Sequence[int] = ()
        """File descriptors that programs get from us."""

    def step(self, name: str, title: str) -> None:
        self._emit("step", step=name, title=title)

    def note(self, text: str) -> None:
        self._emit("note", text=text)

    def status(self, text: str, seconds: float) -> None:
        self._emit("status", text=text, seconds=int(seconds))

    def failed(self, error: StopError) -> None:
        where = {"cause": error.cause, "index": error.index}
        self._emit("failed", code=error.code, message=error.message, advice=error.in_editor, log=error.log, **where)

    def done(self, python: Path, executable: Path, version: str) -> None:
        self._emit("done", python=str(python), executable=str(executable), version=version)

    def run_quietly(self, command: Sequence[str], *, env: Mapping[str, str], cwd: Path) -> list[str]:
        """Run to the end with a status at most twice a second; the lines that it printed, or CommandFailedError."""
        told, told_at = "", 0.0

        def tell(seconds: float, text: str) -> None:
            nonlocal told, told_at
            pause = SECONDS_BETWEEN_SIGNS_OF_LIFE if text == told else SECONDS_BETWEEN_STATUSES
            if text and time.monotonic() - told_at >= pause:
                told, told_at = text, time.monotonic()
                self.status(text, seconds)

        return processes.run(command, env=env, cwd=cwd, on_progress=tell, pass_fds=self.inherited)

    def _emit(self, event: str, **fields: str | int | list[str]) -> None:
        # ASCII only: the reader need not know the encoding of this machine.
        line = json.dumps({"event": event, **{name: self._masked(value) for name, value in fields.items()}})
        print(line, file=self._stream, flush=True)

    def _masked(self, value: str | int | list[str]) -> str | int | list[str]:
        if isinstance(value, list):
            return [self._mask(line) for line in value]
        return self._mask(value) if isinstance(value, str) else value
