"""The head of a mail as Markdown: its subject as a heading, and who, when and with what attached as a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from ragd.core.documents import Heading
from ragd.formats.common.naming import MAX_TITLE_CHARS
from ragd.formats.email.parts import Fields
from ragd.formats.html.fragment import Fragment

WANTED: Final = frozenset(("from", "to", "cc", "date", "subject", "message-id"))
"""Fields that are read."""
_SHOWN_ATTACHMENTS: Final = 50
_UNITS: Final = ("bytes", "KB", "MB", "GB")


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that hangs on a mail. `kind` is its media type, `size` its bytes."""

    name: str
    kind: str
    size: int

    def as_dict(self) -> dict[str, Any]:
        return {"name": self.name, "type": self.kind, "size": self.size}

    def __str__(self) -> str:
        return f"{self.name} ({_size(self.size)})"


def head(fields: Fields, level: int, attachments: Sequence[Attachment]) -> Fragment:
    """The head of a mail, its subject as a heading of this level."""
    subject = fields.get("subject")
    sent = date_of(fields)
    heading = f"{'#' * level} {subject}" if subject else ""
    listed = ", ".join(str(attachment) for attachment in attachments[:_SHOWN_ATTACHMENTS])
    values = {
        "From": fields.get("from"),
        "To": fields.get("to"),
        "Cc": fields.get("cc"),
        "Date": fields.get("date") if sent is None else sent.strftime("%Y-%m-%d %H:%M %z").strip(),
        "Attachments": listed + (", …" if len(attachments) > _SHOWN_ATTACHMENTS else ""),
    }
    lines = "\n".join(f"- {label}: {value.strip()}" for label, value in values.items() if value)
    markdown = "\n\n".join(part for part in (heading, lines) if part)
    return Fragment(markdown, (Heading(0, len(heading), level, subject[:MAX_TITLE_CHARS]),) if subject else ())


def date_of(fields: Fields) -> datetime | None:
    """When a mail was sent; None when it doesn't say so, or nothing that can be read."""
    try:
        return parsedate_to_datetime(fields.get("date"))
    except (ValueError, TypeError, OverflowError):
        return None


def _size(size: int) -> str:
    number, unit = float(size), 0
    while number >= 1000 and unit < len(_UNITS) - 1:
        number, unit = number / 1000, unit + 1
    return f"{number:.0f} {_UNITS[unit]}" if unit == 0 or number >= 10 else f"{number:.1f} {_UNITS[unit]}"
