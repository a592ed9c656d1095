"""What kind of picture it is: by the words around it first, then by what is seen."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from ragd.core.documents import OcrLine
from ragd.testing.captions import picture_and_words
from ragd.vision import routing
from ragd.vision.description import IMAGE_TYPES, ImageType, PictureContext
from ragd.vision.flows import flow_of
from ragd.vision.routing import image_type_of, picture_says, words_say

BLANK = np.full((80, 120, 3), 255, np.uint8)


@pytest.mark.parametrize(
    ("context", "kind"),
    [
        (PictureContext(alt="Flow chart of the approval"), "flowchart"),
        (PictureContext(caption="図3 承認のフローチャート"), "flowchart"),
        (PictureContext(file_name="login_screenshot-2.png"), "screenshot"),
        (PictureContext(alt="错误对话框的截图"), "screenshot"),
        (PictureContext(caption="Table 4. Orders by region"), "table"),
        (PictureContext(alt="売上の推移(棒グラフ)"), "chart"),
        (PictureContext(alt="Deployment architecture"), "diagram"),
        (PictureContext(alt="Photo of the harbour"), "photo"),
    ],
)
def test_what_the_document_calls_a_picture_counts_most(context: PictureContext, kind: str) -> None:
    assert image_type_of(BLANK, context, ()) == kind


def test_a_word_within_another_says_nothing() -> None:
    assert words_say(PictureContext(alt="A stable and a plotter, as a charter shows")) == {}


def test_a_flow_chart_is_not_called_a_chart() -> None:
    assert set(words_say(PictureContext(alt="Flow chart of the approval"))) == {"flowchart"}
    assert set(words_say(PictureContext(alt="Chart of the orders"))) == {"chart"}


def test_what_stands_around_a_picture_alone_decides_nothing() -> None:
    assert max(words_say(PictureContext(text="The table and the chart below.")).values()) < 0.5


def test_a_ruled_grid_with_words_in_its_cells_is_a_table() -> None:
    picture, words = picture_and_words()
    pixels = np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"))
    assert image_type_of(pixels, PictureContext(), words) == "table"


def test_soft_noise_without_a_word_is_a_photograph() -> None:
    small = Image.fromarray(np.random.default_rng(1).integers(0, 255, (12, 16, 3), np.uint8))
    large = np.asarray(small.resize((480, 360), Image.Resampling.BICUBIC), np.int16)
    noisy = np.clip(large + np.random.default_rng(2).normal(0, 6, large.shape), 0, 255).astype(np.uint8)
    assert image_type_of(noisy, PictureContext(), ()) == "photo"


@pytest.mark.parametrize(
    ("seen", "kind"),
    [
        ({"table": 0.38, "chart": 0.36, "photo": 0.26}, "mixed"),
        ({"table": 0.38, "chart": 0.24, "photo": 0.2, "diagram": 0.18}, "unknown"),
        ({"screenshot": 0.45, "chart": 0.35, "table": 0.2}, "screenshot"),
        ({"flowchart": 0.3, "diagram": 0.25, "chart": 0.25, "table": 0.2}, "flowchart"),
    ],
)
def test_two_kinds_in_doubt_are_a_mixture_and_more_are_unknown(
    monkeypatch: pytest.MonkeyPatch, seen: dict[ImageType, float], kind: str
) -> None:
    monkeypatch.setattr(routing, "picture_says", lambda *_: seen)
    assert image_type_of(BLANK, PictureContext(), ()) == kind


@pytest.mark.parametrize("shape", [(1, 1), (1, 900), (900, 1), (40, 40)])
def test_a_picture_of_a_strange_shape_has_some_kind(shape: tuple[int, int]) -> None:
    says = picture_says(np.zeros((*shape, 3), np.uint8), ())
    assert set(says) <= set(IMAGE_TYPES)
    assert sum(says.values()) == pytest.approx(1)


def test_a_flow_chart_shows_by_its_questions_answers_and_boxes_one_below_the_other() -> None:
    texts = ["Start", "Check the stock", "In stock?", "yes", "Pack parcel", "End"]
    lines = [OcrLine(text, 0.9, (0.4, 0.1 + 0.15 * row, 0.6, 0.14 + 0.15 * row)) for row, text in enumerate(texts)]
    boxes = [(380, 90 + 150 * row, 620, 150 + 150 * row) for row in (0, 1, 2, 4, 5)]
    flow = flow_of(boxes, lines, (1000, 1000))
    assert (flow.questions, flow.ends) == (2, 2)
    assert flow.below == 1
    assert flow.beside == 0
    assert flow.boxed == pytest.approx(5 / 6)
    assert flow.doing == pytest.approx(1 / 6)


def test_names_of_a_program_are_no_steps() -> None:
    lines = [OcrLine(text, 0.9, (0.1, 0.1, 0.4, 0.2)) for text in ("caf::io::broker", "oscap_list", "Receive order", "Harbour")]
    assert flow_of([], lines, (100, 100)).code == 0.5
    assert flow_of([], lines, (100, 100)).doing == 0.25
