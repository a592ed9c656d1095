#!/usr/bin/env python3
"""All checks of the project: lint, format, types, generated files, then the tests.

    python3 scripts/test.py              everything, with the real model and a real editor
    python3 scripts/test.py --fast       without the tests that need the model, start programs or take more than a moment
    python3 scripts/test.py -- -k text   the checks, and of the tests only what pytest finds by what follows `--`

The checks run beside each other, one more than there are cores, and so do the tests of pytest; vitest runs beside pytest, and its
output comes after it. Every check runs even when another one failed, and so do the tests. Failures are named before the tests
start, so that the summaries of pytest and of vitest are the last things printed. Exit status: 0 when all is well; 1 when
something failed; 2 when the machine lacks something; 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from nodejs.editor import ensure_editor
from nodejs.npm import check_node, ensure_node_modules
from setup.console import INTERRUPTED, STEP_FAILED, Console, StopError
from setup.environment import (
    FRAMEWORKS_LOCK,
    ROOT,
    TEST_LOCK,
    Environment,
    fingerprint,
    make_environment,
    program_in,
    read_stamp,
)
from setup.installers import Installation, child_environment
from setup.processes import CommandFailedError, run

LOWEST_COVERAGE = 94
FAST = "not model and not e2e and not slow"
# One more than there are cores: the end-to-end tests wait for much. Beyond eight, their memory counts.
AT_ONCE = min((os.cpu_count() or 1) + 1, 8)
COVERAGE = ROOT / ".coverage.json"
EXTENSION = ROOT / "extension"
FRAMEWORKS = ROOT / ".venv-frameworks"
METRIC_TOOLS = ("ragas", "deepeval")
MCP_CLIENTS = ROOT / "tests" / "mcp" / "clients"


@dataclass(frozen=True)
class Check:
    """What must end with exit status 0. Its output is shown only when it does not."""

    name: str
    command: list[str]
    folder: Path = ROOT


@dataclass(frozen=True)
class Suite:
    """Tests with a summary of their own."""

    name: str
    command: list[str]
    folder: Path

    def run_quietly(self, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """Run it and keep what it prints. Ctrl-C reaches it: it is in our process group."""
        return subprocess.run(
            self.command,
            env=env,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )


def checks(program: Callable[[str], Path], *, fast: bool) -> list[Check]:
    """Each check before the tests; those that take long come first."""

    # A file's findings hang on the types of others, too: only a quick look may go by the file alone.
    def remembered(name: str) -> list[str]:
        # Not the tools' own places: without --cache prettier looks into its own, a folder, and stops at a file there.
        return ["--cache", "--cache-location", f"node_modules/.cache/fast-{name}"] if fast else []

    python, ruff, mypy = (str(program(name)) for name in ("python", "ruff", "mypy"))

    def npm(name: str, *arguments: str) -> Check:
        shown = " ".join(["npm run", name, *arguments])
        return Check(shown, ["npm", "run", "--silent", name, *(["--", *arguments] if arguments else [])], EXTENSION)

    return [
        Check("mypy --strict", [mypy, "--strict"]),
        npm("lint", *remembered("eslint/")),
        npm("typecheck"),
        npm("api", "--check"),
        Check("make_samples.py --check", [python, "scripts/make_samples.py", "--check"]),
        Check("make_icon.py --check", [python, "scripts/make_icon.py", "--check"]),
        npm("l10n", "--check"),
        npm("format", "--check", *remembered("prettier")),
        Check("ruff check", [ruff, "check"]),
        Check("ruff format --check", [ruff, "format", "--check"]),
    ]


def pytest_command(program: Callable[[str], Path], *, fast: bool, extra: Sequence[str]) -> list[str]:
    """Coverage is measured of the whole suite, since a part of it can't reach the bound, and in the tests' own processes."""
    measured = [] if fast or extra else ["-m", "slipcover", "--source", "server/ragd", "--json", "--out", str(COVERAGE)]
    chosen = ["-m", FAST] if fast else []
    return [str(program("python")), *measured, "-m", "pytest", "-n", str(AT_ONCE), "--dist", "worksteal", *chosen, *extra]


def coverage_reached(report: Path, console: Console) -> bool:
    """Say how many of our lines the tests have run, and in which files they ran the fewest; whether it is enough."""
    if not report.exists():
        console.print("Coverage: no report, since pytest did not come to its end")
        return False
    found = json.loads(report.read_text("utf-8"))
    percent = found["summary"]["percent_covered"]
    console.print(f"Coverage of server/ragd: {percent:.1f} % of the lines, at least {LOWEST_COVERAGE} % are wanted. The least:")
    for name, file in sorted(found["files"].items(), key=lambda one: one[1]["summary"]["percent_covered"])[:10]:
        console.print(f"  {file['summary']['percent_covered']:5.1f} % {name}")
    return bool(percent >= LOWEST_COVERAGE)


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


def prepare(console: Console, *, in_the_editor: bool) -> None:
    """Install what the extension's checks and tests need; for the full run also others' clients of MCP, and a real editor."""
    console.step("Packages of npm")
    check_node()
    ensure_node_modules(EXTENSION, console)
    if in_the_editor:
        ensure_node_modules(MCP_CLIENTS, console)
        ensure_frameworks(console)
        console.step("VS Code and Chromium for the tests")
        ensure_editor(console)


def ensure_frameworks(console: Console) -> None:
    """The frameworks of the retriever examples, in an environment of their own: they are larger than all the rest."""
    stamp, locked = FRAMEWORKS / "stamp.json", {"lock": fingerprint([ROOT / FRAMEWORKS_LOCK])}
    if read_stamp(stamp) == locked:
        console.note(f"{FRAMEWORKS.name}/ is up to date")
        return
    make_environment(FRAMEWORKS, console)
    Installation(ROOT / FRAMEWORKS_LOCK, None, program_in(FRAMEWORKS, "python"), console).install()
    stamp.write_text(json.dumps(locked), "utf-8")


def run_all(environment: Environment, *, fast: bool, extra: Sequence[str], prepare: Callable[..., None] = prepare) -> int:
    before_tests = checks(environment.program, fast=fast)
    if not fast:
        before_tests.insert(0, Check("rag models pull", [str(environment.program("rag")), "models", "pull"]))
    in_the_editor = not fast and not extra
    if in_the_editor:
        before_tests.insert(0, Check("package.py", [str(environment.program("python")), "scripts/package.py"]))
        # Tools whose metrics `rag eval run` takes, each in an environment of its own.
        before_tests.insert(0, Check("rag extras add", [str(environment.program("rag")), "extras", "add", *METRIC_TOOLS]))
    console = Console(steps=len(before_tests) + 3 + (0 if extra else 1) + (2 if in_the_editor else 0))
    console.step("Python environment in .venv/, with the test tools")
    environment.ensure(TEST_LOCK, console)
    prepare(console, in_the_editor=in_the_editor)

    env = environment_of_tests()
    failed = []
    for check, seconds, lines in ended(before_tests, env):
        console.step(f"{check.name}: {'FAILED' if lines else 'ok'} after {seconds:.0f} s")
        if lines:
            console.print("\n".join(lines))
            failed.append(check.name)
    failed.sort(key=[check.name for check in before_tests].index)
    suites = [Suite("pytest", pytest_command(environment.program, fast=fast, extra=extra), ROOT)]
    if not extra:
        suites.append(Suite("vitest: the extension's units", ["npm", "run", "--silent", "test"], EXTENSION))
    if in_the_editor:
        suites.append(Suite("vitest: the extension in VS Code", ["npm", "run", "--silent", "test:e2e"], EXTENSION))
    coverage = COVERAGE if in_the_editor else None
    if coverage:
        coverage.unlink(missing_ok=True)
    return STEP_FAILED if run_suites(suites, env, console, failed, coverage) else 0


def run_suites(
    suites: Sequence[Suite], env: Mapping[str, str], console: Console, failed: Sequence[str], coverage: Path | None = None
) -> list[str]:
    """Run the first, which prints as it goes, and beside it the others, whose output comes after its; all that failed so far.

    `coverage`: the report that the first one makes.
    """
    first, *others = suites
    names = list(failed)

    def announce(suite: Suite) -> None:
        console.step(suite.name)
        if names:
            console.print(f"FAILED so far: {', '.join(names)} (output above). The tests run all the same.")

    with ThreadPoolExecutor(1) as pool:
        running = [(suite, pool.submit(suite.run_quietly, env)) for suite in others]
        try:
            announce(first)
            if subprocess.run(first.command, env=env, cwd=first.folder, check=False).returncode:
                names.append(first.name)
            if coverage and not coverage_reached(coverage, console):
                names.append("coverage")
            for suite, future in running:
                done = future.result()
                announce(suite)
                console.print(done.stdout.rstrip())
                if done.returncode:
                    names.append(suite.name)
        finally:
            pool.shutdown(cancel_futures=True)
    return names


def environment_of_tests() -> dict[str, str]:
    """Ours. Compiled modules are kept: hundreds of processes start, each of which would compile everything again."""
    return {name: value for name, value in child_environment(os.environ).items() if name != "PYTHONDONTWRITEBYTECODE"}


def ended(checks: Sequence[Check], env: Mapping[str, str]) -> Iterator[tuple[Check, float, list[str]]]:
    """Run them, some beside each other: each that has ended, its seconds, and what it printed when it failed."""
    stopped = threading.Event()

    def go_on(_seconds: float, _line: str) -> None:
        if stopped.is_set():
            raise KeyboardInterrupt

    def lines_of_failure(check: Check) -> tuple[float, list[str]]:
        started = time.monotonic()
        try:
            run(check.command, env=env, cwd=check.folder, on_progress=go_on)
        except CommandFailedError as error:
            return time.monotonic() - started, error.lines or [str(error)]
        return time.monotonic() - started, []

    with ThreadPoolExecutor(AT_ONCE) as pool:
        running = {pool.submit(lines_of_failure, check): check for check in checks}
        try:
            for future in as_completed(running):
                yield (running[future], *future.result())
        finally:
            # They are in groups of their own, which Ctrl-C does not reach.
            stopped.set()
            pool.shutdown(cancel_futures=True)


if __name__ == "__main__":
    sys.exit(main())
