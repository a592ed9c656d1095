"""OpenDocument texts, as LibreOffice and others write them: headings, lists, tables, notes, comments and pictures."""

from __future__ import annotations

from typing import Final

from ragd.core.documents import Document, Heading
from ragd.core.errors import DocumentEmpty, ParseFailed, TooComplex
from ragd.formats.common.builder import FormatLoader
from ragd.formats.common.decoding import is_blank
from ragd.formats.common.naming import choose_title, first_line
from ragd.formats.common.opc import LXML_VERSION
from ragd.formats.common.text import comments_title, listed
from ragd.formats.html.fragment import Fragment, html_fragment, joined
from ragd.formats.opendocument.html import HtmlWriter, header_texts
from ragd.formats.opendocument.package import OdfPackage
from ragd.formats.opendocument.styles import Styles
from ragd.language.detection import detect_language
from ragd.providers.protocols import ALONE, LoadContext

_SHOWN: Final = 3
_SHOWN_CHARS: Final = 60


class OpenDocumentLoader(FormatLoader):
    """`.odt` and `.ott`. Changes are read as accepted; page headers and footers and tables of contents are left out."""

    name = "opendocument"
    version = "1"

    def load(self, data: bytes, name: str, context: LoadContext = ALONE) -> Document:  # noqa: ARG002
        package = OdfPackage(data, name, "text", "an OpenDocument text")
        stated = package.part("styles.xml")
        writer = HtmlWriter(Styles(root for root in (stated, package.content) if root is not None), name)
        try:
            found = html_fragment(writer.document(package.body), package.picture)
        except ParseFailed as error:
            raise type(error)(f"'{name}' can't be read: {error.message}") from error
        except RecursionError as error:
            raise TooComplex(f"'{name}' is nested too deeply to be read.") from error
        language = detect_language(found.markdown)
        if writer.comments:
            text = "\n".join(f"- {comment}" for comment in writer.comments)
            found = joined([found, Fragment(text, (Heading(0, 0, 1, comments_title(language)),))])
        if is_blank(found.markdown):
            raise DocumentEmpty(f"'{name}' holds no text and no pictures.")
        metadata = package.properties()
        first_heading = next((heading.title for heading in found.headings if heading.start < heading.end), None)
        title, title_source = choose_title(
            name,
            title_paragraph=writer.title,
            property=metadata.pop("title", None),
            heading=first_heading,
            first_line=first_line(found.markdown),
        )
        if writer.comments:
            metadata["comment_count"] = len(writer.comments)
        if found.remote:
            metadata["remote_pictures"] = found.remote
        return self._document(
            title,
            found.markdown,
            title_source | metadata,
            parser=f"lxml {LXML_VERSION}",
            headings=found.headings,
            pictures=found.pictures,
            language=language,
            warnings=_warnings(writer, header_texts(stated)),
        )


def _warnings(writer: HtmlWriter, headers: list[str]) -> list[str]:
    found = []
    if writer.index_lines:
        found.append(f"lines of tables of contents and indexes left out: {writer.index_lines}")
    if writer.deleted:
        found.append(f"tracked changes are read as accepted; deleted passages left out: {writer.deleted}")
    if headers:
        quoted = listed([f"'{text[:_SHOWN_CHARS]}'" for text in headers], _SHOWN)
        found.append(f"page headers and footers were left out: {quoted}")
    return found
