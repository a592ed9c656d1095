"""Titles, summaries, tags and keywords by rule.

A summary is extracted, never written: the beginning of the paragraph that scores best by its location, the words of the title,
the document's keywords and cue phrases (Edmundson, "New Methods in Automatic Extracting", 1969, after Luhn 1958). Ranking all
sentences against each other, as TextRank does, costs the square of their number and gives sentences that don't go together.
What has no sentences is summarised by its structure: tables by their columns, slides and code by their headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, takewhile
from typing import Any, Final, NamedTuple

from ragd.core.documents import Document, Enrichment, Piece
from ragd.formats.common.naming import FROM_FILE_NAME, TITLE_SOURCE
from ragd.formats.registry import shape_of
from ragd.ingest.enrichment.comments import comments
from ragd.language.keywords import Keywords, count_terms
from ragd.language.plain_text import Unit, plain, shortened, units
from ragd.language.sentences import is_sentence, sentences

_MAX_TITLE: Final = 200
_MAX_SUMMARY: Final = 300
_MAX_PIECE_SUMMARY: Final = 160
MAX_KEYWORDS: Final = 10
_MAX_PIECE_KEYWORDS: Final = 5
_MAX_TAGS: Final = 50
_MAX_TAG: Final = 100

_SUMMARY_SENTENCES: Final = 3
_SUMMARY_PIECES: Final = 8
_SUMMARY_PARAGRAPHS: Final = 16
"""Pieces and paragraphs from the beginning in which a document's summary is looked for; further ones would hardly win."""
_MAX_NAMED: Final = 40
"""Pieces and headings that a summary by structure names at most, before it is shortened."""
_BLOCK: Final = 1000
"""Pieces whose keywords are weighed against each other; what is held in memory of a long document."""
_MAX_UNITS: Final = 40
_SHORT_LINE: Final = 80
_MIN_LETTERS: Final = 4
_NO_TITLE: Final = ("|", "`", "~", "!", "<", "-", "*", "+", ">", "・", "•")

_BY_STRUCTURE: Final = ("table", "slides")
_AIM: Final = re.compile(
    r"\bthis (?:document|guide|page|manual|policy|report|paper|note|article|chapter|specification)\b"
    r"|\b(?:describes|explains|covers|summari[sz]es|introduces|applies to|purpose|overview)\b"
    r"|(?:本書|本資料|本文書|本稿|本報告書?|本規程|この(?:ガイド|ページ|文書|資料|手順書))|(?:ための|向けの)(?:手順|資料|ガイド)"
    r"|(?:説明|紹介|解説|まとめ)(?:します|しました|ました|する|ています)|について定め",
    re.IGNORECASE,
)
"""Cue phrases of paragraphs that say what a document is for."""
_ASIDE: Final = re.compile(
    r"(?:note|warning|caution|tip|see|for (?:more )?details|click|last updated)\b|注意|注記|備考|参照|詳細は|なお、|ただし",
    re.IGNORECASE,
)
_WORD_BREAKS: Final = re.compile(r"[_\s]+|(?<![\d-])-(?=\S)|(?<=\S)-(?![\d-])")


class RuleEnricher:
    """Says what can be told from the text alone. Cheap beside embedding, and the same for the same document."""

    name = "rules"
    profile = "enrich-1"

    def enrich(self, document: Document, pieces: Sequence[Piece]) -> tuple[Enrichment, list[Enrichment]]:
        """For the document, and for each piece in order. Pieces have no tags of their own: the document's hold for them."""
        code = shape_of(document.doc_type) == "code"
        title = _document_title(document)
        keywords = Keywords()
        found: list[Enrichment] = []
        for start in range(0, len(pieces), _BLOCK):
            block = pieces[start : start + _BLOCK]
            counted = [count_terms(piece.shown_text or piece.text, document.language, code=code) for piece in block]
            for piece, words in zip(block, keywords.of_passages(counted, _MAX_PIECE_KEYWORDS), strict=True):
                own_title, summary = _piece_title(piece, title, code=code), _piece_summary(piece, title, code=code)
                found.append(Enrichment(self.name, own_title, summary, keywords=words))
        about = [title, *(heading.title for heading in document.headings[:_BLOCK])]
        table = shape_of(document.doc_type) == "table"
        if table:
            about.append(_structure(document, pieces))
        # What a table holds once is a value of one of its rows.
        best = keywords.of_document(count_terms("\n".join(about), document.language), MAX_KEYWORDS, least=2 if table else 1)
        summary = _document_summary(document, pieces, title, best)
        return Enrichment(self.name, title, summary, _tags(document), best), found


