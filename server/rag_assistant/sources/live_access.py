"""The one place where the rights of whoever asks are looked up, for every door of an app."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlalchemy import Engine

from rag_assistant.ingest.files import LoaderFor
from rag_assistant.ingest.workers import Parser
from rag_assistant.settings import LiveSettings
from rag_assistant.sources.live import Asker, LiveParts
from rag_assistant.sources.live_asking import Asking
from rag_assistant.sources.live_bodies import BodyReader
from rag_assistant.sources.live_sources import Opening
from rag_assistant.store.ledger import Ledger
from rag_assistant.store.origins import Origins


class LiveAccess:
    """Makes askers, which share proofs, contents and open sources. Safe to use from several threads."""

    def __init__(
        self,
        engine: Engine,
        *,
        opening: Opening,
        options: LiveSettings,
        parser: Callable[[], Parser],
        loader_for: LoaderFor,
        parts: LiveParts,
        max_size: int,
    ) -> None:
        """`max_size` is of one item, in bytes."""
        self.origins = Origins(engine)
        self._ledger = Ledger(engine)
        self._options = options
        self._parts = parts
        self._asking = Asking(opening, BodyReader(parser, loader_for), options, max_size)

    def asker(self, tokens: Mapping[str, str]) -> Asker:
        """Whoever asks with these tokens, by source id; none at all is somebody, too. For one request."""
        return Asker(
            tokens,
            origins=self.origins,
            ledger=self._ledger,
            asking=self._asking,
            options=self._options,
            parts=self._parts,
        )

    def close(self) -> None:
        self._asking.close()
