"""OpenDocument texts, as LibreOffice and others write them: headings, lists, tables, notes, comments and pictures."""

from __future__ import annotations

from ragd.core.documents import Document
from ragd.core.errors import DocumentEmpty, TooComplex
from ragd.formats.common.builder import FormatLoader
from ragd.formats.common.decoding import is_blank
from ragd.formats.common.naming import choose_title, first_line, metadata_of
from ragd.formats.common.opc import LXML_VERSION
from ragd.formats.common.text import headers_left_out
from ragd.formats.html.fragment import file_fragment, with_comments
from ragd.formats.opendocument.html import HtmlWriter, header_texts
from ragd.formats.opendocument.package import OdfPackage
from ragd.formats.opendocument.styles import Styles
from ragd.language.detection import detect_language
from ragd.providers.protocols import ALONE, LoadContext


class OpenDocumentLoader(FormatLoader):
    """`.odt` and `.ott`. Changes are read as accepted; page headers and footers and tables of contents are left out."""

    name = "opendocument"
    version = "1"

    def load(self, data: bytes, name: str, context: LoadContext = ALONE) -> Document:  # noqa: ARG002
        package = OdfPackage(data, name, "text", "an OpenDocument text")
        styles = package.part("styles.xml")
        writer = HtmlWriter(Styles(root for root in (styles, package.content) if root is not None), name)
        try:
            found = file_fragment(writer.document(package.body), package.picture, f"'{name}'")
        except RecursionError as error:
            raise TooComplex(f"'{name}' is nested too deeply to be read.") from error
        language = detect_language(found.markdown)
        found = with_comments(found, writer.comments, language)
        if is_blank(found.markdown):
            raise DocumentEmpty(f"'{name}' holds no text and no pictures.")
        stated = package.properties()
        first_heading = next((heading.title for heading in found.headings if heading.start < heading.end), None)
        title, metadata = choose_title(
            name,
            title_paragraph=writer.title,
            property=stated.pop("title", None),
            heading=first_heading,
            first_line=first_line(found.markdown),
        )
        metadata |= stated | metadata_of(comment_count=len(writer.comments), remote_pictures=found.remote)
        return self._document(
            title,
            found.markdown,
            metadata,
            parser=f"lxml {LXML_VERSION}",
            headings=found.headings,
            merged=found.merged,
            pictures=found.pictures,
            language=language,
            warnings=_warnings(writer, header_texts(styles)),
        )


def _warnings(writer: HtmlWriter, headers: list[str]) -> list[str]:
    found = []
    if writer.index_lines:
        found.append(f"lines of tables of contents and indexes left out: {writer.index_lines}")
    if writer.deleted:
        found.append(f"tracked changes are read as accepted; deleted passages left out: {writer.deleted}")
    return found + headers_left_out(headers)
