"""Mermaid as people write it: flow charts, sequences, classes, states, entities."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape
from typing import Final

from ragd.diagrams.model import Diagram, EdgeKind, Shape
from ragd.diagrams.reading import MAX_LINE, MAX_TEXT, plain
from ragd.diagrams.sources.builder import Builder

_HEAD: Final = re.compile(
    r"(flowchart(?:-elk)?|graph|sequenceDiagram|classDiagram(?:-v2)?|stateDiagram(?:-v2)?|erDiagram)\b\s*(\w*)"
)
_FRONT: Final = re.compile(r"\A\s*---\s*\n(.*?)\n\s*---\s*\n", re.DOTALL)
_TITLE: Final = re.compile(r"^[ \t]*title[ \t]*:[ \t]*(\S.*)$", re.MULTILINE)
_REFERENCE: Final = re.compile(r"#(\d{1,6}|[a-z]{2,8});")
_ID: Final = re.compile(r"[^\s\[\](){}<>|&;\-=.~\"%:@]+(?:[-.](?![-.>=])[^\s\[\](){}<>|&;\-=.~\"%:@]+)*")
_SHAPES: Final[tuple[tuple[str, str, Shape], ...]] = (
    ("(((", ")))", "end"), ("([", "])", "ellipse"), ("[(", ")]", "cylinder"), ("[[", "]]", "box"), ("((", "))", "circle"),
    ("{{", "}}", "hexagon"), ("[/", "/]", "parallelogram"), ("[/", "\\]", "parallelogram"), ("[\\", "\\]", "parallelogram"),
    ("[\\", "/]", "parallelogram"), ("(", ")", "round"), ("[", "]", "box"), ("{", "}", "diamond"), (">", "]", "box"),
)  # fmt: skip
_NEW_SHAPE: Final = re.compile(r"@\{([^{}]{0,500})\}")
_NEW_LABEL: Final = re.compile(r"\blabel\s*:\s*\"([^\"]*)\"")
_NEW_KIND: Final = re.compile(r"\bshape\s*:\s*([\w-]+)")
_NEW_SHAPES: Final[dict[str, Shape]] = {
    "diam": "diamond", "decision": "diamond", "diamond": "diamond", "cyl": "cylinder", "db": "cylinder", "rounded": "round",
    "stadium": "ellipse", "circle": "circle", "circ": "circle", "hex": "hexagon", "lean-r": "parallelogram",
}  # fmt: skip
_CLASS: Final = re.compile(r":::[\w-]+")
_LINK: Final = re.compile(r"\s*(<|[xo](?=[-=]))?(-{2,}[->xo]|={2,}[=>xo]|-\.+-[>xo]?|~{3,})\s*(?:\|\s*(\"[^\"]*\"|[^|]*)\|)?\s*")
_LABELLED: Final = re.compile(
    r"\s*(<|[xo](?=[-=]))?(--|==|-\.)\s*(\"[^\"]*\"|[^\"|]+?)\s*(-{2,}[->xo]?|={2,}[=>xo]?|\.+-[>xo]?)\s*"
)
_SKIPPED: Final = ("style ", "classDef ", "class ", "click ", "linkStyle ", "%%", "accTitle", "accDescr", "title ")
_SIGN: Final = re.compile(r"<<-->>|<<->>|--?>>|--?>|--?x|--?\)")
_PERSON: Final = re.compile(r"(?:create\s+)?(?:participant|actor)\s+(.+?)(?:\s+as\s+(.+))?$")
_RELATION: Final = re.compile(
    r"(`[^`]+`|[^\s\"<>*:]+?)\s*+(?:\"([^\"]*+)\"\s*+)?(<\|--|--\|>|<\|\.\.|\.\.\|>|\*--|--\*|o--|--o|<-->|<--|-->|<\.\.|\.\.>|--|\.\.)"
    r"\s*+(?:\"([^\"]*+)\"\s*+)?(`[^`]+`|[^\s\":]++)\s*+(?::\s*+(.*))?$"
)
_RELATIONS: Final[dict[str, EdgeKind]] = {
    "--|>": "inheritance", "..|>": "realization", "--*": "composition", "--o": "aggregation", "-->": "arrow", "..>": "dependency",
    "--": "line", "..": "line", "<-->": "both",
}  # fmt: skip
_CLASS_HEAD: Final = re.compile(r"class\s+(`[^`]+`|[^\s\[{:]+)\s*(?:\[\"([^\"]*)\"\])?\s*(?::::[\w-]+)?\s*(\{?)(.*)")
_ENTITIES: Final = re.compile(
    r"(\"[^\"]+\"|[^\s\"]+)\s+([|}{o]{2}(?:--|\.\.)[|}{o]{2})\s+(\"[^\"]+\"|[^\s\":]+)\s*(?::\s*(.*))?$"
)
_STATE: Final = re.compile(r"(\[\*\]|[^\s:\-]+)\s*-->\s*(\[\*\]|[^\s:]+)\s*(?::\s*(.*))?$")
_STATE_HEAD: Final = re.compile(r"state\s+(?:\"([^\"]*)\"\s+as\s+)?([^\s{<]+)\s*(?:<<(\w+)>>)?\s*(\{?)")


def read_mermaid(text: str) -> Diagram | None:
    """The diagram; None for a kind that is not made of nodes and edges, and for what is no Mermaid."""
    if len(text) > MAX_TEXT:
        return None
    builder = Builder()
    if front := _FRONT.match(text):
        stated = _TITLE.search(front[1])
        builder.title = stated[1].strip("\"' ") if stated else ""
        text = text[front.end() :]
    lines = [line.strip() for line in text.split("\n")]
    lines = [line for line in lines if line and len(line) <= MAX_LINE and not line.startswith("%%")]
    head = _HEAD.match(lines[0]) if lines else None
    if head is None:
        return None
    rest = lines[1:]
    readers: dict[str, Callable[[Builder, list[str]], None]] = {
        "s": _sequence, "c": _classes, "e": _entities, "st": _states,
    }  # fmt: skip
    if head[1].startswith(("flow", "graph")):
        builder.turn(head[2])
        after = lines[0][head.end() :].lstrip("; ")
        _flow(builder, [part for line in (after, *rest) for part in _statements(line)])
    else:
        readers["st" if head[1].startswith("state") else head[1][0]](builder, rest)
    return builder.done()


def _words(label: str | None) -> str:
    """A label without its quotes, markup and references."""
    text = (label or "").strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1].strip("`")
    text = _REFERENCE.sub(lambda found: unescape(f"&#{found[1]};" if found[1].isdecimal() else f"&{found[1]};"), text)
    return plain(text.replace("\\n", " "))


def _statements(line: str) -> Iterator[str]:
    """The line cut at semicolons that are in no label."""
    if ";" not in line:
        yield line
        return
    part, quoted, depth = "", False, 0
    for sign in line:
        if sign == '"':
            quoted = not quoted
        elif not quoted and sign in "[({":
            depth += 1
        elif not quoted and sign in "])}":
            depth = max(0, depth - 1)
        if sign == ";" and not quoted and not depth:
            yield part.strip()
            part = ""
        else:
            part += sign
    yield part.strip()


def _flow(builder: Builder, statements: list[str]) -> None:
    for line in statements:
        if line.startswith("subgraph"):
            _subgraph(builder, line[8:].strip())
        elif line == "end":
            builder.close()
        elif line.startswith("direction "):
            if not builder.open_groups:
                builder.turn(line[10:].strip())
        elif line and not line.startswith(_SKIPPED):
            _chain(builder, line)


def _subgraph(builder: Builder, text: str) -> None:
    found = _ID.match(text)
    if found and text[found.end() :].lstrip().startswith("["):
        builder.open(_words(text[found.end() :].strip()[1:].rstrip("]")), found[0])
    else:
        builder.open(_words(text), text.strip('"'))


def _chain(builder: Builder, line: str) -> None:
    """`A & B --> C -- yes --> D`."""
    at = 0
    before: list[str] = []
    link: tuple[str, EdgeKind, bool] | None = None
    kind: EdgeKind
    while True:
        at, ids = _names(builder, line, at)
        if not ids:
            return
        if link:
            label, kind, turned = link
            for source in before:
                for target in ids:
                    builder.edge(*((target, source) if turned else (source, target)), label, kind)
        before = ids
        found = _LINK.match(line, at)
        if found:
            start, body, label = found[1], found[2], found[3]
        elif found := _LABELLED.match(line, at):
            start, body, label = found[1], found[2] + found[4], found[3]
        else:
            return
        ends = body[-1] in ">xo"
        kind = "both" if start and ends else "line" if not (start or ends) else "dotted" if "." in body else "arrow"
        link = (_words(label), kind, bool(start) and not ends)
        at = found.end()


def _names(builder: Builder, line: str, at: int) -> tuple[int, list[str]]:
    """Nodes joined by `&`, and where the text goes on."""
    ids: list[str] = []
    while True:
        while at < len(line) and line[at] == " ":
            at += 1
        found = _ID.match(line, at)
        if found is None:
            return at, ids
        at = found.end()
        label, shape, at = _label(line, at)
        ids.append(builder.node(found[0], label, shape))
        if styled := _CLASS.match(line, at):
            at = styled.end()
        rest = line[at:].lstrip()
        if not rest.startswith("&"):
            return at, ids
        at = len(line) - len(rest) + 1


def _label(line: str, at: int) -> tuple[str | None, Shape | None, int]:
    if found := _NEW_SHAPE.match(line, at):
        label, kind = _NEW_LABEL.search(found[1]), _NEW_KIND.search(found[1])
        return (_words(label[1]) if label else None), _NEW_SHAPES.get(kind[1] if kind else ""), found.end()
    for opening, closing, shape in _SHAPES:
        if not line.startswith(opening, at):
            continue
        start = at + len(opening)
        quoted = re.match(r"\s*\"[^\"]*\"\s*", line[start:]) if line[start : start + 2].lstrip().startswith('"') else None
        end = line.find(closing, start + quoted.end() if quoted else start)
        if end >= 0 and (quoted is None or end == start + quoted.end()):
            return _words(line[start:end]), shape, end + len(closing)
    return None, None, at


def _sequence(builder: Builder, lines: list[str]) -> None:
    builder.kind = "sequence"
    for line in lines:
        if person := _PERSON.match(line):
            builder.node(person[1].strip(), _words(person[2] or person[1]))
        elif line.startswith(("Note ", "note ")):
            continue
        elif sign := _SIGN.search(line):
            sender, (receiver, colon, words) = line[: sign.start()].strip(), line[sign.end() :].partition(":")
            receiver = receiver.strip().lstrip("+-").strip()
            if sender and receiver and colon:
                arrow: EdgeKind = "both" if sign[0].startswith("<<") else "dotted" if "--" in sign[0] else "arrow"
                builder.edge(builder.node(sender), builder.node(receiver), _words(words), arrow)


def _classes(builder: Builder, lines: list[str]) -> None:
    builder.kind = "class"
    inside = ""
    for line in lines:
        if inside:
            if line.startswith("}"):
                inside = ""
            elif not line.startswith("<<"):
                builder.member(inside, line)
        elif line.startswith("direction "):
            builder.turn(line[10:].strip())
        elif head := _CLASS_HEAD.match(line):
            name = builder.node(head[1].strip("`"), _words(head[2]) if head[2] else None)
            if head[3]:
                members, closed, _ = head[4].partition("}")
                for member in members.split(";"):
                    builder.member(name, member)
                inside = "" if closed else name
        elif relation := _RELATION.match(line):
            _relation(builder, relation)
        elif ":" in line and " " not in (name := line.partition(":")[0].strip()):
            builder.member(name, line.partition(":")[2])


def _relation(builder: Builder, found: re.Match[str]) -> None:
    first, second = builder.node(found[1].strip("`")), builder.node(found[5].strip("`"))
    sign = found[3]
    turned = sign not in _RELATIONS
    if turned:
        sign = sign[::-1].translate(str.maketrans("<>", "><"))
    builder.edge(*((second, first) if turned else (first, second)), _words(found[6]), _RELATIONS.get(sign, "arrow"))


def _entities(builder: Builder, lines: list[str]) -> None:
    builder.kind = "class"
    inside = ""
    for line in lines:
        if inside:
            if line.startswith("}"):
                inside = ""
            else:
                builder.member(inside, line)
        elif found := _ENTITIES.match(line):
            builder.edge(builder.node(_words(found[1])), builder.node(_words(found[3])), _words(found[4]), "line")
        elif line.endswith("{"):
            inside = builder.node(_words(line[:-1].partition("[")[0]))


def _states(builder: Builder, lines: list[str]) -> None:
    builder.kind = "state"
    in_note = False
    for line in lines:
        if in_note:
            in_note = line != "end note"
        elif line.startswith("note "):
            in_note = ":" not in line
        elif line.startswith("direction "):
            builder.turn(line[10:].strip())
        elif line == "}":
            builder.close()
        elif head := _STATE_HEAD.match(line):
            if head[4]:
                builder.open(_words(head[1] or head[2]), head[2])
            else:
                builder.node(head[2], _words(head[1]) if head[1] else None, "diamond" if head[3] == "choice" else None)
        elif step := _STATE.match(line):
            ends = [(step[1], "start"), (step[2], "end")]
            source, target = (
                builder.node(f" {role}", "", "start" if role == "start" else "end") if name == "[*]" else builder.node(name)
                for name, role in ends
            )
            builder.edge(source, target, _words(step[3]))
        elif ":" in line and " " not in (name := line.partition(":")[0].strip()):
            builder.node(name, _words(line.partition(":")[2]))
