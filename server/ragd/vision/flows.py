"""What flow charts have and other drawings lack: questions with their answers, texts that say what is done, boxes in a row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ragd.core.documents import OcrLine
from ragd.vision.shapes import Box
from ragd.vision.words import middle

_ANSWERS: Final = re.compile(
    r"^\W*(?:yes|no|true|false|y|n|else|otherwise|ok|success|failed|failure|はい|いいえ|是|否|有|無|无|成功|失敗|失败)\W*$",
    re.IGNORECASE,
)
_ENDS: Final = re.compile(r"^\W*(?:start|begin|end|stop|done|finish(?:ed)?|exit|return|開始|終了|开始|结束)\W*$", re.IGNORECASE)
_DOES: Final = re.compile(
    r"^\W*(?:is|are|has|have|does|do|did|can|should|if|for|while|until|when|add|allocate|append|apply|approve|archive|ask|assign|build|call|"
    r"cancel|check|choose|clear|close|collect|compare|compute|configure|connect|continue|convert|copy|create|delete|determine|"
    r"download|drop|execute|fetch|find|generate|get|give|handle|increment|initiali[sz]e|insert|install|load|log|look|make|mark|"
    r"merge|move|notify|open|parse|perform|prepare|print|process|put|read|receive|reject|release|remove|replace|report|request|"
    r"reserve|reset|restart|retry|return|review|run|save|search|select|send|set|sort|start|stop|store|submit|test|transfer|try|"
    r"update|use|validate|verify|wait|write)\b\s*+\S|(?:する|確認|送信|受信|作成|登録|承認|検査)$",
    re.IGNORECASE,
)
_CODE: Final = re.compile(r"::|\w_\w|\w\(|<\w|\w\.(?:h|c|cpp|py|java)\b|[a-z][A-Z]")
_NEAR: Final = 0.02
"""Of the picture's width or height: centres that stand one below the other, or side by side."""


@dataclass(frozen=True, slots=True)
class Flow:
    """Counts, and shares 0..1."""

    questions: int
    """Texts that ask, and answers to them."""
    ends: int
    """Texts that say where it starts or ends."""
    doing: float
    """Share of the texts that begin with what is done."""
    code: float
    """Share of the texts that are names of a program, as of its classes and files."""
    boxed: float
    """Share of the texts that stand in a box."""
    below: float
    """Share of the boxes that stand straight below or above another."""
    beside: float
    """Share of the boxes that stand level with another."""


def flow_of(boxes: Sequence[Box], words: Sequence[OcrLine], size: tuple[int, int]) -> Flow:
    """Look at what was read and where; `size` is the width and height that `boxes` are measured in."""
    width, tall = size
    texts = [line.text.strip() for line in words]
    held = sum(
        any(left <= x * width <= right and top <= y * tall <= bottom for left, top, right, bottom in boxes)
        for x, y in map(middle, words)
    )
    return Flow(
        questions=sum(text.endswith(("?", "？")) or bool(_ANSWERS.match(text)) for text in texts),
        ends=sum(bool(_ENDS.match(text)) for text in texts),
        doing=sum(bool(_DOES.search(text)) for text in texts) / max(1, len(texts)),
        code=sum(bool(_CODE.search(text)) for text in texts) / max(1, len(texts)),
        boxed=held / max(1, len(words)),
        below=_aligned([(box[0] + box[2]) / 2 / width for box in boxes]),
        beside=_aligned([(box[1] + box[3]) / 2 / tall for box in boxes]),
    )


def _aligned(centres: Sequence[float]) -> float:
    """The share of centres that have another one near."""
    return sum(sum(abs(one - other) < _NEAR for other in centres) >= 2 for one in centres) / max(1, len(centres))
