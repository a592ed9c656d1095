"""What kind of picture it is: by the words around it, and by what can be seen in it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from ragd.core.documents import OcrLine
from ragd.vision.description import ImageType, PictureContext

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]

_WORDS: Final[Mapping[ImageType, tuple[str, ...]]] = {
    "flowchart": (
        r"flow[ -]?charts?|work[ -]?flow|process flow|decision tree",
        r"フロー(?:チャート|図)?|処理の流れ|手順図|流程图?|流程圖",
    ),
    "screenshot": (
        r"screen[ -]?shots?|screen[ -]?grabs?|dialog(?:ue)?s?|dialog box|user interface",
        r"スクリーンショット|画面|ダイアログ|截图|截圖|屏幕|界面|对话框",
    ),
    "table": (r"tables?|matrix|spread ?sheets?", r"表(?!示|す|し|現|面|题|題|达|達|明|述|情|格式)|一覧|表格|列表"),
    "chart": (
        r"(?:bar|line|pie|area|scatter) (?:chart|graph|plot)s?|(?<!flow )(?<!flow-)charts?|graphs?|plots?|histograms?|trends?",
        r"グラフ|推移|折れ線|棒グラフ|円グラフ|柱状图|折线图|饼图|图表|曲线|趋势",
    ),
    "diagram": (
        r"diagrams?|architecture|topology|schema(?:tic)?s?|UML|ER diagram|class diagram|sequence diagram",
        r"構成図|アーキテクチャ|関係図|クラス図|シーケンス図|架构图?|结构图|拓扑|时序图|类图|示意图",
    ),
    "photo": (r"photos?|photographs?", r"写真|照片|相片"),
}
_PATTERNS: Final = {
    kind: re.compile(rf"(?<![A-Za-z])(?:{'|'.join(words)})(?![A-Za-z])", re.IGNORECASE) for kind, words in _WORDS.items()
}
_FARTHEST: Final = 4.0
"""Deviations from the mean that count at most."""
_STATED: Final = 3.0
"""Weight of the picture's own words: its alternative text, its caption line, its file's name."""
_HEADING: Final = 0.5
_NEARBY: Final = 0.3
"""Weight of the paragraphs around it, which speak of other pictures, too."""
_CERTAIN: Final = 0.4
"""A sum of weights from which a kind is taken. The picture alone gives each kind its probability. Chosen by cross-validation
on others' pictures: with 0.5, many were left untold whose likeliest kind was right (docs/decisions.md)."""
_MIXED: Final = 0.3
"""Probability that two kinds have in a picture that holds both."""
_KINDRED: Final[Mapping[ImageType, ImageType]] = {"flowchart": "diagram", "diagram": "flowchart"}
"""A flow chart is a diagram: doubt between them is no mixture, and the likelier of the two is taken."""


def image_type_of(pixels: Pixels, context: PictureContext, words: Sequence[OcrLine]) -> ImageType:
    """The kind with the most weight; `unknown` when nothing has enough. `pixels` are red, green, blue."""
    return routed(pixels, context, words)[0]


def routed(pixels: Pixels, context: PictureContext, words: Sequence[OcrLine]) -> tuple[ImageType, float]:
    """As `image_type_of`, and how sure that is: the kind's share of all weights, 0..1, and 0 for a kind that nothing says."""
    scores = words_say(context)
    seen = picture_says(pixels, words)
    for kind, weight in seen.items():
        scores[kind] = scores.get(kind, 0.0) + weight
    ranked = sorted(scores.items(), key=lambda item: -item[1])
    if not ranked:
        return "unknown", 0.0
    share = ranked[0][1] / sum(scores.values())
    first, weight = ranked[0]
    if weight + (seen.get(_KINDRED[first], 0.0) if first in _KINDRED else 0.0) >= _CERTAIN:
        return first, share
    if len(ranked) > 1 and ranked[1][1] >= _MIXED:
        return "mixed", share + ranked[1][1] / sum(scores.values())
    return "unknown", 0.0


def words_say(context: PictureContext) -> dict[ImageType, float]:
    """The weight of each kind by the words around a picture."""
    name = re.sub(r"[_\-.0-9]+", " ", context.file_name)
    weighted = (
        (context.alt, _STATED),
        (context.caption, _STATED),
        (name, _STATED),
        (context.heading, _HEADING),
        (context.text, _NEARBY),
    )
    scores: dict[ImageType, float] = {}
    for text, weight in weighted:
        for kind, pattern in _PATTERNS.items():
            if text and pattern.search(text):
                scores[kind] = max(scores.get(kind, 0.0), weight)
    return scores


def picture_says(pixels: Pixels, words: Sequence[OcrLine]) -> dict[ImageType, float]:
    """The probability of each kind by the picture alone; nothing without OpenCV."""
    try:
        from ragd.vision.features import features_of
    except ImportError:
        return {}
    return probabilities(features_of(pixels, words).values())


def probabilities(values: Sequence[float]) -> dict[ImageType, float]:
    """Of each kind, by logistic regression over what was seen; `scripts/pictures/train_routing.py` makes the weights."""
    learned = _weights()
    spread = zip(values, learned["mean"], learned["deviation"], strict=True)
    inputs = [*(min(_FARTHEST, max(-_FARTHEST, (value - mean) / deviation)) for value, mean, deviation in spread), 1.0]
    columns = zip(*learned["weights"], strict=True)
    sums = [sum(value * weight for value, weight in zip(inputs, column, strict=True)) for column in columns]
    powers = [math.exp(one - max(sums)) for one in sums]
    return {kind: power / sum(powers) for kind, power in zip(learned["types"], powers, strict=True)}


@cache
def _weights() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        resources.files("ragd.vision").joinpath("routing_weights.json").read_text(encoding="utf-8")
    )
    return found
