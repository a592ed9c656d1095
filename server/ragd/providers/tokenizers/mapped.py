"""A Unigram tokenizer whose vocabulary is mapped into memory; what stands before it, the `tokenizers` library does as ever.

The library is given the tokenizer without its vocabulary: it normalises and cuts at blanks, and by a second one, which cuts at
every character, says where each came from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ragd.providers.tokenizers.piece_table import PieceTable
from ragd.providers.tokenizers.segmentation import Piece, segment

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LOOKALIKE = "\u2039"
UNKNOWN_NAMES = ("<unk>", "[UNK]")

_LINES = "a \n\n\u3000b\t\r\n\u200b\n c"
"""Lines with blanks of every kind at their ends, and some of nothing else."""
_KEPT_BLANK = "\x85"
"""The one blank that normalizing neither changes nor removes, but at the ends of a text."""

_SHORT = 48
_REMEMBERED = 4_096
"""Words of at most `_SHORT` characters whose pieces are remembered, 2 to 5 MB of them: headings have the same again."""


class MappedTokenizer:
    """As the library's tokenizer for texts that spell no special token; in one that does, its first letter is replaced."""

    def __init__(self, table: PieceTable) -> None:
        from tokenizers import Regex, Tokenizer
        from tokenizers.pre_tokenizers import Sequence as Steps
        from tokenizers.pre_tokenizers import Split

        self._table = table
        self.frame: Tokenizer = Tokenizer.from_str(table.rest)
        """Normalises, cuts at blanks, and knows the special tokens around a text; each word is one token, its own text."""
        self._characters: Tokenizer = Tokenizer.from_str(table.rest)
        steps = [step for step in (self.frame.pre_tokenizer, Split(Regex(r"[\s\S]"), "isolated")) if step is not None]
        self._characters.pre_tokenizer = Steps(steps)
        self._unknown = next((name for name in UNKNOWN_NAMES if name in table.special), None)
        self._spelled = [name for name in table.special if name != self._unknown]
        self._remembered: dict[str, list[Piece]] = {}
        texts = [_LINES, *_LINES.split("\n")]
        whole, *lines = (encoding.tokens for encoding in self.frame.encode_batch(texts, add_special_tokens=False))
        self._cuts_at_lines = whole == [word for line in lines for word in line]

    def apart(self, text: str) -> list[str]:
        """Parts of a text that have the tokens of the whole together: its lines, where words end at their ends at the latest."""
        return text.split("\n") if self._cuts_at_lines and _KEPT_BLANK not in text else [text]

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The token ids of each text, without special tokens around it."""
        parts = [self._parts(text) for text in texts]
        words = [
            encoding.tokens
            for encoding in self.frame.encode_batch([part for own in parts for part in own], add_special_tokens=False)
        ]
        cut = self._cut({word for own in words for word in own})
        rest = iter(words)
        return [self._joined([[token for word in next(rest) for token, _ in cut[word]] for _ in own]) for own in parts]

    def places(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """The token ids of a text, and the range of characters that each comes from."""
        ids: list[int] = []
        ranges: list[tuple[int, int]] = []
        at = 0
        for number, part in enumerate(self._parts(text)):
            if number and self._unknown is not None:
                ids.append(self._table.special[self._unknown])
                ranges.append((at, at + len(self._unknown)))
                at += len(self._unknown)
            for token, (start, end) in self._placed(part):
                ids.append(token)
                ranges.append((at + start, at + end))
            at += len(part)
        return ids, ranges

    def _placed(self, part: str) -> Iterator[tuple[int, tuple[int, int]]]:
        words = self.frame.encode_batch([part], add_special_tokens=False)[0].tokens
        origins = self._characters.encode_batch([part], add_special_tokens=False)[0].offsets
        cut = self._cut(set(words))
        at = 0
        for word in words:
            for token, length in cut[word]:
                yield token, (origins[at][0], origins[at + length - 1][1])
                at += length

    def _cut(self, words: set[str]) -> dict[str, list[Piece]]:
        """The pieces of each word."""
        remembered = self._remembered
        cut = {word: pieces for word in words if (pieces := remembered.get(word)) is not None}
        new = list(words - cut.keys())
        cut.update(zip(new, segment(self._table, new), strict=True))
        if len(remembered) > _REMEMBERED:
            remembered = self._remembered = {}
        remembered.update((word, cut[word]) for word in new if len(word) <= _SHORT)
        return cut

    def _parts(self, text: str) -> list[str]:
        """The text without what spells a special token, cut where it spells the unknown one, as the library cuts it."""
        for name in self._spelled:
            text = text.replace(name, LOOKALIKE + name[1:])
        return [text] if self._unknown is None else text.split(self._unknown)

    def _joined(self, parts: Sequence[list[int]]) -> list[int]:
        ids = list(parts[0])
        for part in parts[1:]:
            if self._unknown is not None:
                ids.append(self._table.special[self._unknown])
            ids += part
        return ids
