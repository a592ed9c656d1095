"""What a source would read, before it is added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ragd.core.jobs import Failure
from ragd.formats.registry import doc_type_for
from ragd.sources.folder.config import FolderConfig, check_root, scan

_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class Preview:
    """Counts of files, by document type too, the first names, and the first of what can't be read and why."""

    files: int
    by_type: dict[str, int]
    names: tuple[str, ...]
    skipped: int
    ignored: int
    failed_count: int
    failed: tuple[Failure, ...]


def preview(config: FolderConfig, allowed_roots: Sequence[str], avoid: Collection[Path]) -> Preview:
    """Look at a folder as a source would. Raises as `check_root` does."""
    check_root(config, config.folder.name, allowed_roots)
    found = scan(config, allowed_roots, avoid)
    types = Counter(doc_type_for(item.name) or "text" for item in found.items)
    return Preview(
        files=len(found.items),
        by_type=dict(sorted(types.items(), key=lambda item: (-item[1], item[0]))),
        names=tuple(item.source for item in found.items[:_SHOWN]),
        skipped=found.skipped,
        ignored=found.ignored,
        failed_count=len(found.failed),
        failed=tuple(found.failed[:_SHOWN]),
    )
