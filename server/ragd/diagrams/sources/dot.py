"""Graphviz's DOT: graphs with nodes, edges and clusters (https://graphviz.org/doc/info/lang.html)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from ragd.diagrams.model import MAX_NODES, Diagram, EdgeKind, Shape, one_line
from ragd.diagrams.reading import MAX_TEXT, plain
from ragd.diagrams.sources.builder import Builder

_TOKEN: Final = re.compile(
    r"\s+|//[^\n]*|/\*.*?(?:\*/|\Z)|(?P<quoted>\"(?:[^\"\\]|\\.)*\")|(?P<edge>->|--)|(?P<sign>[{}\[\];,=:+])"
    r"|(?P<word>[^\W\d][\w.]*|-?(?:\.\d+|\d+(?:\.\d*)?)|[\w.]+)|(?P<html><)|.",
    re.DOTALL,
)
_COMMENT: Final = re.compile(r"^#[^\n]*", re.MULTILINE)
_ESCAPES: Final = re.compile(r"\\([nlrGNTE\"\\])")
_SHAPES: Final[dict[str, Shape]] = {
    "diamond": "diamond", "mdiamond": "diamond", "ellipse": "ellipse", "oval": "ellipse", "circle": "circle",
    "cylinder": "cylinder",
    "hexagon": "hexagon", "parallelogram": "parallelogram", "doublecircle": "end", "point": "start",
}  # fmt: skip
_RECORD: Final = re.compile(r"<[^<>]{0,100}>|[{}|]")
_MOST_TOKENS: Final = 200_000
_DEEPEST: Final = 50
_MOST_ENDS: Final = 100

_Token = tuple[str, str]


def read_dot(text: str) -> Diagram | None:
    """The first graph of a text; None where there is none."""
    if len(text) > MAX_TEXT:
        return None
    tokens = list(_tokens(_COMMENT.sub("", text)))
    words = [value.lower() for _, value in tokens[:4]]
    if "{" not in words or not {"graph", "digraph"} & set(words):
        return None
    return _Reader(tokens[words.index("{") + 1 :]).read()


def _tokens(text: str) -> Iterator[_Token]:
    at = count = 0
    while at < len(text) and count < _MOST_TOKENS:
        found = _TOKEN.match(text, at)
        if found is None:
            return
        at, kind = found.end(), found.lastgroup
        if kind is None:
            continue
        count += 1
        if kind == "html":
            depth, start = 1, at
            while at < len(text) and depth:
                depth += {"<": 1, ">": -1}.get(text[at], 0)
                at += 1
            yield "word", plain(re.sub(r"</?[^<>]*>", " ", text[start : at - 1]))
        elif kind == "quoted":
            yield "word", _ESCAPES.sub(lambda sign: sign[1] if sign[1] in '"\\' else " ", found[0][1:-1])
        else:
            yield kind, found[0]


class _Reader:
    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._is_directed = ("edge", "--") not in tokens
        self._at = 0
        self._chain = 0
        self._builder = Builder()
        self._defaults: list[dict[str, dict[str, str]]] = [{"node": {}, "edge": {}, "graph": {}}]

    def read(self) -> Diagram | None:
        """Statements one after the other; a subgraph's nodes are ends of an edge that begins or ends with it."""
        builder = self._builder
        waiting: list[tuple[list[str], bool, list[str], int]] = []
        ends: list[str] = []
        before: list[str] = []
        inside: list[str] = []
        while self._at < len(self._tokens):
            kind, value = self._tokens[self._at]
            self._at += 1
            if (kind, value) == ("sign", "{") or (kind, value.lower()) == ("word", "subgraph"):
                named = self._opened(value)
                if len(waiting) >= _DEEPEST:
                    return builder.done()
                waiting.append((before, named, inside, self._chain if before else len(builder.edges)))
                self._defaults.append({name: dict(values) for name, values in self._defaults[-1].items()})
                before, ends, inside = [], [], []
            elif value == "}" and kind == "sign":
                if not waiting:
                    break
                self._defaults.pop()
                before, named, outer, self._chain = waiting.pop()
                if named:
                    builder.close()
                ends = list(dict.fromkeys(inside))[:_MOST_ENDS]
                inside = [*outer, *ends]
                self._join(before, ends)
                if self._peek() == "[":
                    self._label_edges(self._attributes())
                before = []
            elif kind == "edge":
                before = ends
            elif kind == "word":
                ends = self._statement(value, before, inside)
                before = []
            elif value == ";":
                before, ends = [], []
        return builder.done()

    def _peek(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _opened(self, value: str) -> bool:
        """Whether what begins here is a frame. The name and the brace are passed."""
        name = ""
        if value != "{":
            if self._at < len(self._tokens) and self._tokens[self._at][0] == "word":
                name = self._tokens[self._at][1]
                self._at += 1
            if self._at < len(self._tokens) and self._tokens[self._at][1] == "{":
                self._at += 1
        if not name.startswith("cluster"):
            return False
        self._builder.open("", name)
        return True

    def _statement(self, word: str, before: list[str], inside: list[str]) -> list[str]:
        """A node, an attribute or a default; returns the nodes with which an edge may go on."""
        builder = self._builder
        following = self._peek()
        if following == "=" and self._at + 1 < len(self._tokens):
            self._set(word.lower(), self._tokens[self._at + 1][1])
            self._at += 2
            return []
        if word.lower() in ("node", "edge", "graph") and following == "[":
            attributes = self._attributes()
            self._defaults[-1][word.lower()].update(attributes)
            if word.lower() == "graph":
                for key, stated in attributes.items():
                    self._set(key, stated)
            return []
        while following == ":" and self._at + 1 < len(self._tokens):
            self._at += 2
            following = self._peek()
        known = word in builder.nodes
        builder.node(word)
        if not known:
            self._describe(word, self._defaults[-1]["node"])
        if len(inside) < MAX_NODES:
            inside.append(word)
        if not before:
            self._chain = len(builder.edges)
        self._join(before, [word])
        if following == "[":
            attributes = self._attributes()
            if before:
                self._label_edges(attributes)
            else:
                self._describe(word, attributes)
        return [word]

    def _join(self, before: list[str], ends: list[str]) -> None:
        defaults = self._defaults[-1]["edge"]
        for source in before:
            for target in ends:
                self._builder.edge(source, target, one_line(defaults.get("label", "")), self._kind(defaults))

    def _label_edges(self, attributes: Mapping[str, str]) -> None:
        """What stands behind a chain of edges is of all of them."""
        edges = self._builder.edges
        chain, edges[self._chain :] = edges[self._chain :], []
        for edge in chain:
            self._builder.edge(edge.source, edge.target, one_line(attributes.get("label", edge.label)), self._kind(attributes))

    def _kind(self, attributes: Mapping[str, str]) -> EdgeKind:
        if not self._is_directed or attributes.get("dir") == "none":
            return "line"
        return (
            "both"
            if attributes.get("dir") == "both"
            else "dotted"
            if attributes.get("style") in ("dashed", "dotted")
            else "arrow"
        )

    def _describe(self, node_id: str, attributes: Mapping[str, str]) -> None:
        shape = attributes.get("shape", "").lower()
        label = attributes.get("label")
        if label is not None and "record" in shape:
            label = " ".join(_RECORD.sub(" ", label).split())
        if label is not None:
            label = node_id if label == "\\N" else one_line(label)
        self._builder.node(node_id, label, _SHAPES.get(shape))

    def _set(self, key: str, stated: str) -> None:
        builder = self._builder
        if key == "rankdir":
            builder.turn(stated)
        elif key == "label" and builder.open_groups:
            group = builder.groups.get(builder.open_groups[-1])
            if group:
                builder.groups[group.id] = type(group)(group.id, one_line(stated), group.parent)
        elif key == "label":
            builder.title = one_line(stated)

    def _attributes(self) -> dict[str, str]:
        """`[label="x", shape=box]`, one or several."""
        found: dict[str, str] = {}
        while self._at < len(self._tokens) and self._tokens[self._at][1] == "[":
            self._at += 1
            while self._at < len(self._tokens) and self._tokens[self._at][1] != "]":
                key = self._tokens[self._at][1]
                if self._at + 2 < len(self._tokens) and self._tokens[self._at + 1][1] == "=":
                    found[key.lower()] = self._tokens[self._at + 2][1]
                    self._at += 2
                self._at += 1
            self._at += 1
        return found
