#!/usr/bin/env python3
"""Says which packages of the locks have no wheel for a system and a Python on which we are installed.

    .venv/bin/python scripts/check_wheels.py [LOCK …]

uv resolves each lock for each pair without installing: Windows x64, macOS 14 arm64 and x64, Linux x64 and arm64, Python 3.11 to
3.14, against the index that pip is set up with.

Exit status: 0 nothing is missing; 1 something is, which is printed; 2 uv can't be had.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from ragd.cli.bundle.targets import PLATFORMS, PYTHONS, Platform
from setup import pip_settings
from setup.console import MACHINE_NOT_READY, STEP_FAILED, Console, StopError
from setup.environment import BASE_LOCK, ROOT
from setup.installers import TOOLS_LOCK, fetch_uv, system_certificates, uv_on_path

EXTRAS = ROOT / "server" / "ragd" / "cli" / "extras"
# uv's own guess is older than what is still cared for.
_MACOS = {"MACOSX_DEPLOYMENT_TARGET": "14.0"}
_PIN = re.compile(r"^[\w.-]+==.*\n(?:    .*\n)*", re.MULTILINE)


def missing(uv: str, lock: Path, platform: Platform, python: str, environment: Mapping[str, str]) -> list[str]:
    """Packages of the lock that this pair can't get as a wheel. Raises StopError for any other refusal."""
    without: list[str] = []
    with tempfile.TemporaryDirectory(prefix="rag-assistant-wheels-") as name:
        wanted = Path(name, lock.name)
        wanted.write_text(lock.read_text("utf-8"), "utf-8")
        command = [uv, "pip", "install", "--dry-run", "--no-deps", "--only-binary", ":all:", "--require-hashes", "--no-config"]
        command += ["--python-platform", platform.for_uv, "--python-version", python, "--target", name, "-r", str(wanted)]
        while True:
            done = subprocess.run(
                command, env={**os.environ, **environment, **_MACOS}, capture_output=True, encoding="utf-8", check=False
            )
            if not done.returncode:
                return without
            said = " ".join(done.stderr.split())
            if not (found := re.search(r"([\w.-]+)(?:\{[^}]*\})?==(\S+) has no (?:usable )?wheels", said)):
                raise StopError(f"uv could not resolve {lock.name} for {platform.name}, Python {python}:\n{done.stderr.strip()}")
            without.append(f"{found[1]} {found[2]}")
            # uv stops at the first: without it, the next is found.
            kept = [pin for pin in _PIN.findall(wanted.read_text("utf-8")) if not pin.startswith(f"{found[1]}==")]
            wanted.write_text("".join(kept), "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Say which locked packages have no wheel for which system and Python.")
    parser.add_argument(
        "lock", nargs="*", type=Path, default=[ROOT / BASE_LOCK, ROOT / TOOLS_LOCK, *sorted(EXTRAS.glob("*.lock"))]
    )
    options = parser.parse_args(arguments)
    pip = [sys.executable, "-m", "pip"]
    with tempfile.TemporaryDirectory(prefix="rag-assistant-tools-") as tools:
        try:
            uv = uv_on_path() or fetch_uv(pip, ROOT / TOOLS_LOCK, Path(tools), Console(steps=0))
            if uv is None:
                print("uv is needed: install it, then run the script again.", file=sys.stderr)
                return MACHINE_NOT_READY
            settings = subprocess.run([*pip, "config", "list"], check=True, capture_output=True, encoding="utf-8").stdout
            translated = pip_settings.for_uv(
                pip_settings.parse_config_list(settings), os.environ, system_certificates=system_certificates()
            )
            return _check(uv, options.lock, translated.environment)
        except StopError as error:
            print(error, file=sys.stderr)
            return error.exit_code


def _check(uv: str, locks: Sequence[Path], environment: Mapping[str, str]) -> int:
    complete = True
    for lock in locks:
        print(f"{lock.name}:")
        for platform in PLATFORMS.values():
            for python in PYTHONS:
                lacking = missing(uv, lock, platform, python, environment)
                complete = complete and not lacking
                print(f"  {platform.name:12} {python:5} {', '.join(lacking) or 'all'}", flush=True)
    return 0 if complete else STEP_FAILED


if __name__ == "__main__":
    sys.exit(main())
