"""Which paths an agent may name: those of files and folders inside `security.allowed_roots`, spelled out from the root."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Final

from ragd.core.errors import DocumentUnreadable, FieldProblem, ForbiddenPath, ValidationFailed
from ragd.ingest.discovery.file_rules import is_passed_over, shown
from ragd.ingest.discovery.files import check_allowed

NO_ROOTS: Final = (
    "Agents may take in no files here: security.allowed_roots names no folder. Whoever runs this adds the folders to "
    "settings.yaml (security: allowed_roots: [/home/me/docs]) or to RAG_SECURITY__ALLOWED_ROOTS, and starts again."
)

_MOST_REPORTED: Final = 20
"""There may be thousands of problems."""
_LONGEST: Final = 200

# One letter and a colon is a drive.
_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
# `//host/share`, `\\?\C:\x`, `\\.\PhysicalDrive0`: on Windows the mere look at one sends the user's credentials to the host.
_NETWORK: Final = re.compile(r"[/\\]{2}")


def confined(paths: Sequence[str], allowed_roots: Sequence[str]) -> list[str]:
    """The roots with links resolved, when every path is there and inside of one. Looks at the disk.

    Raises `ForbiddenPath` when there are no roots or a path is outside of them or hidden (`.env`, `.ssh`), and `ValidationFailed`
    for what is no absolute path of something that exists. Only of what is inside it says whether it exists.
    """
    # A relative root would be another folder in each process.
    roots = [root for root in (Path(root).expanduser() for root in allowed_roots) if root.is_absolute()]
    if not roots:
        raise ForbiddenPath(NO_ROOTS)
    _refuse([problem for index, path in enumerate(paths) if (problem := _misspelled(index, path))])
    for path in paths:
        if _NETWORK.match(path) and not any(PurePath(path).is_relative_to(root) for root in roots):
            raise ForbiddenPath(f"'{_short(path)}' is on another machine or a device, and outside of security.allowed_roots.")
    resolved = [str(check_allowed(root, ())) for root in dict.fromkeys(roots)]
    _refuse([problem for index, path in enumerate(paths) if (problem := _missing(index, path, resolved))])
    return resolved


def _misspelled(index: int, path: str) -> FieldProblem | None:
    """What is wrong with the words of a path, before anything looks at the disk."""
    field, name = f"paths[{index}]", _short(path)
    if "\0" in path:
        return FieldProblem(field, "invalid", f"'{name}' is no path.")
    if Path(path).is_absolute():
        return None
    if _ADDRESS.match(path):
        return FieldProblem(field, "address", f"'{name}' is an address. Only files and folders of this machine are taken in.")
    return FieldProblem(field, "relative", f"'{name}' must be an absolute path, without '~': a server has no working directory.")


def _missing(index: int, path: str, roots: Sequence[str]) -> FieldProblem | None:
    """Why nothing is found at a path. Raises `ForbiddenPath` when it leads out of the roots, or to a hidden place."""
    field, name = f"paths[{index}]", _short(path)
    try:
        found = check_allowed(Path(path), roots)
        if any(is_passed_over(part) for part in _below(found, roots)):
            raise ForbiddenPath(f"'{name}' is hidden or a tool's own. Agents may name what a search of the folder would find.")
        found.stat()
    except DocumentUnreadable as error:
        return FieldProblem(field, "unreadable", error.message)
    except FileNotFoundError:
        return FieldProblem(field, "not_found", f"'{name}' does not exist.")
    except OSError as error:  # a name that is too long, a folder that may not be entered
        return FieldProblem(field, "unreadable", f"'{name}' can't be read: {error.strerror}.")
    return None


def _below(path: Path, roots: Sequence[str]) -> tuple[str, ...]:
    """The names that lead from the lowest root to a path inside of it."""
    return min((path.relative_to(root).parts for root in roots if path.is_relative_to(root)), key=len)


def _refuse(problems: Sequence[FieldProblem]) -> None:
    if problems:
        reported = problems[:_MOST_REPORTED]
        rest = f" And {len(problems) - len(reported)} more." if len(problems) > len(reported) else ""
        raise ValidationFailed(" ".join(problem.message for problem in reported) + rest, details=reported)


def _short(path: str) -> str:
    return shown(path if len(path) <= _LONGEST else f"{path[:_LONGEST]}…")
