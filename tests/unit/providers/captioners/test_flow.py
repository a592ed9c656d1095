"""A flow chart among pictures: what leads where, in words and as a drawing."""

from __future__ import annotations

import cv2
from tests.unit.diagrams.test_pixels import Canvas, approval

from ragd.core.documents import OcrLine
from ragd.diagrams.mermaid import check_mermaid
from ragd.providers.captioners.rules import RulesCaptioner
from ragd.vision.description import PictureContext


def png(canvas: Canvas) -> bytes:
    return bytes(cv2.imencode(".png", canvas.image)[1])


def test_rules_tell_what_comes_after_what_in_a_picture() -> None:
    canvas = approval()
    found = RulesCaptioner().describe(png(canvas), PictureContext(alt="Orders"), "flowchart", canvas.words)
    assert found.summary.startswith("Orders. Flow chart with 5 steps: Request → Approved? → ")
    assert "After “Tell why” comes “Archive”." in found.summary
    assert check_mermaid(found.mermaid)
    assert {"Request", "Approved?", "Ship", "Tell why", "Archive"} <= set(found.entities)
    assert {edge["confidence"] >= 0.6 for edge in found.details["edges"]} == {True}
    japanese = RulesCaptioner().describe(png(canvas), PictureContext(language="ja"), "flowchart", canvas.words)
    assert "「Tell why」の次は「Archive」。" in japanese.summary


def test_words_without_boxes_are_still_named_and_said_to_be_in_doubt() -> None:
    canvas = Canvas()
    canvas.text("Only words", 200, 200)
    found = RulesCaptioner().describe(
        png(canvas), PictureContext(), "flowchart", [*canvas.words, OcrLine("Here", 1, (0, 0, 0.1, 0.1))]
    )
    assert (found.mermaid, found.uncertainties) == ("", ("What leads where could not be read.",))
    assert "Only words" in found.summary
