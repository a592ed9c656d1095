"""PlantUML: sequences, classes, components and use cases, states, activities."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from ragd.diagrams.model import Diagram, DiagramKind, EdgeKind, Shape
from ragd.diagrams.reading import MAX_LINE, MAX_TEXT, plain
from ragd.diagrams.sources.activity import Activity
from ragd.diagrams.sources.builder import Builder

_KINDS: Final[dict[str, Shape]] = {
    "participant": "box", "actor": "ellipse", "boundary": "box", "control": "round", "entity": "box", "database": "cylinder",
    "collections": "box", "queue": "cylinder", "component": "box", "interface": "circle", "usecase": "ellipse", "node": "box",
    "artifact": "box", "cloud": "round", "storage": "cylinder", "file": "box", "card": "box", "agent": "box", "object": "box",
    "class": "box", "abstract": "box", "enum": "box", "annotation": "box", "state": "round", "rectangle": "box", "folder": "box",
    "package": "box", "frame": "box", "partition": "box", "namespace": "box", "stack": "box", "map": "box", "struct": "box",
}  # fmt: skip
_OF_CLASSES: Final = ("class", "abstract", "enum", "annotation", "interface", "object", "struct", "map")
_OF_SEQUENCES: Final = ("participant", "boundary", "control", "collections")
_NAME: Final = r"(?:\"[^\"]*\"|\[[^\]]*\]|\([^)]*\)|:[^:\s][^:]*:|[^\s\"\[\]():{}<>*|]+)"
_DECLARED: Final = re.compile(rf"(?:abstract\s+)?({'|'.join(_KINDS)})\s+({_NAME})(?:\s+as\s+({_NAME}))?", re.IGNORECASE)
_BRACKETED: Final = re.compile(r"(\[[^\]]+\]|\([^)]+\)|:[^:]+:)(?:\s+as\s+(\S+))?$")
_ARROW: Final = re.compile(
    rf"(\[\*\]|{_NAME})\s*(?:\"([^\"]*)\"\s*)?([<ox*+#^|]{{0,3}}[-.]{{1,20}}(?:\[[^\]]*\])?(?:[udlr]|up|down|left|right)?[-.]{{0,20}}[>\\/ox*+#^|]{{0,3}})"
    rf"\s*(?:\"([^\"]*)\"\s*)?(\[\*\]|{_NAME})\s*(?::\s*(.*))?$"
)
_NOTE: Final = re.compile(r"(?:note|legend|header|footer|title)\b")
_NOTE_ENDS: Final = re.compile(r"end ?(?:note|legend|header|footer|title)$")
_RULE: Final = re.compile(r"[-=._]{2,}")
_MEMBER: Final = re.compile(r"\S+\s+:\s+\S")
_NOT_DRAWN: Final = ("@", "'", "!", "skinparam", "hide ", "show ", "scale ")
_BLOCK_COMMENT: Final = re.compile(r"/'.*?'/", re.DOTALL)


def read_plantuml(text: str) -> Diagram | None:
    """The diagram; None where there are no nodes or the kind is another one."""
    if len(text) > MAX_TEXT:
        return None
    lines = [line.strip() for line in _BLOCK_COMMENT.sub("", text).replace("\\n", " ").split("\n")]
    lines = [line for line in lines if line and len(line) <= MAX_LINE and not line.startswith(_NOT_DRAWN)]
    is_activity = any(line in ("start", "stop") or (line.startswith(":") and line.endswith(";")) for line in lines)
    reader = Activity() if is_activity else _Boxes()
    for line in lines:
        reader.add(line)
    return reader.done()


def _words(name: str) -> str:
    for opening, closing in ('""', "[]", "()", "::"):
        if len(name) > 1 and name[0] == opening and name[-1] == closing:
            name = name[1:-1]
            break
    return plain(name)


class _Boxes:
    """Boxes and arrows of every kind but activities; what stands there says in the end of which kind the diagram is."""

    def __init__(self) -> None:
        self.builder = Builder()
        self.seen: set[str] = set()
        self.inside = ""
        self.in_note = False
        self.double: list[int] = []

    def add(self, line: str) -> None:
        if self.in_note:
            self.in_note = not _NOTE_ENDS.match(line)
        elif self.inside:
            self._member(line)
        elif not self._about(line):
            self._statement(line)

    def _member(self, line: str) -> None:
        if line.startswith("}"):
            self.inside = ""
        elif not _RULE.match(line):
            self.builder.member(self.inside, plain(line))

    def _about(self, line: str) -> bool:
        """Whether a line is about the whole drawing, or a note."""
        if line.startswith("title "):
            self.builder.title = plain(line[6:])
        elif _NOTE.match(line):
            self.in_note = ":" not in line and not line.startswith('note "')
        elif line.startswith("left to right"):
            self.builder.turn("LR")
        elif line == "}":
            self.builder.close()
        else:
            return False
        return True

    def _statement(self, line: str) -> None:
        if declared := _DECLARED.match(line):
            self.inside = _declare(self.builder, declared, self.seen)
        elif bracketed := _BRACKETED.match(line):
            name = bracketed[2] or bracketed[1]
            self.builder.node(_words(name), _words(bracketed[1]), "ellipse" if line[0] == "(" else None)
        elif arrow := _ARROW.match(line):
            if _arrow(self.builder, arrow, self.seen):
                self.double.append(len(self.builder.edges) - 1)
        elif _MEMBER.match(line):
            name, _, member = line.partition(":")
            self.builder.member(_words(name.strip()), plain(member))

    def done(self) -> Diagram | None:
        self.builder.kind = self._kind()
        # Two dashes are the broken line of an answer; between other boxes they are as good as one.
        if self.builder.kind == "sequence":
            for index in self.double:
                self.builder.edges[index] = replace(self.builder.edges[index], kind="dotted")
        return self.builder.done()

    def _kind(self) -> DiagramKind:
        seen = self.seen
        if {" state", "state"} & seen:
            return "state"
        if " component" in seen:
            return "flowchart"
        if " relation" in seen or seen & set(_OF_CLASSES):
            return "class"
        return "sequence" if (seen & set(_OF_SEQUENCES) or " message" in seen) and not self.builder.groups else "flowchart"


def _declare(builder: Builder, found: re.Match[str], seen: set[str]) -> str:
    """A named box, or a frame that begins; returns the class whose members follow."""
    kind = found[1].lower()
    label, alias = _words(found[2]), _words(found[3] or found[2])
    # `class A as "long name"` and `class "long name" as A` are the same.
    if found[3] and found[3].startswith('"'):
        label, alias = alias, label
    seen.add(kind if kind != "entity" else "")
    if kind in ("component", "usecase", "node", "cloud", "package", "rectangle", "folder", "frame"):
        seen.add(" component")
    begins = found.string.rstrip().endswith("{")
    if begins and kind not in _OF_CLASSES:
        builder.open(label, alias)
        return ""
    builder.node(alias, label, _KINDS[kind])
    return alias if begins else ""


def _arrow(builder: Builder, found: re.Match[str], seen: set[str]) -> bool:
    """An edge; whether it is an arrow of two dashes."""
    sign = re.sub(r"\[[^\[\]]*\]|[a-z]{2,}|(?<=[-.])[udlr](?=[-.])", "", found[3])
    ends = []
    for name, role in ((found[1], "start"), (found[5], "end")):
        if name == "[*]":
            seen.add(" state")
            shape: Shape = "start" if role == "start" else "end"
            ends.append(builder.node(f" {role}", "", shape))
        else:
            known = _words(name)
            if name[0] in "[(":
                seen.add(" component")
            shape = "ellipse" if name[0] == "(" else "box"
            ends.append(builder.node(known, None if known in builder.nodes else known, None if known in builder.nodes else shape))
    left, right = sign[0] in "<ox*+#^|", sign[-1] in ">\\/ox*+#^|"
    turned = left and not right
    if turned:
        ends.reverse()
        sign = sign[::-1].translate(str.maketrans("<>", "><"))
    kind: EdgeKind = "line" if not (left or right) else "both" if left and right else "arrow"
    if sign.endswith(("|>", "^")):
        kind = "realization" if "." in sign else "inheritance"
        seen.add(" relation")
    elif sign[-1] in "*o#+":
        kind = "aggregation" if sign[-1] == "o" else "composition"
        seen.add(" relation")
    elif kind == "arrow" and "." in sign:
        kind = "dotted"
    if kind in ("arrow", "dotted", "both"):
        seen.add(" message")
    builder.edge(ends[0], ends[1], plain(found[6] or ""), kind)
    return kind == "arrow" and "--" in sign
