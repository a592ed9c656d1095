"""Indexes as earlier versions made them."""

from __future__ import annotations

from pathlib import Path

import tantivy


def make_index_without_positions(folder: Path) -> None:
    """A tantivy index from before phrases were searched for, with one entry."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("terms", tokenizer_name="whitespace", index_option="freq")
    folder.mkdir(parents=True)
    writer = tantivy.Index(builder.build(), path=str(folder)).writer(heap_size=32 << 20, num_threads=1)
    writer.add_document(tantivy.Document(id="0" * 32, terms="lease token"))
    writer.commit()
    writer.wait_merging_threads()
