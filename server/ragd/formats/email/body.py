"""The head of a mail as Markdown, and its body: which parts are text, in which order, which pictures, and which attachments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from ragd.core.documents import Heading, Picture
from ragd.core.errors import DocumentEncrypted, ParseFailed
from ragd.formats.common.decoding import is_blank
from ragd.formats.common.naming import MAX_TITLE_CHARS
from ragd.formats.common.pictures import picture, reference
from ragd.formats.common.text import listed
from ragd.formats.email.parts import Fields, Part
from ragd.formats.html.fragment import Fragment, html_fragment, joined

_SHOWN_ATTACHMENTS: Final = 50
_UNITS: Final = ("bytes", "KB", "MB", "GB")
MAX_NESTING: Final = 30
"""Parts within parts. A reply to a forwarded mail with pictures and a signature has six."""
_MAX_ATTACHMENTS: Final = 1_000
_MAX_LEVEL: Final = 6
_STUB: Final = 500
_STUB_SHARE: Final = 0.25
"""A plain text shorter than both this many characters and this share of the HTML only says that there is something better."""
_CID_IN_TEXT: Final = re.compile(r"\[cid:([^\]\s]{1,200})\]")
_SEALED: Final = ("application/pkcs7-mime", "application/x-pkcs7-mime")
_SHOWN_NAMES: Final = 5


@dataclass(frozen=True, slots=True)
class _Attachment:
    """A file that hangs on a mail. `kind` is its media type, `size` its bytes."""

    name: str
    kind: str
    size: int

    def as_dict(self) -> dict[str, Any]:
        return {"name": self.name, "type": self.kind, "size": self.size}

    def __str__(self) -> str:
        return f"{self.name} ({_size(self.size)})"


def head(fields: Fields, level: int, attachments: Sequence[_Attachment]) -> Fragment:
    """The subject as a heading of this level; who, when and with what attached as a list."""
    subject = fields.get("subject")
    sent = date_of(fields)
    heading = f"{'#' * level} {subject}" if subject else ""
    values = {
        "From": fields.get("from"),
        "To": fields.get("to"),
        "Cc": fields.get("cc"),
        "Date": fields.get("date") if sent is None else sent.strftime("%Y-%m-%d %H:%M %z").strip(),
        "Attachments": listed(list(map(str, attachments)), _SHOWN_ATTACHMENTS),
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


class BodyReader:
    """Reads the parts of the mail called `name`; `attachments` and `remote` (pictures on other machines) fill up on the way."""

    def __init__(self, name: str) -> None:
        self.attachments: list[_Attachment] = []
        self.remote = 0
        self._name = name
        self._pictures: dict[str, Part] = {}
        self._related: set[str] = set()
        self._used: set[str] = set()
        self._level = 1
        self._problems: dict[str, None] = {}

    def read(self, part: Part) -> Fragment:
        """All text of a mail, its pictures where the text has them."""
        self._find_pictures(part)
        return self._read(part, 0)

    def unplaced(self) -> list[Fragment]:
        """The pictures of the mail that its text has no place for. Those that are no part of it become attachments."""
        placed = []
        for content_id, part in self._pictures.items():
            if content_id in self._used:
                continue
            if part.is_attachment and content_id not in self._related:
                self._attach(part)
            else:
                placed.append(self._placed(part))
        return placed

    def warnings(self) -> list[str]:
        found = list(self._problems)
        if self.attachments:
            names = listed([attachment.name for attachment in self.attachments], _SHOWN_NAMES)
            found.append(f"attachments are not read; add them by themselves: {names}")
        return found

    def _find_pictures(self, root: Part) -> None:
        """Pictures that texts may refer to by their ids. They come after the text, as a rule."""
        stack = [(root, 0, "")]
        while stack:
            part, depth, container = stack.pop()
            if part.kind.startswith("image/") and part.reference:
                self._pictures.setdefault(part.reference, part)
                if container == "multipart/related":  # which some programs mark as attachments nevertheless
                    self._related.add(part.reference)
            elif depth < MAX_NESTING:
                stack += [(child, depth + 1, part.kind) for child in reversed(part.parts())]

    def _read(self, part: Part, depth: int) -> Fragment:
        if depth > MAX_NESTING:
            self._problems[f"parts more than {MAX_NESTING} deep in others were left out"] = None
            return Fragment("")
        kind = part.kind
        if kind == "multipart/encrypted" or (kind in _SEALED and part.parameter("smime-type") != "signed-data"):
            raise DocumentEncrypted(f"'{self._name}' is an encrypted mail. Save its text from your mail program.")
        if kind == "multipart/alternative":
            return self._best(part.parts(), depth)
        if kind.startswith("multipart/"):
            return joined([self._read(child, depth + 1) for child in part.parts()])
        if kind == "message/rfc822" and (message := part.inner_mail(self._name)):
            return self._forwarded(message, depth)
        if kind in ("text/plain", "text/html") and not part.is_attachment:
            return self._plain(part) if kind == "text/plain" else self._html(part)
        if part.reference in self._pictures:
            return Fragment("")
        if kind.startswith("image/") and not part.is_attachment:
            return self._placed(part)
        self._attach(part)
        return Fragment("")

    def _best(self, choices: list[Part], depth: int) -> Fragment:
        """Of several ways to say the same the plain text, or the last one (by RFC 2046 the richest) if that says much more."""
        plain = next((choice for choice in choices if choice.kind == "text/plain"), None)
        rich = [choice for choice in choices if choice.kind == "text/html" or choice.kind.startswith("multipart/")]
        for choice in choices:
            if choice is not plain and choice not in rich:
                self._attach(choice)  # an invitation to a meeting, for instance
        text = Fragment("") if plain is None else self._plain(plain)
        if not rich:
            return text
        if len(text.markdown) < _STUB:
            used, attached = set(self._used), len(self.attachments)
            richest = self._read(rich[-1], depth + 1)
            if len(text.markdown) < _STUB_SHARE * len(richest.markdown):
                return richest
            self._used = used
            del self.attachments[attached:]
        return joined([text, *self._beside_text(rich[-1], depth + 1)])

    def _beside_text(self, part: Part, depth: int) -> list[Fragment]:
        """What hangs on a body that isn't shown: some programs attach files to the HTML alone."""
        if part.kind.startswith("multipart/"):
            return (
                [found for child in part.parts() for found in self._beside_text(child, depth + 1)] if depth < MAX_NESTING else []
            )
        shown_otherwise = part.kind in ("text/plain", "text/html") and not part.is_attachment
        return [] if shown_otherwise else [self._read(part, depth)]

    def _plain(self, part: Part) -> Fragment:
        text = self._text(part, flowed=True)
        pieces = _CID_IN_TEXT.split(text.strip("\n").rstrip())
        found: list[Picture] = []
        for number, content_id in enumerate(pieces[1::2]):
            shown = self._pictures.get(content_id)
            if shown is not None:
                self._used.add(content_id)
                placed = self._placed(shown)
                pieces[2 * number + 1] = placed.markdown
                found += placed.pictures
            else:
                pieces[2 * number + 1] = f"[cid:{content_id}]"
        return Fragment("".join(pieces), (), tuple(found))

    def _html(self, part: Part) -> Fragment:
        html = self._text(part)
        if is_blank(html):
            return Fragment("")
        try:
            found = html_fragment(html, self._embedded)
        except ParseFailed as error:
            raise type(error)(f"'{self._name}' can't be read: {error.message}") from error
        self.remote += found.remote
        return found

    def _text(self, part: Part, *, flowed: bool = False) -> str:
        text, problem = part.text(self._name, flowed=flowed)
        if problem:
            self._problems[problem] = None
        return text

    def _embedded(self, source: str) -> bytes | None:
        """The picture that `cid:…`, or an address that came with it, stands for in HTML."""
        content_id = source[4:] if source[:4].lower() == "cid:" else source
        part = self._pictures.get(content_id)
        if part is None:
            return None
        self._used.add(content_id)
        return part.data() or None

    def _placed(self, part: Part) -> Fragment:
        data = part.data()
        if not data:
            return Fragment("")
        found = picture(data, part.filename)
        return Fragment(reference(found), (), (found,))

    def _forwarded(self, message: Part, depth: int) -> Fragment:
        """A mail that hangs on another, under its own subject."""
        fields = message.fields()
        before = len(self.attachments)
        self._level += 1
        body = self._read(message, depth + 1)
        top = head(fields, min(self._level, _MAX_LEVEL), self.attachments[before:])
        self._level -= 1
        return joined([top, body])

    def _attach(self, part: Part) -> None:
        if len(self.attachments) >= _MAX_ATTACHMENTS:
            self._problems[f"only the first {_MAX_ATTACHMENTS} attachments are listed"] = None
            return
        if part.kind.startswith("multipart/"):
            return
        self.attachments.append(_Attachment(part.filename or f"unnamed ({part.kind})", part.kind, len(part.data())))