class NoEnricher:
    """Says only what the document says of itself: its title and tags."""

    name = "none"
    profile = "none"

    def enrich(self, document: Document, pieces: Sequence[Piece]) -> tuple[Enrichment, list[Enrichment]]:
        of_document = Enrichment(self.name, shortened(_one_line(document.title), _MAX_TITLE), tags=_own_tags(document))
        return of_document, [Enrichment(self.name)] * len(pieces)


def _document_title(document: Document) -> str:
    """The title; a file's name without its extension and with blanks between its words, but for code, where it is the name."""
    title = _one_line(document.title)
    if document.metadata.get(TITLE_SOURCE) != FROM_FILE_NAME:
        return shortened(title, _MAX_TITLE)
    if shape_of(document.doc_type) != "code":
        stem, dot, suffix = title.rpartition(".")
        readable = _WORD_BREAKS.sub(" ", stem if dot and stem and len(suffix) <= 8 else title).strip()
        title = readable or title
    return shortened(title, _MAX_TITLE)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _own_tags(document: Document) -> tuple[str, ...]:
    stated: Any = document.metadata.get("tags") or ()
    values = stated if isinstance(stated, list | tuple) else (stated,)
    tags = (_one_line(str(value))[:_MAX_TAG].strip() for value in values)
    return tuple(dict.fromkeys(tag for tag in tags if tag))[:_MAX_TAGS]


def _tags(document: Document) -> tuple[str, ...]:
    """The document's own tags, and the programming language of code."""
    language = document.metadata.get("programming_language")
    return tuple(dict.fromkeys((*_own_tags(document), *((str(language),) if language else ()))))


def _piece_title(piece: Piece, title: str, *, code: bool) -> str:
    """The heading above it; without one its own first line when that is no sentence, else the document's title."""
    if piece.section_path:
        return shortened(_one_line(piece.section_path[-1]), _MAX_TITLE)
    line = piece.text.lstrip()[: _SHORT_LINE * 2].partition("\n")[0].strip()
    if code or len(line) > _SHORT_LINE or line.startswith(_NO_TITLE) or line.endswith((".", "。", ",", "、", ";", ":")):
        return title
    return plain(line.lstrip("#")) or title


def _piece_summary(piece: Piece, title: str, *, code: bool) -> str:
    """The first sentence; without one the first table's columns, or the first line that says something."""
    if code:
        said = (sentence for comment in comments(piece.text) for unit in units(comment) for sentence in sentences(unit.text))
        return shortened(next(filter(is_sentence, said), ""), _MAX_PIECE_SUMMARY)
    instead = ""
    for unit in islice(units(piece.text), _MAX_UNITS):
        text = unit.text.removeprefix(title).lstrip()
        if unit.kind != "table":
            for sentence in sentences(text):
                if is_sentence(sentence):
                    return shortened(sentence, _MAX_PIECE_SUMMARY)
        if not instead and _says_something(text):
            instead = text
    return shortened(instead, _MAX_PIECE_SUMMARY)


def _says_something(text: str) -> bool:
    return sum(map(str.isalpha, text)) >= _MIN_LETTERS


class _Lead(NamedTuple):
    """The beginning of a paragraph, as a summary would quote it. `order` counts the paragraphs."""

    order: int
    kind: str
    text: str


