"""Which of the questions that were made become a dataset: spread over documents, without near-duplicates, the same for a seed."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

import yaml

from ragd.core.ids import hash32
from ragd.evaluation.synthetic.rules import Made, is_near, shingles

# Of the unanswerable ones, which are a product of rows and columns: so many are looked at.
_LOOKED_AT = 20_000


def spread(made: Iterable[Made], seed: int) -> list[Made]:
    """The questions in an order by the seed, one of each document after the other, and of its kinds after each other."""
    piles: dict[tuple[str, str], list[Made]] = {}
    for one in sorted(made, key=lambda one: hash32(str(seed), one.source, one.text)):
        piles.setdefault((one.source, one.kind), []).append(one)
    seen: dict[str, int] = {}
    ranked: list[tuple[int, str, Made]] = []
    depth = max(map(len, piles.values()), default=0)
    for level in range(depth):
        for key in sorted(piles, key=lambda key: hash32(str(seed), *key)):
            if level < len(piles[key]):
                rank = seen[key[0]] = seen.get(key[0], -1) + 1
                ranked.append((rank, hash32(str(seed), key[0]), piles[key][level]))
    return [one for _, _, one in sorted(ranked, key=lambda entry: entry[:2])]


def chosen(made: Iterable[Made], impossible: Iterable[Made], *, count: int, share: float, seed: int) -> list[Made]:
    """At most `count` questions, of which `share` (0..1) can't be answered; fewer where there are fewer."""
    wanted = round(count * share)
    picked = _distinct(spread(made, seed), count - wanted, [])
    known = [shingles(one.text) for one in picked]
    return picked + _distinct(spread(islice(impossible, _LOOKED_AT), seed), wanted, known)


def as_yaml(questions: Iterable[Made], *, collection: str, seed: int) -> str:
    """A dataset file for people to review: each question with the text that it was made from as a comment."""
    named = yaml.safe_dump(collection, allow_unicode=True).splitlines()[0]
    lines = [
        f"# Questions made by rag eval generate from the collection {named}, seed {seed}.",
        "# Read them before you measure with them: delete what nobody would ask, mend what is worded badly, and add places that",
        "# answer as well. Questions of the type 'unanswerable' must really have no answer.",
        "",
    ]
    for one in questions:
        lines.append(f"# from: {' '.join(one.evidence.split())[:160]}")
        lines.append(yaml.safe_dump([_entry(one)], allow_unicode=True, sort_keys=False, width=1000).rstrip())
        lines.append("")
    return "\n".join(lines)


def _entry(one: Made) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": f"{one.kind}-{hash32(one.source, one.text)[:8]}", "query": one.text, "lang": one.language}
    entry["type"] = one.kind
    if not one.answerable:
        return entry | {"answerable": False}
    entry["relevant"] = [{"source": one.source, "place": dict(one.place)}]
    entry |= {"facts": list(one.facts)} if one.facts else {}
    return entry | ({"answer": one.answer} if one.answer else {})


def _distinct(made: Iterable[Made], count: int, known: list[frozenset[str]]) -> list[Made]:
    picked: list[Made] = []
    for one in made:
        if len(picked) >= count:
            break
        if not is_near(one.text, known):
            known.append(shingles(one.text))
            picked.append(one)
    return picked
