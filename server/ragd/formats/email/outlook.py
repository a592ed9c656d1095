"""Mails as Outlook saves them (.msg; MS-OXMSG), put into the form of a mail on the internet, which the reader of those reads.

Properties are streams of a compound file, named by their number and type; those of a fixed size stand in one stream together.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email import message_from_string, policy
from email.message import Message
from email.utils import format_datetime
from functools import cached_property
from typing import Final

import olefile

from ragd.core.errors import DocumentDamaged, OldFormat, TooComplex, UnpacksTooLarge, WrongType
from ragd.formats.common.ole import codepage_name
from ragd.formats.email.parts import Part, part_of

_PROPERTIES: Final = "__properties_version1.0"
_ATTACHMENTS: Final = "__attach_version1.0_#"
_ROOT_HEADER, _EMBEDDED_HEADER, _ATTACHMENT_HEADER = 32, 24, 8
"""Bytes before the first property of a fixed size, by what the properties are of."""
_MAX_NESTING: Final = 20
_MAX_BYTES: Final = 500_000_000
"""Of all streams together: in a damaged file several may share their bytes."""
_EPOCH: Final = datetime(1601, 1, 1, tzinfo=UTC)

# Types and numbers of properties (MS-OXPROPS).
_UNICODE, _STRING8, _BINARY, _STORAGE = "001F", "001E", "0102", "000D"
_SUBJECT, _HEADERS, _SENT, _DELIVERED, _MESSAGE_ID = 0x0037, 0x007D, 0x0039, 0x0E06, 0x1035
_SENDER, _SENDER_SMTP, _SENDER_ADDRESS, _TO, _CC = 0x0C1A, 0x5D01, 0x0C1F, 0x0E04, 0x0E03
_BODY, _HTML, _RTF = 0x1000, 0x1013, 0x1009
_MESSAGE_CODEPAGE, _INTERNET_CODEPAGE = 0x3FFD, 0x3FDE
_DATA, _SHORT_NAME, _LONG_NAME, _KIND, _CONTENT_ID = 0x3701, 0x3704, 0x3707, 0x370E, 0x3712


def outlook_mail(data: bytes, name: str) -> Part:
    """The mail in the bytes of a compound file called `name`. Raises `ParseFailed`."""
    with _damage_of(name):
        file = olefile.OleFileIO(data)
    with file:
        reader = _Reader(file, name)
        if not reader.exists((_PROPERTIES,)):
            raise WrongType(f"'{name}' is an OLE file, but no mail of Outlook's. Give it the extension of its format.")
        return part_of(reader.message((), _ROOT_HEADER))


@contextmanager
def _damage_of(name: str) -> Iterator[None]:
    """Around calls of olefile alone, which raises errors of many kinds for a damaged file."""
    try:
        yield
    except Exception as error:
        raise DocumentDamaged(f"'{name}' is damaged or cut off. Get the file again, or save it as .eml.") from error


class _Reader:
    def __init__(self, file: olefile.OleFileIO, name: str) -> None:
        self.name = name
        self._file = file
        self._left = _MAX_BYTES

    def exists(self, path: tuple[str, ...]) -> bool:
        with _damage_of(self.name):
            return bool(self._file.exists(list(path)))

    def stream(self, path: tuple[str, ...]) -> bytes | None:
        with _damage_of(self.name):
            if not self._file.exists(list(path)) or self._file.get_type(list(path)) != olefile.STGTY_STREAM:
                return None
            self._left -= self._file.get_size(list(path))
        if self._left < 0:
            raise UnpacksTooLarge(f"'{self.name}' would unpack to more than {_MAX_BYTES:,} bytes. It is not read.")
        with _damage_of(self.name):
            data: bytes = self._file.openstream(list(path)).read()
        return data

    def message(self, path: tuple[str, ...], header: int) -> Message[str, str]:
        """The mail whose properties stand in this storage."""
        if len(path) > 2 * _MAX_NESTING:
            raise TooComplex(f"'{self.name}' has mails in mails too deeply to be read.")
        found = _Storage(self, path, header)
        mail: Message[str, str] = Message()
        for field, value in _fields(found).items():
            if value:
                mail[field] = value
        texts = _texts(found, self.name)
        html = next((text for kind, text in texts if kind == "text/html"), "")
        children = [self._attachment((*path, name), html) for name in self._attachments(path)]
        mail["Content-Type"] = "multipart/mixed"
        body = [_leaf(kind, text.encode(), charset="utf-8") for kind, text in texts]
        for part in (_multipart("multipart/alternative", body), *children):
            mail.attach(part)
        return mail

    def _attachments(self, path: tuple[str, ...]) -> list[str]:
        """The storages of a mail's attachments, which stand right in its own."""
        with _damage_of(self.name):
            storages = self._file.listdir(streams=False, storages=True)
        depth = len(path)
        names = {
            entry[depth]
            for entry in storages
            if len(entry) == depth + 1 and tuple(entry[:depth]) == path and entry[depth].lower().startswith(_ATTACHMENTS)
        }
        return sorted(names)

    def _attachment(self, path: tuple[str, ...], html: str) -> Message[str, str]:
        found = _Storage(self, path, _ATTACHMENT_HEADER)
        embedded = (*path, f"__substg1.0_{_DATA:04X}{_STORAGE}")
        if self.exists((*embedded, _PROPERTIES)):
            return _multipart("message/rfc822", [self.message(embedded, _EMBEDDED_HEADER)])
        name = found.text(_LONG_NAME) or found.text(_SHORT_NAME)
        content_id = found.text(_CONTENT_ID)
        part = _leaf(found.text(_KIND) or "application/octet-stream", found.binary(_DATA) or b"")
        is_shown = bool(content_id) and f"cid:{content_id}" in html
        part.add_header("Content-Disposition", "inline" if is_shown else "attachment", filename=("utf-8", "", name))
        if is_shown:
            part["Content-ID"] = f"<{content_id}>"
        return part


