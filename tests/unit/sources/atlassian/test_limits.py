from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from typing import Any

import httpx2
import pytest

from ragd.core.errors import SourceThrottled, SourceUnavailable
from ragd.sources.atlassian.client import AtlassianClient, Auth
from ragd.sources.atlassian.limits import RateBudget, rest_asked_for, wait_asked_for
from ragd.sources.atlassian.responses import Unanswered
from ragd.sources.base import HttpOptions, Usage

from .atlassian_http import TOKEN, Time, http_options

Answer = Callable[[httpx2.Request], httpx2.Response]
DATE = 1_790_000_000


@pytest.fixture
def time_() -> Time:
    return Time()


def client_of(answers: list[httpx2.Response] | Answer, time_: Time, **values: Any) -> tuple[AtlassianClient, HttpOptions]:
    """A client whose site gives these answers one after the other."""
    rest = iter(answers) if isinstance(answers, list) else None
    limits = http_options(time_, **values)
    site = httpx2.MockTransport(lambda request: next(rest) if rest is not None else answers(request))  # type: ignore[operator]
    auth = Auth("pat", TOKEN)
    return AtlassianClient("https://93.184.216.34", auth, limits, product="jira", clock=time_.clock, transport=site), limits


def busy(status: int = 429, **headers: str) -> httpx2.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.Response(status, json={"message": "busy"}, headers=named)


def ok(**headers: str) -> httpx2.Response:
    return httpx2.Response(200, json={"ok": True}, headers={name.replace("_", "-"): value for name, value in headers.items()})


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7),
        ({"Retry-After": formatdate(DATE + 9, usegmt=True), "Date": formatdate(DATE, usegmt=True)}, 9),
        ({"X-RateLimit-Interval-Seconds": "3", "X-RateLimit-Remaining": "0"}, 3),
        ({"X-RateLimit-Reset": "2026-11-22T10:00:12Z", "Date": "Sun, 22 Nov 2026 10:00:00 GMT"}, 12),
        ({"X-RateLimit-Reset": str(DATE + 4), "Date": formatdate(DATE, usegmt=True)}, 4),
    ],
    ids=["seconds", "date by the server's clock", "Data Center", "Cloud", "Cloud in epoch seconds"],
)
def test_what_a_site_asks_for_is_waited_once(time_: Time, headers: dict[str, str], seconds: float) -> None:
    client, limits = client_of([httpx2.Response(429, headers=headers), ok()], time_)
    assert client.get("/rest") == {"ok": True}
    assert time_.pauses == [seconds]
    assert (limits.usage.requests, limits.usage.throttled_s) == (2, seconds)


@pytest.mark.parametrize("value", ["soon", "-5", "", "nan", "inf", "1e9", "Wed, 99 Foo 2026 00:00:00 GMT"])
def test_a_retry_after_that_means_nothing_is_passed_over(time_: Time, value: str) -> None:
    client, _ = client_of([busy(Retry_After=value), ok()], time_)
    client.get("/rest")
    assert len(time_.pauses) <= 1
    assert sum(time_.pauses) <= 0.5


def test_now_means_now_once_and_a_storm_of_it_ends(time_: Time) -> None:
    client, limits = client_of(lambda request: busy(Retry_After="0"), time_)
    with pytest.raises(SourceThrottled) as caught:
        client.get("/rest")
    assert limits.usage.requests == 5
    assert [pause <= limit for pause, limit in zip(time_.pauses, (1, 2, 4), strict=True)] == [True] * 3
    assert caught.value.retry_after_s <= 8


def test_without_a_word_from_the_site_pauses_grow_with_jitter(time_: Time) -> None:
    client, limits = client_of([busy(), busy(503), busy(500), ok()], time_)
    assert client.get("/rest") == {"ok": True}
    assert [0 <= pause <= limit for pause, limit in zip(time_.pauses, (0.5, 1, 2), strict=True)] == [True] * 3
    assert limits.usage.throttled_s == pytest.approx(sum(time_.pauses))


def test_a_longer_wait_than_allowed_is_handed_back_at_once_and_holds_for_the_next_request(time_: Time) -> None:
    client, limits = client_of([busy(Retry_After="120"), ok()], time_)
    for left in (120.0, 120.0):
        with pytest.raises(SourceThrottled) as caught:
            client.get("/rest")
        assert caught.value.retry_after_s == left
        assert caught.value.retryable
    assert (limits.usage.requests, time_.pauses) == (1, [])
    time_.now += 120
    assert client.get("/rest") == {"ok": True}


def test_waits_of_one_request_add_up_to_no_more_than_allowed(time_: Time) -> None:
    client, _ = client_of(lambda request: busy(Retry_After="12"), time_)
    with pytest.raises(SourceThrottled):
        client.get("/rest")
    assert time_.pauses == [12, 12]


