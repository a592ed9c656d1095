"""Questions to passages, and answers held against them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from mcp.types import CallToolResult
from pydantic import Field, WithJsonSchema

from rag_assistant.api.schemas.chat import MAX_ANSWER_CHARS, MAX_CITATIONS, GivenCitation
from rag_assistant.api.schemas.query import FILTERS, HISTORY, PreferBody, QueryAnswer
from rag_assistant.mcp import markdown
from rag_assistant.mcp.answering import answered
from rag_assistant.mcp.library import Ctx, Library
from rag_assistant.mcp.results import Checked, CitationRow, Detail, Found, Passage
from rag_assistant.retrieve.context import place_of

Query = Annotated[str, Field(min_length=1, description="The question, or words to look for, in English or Japanese.")]
TopK = Annotated[int | None, Field(ge=1, description="How many passages; 5 when left out, 20 at most.")]
InCollection = Annotated[
    str | None, Field(description="Search this collection alone (names: list_collections). Left out: every enabled one.")
]
# What the schemas describe is checked by the API, which knows the nearest right name.
Filters = Annotated[dict[str, Any] | None, WithJsonSchema(FILTERS), Field(description="Hard filters.")]
Prefer = Annotated[dict[str, Any] | None, WithJsonSchema(PreferBody.model_json_schema()), Field(description="Soft preferences.")]
History = Annotated[list[Any] | None, WithJsonSchema(HISTORY), Field(description="Turns before a follow-up, oldest first.")]
MaxChars = Annotated[int | None, Field(ge=500, description="Characters of the text at most; the server's limit when left out.")]
Details = Annotated[Detail, Field(description="`full` adds the whole REST answer to the typed fields, for programs.")]


@dataclass(frozen=True, slots=True)
class Asking:
    """The tools that search."""

    library: Library

    async def query_knowledge_hub(
        self,
        ctx: Ctx,
        query: Query,
        top_k: TopK = None,
        collection: InCollection = None,
        filters: Filters = None,
        prefer: Prefer = None,
        history: History = None,
        strategy: Annotated[
            str | None, Field(description="hybrid (default), dense_only, sparse_only, or a named strategy.")
        ] = None,
        rerank: bool = True,
        explain: bool = False,
        max_context_tokens: Annotated[int | None, Field(ge=1)] = None,
        max_chars: MaxChars = None,
        detail: Details = "concise",
    ) -> Annotated[CallToolResult, Found]:
        """Find passages in the user's private knowledge base (files, Confluence, Jira) that answer a question.

        Use this first for anything that the user's own documents, wikis, tickets, code or manuals may hold. It combines search by
        meaning and by words and reranks, so ask in full sentences and in the user's language. Answer from the numbered passages
        alone and cite them as [1]. If nothing fits, say so instead of guessing.
        """
        asked = {
            "query": query,
            "top_k": top_k,
            "collection": collection,
            "filters": filters,
            "prefer": prefer,
            "history": history,
            "strategy": strategy,
            "rerank": rerank,
            "explain": explain,
            "max_context_tokens": max_context_tokens,
        }
        return await self._find(ctx, asked, max_chars, detail)

    async def search_by_keyword(
        self,
        ctx: Ctx,
        query: Query,
        top_k: TopK = None,
        collection: InCollection = None,
        filters: Filters = None,
        max_chars: MaxChars = None,
    ) -> Annotated[CallToolResult, Found]:
        """Find passages that hold these very words: error codes, option names, issue keys, identifiers, "exact phrases".

        No search by meaning and no reranking takes part. Use query_knowledge_hub for questions in sentences.
        """
        asked = {"query": query, "top_k": top_k, "collection": collection, "filters": filters}
        return await self._find(ctx, asked | {"strategy": "sparse_only", "rerank": False}, max_chars)

    async def search_by_semantic(
        self,
        ctx: Ctx,
        query: Query,
        top_k: TopK = None,
        collection: InCollection = None,
        filters: Filters = None,
        max_chars: MaxChars = None,
    ) -> Annotated[CallToolResult, Found]:
        """Find passages that mean the same as the query, also in other words or in another language.

        Words alone and reranking take no part. Use query_knowledge_hub when in doubt.
        """
        asked = {"query": query, "top_k": top_k, "collection": collection, "filters": filters}
        return await self._find(ctx, asked | {"strategy": "dense_only", "rerank": False}, max_chars)

    async def verify_answer(
        self,
        ctx: Ctx,
        answer: Annotated[str, Field(max_length=MAX_ANSWER_CHARS, description="The answer, with its references such as [1].")],
        citations: Annotated[
            list[GivenCitation],
            Field(max_length=MAX_CITATIONS, description="All citations that were given: their `id` and `chunk_ids`."),
        ],
        detail: Details = "concise",
    ) -> Annotated[CallToolResult, Checked]:
        """Check an answer that was written from passages of this knowledge base, before it is shown.

        Each sentence is held against the cited passages; references to passages that were never given are taken out. Give the
        citations as query_knowledge_hub returned them in its typed fields.
        """
        caller = self.library.caller(ctx)
        body = {"answer": answer, "citations": [citation.model_dump() for citation in citations]}
        checked = await caller.post("/api/answers/verify", body)
        support = checked["support"]
        doubtful = [item for item in support if not item["supported"]]
        result = Checked(
            trace_id=caller.trace_id,
            answer=checked["answer"],
            removed_citations=checked["removed_citations"],
            supported=len(support) - len(doubtful),
            unsupported=len(doubtful),
            support=support,
            citations=[_citation(citation) for citation in checked["citations"]],
            full=checked if detail == "full" else None,
        )
        return answered(_verdict(checked, doubtful, caller.trace_id), result)

    async def _find(
        self, ctx: Ctx, asked: Mapping[str, Any], max_chars: int | None, detail: Detail = "concise"
    ) -> CallToolResult:
        limit = min(max_chars or self.library.settings.max_chars, self.library.settings.max_chars)
        answer = await self.library.caller(ctx).post("/api/query", asked)
        share = max(limit // max(len(answer["results"]), 1), 200)
        found = Found(
            trace_id=answer["trace_id"],
            query=answer["query"],
            results=[_passage(result, share) for result in answer["results"]],
            citations=[_citation(citation) for citation in answer["citations"]],
            confidence=answer["confidence"],
            degraded=answer["effective"]["degraded"],
            warnings=answer["warnings"],
            full=QueryAnswer.model_validate(answer) if detail == "full" else None,
        )
        return answered(markdown.passages(answer, limit), found)


def _passage(result: Mapping[str, Any], limit: int) -> Passage:
    text, truncated = markdown.cut(result["content"], limit)
    pictures = [image["asset_id"] for image in result["images"]]
    return Passage.model_validate({**result, "content": text, "truncated": truncated, "asset_ids": pictures})


def _citation(citation: Mapping[str, Any]) -> CitationRow:
    chunk_ids = citation.get("chunk_ids") or [citation["chunk_id"]]
    return CitationRow.model_validate({**citation, "chunk_ids": chunk_ids, "place": place_of(citation)})


def _verdict(checked: Mapping[str, Any], doubtful: Sequence[Mapping[str, Any]], trace_id: str) -> str:
    support = checked["support"]
    borne_out = len(support) - len(doubtful)
    lines = [f"{borne_out} of {len(support)} sentences are borne out by the passages."]
    if removed := checked["removed_citations"]:
        lines.append(f"{removed} references to passages that were never given were taken out.")
    if doubtful:
        lines += ["", "Not borne out; correct or drop them:"]
        lines += [f"- {markdown.one_line(item['text'])} (support {item['score']:.2f})" for item in doubtful]
    lines += ["", "The answer without wrong references:", "", markdown.fenced(checked["answer"])]
    lines += ["", *(markdown.citation_line(citation) for citation in checked["citations"])]
    return "\n".join([*lines, "", f"trace_id: {trace_id}"])
