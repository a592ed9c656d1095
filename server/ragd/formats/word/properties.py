"""What a Word document says about itself: title, author, keywords, dates, and how many pages its editor last counted."""

from __future__ import annotations

import re
from typing import Any, Final

from ragd.formats.word.package import CORE, OFFICE, Element, Package, W, whole

_DC: Final = "{http://purl.org/dc/elements/1.1/}"
_TERMS: Final = "{http://purl.org/dc/terms/}"
_CP: Final = "{http://schemas.openxmlformats.org/package/2006/metadata/core-properties}"
_APP: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/extended-properties}"

_DATE: Final = re.compile(r"\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)?)?)?)?")
_KEYWORD_SEPARATORS: Final = re.compile("[,;、，；\n]")
_PROGRAM_MADE_TITLE: Final = re.compile(
    r"(?:\W*|\[.*\]|<.*>|untitled.*|"  # none, or a template's
    r"word document|document ?\d*|無題.*|文書 ?\d*|microsoft \w+ - .*|.*\.(?:docx?|dotx?|docm|odt|rtf|pdf|html?))",
    re.IGNORECASE,
)
_MAX_TEXT: Final = 500
_MAX_KEYWORDS: Final = 50
_SHOWN: Final = 3
_SHOWN_CHARS: Final = 60


def title_and_metadata(package: Package) -> tuple[str, dict[str, Any]]:
    """The stated title, empty when there is none or a program made it up; and author, tags, description and dates."""
    core = package.parse_property(CORE)
    if core is None:
        return "", {}
    title = _text(core, _DC + "title")
    keywords = (word.strip() for word in _KEYWORD_SEPARATORS.split(core.findtext(_CP + "keywords") or ""))
    found: dict[str, Any] = {
        "author": _text(core, _DC + "creator"),
        "description": _text(core, _DC + "description") or _text(core, _DC + "subject"),
        "tags": list(dict.fromkeys(word[:_MAX_TEXT] for word in keywords if word))[:_MAX_KEYWORDS],
    }
    for key in ("created", "modified"):
        date = _text(core, _TERMS + key)
        found[key] = date if _DATE.fullmatch(date) else ""
    return "" if _PROGRAM_MADE_TITLE.fullmatch(title) else title, {key: value for key, value in found.items() if value}


def stated_pages(package: Package) -> int | None:
    """How many pages the editor counted when it last saved the document."""
    app = package.parse_property(OFFICE + "extended-properties")
    return None if app is None else whole(app.findtext(_APP + "Pages"))


def headers_warning(package: Package) -> list[str]:
    """A warning that page headers and footers were left out, with the beginning of what they say."""
    texts: dict[str, None] = {}
    for relation in package.relations(package.main):
        if relation.kind in (OFFICE + "header", OFFICE + "footer") and relation.part:
            root = package.parse(relation.part)
            text = " ".join("".join(found.text or "" for found in root.iter(W + "t")).split())
            if any(char.isalpha() for char in text):
                texts[text[:_SHOWN_CHARS]] = None
    if not texts:
        return []
    shown = ", ".join(f"'{text}'" for text in list(texts)[:_SHOWN])
    return [f"page headers and footers were left out: {shown}{', …' if len(texts) > _SHOWN else ''}"]


def _text(root: Element, tag: str) -> str:
    return " ".join((root.findtext(tag) or "").split())[:_MAX_TEXT]
