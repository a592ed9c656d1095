"""Controls of a drawn window: buttons, fields with their values, check boxes."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image, ImageDraw

from ragd.core.documents import OcrLine
from ragd.providers.captioners.rules import RulesCaptioner
from ragd.vision.controls import Choice, controls_in
from ragd.vision.description import ImageType, PictureContext
from ragd.vision.lines import drawing_of

WIDTH, HEIGHT = 480, 360
OPTIONS = (("Morning report", True), ("Night report", False), ("Weekly digest", True))
FIELDS = (("Sender:", "Kestrel"), ("Copies:", "14"))
BUTTONS = ("Dispatch", "Discard")


class Window:
    """A dialog, drawn; `words` are what text recognition would read in it."""

    def __init__(self, *, is_dark: bool = False) -> None:
        self.face, self.ink = ((60, 62, 66), (230, 230, 230)) if is_dark else ((232, 232, 228), (30, 30, 30))
        self.image = Image.new("RGB", (WIDTH, HEIGHT), self.face)
        self.draw = ImageDraw.Draw(self.image)
        self.words: list[OcrLine] = []
        self.text("Delivery", 20, 12)
        for number, (label, value) in enumerate(FIELDS):
            top = 50 + 40 * number
            self.draw.rectangle((120, top - 6, 330, top + 20), outline=self.ink)
            self.text(label, 30, top)
            self.text(value, 126, top)
        for number, (option, is_chosen) in enumerate(OPTIONS):
            self.option(option, 150 + 34 * number, is_chosen)
        for number, button in enumerate(BUTTONS):
            left = 200 + 130 * number
            self.draw.rectangle((left, 310, left + 110, 340), outline=self.ink)
            self.text(button, left + 30, 317)

    def text(self, text: str, left: int, top: int) -> None:
        right = left + 7 * len(text)
        self.draw.text((left, top + 1), text, fill=self.ink)
        self.words.append(OcrLine(text, 0.95, (left / WIDTH, top / HEIGHT, right / WIDTH, (top + 15) / HEIGHT)))

    def option(self, text: str, top: int, is_chosen: bool) -> None:
        self.draw.rectangle((30, top + 1, 43, top + 14), fill=(255, 255, 255), outline=(40, 40, 40))
        if is_chosen:
            self.draw.line((33, top + 8, 36, top + 11, 41, top + 4), fill=(0, 0, 0), width=2)
        self.text(text, 56, top)

    @property
    def png(self) -> bytes:
        target = io.BytesIO()
        self.image.save(target, "PNG")
        return target.getvalue()


@pytest.mark.parametrize("is_dark", [False, True])
def test_controls_are_told_by_their_frames_and_signs(is_dark: bool) -> None:
    window = Window(is_dark=is_dark)
    controls = controls_in(drawing_of(np.asarray(window.image, np.uint8)), window.words)
    assert tuple(line.text for line in controls.buttons) == BUTTONS
    assert controls.fields == tuple((label.rstrip(":"), value) for label, value in FIELDS)
    assert controls.choices == tuple(Choice(text, is_chosen) for text, is_chosen in OPTIONS)
    assert controls.has_buttons_below


def test_what_text_recognition_made_of_a_check_box_is_no_word_of_its_option() -> None:
    window = Window()
    read = [
        OcrLine(f"V {one.text}", 0.9, (28 / WIDTH, *one.box[1:])) if one.text == OPTIONS[0][0] else one for one in window.words
    ]
    controls = controls_in(drawing_of(np.asarray(window.image, np.uint8)), read)
    assert controls.choices[0] == Choice(*OPTIONS[0])


def test_one_square_before_a_word_is_no_choice() -> None:
    window = Window()
    kept = [one for one in window.words if one.text not in (OPTIONS[1][0], OPTIONS[2][0])]
    assert controls_in(drawing_of(np.asarray(window.image, np.uint8)), kept).choices == ()


@pytest.mark.parametrize("taken_for", ["screenshot", "mixed", "unknown", "diagram"])
def test_a_window_that_was_taken_for_something_else_is_told_as_one(taken_for: ImageType) -> None:
    window = Window()
    said = RulesCaptioner().describe(window.png, PictureContext(language="en"), taken_for, window.words)
    assert said.image_type == "screenshot"
    assert "Sender: Kestrel" in said.key_points
    assert "Copies: 14" in said.key_points
    assert "Dispatch, Discard" in said.summary
    assert "Checked: Morning report, Weekly digest. Not checked: Night report." in said.summary


def test_rows_of_a_list_stay_together_where_nothing_else_is_known() -> None:
    words = [
        OcrLine(f"{name} {row}", 0.9, (0.1 + 0.25 * column, 0.2 * row, 0.25 + 0.25 * column, 0.2 * row + 0.1))
        for row in range(1, 4)
        for column, name in enumerate(("part", "shelf", "stock"))
    ]
    blank = io.BytesIO()
    Image.new("RGB", (300, 200), "white").save(blank, "PNG")
    said = RulesCaptioner().describe(blank.getvalue(), PictureContext(language="en"), "unknown", words)
    assert said.key_points == tuple(f"part {row} shelf {row} stock {row}" for row in range(1, 4))
