"""Pages of documents as text, and outlines; kept in memory by the version that they are of."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Final, Generic, TypeVar

from ragd.app.pages.stored import StoredPages
from ragd.core.errors import ParseFailed
from ragd.core.lazy import Lazy
from ragd.ingest.discovery.originals import Originals
from ragd.ingest.workers.pool import WorkerPool
from ragd.store.document_reader import DocumentReader

_TOGETHER: Final = 16
"""Pages that are read at once: the file is read and handed over as a whole, its pages cost little each."""
_GROUPS: Final = 24
"""Groups of pages that are kept, at 10 to 80 KB a page."""
_VERSIONS: Final = 4

Key = TypeVar("Key")
Value = TypeVar("Value")


class DocumentPages:
    """Safe to use from several threads."""

    def __init__(self, reader: DocumentReader, originals: Originals, parser: Lazy[WorkerPool]) -> None:
        self._reader = reader
        self._originals = originals
        self._parser = parser
        self._stored: _Recent[str, StoredPages] = _Recent(_VERSIONS)
        self._groups: _Recent[tuple[str, int], list[bytes]] = _Recent(_GROUPS)

    def outline(self, doc_id: str) -> list[dict[str, Any]]:
        """The headings of a document with their places (see `StoredPages.outline`). Raises as `DocumentReader.get` does."""
        return self._of(doc_id, self._reader.get(doc_id)).outline

    def merged(self, doc_id: str, start: int, end: int) -> list[dict[str, Any]]:
        """The merged cells of a stretch of the content (see `StoredPages.merged`). Raises as `DocumentReader.get` does."""
        return self._of(doc_id, self._reader.get(doc_id)).merged(start, end)

    def slides(self, doc_id: str) -> list[dict[str, Any]]:
        """The layouts of a presentation's slides (see `StoredPages.slides`). Raises as `DocumentReader.get` does."""
        return self._of(doc_id, self._reader.get(doc_id)).slides

    def texts(self, doc_id: str, first: int, count: int) -> tuple[list[dict[str, Any]], int]:
        """The text of up to `count` pages from `first` (from 1) on, and how many pages there are; none of what has no pages.

        It is what was read when the document was taken in. Raises as `DocumentReader.get` does.
        """
        stored = self._of(doc_id, self._reader.get(doc_id))
        numbers = range(first, min(first + count, stored.count + 1))
        return [{"page": number, "text": stored.text(number)} for number in numbers], stored.count

    def rows(self, doc_id: str, start: int, end: int) -> list[dict[str, Any]]:
        """The rows of sheets in a stretch of the content (see `StoredPages.rows`). Raises as `DocumentReader.get` does."""
        return self._of(doc_id, self._reader.get(doc_id)).rows(start, end)

    def page(self, doc_id: str, number: int) -> dict[str, Any]:
        """The lines of one page of a PDF with the places of their words (of a scanned one, of its lines), and its paragraphs.

        Raises as `Originals.page` does, and `ParseFailed` for a page that the PDF does not have.
        """
        document = self._reader.get(doc_id)
        recognised = number in document["metadata"].get("ocr_pages", ())
        lines = [] if recognised else self._printed(doc_id, document, number)
        stored = self._of(doc_id, document)
        if not lines:
            lines = [{"words": [[line.text, line.box]], "paragraph": line.before == "\n\n"} for line in stored.lines(number)]
        return {
            "page": number,
            "recognised": recognised,
            "lines": [
                {"paragraph": line["paragraph"], "words": [{"text": text, "bbox": box} for text, box in line["words"]]}
                for line in lines
            ],
            "paragraphs": [paragraph._asdict() for paragraph in stored.paragraphs(number)],
        }

    def _printed(self, doc_id: str, document: Mapping[str, Any], number: int) -> list[dict[str, Any]]:
        group = (number - 1) // _TOGETHER
        first = group * _TOGETHER + 1

        def read() -> list[bytes]:
            data, source, _ = self._originals.page(doc_id, (), first)
            return self._parser().page_texts(data, source, first, _TOGETHER)

        pages = self._groups.get((document["version_id"] or "", group), read)
        if not 0 <= number - first < len(pages):
            raise ParseFailed(f"The PDF has pages 1 to {first - 1 + len(pages)}; there is no page {number}.")
        lines: list[dict[str, Any]] = json.loads(pages[number - first])
        return lines

    def _of(self, doc_id: str, document: Mapping[str, Any]) -> StoredPages:
        def read() -> StoredPages:
            markdown, places = self._reader.placed_content(doc_id)
            return StoredPages(markdown, places, frozenset(document["metadata"].get("ocr_pages", ())))

        return self._stored.get(document["version_id"] or "", read)


class _Recent(Generic[Key, Value]):
    """The values that were asked for last."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value of a key, made where there is none yet; two that ask at the same time may both make it."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = make()
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return made
