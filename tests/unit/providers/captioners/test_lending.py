"""A model that a window lends: who gets a request, for how long, and what a window that vanishes costs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from ragd.config.captions import CaptionSettings
from ragd.core.errors import RemoteRefused, RemoteUnavailable, ServiceUnavailable, SettingsError
from ragd.providers.caption_protocol import LentCaptioner, ModelAnswer
from ragd.providers.protocols import Message
from ragd.providers.registry import build
from ragd.testing import CaptionerContract
from ragd.testing.captions import CONTEXT, picture_and_words
from ragd.vision.description import Usage
from ragd.vision.lending import LEASE_S, Lending, Lent, NobodyLends, NoSuchRequest

QUESTION = [Message("user", "What is it?", b"\x89PNG")]
SEEN = ModelAnswer("A zeppelin.", Usage(), "sees")


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Desk:
    """A lending whose questions are asked in a thread of their own."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.lending: Lending[Any, ModelAnswer] = Lending(60.0, clock=self.clock)
        self._pool = ThreadPoolExecutor(1)

    def ask(self) -> Future[ModelAnswer]:
        return self._pool.submit(self.lending.ask, QUESTION)

    def take(self, lender: str, may_see: Callable[[str], bool] = lambda _subject: True) -> Lent[Any]:
        """The request, once it is there."""
        for _ in range(500):
            if found := self.lending.take(lender, may_see):
                return found
            threading.Event().wait(0.01)
        raise AssertionError("no request came")

    def close(self) -> None:
        self.lending.abandon()
        self._pool.shutdown()


@pytest.fixture
def desk() -> Any:
    made = Desk()
    yield made
    made.close()


def test_a_request_goes_to_one_lender_and_its_answer_comes_back(desk: Desk) -> None:
    assert desk.lending.take("first", lambda _subject: True) is None
    asked = desk.ask()
    lent = desk.take("first")
    assert lent.asked == QUESTION
    assert desk.lending.take("second", lambda _subject: True) is None
    desk.lending.answer(lent.lease_id, SEEN)
    assert asked.result(5) == SEEN
    with pytest.raises(NoSuchRequest):
        desk.lending.answer(lent.lease_id, SEEN)


def test_nobody_is_asked_while_nobody_lends(desk: Desk) -> None:
    desk.lending.missed = False
    with pytest.raises(NobodyLends):
        desk.lending.require_lender()
    assert desk.lending.missed
    with pytest.raises(NobodyLends):
        desk.ask().result(5)


def test_what_a_closed_window_had_goes_to_the_next_one(desk: Desk) -> None:
    desk.lending.take("first", lambda _subject: True)
    asked = desk.ask()
    lost = desk.take("first")
    desk.clock.now += LEASE_S - 1
    desk.lending.renew(lost.lease_id)
    desk.clock.now += LEASE_S - 1
    assert desk.lending.take("second", lambda _subject: True) is None
    desk.clock.now += 2
    kept = desk.take("second")
    with pytest.raises(NoSuchRequest):
        desk.lending.answer(lost.lease_id, SEEN)
    desk.lending.answer(kept.lease_id, SEEN)
    assert asked.result(5) == SEEN


def test_a_closed_window_after_which_none_comes_costs_nothing(desk: Desk) -> None:
    desk.lending.take("first", lambda _subject: True)
    desk.lending.missed = False
    asked = desk.ask()
    desk.take("first")
    desk.clock.now += LEASE_S + 1
    with pytest.raises(NobodyLends):
        asked.result(5)
    assert desk.lending.missed


def test_a_request_over_which_every_window_vanishes_is_a_failure_in_the_end(desk: Desk) -> None:
    desk.lending.take("0", lambda _subject: True)
    asked = desk.ask()
    for lender in "012":
        desk.take(lender)
        desk.clock.now += LEASE_S - 1
        desk.lending.take("idle", lambda _subject: True)
        desk.clock.now += 2
    with pytest.raises(RemoteUnavailable, match="3 windows"):
        asked.result(5)


def test_who_lends_no_more_gives_back_what_it_has(desk: Desk) -> None:
    desk.lending.take("first", lambda _subject: True)
    asked = desk.ask()
    desk.take("first")
    desk.lending.take("second", lambda _subject: True)
    desk.lending.withdraw("first")
    desk.lending.answer(desk.take("second").lease_id, SEEN)
    assert asked.result(5) == SEEN


