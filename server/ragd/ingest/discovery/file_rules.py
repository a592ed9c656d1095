"""Which names in a folder are documents: globs to include and exclude, `.gitignore` files, and what tools leave behind.

A `.gitignore` holds for its folder and all below; a deeper one overrules, and what lies in an ignored folder can't be taken
back (https://git-scm.com/docs/gitignore). Git's other lists of ignored files, those of a user and of a clone, are not read.
"""

from __future__ import annotations

import fnmatch
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ragd.core.errors import FieldProblem, ValidationFailed
from ragd.core.regular_files import open_regular
from ragd.ingest.discovery.globs import Globs, compile_glob, compile_globs

TEMPORARY: Final[tuple[tuple[str, str], ...]] = (
    ("~$*", "owner file of Word, Excel and PowerPoint while a document is open"),
    (".~lock.*#", "lock of LibreOffice"),
    ("*.sb-????????-??????", "safe save of macOS"),
    ("*.sw[op-x]", "swap file of vim"),
    ("4913", "by which vim tries whether it may write to a folder"),
    ("*~", "backup of vim, Emacs, gedit and Kate"),
    ("#*#", "autosave of Emacs"),
    (".#*", "lock of Emacs"),
    ("*___jb_tmp___", "safe save of JetBrains editors"),
    ("*___jb_old___", "safe save of JetBrains editors"),
    ("*.tmp", "unfinished, by agreement of many programs; Word saves by way of ~WRD0001.tmp"),
    ("*.part", "unfinished download of Firefox and others"),
    ("*.partial", "unfinished download"),
    ("*.crdownload", "unfinished download of Chrome and Edge"),
    ("*.download", "unfinished download of Safari"),
    ("*.opdownload", "unfinished download of Opera"),
    ("~syncthing~*", "unfinished copy of Syncthing"),
    ("Thumbs.db", "pictures' cache of Windows"),
    ("ehthumbs.db", "pictures' cache of Windows"),
    ("desktop.ini", "folder settings of Windows"),
    (".DS_Store", "folder settings of macOS"),
)
"""Names that editors and other tools make for a while, as globs of any case, and why they are no documents."""

_TOOL_FOLDERS: Final = frozenset(
    {"__pycache__", "node_modules", "$RECYCLE.BIN", "System Volume Information", "lost+found", "@eaDir"}
)
"""Folders that hold what tools make, never what people write."""

GITIGNORE: Final = ".gitignore"

_TEMPORARY = re.compile("|".join(fnmatch.translate(glob.lower()) for glob, _ in TEMPORARY))
_NOT_UTF8 = re.compile("[\ud800-\udfff]")

# No person writes a longer `.gitignore`; what is beyond is not read.
_MAX_BYTES = 256 * 1024


def shown(name: str) -> str:
    """A file name as text that can be stored, sent and searched: composed (NFC; macOS keeps names decomposed), and with the
    replacement character for what is no UTF-8."""
    return unicodedata.normalize("NFC", _NOT_UTF8.sub("\ufffd", name))


@dataclass(frozen=True, slots=True)
class FileRules:
    """What to take from a folder: files that match an `include` glob (all without any) and no `exclude` glob, of any case."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    gitignore: bool = True


def is_passed_over(name: str) -> bool:
    """Whether a file's or a folder's name says that it is hidden, temporary or a tool's, whatever the rules are."""
    return name.startswith(".") or name in _TOOL_FOLDERS or _TEMPORARY.match(name.lower()) is not None


def check_globs(globs: Iterable[str], field_name: str) -> tuple[str, ...]:
    """The globs. Raises `ValidationFailed` that names each one that can match nothing."""
    checked = tuple(globs)
    problems = [
        FieldProblem(f"{field_name}[{index}]", "invalid", f"'{shown(glob)[:200]}' is no glob. Write it as in a .gitignore.")
        for index, glob in enumerate(checked)
        if compile_glob(glob) is None or "\n" in glob
    ]
    if problems:
        raise ValidationFailed(" ".join(problem.message for problem in problems), details=problems)
    return checked


@dataclass(frozen=True, slots=True)
class _Layer:
    """The patterns of one `.gitignore`, and how a path below the folder is written from where that file is."""

    globs: Globs
    file: str
    cut: int = 0
    prefix: str = ""

    def verdict(self, relative: str, *, is_folder: bool) -> bool | None:
        return self.globs.verdict(self.prefix + relative[self.cut :], is_folder=is_folder)


