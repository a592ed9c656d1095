"""The context for a model: passages, numbered, whole, within a limit of tokens.

A line that begins with a number in brackets is a header of ours: neither a name nor a text of a document can make one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ragd.core.documents import Place
from ragd.core.results import Citation, Context, Hit, Passage
from ragd.retrieve.ranking.neighbours import joined

# What str.splitlines takes for the end of a line.
_LINE_END: Final = re.compile("\r\n?|[\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")
_HEADER: Final = re.compile(
    r"""^([^\w\n\[【［〔〖]*+)          # a list's or quotation's sign, blanks, what can't be seen
        [\[【［〔〖]([^\S\n]*+\d++[^\S\n]*+)[\]】］〕〗]""",
    re.MULTILINE | re.VERBOSE,
)


def header(number: int, passage: Passage) -> str:
    """The line above a passage: its number, title, source and place."""
    return f"[{number}] {' '.join(passage.reference.split())}"


def without_headers(text: str) -> str:
    """Text of a document, in which a number in brackets that begins a line stands in round ones."""
    return _HEADER.sub(r"\1(\2)", _LINE_END.sub("\n", text))


def place_of(result: Mapping[str, Any]) -> str:
    """Where a result or a citation, in the shape of the contract, stands in its source, as people say it."""
    names = ("page", "slide", "sheet", "line_range")
    keys = ("chunk_id", "doc_id", "version_id", "collection", "content", "source", "source_uri", "doc_type", "title")
    known: dict[str, Any] = {key: result.get(key, "") for key in keys}
    place = Place.from_dict({name: result[name] for name in names if result.get(name) is not None})
    return Passage(**known, section_path=tuple(result["section_path"]), place=place, ordinal=0, tokens=0).place_label


def build_context(
    hits: Sequence[Hit],
    *,
    max_tokens: int,
    count_tokens: Callable[[Sequence[str]], Sequence[int]],
    own_count: bool = True,
    merge: bool = True,
) -> Context:
    """Number the passages from 1 in the order of the hits, whole. One that does not fit is left out, and the next is tried.

    With `merge`, a passage that follows or precedes one that is in already is joined to it, under its number. With `own_count`
    `count_tokens` is what cut the passages, and a passage's own number of tokens is taken; else all is counted.
    """

    def counted(number: int, passage: Passage) -> str:
        return f"{header(number, passage)}{passage.picture_texts}" if own_count else _block(number, passage)

    # What is counted where all fit and none are joined, at once: one by one it would take five times as long.
    likely = [counted(number, hit.passage) for number, hit in enumerate(hits, start=1)]
    known_counts = dict(zip(likely, count_tokens(likely), strict=True))

    def size(number: int, passage: Passage) -> int:
        text = counted(number, passage)
        tokens = known_counts[text] if text in known_counts else count_tokens([text])[0]
        return tokens + passage.tokens if own_count else tokens

    chosen: list[Citation] = []
    sizes: list[int] = []
    for hit in hits:
        known = enumerate(chosen if merge else ())
        mate = next(((at, both) for at, one in known if (both := joined(one.passage, hit.passage))), None)
        number = len(chosen) + 1 if mate is None else mate[0] + 1
        passage = hit.passage if mate is None else mate[1]
        tokens = size(number, passage)
        if sum(sizes) - (0 if mate is None else sizes[mate[0]]) + tokens > max_tokens:
            continue
        if mate is None:
            chosen.append(Citation(number, passage, (passage.chunk_id,)))
            sizes.append(tokens)
        else:
            chosen[mate[0]] = Citation(number, passage, (*chosen[mate[0]].chunk_ids, hit.passage.chunk_id))
            sizes[mate[0]] = tokens
    text = "\n\n".join(_block(citation.id, citation.passage) for citation in chosen)
    return Context(text, sum(sizes), tuple(chosen))


def _block(number: int, passage: Passage) -> str:
    return f"{header(number, passage)}\n{without_headers(passage.content + passage.picture_texts)}"
