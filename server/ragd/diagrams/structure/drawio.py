"""draw.io (diagrams.net): `mxfile` with pages, each a model of cells, as it is or deflated; also inside PNG and SVG files.

A cell is a box or an edge, which names the cells that it is glued to. A box in a box makes a group; swim lanes, classes with
their members and lifelines are told apart by the style of the cell. An edge with a loose end leads nowhere: it is counted as left
out.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote

from ragd.diagrams.model import Box, Diagram, Edge, EdgeKind, Group, Node, Shape, made
from ragd.diagrams.reading import MAX_BYTES, MAX_PAGES, MAX_SHAPES, Element, Page, local, number, parsed, plain

_WRAPPERS: Final = ("UserObject", "object")
_SHAPES: Final[dict[str, Shape]] = {
    "rhombus": "diamond", "ellipse": "ellipse", "cylinder": "cylinder", "cylinder3": "cylinder", "hexagon": "hexagon",
    "parallelogram": "parallelogram", "doubleEllipse": "end", "startState": "start", "endState": "end", "decision": "diamond",
    "mxgraph.flowchart.decision": "diamond", "mxgraph.flowchart.terminator": "ellipse", "mxgraph.flowchart.start_1": "ellipse",
    "mxgraph.flowchart.start_2": "ellipse", "mxgraph.flowchart.database": "cylinder", "mxgraph.flowchart.data": "parallelogram",
    "mxgraph.flowchart.preparation": "hexagon", "mxgraph.flowchart.terminator_": "ellipse", "mxgraph.bpmn.event": "circle",
    "mxgraph.bpmn.gateway2": "diamond", "mxgraph.bpmn.shape": "round", "datastore": "cylinder",
}  # fmt: skip
_MAX_NESTING: Final = 30
_UNNAMED: Final = re.compile(r"(?:Page|Seite|Página|ページ|第)[- ]?\d+ ?(?:页|頁)?", re.IGNORECASE)
"""What draw.io calls a page by itself."""


@dataclass(slots=True)
class _Cell:
    id: str
    label: str
    style: dict[str, str]
    parent: str
    is_edge: bool = False
    source: str = ""
    target: str = ""
    box: Box = (0.0, 0.0, 0.0, 0.0)
    height: float = 0.0
    children: list[_Cell] = field(default_factory=list)


def read_drawio(source: str | bytes) -> list[Page]:
    """The pages of a draw.io file; empty for anything else."""
    root = parsed(source)
    if root is None or local(root) not in ("mxfile", "mxGraphModel"):
        return []
    drawn = list(root.iter("diagram"))[:MAX_PAGES] if local(root) == "mxfile" else [root]
    pages = []
    room = MAX_BYTES
    for element in drawn:
        if local(element) == "mxGraphModel":
            model: Element | None = element
        elif len(element):
            model = element[0]
        else:
            xml = _unpacked(element.text or "", room)
            room -= len(xml)
            model = parsed(xml)
        if model is not None:
            name = plain(element.get("name") or "")
            pages.append(_page("" if _UNNAMED.fullmatch(name) else name, model))
    return pages


def _unpacked(text: str, room: int) -> str:
    text = text.strip()
    if text.startswith("<"):
        return text
    try:
        packed = base64.b64decode(text, validate=False)
        xml = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, max(1, room))
    except (binascii.Error, zlib.error, ValueError):
        return ""
    return unquote(xml.decode("utf-8", "replace"))


def _page(name: str, model: Element) -> Page:
    cells = {cell.id: cell for cell in _cells(model)}
    for cell in cells.values():
        # A cell that is its own parent, or in a circle, is drawn nowhere; the depth is bounded where it is followed.
        if cell.parent in cells and cell.parent != cell.id:
            cells[cell.parent].children.append(cell)
    _name_edges(cells)
    boxes = {cell.id: cell for cell in cells.values() if not cell.is_edge and not _is_of_edge(cell, cells)}
    classes = {cell.id for cell in boxes.values() if _is_class(cell)}
    lifelines = {cell.id for cell in boxes.values() if cell.style.get("shape") == "umlLifeline"}
    edges = [cell for cell in cells.values() if cell.is_edge]
    if len(lifelines) > 1:
        return Page(name, _sequence(name, cells, boxes, lifelines, edges))
    groups = [cell for cell in boxes.values() if _holds_boxes(cell) and cell.id not in classes]
    framed = {cell.id for cell in groups}
    members = {child.id for cell_id in classes for child in boxes[cell_id].children}
    joined = {end for cell in edges for end in (cell.source, cell.target)}
    nodes, texts = [], []
    for cell in boxes.values():
        if (cell.id in framed and cell.id not in joined) or cell.id in members:
            continue
        is_text = "text" in cell.style and cell.id not in joined
        if is_text and cell.label:
            texts.append(cell.label)
        elif cell.label or cell.id in joined:
            within = _frame(cell, cells, framed)
            lines = tuple(child.label for child in cell.children if child.label) if cell.id in classes else ()
            nodes.append(Node(cell.id, cell.label, _shape(cell), _place(cell, cells), within, lines))
    diagram = made(
        "class" if classes and len(classes) * 2 >= len(nodes) else "flowchart",
        nodes,
        [edge for cell in edges if (edge := _edge(cell, members, cells))],
        [Group(cell.id, cell.label, _frame(cell, cells, framed), "swimlane" in cell.style) for cell in groups],
        title=name,
        left_out=sum(1 for cell in edges if not _edge(cell, members, cells)),
    )
    return Page(name, diagram, tuple(texts))


def _cells(model: Element) -> Iterator[_Cell]:
    seen = 0
    hidden: set[str] = set()
    for element in model.iter("mxCell"):
        wrapper = element.getparent()
        wrapped = wrapper is not None and local(wrapper) in _WRAPPERS
        named = wrapper if wrapped else element
        identity, parent = named.get("id") or "", element.get("parent") or ""
        if element.get("visible") == "0" or parent in hidden:
            hidden.add(identity)
            continue
        label = plain((named.get("label") if wrapped else element.get("value")) or "")
        # The two cells that hold all others are neither, and say nothing.
        if not label and "1" not in (element.get("vertex"), element.get("edge")):
            continue
        seen += 1
        if seen > MAX_SHAPES:
            return
        cell = _Cell(identity or f" {seen}", label, _style(element.get("style") or ""), parent)
        if element.get("edge") == "1":
            cell.is_edge, cell.source, cell.target = True, element.get("source") or "", element.get("target") or ""
        geometry = element.find("mxGeometry")
        if geometry is not None:
            left, top = number(geometry.get("x")), number(geometry.get("y"))
            cell.box = (left, top, left + number(geometry.get("width")), top + number(geometry.get("height")))
            cell.height = min((number(point.get("y")) for point in geometry.iter("mxPoint")), default=0.0)
        yield cell


def _style(text: str) -> dict[str, str]:
    return {key.strip(): value.strip() for part in text[:4000].split(";") if part for key, _, value in [part.partition("=")]}


def _name_edges(cells: dict[str, _Cell]) -> None:
    """A text that hangs on an edge is its label."""
    for cell in cells.values():
        if cell.is_edge:
            said = [cell.label, *(child.label for child in cell.children if not child.is_edge)]
            cell.label = " ".join(filter(None, said))


def _is_of_edge(cell: _Cell, cells: dict[str, _Cell]) -> bool:
    return cell.parent in cells and cells[cell.parent].is_edge


def _is_class(cell: _Cell) -> bool:
    """A stack of lines under a title: a class with its members, or a table of a database."""
    lines = [child for child in cell.children if not child.is_edge]
    stacked = cell.style.get("childLayout") in ("stackLayout", "tableLayout")
    return stacked and bool(lines) and all({"text", "line"} & child.style.keys() or not child.children for child in lines)


def _holds_boxes(cell: _Cell) -> bool:
    return any(not child.is_edge for child in cell.children)


def _frame(cell: _Cell, cells: dict[str, _Cell], framed: set[str]) -> str | None:
    return cell.parent if cell.parent in framed and cell.parent in cells else None


def _place(cell: _Cell, cells: dict[str, _Cell]) -> Box:
    """A box on the page: a cell's place is within its parent."""
    left, top, right, bottom = cell.box
    at, depth = cells.get(cell.parent), 0
    while at is not None and depth < _MAX_NESTING:
        left, top, right, bottom = left + at.box[0], top + at.box[1], right + at.box[0], bottom + at.box[1]
        at, depth = cells.get(at.parent), depth + 1
    return left, top, right, bottom


