"""Boxes and arrows read from pixels."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from ragd.core.documents import OcrLine
from ragd.diagrams.mermaid import check_mermaid, to_mermaid
from ragd.diagrams.model import Diagram
from ragd.diagrams.pixels.reader import read_diagram

SAMPLES = Path(__file__).parents[2] / "data" / "diagrams"
WIDTH, HEIGHT = 700, 500


class Canvas:
    """A picture with the words that stand in it."""

    def __init__(self, ground: int = 255) -> None:
        self.image: NDArray[np.uint8] = np.full((HEIGHT, WIDTH, 3), ground, np.uint8)
        self.words: list[OcrLine] = []
        self._ink = (20, 20, 20) if ground > 127 else (235, 235, 235)

    def text(self, text: str, x: int, y: int) -> None:
        (wide, high), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.5, 1)
        cv2.putText(self.image, text, (x - wide // 2, y + high // 2), cv2.FONT_HERSHEY_SIMPLEX, 0.5, self._ink, 1, cv2.LINE_AA)
        box = (x - wide / 2 - 1, y - high / 2 - 3, x + wide / 2 + 1, y + high / 2 + 5)
        left, top, right, bottom = box
        self.words.append(OcrLine(text, 0.9, (left / WIDTH, top / HEIGHT, right / WIDTH, bottom / HEIGHT)))

    def box(self, text: str, x: int, y: int) -> None:
        cv2.rectangle(self.image, (x - 60, y - 25), (x + 60, y + 25), self._ink, 2, cv2.LINE_AA)
        self.text(text, x, y)

    def diamond(self, text: str, x: int, y: int) -> None:
        corners = np.array([[x, y - 55], [x + 90, y], [x, y + 55], [x - 90, y]])
        cv2.polylines(self.image, [corners], isClosed=True, color=self._ink, thickness=2, lineType=cv2.LINE_AA)
        self.text(text, x, y)

    def arrow(self, first: tuple[int, int], last: tuple[int, int], *, head: bool = True) -> None:
        cv2.line(self.image, first, last, self._ink, 2, cv2.LINE_AA)
        if head:
            way = np.array(last, float) - np.array(first, float)
            way /= np.hypot(*way)
            side = np.array([-way[1], way[0]])
            base = np.array(last) - 13 * way
            corners = np.array([last, base + 7 * side, base - 7 * side]).round().astype(int)
            cv2.fillPoly(self.image, [corners], self._ink, cv2.LINE_AA)


def approval(ground: int = 255) -> Canvas:
    """A request is approved, or refused; two arrows cross."""
    canvas = Canvas(ground)
    canvas.box("Request", 150, 60)
    canvas.diamond("Approved?", 150, 220)
    canvas.box("Ship", 150, 420)
    canvas.box("Tell why", 480, 220)
    canvas.box("Archive", 480, 420)
    canvas.arrow((150, 85), (150, 164))
    canvas.arrow((150, 276), (150, 394))
    canvas.arrow((241, 220), (419, 220))
    canvas.arrow((480, 246), (480, 394))
    canvas.arrow((211, 420), (419, 420), head=False)
    return canvas


EXPECTED = {
    ("Request", "Approved?"),
    ("Approved?", "Ship"),
    ("Approved?", "Tell why"),
    ("Tell why", "Archive"),
    ("Ship", "Archive"),
}


def edges_of(diagram: Diagram | None) -> set[tuple[str, str]]:
    assert diagram
    assert check_mermaid(to_mermaid(diagram))
    return {(diagram.label(edge.source), diagram.label(edge.target)) for edge in diagram.edges}


@pytest.mark.parametrize("ground", [255, 235, 20], ids=["white", "grey", "dark"])
def test_boxes_arrows_and_their_heads_are_read(ground: int) -> None:
    canvas = approval(ground)
    diagram = read_diagram(canvas.image, canvas.words)
    assert diagram
    assert {node.label for node in diagram.nodes} == {"Request", "Approved?", "Ship", "Tell why", "Archive"}
    assert next(node.shape for node in diagram.nodes if node.label == "Approved?") == "diamond"
    lines = {(diagram.label(edge.source), diagram.label(edge.target)) for edge in diagram.edges if edge.kind == "line"}
    assert lines in ({("Ship", "Archive")}, {("Archive", "Ship")})
    assert edges_of(diagram) - lines == EXPECTED - {("Ship", "Archive")}
    assert all(edge.confidence >= 0.6 for edge in diagram.edges)


def test_a_label_on_an_arrow_is_the_arrows_and_interrupts_it_without_harm() -> None:
    canvas = approval()
    canvas.image[210:232, 310:340] = 255
    canvas.text("no", 325, 220)
    diagram = read_diagram(canvas.image, canvas.words)
    assert edges_of(diagram) >= EXPECTED - {("Ship", "Archive")}
    assert diagram
    assert {(diagram.label(edge.target), edge.label) for edge in diagram.edges if edge.label} == {("Tell why", "no")}


def test_arrows_that_cross_go_straight_on() -> None:
    canvas = Canvas()
    for name, x, y in (("A one", 100, 100), ("B two", 600, 100), ("C three", 100, 400), ("D four", 600, 400)):
        canvas.box(name, x, y)
    canvas.arrow((161, 120), (539, 380))
    canvas.arrow((539, 120), (161, 380))
    assert edges_of(read_diagram(canvas.image, canvas.words)) == {("A one", "D four"), ("B two", "C three")}


def test_a_tilted_picture_of_poor_quality_is_read() -> None:
    canvas = approval()
    turn = cv2.getRotationMatrix2D((WIDTH / 2, HEIGHT / 2), 2, 1)
    tilted = cv2.warpAffine(canvas.image, turn, (WIDTH, HEIGHT), borderValue=(255, 255, 255))
    _, data = cv2.imencode(".jpg", tilted, [cv2.IMWRITE_JPEG_QUALITY, 60])
    words = []
    for word in canvas.words:
        left, top, right, bottom = word.box
        x, y = turn @ np.array([(left + right) / 2 * WIDTH, (top + bottom) / 2 * HEIGHT, 1])
        wide, high = (right - left) / 2, (bottom - top) / 2
        words.append(OcrLine(word.text, 0.9, (x / WIDTH - wide, y / HEIGHT - high, x / WIDTH + wide, y / HEIGHT + high)))
    found = edges_of(read_diagram(np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8), words))
    assert len(found & EXPECTED) >= 4


@pytest.mark.parametrize(
    "sample", json.loads((SAMPLES / "flow.json").read_text(encoding="utf-8")), ids=lambda sample: sample["name"]
)
def test_what_mermaid_draws_is_read(sample: dict[str, object]) -> None:
    image = np.asarray(cv2.imread(str(SAMPLES / f"{sample['name']}.png")), np.uint8)
    words = [OcrLine(text, 1.0, tuple(box)) for text, box in sample["words"]]  # type: ignore[attr-defined]
    true = {tuple(edge) for edge in sample["edges"]}  # type: ignore[attr-defined]
    found = edges_of(read_diagram(image, words))
    assert 2 * len(found & true) / (len(found) + len(true)) >= 0.85


def test_a_doubtful_arrow_is_left_out_and_counted() -> None:
    canvas = approval()
    # A scribble from a box that ends nowhere near its target's own arrow.
    canvas.arrow((211, 60), (474, 190), head=False)
    diagram = read_diagram(canvas.image, canvas.words)
    assert diagram
    assert all(edge.confidence >= 0.6 for edge in diagram.edges)


@pytest.mark.parametrize("seed", range(3))
def test_noise_is_no_diagram_and_ends(seed: int) -> None:
    noise = np.random.default_rng(seed).integers(0, 255, (300, 400, 3)).astype(np.uint8)
    words = [OcrLine(f"word {number}", 0.9, (0.1, number / 30, 0.3, number / 30 + 0.02)) for number in range(25)]
    diagram = read_diagram(noise, words)
    assert diagram is None or check_mermaid(to_mermaid(diagram))


def test_a_picture_without_words_or_boxes_is_no_diagram() -> None:
    canvas = approval()
    assert read_diagram(canvas.image, []) is None
    blank = Canvas()
    blank.text("Only text", 200, 200)
    assert read_diagram(blank.image, blank.words) is None
    assert read_diagram(np.zeros((4, 4, 3), np.uint8), blank.words) is None
