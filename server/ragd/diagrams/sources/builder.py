"""A diagram while its text is read, statement by statement."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from ragd.diagrams.model import MAX_EDGES, MAX_NODES, Diagram, DiagramKind, Direction, Edge, EdgeKind, Group, Node, Shape, made

_DIRECTIONS: Final[dict[str, Direction]] = {"TB": "TB", "TD": "TB", "BT": "BT", "LR": "LR", "RL": "RL"}


@dataclass(slots=True)
class Builder:
    """Nodes by id in the order in which they are first named; `open_groups` are those in which a statement stands."""

    kind: DiagramKind = "flowchart"
    direction: Direction | None = None
    nodes: dict[str, Node] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    groups: dict[str, Group] = field(default_factory=dict)
    open_groups: list[str] = field(default_factory=list)
    title: str = ""

    def node(self, node_id: str, label: str | None = None, shape: Shape | None = None) -> str:
        """Name a node; a later statement adds what an earlier one left open."""
        known = self.nodes.get(node_id)
        if known is None:
            if len(self.nodes) > 2 * MAX_NODES:
                return node_id
            group = self.open_groups[-1] if self.open_groups else None
            self.nodes[node_id] = Node(node_id, node_id if label is None else label, shape or "box", group=group)
        elif label is not None or shape is not None:
            self.nodes[node_id] = replace(known, label=known.label if label is None else label, shape=shape or known.shape)
        return node_id

    def member(self, node_id: str, text: str) -> None:
        """An attribute or a method of a class."""
        if text.strip():
            self.node(node_id)
            known = self.nodes.get(node_id)
            if known and len(known.members) < 100:
                self.nodes[node_id] = replace(known, members=(*known.members, text.strip()))

    def edge(self, source: str, target: str, label: str = "", kind: EdgeKind = "arrow") -> None:
        if len(self.edges) <= 2 * MAX_EDGES:
            self.edges.append(Edge(source, target, label, kind))

    def open(self, label: str, group_id: str = "", *, lane: bool = False) -> None:
        """Begin a group; what follows is in it."""
        key = group_id or f" {len(self.groups)}"
        parent = self.open_groups[-1] if self.open_groups else None
        if key not in self.groups and len(self.groups) < MAX_NODES:
            self.groups[key] = Group(key, label, parent, lane)
        self.open_groups.append(key)

    def close(self) -> None:
        if self.open_groups:
            self.open_groups.pop()

    def turn(self, word: str) -> None:
        """The direction as a statement names it."""
        self.direction = _DIRECTIONS.get(word.upper(), self.direction)

    def done(self) -> Diagram | None:
        # A name of a group at the end of an arrow stands for the group, not for a box of its own.
        nodes = [
            replace(node, label=self.groups[node.id].label, group=None) if node.id in self.groups else node
            for node in self.nodes.values()
        ]
        return made(self.kind, nodes, self.edges, self.groups.values(), direction=self.direction or "TB", title=self.title)
