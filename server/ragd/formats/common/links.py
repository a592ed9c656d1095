"""Pictures that a document refers to by a relative path: read from the folder that was added, and from nowhere else.

A document is not trusted to name files. Nothing is touched before the path, taken by its words alone, is known to stay below
the root (on Windows the mere look at `//host/share` sends the user's credentials there); then links are resolved and the real
path is checked again.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from ragd.core.regular_files import open_regular
from ragd.formats.registry import PICTURE_EXTENSIONS

_MAX_REFERENCE: Final = 2048
# A drive's letter is a scheme too, as far as this is concerned.
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_CONTROL: Final = re.compile("[\x00-\x1f\x7f]")


class LinkedFiles:
    """Gives the bytes of a picture that a document in `folder` refers to, if it is below `root` and at most `max_bytes` long."""

    def __init__(self, folder: Path, root: Path, max_bytes: int) -> None:
        self._folder = folder.resolve()
        self._root = root.resolve()
        self._max_bytes = max_bytes
        # The root of a web site may lie anywhere between.
        between = [folder for folder in self._folder.parents if folder.is_relative_to(self._root)]
        self._roots = [*reversed(between), self._folder]

    def __call__(self, reference: str) -> bytes | None:
        """Bytes of the picture; None for anything else: no such file, one outside of the root, too large, no picture.

        A reference that begins with a slash is relative to the root, as on a web site, or to a folder between.
        """
        for candidate in self._candidates(reference):
            if (data := self._read(candidate)) is not None:
                return data
        return None

    def _candidates(self, reference: str) -> Iterator[Path]:
        """Paths below the root that the reference may mean, by its words alone."""
        text = reference.strip()
        if len(text) > _MAX_REFERENCE:
            return
        # As a URL; then as the bare name of a file, which may hold `#`, `?` and `%`.
        url = unquote(re.split(r"[?#]", text, maxsplit=1)[0])
        for spelled in dict.fromkeys((url, unquote(text), text)):
            path = spelled.replace("\\", "/")
            if not path or path.startswith("//") or _CONTROL.search(path) or _SCHEME.match(path):
                continue
            # File systems of macOS keep names decomposed, and so does what is copied from there.
            forms = dict.fromkeys((path, unicodedata.normalize("NFC", path), unicodedata.normalize("NFD", path)))
            for base, form in product(self._roots if path.startswith("/") else [self._folder], forms):
                candidate = Path(os.path.normpath(base / form.lstrip("/")))
                if candidate.is_relative_to(self._root) and candidate.suffix.lower() in PICTURE_EXTENSIONS:
                    yield candidate

    def _read(self, path: Path) -> bytes | None:
        try:
            real = path.resolve(strict=True)
            if not real.is_relative_to(self._root) or real.suffix.lower() not in PICTURE_EXTENSIONS:
                return None
            with open_regular(real) as file:
                if os.fstat(file.fileno()).st_size > self._max_bytes:
                    return None
                data = file.read(self._max_bytes + 1)
        except (OSError, RuntimeError, ValueError):  # no such file, links in a circle, a name that the system refuses
            return None
        return data if len(data) <= self._max_bytes else None
