"""Measures of an answer that need no judge, each 0..1 or left out where a question says nothing of it.

`citation_precision`: of the references in the answer, the share that bear out the sentence they stand in by our own check; those
to passages that were never given count as wrong. `citation_coverage`: the share of sentences with a reference. `supported`: the
share of sentences that the passages bear out. `cited_place`: the share of the cited passages that stand where the question is
answered. `facts`: the share of the expected facts that the answer says (`facts.says`). `language`: whether the answer is in the
question's language. `near_duplicates`: the share of the context's passages that say nearly what one before them says (Jaccard of
5-character shingles, Broder 1997). `refusal`: whether what can be answered is, and what can't is not; `refusal_recall` is of the
questions that can't be answered, `refusal_precision` of the answers that say "not found".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ragd.evaluation.datasets import Question
from ragd.evaluation.facts import says
from ragd.evaluation.relevance import is_at
from ragd.language.detection import detect_language, question_language

ANSWER_METRICS: Final = (
    *("refusal", "refusal_precision", "refusal_recall", "facts", "citation_precision", "citation_coverage", "supported"),
    *("cited_place", "language", "near_duplicates"),
)
_REFERENCE: Final = re.compile(r"\[(\d{1,3})\]")
_SHINGLE: Final = 5
_NEAR: Final = 0.9


def answer_metrics(question: Question, done: Mapping[str, Any], passages: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The measures of an answer. `done` is the last event of `POST /api/chat`, `passages` those of the context."""
    found = bool(done["found"])
    values = {"refusal": float(found == question.answerable)}
    if not question.answerable:
        values["refusal_recall"] = float(not found)
    if not found:
        values["refusal_precision"] = float(not question.answerable)
    if len(passages) > 1:
        values["near_duplicates"] = near_duplicates([passage["content"] for passage in passages])
    if question.facts:
        values["facts"] = sum(found and says(done["answer"], wordings) for wordings in question.facts) / len(question.facts)
    return values | (_of_text(question, done) if found else {})


def _of_text(question: Question, done: Mapping[str, Any]) -> dict[str, float]:
    values: dict[str, float] = {}
    sentences = [(set(map(int, _REFERENCE.findall(one["text"]))), one) for one in done["support"]]
    if sentences:
        references = sum(len(numbers) for numbers, _ in sentences) + done["removed_citations"]
        if references:
            right = sum(len(numbers & set(one["citations"])) for numbers, one in sentences)
            values["citation_precision"] = right / references
        values["citation_coverage"] = sum(bool(numbers) for numbers, _ in sentences) / len(sentences)
        values["supported"] = sum(one["supported"] for _, one in sentences) / len(sentences)
    if done["citations"] and question.relevant:
        at = [any(is_at(citation, wanted) for wanted in question.relevant) for citation in done["citations"]]
        values["cited_place"] = sum(at) / len(at)
    asked, answered = question_language(question.text), detect_language(_REFERENCE.sub("", done["answer"]))
    if asked and answered:
        values["language"] = float(asked == answered)
    return values


def near_duplicates(texts: Sequence[str]) -> float:
    """The share of texts that are nearly the same as one before them."""
    seen: list[frozenset[str]] = []
    near = 0
    for text in texts:
        plain = "".join(text.casefold().split())
        own = frozenset(plain[at : at + _SHINGLE] for at in range(max(1, len(plain) - _SHINGLE + 1)))
        near += any(len(own & other) >= _NEAR * len(own | other) for other in seen)
        seen.append(own)
    return near / len(texts)
