"""One part of a presentation (a slide, a notes page, a diagram): what its relationships lead to, and what could not be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from pptx.oxml import parse_xml

from ragd.core.documents import Picture, Place
from ragd.formats.common.opc import R
from ragd.formats.common.pictures import picture, reference
from ragd.formats.common.text import numbered

_SVG_BLIP: Final = "{http://schemas.microsoft.com/office/drawing/2016/SVG/main}svgBlip"
_MOST_KINDS: Final = 30

MAX_TEXT_CHARS: Final = 50_000_000
"""Of the content: no presentation says so much, but a small file can refer to one part again and again."""


class TooMuchText(Exception):
    """A slide or all of them say more than `MAX_TEXT_CHARS`."""


@dataclass(slots=True)
class Missed:
    """What was left out, with the slides where."""

    slides: dict[str, list[int]] = field(default_factory=dict)

    def add(self, what: str, slide: int) -> None:
        known = what in self.slides or len(self.slides) < _MOST_KINDS
        places = self.slides.setdefault(what if known else "other things were left out", [])
        if slide not in places[-1:]:
            places.append(slide)

    def messages(self) -> list[str]:
        return [f"{what}: {numbered('slide', places)}" for what, places in self.slides.items()]


def related_parts(part: Any, kind: str) -> Iterator[Any]:
    """Parts inside the file that `part` has relationships to, of the type that ends in `kind`, in the order of the file."""
    for relation in part.rels.values():
        if not relation.is_external and relation.reltype.endswith(kind):
            yield relation.target_part


def root_of(part: Any) -> Any:
    """The root element of a part's XML; None when it isn't well-formed."""
    try:
        return part._element if hasattr(part, "_element") else parse_xml(part.blob)
    except SyntaxError:  # lxml's XMLSyntaxError
        return None


class PartReader:
    """A part of slide `number`. `pictures` are those found so far."""

    def __init__(self, part: Any, number: int, missed: Missed, pictures: list[Picture]) -> None:
        self.part = part
        self.pictures = pictures
        self._number = number
        self._missed = missed
        self._shown: set[tuple[int, str]] = set()

    def of(self, part: Any) -> PartReader:
        """A reader of another part that belongs to the same slide."""
        other = PartReader(part, self._number, self._missed, self.pictures)
        other._shown = self._shown
        return other

    def miss(self, what: str) -> None:
        self._missed.add(what, self._number)

    def link(self, key: str) -> str | None:
        """The address that a relationship leads to, outside the file."""
        relation = self.part.rels.get(key)
        return str(relation.target_ref) if relation is not None and relation.is_external else None

    def related(self, key: str | None) -> Any:
        """The part that a relationship leads to; None when there is none in the file."""
        relation = self.part.rels.get(key or "")
        return None if relation is None or relation.is_external else relation.target_part

    def picture(self, blips: Iterable[Any], alt: str) -> str:
        """The reference to a picture of which these `a:blip` elements are forms; empty, and said so, when there are no data.

        It is empty, too, when the slide has shown the same already.
        """
        forms = list(blips)
        for blip in forms:
            # Beside an SVG stands the same as PNG, which is what is taken.
            for source in (blip, next(blip.iter(_SVG_BLIP), None)):
                if source is not None and (text := self.picture_of(source.get(f"{R}embed"), alt)) is not None:
                    return text
        if forms:
            linked = any(blip.get(f"{R}link") for blip in forms)
            self.miss("a picture that is only linked to was left out" if linked else "a picture is missing in the file")
        return ""

    def picture_of(self, key: str | None, alt: str) -> str | None:
        """As `picture`, by the id of a relationship; None when it leads to no picture. On a Mac it may lead to a PDF."""
        part = self.related(key)
        if part is None or not part.blob or not part.content_type.startswith("image/"):
            return None
        if (id(part), alt) in self._shown:
            return ""
        self._shown.add((id(part), alt))
        self.pictures.append(picture(part.blob, alt, Place(slide=self._number)))
        return reference(self.pictures[-1])
