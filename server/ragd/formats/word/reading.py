"""What the parts of a Word document share while it is read: its package, styles and lists, and what has been found so far."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Final

from ragd.core.documents import Picture, Place
from ragd.core.errors import ParseFailed, TooComplex
from ragd.formats.common.opc import Element
from ragd.formats.common.pictures import picture, reference
from ragd.formats.word.content import Pages
from ragd.formats.word.numbering import Numbering
from ragd.formats.word.package import OFFICE, Package, W
from ragd.formats.word.styles import Styles, monospaced

_MAX_NESTING: Final = 20
"""Tables in tables, text boxes in text boxes. Each level costs some frames of the interpreter's stack."""
_MAX_CODE_SHARE: Final = 0.9
"""Share of text in a monospaced font from which the document is typewritten rather than full of code."""
_NOTES: Final = (("footnote", OFFICE + "footnotes", ""), ("endnote", OFFICE + "endnotes", "e"))
_MAX_QUOTED: Final = 80
_MAX_REPEATED: Final = 200
_REPEATED_IN_ALL: Final = 1_000_000
"""Characters of merged cells that are said again, of one cell and of a document: a small file could ask for any number."""

# What `left_out` counts, and how a warning says it. Order is that of the warnings.
_LEFT_OUT: Final = {
    "contents": "lines of tables of contents and indexes left out: {}",
    "deleted": "tracked changes are read as accepted; deleted passages left out: {}",
    "hidden": "passages of hidden text left out: {}",
    "pictures": "pictures that are missing in the file or damaged: {}",
    "linked": "pictures that are only linked, not in the file: {}",
    "objects": "embedded objects shown by their preview picture only: {}",
    "chunks": "embedded documents (altChunk, subDoc) that were not read: {}",
    "links": "links to neither web nor mail addresses, shown as text: {}",
    "symbols": "characters of symbol fonts without an equal in Unicode left out: {}",
    "notes": "footnotes and endnotes that the file refers to and doesn't have: {}",
}


@dataclass(frozen=True, slots=True)
class _Note:
    """A footnote or endnote that the text has referred to: its label as in `[^1]`, the page of the reference, its content and
    the part that holds it."""

    label: str
    page: int
    content: Element
    part: str


class _Notes:
    """Footnotes and endnotes, labelled in the order in which the text refers to them."""

    def __init__(self, package: Package) -> None:
        self._found: dict[tuple[str, str], tuple[Element, str]] = {}
        self._labels: dict[tuple[str, str], str] = {}
        self._counts: Counter[str] = Counter()
        self._pending: list[_Note] = []
        for tag, kind, _ in _NOTES:
            part = package.part_of_kind(package.main, kind)
            for element in () if part is None else package.parse(part).iterchildren(W + tag):
                self._found[tag, element.get(W + "id") or ""] = (element, str(part))

    def refer(self, tag: str, note_id: str, page: int) -> str | None:
        """The label of a note; None when there is no such note."""
        key = (tag, note_id)
        if key not in self._found:
            return None
        if key not in self._labels:
            self._counts[tag] += 1
            prefix = next(prefix for kind, _, prefix in _NOTES if kind == tag)
            self._labels[key] = f"{prefix}{self._counts[tag]}"
            self._pending.append(_Note(self._labels[key], page, *self._found[key]))
        return self._labels[key]

    def take(self) -> list[_Note]:
        """The notes referred to for the first time since the last call."""
        taken, self._pending = self._pending, []
        return taken


@dataclass(slots=True)
class Reading:
    """One document being read. By a comment's id, `quoted` holds the text that it is on and `comment_pages` its page;
    `commented` are the comments that the text now read is on. `shows_code` says whether a monospaced font means code, since
    the document itself isn't set in one."""

    package: Package
    styles: Styles
    numbering: Numbering
    notes: _Notes
    shows_code: bool
    pages: Pages = field(default_factory=Pages)
    pictures: list[Picture] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    quoted: dict[str, str] = field(default_factory=dict)
    comment_pages: dict[str, int] = field(default_factory=dict)
    commented: set[str] = field(default_factory=set)
    _repeated: int = 0
    _media: dict[str, Picture | None] = field(default_factory=dict)

    @staticmethod
    def of(package: Package, body: Element) -> Reading:
        styles = Styles(package.parse_kind(OFFICE + "styles"))
        numbering = Numbering(package.parse_kind(OFFICE + "numbering"))
        return Reading(package, styles, numbering, _Notes(package), not styles.look(None).monospaced and _is_mostly_prose(body))

    def show(self, part: str, rel_id: str | None, alt: str) -> str:
        """The reference to a picture that `part` has under a relationship's id; empty when it isn't in the file."""
        relation = self.package.relation(part, rel_id)
        if relation is None or relation.part is None:
            self.left_out["linked" if relation and relation.external else "pictures"] += 1
            return ""
        if relation.part not in self._media:
            self._media[relation.part] = self._read_picture(relation.part)
        base = self._media[relation.part]
        if base is None:
            self.left_out["pictures"] += 1
            return ""
        # Its bytes are hashed once, however often it stands in the text.
        found = replace(base, alt=picture(b"", alt).alt, place=Place(page=self.pages.now))
        self.pictures.append(found)
        return reference(found)

    def _read_picture(self, part: str) -> Picture | None:
        """The picture in a part; None for one that is blank or damaged, which the text around it survives."""
        try:
            data = self.package.read(part)
        except ParseFailed:
            return None
        return picture(data) if data else None

    def open_comment(self, comment_id: str, *, quoting: bool) -> None:
        """A comment's text begins here, or (not `quoting`) its sign stands here."""
        self.comment_pages.setdefault(comment_id, self.pages.now)
        if quoting:
            self.commented.add(comment_id)

    def quote(self, text: str) -> None:
        """Text that open comments are on."""
        for comment_id in list(self.commented):
            held = self.quoted.get(comment_id, "") + text
            self.quoted[comment_id] = held[:_MAX_QUOTED]
            if len(held) >= _MAX_QUOTED:
                self.commented.discard(comment_id)

    def repeat(self, text: str) -> str:
        """The text of a merged cell once more, as far as that stays within bounds."""
        if len(text) > _MAX_REPEATED or self._repeated > _REPEATED_IN_ALL:
            return ""
        self._repeated += len(text)
        return text

    def nested(self, depth: int) -> int:
        """One level deeper. Raises `ParseFailed` below the last one."""
        if depth >= _MAX_NESTING:
            raise TooComplex(f"'{self.package.name}' nests tables and text boxes more than {_MAX_NESTING} deep. It is not read.")
        return depth + 1

    def warnings(self) -> list[str]:
        return [text.format(count) for key, text in _LEFT_OUT.items() if (count := self.left_out[key])]


def _is_mostly_prose(body: Element) -> bool:
    """Whether some of the text isn't set in a monospaced font by its runs themselves."""
    total = sum(len(text.text or "") for text in body.iter(W + "t"))
    typewritten = sum(
        len(text.text or "")
        for fonts in body.iter(W + "rFonts")
        if fonts.getparent().getparent().tag == W + "r" and monospaced(fonts.getparent())
        for text in fonts.getparent().getparent().iterchildren(W + "t")
    )
    return typewritten < _MAX_CODE_SHARE * total
