"""What is checked of a description before it is kept, made by a stand-in for a model that sees."""

from __future__ import annotations

import pytest

from ragd.core.documents import OcrLine
from ragd.diagrams.mermaid import to_mermaid
from ragd.diagrams.model import Edge, Node, made
from ragd.providers.caption_checks import checked
from ragd.providers.captioners.fake import FakeCaptioner
from ragd.vision.description import Description, Number, PictureContext

LEFT_OUT = "A drawing was given, but its Mermaid can't be used, and it was left out."


def said(answer: Description, *read: str) -> Description:
    """What is kept of a stand-in's answer about a picture in which these lines were read."""
    words = [OcrLine(text, 1.0, (0.1, 0.1, 0.9, 0.2)) for text in ("picture", *read)]
    captioner = FakeCaptioner({"picture": answer})
    return checked(captioner.describe(b"", PictureContext(), "flowchart", words), words)


def answer(**parts: object) -> Description:
    return Description("caption.flow_v1", "flowchart", summary="A flow chart of an order.", **parts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "mermaid",
    [
        "flowchart TB\n  n1[never closed",
        "Here is the diagram you asked for: A leads to B.",
        'flowchart TB\n  n1["Order"]\n  click n1 "https://example.invalid/"',
        '%%{init: {"securityLevel": "loose"}}%%\nflowchart TB\n  n1["Order"]',
        'flowchart TB\n  n1["<img src=x onerror=alert(1)>"]',
        "flowchart TB\n" + "\n".join('  n1["Order"]' for _ in range(2000)),
    ],
)
def test_mermaid_of_a_model_that_does_not_parse_is_left_out_and_said_to_be(mermaid: str) -> None:
    kept = said(answer(mermaid=mermaid, uncertainties=("The arrow at the left is faint.",)))
    assert kept.mermaid == ""
    assert kept.uncertainties == (LEFT_OUT, "The arrow at the left is faint.")
    assert kept.summary == "A flow chart of an order."


def test_mermaid_that_parses_is_kept_as_it_is() -> None:
    diagram = made("flowchart", [Node("a", "Order"), Node("b", 'Ship "now" <b>')], [Edge("a", "b", "yes")])
    assert diagram
    kept = said(answer(mermaid=to_mermaid(diagram)))
    assert (kept.mermaid, kept.uncertainties) == (to_mermaid(diagram), ())


def test_no_drawing_is_no_doubt() -> None:
    assert said(answer()).uncertainties == ()


def test_a_number_that_was_not_read_in_the_picture_moves_to_the_uncertainties_and_is_counted() -> None:
    seen, unseen = Number("Osaka", "1,240", "kg", "cell"), Number("Lisbon", "870", "kg", "cell")
    kept = said(answer(numbers=(seen, unseen)), "Osaka 1240 kg", "Lisbon")
    assert kept.numbers == (seen,)
    assert kept.uncertainties == ("Lisbon: 870 kg was said, but that number was not read in the picture",)
    assert kept.unseen_numbers == 1


@pytest.mark.parametrize(("value", "read"), [("１２", "12"), ("3.5", "3,5 %"), ("12-14", "12 to 14")])
def test_numbers_are_compared_by_what_they_say_not_by_how_they_are_written(value: str, read: str) -> None:
    number = Number("Share", value)
    expected = (number,) if value != "3.5" else ()
    assert said(answer(numbers=(number,)), read).numbers == expected


def test_a_part_of_a_longer_number_is_not_that_number() -> None:
    assert said(answer(numbers=(Number("Share", "12"),)), "2012").unseen_numbers == 1


def test_the_doubts_of_the_check_stay_where_a_model_has_many_of_its_own() -> None:
    kept = said(answer(numbers=(Number("Lisbon", "870"),), uncertainties=tuple(f"doubt {place}" for place in range(80))))
    assert kept.uncertainties[0].startswith("Lisbon: 870 was said")
    assert len(kept.uncertainties) == 64


def test_a_description_that_says_almost_nothing_is_of_low_quality() -> None:
    assert checked(Description("caption.generic_v1", "unknown", summary="Pic."), ()).low_quality
    assert not said(answer()).low_quality
