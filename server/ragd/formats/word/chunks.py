"""Documents that a Word document imports (w:altChunk): programs that make Word files of web pages put all their text there."""

from __future__ import annotations

from typing import Final

from ragd.core.errors import ParseFailed
from ragd.formats.common.decoding import decode
from ragd.formats.email.body import BodyReader
from ragd.formats.email.parts import parse_mail, part_of
from ragd.formats.html.fragment import Fragment, html_fragment

_OTHER_FORMATS: Final = (b"PK", b"{\\rtf", b"\xd0\xcf\x11\xe0")
_HEAD: Final = 2_000


def chunk_fragment(data: bytes, name: str) -> Fragment | None:
    """An imported web page (HTML, or MHTML with its pictures) or plain text; None for other formats and what can't be read."""
    if data.startswith(_OTHER_FORMATS):
        return None
    head = data[:_HEAD].lstrip().lower()
    try:
        if b"\nmime-version:" in b"\n" + head.replace(b"\r\n", b"\n").partition(b"\n\n")[0]:
            return BodyReader(name).read(part_of(parse_mail(data, name)))
        text = decode(data, name).text
        if head.removeprefix(b"\xef\xbb\xbf").startswith(b"<"):
            return html_fragment(text, lambda _source: None)
        return Fragment(text.strip())
    except ParseFailed:
        return None
