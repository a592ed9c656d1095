#!/usr/bin/env python3
"""Whether answers without a language model hold what was asked for, and quote whole units alone.

    .venv/bin/python scripts/bench/answers/extracts.py [--half dev|held_out] [--verbose]

Takes the documents of tests/golden/answers into an index of its own, asks their questions, and looks for the strings that each
answer must hold: in the answer, and among the passages. A fragment is what is quoted but is no whole unit of the document.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parent))

from _whole_units import fragments

from ragd.answer.cancellation import Cancellation
from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings
from ragd.core.query import ChatRequest
from ragd.core.results import Answer
from ragd.store.jobs import FINISHED

ANSWERS = Path(__file__).resolve().parents[3] / "tests" / "golden" / "answers"


@dataclass
class Figures:
    """Counts over questions, and what went wrong in words."""

    asked: int = 0
    among_passages: int = 0
    answered: int = 0
    bullets: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    missed: list[str] = field(default_factory=list)
    fragments: list[str] = field(default_factory=list)
    doubted: list[str] = field(default_factory=list)


def questions(half: str | None = None) -> dict[str, dict[str, Any]]:
    """Document -> its half, questions and paraphrases."""
    known = yaml.safe_load((ANSWERS / "questions.yaml").read_text(encoding="utf-8"))
    return {name: of_it for name, of_it in known.items() if half in (None, of_it["half"])}


@contextmanager
def opened(folder: Path, models: Path) -> Iterator[Application]:
    """An application over the documents."""
    app = Application(load_settings(environment={}), Directories(folder / "data", models, folder / "config"))
    try:
        app.runner.start()
        job = app.documents.ingest([str(ANSWERS / "documents")])
        while app.jobs.get(job.job_id).status not in FINISHED:
            app.runner.wait_for_change(0.5)
        yield app
    finally:
        app.close()


def measure(app: Application, half: str | None = None) -> Figures:
    """Ask the questions of one half, or all."""
    figures = Figures()
    sources = [path.read_text(encoding="utf-8") for path in sorted((ANSWERS / "documents").iterdir())]
    for name, of_document in questions(half).items():
        for question, kind, wanted in of_document["questions"]:
            result, events = app.search.chat(ChatRequest(question, extractive=True), Cancellation())
            answer = next(event for event in events if isinstance(event, Answer))
            figures.asked += 1
            passages = "\n".join(citation.passage.content for citation in result.context.citations)
            figures.among_passages += holds(passages, wanted)
            figures.bullets += answer.text.count("\n- ")
            if holds(answer.text, wanted):
                figures.answered += 1
                figures.kinds[kind] += 1
            else:
                figures.missed.append(f"{name}: {question}\n{answer.text}")
            figures.fragments += fragments(answer.text, sources) if answer.found else []
            figures.doubted += [answer.text[one.start : one.end] for one in answer.support if not one.supported]
    return figures


def holds(text: str, wanted: list[str]) -> bool:
    """Whether all of these strings stand in a text; blanks and line ends do not count."""
    squeezed = "".join(text.split())
    return all("".join(string.split()) in squeezed for string in wanted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--half", choices=["dev", "held_out"])
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder), Directories.default().models) as app:
        figures = measure(app, args.half)
    print(f"{figures.answered} of {figures.asked} answers hold what was asked for, {figures.among_passages} among their passages")
    print(f"{len(figures.fragments)} of {figures.bullets} bullets are fragments, {len(figures.doubted)} marked as not borne out")
    if args.verbose:
        print("\n\n".join(["MISSED", *figures.missed, "FRAGMENTS", *figures.fragments, "DOUBTED", *figures.doubted]))


if __name__ == "__main__":
    main()
