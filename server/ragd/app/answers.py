"""Answers in words, made of the passages that a search finds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

from ragd.answer.answerer import Delta
from ragd.answer.cancellation import Cancellation
from ragd.answer.prompt import Prompt
from ragd.app.query_factory import QueryFactory
from ragd.app.search import Search
from ragd.core.query import ChatRequest, PromptRequest
from ragd.core.results import Answer
from ragd.core.tracing import NO_PROVIDER
from ragd.language.token_estimate import estimate_tokens
from ragd.retrieve.pipeline import QueryResult


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers questions by the language model of the settings, or with the passages' own sentences."""

    search: Search
    queries: QueryFactory

    def chat(self, request: ChatRequest, cancellation: Cancellation) -> tuple[QueryResult, Iterator[Delta | Answer]]:
        """Find passages as `Search.query` does, and the answer made of them: pieces, then the whole of it.

        The answer is made while the iterator is read, which must be read to its end or closed: then the trace of both is
        recorded. Raises what `Search.query` raises, and `SettingsError` for a language model that can't be used as it is set.
        """
        query = self.search.resolve(request)
        pipeline, answerer = self.queries.pipeline(request.overlay), self.queries.answerer(request.overlay)
        opened = ExitStack()
        result, trace = opened.enter_context(pipeline.open(query))
        return result, _closing(
            opened, answerer.answer(result, request.history, trace, cancellation, extractive=request.extractive)
        )

    def prompt(self, request: PromptRequest) -> tuple[QueryResult, Prompt]:
        """Find passages, and the messages for a model of the client; none where there is nothing to answer from.

        Raises what `Search.query` raises, and `ValidationFailed` when the question and one passage do not fit.
        """
        query, settings = self.search.resolve(request), self.queries.settings(request.overlay)
        limit = request.max_tokens or settings.llm.context_tokens - settings.llm.max_output_tokens
        prompts = self.queries.prompts(request.overlay)
        with self.queries.pipeline(request.overlay).open(query) as (result, trace):
            with trace.span("stage.generate", NO_PROVIDER) as span:
                prompt = prompts.build_if_found(result, request.history, limit, estimate_tokens, request.attachments)
                span.attrs |= prompt.trace_attributes()
            return result, prompt


def _closing(opened: ExitStack, pieces: Iterator[Delta | Answer]) -> Iterator[Delta | Answer]:
    with opened:
        yield from pieces
