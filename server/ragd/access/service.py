"""The one place where the rights of whoever asks are looked up, for every interface of an app."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ragd.access.bodies import BodyReader
from ragd.access.checks import AccessChecks
from ragd.access.context import AccessContext, PassageTools
from ragd.access.sources import Opening
from ragd.config.sources import LiveSettings
from ragd.ingest.discovery.files import LoaderFor
from ragd.ingest.workers.pool import Parser
from ragd.store.ledger import Ledger
from ragd.store.origins import Origins


class LiveAccess:
    """Makes access contexts, which share proofs, contents and open sources. Safe to use from several threads."""

    def __init__(
        self,
        *,
        origins: Origins,
        ledger: Ledger,
        opening: Opening,
        options: LiveSettings,
        parser: Callable[[], Parser],
        loader_for: LoaderFor,
        tools: PassageTools,
        max_size: int,
    ) -> None:
        """`max_size` is of one item, in bytes."""
        self.origins = origins
        self._ledger = ledger
        self._options = options
        self._tools = tools
        self._checks = AccessChecks(opening, BodyReader(parser, loader_for), options, max_size)

    def context(self, tokens: Mapping[str, str]) -> AccessContext:
        """Whoever asks with these tokens, by source id; none at all is somebody, too. For one request."""
        return AccessContext(
            tokens,
            origins=self.origins,
            ledger=self._ledger,
            checks=self._checks,
            options=self._options,
            tools=self._tools,
        )

    def close(self) -> None:
        self._checks.close()
