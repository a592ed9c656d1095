"""PlantUML's activities: steps one after the other, with branches, loops and lanes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from ragd.diagrams.model import Diagram, Shape
from ragd.diagrams.reading import plain
from ragd.diagrams.sources.builder import Builder

_STEP: Final = re.compile(r":(.*?)[;|<>/\]}]$")
_IF: Final = re.compile(r"(?:else\s*)?if\s*\((.*?)\)\s*(?:(?:then|is|equals)\s*(?:\(([^)]*)\))?)?$")
_ELSE: Final = re.compile(r"else\s*(?:\(([^)]*)\))?$")
_WHILE: Final = re.compile(r"while\s*\((.*?)\)\s*(?:is\s*\(([^)]*)\))?$")
_LANE: Final = re.compile(r"\|(?:#\w+\|)?([^|]+)\|$")
_FORK: Final = " fork"
_DEEPEST: Final = 100

_Ends = list[tuple[str, str]]
"""Nodes from which the next step is reached, each with the label of that edge."""


@dataclass(slots=True)
class _Branch:
    """`question` is a decision's node. `ends` are those of its branches so far; `passes`: it may lead on by itself. `first` are
    the ends from which each branch of a fork begins."""

    question: str
    ends: _Ends = field(default_factory=list)
    passes: bool = False
    first: _Ends = field(default_factory=list)


class Activity:
    """What follows a branch follows all of its ends."""

    def __init__(self) -> None:
        self._builder = Builder()
        self._last: _Ends = []
        self._open: list[_Branch] = []
        self._in_note = False

    def add(self, line: str) -> None:
        if self._in_note:
            self._in_note = line != "end note"
        elif not self._about(line) and not self._choice(line):
            self._flow(line)

    def done(self) -> Diagram | None:
        return self._builder.done()

    def _about(self, line: str) -> bool:
        if line.startswith("title "):
            self._builder.title = plain(line[6:])
        elif line.startswith(("note ", "floating note")):
            self._in_note = ":" not in line
        elif lane := _LANE.match(line):
            self._builder.open_groups.clear()
            self._builder.open(plain(lane[1]), plain(lane[1]), lane=True)
        else:
            return False
        return True

    def _choice(self, line: str) -> bool:
        if found := _IF.match(line):
            self._ask(found, goes_on=line.startswith("else"))
        elif (found := _ELSE.match(line)) and self._open:
            branch = self._open[-1]
            branch.ends, branch.passes = [*branch.ends, *self._last], False
            self._last = [(branch.question, plain(found[1] or ""))]
        elif found := _WHILE.match(line):
            name = self._step(found[1], "diamond")
            self._begin(_Branch(name))
            self._last = [(name, plain(found[2] or ""))]
        else:
            return False
        return True

    def _ask(self, found: re.Match[str], *, goes_on: bool) -> None:
        """A question; the next one of the same branch when it `goes_on`."""
        if goes_on and self._open:
            branch = self._open[-1]
            branch.ends += self._last
            self._last = [(branch.question, "")]
            branch.question = self._step(found[1], "diamond")
        else:
            self._begin(_Branch(self._step(found[1], "diamond"), passes=True))
        self._last = [(self._open[-1].question, plain(found[2] or ""))]

    def _flow(self, line: str) -> None:
        if found := _STEP.match(line):
            self._last = [(self._step(found[1], "round"), "")]
        elif line in ("fork", "split"):
            self._begin(_Branch(_FORK, first=list(self._last)))
        elif line in ("fork again", "split again") and self._open:
            branch = self._open[-1]
            branch.ends += self._last
            self._last = list(branch.first)
        elif line.startswith(("endif", "endwhile", "end fork", "end merge", "end split")) and self._open:
            self._close(line)
        elif line in ("stop", "end", "kill", "detach"):
            self._last = []

    def _close(self, line: str) -> None:
        branch = self._open.pop()
        if line.startswith("endwhile"):
            for source, said in self._last:
                self._builder.edge(source, branch.question, said)
            self._last = [(branch.question, plain(line[8:].strip("() ")))]
        elif branch.question == _FORK:
            self._last = [*branch.ends, *self._last]
        else:
            self._last = [*branch.ends, *self._last, *([(branch.question, "")] if branch.passes else [])]

    def _begin(self, branch: _Branch) -> None:
        if len(self._open) < _DEEPEST:
            self._open.append(branch)

    def _step(self, label: str, shape: Shape) -> str:
        name = self._builder.node(f"s{len(self._builder.nodes)}", plain(label), shape)
        for source, said in dict.fromkeys(self._last):
            self._builder.edge(source, name, said)
        return name
