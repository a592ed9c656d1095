"""The contract of language models behind a service, against a local one that speaks the real wire formats."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from ragd.core.errors import RemoteRefused, RemoteUnavailable
from ragd.providers.protocols import Completion, LanguageModel, Message
from ragd.testing.chat_server import ChatServer, Scripted

KEY = "sk-a-key-of-the-tests"
QUESTION = (Message("system", "Be brief."), Message("user", "Who is there?"))
NOW = {"Retry-After": "0"}
_PATIENCE = 10.0

OpenModel = Callable[..., LanguageModel]


def answered(model: LanguageModel) -> tuple[str, list[Completion]]:
    """The text of an answer, and how it ended."""
    ends: list[Completion] = []
    return "".join(model.stream(QUESTION, 100, ends.append)), ends


class LanguageModelContract:
    """A question into pieces of text, and every way in which a service may fail."""

    @pytest.fixture
    def open_model(self) -> OpenModel:
        """Called with the service's address (and `timeout_s`); gives a model whose key is `KEY` and that tries three times."""
        raise NotImplementedError("override the fixture open_model")

    @pytest.fixture
    def server(self) -> Iterator[ChatServer]:
        with ChatServer() as opened:
            yield opened

    @pytest.fixture
    def model(self, open_model: OpenModel, server: ChatServer) -> LanguageModel:
        return open_model(server.url)

    def test_an_answer_comes_in_pieces_and_ends_with_its_usage(self, model: LanguageModel) -> None:
        ends: list[Completion] = []
        assert list(model.stream(QUESTION, 100, ends.append)) == ["Hello", " there"]
        assert ends == [Completion("complete", {"input_tokens": 11, "output_tokens": 2})]

    def test_the_service_gets_the_messages_the_limit_and_the_key(self, model: LanguageModel, server: ChatServer) -> None:
        answered(model)
        (asked,) = server.asked
        sent = str(asked.body)
        assert "Be brief." in sent
        assert "Who is there?" in sent
        assert 100 in asked.body.values()
        assert any(KEY in value for value in asked.headers.values())
        assert KEY not in sent

    def test_an_answer_at_its_limit_says_so(self, model: LanguageModel, server: ChatServer) -> None:
        server.scripts = [Scripted(finish="length")]
        assert answered(model)[1][0].finish == "length"

    @pytest.mark.parametrize("status", [429, 500, 503])
    def test_a_busy_service_is_asked_again(self, model: LanguageModel, server: ChatServer, status: int) -> None:
        server.scripts = [Scripted(status=status, headers=NOW), Scripted()]
        assert answered(model)[0] == "Hello there"
        assert len(server.asked) == 2

    def test_a_service_that_stays_out_of_order_is_given_up(self, model: LanguageModel, server: ChatServer) -> None:
        server.scripts = [Scripted(status=500, headers=NOW)]
        with pytest.raises(RemoteUnavailable, match="500") as caught:
            answered(model)
        assert len(server.asked) == 3
        assert caught.value.retryable

    def test_a_service_that_wants_a_long_wait_is_given_up_at_once(self, model: LanguageModel, server: ChatServer) -> None:
        server.scripts = [Scripted(status=429, headers={"Retry-After": "3600"})]
        with pytest.raises(RemoteUnavailable, match="429"):
            answered(model)
        assert len(server.asked) == 1

    @pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
    def test_a_refusal_is_told_once_and_without_the_key(self, model: LanguageModel, server: ChatServer, status: int) -> None:
        server.scripts = [Scripted(status=status, message=f"wrong: {KEY}")]
        with pytest.raises(RemoteRefused, match=str(status)) as caught:
            answered(model)
        assert len(server.asked) == 1
        assert KEY not in f"{caught.value.message} {caught.value!r} {caught.value.__cause__!r}"

    def test_a_parameter_that_is_refused_is_left_out_from_then_on(self, model: LanguageModel, server: ChatServer) -> None:
        server.scripts = [Scripted(status=400, message="Unsupported parameter: 'temperature'."), Scripted()]
        assert answered(model)[0] == "Hello there"
        answered(model)
        assert ["temperature" in asked.body for asked in server.asked] == [True, False, False]

    def test_an_answer_that_breaks_off_is_kept_and_not_asked_for_again(self, model: LanguageModel, server: ChatServer) -> None:
        server.scripts = [Scripted(cut=True)]
        text, ends = answered(model)
        assert text == "Hello there"
        assert [end.finish for end in ends] == ["cut_off"]
        assert len(server.asked) == 1

    def test_an_empty_answer_is_an_error(self, open_model: OpenModel, server: ChatServer) -> None:
        server.scripts = [Scripted(pieces=())]
        with pytest.raises(RemoteUnavailable, match="empty answer"):
            answered(open_model(server.url, retries=0))

    def test_a_limit_that_leaves_no_room_for_a_word_is_named(self, model: LanguageModel, server: ChatServer) -> None:
        server.scripts = [Scripted(pieces=(), finish="length")]
        with pytest.raises(RemoteRefused, match=r"llm\.max_output_tokens"):
            answered(model)

    def test_a_page_in_place_of_events_points_at_the_address(self, model: LanguageModel, server: ChatServer) -> None:
        server.scripts = [Scripted(body="<html><body>Welcome</body></html>")]
        with pytest.raises(RemoteRefused, match=r"text/html.*llm\.url"):
            answered(model)

    @pytest.mark.parametrize("body", ["data: {broken\n\n", 'data: {"choices": 5}\n\n', "data: [1]\n\n", "\x00\n\n"])
    def test_nonsense_is_an_error_that_a_retry_may_mend(self, open_model: OpenModel, server: ChatServer, body: str) -> None:
        server.scripts = [Scripted(body=body, headers={"Content-Type": "text/event-stream"})]
        with pytest.raises(RemoteUnavailable, match="answer") as caught:
            answered(open_model(server.url, retries=0))
        assert caught.value.retryable

    def test_a_silent_service_is_given_up_after_the_time_limit(self, open_model: OpenModel, server: ChatServer) -> None:
        server.scripts = [Scripted(hold=0)]
        with pytest.raises(RemoteUnavailable, match=r"llm\.timeout_s"):
            answered(open_model(server.url, timeout_s=0.1, retries=0))

    def test_a_service_that_is_not_there_is_named(self, open_model: OpenModel) -> None:
        with ChatServer() as gone:
            url = gone.url
        with pytest.raises(RemoteUnavailable, match=url):
            answered(open_model(url, retries=0))

    @pytest.mark.parametrize("hold", [0, 1])
    def test_closing_from_another_thread_ends_the_wait_and_the_request(
        self, model: LanguageModel, server: ChatServer, hold: int
    ) -> None:
        server.scripts = [Scripted(hold=hold)]
        ends: list[Completion] = []
        stream = model.stream(QUESTION, 100, ends.append)
        pieces: list[str] = []
        reader = threading.Thread(target=lambda: pieces.extend(stream), daemon=True)
        reader.start()
        assert server.holding.wait(_PATIENCE)
        stream.close()
        reader.join(_PATIENCE)
        assert not reader.is_alive()
        assert server.gone.wait(_PATIENCE)
        assert "".join(pieces) in ("", "Hello"[: 5 * hold])
        assert ends == []

    def test_closing_between_two_pieces_ends_the_request(self, model: LanguageModel, server: ChatServer) -> None:
        server.scripts = [Scripted(hold=1)]
        stream = model.stream(QUESTION, 100, lambda _: None)
        assert next(stream) == "Hello"
        stream.close()
        assert list(stream) == []
        assert server.gone.wait(_PATIENCE)

    def test_tokens_are_counted_and_never_too_few(self, model: LanguageModel) -> None:
        assert model.count_tokens("") == 0
        assert model.count_tokens("The lease lasts for ninety seconds.") >= 7
        assert model.count_tokens("証明書を更新します。") >= 6
        assert model.count_tokens("a" * 3000) >= 375
        assert model.name
        assert model.model