def test_a_model_that_takes_too_long_fails_though_its_window_lives(desk: Desk) -> None:
    desk.lending.take("first", lambda _subject: True)
    asked = desk.ask()
    lent = desk.take("first")
    for _ in range(4):
        desk.clock.now += LEASE_S - 1
        try:
            desk.lending.renew(lent.lease_id)
        except NoSuchRequest:
            break
    with pytest.raises(RemoteUnavailable, match="within 60 seconds"):
        asked.result(5)


def test_what_a_lender_may_not_see_is_not_handed_over(desk: Desk) -> None:
    desk.lending.subject = "secret"
    desk.lending.take("first", lambda _subject: True)
    asked = desk.ask()
    seen: list[str] = []

    def may_see(subject: str) -> bool:
        seen.append(subject)
        return False

    while not asked.done():
        assert desk.lending.take("first", may_see) is None
    assert seen == ["secret"]
    with pytest.raises(RemoteRefused):
        asked.result(5)


def test_what_the_model_failed_at_is_said(desk: Desk) -> None:
    desk.lending.take("first", lambda _subject: True)
    asked = desk.ask()
    desk.lending.fail(desk.take("first").lease_id, RemoteRefused("No pictures of cats."))
    with pytest.raises(RemoteRefused, match="cats"):
        asked.result(5)


def test_what_is_called_off_is_waited_for_no_longer(desk: Desk) -> None:
    desk.lending.take("first", lambda _subject: True)
    asked = desk.ask()
    lent = desk.take("first")
    desk.lending.abandon()
    with pytest.raises(ServiceUnavailable, match="called off"):
        asked.result(5)
    with pytest.raises(NoSuchRequest):
        desk.lending.renew(lent.lease_id)


@pytest.mark.parametrize("setting", [{"model": "gpt"}, {"url": "https://models.example.com"}, {"api_key": "env:KEY"}])
def test_settings_of_a_service_are_refused(setting: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match=f"captions.{next(iter(setting))}"):
        build("captioner", "editor", options=CaptionSettings(provider="editor", **setting))


class TestEditor(CaptionerContract):
    """The captioner with a window that always has an answer."""

    ANSWER = (
        '{"image_type": "table", "summary": "Orders by region.", "key_points": [], "entities": [], "uncertainties": [], '
        '"numbers": [{"name": "Osaka", "value": "1240", "context": "cell"}, '
        '{"name": "Bonn", "value": "4711", "context": "cell"}], '
        '"table": {"headers": ["Region"], "rows": [["Osaka"]]}, "nodes": [], "edges": [], "chart": {}, "ui": {}}'
    )

    @pytest.fixture
    def captioner(self) -> Any:
        made = build("captioner", "editor", options=CaptionSettings(provider="editor"))
        assert isinstance(made, LentCaptioner)
        over = threading.Event()
        made.lending.take("window", lambda _subject: True)

        def lend() -> None:
            while not over.wait(0.002):
                if lent := made.lending.take("window", lambda _subject: True):
                    made.lending.answer(lent.lease_id, ModelAnswer(self.ANSWER, Usage(), made.model))

        window = threading.Thread(target=lend)
        window.start()
        yield made
        over.set()
        window.join()

    def test_an_unusable_answer_is_sent_back_once_and_then_given_up(self) -> None:
        made = build("captioner", "editor", options=CaptionSettings(provider="editor"))
        made.lending.take("window", lambda _subject: True)
        with ThreadPoolExecutor(1) as pool:
            picture, words = picture_and_words()
            asked = pool.submit(made.describe, picture, CONTEXT, "table", words)
            sent: list[Lent[Any]] = []
            while not asked.done():
                if lent := made.lending.take("window", lambda _subject: True):
                    sent.append(lent)
                    made.lending.answer(lent.lease_id, ModelAnswer("I see a table.", Usage(), "sees"))
        assert [len(lent.asked) for lent in sent] == [2, 4]
        said = asked.result()
        assert (said.low_quality, said.provider, said.model) == (True, "editor", "sees")
        assert "no JSON object" in sent[1].asked[-1].text
