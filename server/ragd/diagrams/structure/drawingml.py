"""Shapes of PowerPoint and Word (DrawingML) with connectors whose ends are glued to them (ECMA-376 part 1, 20.1.2.2).

A connector that lies beside a box without being glued to it joins nothing: where it seems to lead is for `pixels` to say.
"""

from __future__ import annotations

from typing import Final

from ragd.diagrams.model import Box, Diagram, Edge, EdgeKind, Node, Shape, made
from ragd.diagrams.reading import MAX_SHAPES, Element, local, number

_BOXES: Final = ("sp", "wsp", "pic")
_CONNECTORS: Final = ("cxnSp", "wsp")
_SHAPES: Final[dict[str, Shape]] = {
    "diamond": "diamond", "flowChartDecision": "diamond", "ellipse": "ellipse", "flowChartTerminator": "ellipse",
    "flowChartConnector": "circle", "can": "cylinder", "flowChartMagneticDisk": "cylinder", "hexagon": "hexagon",
    "flowChartPreparation": "hexagon", "parallelogram": "parallelogram", "flowChartInputOutput": "parallelogram",
    "roundRect": "round", "flowChartAlternateProcess": "round",
}  # fmt: skip
_DASHED: Final = ("dash", "dashDot", "dot", "lgDash", "lgDashDot", "sysDash", "sysDot", "sysDashDot")


def read_shapes(tree: Element, title: str = "") -> Diagram | None:
    """The shapes below an element; None unless connectors are glued to two of them."""
    nodes: dict[str, Node] = {}
    edges: list[Edge] = []
    seen = lost = 0
    for element in tree.iter():
        name = local(element)
        if name not in _BOXES and name not in _CONNECTORS:
            continue
        seen += 1
        if seen > MAX_SHAPES:
            break
        ends = _ends(element)
        if ends is not None:
            if all(ends):
                edges.append(_edge(element, *ends))
            else:
                lost += 1
        elif shape_id := _id(element):
            nodes[shape_id] = Node(shape_id, _text(element), _shape(element), _box(element))
    joined = {end for edge in edges for end in (edge.source, edge.target) if end in nodes}
    if not any(edge.source in nodes and edge.target in nodes for edge in edges):
        return None
    kept = [nodes[node_id] for node_id in nodes if node_id in joined]
    return made("flowchart", kept, edges, title=title, left_out=lost)


def _ends(element: Element) -> tuple[str, str] | None:
    """The shapes to which a connector is glued, empty where an end is loose; None for what is no connector."""
    is_connector = local(element) == "cxnSp"
    found = {"stCxn": "", "endCxn": ""}
    for part in element:
        if local(part) in ("nvCxnSpPr", "cNvCnPr", "cNvCxnSpPr"):
            is_connector = True
            for end in part.iter():
                if local(end) in found:
                    found[local(end)] = end.get("id") or ""
    return (found["stCxn"], found["endCxn"]) if is_connector else None


def _id(element: Element) -> str:
    for part in element:
        if local(part) == "cNvPr":
            return str(part.get("id") or "")
        if local(part) in ("nvSpPr", "nvPicPr", "nvCxnSpPr"):
            return next((str(inner.get("id") or "") for inner in part if local(inner) == "cNvPr"), "")
    return ""


def _text(element: Element) -> str:
    lines: list[str] = []
    for body in element:
        if local(body) not in ("txBody", "txbx"):
            continue
        for paragraph in body.iter():
            if local(paragraph) == "p":
                lines.append("".join(part.text or "" for part in paragraph.iter() if local(part) == "t"))
    # Labels are text here: what looks like markup in one is meant to be read.
    return " ".join(" ".join(lines).split())


def _properties(element: Element) -> Element | None:
    return next((part for part in element if local(part) == "spPr"), None)


def _shape(element: Element) -> Shape:
    properties = _properties(element)
    preset = None if properties is None else next((part for part in properties if local(part) == "prstGeom"), None)
    return _SHAPES.get(preset.get("prst") or "", "box") if preset is not None else "box"


def _box(element: Element) -> Box | None:
    properties = _properties(element)
    frame = None if properties is None else next((part for part in properties if local(part) == "xfrm"), None)
    if frame is None:
        return None
    places = {local(part): part for part in frame}
    if "off" not in places or "ext" not in places:
        return None
    left, top = number(places["off"].get("x")), number(places["off"].get("y"))
    return left, top, left + number(places["ext"].get("cx")), top + number(places["ext"].get("cy"))


def _edge(element: Element, source: str, target: str) -> Edge:
    properties = _properties(element)
    line = None if properties is None else next((part for part in properties if local(part) == "ln"), None)
    parts = {} if line is None else {local(part): part for part in line}
    head, tail = (parts.get(name) is not None and parts[name].get("type", "none") != "none" for name in ("headEnd", "tailEnd"))
    dash = parts.get("prstDash")
    kind: EdgeKind = "both" if head and tail else "line" if not (head or tail) else "arrow"
    if kind == "arrow" and dash is not None and dash.get("val") in _DASHED:
        kind = "dotted"
    # The head is the beginning of the line: an arrow head there turns it.
    return Edge(target, source, kind=kind) if head and not tail else Edge(source, target, kind=kind)
