"""The parts of a Word document and how they refer to each other (ECMA-376 part 2), as trees of lxml elements.

python-docx isn't used for this: it refuses macro-enabled documents, templates, the Strict variant and files in which a single
relationship leads nowhere, and it unpacks every picture at once.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias
from urllib.parse import unquote

from lxml import etree

from ragd.core.errors import ParseFailed
from ragd.formats.common.office_archive import checked_archive, read_part

Element: TypeAlias = Any
"""An lxml element."""

LXML_VERSION: Final[str] = ".".join(str(number) for number in etree.LXML_VERSION[:3])
W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
R: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
MC: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
CORE: Final = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"

MAX_TREE_BYTES: Final = 64_000_000
"""Of a part that is read as a tree, which takes some 17 times as much memory. A thousand pages have about 20 million."""

_PACKAGE: Final = ""
_RELATIONSHIP: Final = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
# ISO 29500 Strict differs in its namespaces, all by one rule, and in values that aren't read here.
_STRICT: Final = b"http://purl.oclc.org/ooxml/"
_STRICT_NAMESPACE: Final = re.compile(rb"""(=\s*["'])http://purl\.oclc\.org/ooxml/(\w+)/""")
_STATED_WITHIN: Final = 65_536
_OTHER_FORMATS: Final = {
    "workbook": "an Excel workbook: give it the extension .xlsx",
    "presentation": "a PowerPoint presentation: give it the extension .pptx",
}


@dataclass(frozen=True, slots=True)
class Relation:
    """What an r:id stands for. `part` is the name of a part of the archive, or None where `target` is outside or missing."""

    kind: str
    target: str
    external: bool
    part: str | None


class Package:
    """A Word document called `name`. Raises as `checked_archive` does, and `ParseFailed` for parts that can't be parsed."""

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        self._archive: zipfile.ZipFile = checked_archive(data, name, "a Word document")
        # Part names are compared without regard to case, and some producers write them with backslashes or percent signs.
        self._names = {self._key(entry): entry for entry in self._archive.namelist()}
        self._relations: dict[str, dict[str, Relation]] = {}
        self._used: set[str] = set()
        main = self.part_of_kind(_PACKAGE, OFFICE + "officeDocument")
        if main is None:
            raise ParseFailed(f"'{name}' is not a Word document: it doesn't say which part holds its text.")
        self.main = main

    def body(self) -> Element:
        """The body of the main part."""
        root = self.parse(self.main)
        body = root.find(W + "body")
        if root.tag != W + "document" or body is None:
            other = _OTHER_FORMATS.get(etree.QName(root).localname, "no Word document, though it is packed like one")
            raise ParseFailed(f"'{self.name}' is {other}.")
        return body

    def relation(self, part: str, rel_id: str | None) -> Relation | None:
        """The relation `rel_id` of a part."""
        return self._relations_of(part).get(rel_id or "")

    def relations(self, part: str) -> Iterator[Relation]:
        yield from self._relations_of(part).values()

    def part_of_kind(self, part: str, kind: str) -> str | None:
        """The first part that `part` (the package itself, when empty) names as being of that kind."""
        return next((found.part for found in self.relations(part) if found.kind == kind and found.part), None)

    def parse_kind(self, kind: str, part: str | None = None) -> Element | None:
        """The root element of the part of that kind, if there is one; of the main part's own, if not told otherwise."""
        found = self.part_of_kind(self.main if part is None else part, kind)
        return None if found is None else self.parse(found)

    def parse_property(self, kind: str) -> Element | None:
        """As `parse_kind`, for what belongs to the package as a whole."""
        return self.parse_kind(kind, _PACKAGE)

    def read(self, part: str) -> bytes:
        return read_part(self._archive, part, self.name)

    def parse(self, part: str) -> Element:
        xml = read_part(self._archive, part, self.name, MAX_TREE_BYTES)
        if _STRICT in xml[:_STATED_WITHIN]:
            xml = _STRICT_NAMESPACE.sub(rb"\1http://schemas.openxmlformats.org/\2/2006/", xml)
        # libxml2's own limits stay in force: 256 levels, 10 MB in one text.
        parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, remove_comments=True, remove_pis=True)
        try:
            return etree.fromstring(xml, parser)
        except etree.XMLSyntaxError as error:
            deep = "Excessive depth" in str(error)
            reason = "is nested more than 256 levels deep" if deep else "isn't well-formed XML; open the file and save it anew"
            raise ParseFailed(f"'{part}' in '{self.name}' {reason}.") from error

    def is_new(self, part: str) -> bool:
        """Whether this is the first time that it is asked about the part."""
        before = len(self._used)
        self._used.add(part)
        return len(self._used) > before

    def _relations_of(self, part: str) -> dict[str, Relation]:
        if part not in self._relations:
            folder, _, base = part.rpartition("/")
            listed = self._names.get(self._key(posixpath.join(folder, "_rels", f"{base}.rels")))
            found = self.parse(listed).iter(_RELATIONSHIP) if listed else ()
            self._relations[part] = {str(item.get("Id")): self._resolve(folder, item) for item in found}
        return self._relations[part]

    def _resolve(self, folder: str, item: Element) -> Relation:
        target = str(item.get("Target") or "")
        external = item.get("TargetMode") == "External"
        part = None if external else self._names.get(self._key(posixpath.join("/", folder, target)))
        return Relation(str(item.get("Type") or ""), target, external, part)

    @staticmethod
    def _key(name: str) -> str:
        return posixpath.normpath(unquote(name).replace("\\", "/")).lstrip("/").lower()


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


def choose(element: Element) -> Element | None:
    """Of mc:AlternateContent the part to read: the first choice that holds anything, else the fallback."""
    for branch in element:
        if branch.tag in (MC + "Choice", MC + "Fallback") and len(branch):
            return branch
    return None
