"""Passages that a dataset carries, as the pipeline takes them."""

from __future__ import annotations

from ragd.core.documents import Place
from ragd.core.results import Passage
from ragd.language.token_estimate import estimate_tokens


def given_passage(number: int, text: str, source: str) -> Passage:
    """A passage of a dataset as one of a document of its own, so that no two are joined. `number` counts from 1."""
    name = f"given-{number}"
    return Passage(
        chunk_id=name,
        doc_id=name,
        version_id=name,
        collection="",
        content=text,
        source=source or name,
        source_uri="",
        doc_type="text",
        title=source or name,
        section_path=(),
        place=Place(),
        ordinal=number,
        tokens=estimate_tokens(text),
    )
