"""Libraries written in Rust: what a panic in one costs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ragd.core.errors import DocumentDamaged


@contextmanager
def panics_fail_one_document(name: str) -> Iterator[None]:
    """Raises `ParseFailed` for a panic, which PyO3 keeps out of `Exception`, so that it would end the reading process."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise DocumentDamaged(f"'{name}' can't be read: its contents are damaged. Get the file again.") from error
