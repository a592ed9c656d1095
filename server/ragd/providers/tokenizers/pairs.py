"""Question and passage as one row of tokens, by the pair template of the model's own tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragd.providers.tokenizers.onnx import OnnxTokenizer


@dataclass(frozen=True, slots=True)
class Pair:
    """Token ids of a pair, and which of the two texts each belongs to, as the model expects."""

    ids: list[int]
    types: list[int]


@dataclass(frozen=True, slots=True)
class _Slot:
    """A place of the template: the question (0), the passage (1), or one special token."""

    text: int | None
    token: int
    type: int


class PairTokenizer(OnnxTokenizer):
    """A `tokenizer.json` of a cross-encoder. Safe to call from several threads."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        encoding = self._tokenizer.encode("a", "a")
        self._slots: list[_Slot] = []
        for text, token, kind in zip(encoding.sequence_ids, encoding.ids, encoding.type_ids, strict=True):
            if text is None or not self._slots or self._slots[-1].text != text:
                self._slots.append(_Slot(text, token, kind))
        self._frame = sum(slot.text is None for slot in self._slots)

    def pairs(self, question: str, passages: Sequence[str], max_tokens: int) -> list[Pair]:
        """One row for each passage, of at most `max_tokens`. The passage is cut; the question only beyond half of the room."""
        room = max_tokens - self._frame
        asked, *found = self.plain_ids([question, *passages])
        asked = asked[: room // 2]
        return [self._pair(asked, passage[: room - len(asked)]) for passage in found]

    def _pair(self, question: list[int], passage: list[int]) -> Pair:
        ids: list[int] = []
        types: list[int] = []
        for slot in self._slots:
            part = [slot.token] if slot.text is None else (question, passage)[slot.text]
            ids += part
            types += [slot.type] * len(part)
        return Pair(ids, types)
