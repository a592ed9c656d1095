"""The plan of a query: what was asked, how it was understood, and what each index will be asked. A value that can be printed.

Canonical form → operators out → self-contained → identifiers, language, keywords, intent → topic → terms, phrases, wordings.
Where synonyms apply, the question's own terms are given twice and those of the synonyms once, so that the original counts more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from ragd.config.answering import RetrievalSettings
from ragd.core.errors import FieldProblem, ValidationFailed
from ragd.core.ids import canonical, hash32
from ragd.core.query import Filters, Identifier, Mode, Preferences, QueryPlan, Rewriting, Turn
from ragd.language.detection import question_language
from ragd.language.identifiers import find_identifiers, words_of
from ragd.language.stop_words import NOT_CONTENT
from ragd.providers.protocols import Analyzer, LanguageModel
from ragd.retrieve.filters import combined, contradictions
from ragd.retrieve.planning.followup import might_depend, self_contained
from ragd.retrieve.planning.intent import intent_of
from ragd.retrieve.planning.keywords import keywords_of
from ragd.retrieve.planning.operators import take_operators
from ragd.retrieve.planning.phrasing import is_one_word, topic_of
from ragd.retrieve.planning.rewriting import NotUsable, rewritten, wordings
from ragd.retrieve.planning.synonyms import Synonyms, forms

PLAN_PROFILE: Final = "plan-2"
"""Version of the rules that make plans. Change a rule, change this."""

MAX_PHRASES: Final = 16
_ORIGINAL_WEIGHT: Final = 2


@dataclass(slots=True)
class _Notes:
    """What goes beside a plan while it is made."""

    degraded: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


class Planner:
    """Makes plans of questions; a `model`, where there is one, is asked as `options` say. Safe to use from several threads."""

    def __init__(
        self,
        *,
        analyzer: Analyzer,
        max_chars: int,
        synonyms: Synonyms,
        options: RetrievalSettings,
        model: LanguageModel | None = None,
    ) -> None:
        self._analyzer = analyzer
        self._max_chars = max_chars
        self._synonyms = synonyms
        self._rewrite = options.rewrite
        self._multi_query = options.multi_query
        self._model = model
        self._not_content: frozenset[str] = frozenset()

    @property
    def profile(self) -> str:
        """What shapes plans: the rules and the synonyms in force."""
        return f"{PLAN_PROFILE}/synonyms-{self._synonyms.digest}"

    def plan(
        self,
        text: str,
        *,
        mode: Mode,
        filters: Filters,
        prefer: Preferences = Preferences(),
        history: Sequence[Turn] = (),
    ) -> QueryPlan:
        """Understand one question. Raises `ValidationFailed` for one without any text, or with nothing but operators."""
        notes = _Notes()
        if len(text) > self._max_chars:
            notes.warnings.append(f"The query has {len(text):,} characters; only the first {self._max_chars:,} were used.")
        asked = canonical(text[: self._max_chars])
        question, typed, warnings = take_operators(asked)
        _require_text(asked, question)
        filters = combined(filters, typed)
        notes.warnings += [*warnings, *contradictions(filters)]
        question, rewriting = self._standalone(question, history, notes)
        identifiers = find_identifiers(question)
        language = _language(question, identifiers)
        keywords = keywords_of(question, identifiers, language)
        topic = topic_of(question)
        terms = self._analyzer.tokens(topic)
        if trouble := self._synonyms.refresh():
            notes.degraded.append("synonyms")
            notes.warnings.append(trouble)
        expansion = self._synonyms.expand(question, terms)
        variants = self._variants(question, keywords, identifiers, expansion.synonyms, notes)
        return QueryPlan(
            asked=asked,
            text=question,
            topic=topic if is_one_word(topic) else question,
            query_hash=hash32(asked),
            mode=mode,
            filters=filters,
            prefer=prefer,
            intent=intent_of(question),
            language=language,
            identifiers=identifiers,
            keywords=keywords,
            synonyms=expansion.synonyms,
            terms=(*terms * _ORIGINAL_WEIGHT, *expansion.terms) if expansion.terms else tuple(terms),
            content=self._content(terms),
            phrases=self._phrases(identifiers, language),
            variants=tuple(variants),
            rewriting=rewriting,
            degraded=tuple(notes.degraded),
            warnings=tuple(notes.warnings),
        )

    def _standalone(self, question: str, history: Sequence[Turn], notes: _Notes) -> tuple[str, Rewriting]:
        if self._rewrite == "none" or not any(turn.role == "user" for turn in history):
            return question, "none"
        if self._rewrite == "model" and self._model is not None and might_depend(question):
            try:
                made = rewritten(self._model, question, history)
            except NotUsable as error:
                notes.degraded.append("rewrite")
                notes.warnings.append(f"The language model could not make the question self-contained ({error}); rules did.")
            else:
                return made, "none" if made == question else "model"
        by_rules = self_contained(question, history)
        return (question, "none") if by_rules is None else (by_rules[: self._max_chars], "rules")

    def _content(self, terms: Sequence[str]) -> tuple[str, ...]:
        """Each term once without those that say nothing; all where none is left."""
        if not self._not_content:
            self._not_content = NOT_CONTENT.union(self._analyzer.tokens("\n".join(NOT_CONTENT)))
        each = tuple(dict.fromkeys(terms))
        return tuple(term for term in each if term not in self._not_content) or each

    def _phrases(self, identifiers: Iterable[Identifier], language: str | None) -> tuple[tuple[str, ...], ...]:
        """Runs of two terms and more: the words of quoted phrases, and those that identifiers are made of."""
        found: dict[tuple[str, ...], None] = {}
        for identifier in identifiers:
            if identifier.kind == "quoted":
                runs = forms(identifier.text, self._analyzer)
                # In a Japanese question the first form, of Japanese texts, is meant.
                runs = runs[:1] if language == "ja" else runs
            else:
                runs = [tuple(self._analyzer.tokens(" ".join(words_of(identifier.text))))]
            found |= dict.fromkeys(run for run in runs if len(run) > 1)
        return tuple(found)[:MAX_PHRASES]

    def _variants(
        self,
        question: str,
        keywords: Sequence[str],
        identifiers: Sequence[Identifier],
        synonyms: Sequence[str],
        notes: _Notes,
    ) -> list[str]:
        if not self._multi_query:
            return []
        found: list[str] = []
        if self._model is not None:
            try:
                found = wordings(self._model, question, self._multi_query)
            except NotUsable as error:
                notes.degraded.append("multi_query")
                notes.warnings.append(f"The language model gave no further wordings ({error}); rules did.")
        found = found or _wordings_by_rules(keywords, identifiers, synonyms)
        different = {text.casefold(): text for text in found if text and text.casefold() != question.casefold()}
        return list(different.values())[: self._multi_query]


def _wordings_by_rules(keywords: Sequence[str], identifiers: Sequence[Identifier], synonyms: Sequence[str]) -> list[str]:
    """The content words alone; they with each synonym; what is meant to the letter alone."""
    content = " ".join(keywords)
    return [content, *(f"{content} {synonym}".strip() for synonym in synonyms), " ".join(item.text for item in identifiers)]


def _language(question: str, identifiers: Sequence[Identifier]) -> str | None:
    literal = sorted((item.text for item in identifiers if item.kind != "quoted"), key=len, reverse=True)
    return question_language(re.sub("|".join(map(re.escape, literal)), " ", question) if literal else question)


def _require_text(asked: str, question: str) -> None:
    if question:
        return
    if asked:
        problem = FieldProblem("query", "only_filters", "Must hold some text beside filters.")
        raise ValidationFailed(f"The query holds nothing but filters ({asked[:200]}). Add what to look for.", details=[problem])
    problem = FieldProblem("query", "empty", "Must hold some text.")
    raise ValidationFailed("The query is empty. Ask something.", details=[problem])
