"""A diagram as nodes, edges and groups, whatever drew it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal

DiagramKind = Literal["flowchart", "sequence", "class", "state"]
Direction = Literal["TB", "BT", "LR", "RL"]
Shape = Literal["box", "round", "diamond", "ellipse", "circle", "cylinder", "hexagon", "parallelogram", "start", "end"]
EdgeKind = Literal["arrow", "line", "both", "dotted", "inheritance", "realization", "composition", "aggregation", "dependency"]
Box = tuple[float, float, float, float]
"""Left, top, right and bottom, in whatever unit the source has."""

MAX_NODES: Final = 2_000
"""Nodes of one diagram; what a source has beyond is left out, and counted."""
MAX_EDGES: Final = 5_000
MAX_LABEL: Final = 300
MAX_DIAGRAMS: Final = 200
"""Diagrams (pages) of one document."""
_MAX_NESTING: Final = 20


@dataclass(frozen=True, slots=True)
class Node:
    """A box, a participant of a sequence, a class or a state. `members` are the attributes and methods of a class."""

    id: str
    label: str
    shape: Shape = "box"
    box: Box | None = None
    group: str | None = None
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Edge:
    """From node to node, by their ids. `confidence` is 0..1: 1 where the source states the edge."""

    source: str
    target: str
    label: str = ""
    kind: EdgeKind = "arrow"
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Group:
    """A frame around nodes; a `lane` is one of a pool's stripes. `parent` is the id of the group around it."""

    id: str
    label: str
    parent: str | None = None
    lane: bool = False


@dataclass(frozen=True, slots=True)
class Diagram:
    """`left_out` counts nodes and edges that were not read, or of which it is too doubtful that they are there."""

    kind: DiagramKind
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = ()
    groups: tuple[Group, ...] = ()
    direction: Direction = "TB"
    title: str = ""
    left_out: int = 0

    def label(self, node_id: str) -> str:
        """A node's label; empty for one that isn't there."""
        return next((node.label for node in self.nodes if node.id == node_id), "")


def one_line(text: str, limit: int = MAX_LABEL) -> str:
    """A label without line breaks and signs that nobody sees, of at most so many characters."""
    words = "".join(sign if sign.isprintable() else " " for sign in text[: limit * 4]).split()
    line = " ".join(words)
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def made(
    kind: DiagramKind,
    nodes: Iterable[Node],
    edges: Iterable[Edge],
    groups: Iterable[Group] = (),
    *,
    direction: Direction | None = None,
    title: str = "",
    left_out: int = 0,
) -> Diagram | None:
    """A diagram that is fit to be shown, of what a source states; None where it shows nothing.

    Ids are unique, edges join nodes that are there, groups hold something and are in no circle; sizes are bounded. Without a
    `direction` it is taken from where the boxes are.
    """
    kept = list({node.id: replace(node, label=one_line(node.label)) for node in reversed(list(nodes))}.values())[::-1]
    known = {node.id for node in kept[:MAX_NODES]}
    all_edges = list(edges)
    joined = [replace(edge, label=one_line(edge.label)) for edge in all_edges if edge.source in known and edge.target in known]
    frames = _sound_groups(groups, kept[:MAX_NODES])
    ids = {group.id for group in frames}
    placed = tuple(node if node.group is None or node.group in ids else replace(node, group=None) for node in kept[:MAX_NODES])
    lost = len(kept) - len(placed) + max(0, len(joined) - MAX_EDGES) + left_out
    if not any(node.label for node in placed):
        return None
    return Diagram(
        kind=kind,
        nodes=placed,
        edges=tuple(joined[:MAX_EDGES]),
        groups=frames,
        direction=direction or _direction(placed, joined),
        title=one_line(title),
        left_out=lost,
    )


def _sound_groups(groups: Iterable[Group], nodes: Iterable[Node]) -> tuple[Group, ...]:
    """Those that hold nodes, directly or in a group of theirs, each in another that is there, without circles."""
    by_id = {group.id: replace(group, label=one_line(group.label)) for group in groups}
    used: dict[str, None] = {}
    for node in nodes:
        path: list[str] = []
        at = node.group
        while at is not None and at in by_id and at not in path and len(path) < _MAX_NESTING:
            path.append(at)
            at = by_id[at].parent
        if path and (at in path or len(path) == _MAX_NESTING):
            by_id[path[-1]] = replace(by_id[path[-1]], parent=None)
        used.update(dict.fromkeys(path))
    return tuple(
        group if group.parent in used else replace(group, parent=None) for group_id, group in by_id.items() if group_id in used
    )


def _direction(nodes: Iterable[Node], edges: Iterable[Edge]) -> Direction:
    """The way in which most edges go."""
    boxes = {node.id: node.box for node in nodes if node.box}
    across = down = 0.0
    turned: list[float] = []
    for edge in edges:
        first, second = boxes.get(edge.source), boxes.get(edge.target)
        if first is None or second is None:
            continue
        dx = (second[0] + second[2] - first[0] - first[2]) / 2
        dy = (second[1] + second[3] - first[1] - first[3]) / 2
        across, down = across + abs(dx), down + abs(dy)
        turned.append(dx if abs(dx) > abs(dy) else 0.0)
    if not turned or across <= down:
        return "TB"
    return "LR" if sum(turned) >= 0 else "RL"
