"""What passes between the daemon and the processes that read files is of bounded pieces."""

from __future__ import annotations

import io
import json

import pytest

from ragd.core.documents import Document, Heading, Mark, Place
from ragd.core.errors import TooComplex
from ragd.ingest.workers.ipc import pack_document, read_frame, require_kept, unpack_document, write_frame

MANY = 10_001


def document(marks: int = MANY, headings: int = MANY) -> Document:
    return Document(
        "pdf",
        "Notes",
        "a\ud800" + "x" * 2 * MANY,
        "pdf",
        "1",
        verbatim=True,
        marks=tuple(Mark(number, Place(page=number, bbox=(0.1, 0.2, 1 / 3, 0.4))) for number in range(marks)),
        headings=tuple(Heading(number, number + 1, 1 + number % 6, f"見出し {number}") for number in range(headings)),
        boilerplate=tuple((2 * number, 2 * number + 1) for number in range(MANY)),
        metadata={"tags": ["a"]},
        warnings=("one",),
    )


def test_places_come_back_in_order_from_pieces_that_are_read_one_by_one() -> None:
    given, stream = document(), io.BytesIO()
    write_frame(stream, *pack_document(given))
    stream.seek(0)
    frame = read_frame(stream)
    assert frame
    header, blobs = frame
    assert len(json.dumps(header)) < 1000
    assert max(map(len, blobs[1:])) < 1_000_000
    found = unpack_document(header, blobs)
    assert (found.marks, found.headings, found.boilerplate) == (given.marks, given.headings, given.boilerplate)
    assert (found.markdown[:2], found.verbatim, found.metadata, found.warnings) == ("a?", True, {"tags": ["a"]}, ("one",))


def test_a_document_without_places_comes_back() -> None:
    plain = Document("text", "Notes", "text", "text", "1")
    assert unpack_document(*pack_document(plain)) == plain


@pytest.mark.parametrize(("what", "limit"), [("headings", "_MOST_HEADINGS"), ("places", "_MOST_MARKS")])
def test_more_than_is_kept_is_refused_by_name(monkeypatch, what: str, limit: str) -> None:
    require_kept(document(10, 10), "a.pdf")
    monkeypatch.setattr(f"ragd.ingest.workers.ipc.{limit}", 9)
    with pytest.raises(TooComplex, match=rf"'a\.pdf' has 10 {what}; at most 9 are kept"):
        require_kept(document(10, 10), "a.pdf")


def test_a_frame_that_would_not_be_read_is_not_written(monkeypatch) -> None:
    monkeypatch.setattr("ragd.ingest.workers.ipc._MAX_HEADER", 3 * 2**20)
    stream = io.BytesIO()
    with pytest.raises(TooComplex, match=r"takes 4 MB\. Split the file"):
        write_frame(stream, {"metadata": "x" * 4 * 2**20})
    assert not stream.getvalue()
