"""A file that a process reads, and a text that it cuts, seen from the daemon."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from typing import Any

from ragd.core.documents import Chunk, Document, Enrichment, Section
from ragd.ingest.text_stages import TextTask
from ragd.ingest.workers.ipc import KnownAssets, Normalized, pack_known, unpack_document
from ragd.ingest.workers.text_ipc import pack_task, unpack_chunk, unpack_enrichment, unpack_section
from ragd.ingest.workers.worker import Exchange
from ragd.providers.protocols import BulkTokenizer, PassageEmbedder


class RemoteParsing:
    """Reading a file: its text, then its pictures."""

    def __init__(self, exchange: Exchange, header: Mapping[str, Any], data: bytes, progress: Callable[[int, int], None]) -> None:
        self._exchange = exchange
        self._header = header
        self._data = data
        self._progress = progress

    def document(self) -> Document:
        """Have it read. Raises `ParseFailed` or one of its kinds."""
        self._exchange.send(self._header, [self._data])
        while True:
            header, blobs = self._exchange.receive("progress", "document")
            if header["kind"] == "document":
                return unpack_document(header, blobs)
            self._progress(header["done"], header["total"])

    def pictures(self, known: KnownAssets) -> Normalized:
        """What became of its pictures."""
        while True:
            header, blobs = self._exchange.receive("known", "progress", "assets")
            if header["kind"] == "known":
                self._exchange.send({"known": pack_known(known(header["asset_ids"]).values())})
            elif header["kind"] == "progress":
                self._progress(header["done"], header["total"])
            else:
                self._exchange.finish()
                return Normalized() if header.get("none") else Normalized.unpacked(header, blobs)


class RemoteText:
    """The stages of a text, as `TextRun` has them. Tokens are counted here, and vectors made, with the daemon's model."""

    def __init__(self, exchange: Exchange, task: TextTask, embedder: PassageEmbedder) -> None:
        self._exchange = exchange
        self._task = task
        self._embedder = embedder

    def clean(self) -> None:
        """As `TextRun.clean`; it sends the text, too."""
        self._exchange.send(*pack_task(self._task, self._embedder))
        self._receive("cleaned")

    def sections(self) -> tuple[Section, ...]:
        """As `TextRun.sections`."""
        found: list[Section] = []
        while rows := self._receive("sections")["sections"]:
            found.extend(map(unpack_section, rows))
        self._paths = {section.section_id: section.path for section in found}
        return tuple(found)

    def cut(self) -> dict[str, Any]:
        """As `TextRun.cut`."""
        stats: dict[str, Any] = self._receive("cut")["stats"]
        return stats

    def enrich(self) -> tuple[Enrichment, list[Chunk]]:
        """As `TextRun.enrich`."""
        enrichment = unpack_enrichment(self._receive("enriched")["enrichment"])
        chunks: list[Chunk] = []
        terms: dict[str, str] = {}
        while rows := self._receive("chunks")["chunks"]:
            chunks.extend(unpack_chunk(row, self._paths, terms) for row in rows)
        self._exchange.finish()
        return enrichment, chunks

    def _receive(self, wanted: str) -> dict[str, Any]:
        tokenizer = self._embedder.tokenizer
        while True:
            header, blobs = self._exchange.receive(wanted, "count", "starts", "embed")
            if header["kind"] == wanted:
                return header
            texts = [blob.decode("utf-8", "surrogatepass") for blob in blobs]
            if header["kind"] == "count":
                counts = tokenizer.counts(texts) if isinstance(tokenizer, BulkTokenizer) else map(tokenizer.count, texts)
                self._exchange.send({}, [array("q", counts).tobytes()])
            elif header["kind"] == "starts":
                self._exchange.send({}, [array("q", tokenizer.starts(texts[0])).tobytes()])
            else:
                with self._exchange.paused():  # questions that are asked meanwhile go first
                    vectors = self._embedder.embed_passages(texts)
                self._exchange.send({}, [vectors.astype("float32").tobytes()])
