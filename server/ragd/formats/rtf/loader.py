"""Rich text (.rtf): headings, lists, tables, links, notes, comments and pictures."""

from __future__ import annotations

from ragd.core.documents import Document
from ragd.core.errors import DocumentEmpty, WrongType
from ragd.formats.common.builder import FormatLoader
from ragd.formats.common.decoding import is_blank
from ragd.formats.common.naming import choose_title, first_line, metadata_of, tags_of
from ragd.formats.html.fragment import file_fragment, with_comments
from ragd.formats.rtf.reading import RtfReader
from ragd.language.detection import detect_language
from ragd.providers.protocols import ALONE, LoadContext


class RtfLoader(FormatLoader):
    """`.rtf`. Changes are read as accepted; page headers and footers and hidden text are left out."""

    name = "rtf"
    version = "1"

    def load(self, data: bytes, name: str, context: LoadContext = ALONE) -> Document:  # noqa: ARG002
        if not data.strip():
            raise DocumentEmpty(f"'{name}' is empty ({len(data)} bytes).")
        if not data.lstrip().startswith(rb"{\rtf"):
            raise WrongType(f"'{name}' is not rich text: it does not begin with {{\\rtf. Give it the extension of its format.")
        text = RtfReader(data.lstrip(), name).read()
        found = file_fragment(text.html, text.pictures.get, f"'{name}'")
        language = detect_language(found.markdown)
        found = with_comments(found, text.comments, language)
        if is_blank(found.markdown):
            raise DocumentEmpty(f"'{name}' holds no text and no pictures that can be read.")
        title, metadata = choose_title(
            name,
            property=text.stated.get("title"),
            heading=next((heading.title for heading in found.headings), None),
            first_line=first_line(found.markdown),
        )
        metadata |= metadata_of(author=text.stated.get("author"), tags=tags_of(text.stated.get("keywords")))
        warnings = [f"pictures in other forms than PNG and JPEG were left out: {text.left_out}"] if text.left_out else []
        return self._document(
            title,
            found.markdown,
            metadata,
            headings=found.headings,
            merged=found.merged,
            pictures=found.pictures,
            language=language,
            warnings=warnings,
        )
