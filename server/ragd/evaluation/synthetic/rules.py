"""Questions by rules, without a model: headings that are questions, definitions, cells of tables, other headings.

Each is bound to the place of the chunk that it was made from. What cannot be answered is made of a row of one table and a
column of another, which no chunk has together: on the subject, and yet without an answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ragd.language.detection import passage_language
from ragd.language.headings import without_number
from ragd.language.sentences import sentences

Kind = str
_ASKS: Final[Mapping[str, Mapping[Kind, str]]] = {
    "en": {"definition": "What is {0}?", "heading": "What is said about {0}?", "table": "What is the {1} of {0}?"},
    "ja": {"definition": "{0}とは何ですか。", "heading": "{0}について教えてください。", "table": "{0}の{1}は何ですか。"},
    "zh": {"definition": "什么是{0}？", "heading": "关于{0}有哪些说明？", "table": "{0}的{1}是什么？"},
}
_DEFINITIONS: Final = {
    "en": re.compile(
        r"(?:(?:An?|The) )?((?!(?:It|This|That|There|Here|What|He|She)\b)[A-Z][\w-]{0,30}(?: [\w-]{1,30}){0,3}) is an? \w.{8,}"
    ),
    "ja": re.compile(r"([^、。「」\s]{2,20})とは、?.{6,}(?:である|です|をいう|を指す|をいいます|を指します)。?"),
    "zh": re.compile(r"([^，。、“”\s]{2,15}?)是(?:指|一种|一个|用于|用来).{4,}"),
}
# Headings under which anything may stand.
_GENERIC: Final = frozenset(
    "overview introduction summary notes note details contents background general example examples usage appendix purpose scope "
    "references about misc other changelog "
    "はじめに 概要 目的 目次 背景 まとめ 備考 注意 付録 その他 参考 简介 概述 目录 总结 附录 备注 其他 参考".split()
)
# Rows that are no thing of their own.
_SUMS: Final = frozenset("total subtotal sum average all 合計 小計 総計 計 平均 合计 小计 总计 总和 平均值".split())
_TABLE: Final = re.compile(r"^\|[^\n]*\|[ \t]*\n\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*(?:\n\|[^\n]*)+", re.MULTILINE)
_LETTER: Final = re.compile(r"[^\W\d_]")
_LONGEST: Final = 60
_QUESTION_ENDS: Final = ("?", "？")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk with its document's source and language, where it is known; `place` is written as in a dataset."""

    source: str
    section: tuple[str, ...]
    content: str
    place: Mapping[str, Any]
    document_language: str | None = None

    @property
    def language(self) -> str:
        """`en`, `ja` or `zh`, in which it is asked about: a table alone may be all Han, so that its document decides."""
        found = passage_language(self.content)
        own = self.document_language
        if own in _ASKS and {own, found} <= {"ja", "zh"}:
            return str(own)
        return found if found in _ASKS else "en"


@dataclass(frozen=True, slots=True)
class Made:
    """A question with where its answer stands. `evidence` is the text that it was made from, for whoever reviews it."""

    text: str
    kind: Kind
    language: str
    source: str
    place: Mapping[str, Any]
    evidence: str
    facts: tuple[str, ...] = ()
    answer: str = ""
    answerable: bool = True


def place_of(chunk: Mapping[str, Any]) -> dict[str, Any]:
    """The place of a chunk of `GET /api/documents/{id}/chunks`, as a dataset names it: the most exact that it has."""
    if chunk.get("page"):
        return {"page": chunk["page"]}
    if chunk.get("slide"):
        return {"slide": chunk["slide"]}
    if chunk.get("sheet") and chunk.get("cell_range"):
        return {"sheet": chunk["sheet"], "cells": chunk["cell_range"]}
    if chunk.get("line_range"):
        return {"lines": list(chunk["line_range"])}
    return {"section": chunk["section_path"][-1]} if chunk["section_path"] else {}


