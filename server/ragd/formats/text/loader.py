"""Plain text, light markup and source code: the content is the file itself, so that lines are counted exactly."""

from __future__ import annotations

import re
from typing import Final

from ragd.core.documents import Document
from ragd.formats.code.languages import programming_language_of
from ragd.formats.code.symbols import code_headings
from ragd.formats.common.builder import FormatLoader
from ragd.formats.common.decoding import decode
from ragd.formats.common.naming import choose_title, extension, first_line
from ragd.formats.common.text import listed
from ragd.formats.text.markup import read_markup
from ragd.formats.text.structured import structured_headings
from ragd.providers.protocols import ALONE, LoadContext

# Emacs, Vim and PEP 263 notations, which count in the first two lines only.
_CODING: Final = re.compile(rb"\A(?:[^\n]*\n)?[^\n]*?coding[:=][ \t]*([-\w.]+)")
_XML_ENCODING: Final = re.compile(rb"\A\s*<\?xml\b[^>]*?encoding\s*=\s*[\"']([-\w.]+)")
# Their first line is a time, a number or a signature.
_WITHOUT_TITLE: Final = frozenset((".log", ".srt", ".vtt"))
_SHOWN_NAMES: Final = 3


class TextLoader(FormatLoader):
    """Plain text, whose title is the first line when that is short; and markup whose headings are plain to see."""

    name = "text"
    version = "3"

    def load(self, data: bytes, name: str, context: LoadContext = ALONE) -> Document:  # noqa: ARG002
        decoded = decode(data, name)
        warnings = list(decoded.warnings)
        line = first_line(decoded.text) if extension(name) not in _WITHOUT_TITLE else None
        if markup := read_markup(decoded.text, name):
            title, metadata = choose_title(name, heading=markup.title, first_line=None if markup.headings else line)
            if markup.pictures:
                names = listed(markup.pictures, _SHOWN_NAMES)
                warnings.append(f"pictures that were not read, since this format's are not: {len(markup.pictures)} ({names})")
        else:
            title, metadata = choose_title(name, first_line=line)
        return self._document(
            title,
            decoded.text,
            {**metadata, "encoding": decoded.encoding},
            verbatim=True,
            headings=markup.headings if markup else (),
            warnings=warnings,
        )


class CodeLoader(FormatLoader):
    """Source code and structured data. Functions, classes, tables, targets and keys become sections."""

    name = "code"
    version = "3"

    def load(self, data: bytes, name: str, context: LoadContext = ALONE) -> Document:  # noqa: ARG002
        found = _XML_ENCODING.match(data[:1024]) or _CODING.match(data[:1024])
        decoded = decode(data, name, declared=found[1].decode("ascii", "replace") if found else None)
        language = programming_language_of(name)
        title, metadata = choose_title(name)
        metadata |= {"encoding": decoded.encoding}
        if language:
            metadata["programming_language"] = language
        headings, problem = structured_headings(decoded.text, language) or code_headings(decoded.text, language)
        return self._document(
            title,
            decoded.text,
            metadata,
            verbatim=True,
            headings=headings,
            warnings=(*decoded.warnings, *([problem] if problem else [])),
        )
