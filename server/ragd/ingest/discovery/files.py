"""From the paths that a person names to the files to read: each regular file once, and a reason for each that is left out;
and the folders that may be read at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ragd.core.errors import (
    DocumentUnreadable,
    FieldProblem,
    ForbiddenPath,
    RagError,
    UnsupportedMediaType,
    ValidationFailed,
)
from ragd.core.jobs import Failure
from ragd.formats.registry import loader_name_for, supported_extensions
from ragd.ingest.discovery.drives import Step, ask
from ragd.ingest.discovery.file_rules import FileRules, Selection, is_passed_over, shown
from ragd.ingest.discovery.items import FileItem, Item

LoaderFor = Callable[[str], str | None]
"""The loader, in the provider table, that reads a file of this name; None when none does."""


@dataclass(slots=True)
class Found:
    """The outcome of a search for files: what to read, what can't be read and why, and how many are of no known type.

    `ignored` counts files and folders that a `.gitignore` or an `exclude` or `include` glob left out. `unread` are the names,
    relative to their folder, of what is there but could not be looked at; `""` is a whole folder. `folders` are those that were
    searched, links resolved. `left_out` names all that was seen and not taken, with its reason: of no known type first.
    """

    items: list[Item] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    skipped: int = 0
    ignored: int = 0
    unread: list[str] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)
    _unsupported: list[Failure] = field(default_factory=list)
    _passed: list[Failure] = field(default_factory=list)

    @property
    def left_out(self) -> list[Failure]:
        return self._unsupported + self._passed

    def leave_out(self, name: str, code: str, why: str) -> None:
        """Note what is not taken. Hidden and ignored names come after files that somebody may miss."""
        to = self._unsupported if code == UnsupportedMediaType.code else self._passed
        to.append(Failure(shown(name), code, why))


class Part:
    """Some names below a folder, relative to it: the files of that name, and all that lies below the folders of that name."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = {shown(name) for name in names}
        self._above = {above for name in self._names for above in _above(name)} - self._names

    def holds(self, relative: str) -> bool:
        """Whether a file or a folder is one of the names, or lies below one."""
        return relative in self._names or any(above in self._names for above in _above(relative))

    def leads(self, relative: str) -> bool:
        """Whether a folder is on the way to one of the names, or is held."""
        return relative in self._above or self.holds(relative)


def check_allowed(path: Path, allowed_roots: Sequence[str]) -> Path:
    """The path with `..` and links resolved.

    Raises `ForbiddenPath` when it leaves every allowed root (if there are any), and `DocumentUnreadable` when it is no path.
    """
    try:
        resolved = path.expanduser().resolve()
    except (OSError, RuntimeError, ValueError) as error:  # such as links in a circle, `~nobody`, a NUL character
        raise DocumentUnreadable(f"'{shown(str(path))}' is no path that can be followed ({type(error).__name__}).") from error
    roots = [Path(root).expanduser().resolve() for root in allowed_roots]
    if roots and not any(resolved.is_relative_to(root) for root in roots):
        raise ForbiddenPath(f"'{shown(str(path))}' is outside the folders that may be read (security.allowed_roots).")
    return resolved


def check_paths(paths: Sequence[str], allowed_roots: Sequence[str]) -> None:
    """Raises `ValidationFailed` that names each path that is relative, not there or unreadable, and `ForbiddenPath`."""
    problems = [] if paths else [FieldProblem("paths", "empty", "Name at least one path.")]
    for index, path in enumerate(paths):
        field_name = f"paths[{index}]"
        try:
            there = ask(Path(path), partial(_is_there, path, allowed_roots))
            if not Path(path).expanduser().is_absolute():
                problems.append(FieldProblem(field_name, "relative", f"'{path}' must be an absolute path."))
            elif not there:
                problems.append(FieldProblem(field_name, "not_found", f"'{path}' does not exist."))
        except DocumentUnreadable as error:
            problems.append(FieldProblem(field_name, "unreadable", error.message))
        except OSError as error:  # a name that is too long, a folder that may not be entered
            problems.append(FieldProblem(field_name, "unreadable", f"'{path[:200]}' can't be read: {error}."))
    if problems:
        raise ValidationFailed(" ".join(problem.message for problem in problems), details=problems)


