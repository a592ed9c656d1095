"""An upload as it streams in: each file goes straight to its place on disk, and what can't be taken is refused at its header.

The parser is python-multipart's, fed directly: the framework's own form reader would first spool every file whole to a
temporary folder, and check types and sizes only afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TypeVar

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from ragd.core.errors import PayloadTooLarge, ValidationFailed
from ragd.ingest.discovery.uploads import Upload

T = TypeVar("T")

_MAX_FIELD = 4096
# Bytes gathered before the disk is asked to take them.
_PIECE = 1024 * 1024


class UploadForm:
    """Reads a multipart body of files and fields. Leaving its block by an error abandons what was received."""

    def __init__(
        self,
        content_type: str,
        *,
        receive: Callable[[str], Upload],
        max_file_size: int,
        file_field: str,
        most_files: int,
        field_names: Sequence[str] = (),
        on_field: Callable[[str, str], None] = lambda _name, _value: None,
    ) -> None:
        """`receive` opens a place for a file of that name; `on_field` gets each field when it is complete, and may refuse it.

        Files stand in the field `file_field`, `most_files` at most.
        """
        _, options = parse_options_header(content_type)
        boundary = options.get(b"boundary")
        if not boundary:
            raise _invalid("body", "The multipart body's boundary is missing from Content-Type.")
        self.uploads: list[Upload] = []
        self._receive = receive
        self._file_field = file_field
        self._most_files = most_files
        self._field_names = field_names
        self._on_field = on_field
        self._max_file_size = max_file_size
        self._header: tuple[bytearray, bytearray] = (bytearray(), bytearray())
        self._disposition = b""
        self._field: tuple[str, bytearray] | None = None
        self._size = 0
        self._complete = False
        callbacks = {
            "on_part_begin": self._part_begins,
            "on_header_field": lambda data, start, end: self._header[0].extend(data[start:end]),
            "on_header_value": lambda data, start, end: self._header[1].extend(data[start:end]),
            "on_header_end": self._header_ends,
            "on_headers_finished": self._headers_end,
            "on_part_data": self._part_data,
            "on_part_end": self._part_ends,
            "on_end": self._ends,
        }
        try:
            self._parser = MultipartParser(boundary, callbacks)  # type: ignore[arg-type]
        except FormParserError as error:
            raise _invalid("body", f"The multipart body's boundary can't be used: {error}.") from error

    def __enter__(self) -> UploadForm:
        return self

    def __exit__(self, kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        if kind is not None:
            for upload in self.uploads:
                upload.abandon()

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the body. Raises what is wrong with the file or field that they belong to."""
        try:
            self._parser.write(data)
        except FormParserError as error:
            raise _invalid("body", "The multipart body is damaged.") from error

    def finish(self) -> list[Upload]:
        """The files, once the whole body was fed. Raises `ValidationFailed` when it ends early or holds no file."""
        if not self._complete:
            raise _invalid("body", "The multipart body ends before its closing boundary.")
        if not self.uploads:
            raise _invalid(self._file_field, f"Send at least one file in the field '{self._file_field}'.")
        return self.uploads

    def _part_begins(self) -> None:
        self._disposition = b""
        self._field = None
        self._size = 0

    def _header_ends(self) -> None:
        name, value = self._header
        if bytes(name).lower() == b"content-disposition":
            self._disposition = bytes(value)
        self._header = (bytearray(), bytearray())

    def _headers_end(self) -> None:
        _, options = parse_options_header(self._disposition)
        name = _text(options.get(b"name", b""), "body")
        file_name = options.get(b"filename")
        if file_name is None:
            if name not in self._field_names:
                known = ", ".join((self._file_field, *self._field_names))
                raise _invalid(name or "body", f"There is no form field '{name}'. Known: {known}.")
            self._field = (name, bytearray())
            return
        if name != self._file_field:
            raise _invalid(name or "body", f"Files go into the field '{self._file_field}'.")
        if len(self.uploads) == self._most_files:
            fit = f"{self._most_files} files fit" if self._most_files > 1 else "one file fits"
            raise _invalid(self._file_field, f"At most {fit} into one upload. Send the others in another.")
        # A double quote, CR and LF in a name arrive percent-encoded (WHATWG HTML, multipart/form-data encoding).
        shown = _text(file_name, self._file_field).replace("%22", '"').replace("%0D", "\r").replace("%0A", "\n")
        upload = self._receive(shown)
        same = any(other.source == upload.source for other in self.uploads)
        self.uploads.append(upload)
        if same:
            raise _invalid(self._file_field, f"Two files are called '{upload.source}'; one would replace the other. Rename one.")

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        self._size += end - start
        if self._field:
            if self._size > _MAX_FIELD:
                raise _invalid(self._field[0], f"Must be at most {_MAX_FIELD} bytes.")
            self._field[1].extend(data[start:end])
            return
        upload = self.uploads[-1]
        if self._size > self._max_file_size:
            raise PayloadTooLarge(
                f"'{upload.source}' is larger than {self._max_file_size:,} bytes. Split it, or raise limits.max_document_size."
            )
        upload.file.write(data[start:end])

    def _part_ends(self) -> None:
        if self._field:
            name, value = self._field
            self._on_field(name, _text(bytes(value), name))

    def _ends(self) -> None:
        self._complete = True


async def receive_form(request: Request, form: UploadForm, take: Callable[[list[Upload]], T]) -> T:
    """What `take` makes of the files of a request, once all of them have arrived. When anything fails they are thrown away."""
    with form:
        piece = bytearray()
        async for data in request.stream():
            piece += data
            if len(piece) >= _PIECE:
                await run_in_threadpool(form.feed, bytes(piece))
                piece.clear()
        await run_in_threadpool(form.feed, bytes(piece))
        return await run_in_threadpool(lambda: take(form.finish()))


def _text(data: bytes, field: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise _invalid(field, "Must be text in UTF-8.") from error


def _invalid(field: str, message: str) -> ValidationFailed:
    return ValidationFailed.of_field(field, "invalid", message)
