from __future__ import annotations

import logging
import socket
import ssl
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from email.utils import formatdate
from pathlib import Path

import pytest
import trustme

from ragd.core.errors import RemoteRefused, RemoteUnavailable, SettingsError
from ragd.core.http import Patience, RemoteService

from .model_service import KEY, Asked, ModelService, Reply

PATIENT = Patience(seconds=60, attempts=5)
OK = Reply({"ok": True})


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.pauses: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


@pytest.fixture
def server() -> Iterator[ModelService]:
    server = ModelService()
    yield server
    server.close()


@pytest.fixture
def time_() -> Time:
    return Time()


@pytest.fixture
def connect(server: ModelService, time_: Time) -> Iterator[Callable[..., RemoteService]]:
    opened: list[RemoteService] = []

    def connect(url: str | None = None, key: str = KEY) -> RemoteService:
        service = RemoteService(url or server.url, key, setting="embedding", clock=lambda: time_.now, sleep=time_.sleep)
        opened.append(service)
        return service

    yield connect
    for service in opened:
        service.close()


Connect = Callable[..., RemoteService]


def test_json_goes_out_with_the_key_and_json_comes_back(server: ModelService, connect: Connect) -> None:
    server.replies.append(OK)
    assert connect(f"{server.url}/v1/").post("/embeddings", {"input": ["設定\ud800"]}, PATIENT) == {"ok": True}
    [asked] = server.asked
    assert (asked.path, asked.body) == ("/v1/embeddings", {"input": ["設定?"]})
    assert asked.headers["authorization"] == f"Bearer {KEY}"


def test_without_a_key_no_credentials_are_sent(server: ModelService, connect: Connect) -> None:
    server.replies.append(OK)
    connect(key="").post("/x", {}, PATIENT)
    assert "authorization" not in server.asked[0].headers


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_tried_again_with_growing_pauses(
    server: ModelService, connect: Connect, time_: Time, status: int
) -> None:
    server.replies += [Reply({"error": "busy"}, status)] * 3 + [OK]
    assert connect().post("/x", {}, PATIENT) == {"ok": True}
    assert len(server.asked) == 4
    assert [0 <= pause <= limit for pause, limit in zip(time_.pauses, (0.5, 1, 2), strict=True)] == [True] * 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 501])
def test_a_refusal_is_told_at_once_with_the_reason_of_the_service(server: ModelService, connect: Connect, status: int) -> None:
    server.replies.append(Reply({"error": {"message": "the model 'x' is not known"}}, status))
    with pytest.raises(RemoteRefused, match=rf"127\.0\.0\.1.*{status}: the model 'x' is not known") as caught:
        connect().post("/x", {}, PATIENT)
    assert len(server.asked) == 1
    assert not caught.value.retryable


def test_what_is_no_error_of_a_model_service_is_in_no_message(server: ModelService, connect: Connect) -> None:
    server.replies.append(Reply(b"INTERNAL-METADATA role=admin", 404))
    with pytest.raises(RemoteRefused, match="404") as caught:
        connect().post("/x", {}, PATIENT)
    assert "METADATA" not in str(caught.value)


@pytest.mark.parametrize("shape", ["seconds", "date"])
def test_retry_after_is_kept_to(server: ModelService, connect: Connect, time_: Time, shape: str) -> None:
    value = "7" if shape == "seconds" else formatdate(time.time() + 8, usegmt=True)
    server.replies += [Reply({}, 429, {"Retry-After": value}), OK]
    connect().post("/x", {}, PATIENT)
    assert 6 <= time_.pauses[0] <= 8


@pytest.mark.parametrize("value", ["soon", "-5", "", "nan", "Wed, 99 Foo 2026 00:00:00 GMT"])
def test_a_retry_after_that_means_nothing_is_passed_over(server: ModelService, connect: Connect, time_: Time, value: str) -> None:
    server.replies += [Reply({}, 503, {"Retry-After": value}), OK]
    connect().post("/x", {}, PATIENT)
    assert time_.pauses[0] <= 0.5


def test_a_service_that_is_busy_for_an_hour_is_given_up_in_time(server: ModelService, connect: Connect, time_: Time) -> None:
    server.answer = lambda asked: Reply({"error": "slow down"}, 429, {"Retry-After": "5"})
    with pytest.raises(RemoteUnavailable, match="slow down") as caught:
        connect().post("/x", {}, Patience(seconds=18, attempts=1000))
    assert not isinstance(caught.value, RemoteRefused)
    assert len(server.asked) == 4
    assert time_.now <= 1018


def test_a_service_that_asks_for_more_time_than_there_is_is_not_waited_for(
    server: ModelService, connect: Connect, time_: Time
) -> None:
    server.answer = lambda asked: Reply({}, 429, {"Retry-After": "3600"})
    with pytest.raises(RemoteUnavailable, match="asks to wait 3600 s"):
        connect().post("/x", {}, PATIENT)
    assert time_.pauses == []


def test_a_connection_that_breaks_midway_is_tried_again(server: ModelService, connect: Connect) -> None:
    server.replies += [Reply({"text": "long" * 100}, cut=20), OK]
    assert connect().post("/x", {}, PATIENT) == {"ok": True}


def test_a_service_that_is_not_there_is_told(connect: Connect, time_: Time) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with pytest.raises(RemoteUnavailable, match=rf"127\.0\.0\.1:{port} .*can't be reached.*3 attempts"):
        connect(f"http://127.0.0.1:{port}").post("/x", {}, Patience(60, 3))
    assert len(time_.pauses) == 2


