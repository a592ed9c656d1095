"""Something to ingest that a source fetched from elsewhere: it has a web address instead of a path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RemoteItem:
    """An item of the ingestion line. `label` is its id: what errors and logs call it, since its title may be secret.

    `load(limit)` gives its bytes and raises what `Item.read` raises.
    """

    source: str
    uri: str
    name: str
    label: str
    load: Callable[[int], bytes]
    loader: str | None = None
    folder: str = ""
    links_root: str = ""

    def size(self) -> int:
        return 0

    def read(self, limit: int) -> bytes:
        return self.load(limit)
