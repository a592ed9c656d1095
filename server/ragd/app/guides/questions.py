"""Questions that a document can answer, for people who don't know yet what to ask."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from ragd.app.guides.summary import is_boilerplate
from ragd.evaluation.synthetic.rules import Chunk, Made, by_rules, is_near, shingles

_KINDS: Final = ("faq", "definition", "heading", "table")
"""The most telling first."""


_ARTICLE: Final = re.compile(r"^What is A(?=n? )")


class Suggested(NamedTuple):
    text: str
    kind: str


def questions(chunks: Sequence[Chunk], limit: int) -> list[Suggested]:
    """At most `limit`, of each kind in turn, from all over the document."""
    about = [chunk for chunk in chunks if not is_boilerplate(chunk.content[:500], chunk.section)]
    made = [one for one in by_rules(about) if one.answerable]
    return chosen([_spread([one for one in made if one.kind == kind]) for kind in _KINDS], limit)


def chosen(groups: Sequence[Iterable[Suggested]], limit: int) -> list[Suggested]:
    """One of each group in turn; those that nearly repeat another are left out."""
    found: list[Suggested] = []
    known: list[frozenset[str]] = []
    waiting = [iter(group) for group in groups]
    while waiting and len(found) < limit:
        for group in tuple(waiting):
            one = next((one for one in group if not is_near(one.text, known)), None)
            if one is None:
                waiting.remove(group)
            elif len(found) < limit:
                found.append(one)
                known.append(shingles(one.text))
    return found


def _spread(made: Sequence[Made]) -> list[Suggested]:
    """From the beginning, the middle and the end in turn, not the first chapter alone."""
    third = -(-len(made) // 3)
    parts = [made[start : start + third] for start in range(0, len(made), third)] if made else []
    ordered = [part[at] for at in range(third) for part in parts if at < len(part)]
    return [Suggested(_ARTICLE.sub("What is a", one.text), one.kind) for one in ordered]
