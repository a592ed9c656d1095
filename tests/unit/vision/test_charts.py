"""Charts: their words, and the values of bars and curves by the marks of the axis."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw

from ragd.core.documents import OcrLine
from ragd.vision.charts.reading import chart_in
from ragd.vision.charts.scales import scale_of, value_of

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
    marks = [line(text, 55, 100 + 50 * index) for index, text in enumerate(("1", "10", "30", "1000"))]
    assert scale_of(marks) is None


def test_marks_that_grow_by_the_same_factor_are_a_logarithmic_scale() -> None:
    scale = scale_of([line(str(10**power), 55, 300 - 50 * power) for power in range(5)])
    assert scale is not None
    assert scale.at(175 / HEIGHT) == pytest.approx(10**2.5, rel=0.02)
    assert scale.shown(200 / HEIGHT, 1 / HEIGHT) == "100"


WARM, COLD, ZERO = (12, 25, 8), (-20, -5, -16), 200
"""Values of two series above and below a line at `ZERO`, two pixels for one."""


def in_window() -> tuple[np.ndarray[tuple[int, int, int], np.dtype[np.uint8]], list[OcrLine]]:
    """A chart with a legend below, whose names were read as one, in a window with a title bar and a shadow."""
    image = Image.new("RGB", (WIDTH, HEIGHT), "white")
    draw = ImageDraw.Draw(image)
    for shade in range(12):
        draw.rectangle((50 + shade, 32 + shade, 610 - shade, 395 - shade), outline=(250 - 9 * shade,) * 3)
    draw.rectangle((62, 30, 598, 383), fill="white", outline=(120, 120, 120))
    draw.rectangle((62, 30, 598, 52), fill=(220, 220, 220), outline=(150, 150, 150))
    for number, colour in enumerate(((250, 90, 80), (250, 190, 50), (40, 200, 60))):
        draw.ellipse((70 + 20 * number, 35, 82 + 20 * number, 47), fill=colour)
    marks = (50, 25, 0, -25, -50)
    for value in marks:
        draw.line((180, ZERO - 2 * value, 520, ZERO - 2 * value), fill=(215, 215, 215))
    draw.line((180, 90, 180, 310), fill=(200, 200, 200), width=2)
    for number, (warm, cold) in enumerate(zip(WARM, COLD, strict=True)):
        x = 230 + 110 * number
        draw.rectangle((x - 20, ZERO - 2 * warm, x + 20, ZERO - 1), fill=(250, 140, 40))
        draw.rectangle((x - 20, ZERO + 1, x + 20, ZERO - 2 * cold), fill=(30, 140, 220))
    draw.rectangle((275, 345, 284, 354), fill=(30, 140, 220))
    draw.rectangle((335, 345, 344, 354), fill=(250, 140, 40))
    said = [line(str(value), 150, ZERO - 2 * value, 30) for value in marks]
    said += [line("Spring Summer Autumn", 340, 325, 290), line("NightlyNoon", 332, 350, 116)]
    return np.asarray(image, np.uint8), [line("Readings", 330, 41, 60), line("Degrees", 350, 75, 80), *said]


def test_a_chart_in_a_window_is_measured_by_its_own_axes_above_and_below_zero() -> None:
    chart = chart_in(*in_window())
    assert (chart.kind, chart.doubts) == ("bars", ())
    assert sorted(chart.legend) == ["Nightly", "Noon"]
    values = {one.name: dict(one.points) for one in chart.series}
    for name, expected in (("Noon", WARM), ("Nightly", COLD)):
        assert list(values[name]) == ["Spring", "Summer", "Autumn"]
        assert [float(value) for value in values[name].values()] == pytest.approx(expected, abs=1)


def test_names_are_left_out_where_a_colour_has_no_patch_in_the_legend() -> None:
    pixels, said = in_window()
    changed = pixels.copy()
    changed[340:360, 330:350] = 255
    assert {one.name for one in chart_in(changed, said).series} == {""}


def test_a_chart_whose_values_can_not_be_measured_says_so() -> None:
    chart = chart_in(drawn(), [one for one in words() if not one.text.isdigit()])
    assert chart.series == ()
    assert chart.doubts == ("values",)


@pytest.mark.parametrize(
    ("text", "value"), [("1,200", 1200.0), ("1.200,5", 1200.5), ("−3.5", -3.5), ("45%", 45.0), ("2k", 2000.0), ("Osaka", None)]
)
def test_numbers_are_read_as_they_are_meant(text: str, value: float | None) -> None:
    assert value_of(text) == value
