"""Draws the pictures of the golden set from their truths, with the fonts of `pictures.draw`."""

from __future__ import annotations

from PIL import Image, ImageDraw

from pictures.draw import arrow, font, node
from pictures.golden.truths import Bars, Flow, Grid, Lines, Seen, Truth, Window

INK, PAPER, RULE = "#202020", "white", "#b0b0b0"
COLOURS = ("#1f77b4", "#d62728", "#2ca02c")
STEP, DOWN = 260, 110


def draw(truth: Truth) -> Image.Image:
    """The picture of a truth. Raises `ValueError` for one that was only seen."""
    if isinstance(truth, Seen):
        raise ValueError(f"This picture is fetched, not drawn: {truth.summary}")
    if isinstance(truth, Bars):
        return _bars(truth)
    if isinstance(truth, Lines):
        return _lines(truth)
    if isinstance(truth, Grid):
        return _grid(truth)
    return _flow(truth) if isinstance(truth, Flow) else _window(truth)


def _text(pen: ImageDraw.ImageDraw, at: tuple[float, float], text: str, size: int = 18, anchor: str = "lt") -> None:
    pen.text(at, text, fill=INK, font=font(size, text), anchor=anchor)


def _axes(title: str, unit: str, most: int) -> tuple[Image.Image, ImageDraw.ImageDraw, int]:
    """An empty chart of 760 x 460, its area from (100, 70) to (720, 380), and where its scale ends."""
    image = Image.new("RGB", (760, 460), PAPER)
    pen = ImageDraw.Draw(image)
    _text(pen, (410, 22), title, 24, "mm")
    _text(pen, (100, 50), unit, 16, "mm")
    step = next(step for power in range(6) for step in (10**power, 2 * 10**power, 5 * 10**power) if step * 6 >= most)
    top = step * -(-most // step)
    for value in range(0, top + 1, step):
        y = 380 - 310 * value / top
        pen.line((94, y, 100, y), fill=INK, width=2)
        _text(pen, (88, y), str(value), 16, "rm")
    pen.line((100, 70, 100, 380, 720, 380), fill=INK, width=2)
    return image, pen, top


def _bars(truth: Bars) -> Image.Image:
    image, pen, top = _axes(truth.title, truth.unit, max(truth.values))
    wide = 620 / len(truth.names)
    for index, (name, value) in enumerate(zip(truth.names, truth.values, strict=True)):
        left = 100 + wide * (index + 0.2)
        pen.rectangle((left, 380 - 310 * value / top, left + 0.6 * wide, 379), fill=COLOURS[0])
        _text(pen, (left + 0.3 * wide, 400), name, 17, "mm")
    return image


def _lines(truth: Lines) -> Image.Image:
    image, pen, top = _axes(truth.title, truth.unit, max(max(values) for _, values in truth.series))
    wide = 620 / len(truth.labels)
    for index, label in enumerate(truth.labels):
        _text(pen, (100 + wide * (index + 0.5), 400), label, 17, "mm")
    for colour, (name, values), row in zip(COLOURS, truth.series, range(9), strict=False):
        points = [(100 + wide * (index + 0.5), 380 - 310 * value / top) for index, value in enumerate(values)]
        pen.line(points, fill=colour, width=3)
        left = 130 + 190 * row
        pen.line((left, 438, left + 34, 438), fill=colour, width=3)
        _text(pen, (left + 42, 438), name, 17, "lm")
    return image


def _grid(truth: Grid) -> Image.Image:
    wide = max(
        120, *(28 + 18 * len(cell) if ord(cell[0]) > 0x2E80 else 28 + 10 * len(cell) for row in truth.rows for cell in row)
    )
    image = Image.new("RGB", (40 + wide * len(truth.rows[0]), 80 + 42 * len(truth.rows)), PAPER)
    pen = ImageDraw.Draw(image)
    _text(pen, (20, 18), truth.title, 20)
    for row, cells in enumerate(truth.rows):
        for column, cell in enumerate(cells):
            left, top = 20 + wide * column, 56 + 42 * row
            pen.rectangle((left, top, left + wide, top + 42), outline=INK, width=2, fill="#e6ebf2" if row == 0 else PAPER)
            _text(pen, (left + 12, top + 21), cell, 17, "lm")
    return image


def _flow(truth: Flow) -> Image.Image:
    columns = 1 + max(column for _, column, _ in truth.steps)
    rows = 1 + max(row for _, _, row in truth.steps)
    image = Image.new("RGB", (60 + STEP * columns, 30 + DOWN * rows), PAPER)
    pen = ImageDraw.Draw(image)
    boxes = [(40 + STEP * c, 40 + DOWN * r, 220 + STEP * c, 90 + DOWN * r) for _, c, r in truth.steps]
    shapes = ["diamond" if text[-1] in "?？" else "box" for text, _, _ in truth.steps]
    for (text, _, _), box, shape in zip(truth.steps, boxes, shapes, strict=True):
        node(pen, box, text, shape, "#eef3ff", INK)
    for source, target, label in truth.arrows:
        first, second = boxes[source], boxes[target]
        out, into = (15 if shapes[index] == "diamond" else 1 for index in (source, target))
        if first[0] == second[0]:
            x = (first[0] + first[2]) / 2
            below = second[1] > first[1]
            ends = (first[3] + out, second[1] - into) if below else (first[1] - out, second[3] + into)
            arrow(pen, (x, ends[0]), (x, ends[1]), INK)
            at = (x + 8, sum(ends) / 2)
        else:
            y = (first[1] + first[3]) / 2
            right = second[0] > first[0]
            ends = (first[2] + out, second[0] - into) if right else (first[0] - out, second[2] + into)
            if first[1] == second[1]:
                arrow(pen, (ends[0], y), (ends[1], y), INK)
            else:  # level, then up or down into the other's middle
                x = (second[0] + second[2]) / 2
                upwards = second[1] < first[1]
                pen.line((ends[0], y, x, y), fill=INK, width=2)
                arrow(pen, (x, y), (x, second[3] + into if upwards else second[1] - into), INK)
            at = (min(ends) + 10, y - 12)
        if label:
            _text(pen, at, label, 14, "lm")
    return image


def _window(truth: Window) -> Image.Image:
    tall = 170 + 44 * len(truth.fields) + (40 if truth.message else 0)
    image = Image.new("RGB", (640, tall), "#f4f4f4")
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, 640, 36), fill="#dde3ea")
    _text(pen, (14, 18), truth.title, 17, "lm")
    for index, colour in enumerate(("#e05555", "#e0b855", "#5fb35f")):
        pen.ellipse((608 - index * 24, 11, 622 - index * 24, 25), fill=colour)
    if truth.message:
        _text(pen, (36, 84), truth.message, 18, "lm")
    for index, (name, value) in enumerate(truth.fields):
        top = 60 + 44 * index + (60 if truth.message else 0)
        _text(pen, (36, top + 15), name, 17, "lm")
        pen.rectangle((300, top, 600, top + 30), outline="#808080", fill=PAPER)
        _text(pen, (310, top + 15), value, 17, "lm")
    for index, button in enumerate(truth.buttons):
        left = 640 - 150 * (index + 1)
        pen.rounded_rectangle((left, tall - 52, left + 130, tall - 18), 5, outline="#808080", fill="#dde3ea")
        _text(pen, (left + 65, tall - 35), button, 17, "mm")
    return image
