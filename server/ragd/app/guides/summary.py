"""A summary of a document from its chunks, by rules: whole sentences of its own that say what it is about.

Licences, imprints, tables of contents and what else stands in every book are no summary, wherever they stand. Sentences are
scored by how many of the document's own keywords they hold, by where they stand, and by cue words (Edmundson 1969).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from ragd.language.plain_text import units
from ragd.language.sentences import is_sentence, sentences

_LONGEST: Final = 600
_SENTENCES: Final = 4
_SHORTEST_SENTENCE: Final = 20
_LONGEST_SENTENCE: Final = 320
_MOST: Final = 400
"""Sentences that are looked at."""

BOILERPLATE: Final = re.compile(
    r"copyright|©|\blicen[sc](?:e[sd]?|ing)\b|permission is (?:hereby )?granted|all rights reserved"
    r"|without (?:any )?warrant|no warrant|redistribut"
    r"|free software foundation|creative commons|public domain|trademark|disclaimer|merchantability|isbn|issn"
    r"|table of contents|this page (?:is )?intentionally|last (?:updated|modified|change)"
    r"|printed in|published by|revision history|confidential|proprietary|do not distribute|\ball versions of this document\b"
    r"|著作権|無断(?:転載|複製)|転載を禁|免責|商標|ライセンス|保証(?:しません|するものでは)|目次|改訂履歴|発行日|社外秘|禁無断"
    r"|版权|著作权|许可(?:证|协议)|免责|商标|保留所有权利|未经.{0,8}(?:许可|授权)|目录|修订(?:历史|记录)|内部资料|不作.{0,6}保证",
    re.IGNORECASE,
)
_CUE: Final = re.compile(
    r"\bthis (?:document|guide|page|manual|policy|report|paper|chapter|handbook|specification|runbook)\b"
    r"|\b(?:describes|explains|covers|summari[sz]es|introduces|is an? |are the )"
    r"|(?:本書|本資料|本文書|本稿|この(?:ガイド|文書|資料|手順書|マニュアル))|(?:説明|紹介|解説)(?:します|する)|とは"
    r"|本(?:文档|手册|指南|文)|介绍|说明了|描述了|用于",
    re.IGNORECASE,
)
_ENDS_WIDE: Final = "。！？"


class _Said(NamedTuple):
    order: int
    section: tuple[str, ...]
    text: str


def is_boilerplate(text: str, section: Sequence[str] = ()) -> bool:
    """Whether a text, or the section it stands in, is of the kind that says nothing about the subject."""
    return BOILERPLATE.search(text) is not None or any(BOILERPLATE.search(heading) for heading in section)


def summary(chunks: Sequence[tuple[tuple[str, ...], str]], keywords: Sequence[str]) -> str:
    """Up to four sentences in the order of the document; "" for one without sentences. `chunks` are section paths and texts."""
    said = list(islice(_sentences(chunks), _MOST))
    if not said:
        return ""
    wanted = [word.casefold() for word in keywords]
    best: list[_Said] = []
    taken: set[tuple[str, ...]] = set()
    for one in sorted(said, key=lambda one: (-_score(one, wanted, len(said)), one.order)):
        length = sum(len(other.text) for other in best) + len(one.text)
        # One sentence of a section: four of the first one would say less of the whole.
        if one.section in taken or (best and length > _LONGEST):
            continue
        best.append(one)
        taken.add(one.section)
        if len(best) == _SENTENCES:
            break
    text = ""
    for one in sorted(best):
        text += ("" if not text or text[-1] in _ENDS_WIDE else " ") + one.text
    return text


def _sentences(chunks: Sequence[tuple[tuple[str, ...], str]]) -> Iterator[_Said]:
    order = 0
    seen: set[str] = set()
    for section, content in chunks:
        if is_boilerplate("", section):
            continue
        for unit in units(content):
            # A paragraph of a licence is one as a whole: its second sentence names none.
            if unit.kind != "text" or is_boilerplate(unit.text):
                continue
            for sentence in sentences(unit.text):
                plain = " ".join(sentence.split())
                if _is_telling(plain) and plain not in seen:
                    seen.add(plain)
                    yield _Said(order, section, plain)
                    order += 1


def _is_telling(text: str) -> bool:
    # A character of Japanese or Chinese says as much as two letters.
    letters = len(text) * (2 if text[-1:] in _ENDS_WIDE else 1)
    return is_sentence(text) and letters >= _SHORTEST_SENTENCE and len(text) <= _LONGEST_SENTENCE


def _score(one: _Said, wanted: Sequence[str], count: int) -> float:
    lower = one.text.casefold()
    weights = range(len(wanted), 0, -1)
    central = sum(weight for weight, word in zip(weights, wanted, strict=True) if word in lower) / max(1, sum(weights))
    location = 0.4 * (1 - one.order / count) + 0.2 * (one.order == 0)
    return location + 1.2 * central + 0.3 * bool(_CUE.search(one.text)) - 0.2 * one.text.endswith(("?", "？", ":", "："))
