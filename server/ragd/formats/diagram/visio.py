"""Visio (.vsdx): pages of shapes, and which connector is glued to which (MS-VSDX, 2.2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from ragd.core.errors import WrongType
from ragd.diagrams.model import Box, Edge, EdgeKind, Group, Node, Shape, made
from ragd.diagrams.reading import MAX_PAGES, MAX_SHAPES, Element, Page, local, number, plain
from ragd.formats.common.office_archive import checked_archive
from ragd.formats.common.opc import OpcPackage, R

_KIND: Final = "a Visio drawing"
_SHAPES: Final[tuple[tuple[str, Shape], ...]] = (
    ("decision", "diamond"), ("gateway", "diamond"), ("start/end", "ellipse"), ("terminator", "ellipse"), ("ellipse", "ellipse"),
    ("circle", "circle"), ("event", "circle"), ("database", "cylinder"), ("stored data", "cylinder"), ("data", "parallelogram"),
    ("preparation", "hexagon"), ("rounded", "round"),
)  # fmt: skip
_FRAMES: Final = ("container", "swimlane", "lane", "cff ", "pool", "phase")
_DEEPEST: Final = 30


class _Package(OpcPackage):
    max_tree_bytes = 1 << 25


@dataclass(slots=True)
class _Sheet:
    id: str
    label: str
    master: str
    box: Box | None
    cells: dict[str, str]
    parent: str | None
    children: list[str] = field(default_factory=list)


def read_visio(data: bytes, name: str) -> list[Page]:
    """The pages of a drawing, backgrounds left out. Raises a `DocumentUnreadable`."""
    with checked_archive(data, name, _KIND) as archive:
        package = _Package(archive, name)
        main = next(iter(package.related("", "document")), "")
        if not main:
            raise WrongType(f"'{name}' is an Office file, but not {_KIND}. Give it the extension of its format.")
        masters = _masters(package, main)
        pages = []
        for part in package.related(main, "pages"):
            for page in list(package.parse(part))[:MAX_PAGES]:
                relation = next((child.get(f"{R}id") for child in page if local(child) == "Rel"), None)
                target = package.target(part, relation)
                if local(page) == "Page" and target and page.get("Background") != "1":
                    pages.append(_page(plain(page.get("Name") or ""), package.parse(target), masters))
        return pages


def _masters(package: OpcPackage, main: str) -> dict[str, tuple[str, str]]:
    """Master id -> its name, and the text that its shapes have where they have none of their own."""
    found: dict[str, tuple[str, str]] = {}
    for part in package.related(main, "masters"):
        for master in list(package.parse(part))[:1000]:
            name = (master.get("NameU") or master.get("Name") or "").lower()
            relation = next((child.get(f"{R}id") for child in master if local(child) == "Rel"), None)
            target = package.target(part, relation)
            text = _first_text(package.parse(target)) if target else ""
            found[master.get("ID") or ""] = (name, text)
    return found


def _first_text(root: Element) -> str:
    return next((text for shape in root.iter() if local(shape) == "Shape" and (text := _text(shape))), "")


def _page(name: str, root: Element, masters: dict[str, tuple[str, str]]) -> Page:
    sheets = _sheets(root, masters)
    ends: dict[str, dict[str, str]] = {}
    for connect in root.iter():
        if local(connect) == "Connect" and connect.get("FromCell") in ("BeginX", "EndX"):
            ends.setdefault(connect.get("FromSheet") or "", {})[connect.get("FromCell") or ""] = connect.get("ToSheet") or ""
    connectors = [sheet.id for sheet in sheets.values() if sheet.id in ends or "connector" in sheet.master or _is_line(sheet)]
    lines = frozenset(connectors)
    edges = []
    for key in connectors:
        glued = ends.get(key, {})
        if len(glued) == 2 and all(end in sheets for end in glued.values()):
            edges.append(_edge(sheets[key], glued["BeginX"], glued["EndX"]))
    joined = {end for edge in edges for end in (edge.source, edge.target)}
    frames = {sheet.id: sheet for sheet in sheets.values() if sheet.box and any(word in sheet.master for word in _FRAMES)}
    groups = [Group(key, _label(sheet, sheets), _around(sheet, frames), "lane" in sheet.master) for key, sheet in frames.items()]
    nodes, texts = [], []
    for sheet in sheets.values():
        if sheet.id in lines or sheet.id in frames or (sheet.parent in frames and sheet.id not in joined):
            continue
        if sheet.parent and sheet.id not in joined:
            continue
        label = _label(sheet, sheets)
        if sheet.id in joined or (label and sheet.master):
            nodes.append(Node(sheet.id, label, _shape(sheet), _upright(sheet.box), _around(sheet, frames)))
        elif label:
            texts.append(label)
    lost = len(connectors) - len(edges)
    return Page(name, made("flowchart", nodes, edges, groups, title=name, left_out=lost), tuple(texts))


def _sheets(root: Element, masters: dict[str, tuple[str, str]]) -> dict[str, _Sheet]:
    """All shapes of a page by their ids, those inside of groups with their places on the page."""
    found: dict[str, _Sheet] = {}
    top = next((child for child in root if local(child) == "Shapes"), None)
    waiting: list[tuple[Element, str | None, tuple[float, float], int]] = []
    if top is not None:
        waiting = [(shape, None, (0.0, 0.0), 0) for shape in reversed(list(top))]
    while waiting and len(found) < MAX_SHAPES:
        shape, parent, (dx, dy), depth = waiting.pop()
        if local(shape) != "Shape" or depth > _DEEPEST:
            continue
        cells = {cell.get("N") or "": cell.get("V") or "" for cell in shape if local(cell) == "Cell"}
        master, said = masters.get(shape.get("Master") or "", ("", ""))
        sheet = _Sheet(shape.get("ID") or "", _text(shape) or said, master, _box(cells, dx, dy), cells, parent)
        found[sheet.id] = sheet
        if parent in found:
            found[parent].children.append(sheet.id)
        inner = next((child for child in shape if local(child) == "Shapes"), None)
        if inner is not None:
            left, bottom = (sheet.box[0], sheet.box[1]) if sheet.box else (dx, dy)
            waiting.extend((child, sheet.id, (left, bottom), depth + 1) for child in reversed(list(inner)))
    return found


def _text(shape: Element) -> str:
    text = next((child for child in shape if local(child) == "Text"), None)
    return " ".join("".join(text.itertext()).split()) if text is not None else ""


def _label(sheet: _Sheet, sheets: dict[str, _Sheet]) -> str:
    """Its own text, else those of the shapes that it is grouped of."""
    if sheet.label:
        return sheet.label
    return " ".join(filter(None, (sheets[child].label for child in sheet.children[:20] if child in sheets)))


def _box(cells: dict[str, str], dx: float, dy: float) -> Box | None:
    if "PinX" not in cells or "Width" not in cells:
        return None
    width, height = number(cells.get("Width")), number(cells.get("Height"))
    left = number(cells.get("PinX")) - number(cells.get("LocPinX") or str(width / 2)) + dx
    bottom = number(cells.get("PinY")) - number(cells.get("LocPinY") or str(height / 2)) + dy
    return left, bottom, left + width, bottom + height


def _upright(box: Box | None) -> Box | None:
    """Visio counts from below."""
    return (box[0], -box[3], box[2], -box[1]) if box else None


def _is_line(sheet: _Sheet) -> bool:
    """A shape of one dimension: it has a beginning and an end."""
    return "BeginX" in sheet.cells and "EndX" in sheet.cells


def _around(sheet: _Sheet, frames: dict[str, _Sheet]) -> str | None:
    """The smallest frame in which the middle of a shape lies."""
    if not sheet.box:
        return None
    x, y = (sheet.box[0] + sheet.box[2]) / 2, (sheet.box[1] + sheet.box[3]) / 2
    size = _area(sheet.box)
    around = [
        (area, frame.id)
        for frame in list(frames.values())[:500]
        if frame.id != sheet.id and frame.box and (area := _area(frame.box)) > size
        and frame.box[0] <= x <= frame.box[2] and frame.box[1] <= y <= frame.box[3]
    ]  # fmt: skip
    return min(around)[1] if around else None


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _shape(sheet: _Sheet) -> Shape:
    return next((shape for word, shape in _SHAPES if word in sheet.master), "box")


def _edge(sheet: _Sheet, begin: str, end: str) -> Edge:
    """Arrow heads are numbered, 0 is none. A connector without a word of them has the one that its master gives it."""
    first, last = sheet.cells.get("BeginArrow", "0"), sheet.cells.get("EndArrow", "")
    has_first, has_last = first not in ("", "0"), last != "0" if last or "connector" in sheet.master else False
    if has_first and not has_last:
        return Edge(end, begin, sheet.label)
    kind: EdgeKind = "both" if has_first else "arrow" if has_last else "line"
    if kind == "arrow" and sheet.cells.get("LinePattern", "1") not in ("0", "1"):
        kind = "dotted"
    return Edge(begin, end, sheet.label, kind)
