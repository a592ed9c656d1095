"""A folder as a source: its configuration, a look at its files, and which changes below it can matter. Nothing is kept here."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, Final

from ragd.core.errors import DocumentUnreadable, FieldProblem, ServiceUnavailable, ValidationFailed
from ragd.formats.registry import loader_name_for
from ragd.ingest.discovery.drives import Step, ask
from ragd.ingest.discovery.file_rules import GITIGNORE, FileRules, Selection, check_globs, shown
from ragd.ingest.discovery.files import Found, Part, check_allowed, find_files
from ragd.sources.queue import MAX_CHANGES


@dataclass(frozen=True, slots=True)
class FolderConfig:
    """What a folder source is asked to do. `poll` is None when the kind of file system decides."""

    path: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    gitignore: bool = True
    watch: bool = True
    poll: bool | None = None

    @classmethod
    def parse(cls, values: Mapping[str, Any], allowed_roots: Sequence[str]) -> FolderConfig:
        """The configuration that a person gave, checked.

        Raises `ValidationFailed` that names each wrong field, and `ForbiddenPath` for a folder outside the allowed roots.
        """
        problems = [_unknown(name) for name in values if name not in _FIELDS] + _wrong_types(values)
        if problems:
            raise ValidationFailed(" ".join(problem.message for problem in problems), details=problems)
        path = _checked_path(values["path"], allowed_roots)
        globs = {name: check_globs(values.get(name, ()), f"config.{name}") for name in _GLOBS}
        return cls(**{**values, "path": str(path), **globs})

    @classmethod
    def stored(cls, values: Mapping[str, Any]) -> FolderConfig:
        """A configuration that was checked when it was stored: the inverse of `as_dict`."""
        return cls(**{**values, **{name: tuple(values[name]) for name in _GLOBS}})

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {name: list(getattr(self, name)) for name in _GLOBS}

    @property
    def folder(self) -> Path:
        return Path(self.path)

    @property
    def rules(self) -> FileRules:
        return FileRules(self.include, self.exclude, self.gitignore)

    def check_root(self, name: str, allowed_roots: Sequence[str]) -> tuple[int, int]:
        """What tells the source's folder from one that only has its name, such as the empty one where a drive is not mounted.

        Raises `ServiceUnavailable` when it is not there or can't be read, and `ForbiddenPath`.
        """
        try:
            return ask(self.folder, partial(self._identity, allowed_roots))
        except FileNotFoundError as error:
            raise self._unavailable(name, "is not there; is its drive connected?") from error
        except OSError as error:
            raise self._unavailable(name, f"can't be read: {error.strerror}.") from error
        except DocumentUnreadable as error:
            raise self._unavailable(name, f"can't be read: {error.message}") from error

    def _identity(self, allowed_roots: Sequence[str], _step: Step) -> tuple[int, int]:
        check_allowed(self.folder, allowed_roots)
        with os.scandir(self.folder) as entries:
            next(entries, None)
        status = self.folder.stat()
        return status.st_dev, status.st_ino

    def _unavailable(self, name: str, what: str) -> ServiceUnavailable:
        return ServiceUnavailable(f"The folder '{shown(self.path)}' of the source '{name}' {what} No document was deleted.")

    def scan(self, allowed_roots: Sequence[str], avoid: Collection[Path], names: Collection[str] | None = None) -> Found:
        """The files below the folder or, with `names` (relative to it), those of these names and below them."""
        part = None if names is None else Part(names)
        return find_files([self.path], recursive=True, allowed_roots=allowed_roots, rules=self.rules, part=part, avoid=avoid)

    def is_below_link(self, relative: str) -> bool:
        """Whether a link to a folder leads to the name, so that its files may have other names, too."""
        above = self.folder
        for part in relative.split("/")[:-1]:
            above /= part
            if above.is_symlink():
                return True
        return False

    def relevant(self, paths: Iterable[str], avoid: Collection[Path]) -> frozenset[str] | None:
        """Of the paths that changed, those that can matter, relative to the folder. None: everything must be looked at.

        A path may be of a file or a folder, and of what is gone.
        """
        selection = Selection(self.folder, self.rules)
        real = Path(os.path.realpath(self.folder))
        # Who names a folder inside of ours means it.
        ours = [folder for folder in avoid if folder != real and folder.is_relative_to(real)]
        names: set[str] = set()
        for path in paths:
            relative = _relative(path, self.folder) or _relative(path, real)
            if relative is None:
                return None
            parent, _, name = relative.rpartition("/")
            if any((real / relative).is_relative_to(folder) for folder in ours):
                continue
            if name == GITIGNORE and self.gitignore:
                if not parent:
                    return None
                if selection.enters(parent):
                    names.add(parent)
            elif _may_be_document(path) and selection.reaches(relative, is_folder=_is_folder(path)):
                names.add(relative)
        return frozenset(names) if len(names) <= MAX_CHANGES else None


def _relative(path: str, folder: Path) -> str | None:
    relative = os.path.relpath(path, folder).replace(os.sep, "/")
    return None if relative in {".", ".."} or relative.startswith("../") else relative


def _is_folder(path: str) -> bool | None:
    return os.path.isdir(path) if os.path.exists(path) else None


def _may_be_document(path: str) -> bool:
    # A folder's documents have names of their own, what a link is called says nothing, and what is gone may have been a folder.
    return loader_name_for(path) is not None or os.path.islink(path) or not os.path.isfile(path)


_FIELDS: Final = {field.name: field for field in fields(FolderConfig)}
_GLOBS: Final = ("include", "exclude")


def _wrong_types(values: Mapping[str, Any]) -> list[FieldProblem]:
    problems = []
    if not isinstance(values.get("path"), str) or not values["path"].strip():
        problems.append(FieldProblem("config.path", "missing", "config.path must name a folder."))
    for name in _GLOBS:
        globs = values.get(name, ())
        if not isinstance(globs, list | tuple) or not all(isinstance(glob, str) for glob in globs):
            problems.append(FieldProblem(f"config.{name}", "invalid", f"config.{name} must be a list of globs."))
    for name in ("gitignore", "watch"):
        if not isinstance(values.get(name, True), bool):
            problems.append(FieldProblem(f"config.{name}", "invalid", f"config.{name} must be true or false."))
    if not isinstance(values.get("poll"), bool | None):
        problems.append(FieldProblem("config.poll", "invalid", "config.poll must be true, false or null."))
    return problems


def _unknown(name: str) -> FieldProblem:
    known = ", ".join(_FIELDS)
    return FieldProblem(f"config.{name[:80]}", "unknown", f"A folder has no '{shown(name)[:80]}'. It has: {known}.")


def _checked_path(text: str, allowed_roots: Sequence[str]) -> Path:
    wrong = partial(ValidationFailed.of_field, "config.path")
    name = shown(text)[:200]
    try:
        return ask(Path(text), lambda _step: _existing(text, wrong, allowed_roots))
    except DocumentUnreadable as error:
        raise wrong("unreadable", error.message) from error
    except OSError as error:
        raise wrong("unreadable", f"The folder '{name}' can't be read: {error.strerror}.") from error


def _existing(text: str, wrong: Callable[[str, str], ValidationFailed], allowed_roots: Sequence[str]) -> Path:
    name = shown(text)[:200]
    resolved = check_allowed(Path(text), allowed_roots)
    path = Path(text).expanduser()
    if not path.is_absolute():
        raise wrong("relative", f"'{name}' must be an absolute path.")
    if not resolved.exists():
        raise wrong("not_found", f"The folder '{name}' does not exist.")
    if not resolved.is_dir():
        raise wrong("not_a_folder", f"'{name}' is no folder. Ingest a single file instead.")
    os.scandir(resolved).close()
    # As it was named, so that a link that is led elsewhere later is followed; what `..` means depends on links, though.
    return resolved if ".." in path.parts else path
