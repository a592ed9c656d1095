"""Reading what an item holds now, as the ingestion pipeline would: by its loader, in a process of its own, pictures aside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ragd.access.passages import Body
from ragd.core.storage import Asset
from ragd.ingest.discovery.file_rules import shown
from ragd.ingest.discovery.files import LoaderFor, unsupported
from ragd.ingest.workers.pool import Parser, ParseTask
from ragd.sources.base import Fetched


@dataclass(frozen=True, slots=True)
class BodyReader:
    """Makes bodies of items. Safe to use from several threads. `parser` opens the processes that read."""

    parser: Callable[[], Parser]
    loader_for: LoaderFor

    def __call__(self, fetched: Fetched, version: str, data: bytes) -> Body:
        """Raises `UnsupportedMediaType`, and `ParseFailed` or one of its kinds."""
        loader = fetched.loader or self.loader_for(fetched.name)
        if loader is None:
            raise unsupported(fetched.id)
        task = ParseTask(loader, shown(fetched.name), data, label=fetched.id)
        with self.parser().open(task, lambda _done, _total: None) as parsing:
            document = parsing.document()
            pictures = parsing.pictures(_kept_already)
        shows = frozenset(link.asset_id for link in pictures.links)
        return Body(version, fetched.title, fetched.source, fetched.uri, document, shows)


def _kept_already(asset_ids: Sequence[str]) -> Mapping[str, Asset]:
    """Every picture: the passage names those that the index has, and nobody waits for text to be recognised in others."""
    return {asset_id: Asset(asset_id, "", 0, 0, "", None, "") for asset_id in asset_ids}
