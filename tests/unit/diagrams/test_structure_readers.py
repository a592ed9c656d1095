"""Drawings read from what their files state."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from tests.unit.diagrams.drawings import BPMN, EXCALIDRAW, EXPECTED, MODEL, deflated, drawio, packed, png

from ragd.diagrams.lines import lines_of
from ragd.diagrams.mermaid import check_mermaid, to_mermaid
from ragd.diagrams.model import MAX_NODES, Diagram
from ragd.diagrams.structure.bpmn import read_bpmn
from ragd.diagrams.structure.drawio import read_drawio
from ragd.diagrams.structure.excalidraw import read_excalidraw
from ragd.diagrams.structure.pictures import read_picture


def edges_of(diagram: Diagram | None) -> set[tuple[str, str, str]]:
    assert diagram
    assert check_mermaid(to_mermaid(diagram))
    return {(diagram.label(edge.source), diagram.label(edge.target), edge.label) for edge in diagram.edges}


def shapes_of(diagram: Diagram | None) -> dict[str, str]:
    assert diagram
    return {node.label: node.shape for node in diagram.nodes}


@pytest.mark.parametrize("content", [MODEL, packed(MODEL)], ids=["plain", "deflated"])
def test_draw_io_has_its_boxes_edges_labels_and_lanes(content: str) -> None:
    [page] = read_drawio(drawio(content))
    diagram = page.diagram
    assert edges_of(diagram) == EXPECTED
    assert diagram
    assert shapes_of(diagram) == {"Request": "round", "Approved?": "diamond", "Ship the parcel": "ellipse", "Tell why": "box"}
    assert [(group.label, group.lane) for group in diagram.groups] == [("Back office", True)]
    assert [node.label for node in diagram.nodes if node.group] == ["Request", "Approved?"]
    assert (diagram.title, diagram.direction, [edge.kind for edge in diagram.edges]) == (
        "Orders",
        "TB",
        ["arrow", "arrow", "dotted"],
    )


def test_a_loose_end_is_counted_and_joins_nothing() -> None:
    loose = MODEL.replace('source="b" target="c"', 'source="b"')
    [page] = read_drawio(drawio(loose))
    assert page.diagram
    assert page.diagram.left_out == 1
    assert ("Approved?", "Ship the parcel", "yes") not in edges_of(page.diagram)


def test_classes_of_draw_io_have_their_members_and_relations() -> None:
    model = """<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>
    <mxCell id="c" value="Cat" style="swimlane;childLayout=stackLayout" vertex="1" parent="1"/>
    <mxCell id="m" value="+ purr()" style="text;" vertex="1" parent="c"/>
    <mxCell id="a" value="Animal" style="swimlane;childLayout=stackLayout" vertex="1" parent="1"/>
    <mxCell id="n" value="+ age: int" style="text;" vertex="1" parent="a"/>
    <mxCell id="e" style="endArrow=block;endFill=0" edge="1" parent="1" source="m" target="a"/></root></mxGraphModel>"""
    [page] = read_drawio(model)
    assert page.diagram
    assert (page.diagram.kind, page.diagram.nodes[0].members) == ("class", ("+ purr()",))
    assert to_mermaid(page.diagram).endswith("n1 --|> n2")
    assert "Cat: + purr()" in lines_of(page)


def test_lifelines_of_draw_io_make_a_sequence_from_above() -> None:
    model = """<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>
    <mxCell id="u" value="User" style="shape=umlLifeline" vertex="1" parent="1"><mxGeometry x="0"/></mxCell>
    <mxCell id="s" value="Server" style="shape=umlLifeline" vertex="1" parent="1"><mxGeometry x="100"/></mxCell>
    <mxCell id="bar" vertex="1" parent="s"/>
    <mxCell id="2" value="token" style="dashed=1" edge="1" parent="1" source="bar" target="u"><mxGeometry><mxPoint y="90"/></mxGeometry></mxCell>
    <mxCell id="3" value="log in" edge="1" parent="1" source="u" target="bar"><mxGeometry><mxPoint y="40"/></mxGeometry></mxCell>
    </root></mxGraphModel>"""  # noqa: E501
    [page] = read_drawio(model)
    assert page.diagram
    assert to_mermaid(page.diagram).split("\n")[3:] == ["  n1->>n2: log in", "  n2-->>n1: token"]


@pytest.mark.parametrize("kind", [b"tEXt", b"zTXt", b"iTXt"])
def test_a_png_that_draw_io_made_holds_the_drawing(kind: bytes) -> None:
    [found] = read_picture(png("mxfile", quote(drawio(packed(MODEL))), kind))
    assert edges_of(found) == EXPECTED


def test_an_svg_that_draw_io_made_holds_the_drawing() -> None:
    content = drawio(packed(MODEL)).replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" content="{content}"><rect/></svg>'
    [found] = read_picture(svg.encode())
    assert edges_of(found) == EXPECTED


def test_a_png_of_plantuml_holds_its_source() -> None:
    [found] = read_picture(png("plantuml", "@startuml\nBob -> Alice : hello\n@enduml", b"iTXt"))
    assert edges_of(found) == {("Bob", "Alice", "hello")}


def test_a_png_of_excalidraw_holds_the_drawing() -> None:
    [found] = read_picture(png("application/vnd.excalidraw+json", json.dumps({"encoded": EXCALIDRAW, "compressed": False})))
    assert edges_of(found) == EXPECTED


def test_bpmn_has_its_tasks_gateways_flows_lanes_and_pools() -> None:
    [page] = read_bpmn(BPMN)
    diagram = page.diagram
    assert diagram
    assert edges_of(diagram) >= EXPECTED | {("", "Request", ""), ("", "Done", "")}
    assert shapes_of(diagram)["Approved?"] == "diamond"
    assert [(group.label, group.lane, group.parent) for group in diagram.groups] == [
        ("Shop", False, None),
        ("Back office", True, "pool"),
    ]
    assert (diagram.direction, page.texts) == ("LR", ("Within two days",))


def test_excalidraw_has_its_boxes_bound_arrows_and_frames() -> None:
    [page] = read_excalidraw(EXCALIDRAW)
    diagram = page.diagram
    assert diagram
    assert edges_of(diagram) == EXPECTED
    assert shapes_of(diagram)["Approved?"] == "diamond"
    assert [group.label for group in diagram.groups] == ["Back office"]
    assert (diagram.left_out, page.texts) == (1, ("Within two days",))


# To quote what stays as it is takes seconds, in each process that collects this module.
_BEFORE, _AFTER = "<mxGraphModel><root>" + "<mxCell id='1'/>" * 10, "</root></mxGraphModel>"
BOMB = deflated(quote(_BEFORE).encode() + b"x" * 50_000_000 + quote(_AFTER).encode())
ENTITIES = (
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><mxfile><diagram><mxGraphModel><root>'
    '<mxCell id="1" value="&b;" vertex="1"/></root></mxGraphModel></diagram></mxfile>'
)


@pytest.mark.parametrize(
    "source",
    [
        "", "<", "{}", "<mxfile", "<mxfile/>", "<mxfile><diagram>!!!</diagram></mxfile>", ENTITIES, drawio(BOMB),
        "<mxGraphModel>" + "<a>" * 10_000 + "</a>" * 10_000 + "</mxGraphModel>",
        drawio("<mxGraphModel><root><mxCell id='a' parent='b' vertex='1' value='A'/>"
            "<mxCell id='b' parent='a' vertex='1'/></root></mxGraphModel>"),
    ],
)  # fmt: skip
def test_a_hostile_draw_io_file_shows_nothing_and_costs_little(source: str) -> None:
    assert [edge for page in read_drawio(source) if page.diagram for edge in page.diagram.edges] == []


@pytest.mark.parametrize("source", ["", "[]", '{"elements": 3}', '{"elements": [3, {}, {"id": [1]}]}', "[" * 100_000])
def test_a_hostile_excalidraw_file_shows_nothing(source: str) -> None:
    assert [page.diagram for page in read_excalidraw(source) if page.diagram] == []


def test_of_a_hundred_thousand_shapes_a_bounded_number_is_read() -> None:
    cells = "".join(f'<mxCell id="c{number}" value="box {number}" vertex="1" parent="1"/>' for number in range(100_000))
    [page] = read_drawio(f"<mxGraphModel><root>{cells}</root></mxGraphModel>")
    assert page.diagram
    assert len(page.diagram.nodes) == MAX_NODES
    assert page.diagram.left_out > 0


def test_a_hostile_png_ends() -> None:
    whole = png("mxfile", "%" * 1000)
    assert [read_picture(whole[:length]) for length in range(0, len(whole), 97)] == [[] for _ in range(0, len(whole), 97)]
    assert read_picture(b"\x89PNG\r\n\x1a\n" + b"\xff\xff\xff\xfftEXt" + b"a" * 100) == []
