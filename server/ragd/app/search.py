"""Queries and answers: what was asked is checked against collections, limits and rights, and goes through the right pipeline."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace

from ragd.access.context import LiveAccess
from ragd.answer.answerer import Delta
from ragd.answer.cancellation import Cancellation
from ragd.answer.highlights import for_question
from ragd.answer.prompt import Prompt
from ragd.app.query_factory import QueryFactory
from ragd.config.settings import Settings
from ragd.core.errors import FieldProblem, ValidationFailed
from ragd.core.query import ChatRequest, PromptRequest, QueryRequest
from ragd.core.results import Answer, Passage
from ragd.core.storage import Collection
from ragd.core.tracing import NO_PROVIDER, Trace
from ragd.language.token_estimate import estimate_tokens
from ragd.retrieve.pipeline import QueryPipeline, QueryResult, ResolvedQuery
from ragd.store.collections import Collections
from ragd.store.passages import Passages


@dataclass(frozen=True, slots=True)
class Search:
    """Finds the passages that answer a question, and answers it by the language model or with their own sentences."""

    settings: Settings
    collections: Collections
    passages: Passages
    access: LiveAccess
    queries: QueryFactory

    def query(self, request: QueryRequest, within: Sequence[Collection] = (), *, highlighted: bool = False) -> QueryResult:
        """Find passages, in the collections that the request names or in these; `highlighted` for people, who look for sentences.

        Raises `ValidationFailed`, `CollectionNotFound`, `CollectionUnavailable`.
        """
        with self.open(request, within) as (result, trace), trace.span("stage.generate", NO_PROVIDER):
            pass
        return _highlighted(result, self.queries.pipeline(request.overlay)) if highlighted else result

    def open(self, request: QueryRequest, within: Sequence[Collection] = ()) -> AbstractContextManager[tuple[QueryResult, Trace]]:
        """As `query`, with the trace still open: see `QueryPipeline.open`."""
        query = self.resolve(request, within)
        return self.queries.pipeline(request.overlay, request.changes).open(query)

    def chat(self, request: ChatRequest, cancellation: Cancellation) -> tuple[QueryResult, Generator[Delta | Answer, None, None]]:
        """Find passages as `query` does, and the answer made of them: pieces, then the whole of it.

        The answer is made while the iterator is read, which must be read to its end or closed: then the trace of both is
        recorded. Raises what `query` raises, and `SettingsError` for a language model that can't be used as it is set.
        """
        query = self.resolve(request)
        pipeline, answerer = self.queries.pipeline(request.overlay), self.queries.answerer(request.overlay)
        opened = ExitStack()
        found, trace = opened.enter_context(pipeline.open(query))
        result = _highlighted(found, pipeline)
        return result, _closing(
            opened, answerer.answer(result, request.history, trace, cancellation, extractive=request.extractive)
        )

    def answer_given(self, request: ChatRequest, passages: Sequence[Passage]) -> tuple[QueryResult, Answer]:
        """The answer made of passages that the caller gives, by the same prompt, model and checks. Nothing is searched.

        Raises as `chat` does, and `ValidationFailed` where no passage fits into the context.
        """
        pipeline, answerer = self.queries.pipeline(request.overlay), self.queries.answerer(request.overlay)
        with pipeline.open(self.resolve(request), passages) as (result, trace):
            if not result.found:
                raise ValidationFailed.of_field("passages", "too_long", "None of the passages fits into the context.")
            *_, answer = answerer.answer(result, request.history, trace, Cancellation())
        if not isinstance(answer, Answer):
            raise TypeError("the last piece of an answer is the whole of it")
        return result, answer

    def prompt(self, request: PromptRequest) -> tuple[QueryResult, Prompt]:
        """Find passages, and the messages for a model of the client; none where there is nothing to answer from.

        Raises what `query` raises, and `ValidationFailed` when the question and one passage do not fit.
        """
        query, settings = self.resolve(request), self.queries.settings(request.overlay)
        limit = request.max_tokens or settings.llm.context_tokens - settings.llm.max_output_tokens
        prompts, pipeline = self.queries.prompts(request.overlay), self.queries.pipeline(request.overlay)
        with pipeline.open(query) as (found, trace):
            result = _highlighted(found, pipeline)
            with trace.span("stage.generate", NO_PROVIDER) as span:
                prompt = prompts.build_if_found(result, request.history, limit, estimate_tokens, request.attachments)
                prompt.record(trace, span)
            return result, prompt

    def resolve(self, request: QueryRequest, within: Sequence[Collection] = ()) -> ResolvedQuery:
        """The request with what the settings and the collections say where it says nothing. Raises as `query` does."""
        named = (request.collection,) if isinstance(request.collection, str) else request.collection or ()
        asked = within or [self.collections.available(name) for name in dict.fromkeys(named)] or self.collections.enabled()
        targets = [target for target in asked if request.readable is None or target.kb_id in request.readable]
        limit = self.settings.limits.max_top_k
        options = self.queries.settings(request.overlay, request.changes).retrieval
        top_k = options.top_k if request.top_k is None else request.top_k
        if not 1 <= top_k <= limit:
            raise ValidationFailed(
                f"top_k must be between 1 and {limit}.", details=[FieldProblem("top_k", "out_of_range", f"1 to {limit}.")]
            )
        self.passages.require_live_versions(request.filters.version_id)
        return ResolvedQuery(
            request=request,
            kb_ids=tuple(target.kb_id for target in targets),
            mode=request.mode or options.strategy,
            top_k=top_k,
            max_context_tokens=request.max_context_tokens or options.max_context_tokens,
            # An evaluation has no rights of its own: others read what it keeps.
            admission=self.access.context({} if request.evaluation else request.source_tokens, request.readable),
        )


def _highlighted(result: QueryResult, pipeline: QueryPipeline) -> QueryResult:
    """With the sentences marked that people look for while there is no answer yet."""
    citations = for_question(result.plan.text, result.context.citations, pipeline.retriever.analyzer)
    return replace(result, context=replace(result.context, citations=citations))


def _closing(opened: ExitStack, pieces: Iterator[Delta | Answer]) -> Generator[Delta | Answer, None, None]:
    with opened:
        yield from pieces