def _is_there(path: str, allowed_roots: Sequence[str], _step: Step) -> bool:
    check_allowed(Path(path), allowed_roots)
    return Path(path).expanduser().exists()


def unread_type(name: str) -> str:
    """Why a file of a type that no loader reads is left out."""
    suffix = Path(name).suffix
    return f"no reader for {suffix}" if suffix else "no extension that says what it is"


def unsupported(name: str) -> UnsupportedMediaType:
    """The error for a file of a type that no loader reads; it lists the types that are read."""
    suffix = Path(name).suffix or "no extension"
    return UnsupportedMediaType(
        f"'{name}' ({suffix}) is a type that can't be read. Supported: {' '.join(supported_extensions())}"
    )


def find_files(
    paths: Sequence[str],
    *,
    recursive: bool,
    allowed_roots: Sequence[str],
    rules: FileRules | None = None,
    part: Part | None = None,
    avoid: Collection[Path] = (),
    loader_for: LoaderFor = loader_name_for,
) -> Found:
    """Search files and folders. A file reached twice, by a link or by name, is taken once; a folder is entered once.

    In folders, hidden and temporary names and tools' own folders are passed over, `rules` are followed, and files of unknown
    types are counted as skipped. With `part`, only that part of each folder is looked at. Folders in `avoid` (resolved) are
    not entered, and files in it not taken. Any other file that is named itself is taken; when it can't be, that is a failure with
    its reason. `loader_for` says which types are known. Where a drive does not answer, nothing is taken.
    """

    def look(step: Step) -> Found:
        return _find(paths, recursive, allowed_roots, rules or FileRules(), part, avoid, loader_for, step)

    try:
        return ask(Path(paths[0]), look) if paths else Found()
    except TimeoutError as error:
        message = f"The files of {', '.join(shown(path) for path in paths)} can't be searched: {error.strerror}"
        return Found(failed=[Failure(shown(paths[0]), DocumentUnreadable.code, message)], unread=[""])


def _find(
    paths: Sequence[str],
    recursive: bool,
    allowed_roots: Sequence[str],
    rules: FileRules,
    part: Part | None,
    avoid: Collection[Path],
    loader_for: LoaderFor,
    step: Step,
) -> Found:
    found = Found()
    seen: set[Path] = set()
    for path in paths:
        step()
        text = shown(path)
        looked = _look_at(Path(path), text, allowed_roots, gone=f"'{text}' does not exist.")
        if isinstance(looked, Failure):
            found.failed.append(looked)
            continue
        root, mode = looked
        named = Path(path).expanduser().absolute()
        if stat.S_ISDIR(mode):
            found.folders.append(root)
            walk = _Walk(found, named, Selection(named, rules), allowed_roots, part, avoid, root, loader_for, step)
            walk.add_files(seen, recursive=recursive)
        elif not stat.S_ISREG(mode):
            found.failed.append(Failure(text, "UNREADABLE", f"'{text}' is neither a file nor a folder."))
        elif root in avoid:
            found.failed.append(Failure(text, ForbiddenPath.code, f"'{text}' is the daemon's own."))
        elif loader_for(root.name) is None:
            error_ = unsupported(shown(root.name))
            found.failed.append(Failure(text, error_.code, error_.message))
        elif root not in seen:
            seen.add(root)
            found.items.append(FileItem(root, shown(named.name)))
    return found


def _look_at(path: Path, name: str, allowed_roots: Sequence[str], *, gone: str) -> tuple[Path, int] | Failure:
    """Where a path leads and the mode of what is there, or why it can't be taken; `gone` says that nothing is there."""
    try:
        resolved = check_allowed(path, allowed_roots)
        return resolved, resolved.stat().st_mode
    except RagError as error:
        return Failure(name, error.code, error.message)
    except FileNotFoundError:
        return Failure(name, "VANISHED", gone)
    except OSError as error:
        return Failure(name, "UNREADABLE", f"'{name}' can't be read: {error.strerror}.")


