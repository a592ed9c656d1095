#!/usr/bin/env python3
"""Makes the lock files again from pyproject.toml: exact versions and hashes for every platform, no addresses.

    python3 scripts/lock.py              keeps the versions that still fit
    python3 scripts/lock.py --upgrade    takes the newest that fit
    .venv/bin/python scripts/lock.py --check    only says whether the locks hold what pyproject.toml asks for; asks no registry

requirements.lock is what the quick start installs, with the extra `ocr`; requirements-test.lock adds the tools of the tests;
requirements-tools.lock is uv, which installs them; server/ragd/cli/extras/ has a lock for each extra, for `rag extras add`;
requirements-frameworks.lock is for the environment of the retriever examples, server/ragd/evaluation/external/ has the locks of
extras that get an environment of their own.
Besides the dependencies the first two hold the build backend, as the project is installed without build isolation, and pip, with
which the model is fetched. uv resolves them, by its own settings
(UV_DEFAULT_INDEX), not by pip's: a mirror with a part of a release's files would leave the hashes of the others out.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path

from setup.console import MACHINE_NOT_READY, STEP_FAILED, Console, StopError
from setup.environment import BASE_LOCK, FRAMEWORKS_LOCK, ROOT, TEST_LOCK
from setup.installers import TOOLS_LOCK, fetch_uv, uv_on_path

OLDEST_PYTHON = "3.11"
EXTRAS = Path("server", "ragd", "cli", "extras")
APART = Path("server", "ragd", "evaluation", "external")


def build_requirements(pyproject: str) -> list[str]:
    """What must be in the environment besides the declared dependencies."""
    return [*tomllib.loads(pyproject)["build-system"]["requires"], "pip"]


def extras(pyproject: str) -> dict[str, list[str]]:
    """What each extra asks for that users install: the one of the tests has a lock of its own."""
    declared: dict[str, list[str]] = tomllib.loads(pyproject)["project"]["optional-dependencies"]
    return {name: wanted for name, wanted in declared.items() if name != "test"}


def apart(pyproject: str) -> dict[str, list[str]]:
    """What each extra asks for that `rag extras add` gives an environment of its own, as its packages can't be with ours."""
    groups: dict[str, list[str]] = tomllib.loads(pyproject)["dependency-groups"]
    return {name: groups[name] for name in ("ragas", "deepeval")}


def frameworks(pyproject: str) -> list[str]:
    """What the retriever examples ask for: an environment of its own, since it is larger than the rest together."""
    declared: list[str] = tomllib.loads(pyproject)["dependency-groups"]["frameworks"]
    return declared


def extra_lock(name: str) -> str:
    return (EXTRAS / f"{name}.lock").as_posix()


def apart_lock(name: str) -> str:
    return (APART / f"{name}.lock").as_posix()


def compile_command(uv: str, lock: str, sources: Sequence[str], upgrade: bool) -> list[str]:
    return [
        *(uv, "pip", "compile", "--quiet", "--universal", "--python-version", OLDEST_PYTHON, "--generate-hashes"),
        *("--no-emit-index-url", "--no-emit-find-links", "--no-annotate"),
        *("--custom-compile-command", "python3 scripts/lock.py", "--output-file", lock),
        *(["--upgrade"] if upgrade else []),
        *sources,
    ]


def lock_problems(lock: str, text: str, needed: Iterable[str]) -> list[str]:
    """What a lock file lacks: a pin that fits each requirement, a hash for each pin, and nothing that names a registry."""
    # Of the environment: this script itself must start with any Python, to make the locks.
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    pins = re.findall(r"^([\w.-]+)==(\S+)(?: ;[^\\\n]*)? *\\\n((?: +--hash=sha256:[0-9a-f]{64}(?: \\)?\n)*)", text, re.MULTILINE)
    versions: dict[str, list[str]] = {}
    for name, version, _hashes in pins:
        versions.setdefault(canonicalize_name(name), []).append(version)
    problems = [f"{lock}: {name} has no hash" for name, _version, hashes in pins if not hashes]
    for wanted in map(Requirement, needed):
        if not any(
            wanted.specifier.contains(found, prereleases=True) for found in versions.get(canonicalize_name(wanted.name), [])
        ):
            problems.append(f"{lock}: nothing fits {wanted}")
    if re.search(r"^ *(-i|-f|--index-url|--extra-index-url|--find-links)\b|https?://", text, re.MULTILINE):
        problems.append(f"{lock}: an address stands in it")
    return problems


def check_locks() -> int:
    """Exit status 0 where each lock holds what is declared."""
    pyproject = (ROOT / "pyproject.toml").read_text("utf-8")
    project = tomllib.loads(pyproject)["project"]
    base = [*project["dependencies"], *project["optional-dependencies"]["ocr"], *build_requirements(pyproject)]
    problems = [
        problem
        for lock, needed in (
            (BASE_LOCK, base),
            (TEST_LOCK, [*base, *project["optional-dependencies"]["test"]]),
            (TOOLS_LOCK, ["uv"]),
            (FRAMEWORKS_LOCK, frameworks(pyproject)),
            *((extra_lock(name), wanted) for name, wanted in extras(pyproject).items()),
            *((apart_lock(name), wanted) for name, wanted in apart(pyproject).items()),
        )
        for problem in lock_problems(lock, (ROOT / lock).read_text("utf-8"), needed)
    ]
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        print("Run python3 scripts/lock.py and commit what it changes.", file=sys.stderr)
    return STEP_FAILED if problems else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the lock files again from pyproject.toml.")
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions that fit")
    parser.add_argument("--check", action="store_true", help="only say what the locks lack")
    options = parser.parse_args()
    if options.check:
        return check_locks()
    upgrade: bool = options.upgrade
    with tempfile.TemporaryDirectory(prefix="rag-assistant-tools-") as tools:
        pip = [sys.executable, "-m", "pip"]
        try:
            uv = uv_on_path() or fetch_uv(pip, ROOT / TOOLS_LOCK, Path(tools), Console(steps=0))
        except StopError as error:
            print(error, file=sys.stderr)
            return error.exit_code
        if uv is None:
            print("uv is needed to make the locks: install it, then run the script again.", file=sys.stderr)
            return MACHINE_NOT_READY
        return make_locks(uv, upgrade)


def make_locks(uv: str, upgrade: bool) -> int:
    pyproject = (ROOT / "pyproject.toml").read_text("utf-8")
    environment = "\n".join(build_requirements(pyproject))
    # The test lock is bound to the base lock, so that both name the same version of a package; those of the extras to both.
    for lock, sources, stdin in (
        (BASE_LOCK, ["pyproject.toml", "--extra", "ocr", "-"], environment),
        (TEST_LOCK, ["pyproject.toml", "--extra", "ocr", "--extra", "test", "--constraint", BASE_LOCK, "-"], environment),
        (TOOLS_LOCK, ["-"], "uv"),
        (FRAMEWORKS_LOCK, ["-"], "\n".join(frameworks(pyproject))),
        *((extra_lock(name), ["--constraint", TEST_LOCK, "-"], "\n".join(wanted)) for name, wanted in extras(pyproject).items()),
        *((apart_lock(name), ["-"], "\n".join(wanted)) for name, wanted in apart(pyproject).items()),
    ):
        done = subprocess.run(compile_command(uv, lock, sources, upgrade), cwd=ROOT, input=stdin, encoding="utf-8", check=False)
        if done.returncode != 0:
            print(f"{lock} was not made; uv's message is above.", file=sys.stderr)
            return STEP_FAILED
        print(f"{lock} is up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main())
