"""What a question asks about is the same however it asks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import yaml

from ragd.retrieve.planning.phrasing import topic_of

from ...scripts.loading import ROOT

PHRASINGS = yaml.safe_load((ROOT / "tests" / "golden" / "rare_words.yaml").read_text(encoding="utf-8"))["phrasings"]


@pytest.mark.parametrize("word", ["avahi", "落雁", "ザルツ計", "蜡染", "KST-4012"])
@pytest.mark.parametrize("phrasing", [phrasing for half in PHRASINGS.values() for group in half.values() for phrasing in group])
def test_phrasing_is_left_out_in_every_language(phrasing: str, word: str) -> None:
    assert topic_of(phrasing.format(word=word)) == word


@pytest.mark.parametrize(
    "text",
    [
        "page faults",
        "the page table",
        "On the web",
        "How long does a lease last?",
        "Which requests does an overloaded node still accept?",
        "リースの既定の長さは何秒ですか",
        "月末に再起動してもよいですか",
        "文件系统损坏",
        "脱退について",
        "tell me",
        "what is this?",
        "について教えてください",
        "请告诉我",
        "...",
    ],
)
def test_content_is_kept_and_so_is_a_question_of_nothing_but_phrasing(text: str) -> None:
    assert topic_of(text) == text


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("What is the price per ten million jobs?", "price per ten million jobs"),
        ("show page faults", "page faults"),
        ("年末に処理が遅れた原因は何でしたか", "年末に処理が遅れた原因"),
        ("Tell me about 落雁 please", "落雁"),
    ],
)
def test_the_content_of_longer_questions_stays_whole(question: str, topic: str) -> None:
    assert topic_of(question) == topic


@pytest.mark.parametrize("unit", ["tell me about ", "について", "について教えて", "关于", "请告诉我关于", "a", " ", "的"])
def test_time_grows_with_the_length_alone(unit: str, linear: Callable[[Callable[[str], object], str], None]) -> None:
    linear(topic_of, unit)
