"""Drawings in the files of programs for texts, slides and drawings."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest
from pptx import Presentation
from pptx.enum.shapes import MSO_CONNECTOR, MSO_SHAPE
from pptx.util import Inches
from tests.unit.diagrams.drawings import BPMN, EXCALIDRAW, MODEL, drawio
from tests.unit.formats.word.conftest import make

from ragd.core.documents import Document
from ragd.core.errors import DocumentDamaged, DocumentEmpty, ParseFailed, WrongType
from ragd.diagrams.structure.pictures import read_picture
from ragd.formats.diagram.loader import DiagramLoader
from ragd.formats.powerpoint.loader import PowerPointLoader
from ragd.formats.word.loader import WordLoader


def the_drawing(document: Document) -> list[str]:
    [placed] = document.diagrams
    assert document.markdown[placed.start : placed.end].strip()
    return placed.text.mermaid.split("\n")


def deck() -> bytes:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[5])
    slide.shapes.title.text = "How orders go"
    boxes: list[Any] = []
    for number, (text, kind) in enumerate(
        [("Request", MSO_SHAPE.RECTANGLE), ("OK?", MSO_SHAPE.DIAMOND), ("Ship", MSO_SHAPE.OVAL)]
    ):
        shape = slide.shapes.add_shape(kind, Inches(1 + 3 * number), Inches(3), Inches(2), Inches(1))
        shape.text_frame.text = text
        boxes.append(shape)
    for first, last, arrow in ((0, 1, "tailEnd"), (2, 1, "headEnd")):
        connector = slide.shapes.add_connector(MSO_CONNECTOR.STRAIGHT, 0, 0, 9, 9)
        connector.begin_connect(boxes[first], 3)
        connector.end_connect(boxes[last], 1)
        connector.line.width = 9
        line = connector._element.spPr.find(".//{http://schemas.openxmlformats.org/drawingml/2006/main}ln")
        line.append(line.makeelement(f"{{http://schemas.openxmlformats.org/drawingml/2006/main}}{arrow}", {"type": "triangle"}))
    slide.shapes.add_connector(MSO_CONNECTOR.STRAIGHT, 0, 0, 9, 9)
    plain = presentation.slides.add_slide(presentation.slide_layouts[5])
    plain.shapes.title.text = "No drawing"
    target = io.BytesIO()
    presentation.save(target)
    return target.getvalue()


def test_connectors_of_a_slide_make_a_drawing_of_it_that_is_beside_its_text() -> None:
    document = PowerPointLoader().load(deck(), "orders.pptx")
    assert the_drawing(document) == [
        "flowchart LR", '  n1["Request"]', '  n2{"OK?"}', '  n3(["Ship"])', "  n1 --> n2", "  n2 --> n3", "%% not drawn: 1",
    ]  # fmt: skip
    [placed] = document.diagrams
    assert document.markdown[placed.start : placed.end].startswith("## How orders go")
    assert "No drawing" not in document.markdown[placed.start : placed.end]
    assert placed.text.summary.startswith("How orders go. Flow chart with 3 steps: Request → OK? → Ship.")


def test_connectors_in_a_drawing_of_word_join_its_boxes() -> None:
    def box(number: int, text: str, preset: str) -> str:
        return (
            f'<wps:wsp><wps:cNvPr id="{number}" name="b"/><wps:cNvSpPr/><wps:spPr><a:prstGeom prst="{preset}"/></wps:spPr>'
            f"<wps:txbx><w:txbxContent><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:txbxContent></wps:txbx></wps:wsp>"
        )

    connector = (
        '<wps:wsp><wps:cNvPr id="9" name="c"/><wps:cNvCnPr><a:stCxn id="2" idx="2"/><a:endCxn id="3" idx="0"/></wps:cNvCnPr>'
        '<wps:spPr><a:ln><a:prstDash val="dash"/><a:tailEnd type="triangle"/></a:ln></wps:spPr></wps:wsp>'
    )
    shapes = box(2, "Request", "rect") + box(3, "OK?", "flowChartDecision") + connector
    graphic = f"<a:graphic><a:graphicData>{shapes}</a:graphicData></a:graphic>"
    body = (
        f"<w:p><w:r><w:t>Before.</w:t></w:r></w:p><w:p><w:r><w:drawing><wp:inline>{graphic}</wp:inline></w:drawing></w:r></w:p>"
    )
    document = WordLoader().load(make(body), "orders.docx")
    assert the_drawing(document) == ["flowchart TB", '  n1["Request"]', '  n2{"OK?"}', "  n1 -.-> n2"]
    assert "Before." in document.markdown


def visio(*, connects: str = "", background: bool = False) -> bytes:
    ns = 'xmlns="http://schemas.microsoft.com/office/visio/2012/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    kinds = "http://schemas.microsoft.com/visio/2010/relationships/"

    def relations(*rows: tuple[str, str]) -> str:
        listed = "".join(
            f'<Relationship Id="rId{n}" Type="{kinds}{kind}" Target="{target}"/>' for n, (kind, target) in enumerate(rows, 1)
        )
        return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{listed}</Relationships>'

    def shape(number: int, text: str, master: int, x: float, width: float = 1, more: str = "") -> str:
        cells = "".join(
            f'<Cell N="{name}" V="{value}"/>' for name, value in (("PinX", x), ("PinY", 5), ("Width", width), ("Height", 1))
        )
        return f'<Shape ID="{number}" Type="Shape" Master="{master}">{cells}{more}<Text>{text}</Text></Shape>'

    line = '<Cell N="BeginX" V="1"/><Cell N="EndX" V="2"/><Cell N="EndArrow" V="13"/>'
    shapes = (
        shape(9, "Back office", 4, 2, width=5)
        + shape(1, "Request", 1, 1)
        + shape(2, "OK?", 2, 3)
        + shape(3, "Ship", 1, 8)
        + f'<Shape ID="4" Master="3">{line}<Text>first</Text></Shape><Shape ID="5" Master="3">{line}</Shape>'
        + f'<Shape ID="6" Master="3">{line}</Shape>'
    )
    glued = connects or "".join(
        f'<Connect FromSheet="{sheet}" FromCell="{cell}" ToSheet="{to}"/>'
        for sheet, first, last in ((4, 1, 2), (5, 2, 3))
        for cell, to in (("BeginX", first), ("EndX", last))
    )
    masters = "".join(
        f'<Master ID="{number}" NameU="{name}"/>'
        for number, name in ((1, "Process"), (2, "Decision"), (3, "Dynamic connector"), (4, "Swimlane"))
    )
    page = f'<Page ID="0" Name="Orders"{" Background=" + chr(34) + "1" + chr(34) if background else ""}><Rel r:id="rId1"/></Page>'
    files = {
        "[Content_Types].xml": "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'/>",
        "_rels/.rels": relations(("document", "visio/document.xml")),
        "visio/document.xml": f"<VisioDocument {ns}/>",
        "visio/_rels/document.xml.rels": relations(("masters", "masters/masters.xml"), ("pages", "pages/pages.xml")),
        "visio/masters/masters.xml": f"<Masters {ns}>{masters}</Masters>",
        "visio/pages/pages.xml": f"<Pages {ns}>{page}</Pages>",
        "visio/pages/_rels/pages.xml.rels": relations(("page", "page1.xml")),
        "visio/pages/page1.xml": f"<PageContents {ns}><Shapes>{shapes}</Shapes><Connects>{glued}</Connects></PageContents>",
    }
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return target.getvalue()


def test_visio_has_its_shapes_glued_connectors_and_lanes() -> None:
    document = DiagramLoader().load(visio(), "orders.vsdx")
    assert the_drawing(document) == [
        "flowchart LR", '  subgraph g1["Back office"]', '    n1["Request"]', '    n2{"OK?"}', "  end", '  n3["Ship"]',
        '  n1 -->|"first"| n2', "  n2 --> n3", "%% not drawn: 1",
    ]  # fmt: skip
    assert document.markdown.split("\n") == [
        "- Back office", "- Request", "- OK?", "- Ship", "- Request → OK?: first", "- OK? → Ship",
    ]  # fmt: skip
    assert (document.doc_type, document.title) == ("diagram", "Orders")


def test_pages_of_a_drawing_are_sections_with_their_numbers() -> None:
    source = f'<mxfile><diagram name="One">{MODEL}</diagram><diagram name="Two">{MODEL}</diagram></mxfile>'
    document = DiagramLoader().load(source.encode(), "two.drawio")
    assert [heading.title for heading in document.headings] == ["One", "Two"]
    assert [mark.place.page for mark in document.marks] == [1, 2]
    assert len(document.diagrams) == 2


@pytest.mark.parametrize(
    ("name", "data", "error"),
    [
        ("a.drawio", b"", DocumentEmpty), ("a.drawio", b"<svg/>", DocumentDamaged), ("a.bpmn", b"<x", DocumentDamaged),
        ("a.excalidraw", b"{}", DocumentDamaged), ("a.vsdx", b"PK", ParseFailed),
        ("a.vsdx", visio(background=True), DocumentEmpty),
        ("a.drawio", drawio("<mxGraphModel/>").encode(), DocumentEmpty), ("a.vsdx", make(""), WrongType),
    ],
)  # fmt: skip
def test_what_is_no_drawing_is_refused_with_what_to_do(name: str, data: bytes, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"'a\.\w+'"):
        DiagramLoader().load(data, name)


def test_drawings_of_all_kinds_say_the_same() -> None:
    said = [
        {line for line in DiagramLoader().load(data.encode(), name).markdown.split("\n") if "→" in line and "Approved" in line}
        for name, data in (("a.drawio", drawio()), ("a.bpmn", BPMN), ("a.excalidraw", EXCALIDRAW))
    ]
    assert said[0] == said[1] == said[2] == {
        "- Request → Approved?", "- Approved? → Ship the parcel: yes", "- Approved? → Tell why: no",
    }  # fmt: skip


def test_an_svg_of_graphviz_has_its_nodes_edges_and_clusters() -> None:
    svg = """<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
    <svg xmlns="http://www.w3.org/2000/svg">
    <g id="graph0" class="graph"><title>G</title>
    <g id="clust1" class="cluster"><title>cluster_0</title><polygon points="0,0 0,-100 200,-100 200,0 0,0"/><text>Desk</text></g>
    <g id="node1" class="node"><title>a</title><polygon points="10,-20 60,-20 60,-60 10,-60 10,-20"/><text>Request</text></g>
    <g id="node2" class="node"><title>b</title>
    <polygon points="350,-40 300,-20 250,-40 300,-60 350,-40"/><text>OK?</text></g>
    <g id="edge1" class="edge"><title>a&#45;&gt;b</title>
    <path d="M60,-40C80,-40 90,-40 100,-40"/><text>then</text></g></g></svg>"""
    [found] = read_picture(svg.encode())
    assert [(node.label, node.shape, node.group) for node in found.nodes] == [
        ("Request", "box", "cluster_0"),
        ("OK?", "diamond", None),
    ]
    assert [(edge.source, edge.target, edge.label) for edge in found.edges] == [("a", "b", "then")]
    assert [group.label for group in found.groups] == ["Desk"]


def test_an_svg_of_mermaid_has_its_nodes_edges_labels_and_frames() -> None:
    svg = """<svg id="x" xmlns="http://www.w3.org/2000/svg" class="flowchart" aria-roledescription="flowchart-v2">
    <style>.node{}</style><g>
    <g class="clusters"><g class="cluster" id="x-desk"><rect x="250" y="0" width="300" height="100"/>
    <g><text>Desk</text></g></g></g>
    <path id="x-L_A_one_B_0" class="edge-pattern-solid" data-id="L_A_one_B_0" marker-end="url(#p)"/>
    <path id="x-L_B_C_0" class="edge-pattern-dotted" data-id="L_B_C_0" marker-end="url(#p)"/>
    <g class="edgeLabels"><g class="edgeLabel">
    <g class="label" data-id="L_A_one_B_0"><foreignObject><p>then</p></foreignObject></g></g></g>
    <g class="nodes"><g class="node default" id="x-flowchart-A_one-0" transform="translate(80, 50)">
    <rect x="-40" y="-20" width="80"
    height="40"/><g class="label"><foreignObject><div><span><p>Request<br/>form</p></span></div></foreignObject></g></g>
    <g class="node" id="x-flowchart-B-1" transform="translate(300,50)"><polygon points="30,0 60,-30 30,-60 0,-30"
    transform="translate(-30, 30)"/><text>OK?</text></g>
    <g class="node" id="x-flowchart-C-2" transform="translate(500,50)">
    <rect x="-20" y="-20" width="40" height="40"/><text>Ship</text></g>
    </g></g></svg>"""
    [found] = read_picture(svg.encode())
    assert [(node.label, node.shape, node.group) for node in found.nodes] == [
        ("Request form", "box", None),
        ("OK?", "diamond", "desk"),
        ("Ship", "box", "desk"),
    ]
    assert [(edge.source, edge.target, edge.label, edge.kind) for edge in found.edges] == [
        ("A_one", "B", "then", "arrow"),
        ("B", "C", "", "dotted"),
    ]
    assert (found.direction, [group.label for group in found.groups]) == ("LR", ["Desk"])