def test_an_answer_that_stops_midway_ends_with_the_time(server: ModelService) -> None:
    go_on = threading.Event()
    server.replies.append(Reply({"ok": True}, drip=go_on))
    service = RemoteService(server.url, setting="embedding")
    begin = time.monotonic()
    with pytest.raises(RemoteUnavailable, match="did not answer in time"):
        service.post("/x", {}, Patience(0.2, 3))
    assert time.monotonic() - begin < 20
    go_on.set()
    service.close()


def test_a_redirect_is_not_followed_so_that_the_key_stays(server: ModelService, connect: Connect) -> None:
    server.replies.append(Reply({}, 307, {"Location": "https://elsewhere.example.com/v1"}))
    with pytest.raises(RemoteRefused, match=r"elsewhere\.example\.com, which is not followed"):
        connect().post("/x", {}, PATIENT)
    assert len(server.asked) == 1


def test_a_log_in_page_is_told_as_one(server: ModelService, connect: Connect) -> None:
    server.replies.append(Reply(b"<!doctype html><title>Log in</title>", headers={"Content-Type": "text/html"}))
    with pytest.raises(RemoteRefused, match="web page instead of JSON"):
        connect().post("/x", {}, PATIENT)


def test_what_is_no_json_is_told(server: ModelService, connect: Connect) -> None:
    server.replies.append(Reply(b'{"half": '))
    with pytest.raises(RemoteUnavailable, match="no JSON"):
        connect().post("/x", {}, PATIENT)


def test_an_answer_without_end_is_cut_off(server: ModelService, connect: Connect) -> None:
    server.replies.append(Reply(b" " * (65 * 1024 * 1024)))
    with pytest.raises(RemoteUnavailable, match="larger than 64 MB"):
        connect().post("/x", {}, PATIENT)


@pytest.mark.parametrize("status", [400, 401, 500])
@pytest.mark.parametrize(
    "shown",
    [KEY, f"Bearer {KEY}", f"{KEY[:7]}****{KEY[-4:]}", f"wrong\nkey\x1b[31m {KEY}", {"key": KEY, "message": f"bad {KEY}"}],
)
def test_no_error_and_no_log_holds_the_key(
    server: ModelService, connect: Connect, caplog: pytest.LogCaptureFixture, status: int, shown: object
) -> None:
    def show(asked: Asked) -> Reply:
        return Reply({"error": shown}, status)

    server.answer = show
    with caplog.at_level(logging.DEBUG, "ragd"), pytest.raises(RemoteUnavailable) as caught:
        connect().post("/x", {}, PATIENT)
    told = "".join(traceback.format_exception(caught.value)) + "".join(str(vars(record)) for record in caplog.records)
    assert KEY not in told
    assert KEY[:7] not in caught.value.message
    assert caught.value.message.isprintable()


@pytest.mark.parametrize(
    "url",
    [
        "",
        "models.example.com",
        "ftp://models.example.com",
        "http://",
        f"https://me:{KEY}@models.example.com",
        "http://[::1",
        "https://a:x/",
        "http://169.254.169.254/latest/meta-data",
        "http://[fe80::1]:8080/v1",
        "http://[::ffff:169.254.169.254]/v1",
    ],
)
def test_an_address_that_can_not_be_one_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match=r"'embedding\.url'") as caught:
        RemoteService(url, setting="embedding")
    assert KEY not in caught.value.message


def test_a_name_that_leads_to_a_link_local_address_is_not_asked(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("169.254.169.254", 0))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_named: found)
    with pytest.raises(RemoteRefused, match=r"embedding\.url.* is not asked: .*169\.254\.169\.254, a link-local address"):
        connect("http://models.example.com/v1", key="").post("/x", {}, PATIENT)


def test_a_proxy_of_the_environment_is_used_but_not_for_this_machine(
    server: ModelService, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", server.url)
    monkeypatch.delenv("NO_PROXY", raising=False)
    server.replies += [OK, OK]
    connect("http://models.example.com/v1", key="").post("/x", {}, PATIENT)
    assert server.asked[0].path == "http://models.example.com/v1/x"
    connect().post("/x", {}, PATIENT)
    assert server.asked[1].path == "/x"


def test_a_key_that_goes_out_unencrypted_is_warned_of(connect: Connect, caplog: pytest.LogCaptureFixture) -> None:
    connect("http://models.example.com/v1")
    assert "unencrypted" in caplog.text
    caplog.clear()
    connect("https://models.example.com/v1")
    connect()
    assert not caplog.text


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def encrypted(authority: trustme.CA) -> Iterator[ModelService]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    server = ModelService(tls=context)
    yield server
    server.close()


def test_a_certificate_that_is_not_trusted_is_told_at_once_and_the_key_stays(
    encrypted: ModelService, connect: Connect, time_: Time
) -> None:
    with pytest.raises(RemoteRefused, match=r"certificate that is not trusted.*SSL_CERT_FILE"):
        connect(encrypted.url).post("/x", {}, PATIENT)
    assert (encrypted.asked, time_.pauses) == ([], [])


def test_a_company_authority_is_trusted_by_its_file(
    encrypted: ModelService, authority: trustme.CA, connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority.cert_pem.write_to_path(str(tmp_path / "company.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "company.pem"))
    encrypted.replies.append(OK)
    assert connect(encrypted.url).post("/x", {}, PATIENT) == {"ok": True}


def test_certificates_that_can_not_be_read_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/ca.pem")
    with pytest.raises(SettingsError, match=r"SSL_CERT_FILE.*/nowhere/ca\.pem"):
        RemoteService("https://models.example.com", setting="embedding")
