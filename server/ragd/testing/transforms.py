"""The contracts of cleaners and enrichers."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from ragd.core.documents import Document, Enrichment, Heading, Mark, Piece, Place
from ragd.providers.protocols import Cleaner, Enricher

_PAGES = (
    "Kestrel manual 1\n# Leases\nA worker leases a job, does the work and acknowledges it.\n\x01",
    "Kestrel manual 2\nThe lease lasts 90 seconds. 期限が切れると、ジョブは再び実行されます。\n\n| a | b |\n| --- | --- |\n",
    "Kestrel manual 3\n```\nkestrelctl job cancel ID\n```\n設定ファイルは `kestrel.yaml` です。\n",
)
_FACTS = "\n\n".join(_PAGES)
_STARTS = (0, len(_PAGES[0]) + 2, len(_PAGES[0]) + len(_PAGES[1]) + 4)

DOCUMENTS = (
    Document("pdf", "", "", loader="pdf", loader_version="1"),
    Document("text", "Blanks", " \n\u3000\n\x0c", loader="text", loader_version="1", verbatim=True),
    Document("text", "Note", "One line without an end", loader="text", loader_version="1", verbatim=True, language="en"),
    Document("html", "設定の手順", "設定を変更します。" * 200, loader="html", loader_version="1", language="ja"),
    Document("code", "a.py", "x" * 3000 + "\n" + "((((" * 500, loader="code", loader_version="1", verbatim=True),
    Document(
        "pdf",
        "Kestrel manual",
        _FACTS,
        loader="pdf",
        loader_version="1",
        marks=tuple(Mark(start, Place(page=page)) for page, start in enumerate(_STARTS, 1)),
        headings=(Heading(_FACTS.index("# "), _FACTS.index("A worker"), 1, "Leases"),),
        boilerplate=((0, len("Kestrel manual 1\n")),),
        language="en",
        metadata={"title_source": "pdf_title", "tags": ["queue", "リース"], "page_count": 3},
    ),
)
"""Documents of several kinds: empty, blank, without structure, and with pages, headings, a table, code and both languages."""


class CleanerContract:
    """Ranges of a document that are no part of its text."""

    @pytest.fixture
    def cleaner(self) -> Cleaner:
        raise NotImplementedError("override the fixture cleaner")

    @pytest.mark.parametrize("document", DOCUMENTS)
    def test_ranges_are_sorted_apart_and_inside_the_facts(self, cleaner: Cleaner, document: Document) -> None:
        ranges = cleaner.boilerplate(document)
        assert all(0 <= start < end <= len(document.markdown) for start, end in ranges)
        assert all(earlier[1] <= later[0] for earlier, later in pairwise(ranges))

    @pytest.mark.parametrize("document", DOCUMENTS)
    def test_the_same_document_has_the_same_boilerplate(self, cleaner: Cleaner, document: Document) -> None:
        assert cleaner.boilerplate(document) == cleaner.boilerplate(replace(document))

    @pytest.mark.parametrize("document", [document for document in DOCUMENTS if document.markdown.strip()])
    def test_something_is_left(self, cleaner: Cleaner, document: Document) -> None:
        gone = {index for start, end in cleaner.boilerplate(document) for index in range(start, end)}
        assert any(not char.isspace() and index not in gone for index, char in enumerate(document.markdown))

    def test_it_has_a_name_and_a_profile_without_blanks(self, cleaner: Cleaner) -> None:
        assert cleaner.name
        assert cleaner.profile == "".join(cleaner.profile.split()) != ""


class EnricherContract:
    """What is said about a document and its pieces."""

    @pytest.fixture
    def enricher(self) -> Enricher:
        raise NotImplementedError("override the fixture enricher")

    @pytest.mark.parametrize("document", DOCUMENTS)
    def test_there_is_one_enrichment_for_each_piece(self, enricher: Enricher, document: Document) -> None:
        pieces = _pieces(document)
        of_document, of_pieces = enricher.enrich(document, pieces)
        assert len(of_pieces) == len(pieces)
        assert all(found.provider == enricher.name for found in (of_document, *of_pieces) if not found.fallback)

    @pytest.mark.parametrize("document", DOCUMENTS)
    def test_texts_are_one_line_each_and_not_long(self, enricher: Enricher, document: Document) -> None:
        of_document, of_pieces = enricher.enrich(document, _pieces(document))
        for found in (of_document, *of_pieces):
            for text in (found.title, found.summary, *found.tags, *found.keywords):
                assert text == " ".join(text.split())
                assert len(text) <= 500
            assert all((*found.tags, *found.keywords))
            assert len(set(found.keywords)) == len(found.keywords) <= 20
            assert len(set(found.tags)) == len(found.tags)

    def test_the_documents_own_tags_are_among_its_tags(self, enricher: Enricher) -> None:
        document = DOCUMENTS[-1]
        assert {"queue", "リース"} <= set(enricher.enrich(document, _pieces(document))[0].tags)

    def test_the_same_document_is_enriched_the_same_way(self, enricher: Enricher) -> None:
        document = DOCUMENTS[-1]
        first: tuple[Enrichment, list[Enrichment]] = enricher.enrich(document, _pieces(document))
        assert enricher.enrich(document, _pieces(document)) == first

    def test_it_has_a_name_and_a_profile_without_blanks(self, enricher: Enricher) -> None:
        assert enricher.name
        assert enricher.profile == "".join(enricher.profile.split()) != ""


def _pieces(document: Document) -> list[Piece]:
    """The paragraphs of a document, as a chunker might cut them."""
    path = tuple(heading.title for heading in document.headings[:1])
    texts = [text for text in document.markdown.split("\n\n") if text.strip()]
    return [
        Piece(
            chunk_id=f"{ordinal:032x}",
            section_id="0" * 32,
            section_path=path,
            ordinal=ordinal,
            text=text,
            tokens=len(text.split()),
            place=Place(),
            heading=document.title,
            heading_path=(document.title,),
            shown_text=text,
        )
        for ordinal, text in enumerate(texts)
    ]
