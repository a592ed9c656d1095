"""Every stage that a text goes through takes time in proportion to it: reading, cutting, indexing, asking, answering, showing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from ragd.access.passages import Body, taken_from
from ragd.answer import support
from ragd.answer.citations import CitationFilter
from ragd.answer.phrases import says_not_found
from ragd.answer.prompt import neutral
from ragd.answer.support import SupportCheck
from ragd.answer.units import units_of
from ragd.cli.common.excerpt import excerpt
from ragd.config.answering import RetrievalSettings
from ragd.core.documents import Document, Place
from ragd.core.errors import RagError
from ragd.core.ids import canonical
from ragd.core.query import Filters, Turn
from ragd.core.results import Citation, Passage
from ragd.core.sections import split_sections
from ragd.formats.code.languages import programming_language_of
from ragd.formats.registry import format_specs
from ragd.ingest.chunking.recursive import RecursiveSplitter, build_pieces
from ragd.ingest.chunking.splitters import FixedSplitter, SemanticSplitter
from ragd.ingest.chunking.views import Shown, build_chunks
from ragd.ingest.discovery.globs import compile_globs
from ragd.ingest.enrichment.cleaning import RuleCleaner
from ragd.ingest.enrichment.rules import RuleEnricher
from ragd.language.detection import detect_language, likely_language, passage_language
from ragd.language.identifiers import find_identifiers, words_of
from ragd.language.keywords import count_terms
from ragd.language.plain_text import units
from ragd.language.sentences import answer_sentences, is_sentence, sentences
from ragd.language.token_estimate import estimate_tokens
from ragd.mcp.results.markdown import fenced, one_line
from ragd.providers.analyzers.sudachi import SudachiAnalyzer
from ragd.providers.analyzers.terms import BigramAnalyzer
from ragd.providers.fakes import FakeEmbedder
from ragd.providers.registry import build
from ragd.providers.tokenizers.estimate import EstimatedTokenizer
from ragd.retrieve.planning.followup import might_depend, self_contained
from ragd.retrieve.planning.intent import intent_of
from ragd.retrieve.planning.keywords import keywords_of
from ragd.retrieve.planning.operators import take_operators
from ragd.retrieve.planning.planner import Planner
from ragd.retrieve.planning.synonyms import Synonyms

from . import hostile_text
from .shapes import ATOMS, Shape, worst

pytestmark = pytest.mark.slow

# CPU seconds for 1,500 characters below which a stage is not looked at more closely.
_FLOOR_S: Final = 0.004

_ANALYZER: Final = BigramAnalyzer()
_TOKENIZER: Final = EstimatedTokenizer()
_SPLITTER: Final = RecursiveSplitter(_TOKENIZER, 40)
_ROOM: Final = 400
_GLOBS: Final = compile_globs(("*a*b*c*.md", "**/x/**/*.md", "[!a]?*"))


def _document(text: str) -> Document:
    return Document("text", "Notes", text, "text", "1", verbatim=True)


def _passage(text: str) -> Passage:
    return Passage("c", "d", "v", "docs", text, "notes.md", "file:///notes.md", "markdown", "Notes", (), Place(), 0, 10)


def _ingested(document: Document) -> None:
    """The stages of ingestion that follow the reading: cleaning, sections, pieces, enrichment, views and terms."""
    RuleCleaner().boilerplate(document)
    shown = Shown.within({}, "notes.md", _TOKENIZER, _ROOM)
    sections = split_sections(document, "d")
    pieces = build_pieces(document, sections, shown=shown, splitter=_SPLITTER, tokenizer=_TOKENIZER, room=_ROOM)
    whole, parts = RuleEnricher().enrich(document, pieces)
    build_chunks(pieces, document=whole, enrichments=parts, source="notes.md", shown=shown, analyzer=_ANALYZER)


def _read(loader: str, name: str, wrap: Callable[[str], str], text: str) -> None:
    with suppress(RagError):  # refused, which is an answer, too
        build("loader", loader).load(wrap(text).encode("utf-8", "replace"), name)


def _issue(text: str) -> str:
    return json.dumps({
        "format": "jira/1", "deployment": "server", "id": "1", "key": "KES-1", "project": {"key": "KES", "name": "Kestrel"},
        "summary": text[:200], "url": "https://tracker.example/browse/KES-1", "type": "Bug", "status": "Open", "priority": "",
        "resolution": "", "assignee": "", "reporter": "", "labels": [], "components": [], "users": {}, "comments": [],
        "created": "2026-01-02T03:04:05.000Z", "updated": "2026-01-02T03:04:05.000Z", "fields": [], "withheld": 0,
        "attachments": [], "texts": [["Description", {"format": "wiki", "value": text}]],
    })  # fmt: skip


def _page(text: str) -> str:
    return json.dumps({
        "format": "confluence/1", "deployment": "cloud", "kind": "page", "id": "1", "title": "Setup", "url": "https://wiki.example/1",
        "space": {"key": "DEV", "name": "Development"}, "body": {"representation": "storage", "value": text},
    })  # fmt: skip


def _notebook(text: str) -> str:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": text},
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": text},
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})


_WRAPPED: Final[dict[str, Callable[[str], str]]] = {
    "jira": _issue,
    "confluence": _page,
    "notebook": _notebook,
    "email": "From: a@example.com\nSubject: Notes\nContent-Type: text/plain; charset=utf-8\n\n{}".format,
}
_BINARY: Final = frozenset(("pdf", "word", "excel", "powerpoint", "image"))


def _readers() -> dict[str, Callable[[str], object]]:
    """Each loader of texts, once for each extension or language: a new one is measured without another line here."""
    names: dict[str, tuple[str, str]] = {}
    for spec in format_specs():
        if spec.loader not in _BINARY:
            for name in (*(f"notes{extension}" for extension in spec.extensions), *spec.file_names) or ("1.json",):
                language = programming_language_of(name) if spec.loader == "code" else name
                names[f"{spec.loader} {language}"] = spec.loader, name
    return {of: partial(_read, loader, name, _WRAPPED.get(loader, str)) for of, (loader, name) in names.items()}


def _checked(text: str) -> None:
    for remembered in (units_of, support._read_text):  # measured is the reading, also the second time
        remembered.cache_clear()
    SupportCheck(FakeEmbedder(), _ANALYZER, 0.5).check(text, [Citation(1, _passage(text))])


def _cited(text: str) -> None:
    marks = CitationFilter([1, 2])
    marks.feed(text)
    marks.finish()


def _fetched_again(text: str) -> None:
    body = Body("2", "Notes", "notes.md", "file:///notes.md", _document(text))
    taken_from(body, _passage(text[: len(text) // 2] + "."), "What is it?", _ANALYZER.tokens, _TOKENIZER.count)


_PLANNER: Final = Planner(
    analyzer=_ANALYZER, max_chars=20_000, synonyms=Synonyms(Path("no-synonyms.yaml"), _ANALYZER), options=RetrievalSettings()
)


def _planned(text: str) -> None:
    with suppress(RagError):
        _PLANNER.plan(text, mode="hybrid", filters=Filters(), history=[Turn("user", text)])


_STAGES: Final[dict[str, Callable[[str], object]]] = {
    "canonical": canonical,
    "ingested": lambda text: _ingested(_document(text)),
    "fixed splitter": lambda text: FixedSplitter(_TOKENIZER, 40).split(text, _ROOM),
    "semantic splitter": lambda text: SemanticSplitter(_TOKENIZER, 40, FakeEmbedder(), 90.0).split(text, 40),
    "sudachi": SudachiAnalyzer().tokens,
    "languages": lambda text: (detect_language(text), passage_language(text), likely_language(text)),
    "identifiers": find_identifiers,
    "words of identifiers": words_of,
    "terms of code": lambda text: count_terms(text, code=True),
    "units": lambda text: list(units(text)),
    "sentences": lambda text: [is_sentence(sentence) for sentence in sentences(text)],
    "sentences of answers": lambda text: list(answer_sentences(text)),
    "estimated tokens": estimate_tokens,
    "exact starts": _TOKENIZER.starts,
    "follow-ups": lambda text: (might_depend(text), self_contained(text, [Turn("user", text)])),
    "plan": _planned,
    "intent": intent_of,
    "keywords": lambda text: keywords_of(text, find_identifiers(text), None),
    "operators": take_operators,
    "not found": says_not_found,
    "neutral": neutral,
    "support": _checked,
    "citation marks": _cited,
    "fetched again": _fetched_again,
    "excerpt": lambda text: excerpt(text, 80, 5),
    "for agents": lambda text: (fenced(text), one_line(text)),
    "file names": lambda text: _GLOBS.verdict(text, is_folder=False),
}


def _shapes() -> Iterator[Shape]:
    for atom in ATOMS:
        for prefix, suffix in (("", ""), ("x ", "\x00"), ("<p>[", "\n.")):
            yield Shape(atom, prefix, suffix)


@pytest.mark.parametrize("name", _STAGES)
def test_no_stage_takes_the_square_of_a_texts_length(name: str) -> None:
    slow = worst(_STAGES[name], _shapes(), _FLOOR_S)
    assert slow is None, f"{name}: {slow}"


def test_no_reader_of_texts_takes_the_square_of_a_files_length() -> None:
    slow = {name: str(shape) for name, read in _readers().items() if (shape := worst(read, _shapes(), _FLOOR_S))}
    assert not slow


def test_no_hostile_shape_takes_the_square_of_its_length_in_ingestion() -> None:
    # How long it may take hangs on the machine; by how much longer it takes when it is twice as long does not.
    assert hostile_text.main(["--kilobytes", "30", "--limit", "inf"]) == 0
