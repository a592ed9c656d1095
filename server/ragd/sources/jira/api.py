"""What a Jira source asks of a site: the part that Cloud and Data Center answer alike, and batches of which some can't be had.

A batch that fails is parted until those that make it fail stand alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from ragd.core.errors import DocumentVanished, ItemForbidden, RagError, SourceUnavailable
from ragd.sources.atlassian.client import AtlassianClient
from ragd.sources.atlassian.responses import RequestRefused, Unanswered
from ragd.sources.atlassian.values import chunks, mapping, mappings, text_of
from ragd.sources.base import Reason, Skip
from ragd.sources.jira.issues import CustomField

Issue = Mapping[str, Any]

BATCH: Final = 100
"""Issues that are asked for together; the most that Cloud gives."""
_COMMENTS_A_PAGE: Final = 100
ITEM_FAULTS: Final = (ItemForbidden, DocumentVanished, RequestRefused, Unanswered)
"""What may be the fault of a single item."""
LONGEST_RUN: Final = 8
"""Failures in a row from which it is the site that is ill. To find one issue among 100 takes 3."""

_PARTS: Final = 10
"""Into how many a batch is parted. A request that fails is tried several times, with pauses; one that works costs little."""


class JiraApi(ABC):
    """One account at one site. Issues are as Jira's JSON has them."""

    prefix: str

    def __init__(self, client: AtlassianClient) -> None:
        self.client = client

    @abstractmethod
    def search(self, jql: str) -> Iterator[Issue]:
        """Id and key of every issue that the JQL finds, each once. `jql` has no order of its own."""

    @abstractmethod
    def issues(self, ids: Sequence[str], fields: Sequence[str]) -> dict[str, Issue]:
        """At most `BATCH` issues by id; those that are gone, or that the token may not read, are left out."""

    @abstractmethod
    def count(self, jql: str) -> int | None:
        """How many issues the JQL finds, perhaps roughly; None when the site does not say."""

    @abstractmethod
    def projects(self) -> dict[str, str]:
        """Names of the projects that the account may see, by key."""

    def custom_fields(self, wanted: Sequence[str]) -> dict[str, list[CustomField]]:
        """Fields by what they are called in `wanted`: their id, or their name, which several may share."""
        found: dict[str, list[CustomField]] = {}
        names = {name.casefold(): name for name in wanted}
        for entry in mappings(self.client.get(f"{self.prefix}/field")) if wanted else ():
            rich = text_of(entry.get("schema"), "custom").endswith(":textarea")
            field = CustomField(text_of(entry, "id"), text_of(entry, "name"), rich)
            called = next((name for name in (field.id, field.name) if name.casefold() in names), None)
            if called is not None:
                found.setdefault(names[called.casefold()], []).append(field)
        return found

    def comments(self, issue: Issue) -> list[Mapping[str, Any]]:
        """All comments of an issue that was asked for with the field `comment`, which holds them only up to a number."""
        held = mapping(mapping(issue.get("fields")).get("comment"))
        inlined = mappings(held.get("comments"))
        total = held.get("total")
        if isinstance(total, int) and total <= len(inlined):
            return inlined
        found: dict[str, Mapping[str, Any]] = {}
        start = 0
        while True:
            page = mapping(
                self.client.get(
                    f"{self.prefix}/issue/{text_of(issue, 'id')}/comment",
                    {"startAt": start, "maxResults": _COMMENTS_A_PAGE, "orderBy": "created"},
                )
            )
            comments = mappings(page.get("comments"))
            found.update((text_of(comment, "id"), comment) for comment in comments)
            start += len(comments)
            total = page.get("total")
            if not isinstance(total, int) or (not comments and start < total):
                raise SourceUnavailable(f"Jira ended the comments of issue {text_of(issue, 'id')} too early. Try again.")
            if start >= total:
                return list(found.values())


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
    ids: Sequence[str], size: int, ask: Callable[[Sequence[str]], Mapping[str, Issue]], patience: Patience
) -> Iterator[tuple[str, Issue | Skip]]:
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