@dataclass(slots=True)
class _Walk:
    """One folder being searched. What goes while it is searched is no longer there, and no failure."""

    found: Found
    folder: Path
    selection: Selection
    allowed_roots: Sequence[str]
    part: Part | None
    avoid: Collection[Path]
    root: Path
    loader_for: LoaderFor
    step: Step

    def add_files(self, seen: set[Path], *, recursive: bool) -> None:
        for path, relative in self._files(recursive=recursive):
            self.step()
            source = shown(relative)
            looked = _look_at(path, source, self.allowed_roots, gone=f"'{source}' points to nothing.")
            if isinstance(looked, Failure):
                if looked.code != "VANISHED":
                    self._fail(looked)
                elif path.is_symlink():
                    self.found.failed.append(looked)
                continue
            resolved, mode = looked
            if not stat.S_ISREG(mode) or resolved in self.avoid:
                self.found.skipped += 1
                self.found.leave_out(relative, "SPECIAL", "the daemon's own" if resolved in self.avoid else "no regular file")
            elif self.loader_for(resolved.name) is None:
                self.found.skipped += 1
                self.found.leave_out(relative, UnsupportedMediaType.code, unread_type(resolved.name))
            elif resolved not in seen:
                seen.add(resolved)
                self.found.items.append(FileItem(resolved, source, self.root, self.root / relative))

    def _files(self, *, recursive: bool) -> Iterator[tuple[Path, str]]:
        """Every file below, in a fixed order. Links to folders are followed, each real folder once, so that a circle ends."""
        entered: set[tuple[int, int]] = set()
        for root, folders, files in os.walk(self.folder, followlinks=True, onerror=self._unreadable):
            self.step()
            relative = "" if root == str(self.folder) else Path(root).relative_to(self.folder).as_posix()
            identity = self._enter(root, relative)
            if identity is None or identity in entered:
                folders.clear()
                continue
            entered.add(identity)
            prefix = f"{relative}/" if relative else ""
            folders[:] = sorted(name for name in folders if self._takes_folder(name, prefix)) if recursive else []
            for name in sorted(files):
                if self._takes_file(name, prefix):
                    yield Path(root, name), prefix + name

    def _enter(self, root: str, relative: str) -> tuple[int, int] | None:
        """What identifies a folder; None when it is not to be searched."""
        try:
            if relative and os.path.islink(root):  # else it is inside of what was checked already
                check_allowed(Path(root), self.allowed_roots)
            if relative and self.avoid and Path(root).resolve() in self.avoid:
                return None
            status = os.stat(root)
        except RagError as error:
            self._fail(Failure(shown(relative), error.code, error.message))
        except OSError as error:
            self._unreadable(error)
        else:
            return status.st_dev, status.st_ino
        return None

    def _takes_folder(self, name: str, prefix: str) -> bool:
        if self.part and not self.part.leads(shown(prefix + name)):
            return False
        return self._is_taken(name, prefix, is_folder=True)

    def _takes_file(self, name: str, prefix: str) -> bool:
        if self.part and not self.part.holds(shown(prefix + name)):
            return False
        return self._is_taken(name, prefix, is_folder=False)

    def _is_taken(self, name: str, prefix: str, *, is_folder: bool) -> bool:
        whole = f"{prefix}{name}{'/' if is_folder else ''}"
        if is_passed_over(name):
            self.found.leave_out(whole, "HIDDEN", "hidden, temporary, or made by a tool")
            return False
        by = self.selection.left_out_by(prefix + name, is_folder=is_folder)
        if by:
            self.found.ignored += 1
            self.found.leave_out(whole, "IGNORED", by)
        return not by

    def _unreadable(self, error: OSError) -> None:
        # A failing disk does not always say which folder it was.
        relative = os.path.relpath(error.filename, self.folder) if error.filename else "."
        if isinstance(error, FileNotFoundError) and relative != ".":
            return
        name = shown(str(self.folder) if relative == "." else Path(relative).as_posix())
        self._fail(Failure(name, "UNREADABLE", f"The folder '{name}' can't be read: {error.strerror}."), relative)

    def _fail(self, failure: Failure, relative: str | None = None) -> None:
        self.found.failed.append(failure)
        self.found.unread.append("" if relative == "." else failure.source)


def _above(relative: str) -> list[str]:
    """The folders above a path, the nearest first."""
    above = []
    while relative := relative.rpartition("/")[0]:
        above.append(relative)
    return above


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
