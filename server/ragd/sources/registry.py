"""Which handler serves each type of source. A new remote type is a provider of kind `source`, and needs no handler."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ragd.core.errors import ValidationFailed
from ragd.providers.registry import names
from ragd.sources.folder.handler import FolderHandler
from ragd.sources.handler import HandlerContext, SourceHandler
from ragd.sources.sync.handler import CloudHandler

_LOCAL: Final[Mapping[str, type[SourceHandler]]] = {"folder": FolderHandler}
"""Types that whoever may ask this daemon may read."""


def local_types() -> tuple[str, ...]:
    """Types of sources that have no rights of their own."""
    return tuple(_LOCAL)


class SourceHandlers:
    def __init__(self, context: HandlerContext) -> None:
        self.remote = CloudHandler(context)
        self._local = {name: handler(context) for name, handler in _LOCAL.items()}
        self.all: tuple[SourceHandler, ...] = (*self._local.values(), self.remote)

    def known(self, type_: str) -> SourceHandler:
        """The handler of a type. Raises `ValidationFailed` for one that there is none of."""
        types = (*self._local, *names("source"))
        if type_ not in types:
            message = f"There is no source type '{type_[:80]}'. Known: {', '.join(types)}."
            raise ValidationFailed.of_field("type", "unknown", message)
        return self.of(type_)

    def of(self, type_: str) -> SourceHandler:
        """The handler of a stored source's type, whose package may be gone meanwhile."""
        return self._local.get(type_, self.remote)
