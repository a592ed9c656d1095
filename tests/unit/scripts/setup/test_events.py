"""The events of the set-up: one JSON object a line, and no password in any of them."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from ..loading import load

console = load("setup.console")
events = load("setup.events")


def told(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


class TestTheMask:
    @pytest.mark.parametrize(
        "address",
        ["https://someone:s3cret@mirror.example/simple", "http://s3cret@mirror.example/simple", "https://:s3cret@m.example/"],
    )
    def test_what_stands_before_the_at_of_an_address_is_hidden(self, address: str) -> None:
        shown = events.Mask([])(f"Looking in indexes: {address} and more")
        assert "s3cret" not in shown
        assert "://****@m" in shown

    def test_a_known_password_is_hidden_wherever_it_stands_also_decoded(self) -> None:
        mask = events.Mask(["https://u:p%40ss%2Fword@mirror.example/simple"])
        assert mask("user u, password p@ss/word or p%40ss%2Fword") == "user u, password **** or ****"

    def test_a_very_short_password_does_not_eat_ordinary_words(self) -> None:
        assert events.Mask(["http://u:a@mirror.example"])("a plain text") == "a plain text"

    @pytest.mark.parametrize("text", ["me@example.com", "https://mirror.example/simple", "http://[broken", "/home/x@y/z"])
    def test_other_texts_stay_as_they_are(self, text: str) -> None:
        assert events.Mask([text])(text) == text


class TestTheStream:
    def test_every_event_is_one_line_of_ascii(self, stream: io.StringIO) -> None:
        writer = events.Events(stream, events.Mask([]))
        writer.step("check", "Checking")
        writer.note("two\nlines, 設定")
        assert stream.getvalue().isascii()
        assert told(stream) == [
            {"event": "step", "step": "check", "title": "Checking"},
            {"event": "note", "text": "two\nlines, 設定"},
        ]

    def test_a_failure_carries_the_advice_for_the_editor_and_a_masked_log(self, stream: io.StringIO) -> None:
        writer = events.Events(stream, events.Mask(["https://u:hidden@m.example"]))
        error = console.StopError(
            "It failed.",
            code="PROXY",
            advice="export it",
            in_editor="set it",
            log=["GET https://u:hidden@m.example"],
            cause="https://u:hidden@m.example does not answer",
            index="https://m.example",
        )
        writer.failed(error)
        assert told(stream) == [
            {
                "event": "failed",
                "code": "PROXY",
                "message": "It failed.",
                "advice": "set it",
                "log": ["GET https://****@m.example"],
                "cause": "https://****@m.example does not answer",
                "index": "https://m.example",
            }
        ]

    def test_a_program_that_prints_a_lot_gives_at_most_two_statuses_a_second(self, stream: io.StringIO, tmp_path: Path) -> None:
        writer = events.Events(stream, events.Mask([]))
        program = "for number in range(3000): print('line', number, flush=True)"
        lines = writer.run_quietly([sys.executable, "-c", program], env=dict(os.environ), cwd=tmp_path)
        assert len(lines) == 3000
        statuses = told(stream)
        assert statuses
        assert len(statuses) <= 2 * (statuses[-1]["seconds"] + 1) + 1
        assert {event["event"] for event in statuses} == {"status"}
