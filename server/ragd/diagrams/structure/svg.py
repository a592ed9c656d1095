"""Drawings that Graphviz and Mermaid have made as SVG: what they call a node and an edge is one, by their classes and titles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ragd.diagrams.model import Box, Diagram, Edge, EdgeKind, Group, Node, Shape, made
from ragd.diagrams.reading import MAX_SHAPES, Element, local, number

_POINTS: Final = re.compile(r"-?\d{1,9}(?:\.\d{1,9})?(?:[eE]-?\d{1,2})?")
_SHIFT: Final = re.compile(r"\s*translate\(\s*(-?[\d.]{1,20})[\s,]+(-?[\d.]{1,20})\s*\)")
_ENDS: Final = re.compile(r"(.+?)(?::\w+)?(->|--)(.+?)(?::\w+)?\Z", re.DOTALL)
_NUMBERED: Final = re.compile(r"-\d+\Z")
_SHAPES: Final[dict[str, Shape]] = {"ellipse": "ellipse", "circle": "circle", "rect": "box"}


def read_svg(root: Element) -> Diagram | None:
    """The drawing; None when no program that is known here has made it of nodes and edges."""
    role = root.get("aria-roledescription") or ""
    if role.startswith("flowchart"):
        return _of_mermaid(root)
    return _of_graphviz(root)


def _frames(root: Element, name: str) -> Iterator[Element]:
    count = 0
    for element in root.iter():
        if local(element) == "g" and name in (element.get("class") or "").split():
            count += 1
            if count > MAX_SHAPES:
                return
            yield element


def _words(element: Element) -> str:
    """All text that is shown in an element: what SVG calls a title is a name for programs."""
    parts: list[str] = []
    for part in element.iter():
        name = local(part)
        if name in ("title", "style", "desc"):
            continue
        if name in ("text", "p", "div", "br", "span") or (name == "tspan" and (part.get("x") or part.get("dy"))):
            parts.append(" ")
        parts.append(part.text or "")
        if part is not element and local(part.getparent()) not in ("title", "style", "desc"):
            parts.append(part.tail or "")
    return " ".join("".join(parts).split())


def _title(element: Element) -> str:
    return next(("".join(child.itertext()) for child in element if local(child) == "title"), "")


def _of_graphviz(root: Element) -> Diagram | None:
    frames = [(_title(frame), _words(frame), _outline(frame)) for frame in _frames(root, "cluster")]
    groups = [Group(key, label) for key, label, _ in frames]
    nodes = []
    for element in _frames(root, "node"):
        box = _outline(element)
        inside = [key for key, _, around in frames if box and around and _holds(around, box)]
        nodes.append(Node(_title(element), _words(element), _shape(element), box, inside[-1] if inside else None))
    edges = []
    for element in _frames(root, "edge"):
        if found := _ENDS.match(_title(element)):
            dashed = any(part.get("stroke-dasharray") for part in element.iter() if local(part) == "path")
            kind: EdgeKind = "line" if found[2] == "--" else "dotted" if dashed else "arrow"
            edges.append(Edge(found[1], found[3], _words(element), kind))
    return made("flowchart", nodes, edges, _nested(groups, frames)) if nodes and edges else None


def _nested(groups: list[Group], frames: list[tuple[str, str, Box | None]]) -> list[Group]:
    """Each frame in the smallest one around it."""
    placed = []
    for group, (key, _, box) in zip(groups, frames, strict=True):
        around = [other for other in frames[:200] if other[0] != key and box and other[2] and _holds(other[2], box)]
        smallest = min(around, key=lambda frame: _area(frame[2]), default=None)
        placed.append(Group(group.id, group.label, smallest[0] if smallest else None))
    return placed


def _area(box: Box | None) -> float:
    return (box[2] - box[0]) * (box[3] - box[1]) if box else 0.0


def _holds(around: Box, box: Box) -> bool:
    return around[0] <= box[0] and around[1] <= box[1] and around[2] >= box[2] and around[3] >= box[3]


def _shape(element: Element) -> Shape:
    for part in element.iter():
        name = local(part)
        if name in _SHAPES:
            return _SHAPES[name]
        if name == "polygon":
            corners = _POINTS.findall(part.get("points") or "")
            # Graphviz says the first corner again at the end, Mermaid does not.
            corners = corners[:-2] if corners[:2] == corners[-2:] else corners
            xs = {corner.partition(".")[0] for corner in corners[::2]}
            return "diamond" if len(corners) == 8 and len(xs) == 3 else "hexagon" if len(corners) == 12 else "box"
    return "box"


def _outline(element: Element) -> Box | None:
    """The rectangle around the first shape."""
    for part in element.iter():
        name = local(part)
        if name in ("polygon", "path", "polyline"):
            numbers = [number(value) for value in _POINTS.findall((part.get("points") or part.get("d") or "")[:20_000])]
            if len(numbers) > 3:
                return min(numbers[::2]), min(numbers[1::2]), max(numbers[::2]), max(numbers[1::2])
        elif name in ("ellipse", "circle"):
            x, y = number(part.get("cx")), number(part.get("cy"))
            rx, ry = number(part.get("rx") or part.get("r")), number(part.get("ry") or part.get("r"))
            return x - rx, y - ry, x + rx, y + ry
        elif name == "rect":
            x, y = number(part.get("x")), number(part.get("y"))
            return x, y, x + number(part.get("width")), y + number(part.get("height"))
    return None


def _of_mermaid(root: Element) -> Diagram | None:
    """Mermaid's ids: a node's is `flowchart-NAME-3`, an edge's `L_FROM_TO_0`, both behind the drawing's own."""
    own = f"{root.get('id') or ''}-"
    nodes: dict[str, Node] = {}
    frames = [((one.get("id") or "").removeprefix(own), _words(one), _moved(one)) for one in _frames(root, "cluster")]
    for element in _frames(root, "node"):
        name = _NUMBERED.sub("", (element.get("id") or "").removeprefix(own).removeprefix("flowchart-"))
        box = _moved(element)
        inside = [frame for frame in frames if box and frame[2] and _holds(frame[2], box)]
        group = min(inside, key=lambda frame: _area(frame[2]))[0] if inside else None
        nodes[name] = Node(name, _words(element), _shape(element), box, group)
    labels = {}
    for element in _frames(root, "edgeLabel"):
        for part in element.iter():
            if key := part.get("data-id"):
                labels[key] = _words(element)
    edges = []
    for part in root.iter():
        key = part.get("data-id") or (part.get("id") or "").removeprefix(own) if local(part) == "path" else ""
        if key.startswith("L_") and (ends := _ends(key, nodes)):
            style = part.get("class") or ""
            kind: EdgeKind = "arrow" if part.get("marker-end") else "line"
            edges.append(Edge(*ends, labels.get(key, ""), "dotted" if "dotted" in style and kind == "arrow" else kind))
    groups = [Group(key, label) for key, label, _ in frames]
    return made("flowchart", nodes.values(), edges, _nested(groups, frames)) if nodes else None


def _moved(element: Element) -> Box | None:
    """The rectangle around an element's first shape, where the element's own shift puts it."""
    box, shift = _outline(element), _SHIFT.match(element.get("transform") or "")
    if box is None or shift is None:
        return box
    dx, dy = number(shift[1]), number(shift[2])
    inner = next((_SHIFT.match(part.get("transform") or "") for part in element.iter() if local(part) == "polygon"), None)
    if inner:
        dx, dy = dx + number(inner[1]), dy + number(inner[2])
    return box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy


def _ends(key: str, nodes: dict[str, Node]) -> tuple[str, str] | None:
    """The two names in an edge's id: names may have underscores, too."""
    parts = key.split("_")[1:-1]
    for cut in range(1, min(len(parts), 20)):
        first, second = "_".join(parts[:cut]), "_".join(parts[cut:])
        if first in nodes and second in nodes:
            return first, second
    return None