def _document_summary(document: Document, pieces: Sequence[Piece], title: str, keywords: Sequence[str]) -> str:
    if shape_of(document.doc_type) in _BY_STRUCTURE and (structure := _structure(document, pieces)):
        return structure
    if shape_of(document.doc_type) == "code":
        texts = (units(comment) for comment in comments(document.markdown))
    else:
        texts = (islice(units(piece.text), _MAX_UNITS) for piece in pieces[:_SUMMARY_PIECES])
    leads = list(islice(_leads(texts, title), _SUMMARY_PARAGRAPHS))
    if not leads:
        return _structure(document, pieces)
    named = [word.lower() for word in count_terms(title).words]
    wanted = [word.lower() for word in keywords]
    return max(leads, key=lambda lead: _score(lead, named, wanted)).text


def _leads(texts: Iterable[Iterable[Unit]], title: str) -> Iterator[_Lead]:
    """For each paragraph with a sentence: up to three sentences from the first one on, over paragraphs that follow directly."""
    order = 0
    for text in texts:
        found = [(unit.kind, list(sentences(unit.text.removeprefix(title)))) for unit in text if unit.kind != "table"]
        for index, (kind, said) in enumerate(found):
            first = next((place for place, sentence in enumerate(said) if is_sentence(sentence)), None)
            if first is None:
                continue
            following = takewhile(lambda other: other[0] == "text", found[index + 1 : index + 3]) if kind == "text" else ()
            yield _Lead(order, kind, _quoted([*said[first:], *chain.from_iterable(rest for _, rest in following)]))
            order += 1


def _quoted(said: Sequence[str]) -> str:
    text = shortened(said[0], _MAX_SUMMARY)
    for sentence in said[1:_SUMMARY_SENTENCES]:
        longer = text + ("" if text[-1] in "。！？" else " ") + sentence
        if len(longer) > _MAX_SUMMARY or not is_sentence(sentence):
            break
        text = longer
    return text


def _score(lead: _Lead, named: Sequence[str], wanted: Sequence[str]) -> float:
    lower = lead.text.lower()
    weights = range(len(wanted), 0, -1)
    location = 1 / (1 + 0.3 * lead.order) + 0.15 * (lead.order == 0)
    central = sum(weight for weight, word in zip(weights, wanted, strict=True) if word in lower) / max(1, sum(weights))
    of_title = sum(word in lower for word in named) / max(1, len(named))
    cue = 0.4 * bool(_AIM.search(lead.text)) - 0.6 * bool(_ASIDE.match(lead.text))
    return location + 0.5 * central + 0.3 * of_title + cue - 0.3 * (lead.kind == "item")


def _structure(document: Document, pieces: Sequence[Piece]) -> str:
    """Slides by their titles; sheets or sections with the columns of their tables; else the headings; else the first lines."""
    headings = list(dict.fromkeys(_one_line(heading.title) for heading in document.headings[:_MAX_NAMED]))
    if shape_of(document.doc_type) == "slides" and len(headings) > 1:
        return shortened("; ".join(headings), _MAX_SUMMARY)
    columns: dict[str, str] = {}
    lines: list[str] = []
    for piece in pieces[:_MAX_NAMED]:
        name = piece.place.sheet or (_one_line(piece.section_path[-1]) if piece.section_path else "")
        for unit in islice(units(piece.text), _SUMMARY_SENTENCES):
            if unit.kind == "table":
                columns.setdefault(name, unit.text)
            elif _says_something(unit.text):
                lines.append(unit.text)
    if columns:
        return shortened("; ".join(f"{name}: {text}" if name else text for name, text in columns.items()), _MAX_SUMMARY)
    if len(headings) > 1:
        return shortened("; ".join(headings), _MAX_SUMMARY)
    return "" if shape_of(document.doc_type) == "code" else shortened("; ".join(lines[:_SUMMARY_SENTENCES]), _MAX_SUMMARY)
