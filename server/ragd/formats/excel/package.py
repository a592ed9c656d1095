"""The parts of a workbook that are small: its sheets, styles, relationships and properties (ECMA-376 part 1, 12 and 18).

Elements are matched by their local names, since there are two sets of namespaces (transitional and strict), and relations by
the last word of their types. What is missing or unknown is left out rather than refused: programs differ in what they write.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ragd.core.errors import DocumentDamaged, WrongType
from ragd.formats.common.opc import MC, Element, OpcPackage, core_properties, local_name
from ragd.formats.excel.formats import BUILT_IN, GENERAL

_NO_FILL: Final = ("none", "gray125")
_OTHER_FORMATS: Final = {
    "document": "a Word document. Give it the extension .docx",
    "presentation": "a PowerPoint presentation. Give it the extension .pptx",
}
_JAPANESE_CHARSET: Final = "128"
_JAPANESE_FONTS: Final = ("ＭＳ", "MS P", "MS G", "MS M", "游", "Yu Gothic", "Yu Mincho", "Meiryo", "メイリオ", "BIZ UD", "HG")


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """A sheet as the workbook lists it. `kind` is `worksheet`, `chartsheet`, `dialogsheet` or another word for what it is."""

    name: str
    kind: str
    part: str
    hidden: bool


@dataclass(frozen=True, slots=True)
class CellStyle:
    """The number format of cells, and whether they stand out as headers do: bold, or on a filled ground."""

    code: str = GENERAL
    emphasised: bool = False


class Package(OpcPackage):
    """A workbook's archive, opened by `checked_archive`; `name` is the file's."""

    max_tree_bytes = 32_000_000

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        super().__init__(archive, name)
        root = next((relation for relation in self.relations("").values() if relation.word == "officeDocument"), None)
        if root is None or not root.part:
            raise WrongType(f"'{name}' is not an Excel workbook: it has no workbook part. Give it the extension of its format.")
        self.workbook_part = root.target
        self.is_binary = root.target.lower().endswith(".bin")
        """Whether its parts are of `.xlsb`: records, not XML."""
        if not self.is_binary and (found := local_name(self.workbook)) != "workbook":
            other = _OTHER_FORMATS.get(found, "another kind of file. Give it the extension of its format")
            raise WrongType(f"'{name}' is not an Excel workbook but {other}.")

    def tree(self, part: str) -> Element:
        """A part's root element. Of what is written twice, for newer and for older programs, it has the newer one.

        Raises `ParseFailed` when it is missing or isn't well-formed.
        """
        root = self.parse(self.entry(part))
        for element in list(root.iter(f"{MC}AlternateContent")):
            if element.find(f"{MC}Choice") is not None:
                for fallback in element.findall(f"{MC}Fallback"):
                    element.remove(fallback)
        return root

    @cached_property
    def workbook(self) -> Element:
        return self.tree(self.workbook_part)

    @property
    def from_1904(self) -> bool:
        properties = self.workbook.find("{*}workbookPr")
        return properties is not None and properties.get("date1904", "") in ("1", "true")

    def sheets(self) -> list[SheetEntry]:
        """Every sheet in order."""
        relations = self.relations(self.workbook_part)
        entries = []
        for element in self.workbook.iterfind("{*}sheets/{*}sheet"):
            relation = relations.get(relation_id(element))
            if relation is None or relation.external:
                raise DocumentDamaged(
                    f"'{self.name}' is damaged: its sheet '{element.get('name')}' is missing. Get the file again."
                )
            hidden = element.get("state", "visible") != "visible"
            entries.append(SheetEntry(element.get("name", "").strip(), relation.word, relation.target, hidden))
        return entries

    def related_tree(self, word: str) -> Element | None:
        """The root element of the workbook's part of this kind, if it has one."""
        part = next(self.related(self.workbook_part, word), None)
        return None if part is None else self.tree(part)

    def styles(self) -> list[CellStyle]:
        """The styles that cells refer to by number."""
        root = self.related_tree("styles")
        if root is None:
            return []
        codes = {str(number): code for number, code in BUILT_IN.items()}
        codes |= {
            element.get("numFmtId", ""): element.get("formatCode", GENERAL) for element in root.iterfind("{*}numFmts/{*}numFmt")
        }
        bold = [_is_on(font.find("{*}b")) for font in root.iterfind("{*}fonts/{*}font")]
        filled = [_is_filled(fill.find("{*}patternFill")) for fill in root.iterfind("{*}fills/{*}fill")]

        def emphasised(style: Element) -> bool:
            return _at(bold, style.get("fontId")) or _at(filled, style.get("fillId"))

        return [
            CellStyle(codes.get(style.get("numFmtId", "0"), GENERAL), emphasised(style))
            for style in root.iterfind("{*}cellXfs/{*}xf")
        ]

    @property
    def is_japanese(self) -> bool:
        """Whether a font is one for Japanese. Names and terms without kana look like Chinese by their characters."""
        if self.is_binary:
            part = next(self.related(self.workbook_part, "styles"), None)
            return part is not None and has_japanese_font(self.read(part))
        root = self.related_tree("styles")
        fonts = [] if root is None else root.iterfind("{*}fonts/{*}font")
        return any(
            child.get("val", "") == _JAPANESE_CHARSET
            if local_name(child) == "charset"
            else local_name(child) == "name" and child.get("val", "").startswith(_JAPANESE_FONTS)
            for font in fonts
            for child in font
        )

    def properties(self) -> dict[str, str]:
        part = next(self.related("", "core-properties"), None)
        return core_properties(None if part is None else self.parse(part))


def has_japanese_font(records: bytes, encoding: str = "utf-16-le") -> bool:
    """The same of bytes in which the names of fonts stand in this encoding."""
    return any(font.encode(encoding) in records for font in _JAPANESE_FONTS if not font.isascii())


def relation_id(element: Element, name: str = "id") -> str:
    """The relation that an element names in its attribute `r:id`, or another of that namespace."""
    return next((value for key, value in element.items() if key.startswith("{") and key.endswith(f"relationships}}{name}")), "")


def _is_on(element: Element | None) -> bool:
    return element is not None and element.get("val", "1") not in ("0", "false")


def _is_filled(pattern: Element | None) -> bool:
    return pattern is not None and pattern.get("patternType", "none") not in _NO_FILL


def _at(flags: list[bool], index: str | None) -> bool:
    return index is not None and index.isdecimal() and int(index) < len(flags) and flags[int(index)]
