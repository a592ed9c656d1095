"""The archive of an OpenDocument file (ODF 1.3 part 2), and what it says of itself."""

from __future__ import annotations

import zipfile
from functools import cached_property
from typing import Any, Final

from ragd.core.errors import DocumentDamaged, DocumentEncrypted, WrongType
from ragd.formats.common.naming import metadata_of, tags_of
from ragd.formats.common.office_archive import checked_archive
from ragd.formats.common.opc import Element, OpcPackage

OFFICE: Final = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TEXT: Final = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
TABLE: Final = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
DRAW: Final = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
STYLE: Final = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
FO: Final = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
SVG: Final = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
META: Final = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"
DC: Final = "{http://purl.org/dc/elements/1.1/}"
LINK: Final = "{http://www.w3.org/1999/xlink}href"

_CONTENT: Final = "content.xml"
_TYPE: Final = "mimetype"
_MANIFEST: Final = "META-INF/manifest.xml"
_MAX_PICTURE: Final = 20 * 1024 * 1024


class OdfPackage(OpcPackage):
    """An OpenDocument file called `name`; `kind` is the last word of its type, `what` how people call that.

    Raises `DocumentEmpty`, `DocumentEncrypted` or `ParseFailed`.
    """

    max_tree_bytes = 32_000_000

    def __init__(self, data: bytes, name: str, kind: str, what: str) -> None:
        super().__init__(self._checked(data, name, what), name)
        stated = self.read(_TYPE).decode("ascii", "replace").strip() if self._found(_TYPE) else ""
        if stated and not stated.removesuffix("-template").endswith(f".{kind}"):
            raise WrongType(f"'{name}' is an OpenDocument file, but not {what}. Give it the extension of its format.")

    @cached_property
    def content(self) -> Element:
        return self.parse(_CONTENT)

    @property
    def body(self) -> Element:
        """What the content has of text, or of other kinds."""
        body = self.content.find(f"{OFFICE}body")
        if body is None or not len(body):
            raise DocumentDamaged(f"'{self.name}' is damaged: it has no body. Get the file again.")
        return body[0]

    def part(self, name: str) -> Element | None:
        """The root element of a part; None when the file has no such part."""
        return self.parse(name) if self._found(name) else None

    def picture(self, reference: str) -> bytes | None:
        """The bytes of a picture that the file holds under this reference."""
        part = self._found(reference.removeprefix("./"))
        if part is None or self.archive.getinfo(part).file_size > _MAX_PICTURE:
            return None
        return self.read(part) or None

    def properties(self) -> dict[str, Any]:
        """Title, author, keywords, description and dates, as far as they are stated."""
        root = self.part("meta.xml")
        meta = None if root is None else root.find(f"{OFFICE}meta")
        if meta is None:
            return {}
        return metadata_of(
            title=meta.findtext(f"{DC}title"),
            author=meta.findtext(f"{META}initial-creator") or meta.findtext(f"{DC}creator"),
            description=meta.findtext(f"{DC}description") or meta.findtext(f"{DC}subject"),
            created=meta.findtext(f"{META}creation-date"),
            modified=meta.findtext(f"{DC}date"),
            tags=tags_of(*(element.text for element in meta.iterfind(f"{META}keyword"))),
        )

    @staticmethod
    def _checked(data: bytes, name: str, what: str) -> zipfile.ZipFile:
        archive = checked_archive(data, name, what, marker=_CONTENT)
        if _MANIFEST in archive.NameToInfo and b"encryption-data" in archive.read(_MANIFEST):
            raise DocumentEncrypted(f"'{name}' is protected by a password. Save a copy without one to make it searchable.")
        return archive
