"""Small drawings of each kind that say the same: a request is approved and shipped, or refused."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from urllib.parse import quote

MODEL = """<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>
<mxCell id="l" value="Back office" style="swimlane;" vertex="1" parent="1"><mxGeometry width="400" height="300"/></mxCell>
<mxCell id="a" value="&lt;b&gt;Request&lt;/b&gt;" style="rounded=1;" vertex="1" parent="l"><mxGeometry x="20" y="30" width="90" height="40"/></mxCell>
<mxCell id="b" value="Approved?" style="rhombus;" vertex="1" parent="l"><mxGeometry x="20" y="130" width="90" height="40"/></mxCell>
<UserObject label="Ship the parcel" id="c"><mxCell style="ellipse;" vertex="1" parent="1"><mxGeometry x="20" y="430" width="90" height="40"/></mxCell></UserObject>
<mxCell id="d" value="Tell why" vertex="1" parent="1"><mxGeometry x="220" y="430" width="90" height="40"/></mxCell>
<mxCell id="e" edge="1" parent="1" source="a" target="b"/>
<mxCell id="f" value="yes" edge="1" parent="1" source="b" target="c"/>
<mxCell id="g" edge="1" parent="1" source="b" target="d" style="dashed=1"/>
<mxCell id="h" value="no" style="edgeLabel" vertex="1" connectable="0" parent="g"/>
</root></mxGraphModel>"""  # noqa: E501

EXPECTED = {("Request", "Approved?", ""), ("Approved?", "Ship the parcel", "yes"), ("Approved?", "Tell why", "no")}


def packed(xml: str) -> str:
    """As draw.io deflates a page."""
    return deflated(quote(xml).encode())


def deflated(quoted: bytes) -> str:
    """The same for a text that is quoted already."""
    engine = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(engine.compress(quoted) + engine.flush()).decode()


def drawio(content: str = MODEL, name: str = "Orders") -> str:
    return f'<mxfile><diagram name="{name}" id="x">{content}</diagram></mxfile>'


def png(keyword: str, text: str, kind: bytes = b"tEXt") -> bytes:
    """A small picture with a text chunk."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    side = 64
    rows = b"".join(b"\0" + bytes((255 * ((x // 4 + y // 4) % 2)) for x in range(side)) for y in range(side))
    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    data = text.encode() if kind != b"zTXt" else b"\0" + zlib.compress(text.encode())
    if kind == b"iTXt":
        data = b"\1\0\0\0" + zlib.compress(text.encode())
    said = chunk(kind, keyword.encode() + b"\0" + data)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + said + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


BPMN = """<?xml version="1.0" encoding="UTF-8"?>
<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:di="x" xmlns:dc="y">
<bpmn:collaboration id="co"><bpmn:participant id="pool" name="Shop" processRef="p"/></bpmn:collaboration>
<bpmn:process id="p"><bpmn:laneSet><bpmn:lane id="lane" name="Back office"><bpmn:flowNodeRef>a</bpmn:flowNodeRef>
<bpmn:flowNodeRef>b</bpmn:flowNodeRef></bpmn:lane></bpmn:laneSet>
<bpmn:startEvent id="s"/><bpmn:userTask id="a" name="Request"/><bpmn:exclusiveGateway id="b" name="Approved?"/>
<bpmn:task id="c" name="Ship the parcel"/><bpmn:sendTask id="d" name="Tell why"/><bpmn:exclusiveGateway id="j"/>
<bpmn:endEvent id="z" name="Done"/>
<bpmn:sequenceFlow id="f0" sourceRef="s" targetRef="a"/><bpmn:sequenceFlow id="f1" sourceRef="a" targetRef="b"/>
<bpmn:sequenceFlow id="f2" name="yes" sourceRef="b" targetRef="c"/>
<bpmn:sequenceFlow id="f3" name="no" sourceRef="b" targetRef="d"/>
<bpmn:sequenceFlow id="f4" sourceRef="c" targetRef="j"/><bpmn:sequenceFlow id="f5" sourceRef="d" targetRef="j"/>
<bpmn:sequenceFlow id="f6" sourceRef="j" targetRef="z"/>
<bpmn:textAnnotation id="t"><bpmn:text>Within two days</bpmn:text></bpmn:textAnnotation></bpmn:process>
<di:BPMNDiagram><di:BPMNPlane><di:BPMNShape bpmnElement="a"><dc:Bounds x="0" y="0" width="100" height="50"/></di:BPMNShape>
<di:BPMNShape bpmnElement="b"><dc:Bounds x="200" y="0" width="100" height="50"/></di:BPMNShape></di:BPMNPlane></di:BPMNDiagram>
</bpmn:definitions>"""

EXCALIDRAW = json.dumps(
    {
        "type": "excalidraw",
        "elements": [
            {"id": "f", "type": "frame", "name": "Back office"},
            {"id": "a", "type": "rectangle", "x": 0, "y": 0, "width": 90, "height": 40, "frameId": "f"},
            {"id": "at", "type": "text", "text": "Request", "containerId": "a"},
            {"id": "b", "type": "diamond", "x": 0, "y": 90, "width": 90, "height": 40},
            {"id": "bt", "type": "text", "text": "Approved?", "containerId": "b"},
            {"id": "c", "type": "text", "text": "Ship the\nparcel", "x": 0, "y": 200, "width": 90, "height": 40},
            {"id": "d", "type": "ellipse", "x": 200, "y": 200, "width": 90, "height": 40},
            {"id": "dt", "type": "text", "text": "Tell why", "containerId": "d"},
            {"id": "gone", "type": "rectangle", "isDeleted": True},
            {"id": "n", "type": "text", "text": "Within two days"},
            *(
                {
                    "id": key,
                    "type": "arrow",
                    "startBinding": {"elementId": first},
                    "endBinding": {"elementId": last},
                    "endArrowhead": "arrow",
                }
                for key, first, last in (("1", "a", "b"), ("2", "b", "c"), ("3", "b", "d"))
            ),
            {"id": "2t", "type": "text", "text": "yes", "containerId": "2"},
            {"id": "3t", "type": "text", "text": "no", "containerId": "3"},
            {"id": "loose", "type": "arrow", "startBinding": {"elementId": "a"}, "endArrowhead": "arrow"},
        ],
    }
)
