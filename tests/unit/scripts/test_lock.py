"""What `scripts/lock.py --check` says of locks."""

from __future__ import annotations

import pytest

from .loading import load

HASH = f"    --hash=sha256:{'0' * 64}\n"
LOCK = f"click==8.5.0 \\\n{HASH}colorama==0.4.6 ; sys_platform == 'win32' \\\n{HASH}"

lock = load("lock")


def test_a_lock_that_holds_what_is_declared_has_no_problems() -> None:
    assert lock.lock_problems("a.lock", LOCK, ["click>=8.5", "Colorama"]) == []


@pytest.mark.parametrize(
    ("text", "needed", "problem"),
    [
        (LOCK, ["click>=9"], "a.lock: nothing fits click>=9"),
        (LOCK, ["rich"], "a.lock: nothing fits rich"),
        ("click==8.5.0 \\\n", ["click"], "a.lock: click has no hash"),
        (f"--index-url https://packages.example.com\n{LOCK}", ["click"], "a.lock: an address stands in it"),
    ],
)
def test_each_lack_is_named(text: str, needed: list[str], problem: str) -> None:
    assert lock.lock_problems("a.lock", text, needed) == [problem]


def test_the_locks_of_this_checkout_hold_what_is_declared(capsys: pytest.CaptureFixture[str]) -> None:
    assert lock.check_locks() == 0, capsys.readouterr().err
