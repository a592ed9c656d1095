"""Completions while somebody types."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel

from ragd.api.common import App, CallerOf

router = APIRouter(tags=["query"])


class Suggestion(BaseModel):
    text: str
    kind: Literal["title", "heading", "identifier"]


class SuggestionList(BaseModel):
    """Best first. `ready` is false until names are gathered, which begins with the first request; then ask again."""

    items: list[Suggestion]
    ready: bool


@router.get("/api/suggest", response_model=SuggestionList)
def suggest(
    app: App,
    caller: CallerOf,
    q: Annotated[str, Query(max_length=200, description="What is typed so far.")],
    collection: Annotated[str | None, Query(description="Left out: every enabled collection.")] = None,
    limit: Annotated[int, Query(ge=1, le=20)] = 8,
) -> dict[str, Any]:
    """Titles, headings and identifiers that complete what is typed, of documents that everybody may see."""
    targets = app.collections.enabled() if collection is None else [app.collections.available(collection)]
    readable = caller.readable
    kb_ids = [target.kb_id for target in targets if readable is None or target.kb_id in readable]
    found, ready = app.suggestions.suggest(q, kb_ids, limit)
    return {"items": [{"text": name.text, "kind": name.kind} for name in found], "ready": ready}
