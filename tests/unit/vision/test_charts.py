"""Charts: their words, and the values of bars and curves by the marks of the axis."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw

from ragd.core.documents import OcrLine
from ragd.vision.charts import chart_in, scale_of, value_of

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 640, 400, 80, 340, 60
NAMES = ("Osaka", "Lisbon", "Nairobi", "Quito")
VALUES = (80, 45, 62, 20)


def place(value: float) -> float:
    return BOTTOM - value * (BOTTOM - TOP) / 100


def line(text: str, x: float, y: float, wide: float = 40, tall: float = 16) -> OcrLine:
    """A line of text around a point."""
    box = ((x - wide / 2) / WIDTH, (y - tall / 2) / HEIGHT, (x + wide / 2) / WIDTH, (y + tall / 2) / HEIGHT)
    return OcrLine(text, 0.99, box)


def words() -> list[OcrLine]:
    marks = [line(str(value), 55, place(value), 30) for value in (0, 20, 40, 60, 80, 100)]
    names = [line(name, 150 + 120 * index, BOTTOM + 16) for index, name in enumerate(NAMES)]
    return [*marks, *names, line("Orders by region", 320, 30, 200, 24), line("Region", 320, BOTTOM + 44)]


def drawn(*, curve: bool = False) -> np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]:
    image = Image.new("RGB", (WIDTH, HEIGHT), "white")
    draw = ImageDraw.Draw(image)
    points = [(150 + 120 * index, place(value)) for index, value in enumerate(VALUES)]
    if curve:
        draw.line(points, fill=(200, 60, 20), width=3)
    else:
        for x, y in points:
            draw.rectangle((x - 30, y, x + 30, BOTTOM), fill=(31, 119, 180))
    draw.line((LEFT, TOP - 20, LEFT, BOTTOM), fill="black", width=2)
    draw.line((LEFT, BOTTOM, 600, BOTTOM), fill="black", width=2)
    return np.asarray(image, np.uint8)


@pytest.mark.parametrize("curve", [False, True])
def test_values_are_measured_against_the_axis(curve: bool) -> None:
    chart = chart_in(drawn(curve=curve), words())
    assert chart.kind == ("lines" if curve else "bars")
    assert (chart.title, chart.x_axis) == ("Orders by region", "Region")
    (series,) = chart.series
    assert [name for name, _ in series.points] == list(NAMES)
    assert [float(value) for _, value in series.points] == pytest.approx(VALUES, abs=2)


def test_one_mark_that_was_misread_does_not_spoil_the_scale() -> None:
    marks = words()[:6]
    marks[3] = OcrLine("600", 0.7, marks[3].box)
    scale = scale_of(marks)
    assert scale is not None
    assert scale.at(place(50) / HEIGHT) == pytest.approx(50, abs=2)


def test_marks_that_are_no_scale_measure_nothing() -> None:
    marks = [line(text, 55, 100 + 50 * index) for index, text in enumerate(("1", "10", "100", "1000"))]
    assert scale_of(marks) is None


def test_a_chart_whose_values_can_not_be_measured_says_so() -> None:
    chart = chart_in(drawn(), [one for one in words() if not one.text.isdigit()])
    assert chart.series == ()
    assert chart.doubts == ("values",)


@pytest.mark.parametrize(
    ("text", "value"), [("1,200", 1200.0), ("1.200,5", 1200.5), ("−3.5", -3.5), ("45%", 45.0), ("2k", 2000.0), ("Osaka", None)]
)
def test_numbers_are_read_as_they_are_meant(text: str, value: float | None) -> None:
    assert value_of(text) == value
