"""Mail as programs save it (.eml, Outlook's .msg): who, when, about what, and the text. Quoted replies are text like any other.

Of the ways in which a mail says the same, the plain text is taken, unless it says much less than the HTML one.
"""

from __future__ import annotations

import platform
from typing import Any, Final

from ragd.core.documents import Document
from ragd.core.errors import DocumentEmpty, WrongType
from ragd.formats.common.builder import FormatLoader
from ragd.formats.common.naming import choose_title, first_line, metadata_of
from ragd.formats.email.body import BodyReader, date_of, head
from ragd.formats.email.outlook import outlook_mail
from ragd.formats.email.parts import WANTED, Fields, Part, parse_mail
from ragd.formats.html.fragment import joined
from ragd.language.detection import detect_language
from ragd.providers.protocols import ALONE, LoadContext

_OF_MAIL: Final = frozenset((*WANTED, "received", "mime-version", "content-type", "return-path"))
_OLE: Final = b"\xd0\xcf\x11\xe0"


class EmailLoader(FormatLoader):
    """A mail with its pictures. Attachments are listed, not read."""

    name = "email"
    version = "1"

    def load(self, data: bytes, name: str, context: LoadContext = ALONE) -> Document:  # noqa: ARG002
        mail = _parse(data, name)
        fields = mail.fields()
        if not fields.names & _OF_MAIL:
            raise WrongType(f"'{name}' has no field of a mail's (From, Date, Subject …). Give it the extension of its format.")
        reader = BodyReader(name)
        body = reader.read(mail)
        unplaced = reader.unplaced()
        found = joined([head(fields, 1, reader.attachments), body, *unplaced])
        if not found.markdown:
            raise DocumentEmpty(f"'{name}' holds neither a text nor the usual fields of a mail.")
        title, metadata = choose_title(name, subject=fields.get("subject"), first_line=first_line(body.markdown))
        warnings = reader.warnings()
        if fields.shortened:
            warnings.append("a very long field at the head of the mail was shortened")
        return self._document(
            title,
            found.markdown,
            metadata | _metadata(fields, reader),
            parser=f"python email {platform.python_version()}",
            headings=found.headings,
            merged=found.merged,
            pictures=found.pictures,
            language=detect_language(body.markdown),
            warnings=warnings,
        )


def _parse(data: bytes, name: str) -> Part:
    if not data.strip():
        raise DocumentEmpty(f"'{name}' is empty ({len(data)} bytes).")
    if data.startswith(_OLE):
        return outlook_mail(data, name)
    return parse_mail(data, name)


def _metadata(fields: Fields, reader: BodyReader) -> dict[str, Any]:
    sent = date_of(fields)
    return metadata_of(
        author=fields.get("from"),
        to=fields.get("to"),
        cc=fields.get("cc"),
        date=sent.isoformat() if sent else "",
        message_id=fields.get("message-id"),
        attachments=[attachment.as_dict() for attachment in reader.attachments],
        remote_pictures=reader.remote,
    )
