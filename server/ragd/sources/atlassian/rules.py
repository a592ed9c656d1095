"""What a source's own rules leave out, and why: globs over paths, and files that can't be read."""

from __future__ import annotations

from collections.abc import Sequence

from ragd.formats.registry import loader_name_for
from ragd.ingest.discovery.globs import compile_globs
from ragd.sources.base import Skip


class ItemRules:
    """`include` and `exclude` match paths in any case; `max_size` is in bytes, of one file."""

    def __init__(self, include: Sequence[str], exclude: Sequence[str], max_size: int) -> None:
        self._include = compile_globs(include, any_case=True)
        self._exclude = compile_globs(exclude, any_case=True)
        self._max_size = max_size

    def filtered(self, path: str) -> Skip | None:
        if self._include.patterns and not self._include.covers(path):
            return Skip("filtered", "No 'include' pattern of the source matches it.")
        return Skip("filtered", "An 'exclude' pattern of the source matches it.") if self._exclude.covers(path) else None

    def unusable(self, name: str, size: int) -> Skip | None:
        if loader_name_for(name) is None:
            return Skip("unsupported", "No loader reads files of this kind.")
        if size > self._max_size:
            return Skip("too_large", f"It has {size >> 20} MB; ingest.max_file_mb allows {self._max_size >> 20}.")
        return None