def by_rules(chunks: Sequence[Chunk]) -> list[Made]:
    """All questions that the rules make of a collection, in the order of the chunks."""
    # A heading of several documents, or a term that is defined twice, asks for no place in particular.
    headed: Counter[str] = Counter()
    for heading, _ in {(chunk.section[-1], chunk.source) for chunk in chunks if chunk.section}:
        headed[heading] += 1
    made: dict[str, list[Made]] = {}
    for chunk in chunks:
        for one in (*_of_heading(chunk, headed), *_definitions(chunk), *_cells(chunk)):
            made.setdefault(one.text, []).append(one)
    # The same heading over the next chunk of its section is the same question; elsewhere it is not.
    return [first for first, *others in made.values() if all(other.place == first.place for other in others)]


def unanswerable(chunks: Sequence[Chunk]) -> Iterator[Made]:
    """Questions for a column of one table about a row of another, in one language, where no chunk holds both."""
    tables = [(chunk, head, rows) for chunk in chunks for head, rows in _tables(chunk.content)]
    folded = [chunk.content.casefold() for chunk in chunks]
    for chunk, _, rows in tables:
        for other, head, _ in tables:
            if other.source == chunk.source or other.language != chunk.language:
                continue
            for row in rows:
                for column in head[1:]:
                    if not (_is_name(row[0]) and _is_name(column)) or row[0].casefold() in _SUMS:
                        continue
                    both = (row[0].casefold(), column.casefold())
                    if any(all(part in text for part in both) for text in folded):
                        continue
                    text = _ASKS[chunk.language]["table"].format(row[0], column)
                    evidence = f"row '{row[0]}' of {chunk.source}, column '{column}' of {other.source}"
                    yield Made(text, "unanswerable", chunk.language, chunk.source, {}, evidence, answerable=False)


def _of_heading(chunk: Chunk, headed: Mapping[str, int]) -> Iterator[Made]:
    if not chunk.section or headed[chunk.section[-1]] != 1:
        return
    heading = chunk.section[-1]
    place = {"section": heading}
    plain = without_number(heading.strip())
    if plain.endswith(_QUESTION_ENDS):
        yield Made(plain, "faq", chunk.language, chunk.source, place, chunk.content[:200])
    elif len(chunk.section) > 1 and _is_name(plain) and plain.casefold() not in _GENERIC and len(plain) >= 4:
        text = _ASKS[chunk.language]["heading"].format(plain)
        yield Made(text, "heading", chunk.language, chunk.source, place, chunk.content[:200])


def _definitions(chunk: Chunk) -> Iterator[Made]:
    for sentence in sentences(_TABLE.sub("", chunk.content)):
        said = " ".join(sentence.split())
        if match := _DEFINITIONS[chunk.language].match(said):
            text = _ASKS[chunk.language]["definition"].format(match[1])
            yield Made(text, "definition", chunk.language, chunk.source, chunk.place, said, answer=said)


def _cells(chunk: Chunk) -> Iterator[Made]:
    for head, rows in _tables(chunk.content):
        keys = Counter(row[0] for row in rows)
        for row in rows:
            if keys[row[0]] > 1 or not _is_name(row[0]) or row[0].casefold() in _SUMS:
                continue
            for column, cell in zip(head[1:], row[1:], strict=False):
                if _is_name(column) and 0 < len(cell) <= _LONGEST and cell not in ("-", "—", row[0]):
                    text = _ASKS[chunk.language]["table"].format(row[0], column)
                    evidence = f"{head[0]} {row[0]}, {column}: {cell}"
                    yield Made(text, "table", chunk.language, chunk.source, chunk.place, evidence, facts=(cell,))


def _tables(content: str) -> Iterator[tuple[list[str], list[list[str]]]]:
    for match in _TABLE.finditer(content):
        head, _, *rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in match[0].splitlines()]
        if len(head) > 1:
            yield head, [row for row in rows if len(row) == len(head)]


def _is_name(text: str) -> bool:
    return 2 <= len(text) <= _LONGEST and _LETTER.search(text) is not None


def shingles(text: str) -> frozenset[str]:
    """Runs of three characters of a text, without case and blanks."""
    plain = "".join(text.casefold().split())
    return frozenset(plain[at : at + 3] for at in range(max(1, len(plain) - 2)))


def is_near(text: str, others: Iterable[frozenset[str]]) -> bool:
    """Whether a question is nearly one of others (Jaccard of their shingles at least .8)."""
    own = shingles(text)
    return any(len(own & other) >= 0.8 * len(own | other) for other in others)
