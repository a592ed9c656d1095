"""What a Confluence source would read, before it is added."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from ragd.core.errors import SourceRefused
from ragd.sources.atlassian.client import AtlassianClient
from ragd.sources.atlassian.responses import RequestRefused
from ragd.sources.atlassian.values import dig, text_of
from ragd.sources.base import CloudPreview, Container
from ragd.sources.confluence.content import Scope
from ragd.sources.confluence.cql import every, quoted
from ragd.sources.confluence.items import Space

_NAMES_SHOWN: Final = 10
# Each space that is counted costs a request.
_COUNTED: Final = 20
_SEARCH: Final = "/rest/api/search"


@contextmanager
def explained(scope: Scope) -> Iterator[None]:
    """A search that the site does not understand is the fault of the person's filter, where there is one."""
    try:
        yield
    except RequestRefused as error:
        if not scope.keep:
            raise
        message = f"Confluence does not understand the filter 'cql': {error.said or error.message}"
        raise SourceRefused(message, "config.cql") from error


def preview(
    client: AtlassianClient, account: str, deployment: str, asked_for: Sequence[str], spaces: Sequence[Space], scope: Scope
) -> CloudPreview:
    """`asked_for` are keys as the person wrote them, `spaces` what the account sees of them."""
    visible = {space.key.casefold() for space in spaces}
    warnings = [
        f"The account sees no space {key}: it does not exist, or the account has no right to it."
        for key in asked_for
        if key.casefold() not in visible
    ]
    names: list[str] = []
    containers: list[Container] = []
    if spaces:
        with explained(scope):
            names, total = _look(client, scope.pages, _NAMES_SHOWN)
            counts = {spaces[0].key: total} if len(spaces) == 1 and scope.spaces else _counts(client, spaces, scope)
        containers = [Container(space.key, space.name, counts.get(space.key)) for space in spaces]
        if not names:
            warnings.append("There is no page that the account may read and the filter lets through.")
    elif not asked_for:
        warnings.append("The account sees no space at all.")
    return CloudPreview(account, deployment, tuple(containers), tuple(names), tuple(warnings))


def _counts(client: AtlassianClient, spaces: Sequence[Space], scope: Scope) -> dict[str, int | None]:
    return {space.key: _look(client, every(scope.pages, f"space = {quoted(space.key)}"), 1)[1] for space in spaces[:_COUNTED]}


def _look(client: AtlassianClient, cql: str, limit: int) -> tuple[list[str], int | None]:
    """The first titles, and how many there are where the site counts."""
    answer = client.get(_SEARCH, {"cql": cql, "limit": limit})
    found = dig(answer, "results") or ()
    total = dig(answer, "totalSize")
    names = [text_of(one, "content", "title") or text_of(one, "title") for one in found]
    return [name for name in names if name], total if isinstance(total, int) else None
