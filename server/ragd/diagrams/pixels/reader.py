"""A picture of boxes and arrows as a diagram. Imports OpenCV: to be imported where a picture is to be read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ragd.core.documents import OcrLine
from ragd.diagrams.model import Diagram, Edge, EdgeKind, Node, made
from ragd.diagrams.pixels.lines import Arrow, arrows
from ragd.diagrams.pixels.shapes import MAX_BOXES, Outline, outlines
from ragd.diagrams.pixels.words import Word, joined, upright, without_words

LEAST_CONFIDENCE: Final = 0.6
"""Edges that are less sure are left out, and counted."""
_LEAST_BOXES: Final = 2
_NEAR: Final = 18.0


def read_diagram(image: NDArray[np.uint8], words: Sequence[OcrLine]) -> Diagram | None:
    """The diagram that a picture (`[height, width, 3]`, blue first) shows, with what was read in it as labels.

    None where there are fewer than two boxes with words in them. `Diagram.left_out` counts edges that may not be there.
    """
    if not words or len(words) > 10 * MAX_BOXES or min(image.shape[:2]) < 32:
        return None
    everything, lines = upright(image, words)
    ink = without_words(everything, lines)
    boxes = outlines(ink, lines)
    if len(boxes) < _LEAST_BOXES:
        return None
    inside = {id(word) for box in boxes for word in box.words}
    beside = [word for word in lines if id(word) not in inside]
    found = arrows(ink, boxes, beside)
    sure = [arrow for arrow in found if arrow.confidence >= LEAST_CONFIDENCE]
    labels = _labels(beside, sure)
    edges = [_edge(arrow, labels.get(number, "")) for number, arrow in enumerate(sure)]
    doubtful = {(arrow.source, arrow.target) for arrow in found} - {(arrow.source, arrow.target) for arrow in sure}
    return made("flowchart", [_node(number, box) for number, box in enumerate(boxes)], edges, left_out=len(doubtful))


def _node(number: int, box: Outline) -> Node:
    left, top, right, bottom = box.box
    return Node(str(number), box.label, box.shape, (float(left), float(top), float(right), float(bottom)))


def _edge(arrow: Arrow, label: str) -> Edge:
    first, last = arrow.heads
    kind: EdgeKind = "both" if first and last else "arrow" if first or last else "line"
    return Edge(str(arrow.source), str(arrow.target), label, kind, arrow.confidence)


def _labels(words: Sequence[Word], found: Sequence[Arrow]) -> dict[int, str]:
    """Arrow -> the words that stand on it, or next to it."""
    of: dict[int, list[Word]] = {}
    for word in words:
        left, top, right, bottom = word.box

        def away(arrow: Arrow, box: tuple[float, float, float, float] = (left, top, right, bottom)) -> float:
            return min(
                (math.hypot(max(box[0] - x, 0, x - box[2]), max(box[1] - y, 0, y - box[3])) for x, y in arrow.path),
                default=math.inf,
            )

        distance, number = min(((away(arrow), number) for number, arrow in enumerate(found)), default=(math.inf, 0))
        if distance <= _NEAR:
            of.setdefault(number, []).append(word)
    return {number: joined(said) for number, said in of.items()}
