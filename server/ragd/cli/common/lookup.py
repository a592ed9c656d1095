"""Finding a source by what people call it."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

from ragd.core.errors import SourceNotFound

if TYPE_CHECKING:
    from ragd.client.blocking import Client


def find_source(client: Client, name: str) -> dict[str, Any]:
    """The source of that name, or of that id. Raises `SourceNotFound`."""
    wanted = unicodedata.normalize("NFC", name)
    found = next((item for item in client.pages("/api/sources") if wanted in (item["name"], item["id"])), None)
    if found is None:
        raise SourceNotFound(f"There is no source '{name}'. See `rag sources list`.")
    return found
