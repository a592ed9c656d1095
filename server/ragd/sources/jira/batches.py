"""Fetching issues together when some can't be had: a batch that fails is parted until those that make it fail stand alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from ragd.core.errors import DocumentVanished, ItemForbidden, RagError, SourceUnavailable
from ragd.sources.atlassian.responses import RequestRefused, Unanswered
from ragd.sources.atlassian.values import chunks
from ragd.sources.base import Reason, Skip

_Issue = Mapping[str, Any]

ITEM_FAULTS: Final = (ItemForbidden, DocumentVanished, RequestRefused, Unanswered)
"""What may be the fault of a single item."""
LONGEST_RUN: Final = 8
"""Failures in a row from which it is the site that is ill. To find one issue among 100 takes 3."""

_PARTS: Final = 10
"""Into how many a batch is parted. A request that fails is tried several times, with pauses; one that works costs little."""


class Patience:
    """Counts what the site could not answer, one after the other."""

    def __init__(self, longest_run: int = LONGEST_RUN) -> None:
        self._longest_run = longest_run
        self._run = 0

    def worked(self) -> None:
        self._run = 0

    def failed(self, error: Exception) -> None:
        """Raises the error when it is one too many."""
        if isinstance(error, Unanswered):
            self._run += 1
            if self._run >= self._longest_run:
                raise error


def in_batches(
    ids: Sequence[str], size: int, ask: Callable[[Sequence[str]], Mapping[str, _Issue]], patience: Patience
) -> Iterator[tuple[str, _Issue | Skip]]:
    """Each of these with its issue, or why there is none. Raises what is not the fault of single items."""
    # A stack.
    waiting = list(chunks(ids, size))[::-1]
    while waiting:
        batch = waiting.pop()
        try:
            found = ask(batch)
        except ITEM_FAULTS as error:
            patience.failed(error)
            if len(batch) > 1:
                waiting += list(chunks(batch, -(-len(batch) // _PARTS)))[::-1]
            else:
                yield batch[0], skip_for(error)
            continue
        patience.worked()
        for issue_id in batch:
            missing = Skip("gone", f"Issue {issue_id} is no longer there, or this account may not read it any more.")
            yield issue_id, found.get(issue_id, missing)


def skip_for(error: RagError) -> Skip:
    reason: Reason = "failed"
    if isinstance(error, ItemForbidden):
        reason = "forbidden"
    elif isinstance(error, DocumentVanished):
        reason = "gone"
    elif not isinstance(error, SourceUnavailable):
        reason = "parse_error"
    return Skip(reason, error.message)
