"""The package of a Word document.

python-docx isn't used for this: it refuses macro-enabled documents, templates, the Strict variant and files in which a single
relationship leads nowhere, and it unpacks every picture at once.
"""

from __future__ import annotations

import re
from typing import Final

from lxml import etree

from ragd.core.errors import WrongType
from ragd.formats.common.office_archive import checked_archive
from ragd.formats.common.opc import MC, Element, OpcPackage

W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
CORE: Final = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"

PACKAGE: Final = ""
"""Stands for the package as a whole where a part is named."""
# ISO 29500 Strict differs in its namespaces, all by one rule, and in values that aren't read here.
_STRICT: Final = b"http://purl.oclc.org/ooxml/"
_STRICT_NAMESPACE: Final = re.compile(rb"""(=\s*["'])http://purl\.oclc\.org/ooxml/(\w+)/""")
_STATED_WITHIN: Final = 65_536
_OTHER_FORMATS: Final = {
    "workbook": "an Excel workbook: give it the extension .xlsx",
    "presentation": "a PowerPoint presentation: give it the extension .pptx",
}


class Package(OpcPackage):
    """A Word document called `name`. Raises as `checked_archive` does, and `ParseFailed` for parts that can't be parsed."""

    max_tree_bytes = 64_000_000  # a thousand pages have about 20 million

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(checked_archive(data, name, "a Word document"), name)
        self._used: set[str] = set()
        main = self.part_of_kind(PACKAGE, OFFICE + "officeDocument")
        if main is None:
            raise WrongType(f"'{name}' is not a Word document: it doesn't say which part holds its text.")
        self.main = main

    def body(self) -> Element:
        """The body of the main part."""
        root = self.parse(self.main)
        body = root.find(W + "body")
        if root.tag != W + "document" or body is None:
            other = _OTHER_FORMATS.get(etree.QName(root).localname, "no Word document, though it is packed like one")
            raise WrongType(f"'{self.name}' is {other}.")
        return body

    def part_of_kind(self, part: str, kind: str) -> str | None:
        """The first part that `part` (the package itself, when empty) names as being of that kind."""
        return next((found.part for found in self.relations(part).values() if found.kind == kind and found.part), None)

    def parse_kind(self, kind: str, part: str | None = None) -> Element | None:
        """The root element of the part of that kind, if there is one; of the main part's own, if no other is named."""
        found = self.part_of_kind(self.main if part is None else part, kind)
        return None if found is None else self.parse(found)

    def _prepared(self, xml: bytes) -> bytes:
        if _STRICT in xml[:_STATED_WITHIN]:
            return _STRICT_NAMESPACE.sub(rb"\1http://schemas.openxmlformats.org/\2/2006/", xml)
        return xml

    def is_new(self, part: str) -> bool:
        """Whether this is the first time that it is asked about the part."""
        before = len(self._used)
        self._used.add(part)
        return len(self._used) > before


def child_value(element: Element | None, tag: str) -> str | None:
    """`w:val` of the child `tag`; None when there is none."""
    child = None if element is None else element.find(W + tag)
    return None if child is None else child.get(W + "val")


def toggled(element: Element | None, tag: str) -> bool | None:
    """Whether the on/off property `tag` is on; None when it isn't stated."""
    child = None if element is None else element.find(W + tag)
    return None if child is None else child.get(W + "val") not in ("0", "false", "off", "none")


def whole(value: str | None) -> int | None:
    """A whole number of an attribute; None for anything else. Word's own are short."""
    if value is None or len(value) > 12:
        return None
    try:
        return int(float(value))
    except (ValueError, OverflowError):
        return None


def chosen(element: Element) -> list[Element]:
    """Of mc:AlternateContent the one part to read, if any: the first choice that holds anything, else the fallback."""
    return [branch for branch in element if branch.tag in (MC + "Choice", MC + "Fallback") and len(branch)][:1]


# What Word shows by default in an empty control; what an author asks for in other words is text like any other.
_PROMPT: Final = re.compile(
    r"(?:click|tap|choose|enter|select|type)\b.{0,80}$|(?:クリック|ここを|ここに|アイテムを選択|日付を).{0,40}$|(?:单击|点击|选择).{0,40}$",
    re.IGNORECASE,
)


def is_prompt(properties: Element | None, content: Element) -> bool:
    """Whether a content control shows only that something may be put in."""
    if properties is None or properties.find(W + "showingPlcHdr") is None:
        return False
    return bool(_PROMPT.match(texts_of(content).strip()))


def texts_of(element: Element | None) -> str:
    """All text in an element."""
    return "" if element is None else "".join(text.text or "" for text in element.iter(W + "t"))
