"""A sign-on that is away, or slow: what that means for its tokens, and for everybody else."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jwt
import pytest
from starlette.testclient import TestClient

from ragd.access.authentication import Authenticator
from ragd.access.callers import Caller
from ragd.api.application import create_api
from ragd.app.container import Application

from .conftest import TOKEN, URL

pytestmark = pytest.mark.slow


@pytest.fixture
def nobody_answers() -> Iterator[str]:
    """An address that refuses connections."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"


@pytest.fixture
def changes(nobody_answers: str) -> dict[str, Any]:
    return {"security.mode": "server", "oidc.issuer": nobody_answers, "oidc.audience": "rag"}


def status(client: TestClient, credential: str) -> int:
    return client.get("/api/collections", headers={"Authorization": f"Bearer {credential}"}).status_code


def test_a_token_is_503_while_the_issuer_is_away_and_keys_count_on(app: Application) -> None:
    token = jwt.encode({"sub": "ann"}, b"x" * 32, "HS256", headers={"kid": "first"})
    _key, text = app.keys.create("portal", "reader", None)
    with TestClient(create_api(app, token=TOKEN), base_url=URL) as client:
        assert [status(client, one) for one in (token, "not.a.token", text)] == [503, 401, 200]


class _SlowSignOn(Authenticator):
    """Of tokens it says nothing until it may; keys are known at once."""

    def __init__(self) -> None:
        super().__init__(TOKEN)
        self.asked, self.may_answer = 0, threading.Event()

    def may_wait(self, credential: bytes) -> bool:
        return b"." in credential

    def looked_up(self, credential: bytes) -> Caller:
        if self.may_wait(credential):
            self.asked += 1
            self.may_answer.wait(60)
        return Caller("key", "k", "k")


def test_a_sign_on_that_takes_its_time_holds_up_no_key(app: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    callers = _SlowSignOn()
    monkeypatch.setattr(app, "authenticator", lambda _token: callers)
    with TestClient(create_api(app, token=TOKEN), base_url=URL) as client, ThreadPoolExecutor(9) as beside:
        waiting = [beside.submit(status, client, "a.b.c") for _ in range(8)]
        try:
            end = time.monotonic() + 600
            while callers.asked < 4:
                assert time.monotonic() < end
                time.sleep(0.005)
            assert beside.submit(status, client, "rag_key").result(30) == 200
        finally:
            callers.may_answer.set()
        assert {one.result(60) for one in waiting} == {200}
