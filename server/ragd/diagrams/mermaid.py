"""Mermaid of a diagram, and a grammar of just what is written here.

A label is text, whatever it holds: it stands in quotes or behind a colon, and every sign that Mermaid could read as one of its
own is written as a character reference (`#35;`). Ids are numbered, never taken from the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ragd.diagrams.model import Diagram, Edge, Node, Shape

MAX_CHARACTERS: Final = 40_000
"""Mermaid itself refuses texts of more than 50,000 characters, and more than 500 edges."""
_MOST_NODES: Final = 300
_MOST_EDGES: Final = 400
_PLAIN: Final = frozenset(" .,!?()/+*'_")
_MAX_LABEL: Final = 120
_MAX_MEMBERS: Final = 30

_SHAPES: Final[dict[Shape, tuple[str, str]]] = {
    "box": ("[", "]"), "round": ("(", ")"), "diamond": ("{", "}"), "ellipse": ("([", "])"), "circle": ("((", "))"),
    "cylinder": ("[(", ")]"), "hexagon": ("{{", "}}"), "parallelogram": ("[/", "/]"), "start": ("((", "))"),
    "end": ("(((", ")))"),
}  # fmt: skip
_ARROWS: Final = {"line": "---", "both": "<-->", "dotted": "-.->"}
_MESSAGES: Final = {"line": "->", "both": "<<->>", "dotted": "-->>"}
_RELATIONS: Final = {
    "line": "--", "both": "<-->", "dotted": "..>", "dependency": "..>", "inheritance": "--|>", "realization": "..|>",
    "composition": "--*", "aggregation": "--o",
}  # fmt: skip


def to_mermaid(diagram: Diagram) -> str:
    """The diagram's Mermaid text, of a length that Mermaid draws; what it would not is left out and counted in a comment."""
    nodes = diagram.nodes[:_MOST_NODES]
    ids = {node.id: f"n{number}" for number, node in enumerate(nodes, 1)}
    edges = [edge for edge in diagram.edges if edge.source in ids and edge.target in ids]
    written = {"flowchart": _flowchart, "sequence": _sequence, "class": _classes, "state": _states}[diagram.kind]
    lost = diagram.left_out + len(diagram.nodes) - len(nodes) + max(0, len(edges) - _MOST_EDGES)
    lines: list[str] = []
    length = 0
    for line in written(diagram, nodes, edges[:_MOST_EDGES], ids):
        length += len(line) + 1
        # A frame that was opened is closed, however long the text is.
        if length > MAX_CHARACTERS and line.strip() != "end":
            lost += 1
        else:
            lines.append(line)
    if lost:
        lines.append(f"%% not drawn: {lost}")
    return "\n".join(lines)


def escaped(label: str) -> str:
    """A label as Mermaid reads it: letters, digits and plain signs of all scripts as they are, the others as references."""
    cut = " ".join(label.split())
    cut = cut if len(cut) <= _MAX_LABEL else cut[: _MAX_LABEL - 1] + "…"
    return "".join(sign if sign.isalnum() or sign in _PLAIN or _is_plain(sign) else f"#{ord(sign)};" for sign in cut)


def _is_plain(sign: str) -> bool:
    return ord(sign) > 0x2000 and sign.isprintable()


def _flowchart(diagram: Diagram, nodes: tuple[Node, ...], edges: list[Edge], ids: dict[str, str]) -> Iterator[str]:
    yield f"flowchart {diagram.direction}"
    children: dict[str | None, list[int]] = {}
    for index, group in enumerate(diagram.groups):
        children.setdefault(group.parent, []).append(index)
    inside: dict[str | None, list[Node]] = {}
    for node in nodes:
        inside.setdefault(node.group, []).append(node)
    # Groups within groups, without recursion: what is left to write, and how deep it stands. A string closes a frame.
    waiting: list[tuple[int | str, int]] = [(index, 1) for index in reversed(children.get(None, []))]
    while waiting:
        item, depth = waiting.pop()
        indent = "  " * depth
        if isinstance(item, str):
            yield f"{indent}{item}"
            continue
        group = diagram.groups[item]
        yield f'{indent}subgraph g{item + 1}["{escaped(group.label) or " "}"]'
        yield from (f"{indent}  {_box(node, ids)}" for node in inside.get(group.id, []))
        waiting.append(("end", depth))
        waiting.extend((index, depth + 1) for index in reversed(children.get(group.id, [])))
    yield from (f"  {_box(node, ids)}" for node in inside.get(None, []))
    for edge in edges:
        label = f'|"{escaped(edge.label)}"|' if edge.label else ""
        yield f"  {ids[edge.source]} {_ARROWS.get(edge.kind, '-->')}{label} {ids[edge.target]}"


def _box(node: Node, ids: dict[str, str]) -> str:
    opening, closing = _SHAPES[node.shape]
    return f'{ids[node.id]}{opening}"{escaped(node.label) or " "}"{closing}'