def _shape(cell: _Cell) -> Shape:
    stated = cell.style.get("shape", "")
    for name in (stated, *cell.style):
        if name in _SHAPES:
            return _SHAPES[name]
    return "round" if cell.style.get("rounded") == "1" else "box"


def _edge(cell: _Cell, members: set[str], cells: dict[str, _Cell]) -> Edge | None:
    source, target = (cells[end].parent if end in members else end for end in (cell.source, cell.target))
    if source not in cells or target not in cells:
        return None
    style = cell.style
    end, start = style.get("endArrow", "classic"), style.get("startArrow", "none")
    if end in ("none", "") and start not in ("none", ""):
        source, target, end, start = target, source, start, "none"
        filled = style.get("startFill")
    elif "iamond" in start:
        source, target, end, start = target, source, start, end
        filled = style.get("startFill")
    else:
        filled = style.get("endFill")
    return Edge(source, target, cell.label, _edge_kind(end, start, filled, style.get("dashed") == "1"))


def _edge_kind(end: str, start: str, filled: str | None, dashed: bool) -> EdgeKind:
    if "iamond" in end:
        return "aggregation" if filled == "0" else "composition"
    if end == "block" and filled == "0":
        return "realization" if dashed else "inheritance"
    if end in ("none", ""):
        return "line"
    if start not in ("none", ""):
        return "both"
    return "dotted" if dashed else "arrow"


def _sequence(
    name: str, cells: dict[str, _Cell], boxes: dict[str, _Cell], lifelines: set[str], edges: list[_Cell]
) -> Diagram | None:
    """Messages between lifelines, from above; their ends are glued to a lifeline or to a bar on one."""

    def line_of(cell_id: str) -> str:
        depth = 0
        while cell_id in cells and cell_id not in lifelines and depth < _MAX_NESTING:
            cell_id, depth = cells[cell_id].parent, depth + 1
        return cell_id

    ordered = sorted(edges, key=lambda cell: cell.height)
    messages = [
        Edge(line_of(cell.source), line_of(cell.target), cell.label, "dotted" if cell.style.get("dashed") == "1" else "arrow")
        for cell in ordered
    ]
    people = sorted((boxes[cell_id] for cell_id in lifelines), key=lambda cell: cell.box[0])
    lost = sum(1 for message in messages if message.source not in lifelines or message.target not in lifelines)
    return made("sequence", [Node(cell.id, cell.label) for cell in people], messages, title=name, left_out=lost)
