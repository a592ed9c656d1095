"""What was found and what was answered as JSON-ready objects, in the shapes of the REST contract, which evaluations read, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragd.core.results import Answer, Citation, Hit, ImageRef, Passage, Support
from ragd.core.storage import named
from ragd.retrieve.pipeline import QueryResult


def query_response(result: QueryResult) -> dict[str, Any]:
    """The answer of `POST /api/query`."""
    return {
        "trace_id": result.trace_id,
        "query": result.plan.text,
        "results": [_hit_response(hit) for hit in result.hits],
        "context": result.context.text,
        "citations": [citation_response(citation) for citation in result.context.citations],
        "confidence": result.confidence,
        "found": result.found,
        "latency_ms": result.latency_ms,
        "timings_ms": dict(result.timings_ms),
        "effective": {
            "strategy": result.mode,
            "reranked": result.reranked,
            "rerank_scored": result.rerank_scored,
            "degraded": list(result.degraded),
            **({"live": dict(result.live)} if result.live else {}),
        },
        "warnings": list(result.warnings),
    }


def explained_response(result: QueryResult) -> dict[str, Any]:
    """What a request with `explain` gets on top: how the question was understood, and why these passages."""
    return {"plan": result.plan.as_dict(), "explanation": [dict(entry) for entry in result.explanation]}


def _hit_response(hit: Hit) -> dict[str, Any]:
    """One passage with its scores and its place."""
    passage = hit.passage
    return {
        **named(passage, "chunk_id", "doc_id", "version_id", "collection", "content", "doc_type"),
        **_where(passage),
        "score": round(hit.score, 6),
        "scores": {source: round(score, 6) for source, score in hit.scores.items()},
        "images": [_image_response(image) for image in passage.images],
        **({"mermaid": list(passage.mermaid)} if passage.mermaid else {}),
        "metadata": {name: passage.enrichment[name] for name in ("summary", "keywords") if passage.enrichment.get(name)},
    }


def _image_response(image: ImageRef) -> dict[str, Any]:
    """A picture of a passage; `caption` is what its document says of it, `text` what was read in it."""
    caption = {"caption": image.alt} if image.alt else {}
    text = {"text": image.text} if image.text else {}
    said = image.described
    described: dict[str, Any] = {}
    if said:
        described = {"image_type": said.image_type, "description": said.summary, "described_by": said.by}
        described |= {name: value for name, value in (("mermaid", said.mermaid), ("same_as", said.same_as)) if value}
    return {
        "asset_id": image.asset_id,
        "url": f"/api/assets/{image.asset_id}",
        "mime": image.mime,
        **caption,
        **text,
        **described,
    }


def citation_response(citation: Citation) -> dict[str, Any]:
    """What number `id` in the context stands for."""
    passage = citation.passage
    ids: dict[str, Any] = {"id": citation.id, "chunk_id": passage.chunk_id}
    if len(citation.chunk_ids) > 1:
        ids["chunk_ids"] = list(citation.chunk_ids)
    if citation.highlights:
        ids["highlights"] = [list(span) for span in citation.highlights]
    return {
        **ids,
        **named(passage, "doc_id", "collection", "content", "doc_type"),
        **_where(passage),
        "images": [_image_response(image) for image in passage.images],
        **({"mermaid": list(passage.mermaid)} if passage.mermaid else {}),
    }


def _where(passage: Passage) -> dict[str, Any]:
    source = named(passage, "source", "source_uri", "title")
    fresh = {name: value for name, value in named(passage, "as_of", "live_version").items() if value is not None}
    return {**source, "section_path": list(passage.section_path), **passage.place.as_dict(), **fresh}


def answer_response(answer: Answer, trace_id: str) -> dict[str, Any]:
    """The event `done` of `POST /api/chat`. `start` and `end` of a checked sentence are characters (code points) of `answer`."""
    return {
        "trace_id": trace_id,
        "answer": answer.text,
        **named(answer, "provider", "model", "found", "removed_citations", "finish"),
        "citations": [citation_response(citation) for citation in answer.citations],
        "support": support_response(answer.text, answer.support),
        "usage": dict(answer.usage),
        "degraded": list(answer.degraded),
        "warnings": list(answer.warnings),
    }


def support_response(text: str, support: Sequence[Support]) -> list[dict[str, Any]]:
    """The sentences of an answer with what is said of each."""
    return [
        {
            **named(item, "start", "end", "score", "supported"),
            "text": text[item.start : item.end],
            "citations": list(item.citations),
        }
        for item in support
    ]
