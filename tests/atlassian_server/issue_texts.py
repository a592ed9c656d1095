"""Descriptions of issues as blocks, made from the texts of a language when they are first read."""

from __future__ import annotations

import random
from types import ModuleType
from typing import Any


def description(
    texts: ModuleType, kind: str, values: dict[str, Any], people: tuple[str, ...], seed: str, picture: tuple[str, str] | None
) -> list[Any]:
    """`picture` is (file name, id) of an attachment that the text shows."""
    rng = random.Random(seed)
    words = texts.ISSUE_WORDS
    fact = texts.ISSUE_FACTS[kind].format(**values)
    blocks: list[Any] = [("p", [fact, " ", ("mention", rng.choice(people))])]
    if kind in ("Bug", "Incident"):
        steps: list[Any] = [[step.format(**values)] for step in words["step_list"]]
        steps[1] = (steps[1], [[words["below"]]])
        blocks += [("h", 2, words["steps"]), ("ol", steps)]
        blocks += [("h", 2, words["expected"]), ("p", [words["expected_text"]])]
        blocks += [("h", 2, words["actual"]), ("code", "text", words["log"].format(**values))]
    if rng.random() < 0.4:
        blocks += [("panel", rng.choice(("info", "warning", "note")), [words["panel"]])]
    if rng.random() < 0.4:
        blocks += [("h", 3, words["found"]), ("table", [list(words["head"]), *(list(row) for row in words["table"])])]
    if rng.random() < 0.3:
        blocks += [("tasks", [(done, task) for task, done in words["done"]])]
    if rng.random() < 0.5:
        link = ("link", words["wiki"], "https://wiki.example.com/runbooks")
        blocks += [("ul", [[link], [("b", values["service"]), " ", ("code", f"{values['slug']}.conf")], [("status", "OPEN")]])]
    if rng.random() < 0.2:
        blocks += [("quote", [texts.COMMENTS[1][0]]), ("rule",)]
    if picture is not None:
        blocks += [("media", *picture)]
    return blocks


def comment(texts: ModuleType, number: int, author: str) -> list[Any]:
    """The number-th thing that people say under an issue."""
    words = texts.ISSUE_WORDS["comments"]
    return [("p", [("mention", author), " ", words[number % len(words)], f" ({number + 1})"])]
