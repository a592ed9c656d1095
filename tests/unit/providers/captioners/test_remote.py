"""Captioners that ask a service, against a local one that speaks the real wire formats: what they send, and every failure."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest

from ragd.config.captions import CaptionSettings
from ragd.core.errors import RemoteRefused, RemoteUnavailable, SettingsError
from ragd.providers.registry import build
from ragd.testing import CaptionerContract
from ragd.testing.captions import CONTEXT, picture_and_words
from ragd.testing.chat_server import ChatServer, Scripted
from ragd.testing.llm import KEY, NOW
from ragd.vision.description import Description, Usage

pytestmark = pytest.mark.slow

PROVIDERS = ("openai", "azure", "openai_compatible", "ollama", "anthropic")
COMMON: dict[str, Any] = {
    "image_type": "table",
    "title": "Orders",
    "summary": "A table of orders by region.",
    "key_points": ["Osaka has 1240 orders."],
    "entities": ["Osaka"],
    "numbers": [{"name": "Osaka", "value": "1240", "context": "cell"}, {"name": "Bergen", "value": "99", "context": "cell"}],
    "uncertainties": [],
}
TABLE = COMMON | {"table": {"headers": ["Region", "Orders"], "rows": [["Osaka", "1240"]]}}
EVERYTHING = TABLE | {
    "chart": {"title": "Orders", "series": [{"name": "a", "points": [{"x": "Osaka", "y": "1240"}]}]},
    "nodes": [{"id": "a", "label": "Receive"}, {"id": "b", "label": "Approve?", "shape": "diamond"}],
    "edges": [{"source": "a", "target": "b"}],
    "ui": {"app": "Desk", "actions": ["OK"]},
}


def answer(value: Any) -> Scripted:
    text = value if isinstance(value, str) else json.dumps(value)
    return Scripted(pieces=(text[:10], text[10:]))


def captioner(server: ChatServer, provider: str = "openai", **options: Any) -> Any:
    values = {"model": "sees", "url": server.url, "timeout_s": 10.0, "retries": 1} | options
    return build("captioner", provider, options=CaptionSettings(**values), api_key=KEY)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(answer(TABLE)) as opened:
        yield opened


def describe(server: ChatServer, **options: Any) -> Description:
    picture, words = picture_and_words()
    said: Description = captioner(server, **options).describe(picture, CONTEXT, "table", words)
    return said


class TestService(CaptionerContract):
    @pytest.fixture
    def captioner(self, server: ChatServer) -> object:
        server.scripts = [answer(EVERYTHING)]
        return captioner(server)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_each_service_gets_the_picture_the_schema_and_the_surroundings_as_data(server: ChatServer, provider: str) -> None:
    picture, words = picture_and_words()
    said = captioner(server, provider).describe(picture, CONTEXT, "table", words)
    (asked,) = server.asked
    sent = json.dumps(asked.body)
    assert base64.b64encode(picture).decode() in sent
    assert "image/png" in sent
    assert "kv_pairs" in sent
    assert CONTEXT.caption in sent
    assert "Nairobi" in sent
    assert KEY not in sent
    assert (said.provider, said.model) == (provider, "sees")
    assert said.table == (("Region", "Orders"), ("Osaka", "1240"))
    assert said.usage == Usage(11, 2)


def test_nonsense_is_answered_once_with_what_is_wrong_and_then_taken(server: ChatServer) -> None:
    server.scripts = [answer("I see a nice table!"), answer(TABLE)]
    said = describe(server)
    assert said.summary == TABLE["summary"]
    assert said.usage == Usage(22, 4)
    assert "no JSON object" in json.dumps(server.asked[1].body)


@pytest.mark.parametrize(
    "wrong",
    [
        "I can't help with that.",
        "{broken",
        '{"image_type": "poem"}',
        "[1, 2]",
        "{" * 5000 + "}" * 5000,
        json.dumps(COMMON | {"summary": ""}),
    ],
)
def test_what_stays_nonsense_is_given_up_and_marked(server: ChatServer, wrong: str) -> None:
    server.scripts = [answer(wrong)]
    said = describe(server)
    assert (said.image_type, said.low_quality, said.summary) == ("unknown", True, "")
    assert said.uncertainties
    assert len(server.asked) == 2


def test_a_diagram_of_a_model_becomes_mermaid_of_ours(server: ChatServer) -> None:
    server.scripts = [answer(EVERYTHING | {"image_type": "flowchart"})]
    picture, words = picture_and_words()
    said = captioner(server).describe(picture, CONTEXT, "flowchart", words)
    assert said.mermaid.startswith("flowchart")
    assert "Approve?" in said.mermaid


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_service_is_asked_again_and_then_left_for_later(server: ChatServer, status: int) -> None:
    server.scripts = [Scripted(status=status, headers=NOW)]
    with pytest.raises(RemoteUnavailable, match=str(status)) as caught:
        describe(server)
    assert caught.value.retryable
    assert len(server.asked) == 2


def test_a_refusal_names_the_settings_of_captions_and_not_the_key(server: ChatServer) -> None:
    server.scripts = [Scripted(status=401, message=f"wrong: {KEY}")]
    with pytest.raises(RemoteRefused, match=r"captions\.api_key") as caught:
        describe(server)
    assert KEY not in caught.value.message


def test_a_silent_service_is_given_up_after_the_time_limit(server: ChatServer) -> None:
    server.scripts = [Scripted(hold=0)]
    with pytest.raises(RemoteUnavailable, match=r"captions\.timeout_s"):
        describe(server, timeout_s=0.1, retries=0)


def test_settings_that_can_not_work_are_told_by_their_names() -> None:
    with pytest.raises(SettingsError, match=r"captions\.model"):
        build("captioner", "openai", options=CaptionSettings(), api_key=KEY)
    with pytest.raises(SettingsError, match=r"captions\.api_key"):
        build("captioner", "anthropic", options=CaptionSettings(model="m"))
