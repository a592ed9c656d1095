"""What control words of rich text mean: characters, code pages, destinations, and what holds until a group ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

CHARSETS: Final = {
    0: 1252, 77: 10000, 128: 932, 129: 949, 130: 1361, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255, 178: 1256,
    186: 1257, 204: 1251, 222: 874, 238: 1250,
}  # fmt: skip
"""Code pages by the character set of a font."""
SIGNS: Final = {"~": "\u00a0", "_": "\u2011", "-": ""}
CHARACTERS: Final = {
    "tab": "\t", "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
    "emspace": "\u2003", "enspace": "\u2002",
}  # fmt: skip
SKIPPED: Final = frozenset((
    "colortbl", "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf", "nonshppict", "shprslt",
    "objdata", "objclass", "xe", "tc", "rxe", "ftnsep", "ftnsepc", "aftnsep", "aftnsepc", "bkmkstart", "bkmkend",
    "private", "filetbl", "revtbl", "template", "nonesttables", "atnref", "atndate", "listtable", "mmath",
))  # fmt: skip
OPENED: Final = frozenset(("footnote", "ud", "shppict", "shpinst", "fldinst", "annotation", "atnauthor", "nesttableprops"))
"""Destinations that older programs may skip, and that are read here."""
KEPT: Final = frozenset((
    "fonttbl", "stylesheet", "info", "title", "author", "keywords", "pict", "sn", "sv", "listtext", "pntext", "fldinst",
    "atnauthor",
))  # fmt: skip
"""Destinations whose text is no part of the document's, but is looked at."""
FLOWS: Final = frozenset(("footnote", "annotation", "shptxt"))


@dataclass(frozen=True, slots=True)
class State:
    """What control words have set in a group."""

    destination: str = ""
    codec: str = "cp1252"
    fallback: int = 1
    bold: bool = False
    italic: bool = False
    hidden: bool = False
    in_table: bool = False
    level: int = 0
    link: str = ""


@dataclass(slots=True)
class Flow:
    """Blocks of HTML under construction: of the document, of a note, of a text box."""

    kind: str
    blocks: list[str] = field(default_factory=list)
    line: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    cell: list[str] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    link: str = ""
    head: bool = False
    mark: str = ""


def _is_on(number: int | None) -> bool:
    return number != 0


CHANGES: Final[dict[str, Callable[[State, int | None], State]]] = {
    "b": lambda state, number: replace(state, bold=_is_on(number)),
    "i": lambda state, number: replace(state, italic=_is_on(number)),
    "v": lambda state, number: replace(state, hidden=_is_on(number)),
    "deleted": lambda state, number: replace(state, hidden=_is_on(number)),
    "plain": lambda state, _: replace(state, bold=False, italic=False, hidden=False),
    "pard": lambda state, _: replace(state, in_table=False, level=0),
    "intbl": lambda state, _: replace(state, in_table=True),
}
