"""The tokenizer that belongs to a model: counts, character ranges in the original text, and token ids for the graph.

The `tokenizers` library takes 280 MB for a vocabulary of 250,000 pieces, and 0.8 s to open it. So where the vocabulary can be
mapped into memory (`mapped.py`, the same tokens), the library has it only while much text is cut into passages: it is ten times
as fast then, and lets go of the interpreter's lock.

Text that spells a special token (`<s>`, `</s>`, also in full-width letters) would become that token: the first character of
such a text is replaced by one that looks alike, so that a document can't cut or mask itself.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from ragd.core.errors import ModelDamaged
from ragd.providers.tokenizers.mapped import LOOKALIKE, UNKNOWN_NAMES, MappedTokenizer
from ragd.providers.tokenizers.piece_table import open_table
from ragd.providers.while_used import WhileUsed

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_SURROGATES = re.compile("[\ud800-\udfff]")
_PAD_NAMES = ("<pad>", "[PAD]")
_BLANK = "\u2581"


# Characters of an ingestion for which the library is opened, and the seconds without any after which it is closed again.
_MUCH = 100_000
_IDLE_S = 60.0
# Where tokens are counted alone, opening pays off after ten times as many: words that were counted before are remembered.
_COUNTED_FOR_ONE = 10


class OnnxTokenizer:
    """A `tokenizer.json`. Safe to call from several threads."""

    def __init__(self, path: Path, tables: Path | None = None, *, much: int = _MUCH, idle_s: float = _IDLE_S) -> None:
        """`tables` is the folder for mapped vocabularies; without it the library is always used.

        Raises `ModelDamaged` for a file that is no tokenizer.
        """
        self._path = path
        self._lock = threading.Lock()
        self._much, self._idle_s = much, idle_s
        self._placed = 0
        self._last_noted = 0.0
        self._always: Tokenizer | None = None
        self._for_a_while = WhileUsed(self._opened, idle_s)
        try:
            table = None if tables is None else open_table(path, tables)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelDamaged(f"The tokenizer {path} can't be read: {error}") from error
        if table is None:
            self._mapped = None
            self._always = frame = self._opened()
            added = frame.get_added_tokens_decoder()
            special = {added_token.content: token for token, added_token in added.items()}
            self.blank_id: int | None = frame.token_to_id(_BLANK)
            self.pad_id = next((token for name in _PAD_NAMES if (token := frame.token_to_id(name)) is not None), 0)
        else:
            self._mapped = MappedTokenizer(table)
            frame = self._mapped.frame
            special = dict(table.special)
            self.blank_id = table.blank
            self.pad_id = next((special[name] for name in _PAD_NAMES if name in special), 0)
        around = frame.encode("").ids
        self.begin_ids, self.end_ids = around[:1], around[1:]
        self._template = frame
        self._special = {token for name, token in special.items() if name not in UNKNOWN_NAMES}

    @property
    def _library(self) -> Tokenizer | None:
        return self._always or self._for_a_while.opened

    @property
    def uses_library(self) -> bool:
        return self._library is not None

    def count(self, text: str) -> int:
        """Number of tokens of `text`, special tokens and prefix excluded."""
        return len(self.plain_ids([text])[0])

    def counts(self, texts: Sequence[str], *, many: bool = True) -> list[int]:
        """As `count`, of each text. `many` come after these, as in an ingestion: the library counts them."""
        if self._mapped is None:
            return list(map(len, self.plain_ids(texts)))
        if many:
            self._note(sum(map(len, texts)) // _COUNTED_FOR_ONE)
        # A passage comes with its view, which is the same below a heading: each line is counted once.
        parts = list(map(self._mapped.apart, texts))
        lines = list(dict.fromkeys(chain.from_iterable(parts)))
        counted = dict(zip(lines, map(len, self.plain_ids(lines)), strict=True))
        return [sum(map(counted.__getitem__, own)) for own in parts]

    def prefix_length(self, prefix: str) -> int:
        """Tokens that `prefix` takes in front of a text."""
        return self.count(f"{prefix}a") - self.count("a")

    def starts(self, text: str) -> list[int]:
        """Where each token begins in `text` as given, in order."""
        if self._mapped is not None:
            self._note(len(text))
        return [start for start, _ in self._encode(text)[1]]

    def token_ids(self, texts: Sequence[str], max_tokens: int) -> list[list[int]]:
        """Ids with the special tokens around them, cut at the end to `max_tokens` in all."""
        room = max_tokens - len(self.begin_ids) - len(self.end_ids)
        return [[*self.begin_ids, *plain[:room], *self.end_ids] for plain in self.plain_ids(texts)]

    def plain_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of the whole texts, without special tokens."""
        found = self._ids([_clean(text) for text in texts])
        return [
            plain if self._special.isdisjoint(plain) else self._encode(text)[0] for text, plain in zip(texts, found, strict=True)
        ]

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        if (library := self._library) is not None:
            return [encoding.ids for encoding in library.encode_batch_fast(texts, add_special_tokens=False)]
        assert self._mapped is not None
        return self._mapped.ids(texts)

    def _encode(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Ids, none of them special, and the range of characters of each."""
        text = _clean(text)
        while True:
            ids, ranges = self._places(text)
            if self._special.isdisjoint(ids):
                return ids, ranges
            characters = list(text)
            for token, (start, _) in zip(ids, ranges, strict=True):
                if token in self._special:
                    characters[start] = LOOKALIKE
            text = "".join(characters)

    def _places(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        if (library := self._library) is not None:
            # A batch, even of one: the library lets go of the interpreter's lock for batches alone.
            encoding = library.encode_batch([text], add_special_tokens=False)[0]
            return encoding.ids, encoding.offsets
        assert self._mapped is not None
        return self._mapped.places(text)

    def _opened(self) -> Tokenizer:
        import tokenizers

        try:
            library = tokenizers.Tokenizer.from_file(str(self._path))
        # The library raises bare `Exception`.
        except Exception as error:
            raise ModelDamaged(f"The tokenizer {self._path} can't be read: {error}") from error
        library.no_truncation()
        library.no_padding()
        return library

    def _note(self, characters: int) -> None:
        """So much text is about to be cut into passages: open the library for a while when it has become much."""
        with self._lock:
            now = time.monotonic()
            self._placed = characters + (self._placed if now - self._last_noted < self._idle_s else 0)
            self._last_noted = now
            if self._for_a_while.opened is not None or self._placed > self._much:
                self._for_a_while.get()


def _clean(text: str) -> str:
    # Halves of a surrogate pair, which JSON can carry, are no text; one character for one keeps the offsets.
    return _SURROGATES.sub("\ufffd", text)
