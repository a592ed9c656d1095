"""The daemon of a data directory, if one runs: `daemon.json` names it, and the lock says whether that is still true."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx2

from ragd.core.instance import is_owned, read_info

_HEALTH_TIMEOUT_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Daemon:
    """A daemon that answers. `headers` carry its token."""

    url: httpx2.URL
    version: str
    headers: Mapping[str, str] = field(repr=False)


def find_daemon(data_dir: Path) -> Daemon | None:
    """The daemon that owns this directory and answers. What a dead process left in `daemon.json` is not believed."""
    info = read_info(data_dir)
    if info is None or info.url is None or info.token is None:
        return None
    try:
        url = httpx2.URL(str(info.url))
        # A proxy of the environment has no business between two processes of one machine.
        healthy = httpx2.get(url.join("/health"), timeout=_HEALTH_TIMEOUT_S, trust_env=False).is_success
    except (httpx2.TransportError, httpx2.InvalidURL):
        return None
    if not healthy or not is_owned(data_dir):
        return None
    return Daemon(url, info.version, {"Authorization": f"Bearer {info.token}"})
