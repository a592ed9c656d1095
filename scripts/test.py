#!/usr/bin/env python3
"""All checks of the project: lint, format, types, generated files, then the tests.

    python3 scripts/test.py              everything, with the real model; coverage must not fall below the bound
    python3 scripts/test.py --fast       without the tests that need the model or start programs
    python3 scripts/test.py -- -k text   what follows `--` goes to pytest

Every check runs even when an earlier one failed. Failures are named before pytest starts, so that pytest's summary is the
last thing printed. Exit status: 0 when all is well; pytest's own when its tests failed; else 1, or 2 when the machine lacks
something.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from _console import INTERRUPTED, STEP_FAILED, CommandFailedError, Console, StopError
from _environment import ROOT, TEST_LOCK, Environment
from _installers import child_environment

LOWEST_COVERAGE = 85
FAST = "not model and not e2e"


def checks(program: Callable[[str], Path]) -> list[tuple[str, list[str]]]:
    """Each check before the tests: its name and its command."""
    python, ruff, mypy = (str(program(name)) for name in ("python", "ruff", "mypy"))
    return [
        ("ruff check", [ruff, "check"]),
        ("ruff format --check", [ruff, "format", "--check"]),
        ("mypy --strict", [mypy, "--strict"]),
        ("make_samples.py --check", [python, "scripts/make_samples.py", "--check"]),
    ]


def pytest_command(program: Callable[[str], Path], *, fast: bool, extra: Sequence[str]) -> list[str]:
    command = [str(program("python")), "-m", "pytest"]
    if fast:
        return [*command, "-m", FAST, *extra]
    # The bound is for the whole suite; a chosen part of it can't reach it.
    coverage = [] if extra else ["--cov", f"--cov-fail-under={LOWEST_COVERAGE}", "--cov-report=term:skip-covered"]
    return [*command, *coverage, *extra]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage="test.py [--fast] [-- PYTEST_ARGUMENT…]"
    )
    parser.add_argument("--fast", action="store_true", help="leave out the tests that need the model or start programs")
    parser.add_argument("pytest_arguments", nargs="*", metavar="PYTEST_ARGUMENT", help="handed to pytest")
    options = parser.parse_args(arguments)
    try:
        return run_all(Environment(), fast=options.fast, extra=options.pytest_arguments)
    except StopError as error:
        print(f"\n{error}", flush=True)
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED


def run_all(environment: Environment, *, fast: bool, extra: Sequence[str]) -> int:
    before_tests = checks(environment.program)
    if not fast:
        before_tests.append(("rag models pull", [str(environment.program("rag")), "models", "pull"]))
    console = Console(steps=len(before_tests) + 2)
    console.step("Python environment in .venv/, with the test tools")
    environment.ensure(TEST_LOCK, console)

    env = child_environment(os.environ)
    failed = []
    for name, command in before_tests:
        console.step(name)
        if not passes(command, env, console):
            failed.append(name)
    console.step("pytest")
    if failed:
        console.print(f"FAILED before the tests: {', '.join(failed)} (output above). The tests run all the same.")
    returncode = subprocess.run(
        pytest_command(environment.program, fast=fast, extra=extra), env=env, cwd=ROOT, check=False
    ).returncode
    if returncode < 0:
        return STEP_FAILED
    return returncode or (STEP_FAILED if failed else 0)


def passes(command: Sequence[str], env: Mapping[str, str], console: Console) -> bool:
    """Run a check; its output is shown only when it failed."""
    try:
        console.run_quietly(command, env=env, cwd=ROOT)
    except CommandFailedError as error:
        console.print("\n".join(error.lines))
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
