"""What a client may name as its model: every collection that can be asked, the embedding model, and the reranker."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from fastapi import APIRouter

from ragd.access.callers import Caller
from ragd.api.common import App, CallerOf
from ragd.api.routes.openai import FAILURES, OWNER, TAG, ModelNotFound
from ragd.api.schemas.openai import OpenAiModel, OpenAiModels
from ragd.app.container import Application

router = APIRouter(tags=[TAG], responses=FAILURES)

_SCORES_BY_NAME: Final = {"cross_encoder", "remote"}


def embedding_model(app: Application) -> str:
    """The id of the model whose vectors `/v1/embeddings` gives."""
    return app.models.uncentred().model_id


def rerank_model(app: Application) -> str | None:
    """The id of what `/v1/rerank` scores with: the model's name, or that of a method without one; None without a reranker.

    Raises `ModelUnavailable` or `SettingsError` when it can't be had.
    """
    reranker = app.models.reranker(app.settings)
    if reranker.name == "none":
        return None
    return app.settings.rerank.model if reranker.name in _SCORES_BY_NAME else reranker.name


@router.get("/v1/models", response_model=OpenAiModels, operation_id="openai_models")
def models(app: App, caller: CallerOf) -> dict[str, Any]:
    """Collections, then the embedding model and the reranker."""
    return {"object": "list", "data": _listed(app, caller)}


@router.get("/v1/models/{model:path}", response_model=OpenAiModel, operation_id="openai_model")
def model(model: str, app: App, caller: CallerOf) -> dict[str, Any]:
    """One of them."""
    for one in _listed(app, caller):
        if one["id"] == model:
            return one
    raise ModelNotFound(f"There is no model '{model}'. GET /v1/models lists what there is.")


def _listed(app: Application, caller: Caller) -> list[dict[str, Any]]:
    readable = caller.readable
    found = [
        _model(one.name, "collection", one.description, round(datetime.fromisoformat(one.created_at).timestamp()))
        for one in app.collections.enabled()
        if readable is None or one.kb_id in readable
    ]
    found.append(_model(embedding_model(app), "embedding", "POST /v1/embeddings"))
    if reranker := rerank_model(app):
        found.append(_model(reranker, "rerank", "POST /v1/rerank"))
    return found


def _model(name: str, kind: str, description: str, created: int = 0) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": created, "owned_by": OWNER, "kind": kind, "description": description}