@dataclass(slots=True)
class Selection:
    """Which names below one folder the rules take. It remembers what `.gitignore` files said: make a new one for each look.

    Names are relative to the folder, with `/` between their parts. `passes_folder` and `passes_file` are for a walk from the
    top, in which hidden and temporary names are passed over already; `enters` and `reaches` are for a name alone.
    """

    folder: Path
    rules: FileRules
    _include: Globs = field(init=False)
    _exclude: Globs = field(init=False)
    _layers: dict[str, tuple[_Layer, ...]] = field(init=False)

    def __post_init__(self) -> None:
        self._include = compile_globs(map(shown, self.rules.include), any_case=True)
        self._exclude = compile_globs(map(shown, self.rules.exclude), any_case=True)
        self._layers = {"": (*self._layers_above(), *self._layer_of("")) if self.rules.gitignore else ()}

    def passes_folder(self, relative: str) -> bool:
        """Whether a folder is entered, when those above it are."""
        return not self.left_out_by(relative, is_folder=True)

    def passes_file(self, relative: str) -> bool:
        """Whether a file is taken, when the folders above it are entered."""
        return not self.left_out_by(relative, is_folder=False)

    def left_out_by(self, relative: str, *, is_folder: bool) -> str:
        """What leaves a name out, when the folders above it are entered; "" for what is taken."""
        name = shown(relative)
        if not is_folder and self._include.patterns and not self._include.covers(name):
            return "in no include glob"
        if self._exclude.verdict(name, is_folder=is_folder):
            return "in an exclude glob"
        return self._ignored_by(relative, is_folder=is_folder)

    def enters(self, relative: str) -> bool:
        """Whether a walk comes by a folder of this name, wherever it lies."""
        parts = relative.split("/")
        ways = ("/".join(parts[:count]) for count in range(1, len(parts) + 1))
        return not any(map(is_passed_over, parts)) and all(map(self.passes_folder, ways))

    def reaches(self, relative: str, *, is_folder: bool | None) -> bool:
        """Whether a walk could take a file, or come by a folder, of this name. `is_folder` is None for what is gone."""
        parent, _, name = relative.rpartition("/")
        if is_passed_over(name) or (parent and not self.enters(parent)):
            return False
        return (is_folder is not True and self.passes_file(relative)) or (is_folder is not False and self.passes_folder(relative))

    def _ignored_by(self, relative: str, *, is_folder: bool) -> str:
        for layer in reversed(self._layers_in(relative.rpartition("/")[0]) if self.rules.gitignore else ()):
            verdict = layer.verdict(shown(relative), is_folder=is_folder)
            if verdict is not None:
                return f"ignored by {layer.file}" if verdict else ""
        return ""

    def _layers_in(self, parent: str) -> tuple[_Layer, ...]:
        if parent not in self._layers:
            self._layers[parent] = (*self._layers_in(parent.rpartition("/")[0]), *self._layer_of(parent))
        return self._layers[parent]

    def _layer_of(self, relative: str) -> tuple[_Layer, ...]:
        globs = _read_gitignore(self.folder / relative)
        cut = len(shown(relative)) + 1 if relative else 0
        return (_Layer(globs, shown(f"{relative}/{GITIGNORE}".lstrip("/")), cut),) if globs.patterns else ()

    def _layers_above(self) -> Sequence[_Layer]:
        """The `.gitignore` files above the folder, down from the root of its git work tree. When they ignore the folder, which
        a person has named, they don't count."""
        above = [self.folder, *self.folder.parents]
        top = next((index for index, folder in enumerate(above) if (folder / ".git").exists()), 0)
        layers = []
        for folder in reversed(above[1 : top + 1]):
            prefix = shown(self.folder.relative_to(folder).as_posix())
            layers.append(_Layer(_read_gitignore(folder), shown(str(folder / GITIGNORE)), prefix=f"{prefix}/"))
            parts = prefix.split("/")
            if any(layers[-1].globs.verdict("/".join(parts[:count]), is_folder=True) for count in range(1, len(parts) + 1)):
                return ()
        return layers


def _read_gitignore(folder: Path) -> Globs:
    try:
        # As with git, a link is not followed: it may lead anywhere.
        with open_regular(folder.resolve() / GITIGNORE) as file:
            text = file.read(_MAX_BYTES).decode("utf-8-sig", errors="surrogateescape")
    except OSError:  # what can't be read says nothing
        return Globs(())
    return compile_globs(map(shown, text.split("\n")))
