"""Embeddings and reranking, by the models that search uses itself."""

from __future__ import annotations

import base64
import time
from collections.abc import Sequence
from typing import Annotated, Any, Final

from anyio import CapacityLimiter
from fastapi import APIRouter, Depends, Request
from starlette.concurrency import run_in_threadpool

from ragd.api.common import App, in_turn
from ragd.api.routes.openai import FAILURES, TAG, ModelNotFound, require_model
from ragd.api.routes.openai.models import embedding_model, rerank_model
from ragd.api.schemas.openai import MAX_TEXTS, Embeddings, EmbeddingsBody, RerankBody, Reranked
from ragd.app.container import Application
from ragd.core.documents import Place
from ragd.core.errors import ServiceUnavailable, ValidationFailed
from ragd.core.results import Passage

router = APIRouter(tags=[TAG], responses=FAILURES)

_PATIENCE_S: Final = 30.0
"""Seconds for scoring the documents of one request. A question's own budget is shorter, but has an order to fall back on."""

# Passages of a request keep the model busy for seconds, one text a turn while questions wait: a third would gain nothing.
_bulk: Final = CapacityLimiter(2)


async def _named_model(request: Request) -> str | None:
    try:
        body = await request.json()
    except (ValueError, RecursionError):
        return None
    named = body.get("model") if isinstance(body, dict) else None
    return named if isinstance(named, str) else None


_Named = Annotated[str | None, Depends(_named_model)]


async def _embeds(named: _Named, app: App) -> None:
    """The embedding model that the body names, if it names one, must be the one that is here."""
    if named is not None:
        require_model(named, await run_in_threadpool(embedding_model, app), "embedding")


async def _reranks(named: _Named, app: App) -> None:
    there = await run_in_threadpool(rerank_model, app)
    if there is None:
        raise ModelNotFound("No reranker is set up here: rerank.provider is none, or the model that it takes is not there.")
    if named is not None:
        require_model(named, there, "rerank")


@router.post("/v1/embeddings", response_model=Embeddings, dependencies=[Depends(_embeds)], operation_id="openai_embeddings")
async def embeddings(request: Request, body: EmbeddingsBody, app: App) -> dict[str, Any]:
    """The embedding model's own vectors, as any service of that model gives them.

    Indexes hold others: there each has lost a part of its language's mean.
    """
    texts = _texts(body.input)
    if body.input_type in ("query", "search_query"):
        return await in_turn(request, lambda: _embedded(app, body, texts))
    return await in_turn(request, lambda: _embedded(app, body, texts), among=_bulk)


@router.post(
    "/v1/rerank",
    response_model=Reranked,
    response_model_exclude_unset=True,
    dependencies=[Depends(_reranks)],
    operation_id="openai_rerank",
)
async def rerank(request: Request, body: RerankBody, app: App) -> dict[str, Any]:
    """How well each document answers a query, best first, in the shape of Jina and Cohere."""
    most = app.settings.limits.max_rerank_candidates
    if len(body.documents) > most:
        raise ValidationFailed.of_field("documents", "too_long", f"Has {len(body.documents)} documents; {most} are the most.")
    return await in_turn(request, lambda: _reranked(app, body))


def _texts(given: str | Sequence[Any]) -> list[str]:
    texts = [given] if isinstance(given, str) else list(given)
    if not texts or len(texts) > MAX_TEXTS:
        raise ValidationFailed.of_field("input", "length", f"Has {len(texts)} texts; 1 to {MAX_TEXTS} can be embedded at once.")
    if not isinstance(texts[0], str):
        message = (
            "Token ids mean nothing to this model: send text. In LangChain: OpenAIEmbeddings(check_embedding_ctx_length=False)."
        )
        raise ValidationFailed.of_field("input", "token_ids", message)
    if empty := [index for index, text in enumerate(texts) if not text.strip()]:
        raise ValidationFailed.of_field(f"input[{empty[0]}]", "empty", "A text must not be empty.")
    return texts


def _embedded(app: Application, body: EmbeddingsBody, texts: Sequence[str]) -> dict[str, Any]:
    embedder = app.models.uncentred()
    if body.dimensions not in (None, embedder.dimension):
        message = f"The vectors of {embedder.model_id} have {embedder.dimension} dimensions, and shorter ones would mean nothing."
        raise ValidationFailed.of_field("dimensions", "unsupported", message)
    counts = [embedder.tokenizer.count(text) for text in texts]
    room = embedder.max_tokens - embedder.passage_overhead
    if long := [index for index, count in enumerate(counts) if count > room]:
        message = f"Has {counts[long[0]]} tokens; the model reads {room}. Cut the text."
        raise ValidationFailed.of_field(f"input[{long[0]}]", "too_long", message)
    asked = body.input_type in ("query", "search_query")
    vectors = embedder.embed_queries(texts) if asked else embedder.embed_passages(texts)
    data = [
        base64.b64encode(row.astype("<f4").tobytes()).decode("ascii") if body.encoding_format == "base64" else row.tolist()
        for row in vectors
    ]
    return {
        "object": "list",
        "model": body.model,
        "data": [{"object": "embedding", "index": index, "embedding": value} for index, value in enumerate(data)],
        "usage": {"prompt_tokens": sum(counts), "total_tokens": sum(counts)},
    }


def _reranked(app: Application, body: RerankBody) -> dict[str, Any]:
    texts = [document if isinstance(document, str) else document.text for document in body.documents]
    count = app.models.count_tokens
    passages = [_passage(text, count(text)) for text in texts]
    scores = app.models.reranker(app.settings).score(body.query, passages, time.monotonic() + _PATIENCE_S)
    known = [score for score in scores if score is not None]
    if len(known) < len(texts):
        raise ServiceUnavailable(f"{len(known)} of {len(texts)} documents were scored in {_PATIENCE_S:g} s. Send fewer at once.")
    order = sorted(range(len(texts)), key=lambda index: -known[index])[: body.top_n]
    tokens = count(body.query) + sum(passage.tokens for passage in passages)
    return {
        "model": body.model,
        "results": [
            {
                "index": index,
                "relevance_score": known[index],
                **({"document": {"text": texts[index]}} if body.return_documents else {}),
            }
            for index in order
        ],
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def _passage(text: str, tokens: int) -> Passage:
    """A text of the client's, as rerankers take it: without a document or a place."""
    return Passage("", "", "", "", text, "", "", "text", "", (), Place(), 0, tokens)
