"""Small real files to attach: texts, a table, a PDF, pictures, draw.io drawings."""

from __future__ import annotations

import io
import random
from html import escape
from types import ModuleType
from typing import Any

from PIL import Image, ImageDraw

from .model import Lazy

MEDIA = {
    "txt": "text/plain",
    "md": "text/markdown",
    "csv": "text/csv",
    "pdf": "application/pdf",
    "png": "image/png",
    "drawio": "application/vnd.jgraph.mxfile",
}


def made(kind: str, texts: ModuleType, values: dict[str, Any]) -> tuple[str, str, Lazy]:
    """Name, media type and content."""
    makers = {
        "txt": lambda: texts.TEXT_FILE.format(**values).encode(),
        "md": lambda: texts.MARKDOWN_FILE.format(**values).encode(),
        "csv": lambda: texts.CSV.format(**values).encode(),
        "pdf": lambda: pdf([f"Service card of {values['slug']}", f"Port: {values['port']}", f"Pause: {values['n']} seconds"]),
        "png": lambda: picture(str(values["slug"]), int(values["port"])),
        "drawio": lambda: drawing(texts.WORDS["nodes"]),
    }
    name = f"{values['slug']}-flow" if kind == "drawio" else f"{values['slug']}.{kind}"
    return name, MEDIA[kind], Lazy(makers[kind])


def pdf(lines: list[str]) -> bytes:
    """One page with these lines (ASCII)."""
    shown = " ".join(f"({line}) Tj 0 -18 Td" for line in lines)
    stream = f"BT /F1 12 Tf 60 760 Td {shown} ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    return out + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)


def picture(title: str, seed: int) -> bytes:
    """A bar chart."""
    rng = random.Random(seed)
    image = Image.new("RGB", (320, 160), "white")
    draw = ImageDraw.Draw(image)
    draw.text((8, 6), title, fill="black")
    for bar in range(7):
        draw.rectangle((16 + bar * 42, 150 - rng.randrange(20, 120), 46 + bar * 42, 150), fill=(60, 110, 180))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def drawing(nodes: tuple[str, ...]) -> bytes:
    """Boxes in a row, joined by arrows."""
    cells = ['<mxCell id="0" />', '<mxCell id="1" parent="0" />']
    for number, node in enumerate(nodes):
        cells.append(
            f'<mxCell id="n{number}" value="{escape(node)}" style="rounded=1;html=1;" vertex="1" parent="1">'
            f'<mxGeometry x="{40 + number * 180}" y="60" width="120" height="60" as="geometry" /></mxCell>'
        )
        if number:
            cells.append(
                f'<mxCell id="e{number}" style="html=1;" edge="1" parent="1" source="n{number - 1}" target="n{number}">'
                '<mxGeometry relative="1" as="geometry" /></mxCell>'
            )
    graph = f"<mxGraphModel><root>{''.join(cells)}</root></mxGraphModel>"
    return f'<mxfile host="embed"><diagram id="d1" name="Page-1">{graph}</diagram></mxfile>'.encode()
