"""From passages to an answer: by a language model, or, without one or when it fails, by the passages' own sentences."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace

from ragd.answer.cancellation import Cancellation
from ragd.answer.citations import CitationFilter
from ragd.answer.extractive import extract
from ragd.answer.highlights import for_answer
from ragd.answer.phrases import phrase, says_not_found
from ragd.answer.prompt import Prompt, PromptBuilder
from ragd.answer.support import SupportCheck
from ragd.core.errors import RagError
from ragd.core.query import Turn
from ragd.core.results import Answer, Citation
from ragd.core.storage import named
from ragd.core.tracing import NO_PROVIDER, ProviderRef, Span, Trace
from ragd.providers.protocols import Analyzer, Completion, Embedder, LanguageModel
from ragd.retrieve.pipeline import QueryResult

log = logging.getLogger(__name__)

EXTRACTIVE = "extractive"


@dataclass(frozen=True, slots=True)
class Delta:
    """The next piece of an answer's text; all pieces together are the text of the `Answer`."""

    text: str


class Answerer:
    """Writes answers. Safe to use from several threads. Without a `model` every answer is extractive."""

    def __init__(
        self,
        *,
        model: LanguageModel | None,
        prompts: PromptBuilder,
        embedder: Embedder,
        analyzer: Analyzer,
        support: SupportCheck,
        max_output_tokens: int,
    ) -> None:
        self.model = model
        self._prompts = prompts
        self._embedder = embedder
        self._analyzer = analyzer
        self._support = support
        self._max_output_tokens = max_output_tokens

    def answer(
        self,
        result: QueryResult,
        history: Sequence[Turn],
        trace: Trace,
        cancellation: Cancellation,
        *,
        extractive: bool = False,
    ) -> Iterator[Delta | Answer]:
        """Pieces of text as they are decided, then the whole answer. The stage `generate` goes into `trace`.

        A model that fails before its first piece is replaced by extracts. With `extractive` it is not asked at all.
        """
        model = None if extractive else self.model
        provider = ProviderRef("llm", model.name, model.model) if model else NO_PROVIDER
        with trace.span("stage.generate", provider) as span:
            # Who asks for the passages themselves knows that no model writes.
            lead_in = phrase("extract_follows" if self.model or extractive else "no_model", result.plan)
            answer = yield from self._write(model, result, history, trace, span, cancellation, lead_in)
            if answer.finish == "cancelled":
                trace.status = "cancelled"
            elif answer.found:
                answer = self._with_support(answer, result.context.citations)
            self._record(answer, result.context.citations, trace, span)
        yield answer

    def _write(
        self,
        model: LanguageModel | None,
        result: QueryResult,
        history: Sequence[Turn],
        trace: Trace,
        span: Span,
        cancellation: Cancellation,
        lead_in: str,
    ) -> Generator[Delta, None, Answer]:
        given = result.context.citations
        if not result.found:
            text = phrase("not_found", result.plan)
            yield Delta(text)
            return Answer(text, EXTRACTIVE, "", found=False)
        failure: RagError | None = None
        if model is not None:
            try:
                return (yield from self._generate(model, result, history, trace, span, cancellation))
            except RagError as error:
                log.warning("no answer from the language model", extra={"code": error.code, "reason": error.message})
                trace.event("degraded", {"stage": "generate", "code": error.code}, span)
                failure = error
        text = extract(result.plan, given, self._embedder, self._analyzer, lead_in=lead_in)
        marks = CitationFilter({citation.id for citation in given})
        text = marks.feed(text) + marks.finish()
        yield Delta(text)
        answer = Answer(text, EXTRACTIVE, "", found=True, citations=_cited(marks, given))
        if failure is None:
            return answer
        warning = f"The language model gave no answer, so this one is made of the passages' own sentences: {failure.message}"
        return replace(answer, degraded=("generate",), warnings=(warning,))

    def _generate(
        self,
        model: LanguageModel,
        result: QueryResult,
        history: Sequence[Turn],
        trace: Trace,
        span: Span,
        cancellation: Cancellation,
    ) -> Generator[Delta, None, Answer]:
        prompt = self._prompt(model, result, history)
        prompt.record(trace, span)
        marks = CitationFilter({citation.id for citation in prompt.citations})
        shown: list[str] = []
        ends: list[Completion] = []
        begun = False
        with trace.calls(span):
            stream = model.stream(prompt.messages, self._max_output_tokens, ends.append)
        with cancellation.closing(stream):
            try:
                for piece in stream:
                    begun = True
                    if decided := marks.feed(piece):
                        shown.append(decided)
                        yield Delta(decided)
            except RagError as error:
                if not begun:
                    raise
                log.warning("an answer was cut off", extra={"code": error.code, "reason": error.message})
        if rest := marks.finish():
            shown.append(rest)
            yield Delta(rest)
        text = "".join(shown)
        warnings: list[str] = []
        if left_out := len(result.context.citations) - len(prompt.citations):
            warnings.append(f"{left_out} of {len(result.context.citations)} passages did not fit into llm.context_tokens.")
        finish = ends[0].finish if ends else "cancelled" if cancellation.is_set else "cut_off"
        if finish == "length":
            warnings.append("The answer reached llm.max_output_tokens and is not complete.")
        elif finish == "cut_off":
            warnings.append("The language model's answer broke off and is not complete.")
        return Answer(
            text,
            model.name,
            model.model,
            found=not says_not_found(text),
            citations=_cited(marks, prompt.citations),
            removed_citations=marks.removed,
            finish=finish,
            usage=dict(ends[0].usage) if ends else {},
            warnings=tuple(warnings),
        )

    def _prompt(self, model: LanguageModel, result: QueryResult, history: Sequence[Turn]) -> Prompt:
        room = model.context_tokens - self._max_output_tokens
        prompt = self._prompts.build(result.plan, history, result.context.citations, room, model.count_tokens)
        if not prompt.citations:
            raise RagError(
                f"The question and one passage do not fit into {room} tokens. Raise llm.context_tokens, or lower "
                "llm.max_output_tokens or splitter.chunk_size."
            )
        return prompt

    def _with_support(self, answer: Answer, citations: Sequence[Citation]) -> Answer:
        try:
            support = self._support.check(answer.text, citations)
            return replace(answer, support=support, citations=for_answer(answer.citations, support))
        except RagError as error:
            # The answer stands; only what is said about it is missing.
            warning = f"The answer was not held against the passages: {error.message}"
            return replace(answer, degraded=(*answer.degraded, "support"), warnings=(*answer.warnings, warning))

    def _record(self, answer: Answer, given: Sequence[Citation], trace: Trace, span: Span) -> None:
        summary = {
            "provider": answer.provider,
            "model": answer.model,
            "found": answer.found,
            "finish": answer.finish,
            "characters": len(answer.text),
            "citations": [citation.id for citation in answer.citations],
            "removed_citations": answer.removed_citations,
            "sentences": len(answer.support),
            "unsupported": sum(not sentence.supported for sentence in answer.support),
            "usage": dict(answer.usage),
            "degraded": list(answer.degraded),
            "given": [{"id": one.id, "chunk_ids": list(one.chunk_ids) or [one.passage.chunk_id]} for one in given],
            "support": [
                {**named(one, "start", "end", "score", "supported"), "citations": list(one.citations)} for one in answer.support
            ],
        }
        trace.event("generation.summary", summary | trace.texts(made={"answer": answer.text}), span)


def _cited(marks: CitationFilter, given: Sequence[Citation]) -> tuple[Citation, ...]:
    by_id = {citation.id: citation for citation in given}
    return tuple(by_id[number] for number in marks.cited)
