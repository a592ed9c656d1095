"""Folders that may be read, by two lists: what the daemon allows to everybody, and what one request wants to stay within."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ragd.core.errors import FieldProblem, ForbiddenPath, ValidationFailed


def narrowed(allowed_roots: Sequence[str], within: Sequence[str] | None) -> tuple[str, ...]:
    """The folders that lie in both lists, links resolved; an empty `allowed_roots` allows all, and None asks for nothing.

    It only ever takes away. Raises `ForbiddenPath` when nothing is left, and `ValidationFailed` for a relative folder.
    """
    if within is None:
        return tuple(allowed_roots)
    if relative := [folder for folder in within if not Path(folder).is_absolute()]:
        message = f"'{relative[0][:200]}' must be an absolute path."
        raise ValidationFailed(message, details=[FieldProblem("within", "relative", message)])
    inner = _resolved(within)
    outer = _resolved(allowed_roots)
    # Of two folders, one in the other, the lower one is what both lists hold.
    both = {a if a.is_relative_to(b) else b for a in inner for b in outer if a.is_relative_to(b) or b.is_relative_to(a)}
    kept = both if outer else set(inner)
    if not kept:
        raise ForbiddenPath("None of the folders in 'within' may be read (security.allowed_roots).")
    return tuple(sorted(map(str, kept)))


def _resolved(folders: Sequence[str]) -> list[Path]:
    try:
        return [Path(folder).expanduser().resolve() for folder in folders]
    except (OSError, RuntimeError, ValueError) as error:  # links in a circle, a NUL character
        raise ForbiddenPath(f"A folder that may be read is no path that can be followed ({type(error).__name__}).") from error
