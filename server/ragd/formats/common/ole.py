"""OLE compound files (MS-CFB), in which the formats of before Office 2007 and Outlook's mails are kept."""

from __future__ import annotations

import codecs
from typing import Any, Final

import olefile

_CODECS: Final = {1200: "utf-16-le", 20127: "ascii", 50220: "iso2022_jp", 51932: "euc_jp", 65001: "utf-8"}
"""Code pages whose codecs Python calls otherwise than by their numbers."""


def codepage_name(number: int) -> str:
    """The codec of a Windows code page; cp1252 for one that Python doesn't know."""
    try:
        return codecs.lookup(_CODECS.get(number, f"cp{number}")).name
    except LookupError:
        return "cp1252"


def ole_properties(data: bytes) -> dict[str, str]:
    """Title, creator and keywords as the summary of a document states them (MS-OLEPS), by the names that Open Packaging has for
    them. Empty when there is none, or none that can be read."""
    try:
        with olefile.OleFileIO(data) as file:
            summary: Any = file.get_metadata()
    except Exception:  # noqa: BLE001 - a summary that is damaged in whatever way costs a title
        return {}
    codec = codepage_name((summary.codepage or 0) & 0xFFFF)
    stated = {"title": summary.title, "creator": summary.author, "keywords": summary.keywords, "description": summary.subject}
    texts = {key: text.decode(codec, "replace") if isinstance(text, bytes) else str(text or "") for key, text in stated.items()}
    return {key: " ".join(text.replace("\0", " ").split()) for key, text in texts.items()}