def test_a_server_error_is_told_after_all_tries_with_its_status(time_: Time) -> None:
    client, limits = client_of(lambda request: busy(502), time_)
    with pytest.raises(
        Unanswered, match=r"Jira at 93\.184\.216\.34 answered 502 at /rest/page \([a-z/-]+, \d+ bytes\)"
    ) as caught:
        client.get("/rest/page", {"title": "秘密"})
    assert isinstance(caught.value, SourceUnavailable)
    assert (caught.value.answered, limits.usage.requests) == (502, 5)
    assert "秘密" not in str(caught.value)


def test_what_a_server_error_says_of_limits_is_no_wish_to_be_left_alone(time_: Time) -> None:
    client, _ = client_of([busy(500, X_RateLimit_Interval_Seconds="600", X_RateLimit_Remaining="5"), ok()], time_)
    assert client.get("/rest") == {"ok": True}
    assert sum(time_.pauses) <= 0.5


def test_when_nothing_remains_the_next_request_waits_for_the_interval(time_: Time) -> None:
    full = ok(X_RateLimit_Remaining="0", X_RateLimit_Interval_Seconds="5")
    client, _ = client_of([full, ok(X_RateLimit_Remaining="10", X_RateLimit_Interval_Seconds="5"), ok()], time_)
    for _ in range(3):
        client.get("/rest")
    assert time_.pauses == [5]


def test_all_threads_of_a_token_rest_together_but_not_those_of_another(time_: Time) -> None:
    client, limits = client_of([busy(Retry_After="100"), ok()], time_)
    with pytest.raises(SourceThrottled):
        client.get("/rest")
    other = HttpOptions(pause=time_.pause, usage=Usage(), allowed_hosts=("*",))
    assert client.with_auth(Auth("pat", "another"), other).get("/rest") == {"ok": True}
    assert (limits.usage.requests, other.usage.requests) == (1, 1)


def test_a_run_that_is_cancelled_ends_while_it_waits(time_: Time) -> None:
    class Cancelled(Exception):
        pass

    def cancel(seconds: float) -> None:
        raise Cancelled

    client, _ = client_of(lambda request: busy(Retry_After="5"), time_, pause=cancel)
    with pytest.raises(Cancelled):
        client.get("/rest")


def test_the_budget_lets_a_burst_through_and_then_keeps_the_pace(time_: Time) -> None:
    client, limits = client_of(lambda request: ok(), time_, requests_per_minute=120)
    begin = time_.now
    for _ in range(130):
        client.get("/rest")
    # A burst of ten, and two in a second.
    assert time_.now - begin == pytest.approx(60)
    assert limits.usage.throttled_s == pytest.approx(60)


def test_a_budget_that_is_used_up_for_longer_than_allowed_is_told(time_: Time) -> None:
    client, limits = client_of(lambda request: ok(), time_, requests_per_minute=1, longest_wait_s=10)
    client.get("/rest")
    with pytest.raises(SourceThrottled, match="budget") as caught:
        client.get("/rest")
    assert caught.value.retry_after_s == pytest.approx(60)
    assert limits.usage.requests == 1


def test_a_person_goes_before_a_sync_which_makes_up_for_it(time_: Time) -> None:
    budget = RateBudget(60, time_.clock)
    assert [budget.reserve(100) for _ in range(6)] == pytest.approx([0, 0, 0, 0, 0, 1])
    assert budget.reserve(100, goes_first=True) == 0
    assert budget.reserve(100) == pytest.approx(3)


def test_threads_share_the_budget(time_: Time) -> None:
    budget = RateBudget(600, time_.clock)
    with ThreadPoolExecutor(4) as pool:
        waits = sorted(pool.map(lambda _: budget.reserve(1000), range(150)))
    assert waits == pytest.approx([0.0] * 50 + [number / 10 for number in range(1, 101)])


def test_an_absurd_wait_is_a_day_at_most() -> None:
    assert wait_asked_for(httpx2.Headers({"Retry-After": "999999999"}), limited=True) == 24 * 3600
    assert wait_asked_for(httpx2.Headers({"Retry-After": formatdate(time.time() - 60)}), limited=True) == 0
    assert rest_asked_for(httpx2.Headers({"X-RateLimit-Remaining": "0"})) == 60
    assert rest_asked_for(httpx2.Headers({"X-RateLimit-Remaining": "1"})) == 0


def test_requests_of_many_threads_are_all_counted(time_: Time) -> None:
    client, limits = client_of(lambda request: ok(), time_)
    gate = threading.Barrier(4)

    def work(_: int) -> None:
        gate.wait(5)
        for _ in range(25):
            client.get("/rest")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert limits.usage.requests == 100
