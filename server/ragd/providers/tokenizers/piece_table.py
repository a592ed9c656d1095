"""The vocabulary of a Unigram tokenizer as a file that is mapped into memory: every beginning of a piece, found by its hash.

The `tokenizers` library makes a tree of objects of it: for 250,000 pieces 280 MB, and 0.8 s in which it keeps the interpreter's
lock. Here it is three arrays, sorted by a 64-bit polynomial hash of the beginning; one that is no piece has the score -inf. Two
beginnings of one vocabulary never share a hash (`build` looks), and of other text one in 10^13 has the hash of one of them.
"""

from __future__ import annotations

import hashlib
import json
import logging
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ragd.core.files import sweep_staged, write_whole

log = logging.getLogger(__name__)

_MAGIC: Final = b"RAGPCS01"
_HEAD: Final = struct.Struct("<8sIQ")  # magic, CRC-32 of what follows, bytes of JSON
_ALIGNED: Final = 16
_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)
_BLANK: Final = "\u2581"
NO_TEXT: Final = "\uffff\ufffe"
"""The one piece of `PieceTable.rest`: no two characters of a text."""
_UNKNOWN_PENALTY: Final = 10.0
"""How much worse than the worst piece a character is that no piece has: the library's own."""


@dataclass(frozen=True, slots=True)
class PieceTable:
    """`rest` is the tokenizer's JSON without vocabulary and special tokens, `special` has the ids of those by their texts."""

    keys: NDArray[np.uint64]
    ids: NDArray[np.int32]
    scores: NDArray[np.float64]
    longest: int
    unknown: int
    unknown_score: float
    special: Mapping[str, int]
    blank: int | None
    rest: str

    def find(self, hashes: NDArray[np.uint64]) -> NDArray[np.intp]:
        """The place of each hash, or -1."""
        at = np.minimum(np.searchsorted(self.keys, hashes), len(self.keys) - 1)
        return np.where(self.keys[at] == hashes, at, -1)


def extended(hashes: NDArray[np.uint64], codes: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """The hashes of texts, each one character longer; that of no text is 0."""
    return (hashes + codes + np.uint64(1)) * _FACTOR


def open_table(tokenizer: Path, folder: Path | None) -> PieceTable | None:
    """The table of a `tokenizer.json`, kept in `folder` under its hash, made when it is not there; None for another kind of one.

    Raises `ValueError` for a file that is no tokenizer.
    """
    content = tokenizer.read_bytes()
    if b'"Unigram"' not in content:
        return None
    path = None if folder is None else folder / f"pieces-{hashlib.sha256(_MAGIC + content).hexdigest()[:16]}.bin"
    if path is not None and (kept := _read(path)) is not None:
        return kept
    table = build(content)
    if path is not None and table is not None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            sweep_staged(path)
            write_whole(path, _packed(table))
        except OSError as error:
            log.warning("table of pieces not kept", extra={"path": str(path), "reason": str(error)})
        else:
            return _read(path)  # mapped, where what was made takes memory
    return table


def build(content: bytes) -> PieceTable | None:
    """The table of the text of a `tokenizer.json`; None for one that it can't stand for. Raises `ValueError`."""
    values: dict[str, Any] = json.loads(content)
    model, added = values["model"], values["added_tokens"]
    if model.get("type") != "Unigram" or model.get("byte_fallback") or model.get("unk_id") is None:
        return None
    if any(not token["special"] or token["normalized"] or token["single_word"] for token in added):
        return None
    vocabulary, unknown = model["vocab"], model["unk_id"]
    pieces = [piece for piece, _ in vocabulary]
    keys, ids, scores = _entries(pieces, np.array([score for _, score in vocabulary], np.float64))
    if len(np.unique(keys)) < len(keys) or len(set(pieces)) < len(pieces):
        return None
    model |= {"unk_id": 0, "vocab": [[NO_TEXT, 0.0]]}
    values |= {"added_tokens": [], "truncation": None, "padding": None}
    return PieceTable(
        keys,
        ids,
        scores,
        longest=max(map(len, pieces)),
        unknown=unknown,
        unknown_score=min(score for _, score in vocabulary) - _UNKNOWN_PENALTY,
        special={token["content"]: token["id"] for token in added},
        blank=pieces.index(_BLANK) if _BLANK in pieces else None,
        rest=json.dumps(values),
    )


def _entries(
    pieces: list[str], own_scores: NDArray[np.float64]
) -> tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.float64]]:
    """Every beginning of a piece: its hash, ascending, and the piece's id and score where it is one, else -1 and -inf."""
    lengths = np.array(list(map(len, pieces)))
    starts = np.cumsum(lengths) - lengths
    codes = np.frombuffer("".join(pieces).encode("utf-32-le"), np.uint32)
    longer = np.arange(len(pieces))
    hashes = np.zeros(len(pieces), np.uint64)
    keys, ids, scores = [], [], []
    for length in range(1, int(lengths.max()) + 1):
        alive = lengths[longer] >= length
        longer = longer[alive]
        hashes = extended(hashes[alive], codes[starts[longer] + length - 1])
        ended = lengths[longer] == length
        # Whole pieces first, so that of each hash they stay.
        order = np.argsort(~ended, kind="stable")
        unique, first = np.unique(hashes[order], return_index=True)
        chosen = order[first]
        whole = ended[chosen]
        keys.append(unique)
        ids.append(np.where(whole, longer[chosen], -1))
        scores.append(np.where(whole, own_scores[longer[chosen]], -np.inf))
    every = np.concatenate(keys)
    order = np.argsort(every)
    return every[order], np.concatenate(ids)[order].astype(np.int32), np.concatenate(scores)[order]


def _packed(table: PieceTable) -> bytes:
    facts = {
        "entries": len(table.keys),
        "longest": table.longest,
        "unknown": table.unknown,
        "unknown_score": table.unknown_score,
        "special": table.special,
        "blank": table.blank,
        "rest": table.rest,
    }
    text = json.dumps(facts).encode()
    text += b" " * (-(_HEAD.size + len(text)) % _ALIGNED)
    body = b"".join((text, table.keys.tobytes(), table.scores.tobytes(), table.ids.tobytes()))
    return _HEAD.pack(_MAGIC, zlib.crc32(body), len(text)) + body


def _read(path: Path) -> PieceTable | None:
    """What the file holds, mapped; None when it is absent or damaged."""
    try:
        with path.open("rb") as file:
            magic, checksum, facts_size = _HEAD.unpack(file.read(_HEAD.size))
            content = np.memmap(path, np.uint8, "r")
            if magic != _MAGIC or zlib.crc32(content[_HEAD.size :].data) != checksum:
                raise ValueError("its checksum is false")
            facts = json.loads(file.read(facts_size))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, struct.error) as error:
        log.warning("table of pieces made anew", extra={"path": str(path), "reason": str(error)})
        return None
    entries = facts.pop("entries")
    at = _HEAD.size + facts_size
    keys = content[at : at + 8 * entries].view(np.uint64)
    scores = content[at + 8 * entries : at + 16 * entries].view(np.float64)
    ids = content[at + 16 * entries : at + 20 * entries].view(np.int32)
    return PieceTable(np.asarray(keys), np.asarray(ids), np.asarray(scores), **facts)
