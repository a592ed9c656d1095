"""From the records of a run to questions for a judge, and from its verdicts to measures, each 0..1.

`faithfulness`: the share of the answer's sentences that the context says (RAGAS, Es et al. 2024, with sentences in place of
claims that a model extracts). `answer_relevancy`: whether the answer replies to the question. `context_relevance`: the share of
the context's passages that hold a part of the answer; `context_precision`: the same with weight on the first ones, the mean of
the precision at each rank that holds a part (average precision), 0 where none does. `context_recall`: the share of the expected
answer's sentences that the context says. `correctness`: whether the answer says what is expected.

Shares are of the questions that got a verdict; without any, and for `context_precision` unless all got one, there is no value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from ragd.evaluation.datasets import Question
from ragd.evaluation.judges.judge import Judge, JudgeStopped, Verdict
from ragd.evaluation.judges.prompts import Task, language_of
from ragd.language.detection import question_language
from ragd.language.sentences import answer_sentences

JUDGED_METRICS: Final = (
    *("faithfulness", "answer_relevancy", "correctness", "context_relevance", "context_precision", "context_recall"),
)
OF_PASSAGES: Final = ("context_relevance", "context_precision")
"""What can be judged of a run that gave no answers."""
ANSWER_SENTENCES: Final = 4
"""What an answer is taken to have, where its questions to a judge are counted before there is one."""
_MARK: Final = re.compile(r" ?\[\d{1,3}\]")
# Two measures of the same verdicts.
_SHARED: Final = {"context_precision": "context_relevance"}


def tasks(record: Mapping[str, Any]) -> dict[str, list[Task]]:
    """Measure -> the questions that it needs, in order; left out where the record has nothing to judge.

    The record is one of `runner.evaluate` with the passages' texts among its artifacts. An answer that says "not found" is
    judged by `refusal` alone, and passages where the dataset says that nothing answers by nothing.
    """
    kept = record["artifacts"]
    question, texts = record["query"], tuple(passage["content"] for passage in kept.get("passages", ()))
    language = language_of(question_language(question))
    found: dict[str, list[Task]] = {}

    def said(statement: str) -> Task:
        return Task("statement", language, {"passages": texts, "statement": statement})

    if kept.get("found") and (answer := plain(kept["answer"])):
        found["faithfulness"] = [said(sentence) for one in kept["support"] if (sentence := plain(one["text"]))] if texts else []
        found["answer_relevancy"] = [Task("answer", language, {"question": question, "answer": answer})]
        if expected := kept.get("reference"):
            shown = {"question": question, "expected": expected, "answer": answer}
            found["correctness"] = [Task("correctness", language, shown)]
    if texts and record["relevant"]:
        found["context_relevance"] = [Task("passage", language, {"question": question, "passages": (text,)}) for text in texts]
        found["context_precision"] = found["context_relevance"]
        if expected := kept.get("reference"):
            found["context_recall"] = [said(sentence) for sentence in _sentences(expected)]
    return {name: listed for name, listed in found.items() if listed}


def calls_ahead(question: Question, passages: int, *, answers: bool) -> int:
    """About how often a judge is asked about a question that gets so many passages, and an answer or none: see `tasks`."""
    if not question.relevant:
        return 0
    expected = _sentences(question.expected) if question.expected else []
    of_answer = ANSWER_SENTENCES + 1 + bool(expected) if answers else 0
    return passages + len(expected) + of_answer


def to_ask(records: Iterable[Mapping[str, Any]], judge: Judge) -> list[Task]:
    """The questions that must be asked, each once: those that no earlier run has a verdict on."""
    listed = {judge.key(task): task for record in records for each in tasks(record).values() for task in each}
    return [task for task in listed.values() if not judge.is_known(task)]


def judge_records(
    records: Sequence[Mapping[str, Any]], judge: Judge, progress: Callable[[int, int], None]
) -> tuple[list[dict[str, Any]], str]:
    """The records with the judged measures and, under `artifacts.judge`, the verdicts; and why the judging ended early, or "".

    A question that was not judged whole has none of these measures.
    """
    judged: list[dict[str, Any]] = []
    stopped = ""
    for number, record in enumerate(records):
        progress(number, len(records))
        verdicts: dict[str, list[Verdict]] = {}
        if not stopped:
            try:
                verdicts = {name: [judge.decide(task) for task in listed] for name, listed in tasks(record).items()}
            except JudgeStopped as reason:
                stopped = str(reason)
        values = {name: value for name, listed in verdicts.items() if (value := measured(name, listed)) is not None}
        shown = {name: [one.as_dict() for one in listed] for name, listed in verdicts.items() if name not in _SHARED}
        artifacts = {**record["artifacts"], "judge": shown} if shown else dict(record["artifacts"])
        judged.append({**record, "metrics": {**record["metrics"], **values}, "artifacts": artifacts})
    progress(len(records), len(records))
    return judged, stopped


def measured(name: str, verdicts: Sequence[Verdict]) -> float | None:
    """The value of a measure, None where its verdicts do not give one."""
    values = [verdict.value for verdict in verdicts]
    known = [value for value in values if value is not None]
    if not known:
        return None
    if name != "context_precision":
        return sum(known) / len(known)
    if len(known) < len(values):
        return None
    hits = 0.0
    gained = 0.0
    for rank, value in enumerate(known, start=1):
        hits += value
        gained += value * hits / rank
    return gained / hits if hits else 0.0


def verdicts_of(runs: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Key -> verdict, of the questions of earlier runs; those without a word are asked again."""
    return {
        one["key"]: one
        for run in runs
        for record in run["questions"]
        for listed in record["artifacts"].get("judge", {}).values()
        for one in listed
        if one["verdict"] is not None
    }


def plain(text: str) -> str:
    """A text without citation marks."""
    return _MARK.sub("", text).strip()


def _sentences(text: str) -> list[str]:
    """The sentences of a text; a short one that is none, such as a date, is one statement."""
    found = [text[start:end].strip() for start, end in answer_sentences(text)]
    return [sentence for sentence in found if sentence] or [text]
