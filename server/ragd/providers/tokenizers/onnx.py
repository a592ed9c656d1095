"""The tokenizer that belongs to a model: counts, character ranges in the original text, and token ids for the graph.

Text that spells a special token (`<s>`, `</s>`, also in full-width letters) would become that token: the first character of
such a text is replaced by one that looks alike, so that a document can't cut or mask itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragd.core.errors import ModelDamaged

if TYPE_CHECKING:
    from tokenizers import Encoding

_SURROGATES = re.compile("[\ud800-\udfff]")
_LOOKALIKE = "\u2039"
_PAD_NAMES = ("<pad>", "[PAD]")
_UNKNOWN_NAMES = ("<unk>", "[UNK]")
_BLANK = "\u2581"
_VOICED_MARKS = "\uff9e\uff9f"


class OnnxTokenizer:
    """A `tokenizer.json`, read by the `tokenizers` library. Safe to call from several threads."""

    def __init__(self, path: Path) -> None:
        import tokenizers

        try:
            self._tokenizer = tokenizers.Tokenizer.from_file(str(path))
        # The library raises bare `Exception`.
        except Exception as error:
            raise ModelDamaged(f"The tokenizer {path} can't be read: {error}") from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        frame = self._tokenizer.encode("").ids
        self.begin_ids, self.end_ids = frame[:1], frame[1:]
        found = [self._tokenizer.token_to_id(name) for name in _PAD_NAMES]
        self.pad_id: int = next((token for token in found if token is not None), 0)
        self.blank_id: int | None = self._tokenizer.token_to_id(_BLANK)
        added = self._tokenizer.get_added_tokens_decoder()
        self._special = {token for token, added_token in added.items() if added_token.content not in _UNKNOWN_NAMES}

    def count(self, text: str) -> int:
        """Number of tokens of `text`, special tokens and prefix excluded."""
        return len(self.plain_ids([text])[0])

    def prefix_length(self, prefix: str) -> int:
        """Tokens that `prefix` takes in front of a text."""
        return self.count(f"{prefix}a") - self.count("a")

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Character range of each token in `text` as given: in order, never overlapping, composed letters with their marks.

        Where several tokens are made of one character, the last has it and the others are empty.
        """
        ranges = []
        offsets = self._encode(text).offsets
        limits = [start for start, _ in offsets[1:]] + [len(text)]
        for (start, covered), limit in zip(offsets, limits, strict=False):
            end = covered if covered < limit else limit
            # The library reports a composed character by its first part.
            while end < limit and _is_mark(text[end]):
                end += 1
            ranges.append((start, end))
        return ranges

    def token_ids(self, texts: Sequence[str], max_tokens: int) -> list[list[int]]:
        """Ids with the special tokens around them, cut at the end to `max_tokens` in all."""
        room = max_tokens - len(self.begin_ids) - len(self.end_ids)
        return [[*self.begin_ids, *plain[:room], *self.end_ids] for plain in self.plain_ids(texts)]

    def plain_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of the whole texts, without special tokens."""
        encodings = self._tokenizer.encode_batch_fast([_clean(text) for text in texts], add_special_tokens=False)
        ids = []
        for text, encoding in zip(texts, encodings, strict=True):
            plain: list[int] = encoding.ids
            ids.append(plain if self._special.isdisjoint(plain) else self._encode(text).ids)
        return ids

    def _encode(self, text: str) -> Encoding:
        text = _clean(text)
        while True:
            # A batch, even of one: the library lets go of the interpreter's lock for batches alone.
            encoding: Encoding = self._tokenizer.encode_batch([text], add_special_tokens=False)[0]
            if self._special.isdisjoint(encoding.ids):
                return encoding
            spelled = [start for token, (start, _) in zip(encoding.ids, encoding.offsets, strict=True) if token in self._special]
            characters = list(text)
            for start in spelled:
                characters[start] = _LOOKALIKE
            text = "".join(characters)


def _clean(text: str) -> str:
    # Halves of a surrogate pair, which JSON can carry, are no text; one character for one keeps the offsets.
    return _SURROGATES.sub("\ufffd", text)


def _is_mark(character: str) -> bool:
    return character > "\x7f" and (unicodedata.category(character).startswith("M") or character in _VOICED_MARKS)