class _Storage:
    """The properties in a storage of the file, by their numbers."""

    def __init__(self, reader: _Reader, path: tuple[str, ...], header: int) -> None:
        self._reader = reader
        self._path = path
        self._header = header

    def text(self, number: int) -> str:
        data = self._stream(number, _UNICODE)
        if data is not None:
            return data.decode("utf-16-le", "replace").rstrip("\0")
        data = self._stream(number, _STRING8)
        codepage = _INTERNET_CODEPAGE if number in (_BODY, _HTML) else _MESSAGE_CODEPAGE
        return "" if data is None else data.decode(self._codec(codepage), "replace").rstrip("\0")

    def html(self) -> str:
        """The body in HTML, which is bytes, as a rule."""
        data = self._stream(_HTML, _BINARY)
        return self.text(_HTML) if data is None else data.decode(self._codec(_INTERNET_CODEPAGE), "replace")

    def binary(self, number: int) -> bytes | None:
        return self._stream(number, _BINARY)

    def moment(self, number: int) -> datetime | None:
        value = self._fixed.get(number)
        try:
            return _EPOCH + timedelta(microseconds=int.from_bytes(value, "little") // 10) if value else None
        except OverflowError:
            return None

    def _codec(self, number: int) -> str:
        stated = self._fixed.get(number) or self._fixed.get(_MESSAGE_CODEPAGE) or self._fixed.get(_INTERNET_CODEPAGE)
        return codepage_name(int.from_bytes(stated[:4], "little") if stated else 1252)

    @cached_property
    def _fixed(self) -> dict[int, bytes]:
        data = (self._reader.stream((*self._path, _PROPERTIES)) or b"")[self._header :]
        return {number: value for _, number, _, value in struct.iter_unpack("<HHI8s", data[: len(data) // 16 * 16])}

    def _stream(self, number: int, kind: str) -> bytes | None:
        return self._reader.stream((*self._path, f"__substg1.0_{number:04X}{kind}"))


def _fields(found: _Storage) -> dict[str, str]:
    """The fields of the head: those that came with the mail, else what Outlook's properties say."""
    came = message_from_string(found.text(_HEADERS), policy=policy.compat32)
    address = found.text(_SENDER_SMTP) or found.text(_SENDER_ADDRESS)
    sender, is_address = found.text(_SENDER), "@" in address
    sent = found.moment(_SENT) or found.moment(_DELIVERED)
    own = {
        "From": f"{sender} <{address}>" if sender and is_address and sender != address else sender or address,
        "To": found.text(_TO),
        "Cc": found.text(_CC),
        "Date": format_datetime(sent) if sent else "",
        "Message-ID": found.text(_MESSAGE_ID),
    }
    fields = {field: next((str(value) for key, value in came.raw_items() if key.lower() == field.lower()), "") for field in own}
    return {"Subject": found.text(_SUBJECT), **{field: fields[field] or value for field, value in own.items()}}


def _texts(found: _Storage, name: str) -> list[tuple[str, str]]:
    """The body, in all forms that are read, the plain one first."""
    texts = [("text/plain", found.text(_BODY)), ("text/html", found.html())]
    held = [(kind, text) for kind, text in texts if text.strip()]
    if not held and found.binary(_RTF):
        raise OldFormat(f"'{name}' holds its text in compressed RTF alone, which is not read. Open it and save it as .eml.")
    return held


def _leaf(kind: str, data: bytes, **parameters: str) -> Message[str, str]:
    part: Message[str, str] = Message()
    part.add_header("Content-Type", kind if kind.count("/") == 1 else "application/octet-stream", **parameters)
    part["Content-Transfer-Encoding"] = "base64"
    part.set_payload(base64.b64encode(data).decode("ascii"))
    return part


def _multipart(kind: str, children: list[Message[str, str]]) -> Message[str, str]:
    part: Message[str, str] = Message()
    part["Content-Type"] = kind
    for child in children:
        part.attach(child)
    return part
