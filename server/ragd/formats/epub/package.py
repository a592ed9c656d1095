"""The archive of an electronic book (EPUB 3.3): its package document, chapters in reading order, and what they are called."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from ragd.core.errors import DocumentDamaged, DocumentEncrypted
from ragd.formats.common.office_archive import checked_archive, read_part

_CONTAINER: Final = "META-INF/container.xml"
_ENCRYPTION: Final = "META-INF/encryption.xml"
_FONT_METHODS: Final = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Fonts that are scrambled so that nobody copies them; all else is readable then."""
_CHAPTER_TYPES: Final = ("application/xhtml+xml", "text/html", "application/xml")
_MAX_XML: Final = 8_000_000
_MAX_CHAPTER: Final = 64_000_000
_MAX_PICTURE: Final = 20 * 1024 * 1024
_MAX_PICTURES: Final = 200 * 1024 * 1024
_BLANKS: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class _Item:
    part: str
    kind: str
    properties: tuple[str, ...]


class Book:
    """The book in the file called `name`. Raises `DocumentEmpty`, `DocumentEncrypted` or `ParseFailed`."""

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        self._archive: zipfile.ZipFile = checked_archive(data, name, "an electronic book", marker=_CONTAINER, doctypes=True)
        self._pictures = 0
        self._refuse_protected()
        root_file = next((found.get("full-path", "") for found in _named(self._xml(_CONTAINER), "rootfile")), "")
        self._part = self._existing(root_file)
        self._package = self._xml(self._part)
        self._items = {
            item.get("id", ""): _Item(
                self._beside(self._part, item.get("href", "")),
                item.get("media-type", ""),
                tuple(item.get("properties", "").split()),
            )
            for item in _named(self._package, "item")
        }

    def stated(self, name: str) -> list[str]:
        """What the book says of itself: `title`, `creator`, `language`, `subject`, `description` …"""
        metadata = next(_named(self._package, "metadata"), None)
        found = _named(metadata, name) if metadata is not None else ()
        return [text for element in found if (text := _text(element)[:500])]

    def chapters(self) -> list[str]:
        """The parts of the text in reading order, each once, without those that only list the others."""
        items = (self._items.get(found.get("idref", "")) for found in _named(self._package, "itemref"))
        return list(
            dict.fromkeys(item.part for item in items if item and item.kind in _CHAPTER_TYPES and "nav" not in item.properties)
        )

    def labels(self) -> dict[str, str]:
        """What the table of contents calls the beginning of each part."""
        found: dict[str, str] = {}
        for item in self._items.values():
            if item.kind == "application/x-dtbncx+xml" and item.part in self._archive.NameToInfo:
                for point in _named(self._xml(item.part), "navPoint"):
                    content = next((child for child in point if _local(child) == "content"), None)
                    label = next((child for child in point if _local(child) == "navLabel"), None)
                    if content is not None and label is not None:
                        found.setdefault(self._beside(item.part, content.get("src", "")), _text(label))
            elif "nav" in item.properties and item.part in self._archive.NameToInfo:
                for link in _named(self._xml(item.part), "a"):
                    found.setdefault(self._beside(item.part, link.get("href", "")), _text(link))
        return found

    def chapter(self, part: str) -> bytes:
        return read_part(self._archive, self._existing(part), self.name, _MAX_CHAPTER)

    def picture(self, part: str, reference: str) -> bytes | None:
        """The picture that a part refers to, when the book holds it; up to 200 MB of them in all."""
        found = self._beside(part, reference)
        entry = self._archive.NameToInfo.get(found)
        if entry is None or entry.file_size > _MAX_PICTURE or self._pictures + entry.file_size > _MAX_PICTURES:
            return None
        self._pictures += entry.file_size
        return read_part(self._archive, found, self.name) or None

    def _refuse_protected(self) -> None:
        if _ENCRYPTION in self._archive.NameToInfo:
            methods = {method.get("Algorithm", "") for method in _named(self._xml(_ENCRYPTION), "EncryptionMethod")}
            if methods - set(_FONT_METHODS):
                raise DocumentEncrypted(
                    f"'{self.name}' is a book with copy protection. It can't be read without its shop's program."
                )

    def _existing(self, part: str) -> str:
        if part in self._archive.NameToInfo:
            return part
        raise DocumentDamaged(f"'{self.name}' is damaged: its part '{part[:100]}' is missing. Get the file again.")

    @staticmethod
    def _beside(part: str, reference: str) -> str:
        return posixpath.normpath(posixpath.join(posixpath.dirname(part), unquote(reference.partition("#")[0])))

    def _xml(self, part: str) -> Element:
        try:
            root: Element = fromstring(read_part(self._archive, part, self.name, _MAX_XML))
        except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
            raise DocumentDamaged(f"'{part}' in '{self.name}' can't be read as XML. Get the file again.") from error
        return root


def _named(root: Element, name: str) -> Iterator[Element]:
    """The elements below with this local name, in any namespace."""
    return (element for element in root.iter() if _local(element) == name)


def _local(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _text(element: Element) -> str:
    return _BLANKS.sub(" ", "".join(element.itertext())).strip()
