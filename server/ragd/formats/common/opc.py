"""Open Packaging (ECMA-376 part 2): the parts of an Office file as trees of lxml elements, and how they refer to each other."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Final, TypeAlias
from urllib.parse import unquote

from lxml import etree

from ragd.core.errors import DocumentDamaged, TooComplex
from ragd.formats.common.office_archive import read_part

Element: TypeAlias = Any
"""An lxml element."""

# The namespaces that all kinds of Office files share.
A: Final = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
R: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
MC: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
VML: Final = "{urn:schemas-microsoft-com:vml}"
VML_OFFICE: Final = "{urn:schemas-microsoft-com:office:office}"

# What Office adds to alternative texts that it guesses; names of files, and names with a number, which programs give for them.
_NO_ALT: Final = re.compile(
    r"(?:Description automatically generated(?: with \w+ confidence)?|(?:[中高低]程度の精度で)?自動的に生成された説明)$"
    r"|^[^\n]{1,250}\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svg|webp)$|^(?:picture|image|図|圖片|图片)(?: ?\d+)?$",
    re.IGNORECASE,
)

LXML_VERSION: Final[str] = ".".join(str(number) for number in etree.LXML_VERSION[:3])


@dataclass(frozen=True, slots=True)
class _Relation:
    """What a part refers to. `part` is the name of a part of the archive; None where it is outside or missing.

    `target` is an address when it is `external`, else the part's name as the reference has it.
    """

    kind: str
    target: str
    external: bool
    part: str | None

    @property
    def word(self) -> str:
        """The last word of its kind, the same in the transitional and the strict variant."""
        return self.kind.rpartition("/")[2]


class OpcPackage:
    """An archive that `checked_archive` opened, of the file called `name`.

    Part names are compared without regard to case, and some producers write them with backslashes or percent signs.
    """

    max_tree_bytes: ClassVar[int]
    """Of a part that is read as a tree, which takes some twenty times as much memory."""

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        self.archive = archive
        self.name = name
        self._names = {_key(entry): entry for entry in archive.namelist()}
        self._relations: dict[str, dict[str, _Relation]] = {}

    def relations(self, part: str) -> dict[str, _Relation]:
        """What a part refers to, by id; of the package itself when `part` is empty."""
        if part not in self._relations:
            folder, _, base = part.rpartition("/")
            listed = self._found(posixpath.join(folder, "_rels", f"{base}.rels"))
            found = self.parse(listed).iterchildren() if listed else ()
            self._relations[part] = {str(item.get("Id")): self._resolved(folder, item) for item in found}
        return self._relations[part]

    def relation(self, part: str, rel_id: str | None) -> _Relation | None:
        """The relation `rel_id` of a part."""
        return self.relations(part).get(rel_id or "")

    def target(self, part: str, rel_id: str | None) -> str | None:
        """The part that the relation `rel_id` of a part leads to; None when the file has none."""
        relation = self.relation(part, rel_id)
        return relation.part if relation else None

    def related(self, part: str, word: str) -> Iterator[str]:
        """Parts that a part refers to by a kind with this last word, and that the file has."""
        for relation in self.relations(part).values():
            if relation.word == word and relation.part:
                yield relation.part

    def read(self, part: str) -> bytes:
        return read_part(self.archive, part, self.name)

    def parse(self, part: str) -> Element:
        """A part's root element. Raises `ParseFailed` when it isn't well-formed."""
        xml = self._prepared(read_part(self.archive, part, self.name, self.max_tree_bytes))
        try:
            return etree.fromstring(xml, safe_parser())
        except etree.XMLSyntaxError as error:
            deep = "Excessive depth" in str(error)
            reason = "is nested more than 256 levels deep" if deep else "isn't well-formed XML; open the file and save it anew"
            raise (TooComplex if deep else DocumentDamaged)(f"'{part}' in '{self.name}' {reason}.") from error

    def _prepared(self, xml: bytes) -> bytes:
        """What is parsed for a part's bytes."""
        return xml

    def entry(self, part: str) -> str:
        """The part's name as the archive has it. Raises `ParseFailed` when it is missing."""
        if found := self._found(part):
            return found
        raise DocumentDamaged(f"'{self.name}' is damaged: its part '{part}' is missing. Get the file again.")

    def _found(self, part: str) -> str | None:
        """The part's name as the archive has it."""
        return self._names.get(_key(part))

    def _resolved(self, folder: str, item: Element) -> _Relation:
        target, external = str(item.get("Target") or ""), item.get("TargetMode") == "External"
        if not external:
            target = unquote(target.replace("\\", "/"))
            target = target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
        return _Relation(str(item.get("Type") or ""), target, external, None if external else self._found(target))


def alt_of(properties: Element | None) -> str:
    """The alternative text among a drawing's properties (`cNvPr`, `docPr`), as far as somebody wrote it."""
    text = "" if properties is None else properties.get("descr") or properties.get("title") or ""
    return _NO_ALT.sub("", text.strip()).strip()


def local_name(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def core_properties(root: Element | None) -> dict[str, str]:
    """`title`, `creator`, `keywords`, `created` and the like, as far as the part for them states them (part 2, 11)."""
    return {} if root is None else {local_name(element): (element.text or "").strip() for element in root}


def safe_parser() -> etree.XMLParser:
    """For XML that isn't trusted. libxml2's own limits stay in force: 256 levels, 10 MB in one text."""
    return etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, remove_comments=True, remove_pis=True)


def _key(name: str) -> str:
    return posixpath.normpath(unquote(name).replace("\\", "/")).lstrip("/").lower()
