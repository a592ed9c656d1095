"""The table of the service contract's criteria names the tests that are there, all of them, and says rightly where they run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
# How many criteria each requirement has.
CRITERIA = {1: 11, 2: 12, 3: 7, 4: 4, 5: 5}
_ROW = re.compile(r"^\| (\d\.\d\d) \| (.+?) \| (.+?) \| (.) \| (.) \|$", re.MULTILINE)
_NAMED = re.compile(r"`(test_\w+)`(?: \((SQLite alone|no store)\))?")
_STORES = {"": {"sqlite", "postgres"}, "SQLite alone": {"sqlite"}, "no store": set[str]()}
_COLLECTED = re.compile(r"::(test_\w+)(?:\[(.+)\])?$", re.MULTILINE)


def collected() -> dict[str, set[str]]:
    """The tests of the contract as pytest finds them, each with the stores that it runs on."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "tests/contract_service"]
    outer = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(command, cwd=ROOT, env=outer, capture_output=True, encoding="utf-8", timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, set[str]] = {}
    for name, parameters in _COLLECTED.findall(done.stdout):
        found.setdefault(name, set()).update(_STORES[""] & set(parameters.split("-")))
    return found


def numbers_of(test: str) -> set[str]:
    """`test_3_02_and_3_03_…` is of 3.02 and 3.03."""
    numbered = re.match(r"test((?:_(?:and_)?\d_\d\d)+)(?=_)", test)
    return {f"{one}.{two}" for one, two in re.findall(r"(\d)_(\d\d)", numbered[1])} if numbered else set()


def test_every_criterion_names_its_tests_and_every_numbered_test_is_named() -> None:
    rows = _ROW.findall((ROOT / "docs" / "service-criteria.md").read_text("utf-8"))
    assert [number for number, *_ in rows] == [f"{one}.{two:02}" for one, last in CRITERIA.items() for two in range(1, last + 1)]
    tests = collected()
    named: set[str] = set()
    for number, _, cell, *ticks in rows:
        stores: set[str] = set()
        for test, note in _NAMED.findall(cell):
            assert number in numbers_of(test), (number, test)
            assert tests.get(test) == _STORES[note], (test, tests.get(test), note)
            stores |= tests[test]
            named.add(test)
        assert (stores, ticks) == (_STORES[""], ["✓", "✓"]), number
    assert {test for test in tests if numbers_of(test)} == named
