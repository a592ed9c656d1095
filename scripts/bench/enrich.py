#!/usr/bin/env python3
"""What cleaning and enrichment by rules cost beside embedding, on the documents of data/samples in pieces of 300 tokens.

    .venv/bin/python scripts/bench/enrich.py

Prints the machine's size; then, for English, Japanese and code, milliseconds a piece of the enricher and of the embedding model
on the same pieces (best of several rounds, one after the other, so that both see the same machine), the share, and milliseconds a
page of the cleaner on a PDF of a thousand pages. `--show` prints titles, summaries and keywords to be read.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragd.config.loading import Directories, load_settings
from ragd.core.documents import Document, Mark, Piece, Place
from ragd.core.sections import split_sections
from ragd.formats.registry import loader_name_for
from ragd.ingest.chunking.cuts import without
from ragd.ingest.enrichment.cleaning import RuleCleaner
from ragd.ingest.enrichment.rules import RuleEnricher
from ragd.models.store import ensure_model
from ragd.providers.protocols import Embedder, Splitter
from ragd.providers.registry import build

ROOT = Path(__file__).resolve().parents[2]
PIECE_TOKENS = 300
PAGES = 1000


def model() -> Embedder:
    """The embedding model as the daemon loads it."""
    options = load_settings(ROOT / "config").embedding
    files = ensure_model(options.model, Directories.default().models)
    shape = {"device": options.device, "threads": options.threads, "batch_tokens": options.batch_tokens}
    embedder: Embedder = build("embedder", options.provider, files=files, **shape)
    return embedder


def documents() -> list[Document]:
    """The samples without their page headers."""
    found = []
    for path in sorted((ROOT / "data" / "samples").glob("*/*")):
        if name := loader_name_for(path.name):
            document: Document = build("loader", name).load(path.read_bytes(), path.name)
            found.append(without(document, RuleCleaner().boilerplate(document)).document)
    return found


def pieces(document: Document, splitter: Splitter, *, by_section: bool) -> list[Piece]:
    """A document in pieces of about 300 tokens, or, to be read, in pieces that end with their section."""
    facts = document.markdown
    stretches = [((), 0, len(facts))] if not by_section else [(s.path, s.start, s.end) for s in split_sections(document, "doc")]
    found: list[Piece] = []
    for path, begin, end in stretches:
        for low, high in splitter.split(facts[begin:end], PIECE_TOKENS):
            text = facts[begin + low : begin + high]
            ordinal = len(found)
            found.append(Piece(f"{ordinal:032x}", "", path, ordinal, text, PIECE_TOKENS, Place(), "", path, shown_text=text))
    return found


def best_of(rounds: int, *calls: Callable[[], Any]) -> list[float]:
    """The shortest seconds of each call; the calls take turns."""
    best = [float("inf")] * len(calls)
    for _ in range(rounds):
        for index, call in enumerate(calls):
            start = time.perf_counter()
            call()
            best[index] = min(best[index], time.perf_counter() - start)
    return best


def kind(document: Document) -> str:
    return "code" if document.doc_type == "code" else "Japanese" if document.language == "ja" else "English"


def long_document() -> Document:
    """A PDF's facts with a header, a footer and a page number on each of a thousand pages."""
    body = "\n".join(f"Line {line} of the page tells what the worker does with the job." for line in range(40))
    texts = [f"Operations manual\n{body} {page}\nTarnwood, internal\n{page}\n" for page in range(1, PAGES + 1)]
    marks, offset = [], 0
    for page, text in enumerate(texts, 1):
        marks.append(Mark(offset, Place(page=page)))
        offset += len(text)
    stated = {"title_source": "pdf_title"}
    return Document("pdf", "Operations manual", "".join(texts), "pdf", "1", marks=tuple(marks), metadata=stated)


def show(splitter: Splitter) -> None:
    """Print what the enricher says of each sample and of its sections."""
    for document in documents():
        found = pieces(document, splitter, by_section=True)
        whole, parts = RuleEnricher().enrich(document, found)
        print(f"\n{whole.title} {list(whole.tags)}\n  {whole.summary}\n  {', '.join(whole.keywords)}")
        for part in parts:
            print(f"    {part.title} | {part.summary} | {', '.join(part.keywords)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--show", action="store_true", help="print titles, summaries and keywords, and measure nothing")
    options = parser.parse_args()
    embedder = model()
    splitter: Splitter = build("splitter", "recursive", tokenizer=embedder.tokenizer, chunk_overlap=0)
    if options.show:
        show(splitter)
        return
    print(f"machine: {os.cpu_count()} cores, {os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB")
    cut = [(document, pieces(document, splitter, by_section=False)) for document in documents()]
    for name in ("English", "Japanese", "code"):
        chosen = [(document, found) for document, found in cut if kind(document) == name]
        texts = [piece.text for _, found in chosen for piece in found]
        tokens = sum(map(embedder.tokenizer.count, texts)) / len(texts)

        def enrich(chosen: list[tuple[Document, list[Piece]]] = chosen) -> None:
            for document, found in chosen:
                RuleEnricher().enrich(document, found)

        def embed(texts: list[str] = texts) -> None:
            embedder.embed_passages(texts)

        rules, embedding = best_of(options.rounds, enrich, embed)
        each = f"enriching {rules / len(texts) * 1000:.2f} ms, embedding {embedding / len(texts) * 1000:.1f} ms a piece"
        print(f"{name}: {len(texts)} pieces of {tokens:.0f} tokens: {each} ({rules / embedding:.1%})")
    document = long_document()
    (seconds,) = best_of(options.rounds, lambda: RuleCleaner().boilerplate(document))
    left_out = sum(end - start for start, end in RuleCleaner().boilerplate(document))
    print(f"cleaning: {seconds / PAGES * 1000:.2f} ms a page of 42 lines; {left_out} characters of {PAGES} pages left out")


if __name__ == "__main__":
    main()
