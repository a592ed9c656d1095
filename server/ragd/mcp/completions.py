"""What may stand in an argument of a prompt or of an address: names of collections, ids of documents, questions, styles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mcp.types import CompleteRequestParams, CompleteResult, Completion, PromptReference, ResourceTemplateReference

from ragd.client.asynchronous import AsyncClient
from ragd.core.errors import NotFound
from ragd.mcp.prompts import PROMPTS, STYLES

MAX_EXAMINED: Final = 1_000
"""Rows of a list that are looked through for one completion; what comes after them is not found."""

_MAX_VALUES: Final = 100
"""The protocol allows no more."""

_MAX_TYPED: Final = 200
_MAX_SUGGESTIONS: Final = 20
"""What `GET /api/suggest` takes, and gives, at most."""

_TEMPLATES: Final[Mapping[str, Mapping[str, str]]] = {
    "asset://{id}": {"id": "asset_id"},
    "doc://{id}": {"id": "doc_id"},
    "collection://{name}": {"name": "collection"},
}
"""Which kind of value an address takes."""


async def completed(params: CompleteRequestParams, client: AsyncClient) -> CompleteResult:
    """Raises `NotFound` for a prompt, an address or an argument that there is not."""
    kind = _kind(params.ref, params.argument.name)
    typed = params.argument.value
    match kind:
        case "collection":
            values, whole = await _collections(client, typed)
        case "doc_id":
            values, whole = await _documents(client, typed)
        case "doc_ids":
            # The ids before the last comma stand already.
            before, comma, last = typed.rpartition(",")
            given = {item.strip() for item in before.split(",")}
            found, whole = await _documents(client, last.strip())
            values = [before + comma + value for value in found if value not in given]
        case "question":
            chosen = (params.context.arguments if params.context else None) or {}
            values, whole = await _suggestions(client, typed, chosen.get("collection"))
        case "style":
            values, whole = [style for style in STYLES if style.startswith(typed.casefold())], True
        case _:
            # Pictures have no list.
            values, whole = [], True
    more = len(values) > _MAX_VALUES or not whole
    total = len(values) if whole else None
    return CompleteResult(completion=Completion(values=values[:_MAX_VALUES], total=total, has_more=more))


def _kind(ref: PromptReference | ResourceTemplateReference, argument: str) -> str:
    """Which kind of value is asked for: for a prompt that of its argument's name."""
    known: Mapping[str, str] | None
    if isinstance(ref, PromptReference):
        known = {row.name: {item.name: item.name for item in row.arguments} for row in PROMPTS}.get(ref.name)
        what = f"prompt '{ref.name[:100]}'"
    else:
        known = _TEMPLATES.get(ref.uri)
        what = f"address '{ref.uri[:100]}'"
    if known is None:
        raise NotFound(f"There is no {what}.")
    if argument not in known:
        raise NotFound(f"The {what} has no argument '{argument[:100]}'; it has {', '.join(known)}.")
    return known[argument]


async def _collections(client: AsyncClient, typed: str) -> tuple[list[str], bool]:
    """Names of enabled collections that begin so, and whether all were looked at."""
    rows, total = await client.rows("/api/collections", MAX_EXAMINED)
    names = [row["name"] for row in rows if row["status"] == "enabled"]
    return [name for name in names if name.casefold().startswith(typed.casefold())], len(rows) >= total


async def _documents(client: AsyncClient, typed: str) -> tuple[list[str], bool]:
    """Ids that begin so, then those of documents whose title or source holds it; and whether all were looked at."""
    rows, total = await client.rows("/api/documents", MAX_EXAMINED, status="ready")
    sought = typed.casefold()
    begins, holds = [], []
    for row in rows:
        if row.get("restricted"):
            continue
        if row["id"].startswith(sought):
            begins.append(row["id"])
        elif sought in f"{row['title']}\n{row['source']}".casefold():
            holds.append(row["id"])
    return begins + holds, len(rows) >= total


async def _suggestions(client: AsyncClient, typed: str, collection: str | None) -> tuple[list[str], bool]:
    """Titles, headings and identifiers that complete a question, best first; and whether there are no others."""
    if len(typed) > _MAX_TYPED:
        return [], True
    found = await client.get("/api/suggest", q=typed, collection=collection or None, limit=_MAX_SUGGESTIONS)
    values = [item["text"] for item in found["items"]]
    return values, found["ready"] and len(values) < _MAX_SUGGESTIONS
