"""What the readers of drawings share: XML that can do no harm, labels without markup, pages, bounds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import Any, Final, TypeAlias

from lxml import etree

from ragd.diagrams.model import Diagram, one_line

Element: TypeAlias = Any
"""An lxml element."""

MAX_BYTES: Final = 32 * 1024 * 1024
"""Bytes of one drawing, unpacked."""
MAX_PAGES: Final = 100
MAX_SHAPES: Final = 20_000
"""Shapes of a page that are looked at."""
MAX_LINE: Final = 2_000
"""Characters of a line of such a text: what is longer was written by no hand."""
MAX_TEXT: Final = 200_000
"""Characters of a text that describes a diagram (Mermaid, DOT, PlantUML)."""
_BREAK: Final = re.compile(r"<(?:br|/?p|/?div|/?li|/?tr)\b[^<>]{0,500}>", re.IGNORECASE)
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]{0,2000}>")
_ENTITY: Final = re.compile(r"<!ENTITY", re.IGNORECASE)
# lxml refuses a text that declares an encoding.
_DECLARATION: Final = re.compile(r"\A\ufeff?\s*<\?xml[^>]{0,200}\?>")
_UNFIT: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a drawing: its name, and what it shows. `texts` are labels that belong to no box and no arrow."""

    name: str
    diagram: Diagram | None
    texts: tuple[str, ...] = ()


def parsed(source: str | bytes) -> Element | None:
    """The root of an XML text; None for what is no XML, is too large, nests too deeply or defines entities."""
    if len(source) > MAX_BYTES:
        return None
    text = source if isinstance(source, str) else _decoded(source)
    if not text.strip() or _ENTITY.search(text):
        return None
    # Entities are not resolved, files and addresses not followed; lxml itself refuses more than 256 levels.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, huge_tree=False)
    try:
        return etree.fromstring(_UNFIT.sub("\ufffd", _DECLARATION.sub("", text)), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def _decoded(source: bytes) -> str:
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if source.startswith(mark):
            return source.decode(encoding, "replace")
    return source.decode("utf-8", "replace")


def local(element: Element) -> str:
    """An element's name without its namespace; empty for a comment or an instruction."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def plain(label: str) -> str:
    """A label that is HTML or text, as one line of text."""
    if "<" in label:
        label = _TAG.sub("", _BREAK.sub(" ", label))
    return one_line(unescape(label) if "&" in label else label)


def number(text: str | None) -> float:
    """A finite number; 0 for anything else."""
    try:
        value = float(text or 0)
    except ValueError:
        return 0.0
    return value if abs(value) < 1e9 else 0.0
