"""How far two people agree who judged the same passages, beyond what chance would give.

Cohen's kappa (Cohen 1960, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20):
(p_o - p_e) / (1 - p_e), where p_o is the share of passages on which both agree and p_e what two people would agree on by chance
who give each grade as often as these two do. The interval is of the large-sample standard error of Fleiss, Cohen and Everitt
(1969, Psychological Bulletin 72). Weighted kappa (Cohen 1968, Psychological Bulletin 70) counts a disagreement by the square of
its distance: to take 2 for 0 is four times as bad as to take 1 for 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import Final

from ragd.store.labels.labels import Label

GRADES: Final = (0, 1, 2)
_NORMAL: Final = 1.959964  # of the middle 95 % of a normal distribution


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of two authors. `table[i][j]` counts the passages that `first` gave the grade i and `second` the grade j.

    `kappa` and `weighted_kappa` are at most 1, and 0 where they agree as by chance; None where both gave one and the same grade
    to everything: chance would agree as well. `low` and `high` are the ends of kappa's 95 % interval.
    """

    first: str
    second: str
    passages: int
    agreed: float
    kappa: float | None
    low: float | None
    high: float | None
    weighted_kappa: float | None
    table: tuple[tuple[int, ...], ...]


def agreements(labels: Iterable[Label]) -> list[Agreement]:
    """Of each two authors who have judged at least one passage both, for the same question; those with most of them first."""
    by_author: dict[str, dict[tuple[str, str, str], int]] = {}
    for label in labels:
        if label.grade is not None:
            by_author.setdefault(label.author, {})[label.passage] = label.grade
    found = []
    for first, second in combinations(sorted(by_author), 2):
        ours, theirs = by_author[first], by_author[second]
        pairs = [(ours[passage], theirs[passage]) for passage in ours if passage in theirs]
        if pairs:
            found.append(_agreement(first, second, pairs))
    return sorted(found, key=lambda one: (-one.passages, one.first, one.second))


def _agreement(first: str, second: str, pairs: Sequence[tuple[int, int]]) -> Agreement:
    table = [[0] * len(GRADES) for _ in GRADES]
    for one, other in pairs:
        table[one][other] += 1
    kappa = cohen_kappa(table)
    spread = _NORMAL * standard_error(table) if kappa is not None else 0.0
    return Agreement(
        first,
        second,
        len(pairs),
        sum(table[grade][grade] for grade in GRADES) / len(pairs),
        kappa,
        None if kappa is None else max(-1.0, kappa - spread),
        None if kappa is None else min(1.0, kappa + spread),
        cohen_kappa(table, weighted=True),
        tuple(map(tuple, table)),
    )


def cohen_kappa(table: Sequence[Sequence[int]], *, weighted: bool = False) -> float | None:
    """Kappa of a square table of counts, in -1..1. None where chance alone would agree on everything. Raises `ValueError` for an
    empty table.

    Written by disagreements, 1 - sum(w_ij p_ij) / sum(w_ij p_i. p_.j): with w = 1 off the diagonal that is Cohen's of 1960.
    """
    shares, rows, columns = _shares(table)
    size = range(len(table))
    weight = [[float((i - j) ** 2 if weighted else i != j) for j in size] for i in size]
    seen = sum(weight[i][j] * shares[i][j] for i in size for j in size)
    by_chance = sum(weight[i][j] * rows[i] * columns[j] for i in size for j in size)
    return None if by_chance == 0 else 1 - seen / by_chance


def standard_error(table: Sequence[Sequence[int]]) -> float:
    """Of kappa, for large samples (Fleiss, Cohen and Everitt 1969, equation 13). Raises as `cohen_kappa`, and
    `ZeroDivisionError` where that is None.
    """
    shares, rows, columns = _shares(table)
    size = range(len(table))
    total = sum(map(sum, table))
    agreed = sum(shares[i][i] for i in size)
    by_chance = sum(rows[i] * columns[i] for i in size)
    kappa = (agreed - by_chance) / (1 - by_chance)
    on = sum(shares[i][i] * (1 - (rows[i] + columns[i]) * (1 - kappa)) ** 2 for i in size)
    off = (1 - kappa) ** 2 * sum(shares[i][j] * (columns[i] + rows[j]) ** 2 for i in size for j in size if i != j)
    variance = (on + off - (kappa - by_chance * (1 - kappa)) ** 2) / ((1 - by_chance) ** 2 * total)
    return sqrt(max(0.0, variance))


def _shares(table: Sequence[Sequence[int]]) -> tuple[list[list[float]], list[float], list[float]]:
    total = sum(map(sum, table))
    if not total:
        raise ValueError("a table without any passage has no kappa")
    shares = [[count / total for count in row] for row in table]
    return shares, [sum(row) for row in shares], [sum(column) for column in zip(*shares, strict=True)]
