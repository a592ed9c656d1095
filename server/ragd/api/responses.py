"""Values as JSON-ready objects, in the shapes of the REST contract."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragd import __version__
from ragd.answer.phrases import phrase
from ragd.answer.prompt import Prompt
from ragd.core.results import Answer, Citation, Hit, ImageRef, Passage, Support
from ragd.core.storage import Collection
from ragd.retrieve.pipeline import QueryResult
from ragd.store.jobs import Job
from ragd.store.overview import Overview


def query_response(result: QueryResult) -> dict[str, Any]:
    """The answer of `POST /api/query`."""
    return {
        "trace_id": result.trace_id,
        "query": result.plan.text,
        "results": [_hit_response(hit) for hit in result.hits],
        "context": result.context.text,
        "citations": [_citation_response(citation) for citation in result.context.citations],
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


def answer_response(answer: Answer, trace_id: str) -> dict[str, Any]:
    """The event `done` of `POST /api/chat`. `start` and `end` of a checked sentence are characters (code points) of `answer`."""
    return {
        "trace_id": trace_id,
        "answer": answer.text,
        **_named(answer, "provider", "model", "found", "removed_citations", "finish"),
        "citations": [_citation_response(citation) for citation in answer.citations],
        "support": _support_response(answer.text, answer.support),
        "usage": dict(answer.usage),
        "degraded": list(answer.degraded),
        "warnings": list(answer.warnings),
    }


def prompt_response(result: QueryResult, prompt: Prompt) -> dict[str, Any]:
    """The answer of `POST /api/prompt`."""
    return query_response(result) | {
        "messages": [{"role": message.role, "text": message.text} for message in prompt.messages],
        "tokens": prompt.tokens,
        "given": [citation.id for citation in prompt.citations],
        "attachments": list(prompt.attachments),
        "turns_left_out": prompt.turns_left_out,
        "not_found": phrase("not_found", result.plan),
    }


def verified_response(verified: Answer) -> dict[str, Any]:
    """The answer of `POST /api/answers/verify`."""
    return {
        "answer": verified.text,
        "found": verified.found,
        "removed_citations": verified.removed_citations,
        "support": _support_response(verified.text, verified.support),
        "citations": [_citation_response(citation) for citation in verified.citations],
    }


def _support_response(text: str, support: Sequence[Support]) -> list[dict[str, Any]]:
    return [
        {
            **_named(item, "start", "end", "score", "supported"),
            "text": text[item.start : item.end],
            "citations": list(item.citations),
        }
        for item in support
    ]


def explained_response(result: QueryResult) -> dict[str, Any]:
    """What a request with `explain` gets on top: how the question was understood, and why these passages."""
    return {"plan": result.plan.as_dict(), "explanation": [dict(entry) for entry in result.explanation]}


def _hit_response(hit: Hit) -> dict[str, Any]:
    """One passage with its scores and its place."""
    passage = hit.passage
    return {
        **_named(passage, "chunk_id", "doc_id", "version_id", "collection", "content", "doc_type"),
        **_where(passage),
        "score": round(hit.score, 6),
        "scores": {source: round(score, 6) for source, score in hit.scores.items()},
        "images": [_image_response(image) for image in passage.images],
        "metadata": {name: passage.enrichment[name] for name in ("summary", "keywords") if passage.enrichment.get(name)},
    }


def _image_response(image: ImageRef) -> dict[str, Any]:
    """A picture of a passage; `caption` is what its document says of it, `text` what was read in it."""
    caption = {"caption": image.alt} if image.alt else {}
    text = {"text": image.text} if image.text else {}
    return {"asset_id": image.asset_id, "url": f"/api/assets/{image.asset_id}", "mime": image.mime, **caption, **text}


def _citation_response(citation: Citation) -> dict[str, Any]:
    """What number `id` in the context stands for."""
    passage = citation.passage
    ids: dict[str, Any] = {"id": citation.id, "chunk_id": passage.chunk_id}
    if len(citation.chunk_ids) > 1:
        ids["chunk_ids"] = list(citation.chunk_ids)
    return {
        **ids,
        **_named(passage, "doc_id", "collection", "content", "doc_type"),
        **_where(passage),
        "images": [_image_response(image) for image in passage.images],
    }


def _where(passage: Passage) -> dict[str, Any]:
    named = _named(passage, "source", "source_uri", "title")
    fresh = {name: value for name, value in _named(passage, "as_of", "live_version").items() if value is not None}
    return {**named, "section_path": list(passage.section_path), **passage.place.as_dict(), **fresh}


def overview_response(overview: Overview) -> dict[str, Any]:
    """The event `state` of `GET /api/events`."""
    return {
        "version": __version__,
        "counts": dict(overview.counts),
        **_named(overview, "failed_documents", "unfinished_jobs", "changes"),
        "jobs": [job_response(job) for job in overview.jobs],
    }


def job_response(job: Job) -> dict[str, Any]:
    """A job as `GET /api/jobs/{id}` and its events give it."""
    names = ("job_id", "kind", "status", "collection", "result", "error", "attempts", "not_before")
    times = ("created_at", "started_at", "finished_at")
    return {**_named(job, *names, *times), "progress": dict(job.progress)}


def collection_response(collection: Collection) -> dict[str, Any]:
    """A collection with its counts."""
    names = ("name", "description", "status", "document_count", "chunk_count", "created_at", "updated_at")
    return {"id": collection.kb_id, **_named(collection, *names)}


def _named(value: object, *names: str) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}
