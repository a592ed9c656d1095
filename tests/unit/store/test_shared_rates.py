"""Rates that several processes count together, in PostgreSQL."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Engine, text

from ragd.access.rate import RateLimits
from ragd.access.shared_rates import SharedRates

pytestmark = pytest.mark.slow


def test_a_minute_s_requests_may_come_at_once_from_wherever_and_no_more(postgres_engine: Engine) -> None:
    processes = [SharedRates(postgres_engine), SharedRates(postgres_engine)]
    with ThreadPoolExecutor(8) as threads:
        taken = list(threads.map(lambda number: processes[number % 2].take("key:a", 30), range(50)))
    assert sum(allowance.wait_s == 0 for allowance in taken) == 30
    assert all(0 < allowance.wait_s <= 2 for allowance in taken if allowance.remaining == 0 and allowance.wait_s)
    assert processes[0].take("key:b", 30).wait_s == 0


def test_it_allows_what_the_memory_of_one_process_allows(postgres_engine: Engine) -> None:
    shared, own = SharedRates(postgres_engine), RateLimits()
    for _ in range(4):
        ours, theirs = own.take("key:a", 3), shared.take("key:a", 3)
        assert (theirs.limit, theirs.remaining) == (ours.limit, ours.remaining)
        assert theirs.reset_s == pytest.approx(ours.reset_s, abs=1)
        assert theirs.wait_s == pytest.approx(ours.wait_s, abs=1)


def test_the_allowance_comes_back_with_time_and_a_clock_that_was_set_back_locks_nobody_out(postgres_engine: Engine) -> None:
    rates = SharedRates(postgres_engine)
    for _ in range(2):
        assert rates.take("key:a", 2).wait_s == 0
    assert rates.take("key:a", 2).wait_s > 0
    for seconds, remaining in ((-30, 0), (-3600, 1), (+3600, 1)):
        with postgres_engine.begin() as connection:
            connection.execute(text("UPDATE request_rates SET full_at = full_at + :seconds"), {"seconds": seconds})
        allowance = rates.take("key:a", 2)
        assert (allowance.wait_s, allowance.remaining) == (0, remaining)
