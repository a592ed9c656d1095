#!/usr/bin/env python3
"""Builds what is released: `dist/ragd-VERSION-py3-none-any.whl` and `dist/rag-assistant-VERSION.vsix`, which carries it.

    python3 scripts/package.py

From a bare machine: Python 3.11 or newer, Node.js 20 or newer and package mirrors that pip and npm know. What is there already is
not made again. The same sources give the same files. Exit status: 0 done; 1 a step failed; 2 the machine lacks something; 130
stopped by Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from nodejs.npm import check_node, ensure_node_modules, npm
from release.vsix import PICTURE, biggest, problems
from release.wheel import EPOCH, build_wheel, put_server_folder, version
from setup.console import INTERRUPTED, Console, StopError
from setup.environment import BASE_LOCK, Environment

STEPS = 6


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Build the wheel and the VSIX that carries it.")
    parser.parse_args(arguments)
    console = Console(STEPS)
    try:
        package(console, Environment())
    except StopError as error:
        console.print(f"\n{error}")
        return error.exit_code
    except KeyboardInterrupt:
        console.print("\nStopped. Run the same command again to go on.")
        return INTERRUPTED
    return 0


def package(console: Console, environment: Environment) -> Path:
    """The finished VSIX."""
    os.umask(0o022)  # archives note the modes of files
    root = environment.root
    extension, dist = root / "extension", root / "dist"
    console.step("Versions, Node.js")
    released = same_version(root)
    check_node()

    console.step("Python environment in .venv/")
    environment.ensure(BASE_LOCK, console)

    console.step("Wheel")
    wheel = build_wheel(root, environment.program("python"), dist, console)
    put_server_folder(root, wheel, extension / "dist" / "server")

    console.step("Packages of npm")
    ensure_node_modules(extension, console)

    console.step("Bundles of the extension")
    npm(["run", "build"], extension, console)

    console.step("VSIX")
    vsix = dist / f"rag-assistant-{released}.vsix"
    options = ["--no-dependencies", "--no-rewrite-relative-links", "--allow-missing-repository", "--out", str(vsix)]
    options += ["--readme-path", put_readme(extension, console)]
    npm(["exec", "--offline", "--", "vsce", "package", *options], extension, console, SOURCE_DATE_EPOCH=EPOCH, TZ="UTC")
    if found := problems(vsix, wheel):
        rejected = vsix.rename(vsix.with_suffix(".rejected"))
        raise StopError(f"{rejected.name} must not be released:", log=found)
    console.print(summary(vsix, wheel, console.elapsed()))
    return vsix


def same_version(root: Path) -> str:
    """The version of the daemon; the extension must have the same."""
    server = version(root)
    manifest = json.loads((root / "extension" / "package.json").read_text("utf-8"))["version"]
    if manifest != server:
        raise StopError(
            f"extension/package.json has version {manifest}, server/ragd/__init__.py {server}.",
            advice="They are released together: give both the same one.",
        )
    return server


def put_readme(extension: Path, console: Console) -> str:
    """The readme for the VSIX, with its pictures beside it: there is no public repository where an editor could find them."""
    target = extension / "dist" / "readme"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)

    def carried(address: re.Match[str]) -> str:
        picture = extension / address[0]
        if ":" in address[0]:
            return address[0]
        if not picture.is_file():
            console.note(f"The readme shows {address[0]}, which is not there")
            return address[0]
        shutil.copyfile(picture, target / picture.name)
        return f"dist/readme/{picture.name}"

    text = (extension / "README.md").read_text("utf-8")
    (target / "README.md").write_text(PICTURE.sub(carried, text), "utf-8")
    return "dist/readme/README.md"


def summary(vsix: Path, wheel: Path, seconds: float) -> str:
    files = [f"  {packed / 1e3:8.0f} kB of {size / 1e3:7.0f}  {name}" for name, packed, size in biggest(vsix)]
    made = [f"  {path.stat().st_size / 1e6:.1f} MB  {path}" for path in (wheel, vsix)]
    return "\n".join([f"\nMade in {seconds:.0f} s:", *made, "Its biggest files, packed and unpacked:", *files])


if __name__ == "__main__":
    sys.exit(main())
