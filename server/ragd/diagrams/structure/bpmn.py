"""BPMN 2.0 XML: tasks, events and gateways, their flows, lanes, pools and subprocesses (OMG BPMN 2.0.2, chapter 15)."""

from __future__ import annotations

from typing import Final

from ragd.diagrams.model import Box, Edge, Group, Node, Shape, made
from ragd.diagrams.reading import MAX_SHAPES, Element, Page, local, number, parsed, plain

_FLOWS: Final = ("sequenceFlow", "messageFlow")


def read_bpmn(source: str | bytes) -> list[Page]:
    """The process as one page; empty for anything else."""
    root = parsed(source)
    if root is None or local(root) != "definitions" or not any(local(child) in ("process", "collaboration") for child in root):
        return []
    reader = _Reader(root)
    diagram = made(
        "flowchart", reader.nodes, reader.edges, reader.groups, title=plain(root.get("name") or ""), left_out=reader.lost
    )
    return [Page("", diagram, tuple(reader.texts))]


class _Reader:
    def __init__(self, root: Element) -> None:
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []
        self.groups: list[Group] = []
        self.texts: list[str] = []
        self.lost = 0
        self._boxes = _boxes(root)
        self._lanes: dict[str, str] = {}
        pools = {}
        for participant in _named(root, "participant"):
            pools[participant.get("processRef")] = participant
            self.groups.append(Group(_id(participant), _name(participant)))
        for element in _named(root, "lane"):
            pool = self._pool_of(element, pools)
            outer = next((above for above in element.iterancestors() if local(above) == "lane"), None)
            self.groups.append(Group(_id(element), _name(element), _id(outer) if outer is not None else pool, lane=True))
            for reference in element:
                if local(reference) == "flowNodeRef":
                    self._lanes[(reference.text or "").strip()] = _id(element)
        for seen, element in enumerate(root.iter()):
            if seen > 10 * MAX_SHAPES:
                self.lost += 1
                break
            self._read(element, pools)
        known = {node.id for node in self.nodes}
        for edge in self.edges:
            # A message may begin or end at a whole pool.
            for end in (edge.source, edge.target):
                if end not in known and any(group.id == end for group in self.groups):
                    known.add(end)
                    self.nodes.append(Node(end, next(group.label for group in self.groups if group.id == end)))

    def _read(self, element: Element, pools: dict[str | None, Element]) -> None:
        kind = local(element)
        if kind in _FLOWS:
            dotted = kind == "messageFlow"
            source, target = element.get("sourceRef") or "", element.get("targetRef") or ""
            self.edges.append(Edge(source, target, _name(element), "dotted" if dotted else "arrow"))
            return
        if kind == "text":
            self.texts.append(plain(element.text or ""))
            return
        shape = _shape(kind)
        if shape is None or not element.get("id"):
            return
        above = next((above for above in element.iterancestors() if local(above) in ("subProcess", "transaction")), None)
        group = self._lanes.get(_id(element)) or (_inner(above) if above is not None else self._pool_of(element, pools))
        if kind in ("subProcess", "transaction") and any(_shape(local(child)) for child in element):
            self.groups.append(Group(_inner(element), _name(element), group))
        self.nodes.append(Node(_id(element), _name(element), shape, self._boxes.get(_id(element)), group))

    @staticmethod
    def _pool_of(element: Element, pools: dict[str | None, Element]) -> str | None:
        process = next((above for above in element.iterancestors() if local(above) == "process"), None)
        pool = pools.get(process.get("id")) if process is not None else None
        return _id(pool) if pool is not None else None


def _shape(kind: str) -> Shape | None:
    if kind.endswith(("Task", "task")) or kind in ("subProcess", "transaction", "callActivity", "adHocSubProcess"):
        return "round"
    if kind.endswith("Gateway"):
        return "diamond"
    if kind.endswith("Event"):
        return "circle"
    return "cylinder" if kind in ("dataStoreReference",) else None


def _named(root: Element, name: str) -> list[Element]:
    return [element for element in root.iter() if local(element) == name][:MAX_SHAPES]


def _id(element: Element) -> str:
    return str(element.get("id") or "")


def _inner(element: Element) -> str:
    """The frame of a subprocess, which is a box as well."""
    return f"{_id(element)} inside"


def _name(element: Element) -> str:
    return plain(element.get("name") or "")


def _boxes(root: Element) -> dict[str, Box]:
    found: dict[str, Box] = {}
    for shape in _named(root, "BPMNShape"):
        for bounds in shape:
            if local(bounds) == "Bounds":
                left, top = number(bounds.get("x")), number(bounds.get("y"))
                box = (left, top, left + number(bounds.get("width")), top + number(bounds.get("height")))
                found[str(shape.get("bpmnElement"))] = box
    return found
