"""Names of files, and what a document is by what it states: its title, else its file's name, and its tags."""

from __future__ import annotations

import re
from typing import Any, Final

TITLE_SOURCE: Final = "title_source"
"""Metadata key: where the title is from. A title taken from the file's name stays out of the dense view (see chunking)."""
FROM_FILE_NAME: Final = "file_name"
MAX_TITLE_CHARS: Final = 200
MAX_LINE_AS_TITLE: Final = 80
_MAX_TAGS: Final = 50
_MAX_TAG_CHARS: Final = 500
_MAX_STATED: Final = 10_000
_KEYWORD_SEPARATORS: Final = re.compile("[,;、，；\n]")


def base_name(name: str) -> str:
    """The last part of a path or URL path, whichever slashes it has."""
    return name.replace("\\", "/").rstrip("/").rpartition("/")[2]


def extension(name: str) -> str:
    """`.md` of `docs/Guide.MD`; empty when there is none. A leading dot alone (`.gitignore`) makes no extension."""
    stem, dot, suffix = base_name(name).rpartition(".")
    return f".{suffix.lower()}" if dot and stem and suffix else ""


def choose_title(name: str, **candidates: str | None) -> tuple[str, dict[str, Any]]:
    """The first candidate that isn't blank, else the file's name; and the metadata that says which it was."""
    for source, text in candidates.items():
        title = " ".join((text or "").split())
        if title:
            return title[:MAX_TITLE_CHARS], {TITLE_SOURCE: source}
    return base_name(name) or name, {TITLE_SOURCE: FROM_FILE_NAME}


def first_line(text: str) -> str | None:
    """The first line that isn't blank, when it is short enough to be a title."""
    head = text.lstrip()[: MAX_LINE_AS_TITLE + 1].partition("\n")[0].strip()
    return head if 0 < len(head) <= MAX_LINE_AS_TITLE else None


def tags_of(*keywords: str | None) -> list[str]:
    """The keywords that a file states, each once, fifty at most."""
    words = (" ".join(word.split())[:_MAX_TAG_CHARS] for text in keywords for word in _KEYWORD_SEPARATORS.split(text or ""))
    return list(dict.fromkeys(filter(None, words)))[:_MAX_TAGS]


def metadata_of(**stated: Any) -> dict[str, Any]:
    """Metadata of what a file states, texts on one line; what it does not state is left out."""
    lines = {key: " ".join(value.split())[:_MAX_STATED] if isinstance(value, str) else value for key, value in stated.items()}
    return {key: value for key, value in lines.items() if value}
