"""The parts of a mail (RFC 5322, 2045 to 2047): decoded fields, texts and pictures, within bounds.

Python's header registry parses whole fields by recursive descent, which takes minutes for a field of a megabyte. Fields are
therefore read as they stand, shortened, and decoded here.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from typing import Any, Final

from ragd.core.errors import DocumentEmpty, DocumentUnreadable, TooComplex
from ragd.formats.common.decoding import decode, decode_jis, is_blank
from ragd.formats.common.naming import base_name

WANTED: Final = frozenset(("from", "to", "cc", "date", "subject", "message-id"))
"""Fields that are read."""
_MAX_FIELD: Final = 8_192
"""Characters of one field that are read; a mail to 100 people has some 4,000 in its To field."""
_MAX_PARSE_COST: Final = 20_000_000
"""Lines times multiparts, since Python's parser looks at each line for the end of every multipart that is open: about 4 s."""
_MULTIPART: Final = re.compile(rb"^content-type:\s*multipart/", re.IGNORECASE | re.MULTILINE)
_MAX_FIELDS: Final = 1_000
_SPACES: Final = re.compile(r"\s+")
_UTF_7: Final = ("utf-7", "utf7", "unicode-1-1-utf-7")


@dataclass(slots=True)
class Fields:
    """The fields that are shown, the first of each name, decoded; all names that a mail has are in `names`."""

    values: dict[str, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    shortened: bool = False

    def get(self, name: str) -> str:
        return self.values.get(name, "")


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a mail. `kind` is its media type in lower case, `parameters` are those of that type. `reference` is what HTML
    calls it by: its id, or the address that it was taken from."""

    message: Message[str, str]
    kind: str
    parameters: Message[str, str]
    disposition: str
    filename: str
    reference: str

    @property
    def is_attachment(self) -> bool:
        return self.disposition == "attachment"

    def parameter(self, name: str) -> str:
        return str(self.parameters.get_param(name) or "")

    def data(self) -> bytes:
        """Its bytes, without the encoding for transport."""
        payload = self.message.get_payload(decode=True)
        return payload if isinstance(payload, bytes) else b""

    def inner_mail(self, name: str) -> Part | None:
        """The mail in a part of the kind message/rfc822, also where it has been encoded, which no standard allows.

        Raises as `parse_mail` does.
        """
        inner = next(iter(self.parts()), None)
        if inner is None or inner.message.keys():
            return inner
        encoded: Message[str, str] = Message()
        encoded["Content-Transfer-Encoding"] = _raw(self.message, "Content-Transfer-Encoding")[:_MAX_FIELD].strip()
        encoded.set_payload(inner.message.get_payload())
        data = encoded.get_payload(decode=True)
        return parse_mail(data, name) if isinstance(data, bytes) else None

    def text(self, name: str, *, flowed: bool = False) -> tuple[str, str | None]:
        """The text of a text part, with newlines as ``\\n``, and what was wrong with it.

        With `flowed`, a line of format=flowed text (RFC 3676) that ends with a blank goes on in the next.
        """
        text, problem = self._decoded(name)
        if flowed and self.parameter("format").lower() == "flowed":
            text = "\n".join(_flowed_lines(text, delete_space=self.parameter("delsp").lower() == "yes"))
        return text, problem

    def _decoded(self, name: str) -> tuple[str, str | None]:
        data = self.data()
        if not data.strip():
            return "", None
        declared = self.parameter("charset")
        if (japanese := decode_jis(data)) is not None:
            return japanese.replace("\r\n", "\n"), None
        if declared.lower() in _UTF_7:
            return data.decode("utf-7", "replace").replace("\r\n", "\n"), None
        try:
            return decode(data, name, declared=declared or None).text, None
        except DocumentEmpty:
            return "", None
        except DocumentUnreadable:
            text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\0", "")
            return ("" if is_blank(text) else text), "the encoding of a text is not clear; some characters were lost"

    def fields(self) -> Fields:
        """The fields of a mail."""
        found = Fields()
        for number, (name, value) in enumerate(self.message.raw_items()):
            if number >= _MAX_FIELDS:
                break
            key = name.lower()
            found.names.add(key)
            if key in WANTED and key not in found.values:
                found.shortened = found.shortened or len(str(value)) > _MAX_FIELD
                found.values[key] = _decoded_field(str(value)[:_MAX_FIELD])
        return found

    def parts(self) -> list[Part]:
        if not self.message.is_multipart():  # or its text would be decoded, which fails for odd charsets
            return []
        payload: Any = self.message.get_payload()
        return [part_of(child) for child in payload]


def parse_mail(data: bytes, name: str) -> Part:
    """The mail in the file called `name`. Raises `ParseFailed` when it nests too deeply."""
    if len(_MULTIPART.findall(data)) * data.count(b"\n") > _MAX_PARSE_COST:
        raise TooComplex(f"'{name}' has too many parts in parts to be read.")
    try:
        return part_of(message_from_bytes(data.removeprefix(codecs.BOM_UTF8), policy=policy.compat32))
    except RecursionError as error:
        raise TooComplex(f"'{name}' has parts in parts too deeply to be read.") from error


def part_of(message: Message[str, str]) -> Part:
    """A message, or a part of one, with what its fields say of it."""
    # Only what was shortened is handed to Python's parsers of parameters.
    stated: Message[str, str] = Message()
    for name in ("Content-Type", "Content-Disposition"):
        if value := _raw(message, name):
            stated[name] = value[:_MAX_FIELD]
    try:
        filename = _decoded_field(stated.get_filename() or "")
    except (UnicodeError, LookupError, ValueError):  # RFC 2231 with a charset that isn't one
        filename = ""
    return Part(
        message=message,
        kind=stated.get_content_type(),
        parameters=stated,
        disposition=stated.get_content_disposition() or "",
        filename=base_name(filename),
        reference=_raw(message, "Content-ID")[:_MAX_FIELD].strip().strip("<>")
        or _raw(message, "Content-Location")[:_MAX_FIELD].strip(),
    )


def _decoded_field(value: str) -> str:
    """A field as people read it: encoded words (RFC 2047) decoded, folded lines joined."""
    joined = re.sub(r"\r?\n[ \t]", " ", value)
    try:
        chunks = decode_header(joined)
    except (HeaderParseError, ValueError):
        chunks = [(joined, None)]
    texts = [chunk if isinstance(chunk, str) else _field_text(chunk, charset) for chunk, charset in chunks]
    text = "".join(_field_text(text.encode("ascii", "surrogateescape"), None) if _is_raw(text) else text for text in texts)
    return _SPACES.sub(" ", text).strip()


def _flowed_lines(text: str, *, delete_space: bool) -> Iterator[str]:
    pending: list[str] = []
    depth = 0
    for line in text.split("\n"):
        content = line.lstrip(">")
        quoted = len(line) - len(content)
        content = content.removeprefix(" ")
        if pending and (quoted != depth or content == "-- "):
            yield _quoted("".join(pending), depth)
            pending = []
        depth = quoted
        flows = content.endswith(" ") and content != "-- "
        pending.append(content[:-1] if flows and delete_space else content)
        if not flows:
            yield _quoted("".join(pending), depth)
            pending = []
    if pending:
        yield _quoted("".join(pending), depth)


def _quoted(text: str, depth: int) -> str:
    return f"{'>' * depth} {text}".rstrip() if depth else text


def _raw(message: Message[str, str], name: str) -> str:
    wanted = name.lower()
    for number, (found, value) in enumerate(message.raw_items()):
        if found.lower() == wanted:
            return str(value)
        if number >= _MAX_FIELDS:
            break
    return ""


def _is_raw(text: str) -> bool:
    """Whether a text holds bytes beyond ASCII, as Python's parser keeps them."""
    return any("\udc80" <= char <= "\udcff" for char in text)


def _field_text(data: bytes, charset: str | None) -> str:
    if (japanese := decode_jis(data)) is not None:
        return japanese
    for candidate in (charset, "utf-8", "cp932"):
        try:
            if candidate:
                return data.decode(candidate)
        except (ValueError, LookupError):  # not in that charset, or no charset at all
            continue
    return data.decode("latin-1")
