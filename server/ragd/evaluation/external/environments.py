"""Where the tools are whose packages can't be with ours: each in an environment of its own, beside the packages of this one.

`rag extras add NAME` makes it from the lock in this folder: exact versions with hashes.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Final

from ragd.core.errors import ServiceUnavailable

FOR: Final = {
    "ragas": "the metrics of Ragas (`rag eval run --metrics ragas:…`), in an environment of its own, some 780 MB",
    "deepeval": "the metrics of DeepEval (`rag eval run --metrics deepeval:…`), in an environment of its own, some 170 MB",
}
"""What each is for, in the order of `rag extras list`."""
_STAMP: Final = "rag-lock.json"


def lock_of(name: str) -> Path:
    """The lock that an environment is made from."""
    return Path(__file__).with_name(f"{name}.lock")


def folder_of(name: str) -> Path:
    """Where the environment is, or would be."""
    return Path(sys.prefix, "rag-extras", name)


def python_of(name: str) -> Path:
    """The environment's Python. Raises `ServiceUnavailable`, which says what to run, where it is missing or outdated."""
    now = state(name)
    if now == "installed":
        return interpreter(folder_of(name))
    was = "is not installed" if now == "not installed" else "was installed for another release"
    raise ServiceUnavailable(
        f"The metrics of {name} need packages in an environment of their own, which {was}. Run: rag extras add {name}"
    )


def state(name: str) -> str:
    """`installed`, `not installed`, or `outdated` where the lock has changed since."""
    try:
        stamp = json.loads((folder_of(name) / _STAMP).read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return "not installed"
    return "installed" if stamp == _stamp(name) else "outdated"


def note_installed(name: str) -> None:
    """Write down that the environment holds what the lock says."""
    (folder_of(name) / _STAMP).write_text(json.dumps(_stamp(name)), "utf-8")


def interpreter(folder: Path) -> Path:
    """Python in an environment's folder."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _stamp(name: str) -> dict[str, str]:
    # Line ends are a checkout's own matter.
    text = lock_of(name).read_text("utf-8")
    return {"lock": hashlib.sha256(text.encode()).hexdigest(), "python": f"{sys.version_info.major}.{sys.version_info.minor}"}
