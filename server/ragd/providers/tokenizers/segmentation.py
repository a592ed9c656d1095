"""Words cut into the pieces of a Unigram vocabulary: the best path by the sum of log probabilities (Kudo 2018, Viterbi).

The same pieces as the `tokenizers` library gives, with its rules for ties (the longest piece) and for unknown characters (one
token for all that stand side by side).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragd.providers.tokenizers.piece_table import PieceTable, extended

Piece = tuple[int, int]
"""A token's id and how many characters it covers."""

_NEVER = float("-inf")


def segment(table: PieceTable, words: Sequence[str]) -> list[list[Piece]]:
    """The pieces of each word, in order."""
    lengths = np.array(list(map(len, words)), np.intp)
    if not lengths.sum():
        return [[] for _ in words]
    # Each word has a place before each of its characters and one behind the last.
    firsts = np.cumsum(lengths + 1) - lengths - 1
    best = [_NEVER] * int(lengths.sum() + len(words))
    for first in firsts.tolist():
        best[first] = 0.0
    came: list[Piece] = [(0, 0)] * len(best)
    for place, length, token, score in zip(*_matches(table, words, lengths), strict=True):
        value = best[place] + score
        if value > best[place + length]:
            best[place + length] = value
            came[place + length] = token, length
    return [
        _walked(came, first, first + length, table.unknown)
        for first, length in zip(firsts.tolist(), lengths.tolist(), strict=True)
    ]


def _matches(
    table: PieceTable, words: Sequence[str], lengths: NDArray[np.intp]
) -> tuple[list[int], list[int], list[int], list[float]]:
    """Every piece in every word: its place, length, id and score, by place and then by length.

    A character that is no piece is the unknown token.
    """
    codes = np.frombuffer("".join(words).encode("utf-32-le"), np.uint32)
    word_of = np.repeat(np.arange(len(words)), lengths)
    ends = np.cumsum(lengths)[word_of]
    at = np.arange(len(codes))
    hashes = np.zeros(len(codes), np.uint64)
    unknown = at[:0]
    starts, found, sizes = [], [], []
    for length in range(1, table.longest + 1):
        inside = at + length <= ends[at]
        at = at[inside]
        hashes = extended(hashes[inside], codes[at + length - 1])
        entries = table.find(hashes)
        known = entries >= 0
        if length == 1:
            unknown = at[np.where(known, table.ids[entries], -1) < 0]
        at, hashes, entries = at[known], hashes[known], entries[known]
        starts.append(at)
        found.append(entries)
        sizes.append(len(at))
        if not len(at):
            break
    # Once for all lengths: a question is short, and each step of numpy costs more than what it does.
    entries = np.concatenate(found)
    ids = table.ids[entries]
    whole = ids >= 0
    every = np.concatenate([unknown, np.concatenate(starts)[whole]])
    order = np.argsort(every, kind="stable")
    every = every[order]
    columns = (
        np.concatenate([np.full(len(unknown), of_unknown), column[whole]])[order].tolist()
        for of_unknown, column in (
            (1, np.repeat(np.arange(1, len(sizes) + 1), sizes)),
            (table.unknown, ids),
            (table.unknown_score, table.scores[entries]),
        )
    )
    return (every + word_of[every]).tolist(), *columns


def _walked(came: Sequence[Piece], first: int, place: int, unknown: int) -> list[Piece]:
    """The best path to `place`, from its beginning."""
    pieces: list[Piece] = []
    while place > first:
        token, length = came[place]
        place -= length
        if token == unknown and pieces and pieces[-1][0] == unknown:
            length += pieces.pop()[1]
        pieces.append((token, length))
    pieces.reverse()
    return pieces