def _sequence(_diagram: Diagram, nodes: tuple[Node, ...], edges: list[Edge], ids: dict[str, str]) -> Iterator[str]:
    yield "sequenceDiagram"
    for node in nodes:
        yield f"  participant {ids[node.id]} as {escaped(node.label) or ids[node.id]}"
    for edge in edges:
        yield f"  {ids[edge.source]}{_MESSAGES.get(edge.kind, '->>')}{ids[edge.target]}: {escaped(edge.label) or '…'}"


def _classes(diagram: Diagram, nodes: tuple[Node, ...], edges: list[Edge], ids: dict[str, str]) -> Iterator[str]:
    yield "classDiagram"
    yield f"  direction {diagram.direction}"
    for node in nodes:
        yield f'  class {ids[node.id]}["{escaped(node.label) or " "}"]'
        yield from (f"  {ids[node.id]} : {escaped(member)}" for member in node.members[:_MAX_MEMBERS] if member.strip())
    for edge in edges:
        label = f" : {escaped(edge.label)}" if edge.label else ""
        yield f"  {ids[edge.source]} {_RELATIONS.get(edge.kind, '-->')} {ids[edge.target]}{label}"


def _states(diagram: Diagram, nodes: tuple[Node, ...], edges: list[Edge], ids: dict[str, str]) -> Iterator[str]:
    yield "stateDiagram-v2"
    yield f"  direction {diagram.direction}"
    ends = {node.id for node in nodes if node.shape in ("start", "end") and not node.label}
    for node in nodes:
        if node.id not in ends:
            yield f'  state "{escaped(node.label) or " "}" as {ids[node.id]}'
    for edge in edges:
        label = f" : {escaped(edge.label)}" if edge.label else ""
        first, second = ("[*]" if end in ends else ids[end] for end in (edge.source, edge.target))
        yield f"  {first} --> {second}{label}"


# Possessive: a sign can be of two of these kinds, and none is to be tried in all ways.
_LABEL: Final = r"(?:[^\W_]|[ .,!?()/+*'_]|#\d{1,7};|[^\x00-\u2000])*+"
_QUOTED: Final = f'"{_LABEL}"'
_ID: Final = r"n\d{1,4}"
_DIRECTION: Final = r"(?:TB|BT|LR|RL)"


def _either(words: dict[str, str], *more: str) -> str:
    return "(?:" + "|".join(re.escape(word) for word in sorted({*words.values(), *more}, key=len, reverse=True)) + ")"


def _lines(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in (*patterns, r"%% not drawn: \d+")))


_BOX: Final = "|".join(f"{re.escape(opening)}{_QUOTED}{re.escape(closing)}" for opening, closing in _SHAPES.values())


@dataclass(frozen=True, slots=True)
class _Grammar:
    """What the first line of a kind of diagram is, and what each of the others."""

    opening: re.Pattern[str]
    statement: re.Pattern[str]


_GRAMMARS: Final = (
    _Grammar(
        re.compile(f"flowchart {_DIRECTION}"),
        _lines(
            rf" +subgraph g\d{{1,4}}\[{_QUOTED}\]",
            " +end",
            f" +{_ID}(?:{_BOX})",
            rf" +{_ID} {_either(_ARROWS, '-->')}(?:\|{_QUOTED}\|)? {_ID}",
        ),
    ),
    _Grammar(
        re.compile("sequenceDiagram"),
        _lines(f" +participant {_ID} as {_LABEL}", f" +{_ID}{_either(_MESSAGES, '->>')}{_ID}: {_LABEL}"),
    ),
    _Grammar(
        re.compile("classDiagram"),
        _lines(
            f" +direction {_DIRECTION}",
            rf" +class {_ID}\[{_QUOTED}\]",
            f" +{_ID} : {_LABEL}",
            f" +{_ID} {_either(_RELATIONS, '-->')} {_ID}(?: : {_LABEL})?",
        ),
    ),
    _Grammar(
        re.compile("stateDiagram-v2"),
        _lines(
            f" +direction {_DIRECTION}",
            f" +state {_QUOTED} as {_ID}",
            rf" +(?:{_ID}|\[\*\]) --> (?:{_ID}|\[\*\])(?: : {_LABEL})?",
        ),
    ),
)


def check_mermaid(text: str) -> bool:
    """Whether a text is Mermaid as it is written here: no more than nodes, edges and frames, without a directive or a link."""
    head, *lines = text.split("\n")
    if len(text) > MAX_CHARACTERS + 10_000 or text.count("  subgraph ") != sum(line.strip() == "end" for line in lines):
        return False
    return any(
        grammar.opening.fullmatch(head) and all(grammar.statement.fullmatch(line) for line in lines) for grammar in _GRAMMARS
    )
