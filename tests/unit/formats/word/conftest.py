"""Word documents written by hand: the few parts that a document needs, around the markup that a test is about."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence

import pytest

from ragd.core.documents import Document
from ragd.formats.word.loader import WordLoader

NAMESPACES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
        "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
        "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
        "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
        "dgm": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
        "v": "urn:schemas-microsoft-com:vml",
        "o": "urn:schemas-microsoft-com:office:office",
    }.items()
)
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/"
MAIN_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"

DocxOf = Callable[..., bytes]
Read = Callable[..., Document]


def _relations(relations: Sequence[tuple[str, str, str]]) -> str:
    external = ' TargetMode="External"'
    items = "".join(
        f'<Relationship Id="{rel_id}" Type="{OFFICE}{kind}" Target="{target}"{external if ":" in target else ""}/>'
        for rel_id, kind, target in relations
    )
    return f'<Relationships xmlns="{PACKAGE}relationships">{items}</Relationships>'


def make(
    body: str,
    *,
    styles: str = "",
    numbering: str = "",
    parts: Mapping[str, str | bytes] | None = None,
    relations: Sequence[tuple[str, str, str]] = (),
    content_type: str = MAIN_TYPE,
    strict: bool = False,
) -> bytes:
    """A document with this body. `relations` are (id, kind, target) of the main part; a root of `parts` gets the namespaces."""
    main = [*relations]
    files: dict[str, str | bytes] = {}
    for name, content in (("styles", styles), ("numbering", numbering)):
        if content:
            main.append((f"own-{name}", name, f"{name}.xml"))
            files[f"word/{name}.xml"] = f"<w:{name} {NAMESPACES}>{content}</w:{name}>"
    files |= {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{content_type}"/></Types>',
        "_rels/.rels": _relations([("rId1", "officeDocument", "word/document.xml")]),
        "word/_rels/document.xml.rels": _relations(main),
        "word/document.xml": f"<w:document {NAMESPACES}><w:body>{body}</w:body></w:document>",
        **{
            name: content.replace("NAMESPACES", NAMESPACES) if isinstance(content, str) else content
            for name, content in (parts or {}).items()
        },
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            text = content.encode() if isinstance(content, str) else content
            if strict:
                text = text.replace(
                    b"http://schemas.openxmlformats.org/officeDocument/2006/", b"http://purl.oclc.org/ooxml/officeDocument/"
                ).replace(
                    b"http://schemas.openxmlformats.org/wordprocessingml/2006/", b"http://purl.oclc.org/ooxml/wordprocessingml/"
                )
            archive.writestr(name, text)
    return buffer.getvalue()


@pytest.fixture
def docx_of() -> DocxOf:
    """The bytes of a document; its arguments are those of `make`."""
    return make


@pytest.fixture
def read() -> Read:
    """A document with this body, as the loader reads it."""
    return lambda body, **options: WordLoader().load(make(body, **options), "plans/plan.docx")
