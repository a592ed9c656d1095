"""Recognised words laid on the ink of a drawing: generous rectangles, tilted lines, strokes that were read as letters."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from tests.unit.diagrams.test_pixels import HEIGHT, WIDTH, Canvas, edges_of

from ragd.core.documents import OcrLine
from ragd.diagrams.pixels.reader import read_diagram
from ragd.diagrams.pixels.words import TEXT_HEIGHT, upright, without_words

FLOW = {("Ask for it", "Approved?"), ("Approved?", "Send the parcel")}


def tight_flow() -> Canvas:
    """Two boxes and a flat diamond, each close around its words, joined by thin arrows."""
    canvas = Canvas()
    for text, y in (("Ask for it", 60), ("Send the parcel", 420)):
        cv2.rectangle(canvas.image, (230, y - 14), (370, y + 14), (20, 20, 20), 1)
        canvas.text(text, 300, y)
    corners = np.array([[300, 218], [390, 240], [300, 262], [210, 240]])
    cv2.polylines(canvas.image, [corners], isClosed=True, color=(20, 20, 20), thickness=1, lineType=cv2.LINE_AA)
    canvas.text("Approved?", 300, 240)
    canvas.arrow((300, 75), (300, 216))
    canvas.arrow((300, 263), (300, 404))
    return canvas


def generous(words: list[OcrLine], degrees: float = 0.0) -> list[OcrLine]:
    """The rectangles as text recognition gives them: a margin of a quarter of a line, and upright around a tilted line."""
    turn = cv2.getRotationMatrix2D((WIDTH / 2, HEIGHT / 2), degrees, 1)
    sine, cosine = abs(float(turn[0, 1])), float(turn[0, 0])
    found = []
    for word in words:
        left, top, right, bottom = np.array(word.box) * (WIDTH, HEIGHT, WIDTH, HEIGHT)
        x, y = turn @ np.array([(left + right) / 2, (top + bottom) / 2, 1])
        high = (bottom - top) * 3 / 2
        wide = right - left + (bottom - top) / 2
        across, down = (wide * cosine + high * sine) / 2, (high * cosine + wide * sine) / 2
        box = ((x - across) / WIDTH, (y - down) / HEIGHT, (x + across) / WIDTH, (y + down) / HEIGHT)
        found.append(OcrLine(word.text, word.score, box))
    return found


def tilted(canvas: Canvas, degrees: float) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    turn = cv2.getRotationMatrix2D((WIDTH / 2, HEIGHT / 2), degrees, 1)
    return np.asarray(cv2.warpAffine(canvas.image, turn, (WIDTH, HEIGHT), borderValue=(255, 255, 255)), np.uint8)


def test_rectangles_that_reach_over_the_outlines_do_not_cut_them() -> None:
    canvas = tight_flow()
    assert edges_of(read_diagram(canvas.image, generous(canvas.words))) == FLOW


@pytest.mark.parametrize("degrees", [-4.0, 2.0, 6.0])
def test_a_tilted_drawing_is_turned_upright(degrees: float) -> None:
    canvas = tight_flow()
    image, words = tilted(canvas, degrees), generous(canvas.words, degrees)
    ink, level = upright(image, words)
    heights = [word.box[3] - word.box[1] for word in level]
    assert max(abs(word.centre[0] - level[0].centre[0]) for word in level) < 8  # one above the other, as they were drawn
    assert max(heights) < 1.6 * TEXT_HEIGHT
    assert not without_words(ink, level)[tuple(slice(int(level[0].box[at]), int(level[0].box[at + 2])) for at in (1, 0))].any()
    assert edges_of(read_diagram(image, words)) == FLOW


def test_a_level_drawing_is_not_turned() -> None:
    canvas = tight_flow()
    ink, words = upright(canvas.image, generous(canvas.words))
    assert ink.shape == (HEIGHT, WIDTH)
    assert [word.text for word in words] == [word.text for word in canvas.words]


def test_an_arrow_head_that_was_read_as_a_letter_stays_an_arrow_head() -> None:
    canvas = tight_flow()
    words = [*generous(canvas.words), OcrLine("V", 0.7, (288 / WIDTH, 198 / HEIGHT, 312 / WIDTH, 216 / HEIGHT))]
    assert edges_of(read_diagram(canvas.image, words)) == FLOW


def test_an_arrow_to_the_lid_of_a_cylinder_reaches_it() -> None:
    canvas = Canvas()
    canvas.box("Order", 300, 60)
    ink = (20, 20, 20)
    cv2.ellipse(canvas.image, (300, 220), (70, 14), 0, 0, 360, ink, 2)
    cv2.ellipse(canvas.image, (300, 300), (70, 14), 0, 0, 180, ink, 2)
    for x in (230, 370):
        cv2.line(canvas.image, (x, 220), (x, 300), ink, 2)
    canvas.text("Stock", 300, 265)
    canvas.arrow((300, 86), (300, 204))
    assert edges_of(read_diagram(canvas.image, canvas.words)) == {("Order", "Stock")}
